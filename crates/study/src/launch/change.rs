//! The rate to expect after a change of one number: the model of a multiprocessor runs again.
//!
//! What rays do stays as it was: warps do the same, in the same order. Where a change gives a warp another share of the
//! caches (more resident warps, more multiprocessors) their model runs again as well. A number that no instruction of
//! the kernel meets changes nothing, and nothing runs again.

use super::{KernelStudy, LaunchCosts, StudiedLaunch, caches, expected_rate};
use rayon::prelude::*;
use raywarp_costs::{KeplerWord, Pipe, Wait};
use raywarp_sim::machine::{Machine, MachineKey, keys};
use raywarp_sim::memory::Traffic;
use raywarp_sim::pace::{CheaperCode, KernelCode, pace};
use raywarp_sim::{CostChange, Profile};

/// A change of the machine or of costs, to see what it does to a launch's rate.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LaunchChange {
    /// Numbers of the machine to multiply by a factor; those that it lacks are ignored.
    Numbers(&'static [&'static MachineKey], f64),
    /// A change of the instruction cost of a code block or operation.
    Cost(CostChange),
}

impl LaunchChange {
    /// Returns the machine with its numbers changed; `None` where it cannot have such a number.
    pub fn of_machine(&self, machine: &Machine) -> Option<Machine> {
        let mut changed = machine.clone();
        if let Self::Numbers(keys, factor) = self {
            for key in keys.iter().filter(|key| machine.get(key).is_some()) {
                changed.set(key.path, &format!("{factor}x")).ok()?;
            }
        }
        Some(changed)
    }
}

/// Returns `true` if the clock-by-clock model uses a number of the machine. Bandwidths beyond the first cache come in
/// as bounds alone, and what dependent arithmetic waits for is in the words of the machine code.
pub(crate) fn is_modelled(key: &MachineKey) -> bool {
    const MODELLED: [&MachineKey; 30] = [
        keys::SM_COUNT,
        keys::SM_SCHEDULERS,
        // Latencies are in clocks, those of memory too.
        keys::CLOCK_MHZ,
        keys::ISSUE_PER_SCHEDULER,
        keys::PIPE_ALU,
        keys::PIPE_FMA,
        keys::PIPE_FMAHEAVY,
        keys::PIPE_IMUL,
        keys::PIPE_HALF,
        keys::PIPE_DOUBLE,
        keys::PIPE_XU,
        keys::PIPE_CONVERSION,
        keys::PIPE_LSU,
        keys::L1_BYTES,
        keys::L1_BYTES_PER_CLOCK,
        keys::L1_WAVEFRONTS_PER_CLOCK,
        keys::L2_REQUESTS_PER_CLOCK,
        keys::L2_BYTES,
        keys::LATENCY_SHARED,
        keys::LATENCY_XU,
        keys::LATENCY_LANES,
        keys::LATENCY_CONSTANT,
        keys::LATENCY_L1,
        keys::LATENCY_L2,
        keys::LATENCY_DRAM,
        keys::REGISTERS_PER_SM,
        keys::REGISTERS_UNIT,
        keys::SHARED_PER_SM,
        keys::RESIDENT_WARPS,
        keys::RESIDENT_BLOCKS,
    ];
    MODELLED.iter().any(|known| known.path == key.path)
}

/// A kernel's launch on a machine, with its simulation, to be simulated again after changes.
#[derive(Clone, Copy)]
pub(crate) struct Followed<'a> {
    pub launch: &'a StudiedLaunch,
    pub kernel: &'a LaunchCosts,
    pub machine: &'a Machine,
    pub profile: &'a Profile,
    /// Rate in rays a second by the model, without changes.
    pub expected: f64,
}

impl KernelStudy<'_> {
    /// Returns the rate in rays a second by the model after each of `changes`; `None` for one that the model does not
    /// have, and for all where the kernel's code is not known. Takes a run of the model a change, on all threads.
    pub fn expected_after(&self, followed: Followed<'_>, changes: &[LaunchChange]) -> Vec<Option<f64>> {
        let Some(words) = followed.launch.costs.words() else { return vec![None; changes.len()] };
        let Some(code) = followed.launch.costs.code(&words) else { return vec![None; changes.len()] };
        changes.par_iter().map(|change| self.expected_after_one(followed, code, change)).collect()
    }

    /// Returns the rate in rays a second by the model after changes of costs, where these are one change by which
    /// machine code can be shortened.
    pub fn expected_after_costs(&self, followed: Followed<'_>, changes: &[CostChange]) -> Option<f64> {
        let &[change] = changes else { return None };
        self.expected_after(followed, &[LaunchChange::Cost(change)]).pop()?
    }

    fn expected_after_one(&self, followed: Followed<'_>, code: KernelCode<'_>, change: &LaunchChange) -> Option<f64> {
        let Followed { launch, kernel, machine, profile, expected } = followed;
        if !is_met(code, change) {
            return Some(expected);
        }
        let changed = change.of_machine(machine)?;
        let mut kernel = kernel.clone();
        let mut cheaper = None;
        if let LaunchChange::Cost(cost) = change {
            kernel.change(cost, profile);
            let code = CheaperCode::of(code, cost, &profile.tally)?;
            if code.issued(&profile.tally) == launch.costs.table()?.issued(&profile.tally) {
                return Some(expected);
            }
            cheaper = Some(code);
        }
        let code = cheaper.as_ref().map_or(code, CheaperCode::code);
        let traffic = self.traffic_on(&changed, machine, launch)?;
        let warps = changed.occupancy(launch.costs.launch?).ok()?.warps;
        let per_clock = pace(&changed, code, profile, traffic.as_ref(), warps)?.instructions_per_clock;
        let bounds = kernel.bounds(&changed, (&self.variant, self.kind), profile, traffic.as_ref());
        let instructions = code.costs.issued(&profile.tally) as f64;
        Some(expected_rate(&changed, (per_clock, instructions), profile, &bounds))
    }

    /// Returns the traffic in the caches of a changed machine: the earlier one, unless the change gives a warp another
    /// part of the caches.
    fn traffic_on(&self, changed: &Machine, before: &Machine, launch: &StudiedLaunch) -> Option<Option<Traffic>> {
        let [now, then] = [changed, before].map(|machine| caches(machine, launch.costs.launch));
        match now.filter(|_| now != then) {
            Some(caches) => self.through(caches).ok().map(Some),
            None => Some(launch.traffic),
        }
    }
}

/// Returns `true` if a change affects the kernel: instructions that are issued use the changed pipeline or latency, or
/// it is about any other number.
fn is_met(code: KernelCode<'_>, change: &LaunchChange) -> bool {
    let LaunchChange::Numbers(changed, _) = change else { return true };
    // What Kepler's words wait for is said by registers.
    code.architecture == KeplerWord::ARCHITECTURE || changed.iter().any(|key| meets(code, key))
}

fn meets(code: KernelCode<'_>, key: &MachineKey) -> bool {
    let pipes = [(keys::PIPE_HALF, Pipe::Half), (keys::PIPE_XU, Pipe::Xu), (keys::PIPE_LSU, Pipe::Lsu)];
    let waits = [
        (keys::LATENCY_SHARED, Wait::Shared),
        (keys::LATENCY_XU, Wait::Xu),
        (keys::LATENCY_LANES, Wait::Lanes),
        (keys::LATENCY_CONSTANT, Wait::Constant),
    ];
    let mut issued = code.costs.blocks.iter().filter(|block| !block.is_never());
    if let Some((_, pipe)) = pipes.into_iter().find(|(of, _)| of.path == key.path) {
        return issued.any(|block| block.pipes[pipe as usize] > 0);
    }
    if let Some((_, wait)) = waits.into_iter().find(|(of, _)| of.path == key.path) {
        let mut words = issued.filter_map(|block| code.words.get(block.place())).flatten();
        return words.any(|word| word.wait() == Some(wait));
    }
    true
}
