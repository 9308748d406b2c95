//! The time that a warp takes by itself, at least: its chain of instructions that wait for one another (G14).
//!
//! The table of costs has no chains, so that they are taken from the algorithm, as short as any code for it can be: loads
//! that must be waited for before the operation can end, each at the latency of a hit in the first cache, and the
//! arithmetic that must follow one after the other, each at `latency.alu` (Guthe's 22 and 11 clocks). A warp issues in order,
//! and at most what a scheduler issues to one warp: a block takes at least as long as its instructions take to issue.

use crate::machine::{Machine, keys};
use crate::price::Price;
use crate::profile::Profile;
use raywarp_family::{Block, Tree, TriangleTest, Variant};

/// What waits for what in a block, at least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chain {
    /// Loads, one after the other.
    pub loads: u32,
    /// Arithmetic instructions, one after the other.
    pub arithmetic: u32,
}

/// The chain of a block: what must have ended before the warp's next decision is known.
pub fn chain(block: Block, variant: &Variant) -> Chain {
    let (loads, arithmetic) = match block {
        Block::FetchRay => (1, 0),
        // A reciprocal, and the product with the origin.
        Block::SetupRay => (0, 2),
        Block::VisitNode => match variant.tree() {
            // Planes to distances, the latest of three, the comparison: minima of three inputs count as one.
            Tree::Bvh2 | Tree::Wide4 | Tree::WideN => (1, 3),
            // Planes are unpacked before.
            Tree::Cwbvh8 | Tree::H8 => (1, 4),
        },
        Block::VisitNodeLinks | Block::Pop => (1, 0),
        Block::VisitNodeOrder => (0, 1),
        Block::TestTriangle => match variant.triangle() {
            // Height: three products in a row, a reciprocal, a product; a weight of it, a comparison.
            TriangleTest::Woop => (1, 7),
            // Two products of vectors (edges, then with one another), a reciprocal or sum, a product, a comparison.
            TriangleTest::MoellerTrumbore | TriangleTest::Watertight | TriangleTest::Pair => (1, 6),
        },
        Block::TestTriangleT => (1, 6),
        Block::TestTriangleU | Block::TestTriangleV => (1, 4),
        Block::TestTriangleAccept | Block::Vote | Block::Ballot | Block::Shuffle | Block::PrefixSum => (0, 1),
        // What nobody waits for, or takes no longer than it takes to issue.
        Block::FetchBatch
        | Block::VisitNodePush
        | Block::Postpone
        | Block::Defer
        | Block::Exchange
        | Block::StoreHit
        | Block::Prologue
        | Block::Turn => (0, 0),
    };
    Chain { loads, arithmetic }
}

/// Clocks that all warps of the profile take, one after the other and each alone; none where the machine has no
/// `latency.alu`. A load for which the machine has no latency takes as long as an arithmetic instruction.
pub fn warp_clocks(machine: &Machine, variant: &Variant, profile: &Profile, price: &Price) -> Option<f64> {
    let arithmetic = machine.get(keys::LATENCY_ALU)?;
    let load = machine.get(keys::LATENCY_L1).unwrap_or(arithmetic).max(arithmetic);
    let per_clock = machine.need(keys::ISSUE_PER_SCHEDULER);
    let clocks = |block: Block| {
        let Chain { loads, arithmetic: steps } = chain(block, variant);
        let waits = f64::from(loads) * load + f64::from(steps) * arithmetic;
        (profile.counts.block(block).issued as f64 * waits).max(price.block(block) / per_clock)
    };
    Some(Block::ALL.into_iter().map(clocks).sum())
}
