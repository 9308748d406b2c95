//! A kernel as warps run it here: its instructions, and what each takes.

use super::Code;
use crate::bounds::latency_of;
use crate::machine::{Key, Machine, keys};
use crate::memory::{MemoryCounts, Region, Traffic};
use crate::profile::Profile;
use crate::streams::Moment;
use raywarp_family::costs::{Access, BlockCost, Issued, KernelCosts, Pipe, Wait, Word};

/// Misses of a real first cache for each of the model's: an H200's counters have twice as many (docs/bounds.md).
const MISSES: f64 = 2.0;
/// Passes are counted in parts of a clock.
pub(super) const PARTS: f64 = 256.0;

/// What an instruction takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    pub unit: Unit,
    pub stall: u8,
    pub written: Option<u8>,
    pub read: Option<u8>,
    /// A bit a barrier.
    pub waits: u8,
    /// Until its result is there, at least.
    pub latency: u32,
    /// Parts of a clock in the first cache.
    pub passes: u32,
    /// Whether it may miss the first cache.
    pub may_miss: bool,
}

/// What an instruction runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Alu,
    /// Products of floats: all of their pipeline, or its light half.
    Fma,
    /// Products of integers: a pipeline of their own, or the heavy half.
    Heavy,
    /// Products of floats on whichever half is free.
    Either,
    Half,
    Double,
    Xu,
    /// Of the whole multiprocessor.
    Lsu,
    /// As fast as it is issued.
    Free,
}

impl Unit {
    /// How many there are.
    pub const COUNT: usize = 9;

    fn of(pipe: Pipe, machine: &Machine) -> Self {
        match pipe {
            Pipe::Alu => Self::Alu,
            Pipe::Fma if has_halves(machine) => Self::Either,
            Pipe::Fma => Self::Fma,
            // Since the A100 both share their lanes (docs/machines.md).
            Pipe::FmaHeavy if machine.capability() >= (8, 0) && !has_halves(machine) => Self::Fma,
            Pipe::FmaHeavy => Self::Heavy,
            Pipe::Half if has_halves(machine) => Self::Heavy,
            Pipe::Half => Self::Half,
            Pipe::Double => Self::Double,
            Pipe::Xu => Self::Xu,
            Pipe::Lsu => Self::Lsu,
            Pipe::Adu | Pipe::Cbu | Pipe::Uniform | Pipe::Branch | Pipe::Other => Self::Free,
        }
    }
}

/// A kernel as its warps run it here.
pub(super) struct Program<'a> {
    pub costs: &'a KernelCosts,
    /// Instructions of each block.
    pub blocks: Vec<Vec<Instruction>>,
    /// How likely a load misses the first cache, and the second then, in 2^32ths; and what it waits for the longer.
    pub misses: [(u32, u64); 2],
}

impl<'a> Program<'a> {
    pub fn new(machine: &Machine, code: Code<'a>, profile: &Profile, traffic: Option<&Traffic>) -> Option<Self> {
        let words = |block: &BlockCost| code.words.get(block.place());
        // How often words of 32 bits go to each memory, and how often anything is loaded from the first.
        let (mut asked, mut loads) = ([0.0; 3], 0.0);
        for block in code.costs.blocks.iter().filter(|block| !block.is_never()) {
            let times = block.issued.times(&profile.tally) as f64;
            for word in words(block)? {
                if let Some(access) = word.access() {
                    asked[access as usize] += times * f64::from(word.words());
                    loads += times * f64::from(u8::from(is_global_load(*word)));
                }
            }
        }
        let passes = profile
            .memory
            .as_ref()
            .map_or([0.0; 3], |memory| passes_by_memory(memory, asked[Access::Local as usize] > 0.0));
        let passes_a_clock = machine.get(keys::L1_WAVEFRONTS_PER_CLOCK).unwrap_or(1.0);
        let arithmetic = machine.get(keys::LATENCY_ALU)?;
        let per_word = |access: Access| match asked[access as usize] {
            0.0 => 0.0,
            asked => passes[access as usize] / asked,
        };
        let instruction = |word: &Word| {
            let wait = word.wait().map_or(0.0, |wait| latency_of(machine, wait, arithmetic));
            let barrier = |barrier: Option<usize>| barrier.map(|barrier| barrier as u8);
            let clocks = word.access().map_or(0.0, |access| per_word(access) * f64::from(word.words()));
            Some(Instruction {
                unit: Unit::of(word.pipe(code.architecture)?, machine),
                stall: word.stall() as u8,
                written: barrier(word.written()),
                read: barrier(word.read()),
                waits: (0..Word::BARRIERS).filter(|&barrier| word.waits_for(barrier)).fold(0, |all, b| all | 1 << b),
                latency: wait.round() as u32,
                passes: (PARTS * clocks / passes_a_clock).round() as u32,
                may_miss: is_global_load(*word),
            })
        };
        let of_block = |block: &BlockCost| match block.is_never() {
            true => Some(Vec::new()),
            false => words(block)?.iter().map(instruction).collect(),
        };
        let blocks = code.costs.blocks.iter().map(of_block).collect::<Option<Vec<_>>>()?;
        let hit = latency_of(machine, Wait::L1, arithmetic);
        let longer = |key: &Key| (machine.get(key).unwrap_or(hit) - hit).max(0.0) as u64;
        let chance = |share: f64| (share.clamp(0.0, 1.0) * f64::from(u32::MAX)) as u32;
        let misses = traffic.filter(|traffic| traffic.rays > 0 && loads > 0.0).map_or([0.0; 2], |traffic| {
            let a_ray = MISSES * traffic.missed_l1 as f64 / traffic.rays as f64;
            let a_load = a_ray / (loads / profile.rays() as f64);
            // Sectors of a load that miss, taken to be independent; of these what the L2 had and dropped, since all else comes
            // from memory once a launch.
            [1.0 - (-a_load).exp(), traffic.again as f64 / (MISSES * traffic.missed_l1 as f64).max(1.0)]
        });
        let misses = [(chance(misses[0]), longer(keys::LATENCY_L2)), (chance(misses[1]), longer(keys::LATENCY_DRAM))];
        Some(Self { costs: code.costs, blocks, misses })
    }
}

fn is_global_load(word: Word) -> bool {
    word.access() == Some(Access::Global) && word.wait() == Some(Wait::L1)
}

/// Passes through the first cache by [`Access`]. Stacks are in the lanes' own memory if that is there, else in global memory.
fn passes_by_memory(memory: &MemoryCounts, local: bool) -> [f64; 3] {
    let of = |region: Region| memory.region(region).passes as f64;
    let (stacks, shared) = (of(Region::Stacks), of(Region::Shared));
    let global = memory.all().passes as f64 - stacks - shared;
    if local { [global, stacks, shared] } else { [global + stacks, 0.0, shared] }
}

/// Whether products of floats have two halves of a pipeline, of which one has those of integers too.
pub(super) fn has_halves(machine: &Machine) -> bool {
    match (machine.get(keys::PIPE_FMA), machine.get(keys::PIPE_FMAHEAVY)) {
        (Some(fma), Some(heavy)) => fma > heavy && machine.capability() > (8, 0),
        _ => false,
    }
}

/// The blocks that an event is part of the count of, and how often it has them issued.
pub(super) fn blocks_of(costs: &KernelCosts, event: Moment) -> Vec<(usize, i32)> {
    let times = |issued: &Issued| -> i32 {
        let counts = issued.0.iter().filter(|(_, count)| count.has(event.block, event.after, event.full));
        counts.map(|(factor, _)| factor).sum()
    };
    let all = costs.blocks.iter().enumerate().map(|(number, block)| (number, times(&block.issued)));
    all.filter(|(number, times)| *times != 0 && costs.blocks[*number].instructions > 0).collect()
}
