//! What issuing a block costs: instructions, or issue slots, of whatever unit the caller counts in.

use crate::al09::{FETCH, SHUFFLE};
use crate::efficiency::Efficiency;
use raywarp_family::{Block, Supply, Variant};

/// A price for each block of a micro-operation, paid each time that a warp issues it, however many lanes take part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices([f64; Block::ALL.len()]);

/// Prices by operation, as AL09 counts: "traversal, leaf, and triangle intersection operations" (2.1), and what their
/// section 5 states.
///
/// The default's unit is the GTX 285's issue slot (30 multiprocessors, one warp instruction in 4 clocks of 1476 MHz). Its first
/// four numbers are fitted to the twelve simulated rates of Sibenik in Table 1 that are not of packets, at the efficiencies
/// that our schedules have on their views and on a tree of as many nodes; they give all twelve back within 5 % on the
/// rays that they are fitted on, within 8 % on another sample (docs/papers.md). The others are stated in AL09 5.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Al09Prices {
    /// Visit a node: fetch it, test both boxes, order, push, pop, and the inner loop around it.
    pub visit_node: f64,
    /// Test a triangle, and the inner loop around it.
    pub test_triangle: f64,
    /// An iteration of the main loop.
    pub turn: f64,
    /// What postponing adds to a visit.
    pub postpone: f64,
    /// Fetch and set up new rays.
    pub fetch: f64,
    /// Count, choose and exchange rays: once an iteration of a work queue's main loop.
    pub shuffle: f64,
}

impl Default for Al09Prices {
    fn default() -> Self {
        Self { visit_node: 64.0, test_triangle: 31.0, turn: 24.0, postpone: 3.4, fetch: FETCH, shuffle: SHUFFLE }
    }
}

impl Al09Prices {
    /// What the blocks of `variant` cost.
    pub fn of(&self, variant: &Variant) -> Prices {
        let postpone = if variant.postpone() > 0 { self.postpone } else { 0.0 };
        let shuffle = if variant.supply() == Supply::Queue { self.shuffle } else { 0.0 };
        Prices::default()
            .with(Block::VisitNode, self.visit_node + postpone)
            .with(Block::TestTriangle, self.test_triangle)
            .with(Block::TestTriangleT, self.test_triangle)
            .with(Block::Turn, self.turn + shuffle)
            .with(Block::FetchRay, self.fetch)
    }
}

/// Everything for nothing.
impl Default for Prices {
    fn default() -> Self {
        Self([0.0; Block::ALL.len()])
    }
}

impl Prices {
    /// The same with one price changed.
    #[must_use]
    pub fn with(mut self, block: Block, price: f64) -> Self {
        self.0[block as usize] = price;
        self
    }

    /// The price of a block.
    pub fn of(&self, block: Block) -> f64 {
        self.0[block as usize]
    }

    /// What all warps of a launch paid together.
    pub fn total(&self, counts: &Efficiency) -> f64 {
        counts.blocks.iter().zip(self.0).map(|(count, price)| count.issued as f64 * price).sum()
    }

    /// What a ray costs on a machine that issues a warp instruction for `width` lanes as fast as for any other number of
    /// them: price times lanes.
    pub fn lane_slots_per_ray(&self, counts: &Efficiency) -> f64 {
        self.total(counts) * f64::from(counts.width) / counts.rays as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_costs_its_price_each_time_it_is_issued() {
        let mut counts = Efficiency::new(32);
        counts.rays = 64;
        counts.blocks[Block::VisitNode as usize].issued = 10;
        counts.blocks[Block::VisitNode as usize].active = 17;
        counts.blocks[Block::Turn as usize].issued = 3;
        counts.blocks[Block::Vote as usize].issued = 99;
        let prices = Prices::default().with(Block::VisitNode, 60.0).with(Block::Turn, 20.0);
        assert_eq!(prices.total(&counts), 660.0);
        assert_eq!(prices.lane_slots_per_ray(&counts), 330.0);
    }

    #[test]
    fn only_a_queue_pays_for_shuffling_and_only_speculation_for_postponing() {
        let of = |text: &str| Al09Prices::default().of(&text.parse().unwrap());
        assert_eq!(of("al09-while-while").of(Block::Turn), 24.0);
        assert_eq!(of("al09-queue").of(Block::Turn), 54.0);
        assert_eq!(of("al09-while-while").of(Block::VisitNode), 64.0);
        assert_eq!(of("al09-spec-if-if").of(Block::VisitNode), 67.4);
        assert_eq!(of("direct/speculative-if-if/bvh2?postpone=0").of(Block::VisitNode), 64.0);
    }
}
