//! The time that a warp takes by itself, at least: its chain of instructions that wait for one another (G14).
//!
//! Machine code for compute capability 7.0 and later tells it: the table of costs has, for each block, the clocks that
//! its instructions ask for and the latencies that lie one after the other on its longest way
//! ([`Alone`](raywarp_costs::Alone)). A load takes as long as a hit in the first cache.
//!
//! So does Kepler's, whose scheduling words say it for fixed times, and whose registers for others.
//!
//! For other machines, and by tables without such times, the chain is that of the algorithm, as short as any code for
//! it can be: loads that must be waited for before the operation can end, and the arithmetic that must follow one after
//! the other, each at `latency.alu`: Guthe's 22 clocks on Fermi and 11 on Kepler.
//!
//! Either way a warp issues in order, and at most what a scheduler issues to one warp: a block takes at least as long
//! as its instructions take to issue.

use crate::launch_instructions::LaunchInstructions;
use crate::machine::{Machine, keys};
use crate::profile::Profile;
use raywarp_costs::Wait;
use raywarp_family::{Block, TriangleTest, Variant};

/// Least number of instructions of a code block that wait for each other one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chain {
    /// Number of loads in the chain.
    pub loads: u32,
    /// Number of arithmetic instructions in the chain.
    pub arithmetic: u32,
}

/// Returns the dependency chain of a code block: what must have ended before the warp's next decision is known.
pub fn chain(block: Block, variant: &Variant) -> Chain {
    let (loads, arithmetic) = match block {
        Block::FetchRay => (1, 0),
        // A reciprocal, and the product with the origin.
        Block::SetupRay => (0, 2),
        Block::SetupParked => (1, 2),
        // Planes are unpacked before.
        Block::VisitNode if variant.tree().groups_leaves() => (1, 4),
        // Planes to distances, the latest of three, the comparison: minima of three inputs count as one.
        Block::VisitNode => (1, 3),
        Block::VisitNodeLinks | Block::Pop => (1, 0),
        Block::VisitNodeOrder => (0, 1),
        Block::TestTriangle => match variant.triangle() {
            // Height: three products in a row, a reciprocal, a product; a weight of it, a comparison.
            TriangleTest::Woop => (1, 7),
            // Two products of vectors (edges, then with one another), a reciprocal or sum, a product, a comparison.
            TriangleTest::MoellerTrumbore | TriangleTest::Watertight | TriangleTest::Pair => (1, 6),
        },
        // The inverse, three products of a row whose sums are fused with them, and then as setting up.
        Block::EnterInstance => (1, 3 + 2),
        // The ray again, and then as setting up.
        Block::LeaveInstance => (1, 2),
        // A product and three sums of a row, each rounded.
        Block::TestTrianglePlace => (1, 4),
        Block::TestTriangleT => (1, 6),
        Block::TestTriangleU | Block::TestTriangleV => (1, 4),
        Block::TestTriangleAccept | Block::Vote | Block::Ballot | Block::Shuffle | Block::PrefixSum => (0, 1),
        // What nobody waits for, or takes no longer than it takes to issue.
        Block::FetchBatch
        | Block::VisitNodePush
        | Block::Postpone
        | Block::Defer
        | Block::SecondTest
        | Block::ThirdTest
        | Block::FourthTest
        | Block::Exchange
        | Block::StoreHit
        | Block::Prologue
        | Block::Iteration
        | Block::LeafIteration
        | Block::Refill
        | Block::ChooseNode
        | Block::ChooseTriangle => (0, 0),
    };
    Chain { loads, arithmetic }
}

/// Basis of the time that a warp takes when it runs alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainOf {
    /// The kernel's machine code.
    Code,
    /// The algorithm, with the shortest chains that any code for it can have.
    Algorithm,
}

/// Returns the latency in clocks of what a warp waits for on a machine; where the machine has no such number, that of
/// `arithmetic`.
pub(crate) fn latency_of(machine: &Machine, wait: Wait, arithmetic: f64) -> f64 {
    let key = match wait {
        Wait::L1 => keys::LATENCY_L1,
        Wait::Shared => keys::LATENCY_SHARED,
        Wait::Xu => keys::LATENCY_XU,
        Wait::Lanes => keys::LATENCY_LANES,
        Wait::Constant => keys::LATENCY_CONSTANT,
        // It is done there.
        Wait::Atomic => keys::LATENCY_L2,
    };
    machine.get(key).unwrap_or(arithmetic).max(arithmetic)
}

/// Returns the clocks that all warps of the profile take when run alone one after the other, and what they are derived
/// from; `None` where the machine has no `latency.alu`. Without costs it is the chain of the algorithm alone. What
/// the machine has no latency for takes as long as an arithmetic instruction.
pub fn warp_clocks(
    machine: &Machine,
    variant: &Variant,
    profile: &Profile,
    issued: Option<&LaunchInstructions>,
) -> Option<(f64, ChainOf)> {
    let arithmetic = machine.get(keys::LATENCY_ALU)?;
    let wait = |wait| latency_of(machine, wait, arithmetic);
    let is_told = |issued: &LaunchInstructions| issued.alone(Block::Prologue, wait).is_some();
    let has_schedule = matches!(machine.capability().0, KEPLER | FIRST_WITH_SCHEDULE..);
    let native = has_schedule && issued.is_some_and(is_told);
    let clocks = |block: Block| {
        let alone = issued.filter(|_| native).and_then(|issued| issued.alone(block, wait));
        let Chain { loads, arithmetic: steps } = chain(block, variant);
        let algorithm = || {
            let waits = f64::from(loads) * wait(Wait::L1) + f64::from(steps) * arithmetic;
            profile.counts.block(block).issued as f64 * waits
        };
        let issued = issued.map_or(0.0, |issued| issued.block(block) / machine.need(keys::ISSUE_PER_SCHEDULER));
        alone.unwrap_or_else(algorithm).max(issued)
    };
    Some((Block::ALL.into_iter().map(clocks).sum(), if native { ChainOf::Code } else { ChainOf::Algorithm }))
}

/// First major compute capability whose instructions say when the next one may issue.
pub(crate) const FIRST_WITH_SCHEDULE: u32 = 7;
/// Major compute capability of Kepler, where one word in eight says when instructions may issue. Between the two lies
/// Maxwell, of which there is no code.
const KEPLER: u32 = 3;
