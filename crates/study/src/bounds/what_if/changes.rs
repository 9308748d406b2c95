//! The changes that are tried: one number of the machine, one cost, or the lanes of a warp at a time.

use crate::launch::{LaunchChange, is_modelled};
use raywarp_family::Block;
use raywarp_sim::machine::{MachineKey, keys};
use raywarp_sim::{Change, CostChange};

/// Numbers of a machine that are changed together, to see what that brings.
struct Number {
    /// Description of the change of numbers in words.
    name: &'static str,
    keys: &'static [&'static MachineKey],
    /// Factor by which the numbers are multiplied.
    factor: f64,
}

const fn number(name: &'static str, keys: &'static [&'static MachineKey], factor: f64) -> Number {
    Number { name, keys, factor }
}

const NUMBERS: [Number; 21] = [
    number("twice the multiprocessors", &[keys::SM_COUNT], 2.0),
    // As many issue slots as by two a clock from each, which the model of a multiprocessor has for Kepler's code alone.
    number("twice the schedulers, on the same lanes", &[keys::SM_SCHEDULERS], 2.0),
    number("twice the alu pipeline", &[keys::PIPE_ALU], 2.0),
    number("twice the fma pipeline", &[keys::PIPE_FMA], 2.0),
    number("twice the fmaheavy pipeline", &[keys::PIPE_FMAHEAVY], 2.0),
    number("twice the imul pipeline", &[keys::PIPE_IMUL], 2.0),
    number("twice the half pipeline", &[keys::PIPE_HALF], 2.0),
    number("twice the xu pipeline", &[keys::PIPE_XU], 2.0),
    number("twice the load and store pipeline", &[keys::PIPE_LSU], 2.0),
    number("twice the passes through the L1", &[keys::L1_WAVEFRONTS_PER_CLOCK, keys::L1_BYTES_PER_CLOCK], 2.0),
    number("twice the L2's bandwidth", &[keys::L2_BYTES_PER_CLOCK], 2.0),
    number("twice the memory's bandwidth", &[keys::DRAM_GB_PER_S], 2.0),
    // Of code whose instructions say when the next may issue, the clocks of arithmetic are in its costs.
    number("half the latency of arithmetic", &[keys::LATENCY_ALU], 0.5),
    number("half the latency of the L1", &[keys::LATENCY_L1], 0.5),
    number("half the latency of the L2", &[keys::LATENCY_L2], 0.5),
    number("half the latency of memory", &[keys::LATENCY_DRAM], 0.5),
    number("half the latency of shared memory", &[keys::LATENCY_SHARED], 0.5),
    number("half the latency of xu", &[keys::LATENCY_XU], 0.5),
    number("half the latency of shuffles", &[keys::LATENCY_LANES], 0.5),
    number("half the latency of constants", &[keys::LATENCY_CONSTANT], 0.5),
    number("twice the resident warps, and registers for them", &[keys::RESIDENT_WARPS, keys::REGISTERS_PER_SM], 2.0),
];

/// Subject of a change: a number or cost of a launch, or the width of warps.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    /// A changed number or cost, for which the bounds, and the expected rate if the model has the number, are computed
    /// again.
    Launch(LaunchChange),
    /// Another number of lanes of a warp, taken from a simulation of that width.
    Width(u32),
}

/// Option of a request that makes a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChangeOption {
    /// Factor of a machine's number, by its key.
    Number(&'static str, f64),
    /// Change of an operation's cost.
    Cost(CostChange),
    /// Number of lanes of a warp.
    Width(u32),
}

impl std::fmt::Display for ChangeOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(key, factor) => write!(f, "`Machine::set` {key}={factor}x"),
            Self::Cost(change) => write!(f, "`CostChange` {change}"),
            Self::Width(width) => write!(f, "`EfficiencyRequest::widths` {width}"),
        }
    }
}

/// A change that is tried, to see what it would bring.
#[derive(Debug, Clone)]
pub(super) struct Tried {
    /// Description of the change in words.
    pub name: String,
    /// Options of a request that make the change.
    pub options: Vec<ChangeOption>,
    pub what: What,
    /// `true` if the clock-by-clock model has the changed number.
    pub is_modelled: bool,
}

impl Tried {
    /// Returns `true` if the change only makes the whole machine larger.
    pub fn is_yardstick(&self) -> bool {
        matches!(self.what, What::Launch(LaunchChange::Numbers([key], _)) if key.path == keys::SM_COUNT.path)
    }
}

/// Returns `true` if a code block is named as an operation (`visit_node`), not as a part of one (`visit_node.push`);
/// `false` for a warp's start, and for what no kernel of a flattened scene does.
fn is_operation(block: &Block) -> bool {
    let is_of_two_levels = matches!(block, Block::EnterInstance | Block::LeaveInstance);
    *block != Block::Prologue && !is_of_two_levels && !block.name().contains('.')
}

/// Returns the changes of numbers and of costs that are tried, in a fixed order.
pub(super) fn of_launches() -> Vec<Tried> {
    let of_number = |&Number { name, keys, factor }: &Number| {
        let options = keys.iter().map(|key| ChangeOption::Number(key.path, factor)).collect();
        let what = What::Launch(LaunchChange::Numbers(keys, factor));
        let is_modelled = keys.iter().all(|key| is_modelled(key));
        Tried { name: name.to_string(), options, what, is_modelled }
    };
    let mut changes: Vec<Tried> = NUMBERS.iter().map(of_number).collect();
    for block in Block::ALL.into_iter().filter(is_operation) {
        let name = block.name();
        let cost = |words: String, change: Change| Tried {
            name: words,
            options: vec![ChangeOption::Cost(CostChange { block, change })],
            what: What::Launch(LaunchChange::Cost(CostChange { block, change })),
            is_modelled: true,
        };
        changes.push(cost(format!("{name} a quarter cheaper"), Change::Times(0.75)));
        if block == Block::PrefixSum {
            changes.push(cost(format!("a free {name}"), Change::To(0.0)));
        }
    }
    changes
}

/// Returns the changes to other warp widths than `width` that were simulated, the narrowest first.
pub(super) fn of_widths(widths: &[u32], width: u32) -> Vec<Tried> {
    let mut others: Vec<u32> = widths.iter().copied().filter(|&other| other != width).collect();
    others.sort_unstable();
    others.dedup();
    let wider = |width: u32| Tried {
        name: format!("warps of {width} lanes on the same lanes"),
        options: vec![ChangeOption::Width(width)],
        what: What::Width(width),
        // It follows warps of the machine's own width.
        is_modelled: false,
    };
    others.into_iter().map(wider).collect()
}

/// Returns those changes of [`of_launches`] that the clock-by-clock model has, with their indices there.
pub(super) fn modelled() -> Vec<(usize, LaunchChange)> {
    let of = |(place, tried): (usize, Tried)| match tried.what {
        What::Launch(change) if tried.is_modelled => Some((place, change)),
        _ => None,
    };
    of_launches().into_iter().enumerate().filter_map(of).collect()
}
