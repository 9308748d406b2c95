//! The pace of warps side by side: a multiprocessor followed clock by clock.
//!
//! A bound says what no run can pass, one resource at a time. What warps reach is less, since they want the same
//! pipeline at the same time and then none does: here the warps that a multiprocessor holds issue the instructions of
//! their own events ([`Streams`](crate::Streams)) one by one, as the words of the machine code say ([`Word`]: clocks to
//! the next one, barriers).
//!
//! Schedulers are those that Huerta et al. found by microbenchmarks ("Analyzing Modern NVIDIA GPU cores",
//! arXiv:2503.20481, 2025): each goes on with the warp of its last instruction while that is ready. Else it takes one
//! of the oldest block; they found the youngest, of warps that had started together. A pipeline is taken for as many
//! clocks as its lanes need for a warp, and each bank of registers gives one a clock (`registers`). Where lanes meet,
//! and behind jumps, a warp waits until it is known how it goes on. Loads and stores pass the first cache, which all
//! schedulers share, as often as its model says on average ([`crate::memory::AccessCost::passes`]); loads miss it by
//! chance, all of a block together, as often as the model of the caches has events of its region miss
//! ([`Traffic::loads`](crate::memory::Traffic)). Kepler's words let pairs issue together, and lanes for floats and
//! integers' sums are half as many again as its schedulers; its registers that are waited for are barriers of their own
//! ([`KeplerWord`]). Of a launch of many blocks a place is free when the last warp of its block has ended
//! ([`Streams::blocks`](crate::Streams::blocks)). Nothing else takes time: no miss of an instruction cache, no queue
//! beyond the first cache.

mod cheaper;
mod ledger;
mod multiprocessor;
mod program;
mod registers;
mod scheduler;
mod stalls;

pub use cheaper::CheaperCode;
pub use ledger::InstructionTime;
pub use stalls::{Pace, StallCause};

use crate::bounds::FIRST_WITH_SCHEDULE;
use crate::machine::{Machine, keys};
use crate::memory::Traffic;
use crate::profile::Profile;
use crate::streams::Moment;
use ledger::Ledger;
use multiprocessor::Multiprocessor;
use program::{Program, is_kepler};
use raywarp_costs::{KeplerWord, PricedKernel, Word};

/// A kernel's machine code with its table of costs.
#[derive(Debug, Clone, Copy)]
pub struct KernelCode<'a> {
    /// Basic blocks of the kernel, with formulas for when they are issued.
    pub costs: &'a PricedKernel,
    /// Instructions of the kernel, from its start.
    pub words: &'a [Word],
    /// Architecture that the kernel was compiled for (90 for compute capability 9.0).
    pub architecture: u32,
}

/// Number of clocks that are simulated and counted.
const CLOCKS: u64 = 1 << 18;
/// Number of clocks that are simulated before counting starts.
const WARM_UP: u64 = 1 << 14;

/// Simulates a multiprocessor with `warps` resident warps of a profiled launch clock by clock, and returns its
/// instructions a clock and stalls. None where the profile has no streams of the machine's width; where the machine is
/// older than compute capability 7.0 and no Kepler with code of its own, issues more or less than one instruction a
/// clock (Kepler two) or has no `latency.alu`; and where an instruction of the code is not known.
pub fn pace(
    machine: &Machine,
    code: KernelCode<'_>,
    profile: &Profile,
    traffic: Option<&Traffic>,
    warps: u32,
) -> Option<Pace> {
    let ledger = follow(machine, code, profile, traffic, (warps, CLOCKS))?;
    let issued = ledger.issued() as f64;
    let waiting = std::array::from_fn(|cause| ledger.waited(cause) as f64 / issued.max(1.0));
    Some(Pace { instructions_per_clock: issued / CLOCKS as f64, waiting })
}

/// Simulates a multiprocessor as [`pace`] does, for `times` as many clocks, and returns the time that its warps spend
/// at each instruction of the code, in the code's order.
pub fn instruction_times(
    machine: &Machine,
    code: KernelCode<'_>,
    profile: &Profile,
    traffic: Option<&Traffic>,
    (warps, times): (u32, u32),
) -> Option<Vec<InstructionTime>> {
    let ledger = follow(machine, code, profile, traffic, (warps, CLOCKS * u64::from(times)))?;
    Some(ledger.into_instructions())
}

/// Follows a multiprocessor with so many warps clock by clock, and returns what they did in so many clocks after the
/// first ones.
fn follow(
    machine: &Machine,
    code: KernelCode<'_>,
    profile: &Profile,
    traffic: Option<&Traffic>,
    (warps, clocks): (u32, u64),
) -> Option<Ledger> {
    let blocks: Vec<Vec<&[Moment]>> = profile.streams.blocks().collect();
    let of_width = profile.counts.width == machine.count(keys::SM_WARP_WIDTH);
    // Only words since then say when the next may issue, and only one issues at a time; Kepler's say of two.
    let at_a_time = machine.need(keys::ISSUE_PER_SCHEDULER);
    let is_known = match is_kepler(machine) {
        true => code.architecture == KeplerWord::ARCHITECTURE && at_a_time == 2.0,
        false => machine.capability().0 >= FIRST_WITH_SCHEDULE && at_a_time == 1.0,
    };
    if blocks.is_empty() || warps == 0 || !of_width || !is_known {
        return None;
    }
    let program = Program::new(machine, code, profile, traffic)?;
    let mut multiprocessor = Multiprocessor::new(machine, &program, (&blocks, profile.streams.block_warps()), warps);
    multiprocessor.run(WARM_UP);
    multiprocessor.ledger.clear();
    multiprocessor.run(clocks);
    Some(multiprocessor.ledger)
}

#[cfg(test)]
mod tests;
