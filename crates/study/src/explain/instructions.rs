//! The instructions of a kernel: how often warps issue each, and how long they stand at it.

use crate::launch::StudiedLaunch;
use raywarp_costs::{KernelLines, Pipe, Wait, Word};
use raywarp_family::Block;
use raywarp_sim::machine::Machine;
use raywarp_sim::pace::{InstructionTime, StallCause, instruction_times};
use raywarp_sim::{Profile, block_lanes};

/// Number of times that a full multiprocessor is followed for as long as for a rate to expect: seldom instructions need
/// it.
const FULL: u32 = 4;
/// The same of a lone warp, which does less in a clock.
const ALONE: u32 = 16;

/// An instruction of a kernel, with what warps do and wait for there.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedInstruction {
    /// Offset in bytes from the kernel's start.
    pub offset: u32,
    /// Index of the innermost frame of its source lines ([`raywarp_costs::LineTable::chain`]); `None` where the
    /// compiler named none.
    pub frame: Option<usize>,
    /// Index of its basic block among those of the table of costs.
    pub basic_block: usize,
    /// Code block of the schedule that its basic block belongs to.
    pub block: Block,
    /// Pipeline on which it runs.
    pub pipe: Pipe,
    /// Kind of latency after which its result is there; `None` if the machine code tells the clocks.
    pub wait: Option<Wait>,
    /// Number of warp instructions per ray.
    pub per_ray: f64,
    /// Number of lane instructions per ray.
    pub lanes_per_ray: f64,
    /// Clocks per ray that a warp stands at it when no other warp runs and all loads hit the first cache.
    pub chain: f64,
    /// Fraction of all warps' time, 0 to 1, that they stand at it, issuing or waiting.
    pub share: f64,
    /// The parts of `share` in which warps wait, by [`StallCause`].
    pub stalls: [f64; StallCause::ALL.len()],
    /// The parts of `share` in which warps wait for another instruction's result, by that instruction's index.
    pub producers: Vec<(usize, f64)>,
    /// Fraction of a profiler's samples, 0 to 1, in which a warp was found at it; `None` where there are none.
    pub sampled: Option<f64>,
}

/// Returns all instructions of a launch's kernel, whose source lines are `lines`, with `warps` warps a multiprocessor.
/// None where the machine code cannot be followed.
pub(super) fn explained(
    machine: &Machine,
    launch: &StudiedLaunch,
    profile: &Profile,
    (lines, warps): (&KernelLines, u32),
) -> Option<Vec<ExplainedInstruction>> {
    let words = launch.costs.words()?;
    let code = launch.costs.code(&words)?;
    let full = instruction_times(machine, code, profile, launch.traffic.as_ref(), (warps, FULL))?;
    let alone = instruction_times(machine, code, profile, None, (1, ALONE))?;
    let lanes = block_lanes(code.costs, &profile.tally, &profile.lanes, profile.counts.width);
    let rays = profile.rays().max(1) as f64;
    let mut explained = Vec::with_capacity(words.len());
    for (basic_block, (cost, lanes)) in code.costs.blocks.iter().zip(lanes).enumerate() {
        let times = cost.issued.times(&profile.tally) as f64;
        for place in cost.place() {
            let (word, full) = (words.get(place)?, full.get(place)?);
            // Clocks of an issue, times issues: the model follows only some of the warps, and not to their ends.
            let scale = times / full.issued.max(1) as f64;
            explained.push(ExplainedInstruction {
                offset: (place * Word::BYTES) as u32,
                frame: lines.frames.get(place).copied().flatten(),
                basic_block,
                block: cost.block,
                pipe: word.pipe(code.architecture)?,
                wait: word.wait(),
                per_ray: times / rays,
                lanes_per_ray: lanes / rays,
                chain: clocks_of_an_issue(alone.get(place)?, *word) * times / rays,
                share: clocks_of_an_issue(full, *word) * times,
                stalls: full.waited.map(|clocks| scale * clocks as f64),
                producers: full.producers.iter().map(|(who, n)| (*who as usize, scale * *n as f64)).collect(),
                sampled: None,
            });
        }
    }
    let all: f64 = explained.iter().map(|instruction| instruction.share).sum();
    for instruction in &mut explained {
        instruction.share /= all;
        instruction.stalls.iter_mut().for_each(|share| *share /= all);
        instruction.producers.iter_mut().for_each(|(_, share)| *share /= all);
    }
    Some(explained)
}

/// Returns the clocks that a warp stands at an instruction for each time that it issues it; as few as can be where the
/// model never came to it.
fn clocks_of_an_issue(time: &InstructionTime, word: Word) -> f64 {
    match time.issued {
        0 => f64::from(word.stall()),
        issued => time.clocks() as f64 / issued as f64,
    }
}
