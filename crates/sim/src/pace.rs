//! How fast warps go side by side: a multiprocessor followed clock by clock.
//!
//! A bound says what no run can pass, one resource at a time. What warps reach is less, since they want the same pipeline at
//! the same time and then none does: here the warps that a multiprocessor holds issue the instructions of their own events
//! ([`Streams`](crate::Streams)) one by one, as the words of the machine code say ([`Word`]: clocks to the next one, barriers).
//!
//! Schedulers are those that Huerta et al. found by microbenchmarks ("Analyzing Modern NVIDIA GPU cores", arXiv:2503.20481, 2025): each
//! goes on with the warp of its last instruction while that is ready, and else takes the youngest that is. A pipeline is taken
//! for as many clocks as its lanes need for a warp. Loads and stores pass the first cache, which all schedulers share, as often as its
//! model says on average ([`crate::memory::AccessCost::passes`]), and loads miss it by chance, twice as often as the model of the caches
//! has it ([`Traffic`]). Nothing else takes time: no miss of an instruction cache, no conflict of registers, no queue beyond
//! the first cache.

use crate::bounds::latency_of;
use crate::machine::{Key, Machine, keys};
use crate::memory::{MemoryCounts, Region, Traffic};
use crate::profile::Profile;
use crate::streams::Moment;
use raywarp_family::costs::{Access, KernelCosts, Pipe, Wait, Word};
use std::collections::{HashMap, VecDeque};

/// A kernel's machine code and what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    /// Its blocks, and when they are issued.
    pub costs: &'a KernelCosts,
    /// Its instructions, from its start.
    pub words: &'a [Word],
    /// What it was compiled for (90 for compute capability 9.0).
    pub architecture: u32,
}

/// Clocks that are followed.
const CLOCKS: u64 = 1 << 18;
/// Clocks before those that count.
const WARM_UP: u64 = 1 << 14;
/// Clocks until operands of a load or store are read: an estimate.
const READ: u64 = 10;
/// Misses of a real first cache for each of the model's: an H200's counters have twice as many (docs/bounds.md).
const MISSES: f64 = 2.0;
/// Passes are counted in parts of a clock.
const PARTS: f64 = 256.0;

/// Instructions that a multiprocessor issues a clock while it holds `warps` warps that do what was profiled; none where the profile
/// has no streams of 32 lanes, or the code's pipelines are not known.
pub fn instructions_per_clock(
    machine: &Machine,
    code: Code<'_>,
    profile: &Profile,
    traffic: Option<&Traffic>,
    warps: u32,
) -> Option<f64> {
    let streams: Vec<&[Moment]> = profile.streams.warps().filter(|events| !events.is_empty()).collect();
    let of_width = profile.counts.width == machine.count(keys::SM_WARP_WIDTH);
    if streams.is_empty() || warps == 0 || !of_width || machine.need(keys::ISSUE_PER_SCHEDULER) != 1.0 {
        return None;
    }
    let program = Program::new(machine, code, profile, traffic)?;
    let mut multiprocessor = Multiprocessor::new(machine, &program, &streams, warps);
    multiprocessor.run(WARM_UP);
    let before = multiprocessor.issued;
    multiprocessor.run(CLOCKS);
    Some((multiprocessor.issued - before) as f64 / CLOCKS as f64)
}

/// What an instruction takes.
#[derive(Debug, Clone, Copy)]
struct Instruction {
    unit: Unit,
    stall: u8,
    written: Option<u8>,
    read: Option<u8>,
    /// A bit a barrier.
    waits: u8,
    /// Until its result is there, at least.
    latency: u16,
    /// Parts of a clock in the first cache.
    passes: u32,
    /// Whether it may miss the first cache.
    may_miss: bool,
}

/// What an instruction runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Alu,
    /// On whichever half of the pipeline is free.
    Fma,
    /// On its heavy half.
    Heavy,
    Half,
    Double,
    Xu,
    /// Of the whole multiprocessor.
    Lsu,
    /// As fast as it is issued.
    Free,
}

impl Unit {
    fn of(pipe: Pipe) -> Self {
        match pipe {
            Pipe::Alu => Self::Alu,
            Pipe::Fma => Self::Fma,
            Pipe::FmaHeavy => Self::Heavy,
            Pipe::Half => Self::Half,
            Pipe::Double => Self::Double,
            Pipe::Xu => Self::Xu,
            Pipe::Lsu => Self::Lsu,
            Pipe::Adu | Pipe::Cbu | Pipe::Uniform | Pipe::Branch | Pipe::Other => Self::Free,
        }
    }
}

/// A kernel as its warps run it here.
struct Program<'a> {
    costs: &'a KernelCosts,
    /// Instructions of each block.
    blocks: Vec<Vec<Instruction>>,
    /// How likely a load misses the first cache, and the second then, in 2^32ths; and what it waits for the longer.
    misses: [(u32, u64); 2],
}

impl<'a> Program<'a> {
    fn new(machine: &Machine, code: Code<'a>, profile: &Profile, traffic: Option<&Traffic>) -> Option<Self> {
        let words = |offset: u32, count: u32| {
            let first = offset as usize / 16;
            code.words.get(first..first + count as usize)
        };
        // How often words of 32 bits go to each memory, and how often anything is loaded from the first.
        let (mut asked, mut loads) = ([0.0; 3], 0.0);
        for block in code.costs.blocks.iter().filter(|block| !block.is_never()) {
            let times = block.issued.times(&profile.tally) as f64;
            for word in words(block.offset, block.instructions)? {
                if let Some(access) = word.access() {
                    asked[access as usize] += times * f64::from(word.words());
                    loads += times * f64::from(u8::from(is_global_load(*word)));
                }
            }
        }
        let passes = profile.memory.as_ref().map_or([0.0; 3], |memory| passes_by_memory(memory, asked[1] > 0.0));
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
                unit: Unit::of(word.pipe(code.architecture)?),
                stall: word.stall() as u8,
                written: barrier(word.written()),
                read: barrier(word.read()),
                waits: (0..Word::BARRIERS).filter(|&barrier| word.waits_for(barrier)).fold(0, |all, b| all | 1 << b),
                latency: wait.round() as u16,
                passes: (PARTS * clocks).round() as u32,
                may_miss: is_global_load(*word),
            })
        };
        let of_block = |block: &raywarp_family::costs::BlockCost| match block.is_never() {
            true => Some(Vec::new()),
            false => words(block.offset, block.instructions)?.iter().map(instruction).collect(),
        };
        let blocks = code.costs.blocks.iter().map(of_block).collect::<Option<Vec<_>>>()?;
        let hit = latency_of(machine, Wait::L1, arithmetic);
        let longer = |key: &Key| (machine.get(key).unwrap_or(hit) - hit).max(0.0) as u64;
        let chance = |share: f64| (share.clamp(0.0, 1.0) * f64::from(u32::MAX)) as u32;
        let misses = traffic.filter(|traffic| traffic.rays > 0 && loads > 0.0).map_or([0.0; 2], |traffic| {
            let a_ray = MISSES * traffic.missed_l1 as f64 / traffic.rays as f64;
            let a_load = a_ray / (loads / profile.rays() as f64);
            // Sectors of a load that miss, taken to be independent.
            [1.0 - (-a_load).exp(), traffic.again as f64 / (traffic.missed_l1 as f64).max(1.0)]
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

/// A warp's place on a multiprocessor.
struct Slot<'a> {
    events: &'a [Moment],
    next_event: usize,
    /// How often each block is to be issued yet; below 0 what a combination takes back.
    owed: Vec<i32>,
    /// Blocks to be issued now.
    blocks: VecDeque<usize>,
    /// The place after the next instruction in the first of them.
    after: usize,
    next: Option<Instruction>,
    /// When it may issue.
    ready: u64,
    /// When the warp's barriers are released.
    barriers: [u64; Word::BARRIERS],
    started: u64,
}

struct Multiprocessor<'a> {
    program: &'a Program<'a>,
    streams: &'a [&'a [Moment]],
    next_stream: usize,
    /// Blocks that an event asks for, and how often.
    asked: HashMap<Moment, Vec<(usize, i32)>>,
    slots: Vec<Slot<'a>>,
    schedulers: Vec<Scheduler>,
    /// Clocks that a unit is taken by a warp.
    taken: [u64; 8],
    lsu_free: u64,
    /// When the first cache is free, in parts of a clock.
    cache_free: u64,
    /// Parts of a clock that one pass takes.
    clock: u64,
    issued: u64,
    started: u64,
    random: u64,
}

#[derive(Default)]
struct Scheduler {
    last: usize,
    /// When its units are free: of `Fma` the light half.
    free: [u64; 8],
}

impl<'a> Multiprocessor<'a> {
    fn new(machine: &Machine, program: &'a Program<'a>, streams: &'a [&'a [Moment]], warps: u32) -> Self {
        let schedulers = machine.count(keys::SM_SCHEDULERS) as usize;
        let width = machine.need(keys::SM_WARP_WIDTH);
        let lanes = |key: &Key| machine.get(key).filter(|lanes| *lanes > 0.0);
        // Of a unit that each scheduler has one of.
        let clocks = |lanes: Option<f64>| {
            let own = |lanes: f64| (width * schedulers as f64 / lanes).round().max(1.0) as u64;
            lanes.map_or(1, own)
        };
        let (fma, heavy) = (lanes(keys::PIPE_FMA), lanes(keys::PIPE_FMAHEAVY));
        let mut taken = [1; 8];
        taken[Unit::Alu as usize] = clocks(lanes(keys::PIPE_ALU));
        taken[Unit::Heavy as usize] = clocks(heavy);
        // Two halves, or one.
        let light = fma.map(|fma| if has_halves(machine) { fma - heavy.unwrap_or(0.0) } else { fma });
        taken[Unit::Fma as usize] = clocks(light);
        taken[Unit::Half as usize] = clocks(lanes(keys::PIPE_HALF));
        taken[Unit::Double as usize] = clocks(lanes(keys::PIPE_DOUBLE));
        taken[Unit::Xu as usize] = clocks(lanes(keys::PIPE_XU));
        let lsu = |lanes: f64| (width / lanes).round().max(1.0) as u64;
        taken[Unit::Lsu as usize] = lanes(keys::PIPE_LSU).map_or(1, lsu);
        let mut new = Self {
            program,
            streams,
            next_stream: 0,
            asked: HashMap::new(),
            slots: Vec::new(),
            schedulers: (0..schedulers).map(|_| Scheduler::default()).collect(),
            taken,
            lsu_free: 0,
            cache_free: 0,
            clock: 0,
            issued: 0,
            started: 0,
            random: 1,
        };
        for slot in 0..warps as usize {
            new.slots.push(Slot {
                events: &[],
                next_event: 0,
                owed: vec![0; program.blocks.len()],
                blocks: VecDeque::new(),
                after: 0,
                next: None,
                ready: 0,
                barriers: [0; Word::BARRIERS],
                started: 0,
            });
            new.take_stream(slot);
            // Not all at the same place.
            let events = new.slots[slot].events.len();
            new.slots[slot].next_event = events * slot / warps as usize;
            new.refill(slot);
            new.step(slot, 0, 0);
        }
        new
    }

    fn take_stream(&mut self, slot: usize) {
        self.started += 1;
        let slot = &mut self.slots[slot];
        slot.events = self.streams[self.next_stream];
        (slot.next_event, slot.started) = (0, self.started);
        self.next_stream = (self.next_stream + 1) % self.streams.len();
    }

    /// Makes sure that a warp has an instruction to issue; it has none only if no event of any stream asks for one.
    fn refill(&mut self, number: usize) {
        let program = self.program;
        let mut ended = 0;
        while self.slots[number].blocks.is_empty() && ended <= self.streams.len() {
            let slot = &mut self.slots[number];
            let Some(&event) = slot.events.get(slot.next_event) else {
                ended += 1;
                self.take_stream(number);
                continue;
            };
            slot.next_event += 1;
            let asked = self.asked.entry(event).or_insert_with(|| blocks_of(program.costs, event));
            for &(block, times) in asked.iter() {
                slot.owed[block] += times;
                while slot.owed[block] > 0 {
                    slot.owed[block] -= 1;
                    slot.blocks.push_back(block);
                }
            }
        }
    }

    /// Takes the next instruction of a warp that issued its last at `clock` and waits `stall` clocks.
    fn step(&mut self, number: usize, clock: u64, stall: u8) {
        let slot = &mut self.slots[number];
        if slot.blocks.front().is_some_and(|&block| self.program.blocks[block].len() == slot.after) {
            slot.blocks.pop_front();
            slot.after = 0;
            self.refill(number);
        }
        let slot = &mut self.slots[number];
        let block = slot.blocks.front().map(|&block| &self.program.blocks[block]);
        slot.next = block.and_then(|block| block.get(slot.after).copied());
        slot.after += 1;
        let Some(next) = slot.next else { return };
        // When a barrier is released is known as soon as it is set.
        let waited = (0..Word::BARRIERS).filter(|barrier| next.waits >> barrier & 1 == 1);
        slot.ready = waited.map(|barrier| slot.barriers[barrier]).fold(clock + u64::from(stall), u64::max);
    }

    fn run(&mut self, clocks: u64) {
        let schedulers = self.schedulers.len();
        for clock in self.clock..self.clock + clocks {
            self.clock = clock;
            for turn in 0..schedulers {
                let number = (turn + clock as usize) % schedulers;
                if let Some((slot, instruction)) = self.choose(number) {
                    self.issue(number, slot, instruction);
                }
            }
        }
        self.clock += 1;
    }

    /// The warp that a scheduler issues for now, if one is ready.
    fn choose(&self, number: usize) -> Option<(usize, Instruction)> {
        let scheduler = &self.schedulers[number];
        let is_free = |instruction: &Instruction| match instruction.unit {
            Unit::Lsu => self.lsu_free <= self.clock,
            Unit::Fma => [Unit::Fma, Unit::Heavy].iter().any(|half| scheduler.free[*half as usize] <= self.clock),
            unit => scheduler.free[unit as usize] <= self.clock,
        };
        let ready = |number: usize| {
            let slot = self.slots.get(number).filter(|slot| slot.ready <= self.clock)?;
            slot.next.filter(is_free).map(|instruction| (number, instruction))
        };
        let own = (number..self.slots.len()).step_by(self.schedulers.len());
        ready(scheduler.last).or_else(|| own.filter_map(ready).max_by_key(|(slot, _)| self.slots[*slot].started))
    }

    fn issue(&mut self, number: usize, slot: usize, instruction: Instruction) {
        let clock = self.clock;
        let scheduler = &mut self.schedulers[number];
        scheduler.last = slot;
        let unit = match instruction.unit {
            Unit::Fma if scheduler.free[Unit::Fma as usize] > clock => Unit::Heavy,
            unit => unit,
        };
        match unit {
            Unit::Lsu => self.lsu_free = clock + self.taken[unit as usize],
            unit => scheduler.free[unit as usize] = clock + self.taken[unit as usize],
        }
        let mut done = clock + u64::from(instruction.latency).max(u64::from(instruction.stall));
        if instruction.passes > 0 {
            let start = self.cache_free.max(PARTS as u64 * clock);
            self.cache_free = start + u64::from(instruction.passes);
            done += start / PARTS as u64 - clock;
        }
        if instruction.may_miss {
            for (chance, longer) in self.program.misses {
                if self.chance() >= chance {
                    break;
                }
                done = done.max(clock + u64::from(instruction.latency) + longer);
            }
        }
        let warp = &mut self.slots[slot];
        let mut release = |barrier: Option<u8>, when: u64| {
            if let Some(barrier) = barrier {
                let known = &mut warp.barriers[usize::from(barrier)];
                *known = (*known).max(when);
            }
        };
        release(instruction.written, done);
        release(instruction.read, clock + READ);
        self.step(slot, clock, instruction.stall);
        self.issued += 1;
    }

    /// The next of a fixed sequence of numbers (PCG's multiplier).
    fn chance(&mut self) -> u32 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 32) as u32
    }
}

/// Whether products of floats have two halves of a pipeline, of which one has those of integers too.
fn has_halves(machine: &Machine) -> bool {
    match (machine.get(keys::PIPE_FMA), machine.get(keys::PIPE_FMAHEAVY)) {
        (Some(fma), Some(heavy)) => fma > heavy && machine.capability() > (8, 0),
        _ => false,
    }
}

/// The blocks that an event is part of the count of, and how often it has them issued.
fn blocks_of(costs: &KernelCosts, event: Moment) -> Vec<(usize, i32)> {
    let times = |issued: &raywarp_family::costs::Issued| -> i32 {
        let counts = issued.0.iter().filter(|(_, count)| {
            count.block == event.block
                && count.after.is_none_or(|after| after == event.after)
                && (!count.full || event.full)
        });
        counts.map(|(factor, _)| factor).sum()
    };
    let all = costs.blocks.iter().enumerate().map(|(number, block)| (number, times(&block.issued)));
    all.filter(|(number, times)| *times != 0 && costs.blocks[*number].instructions > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::efficiency::Efficiency;
    use crate::lanes::LaneTally;
    use crate::streams::Streams;
    use raywarp_family::costs::{BlockCost, Known, Tally};
    use raywarp_family::{Block, Operation};

    /// Operations: of the whole pipeline of floats, of its heavy half, of the other pipelines.
    const FFMA: u128 = 0x023;
    const IMAD: u128 = 0x024;
    const IADD3: u128 = 0x010;
    const MUFU: u128 = 0x108;
    const STL: u128 = 0x187;
    const LDL: u128 = 0x183;

    fn plain(operation: u128, stall: u128) -> Word {
        Word(operation | stall << 105 | 7 << 110 | 7 << 113)
    }

    /// One that sets barrier 2, and one that waits for it.
    fn sets(operation: u128) -> Word {
        Word(operation | 1 << 105 | 2 << 110 | 7 << 113)
    }

    fn waits(operation: u128) -> Word {
        Word(operation | 1 << 105 | 7 << 110 | 7 << 113 | 1 << (116 + 2))
    }

    /// Instructions a clock of warps that run `words` again and again.
    fn rate(words: &[Word], warps: u32) -> f64 {
        let vote = Moment { block: Block::Vote, after: Operation::Loop, full: true };
        let mut streams = Streams::default();
        (0..3).for_each(|warp| (0..50).for_each(|_| streams.add(warp, vote)));
        let profile = Profile {
            counts: Efficiency::new(32),
            tally: Tally::default(),
            lanes: LaneTally::default(),
            memory: None,
            streams,
            launch_rays: 1,
            launches: 1,
        };
        let block = BlockCost {
            block: Block::Vote,
            offset: 0,
            instructions: words.len() as u32,
            pipes: [0; Pipe::ALL.len()],
            alone: None,
            issued: "vote".parse().unwrap(),
            known: Known::Measured,
        };
        let costs = KernelCosts { blocks: vec![block], verified: true };
        let machine = Machine::find("h200").unwrap();
        let code = Code { costs: &costs, words, architecture: 90 };
        instructions_per_clock(&machine, code, &profile, None, warps).unwrap()
    }

    #[track_caller]
    fn check(words: &[Word], warps: u32, wanted: f64) {
        let found = rate(words, warps);
        assert!((found / wanted - 1.0).abs() < 0.003, "{found}, not {wanted}");
    }

    #[test]
    fn a_warp_alone_issues_as_its_words_say() {
        check(&[plain(FFMA, 4), plain(FFMA, 1), plain(FFMA, 13)], 1, 3.0 / 18.0);
        // A store is sent after 1 clock; a load of the first cache is there after 33.9.
        check(&[sets(LDL), waits(FFMA)], 1, 2.0 / 35.0);
        // What it need not wait for passes meanwhile.
        check(&[sets(LDL), plain(FFMA, 13), waits(FFMA)], 1, 3.0 / 35.0);
    }

    #[test]
    fn a_pipeline_is_taken_for_as_long_as_its_lanes_need() {
        for (operation, a_clock) in [(FFMA, 4.0), (IMAD, 2.0), (IADD3, 2.0), (MUFU, 0.5), (STL, 1.0)] {
            check(&[plain(operation, 1)], 40, a_clock);
        }
        // Two pipelines side by side; a float finds the half that the integer leaves.
        check(&[plain(IADD3, 1), plain(FFMA, 1)], 40, 4.0);
        check(&[plain(IMAD, 1), plain(FFMA, 1)], 40, 4.0);
    }

    #[test]
    fn warps_hide_each_others_waits() {
        let words = [sets(LDL), waits(FFMA), plain(FFMA, 4)];
        let one = rate(&words, 1);
        // One a scheduler: each has its own pipelines.
        check(&words, 4, 4.0 * one);
        assert!(rate(&words, 16) > 15.0 * one);
        // The pipeline of loads is shared, and takes one a clock.
        check(&words, 64, 3.0);
    }

    #[test]
    fn an_event_issues_the_blocks_of_its_counts() {
        let block = |issued: &str| BlockCost {
            block: Block::Vote,
            offset: 0,
            instructions: 1,
            pipes: [0; Pipe::ALL.len()],
            alone: None,
            issued: issued.parse().unwrap(),
            known: Known::Measured,
        };
        let blocks = ["vote", "2*pop-pop!", "pop@visit_node", "0", "pop+vote"].map(block).to_vec();
        let costs = KernelCosts { blocks, verified: true };
        let of = |block, after, full| blocks_of(&costs, Moment { block, after, full });
        assert_eq!(of(Block::Vote, Operation::Loop, false), [(0, 1), (4, 1)]);
        assert_eq!(of(Block::Pop, Operation::VisitNode, false), [(1, 2), (2, 1), (4, 1)]);
        assert_eq!(of(Block::Pop, Operation::Vote, true), [(1, 1), (4, 1)]);
    }
}
