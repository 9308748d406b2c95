//! Costs of issuing blocks: instructions, or issue slots, of whatever unit the caller counts in.

use crate::launch_instructions::LaunchInstructions;
use crate::warp_counts::WarpCounts;
use raywarp_family::Block;

/// A cost for each code block of a micro-operation, paid each time that a warp issues it, however many lanes take part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockCosts([f64; Block::ALL.len()]);

/// Returns costs of 0 for all code blocks.
impl Default for BlockCosts {
    fn default() -> Self {
        Self([0.0; Block::ALL.len()])
    }
}

impl BlockCosts {
    /// Returns the costs with that of one code block changed.
    #[must_use]
    pub fn with(mut self, block: Block, cost: f64) -> Self {
        self.0[block as usize] = cost;
        self
    }

    /// Returns the cost of a code block.
    pub fn of(&self, block: Block) -> f64 {
        self.0[block as usize]
    }

    /// Returns the sum of the costs that all warps of a launch paid.
    pub fn total(&self, counts: &WarpCounts) -> f64 {
        counts.blocks.iter().zip(self.0).map(|(count, cost)| count.issued as f64 * cost).sum()
    }

    /// Returns the average cost of an event of each code block, from a launch's instructions and its event counts. What
    /// a block issues that had no event of its own (a question whether anybody pops) is paid by the iterations of the
    /// main loop.
    pub fn average(cost: &LaunchInstructions, counts: &WarpCounts) -> Self {
        let (mut costs, mut rest) = (Self::default(), 0.0);
        for block in Block::ALL {
            match counts.block(block).issued {
                0 => rest += cost.block(block),
                events => costs = costs.with(block, cost.block(block) / events as f64),
            }
        }
        let iterations = counts.block(Block::Iteration).issued.max(1) as f64;
        costs.with(Block::Iteration, costs.of(Block::Iteration) + rest / iterations)
    }

    /// Returns the costs multiplied by a factor, for another unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self(self.0.map(|cost| cost * factor))
    }

    /// Returns the cost of a ray times the lanes of a warp, for a machine that issues a warp instruction for `width`
    /// lanes as fast as for any other number.
    pub fn lane_slots_per_ray(&self, counts: &WarpCounts) -> f64 {
        self.total(counts) * f64::from(counts.width) / counts.rays as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_costs_the_same_each_time_it_is_issued() {
        let mut counts = WarpCounts::new(32);
        counts.rays = 64;
        counts.blocks[Block::VisitNode as usize].issued = 10;
        counts.blocks[Block::VisitNode as usize].active = 17;
        counts.blocks[Block::Iteration as usize].issued = 3;
        counts.blocks[Block::Vote as usize].issued = 99;
        let costs = BlockCosts::default().with(Block::VisitNode, 60.0).with(Block::Iteration, 20.0);
        assert_eq!(costs.total(&counts), 660.0);
        assert_eq!(costs.lane_slots_per_ray(&counts), 330.0);
    }

    #[test]
    fn average_costs_pay_for_everything() {
        let mut counts = WarpCounts::new(32);
        counts.rays = 1;
        for (block, issued) in [(Block::VisitNode, 10), (Block::Iteration, 4)] {
            counts.blocks[block as usize].issued = issued;
        }
        let mut all = counts.clone();
        all.blocks[Block::Pop as usize].issued = 3;
        let known =
            BlockCosts::default().with(Block::VisitNode, 60.0).with(Block::Iteration, 7.0).with(Block::Pop, 8.0);
        let cost = LaunchInstructions::of_blocks(&known, &all);
        assert_eq!(BlockCosts::average(&cost, &all), known);
        let without = BlockCosts::average(&cost, &counts);
        assert_eq!((without.of(Block::Iteration), without.of(Block::Pop)), (13.0, 0.0));
        assert_eq!(without.total(&counts), cost.warp_instructions());
    }
}
