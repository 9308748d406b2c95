//! A kernel as warps run it here: its instructions, and what each takes.

use super::KernelCode;
use super::registers::Reads;
use crate::bounds::latency_of;
use crate::machine::{Machine, keys};
use crate::memory::{LoadEvents, MemoryCounts, Region, RegionCounts, Traffic};
use crate::profile::Profile;
use crate::streams::Moment;
use raywarp_costs::{Access, IssueFormula, KeplerWord, Pipe, PricedBlock, PricedKernel, Wait, Word};
use raywarp_family::Block;

/// Number of sectors that miss a real first cache for each one in the model: an H200's counters have 1.4 to 1.6
/// (sibenik, three kernels).
const MISSES: f64 = 1.5;
/// Number of passes through a real first cache's data stage for each one in the model: of what an H200 counted the
/// model has 0.92 in the middle (three scenes, 39 kernels; docs/internals/expected-rate.md, "Beside an H200's
/// counters").
const PASSES: f64 = 1.0 / 0.92;
/// Clocks until a warp goes on at a place where its lanes meet, chosen to explain the branch stalls that an H200
/// counted in sibenik and crytek_sponza (docs/notebook/2026-11-25-bounds.md).
const MEETING: u8 = 8;
const CONDITIONAL_JUMP: u8 = 5;
/// First compute capability (80 for 8.0) whose register banks are modelled ([`super::registers`]).
const FIRST_WITH_BANKS: u32 = 80;
/// Number of parts into which a clock is divided for counting passes and occupied units.
pub(super) const PARTS: f64 = 256.0;

/// An instruction as the model runs it: the unit that it occupies, and its waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    /// Index in the kernel's code.
    pub place: u32,
    pub unit: Unit,
    pub stall: u8,
    pub written: Option<u8>,
    pub read: Option<u8>,
    /// Bit mask of the barriers that the instruction waits for.
    pub waits: u64,
    /// Least number of clocks until the result is there.
    pub latency: u32,
    /// Time in the first cache's data stage, in parts of a clock.
    pub passes: u32,
    /// Standard deviation of that time over its issues, at most its mean.
    pub spread: u32,
    /// Kind of load if the instruction may miss the first cache: 0 from global memory, 1 from local memory.
    pub may_miss: Option<u8>,
    /// `true` if the result comes by the first cache.
    pub is_load: bool,
    /// Clocks beyond `stall` until a jump's target is known; 0 for other instructions.
    pub jump: u8,
    /// Registers that the instruction reads.
    pub reads: Reads,
}

/// The execution unit that an instruction occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Alu,
    /// Float products: their whole pipeline, or its light half.
    Fma,
    /// Integer products: a pipeline of their own, or the heavy half of the float pipeline.
    Heavy,
    /// Float products on whichever half of their pipeline is free.
    Either,
    Half,
    Double,
    Xu,
    /// The load/store unit, which all schedulers of the multiprocessor share.
    Lsu,
    /// No unit: the instruction only takes an issue slot.
    Free,
}

impl Unit {
    /// Number of units.
    pub const COUNT: usize = 9;

    fn of(pipe: Pipe, machine: &Machine) -> Self {
        match pipe {
            // One set of lanes.
            Pipe::Alu | Pipe::Fma if is_kepler(machine) => Self::Fma,
            Pipe::Alu => Self::Alu,
            Pipe::Fma if has_halves(machine) => Self::Either,
            Pipe::Fma => Self::Fma,
            // Since the A100 both share their lanes (docs/reference/machines.md).
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

/// Number of barriers that the model keeps for a warp: more than instructions can name, as on Kepler they stand for
/// registers that the hardware tracks.
pub(super) const BARRIERS: usize = 64;

/// Returns `true` if the machine is of the Kepler generation, whose scheduling words say when instructions issue.
pub(super) fn is_kepler(machine: &Machine) -> bool {
    machine.capability().0 == KeplerWord::ARCHITECTURE / 10
}

/// Facts that an instruction's bits tell, for whatever generation of GPUs.
struct Said {
    pipe: Option<Pipe>,
    wait: Option<Wait>,
    access: Option<Access>,
    words: u32,
    stall: i32,
    written: Option<usize>,
    read: Option<usize>,
    waits: u64,
    jump: u8,
    reads: Reads,
}

/// Decodes the instructions of a basic block.
fn said(words: &[Word], architecture: u32) -> Vec<Said> {
    if architecture == KeplerWord::ARCHITECTURE {
        return said_by_kepler(&words.iter().map(|&word| KeplerWord::from(word)).collect::<Vec<_>>());
    }
    let of = |word: &Word| Said {
        pipe: word.pipe(architecture),
        wait: word.wait(),
        access: word.access(),
        words: word.words(),
        stall: word.stall(),
        written: word.written(),
        read: word.read(),
        waits: (0..Word::BARRIERS).filter(|&barrier| word.waits_for(barrier)).fold(0, |all, b| all | 1 << b),
        jump: match () {
            () if word.is_meeting() => MEETING,
            () if word.is_conditional_jump() => CONDITIONAL_JUMP,
            () => 0,
        },
        reads: if architecture >= FIRST_WITH_BANKS { Reads::of(*word) } else { Reads::default() },
    };
    words.iter().map(of).collect()
}

/// Decodes a basic block of Kepler's instructions, with a barrier for each result of unknown latency, for which
/// whatever uses its registers waits. What is still on its way at the block's end nobody waits for.
fn said_by_kepler(words: &[KeplerWord]) -> Vec<Said> {
    let (mut next, mut registers, mut textures) = (0, Vec::new(), Vec::new());
    let of = |word: &KeplerWord| {
        let mut waits = 0u64;
        registers.retain(|&((first, many), barrier): &((u8, u8), usize)| {
            let waited = (first..first.saturating_add(many)).any(|register| word.touches(register));
            waits |= u64::from(waited) << barrier;
            !waited
        });
        if let Some(left) = word.textures_left() {
            let over = textures.len().saturating_sub(left);
            waits |= textures.drain(..over).fold(0, |all, barrier: usize| all | 1 << barrier);
        }
        let mut written = None;
        if word.wait().is_some() && (word.is_texture() || word.written().is_some()) {
            written = Some(next);
            match word.written() {
                Some(own) => registers.push((own, next)),
                None => textures.push(next),
            }
            next = (next + 1) % BARRIERS;
        }
        let (pipe, wait, access) = (word.pipe(), word.wait(), word.access());
        Said {
            pipe,
            wait,
            access,
            words: word.words(),
            stall: word.stall(),
            written,
            read: None,
            waits,
            jump: 0,
            reads: Reads::default(),
        }
    };
    words.iter().map(of).collect()
}

/// A kernel in the form that the model runs.
pub(super) struct Program<'a> {
    pub costs: &'a PricedKernel,
    /// Number of instructions of the kernel's code.
    pub instructions: usize,
    /// Instructions of each basic block.
    pub blocks: Vec<Vec<Instruction>>,
    /// Misses of each basic block's loads from global and from local memory.
    pub misses: Vec<[Misses; 2]>,
    /// Clocks that a load takes longer if it comes from the second cache, and if from memory.
    pub longer: [u64; 2],
}

impl<'a> Program<'a> {
    pub fn new(machine: &Machine, code: KernelCode<'a>, profile: &Profile, traffic: Option<&Traffic>) -> Option<Self> {
        let words = |block: &PricedBlock| Some(said(code.words.get(block.place())?, code.architecture));
        // How often words of 32 bits go to each memory.
        let mut asked = [0.0; 3];
        for block in code.costs.blocks.iter().filter(|block| !block.is_never()) {
            let times = block.issued.times(&profile.tally) as f64;
            for word in words(block)? {
                if let Some(access) = word.access {
                    asked[access as usize] += times * f64::from(word.words);
                }
            }
        }
        let passes = profile
            .memory
            .as_ref()
            .map_or([0.0; 3], |memory| passes_by_memory(memory, asked[Access::Local as usize] > 0.0));
        let spread = profile.memory.as_ref().map_or([0.0; 3], spread_by_memory);
        // Of a machine that does not say it, as many as there are: at G14's rates a Titan would make 1.2 to 1.4.
        let per_pass =
            machine.get(keys::L1_WAVEFRONTS_PER_CLOCK).map_or(0.0, |passes_per_clock| PARTS / passes_per_clock);
        let arithmetic = machine.get(keys::LATENCY_ALU)?;
        let per_word = |access: Access| match asked[access as usize] {
            0.0 => 0.0,
            asked => passes[access as usize] / asked,
        };
        let instruction = |(place, word): (usize, &Said)| {
            let wait = word.wait.map_or(0.0, |wait| latency_of(machine, wait, arithmetic));
            let barrier = |barrier: Option<usize>| barrier.map(|barrier| barrier as u8);
            let passes = word.access.map_or(0.0, |access| PASSES * per_word(access) * f64::from(word.words));
            Some(Instruction {
                place: place as u32,
                unit: Unit::of(word.pipe?, machine),
                stall: word.stall as u8,
                written: barrier(word.written),
                read: barrier(word.read),
                waits: word.waits,
                latency: wait.round() as u32,
                passes: (per_pass * passes).round() as u32,
                spread: word.access.map_or(0, |access| (per_pass * passes * spread[access as usize]).round() as u32),
                may_miss: match word.access {
                    _ if word.wait != Some(Wait::L1) => None,
                    Some(Access::Global) => Some(0),
                    Some(Access::Local) => Some(1),
                    Some(Access::Shared) | None => None,
                },
                is_load: word.wait == Some(Wait::L1),
                jump: word.jump,
                reads: word.reads,
            })
        };
        let of_block = |block: &PricedBlock| match block.is_never() {
            true => Some(Vec::new()),
            false => block.place().zip(&words(block)?).map(instruction).collect(),
        };
        let blocks = code.costs.blocks.iter().map(of_block).collect::<Option<Vec<_>>>()?;
        let hit = latency_of(machine, Wait::L1, arithmetic);
        let longer = [keys::LATENCY_L2, keys::LATENCY_DRAM];
        let longer = longer.map(|key| (machine.get(key).unwrap_or(hit) - hit).max(0.0) as u64);
        let per_request = machine.get(keys::L2_REQUESTS_PER_CLOCK).map_or(0.0, |per_clock| PARTS / per_clock);
        let of_region =
            |region| traffic.map_or(Misses::default(), |traffic| Misses::of(&traffic.loads, region, per_request));
        let of_block = |block: &PricedBlock| [of_region(region_of(block.block)), of_region(Region::Stacks)];
        let misses = code.costs.blocks.iter().map(of_block).collect();
        Some(Self { costs: code.costs, instructions: code.words.len(), blocks, misses, longer })
    }
}

/// Returns the region of global memory that a code block's loads read.
fn region_of(block: Block) -> Region {
    match block {
        Block::FetchBatch | Block::FetchRay | Block::SetupRay | Block::SetupParked | Block::Prologue => Region::Rays,
        Block::Refill | Block::StoreHit | Block::Exchange => Region::Rays,
        Block::TestTriangle | Block::TestTriangleT | Block::TestTriangleU | Block::TestTriangleV => Region::Triangles,
        Block::TestTriangleAccept | Block::SecondTest | Block::ThirdTest | Block::FourthTest => Region::Triangles,
        Block::LeafIteration => Region::Triangles,
        _ => Region::Nodes,
    }
}

/// Misses of a basic block's loads from one kind of memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Misses {
    /// Probabilities, in 2^32ths, that the loads miss the first cache, and then the second.
    pub chances: [u32; 2],
    /// Time for which the requests of loads that miss occupy the second cache's answers to the multiprocessor, in parts
    /// of a clock.
    pub answered_in: u32,
}

impl Misses {
    /// Returns the misses of loads from a region, each request of which takes `per_request` parts of a clock. Rays
    /// always come from memory: each is read once.
    fn of(loads: &[LoadEvents; Region::ALL.len()], region: Region, per_request: f64) -> Self {
        let found = counted(loads, region);
        let missed = found.chance_to_miss();
        let (chances, requests) = match region {
            Region::Rays => ([u32::MAX; 2], share(found.requests, found.missed)),
            // Those of all events are as many more as their sectors.
            _ => (
                [missed, share(found.again, found.missed)].map(|chance| (chance * f64::from(u32::MAX)) as u32),
                if missed > 0.0 { MISSES * share(found.requests, found.all) / missed } else { 0.0 },
            ),
        };
        Self { chances, answered_in: (per_request * requests).round() as u32 }
    }
}

/// Returns the counts of a region's loads; of one kind of record there may be all that is loaded.
fn counted(loads: &[LoadEvents; Region::ALL.len()], region: Region) -> LoadEvents {
    let of = |region: Region| loads[region as usize];
    if of(region).all == 0 && region == Region::Triangles { of(Region::Nodes) } else { of(region) }
}

fn share(part: u64, all: u64) -> f64 {
    part as f64 / all.max(1) as f64
}

impl LoadEvents {
    /// Returns the probability that an event's loads miss a real first cache.
    fn chance_to_miss(&self) -> f64 {
        1.0 - (1.0 - share(self.missed, self.all)).powf(MISSES)
    }
}

/// Returns the average number of passes through the first cache's data stage of a load or store, by kind of memory
/// ([`Access`]). Stacks are in the lanes' own memory if that is there, else in global memory.
fn passes_by_memory(memory: &MemoryCounts, local: bool) -> [f64; 3] {
    let of = |region: Region| memory.region(region).passes as f64;
    let (stacks, shared) = (of(Region::Stacks), of(Region::Shared));
    let global = memory.all().passes as f64 - stacks - shared;
    if local { [global, stacks, shared] } else { [global + stacks, 0.0, shared] }
}

/// Returns the standard deviation of the passes of a load or store by kind of memory, as a share of their mean, at most
/// 1. That of a stack is the same wherever stacks are.
fn spread_by_memory(memory: &MemoryCounts) -> [f64; 3] {
    let of = |regions: &[Region]| {
        let sum = |what: fn(&RegionCounts) -> u64| {
            regions.iter().map(|region| what(memory.region(*region))).sum::<u64>() as f64
        };
        let (all, mean, square) = (sum(|of| of.accesses), sum(|of| of.passes), sum(|of| of.squares));
        let variance = square * all / (mean * mean).max(1.0) - 1.0;
        variance.clamp(0.0, 1.0).sqrt()
    };
    let global: Vec<Region> =
        Region::ALL.into_iter().filter(|region| !matches!(region, Region::Stacks | Region::Shared)).collect();
    [of(&global), of(&[Region::Stacks]), of(&[Region::Shared])]
}

/// Returns `true` if the machine's float pipeline has two halves, one of which also computes integer products.
pub(super) fn has_halves(machine: &Machine) -> bool {
    match (machine.get(keys::PIPE_FMA), machine.get(keys::PIPE_FMAHEAVY)) {
        (Some(fma), Some(heavy)) => fma > heavy && machine.capability() > (8, 0),
        _ => false,
    }
}

/// Returns the basic blocks whose issue formulas count an event, and how often the event makes warps issue each.
pub(super) fn blocks_of(costs: &PricedKernel, event: Moment) -> Vec<(usize, i32)> {
    let times = |issued: &IssueFormula| -> i32 {
        let counts = issued.0.iter().filter(|(_, count)| count.has(event.block, event.after, event.full));
        counts.map(|(factor, _)| factor).sum()
    };
    let all = costs.blocks.iter().enumerate().map(|(number, block)| (number, times(&block.issued)));
    all.filter(|(number, times)| *times != 0 && costs.blocks[*number].instructions > 0).collect()
}
