//! A multiprocessor, clock by clock.
//!
//! Its places are those of blocks: a warp that ends leaves its place empty until the last warp of its block has ended,
//! and then the next block takes all of them. Blocks of one warp, which those of a pool count as, leave nothing empty.

use super::ledger::Ledger;
use super::program::{BARRIERS, Instruction, PARTS, Program, Unit, blocks_of, has_halves, is_kepler};
use super::scheduler::{Front, Scheduler};
use super::stalls::StallCause;
use crate::machine::{Machine, MachineKey, keys};
use crate::streams::Moment;
use std::collections::{HashMap, VecDeque};

/// Clocks until the operands of a load or store are read, an estimate.
const READ: u64 = 10;

/// A warp slot of a multiprocessor, with the state of the warp in it. Without a next instruction its warp has ended.
struct Slot<'a> {
    events: &'a [Moment],
    next_event: usize,
    /// Number of times that each basic block is still to be issued; negative where a formula subtracts more than was
    /// added so far.
    owed: Vec<i32>,
    /// Basic blocks to issue now, in order.
    blocks: VecDeque<usize>,
    /// Index after that of the next instruction, in the first of those basic blocks.
    after: usize,
    next: Option<&'a Instruction>,
    /// Clocks at which the warp's dependency barriers are released.
    barriers: [u64; BARRIERS],
    /// Bit mask of the barriers that wait for a load.
    of_loads: u64,
    /// Index in the kernel's code of the instruction by which each barrier is released last.
    producers: [u32; BARRIERS],
    /// Random numbers that decide for all loads of a basic block together whether they miss the caches, as they go to
    /// the same lines.
    drawn: [u32; 2],
    /// How many standard deviations more passes than on average all loads and stores of a basic block take, as their
    /// lanes go to the same places: by an exponential distribution, -1 to infinity, 0 on average.
    excess: f64,
    /// Time at which the last of the present basic block's requests is taken by the second cache, in fractions of a
    /// clock, once its loads from global and from local memory have asked; 0 before.
    requested: [u64; 2],
    /// Index of the warp's thread block, in the order in which blocks were started.
    started: u64,
}

pub(super) struct Multiprocessor<'a> {
    program: &'a Program<'a>,
    /// Recorded events of the warps of each thread block.
    blocks: &'a [Vec<&'a [Moment]>],
    next_block: usize,
    /// Number of warp slots that a thread block takes.
    block_warps: usize,
    /// Basic blocks that an event makes warps issue, and how often, kept from earlier look-ups.
    asked: HashMap<Moment, Vec<(usize, i32)>>,
    slots: Vec<Slot<'a>>,
    schedulers: Vec<Scheduler>,
    /// Fractions of a clock, in `PARTS`ths, for which a warp's instruction occupies each unit.
    taken: [u64; Unit::COUNT],
    /// Time at which the load/store unit, which all schedulers share, is free again, in fractions of a clock.
    lsu_free: u64,
    cache_free: u64,
    /// Time at which the second cache has taken all requests of this multiprocessor, in fractions of a clock.
    requests_free: u64,
    /// Clock that is being simulated.
    clock: u64,
    /// Times of warps at each instruction.
    pub ledger: Ledger,
    /// Number of thread blocks that were started.
    started: u64,
    random: u64,
}

impl<'a> Multiprocessor<'a> {
    /// Returns a multiprocessor that holds `warps` warps of the thread blocks `blocks`, each of which takes
    /// `block_warps` slots.
    pub fn new(
        machine: &Machine,
        program: &'a Program<'a>,
        (blocks, block_warps): (&'a [Vec<&'a [Moment]>], u32),
        warps: u32,
    ) -> Self {
        let schedulers = machine.count(keys::SM_SCHEDULERS) as usize;
        let width = machine.need(keys::SM_WARP_WIDTH);
        let lanes = |key: &MachineKey| machine.get(key);
        // Of a unit that each scheduler has one of.
        let clocks = |lanes: Option<f64>| {
            let own = |lanes: f64| (PARTS * width * schedulers as f64 / lanes).round() as u64;
            // More than a warp a clock only where two are issued.
            let least = if is_kepler(machine) { 1 } else { PARTS as u64 };
            lanes.map_or(0, own).max(least)
        };
        let (fma, heavy) = (lanes(keys::PIPE_FMA), lanes(keys::PIPE_FMAHEAVY).or(lanes(keys::PIPE_IMUL)));
        let mut taken = [PARTS as u64; Unit::COUNT];
        taken[Unit::Alu as usize] = clocks(lanes(keys::PIPE_ALU));
        taken[Unit::Heavy as usize] = clocks(heavy);
        // Two halves, or one.
        let light = fma.map(|fma| if has_halves(machine) { fma - heavy.unwrap_or(0.0) } else { fma });
        taken[Unit::Fma as usize] = clocks(light);
        taken[Unit::Half as usize] = clocks(lanes(keys::PIPE_HALF));
        taken[Unit::Double as usize] = clocks(lanes(keys::PIPE_DOUBLE));
        // Conversions are told apart from the rest by machines only, as in the bounds.
        let xu = [keys::PIPE_XU, keys::PIPE_CONVERSION].into_iter().filter_map(lanes).reduce(f64::max);
        taken[Unit::Xu as usize] = clocks(xu);
        taken[Unit::Lsu as usize] = lanes(keys::PIPE_LSU).map_or(0, |lanes| (PARTS * width / lanes).round() as u64);
        let mut new = Self {
            program,
            blocks,
            next_block: 0,
            block_warps: block_warps.max(1) as usize,
            asked: HashMap::new(),
            slots: Vec::new(),
            schedulers: (0..schedulers)
                .map(|number| Scheduler::of((warps as usize).saturating_sub(number).div_ceil(schedulers)))
                .collect(),
            taken,
            lsu_free: 0,
            cache_free: 0,
            requests_free: 0,
            clock: 0,
            ledger: Ledger::new(program.instructions),
            started: 0,
            random: 1,
        };
        let slot = || Slot {
            events: &[],
            next_event: 0,
            owed: vec![0; program.blocks.len()],
            blocks: VecDeque::new(),
            after: 0,
            next: None,
            barriers: [0; BARRIERS],
            of_loads: 0,
            producers: [0; BARRIERS],
            drawn: [0; 2],
            excess: 0.0,
            requested: [0; 2],
            started: 0,
        };
        new.slots.extend((0..warps).map(|_| slot()));
        new.begin((warps as usize).div_ceil(new.block_warps));
        new
    }

    /// Fills all slots as if thread blocks had come and gone for a long time, so that each is at a random age and long
    /// ones are met more often.
    fn begin(&mut self, places: usize) {
        let longest = |block: &Vec<&[Moment]>| block.iter().map(|events| events.len()).max().unwrap_or(0);
        let ends: Vec<usize> = self
            .blocks
            .iter()
            .scan(0, |end, block| {
                *end += longest(block);
                Some(*end)
            })
            .collect();
        let all = ends.last().copied().unwrap_or(0);
        for place in 0..places {
            let at = all * (2 * place + 1) / (2 * places);
            let block = ends.partition_point(|end| *end <= at).min(ends.len() - 1);
            let done = if block == 0 { at } else { at - ends[block - 1] };
            if !self.occupy(place, block, done, 0) {
                self.start_block(place, 0);
            }
        }
    }

    /// Returns the slots of a resident thread block.
    fn slots_of(&self, place: usize) -> std::ops::Range<usize> {
        let first = place * self.block_warps;
        first..(first + self.block_warps).min(self.slots.len())
    }

    /// Starts the next thread block with anything to issue in some slots, from clock `from` on; leaves them empty if
    /// there is none.
    fn start_block(&mut self, place: usize, from: u64) {
        for _ in 0..self.blocks.len() {
            let block = self.next_block;
            self.next_block = (block + 1) % self.blocks.len();
            if self.occupy(place, block, 0, from) {
                return;
            }
        }
    }

    /// Puts a thread block in slots with its warps a given number of events after their start. Whether any has more.
    fn occupy(&mut self, place: usize, block: usize, done: usize, from: u64) -> bool {
        let block = &self.blocks[block];
        self.started += 1;
        let mut has_more = false;
        for (warp, number) in self.slots_of(place).enumerate() {
            self.draw(number);
            let slot = &mut self.slots[number];
            slot.events = block.get(warp).copied().unwrap_or(&[]);
            (slot.next_event, slot.started) = (done, self.started);
            slot.barriers = [0; BARRIERS];
            self.supply(number);
            has_more |= self.take(number, from);
        }
        has_more
    }

    /// Queues the basic blocks that a warp's next events ask for, until there are any to issue or the warp has ended.
    fn supply(&mut self, number: usize) {
        let program = self.program;
        let slot = &mut self.slots[number];
        while slot.blocks.is_empty() {
            let Some(&event) = slot.events.get(slot.next_event) else { return };
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

    /// Moves a warp on after the instruction that it issued at `clock`: it waits for as long as that asks, and then for
    /// a jump. These waits are those of the next instruction, as long as there is one.
    fn step(&mut self, number: usize, clock: u64, done: &Instruction) {
        let slot = &mut self.slots[number];
        if slot.blocks.front().is_some_and(|&block| self.program.blocks[block].len() == slot.after) {
            slot.blocks.pop_front();
            slot.after = 0;
            self.supply(number);
            self.draw(number);
        }
        // When a barrier is released is known as soon as it is set.
        let known = clock + u64::from(done.stall) + u64::from(done.jump);
        let goes_on = self.take(number, known);
        let at = self.slots[number].next.map_or(done.place, |next| next.place);
        self.ledger.wait(at, StallCause::Wait, u64::from(done.stall.saturating_sub(1)));
        self.ledger.wait(at, StallCause::Branch, u64::from(done.jump));
        let place = number / self.block_warps;
        if !goes_on && self.slots_of(place).all(|slot| self.slots[slot].next.is_none()) {
            self.start_block(place, known);
        }
    }

    /// Fetches a warp's next instruction, which may issue from clock `known` on unless barriers hold it up. False if
    /// there is none: the warp has ended.
    fn take(&mut self, number: usize, known: u64) -> bool {
        let slot = &mut self.slots[number];
        let block = slot.blocks.front().map(|&block| &self.program.blocks[block]);
        slot.next = block.and_then(|block| block.get(slot.after));
        let schedulers = self.schedulers.len();
        let (scheduler, own) = (&mut self.schedulers[number % schedulers], number / schedulers);
        let Some(next) = slot.next else {
            scheduler.set(own, Front::ENDED);
            return false;
        };
        slot.after += 1;
        let (mut ready, mut last, mut waits) = (known, 0, next.waits);
        while waits != 0 {
            let barrier = waits.trailing_zeros() as usize;
            if slot.barriers[barrier] > ready {
                (ready, last) = (slot.barriers[barrier], barrier);
            }
            waits &= waits - 1;
        }
        scheduler.set(own, Front { ready, unit: next.unit, place: next.place, started: slot.started });
        let of_barrier = if slot.of_loads >> last & 1 == 1 { StallCause::Load } else { StallCause::Short };
        if ready > known {
            self.ledger.wait_for(next.place, of_barrier, ready - known, slot.producers[last]);
        }
        true
    }

    pub fn run(&mut self, clocks: u64) {
        let (schedulers, end) = (self.schedulers.len(), self.clock + clocks);
        while self.clock < end {
            let clock = self.clock;
            for offset in 0..schedulers {
                let number = (offset + clock as usize) % schedulers;
                let Some(own) = self.schedulers[number].choose(clock, self.lsu_free, &mut self.ledger) else {
                    continue;
                };
                let instruction = self.issue(number, own);
                // Its word may let the next one go with it.
                if instruction.is_some_and(|instruction| instruction.stall == 0)
                    && self.schedulers[number].can_issue(own, clock, self.lsu_free)
                {
                    self.issue(number, own);
                }
            }
            // Before a warp is ready nothing happens.
            let soonest = self.schedulers.iter().map(Scheduler::soonest).min().unwrap_or(end);
            self.clock = soonest.clamp(clock + 1, end);
        }
    }

    /// Issues the next instruction of a scheduler's warp, and returns it.
    fn issue(&mut self, number: usize, own: usize) -> Option<&'a Instruction> {
        let (clock, now) = (self.clock, PARTS as u64 * self.clock);
        let slot = number + own * self.schedulers.len();
        let instruction = self.slots[slot].next?;
        self.schedulers[number].issue((own, slot), instruction, clock, (&mut self.lsu_free, &self.taken));
        let mut done = clock + u64::from(instruction.latency).max(u64::from(instruction.stall));
        if instruction.passes > 0 {
            let start = self.cache_free.max(now);
            let more = f64::from(instruction.spread) * self.slots[slot].excess;
            self.cache_free = start + (f64::from(instruction.passes) + more) as u64;
            done += (self.cache_free / PARTS as u64).saturating_sub(clock + 1);
        }
        if let Some(memory) = instruction.may_miss
            && let Some(&block) = self.slots[slot].blocks.front()
        {
            let memory = usize::from(memory);
            let misses = self.program.misses[block][memory];
            let warp = &mut self.slots[slot];
            for ((drawn, chance), longer) in warp.drawn.iter().zip(misses.chances).zip(self.program.longer) {
                if *drawn >= chance {
                    break;
                }
                if warp.requested[memory] == 0 {
                    self.requests_free = self.requests_free.max(now) + u64::from(misses.answered_in);
                    warp.requested[memory] = self.requests_free;
                }
                let queued = warp.requested[memory].saturating_sub(now) / PARTS as u64;
                done = done.max(clock + queued + u64::from(instruction.latency) + longer);
            }
        }
        let warp = &mut self.slots[slot];
        let mut release = |barrier: Option<u8>, when: u64, by_load: bool| {
            if let Some(barrier) = barrier {
                let known = &mut warp.barriers[usize::from(barrier)];
                if when > *known {
                    *known = when;
                    warp.producers[usize::from(barrier)] = instruction.place;
                    warp.of_loads = warp.of_loads & !(1 << barrier) | u64::from(by_load) << barrier;
                }
            }
        };
        release(instruction.written, done, instruction.is_load);
        release(instruction.read, clock + READ, false);
        self.step(slot, clock, instruction);
        self.ledger.issue(instruction.place);
        Some(instruction)
    }

    /// Draws what is by chance in a warp's next basic block.
    fn draw(&mut self, number: usize) {
        let (drawn, uniform) = ([self.chance(), self.chance()], self.chance());
        let slot = &mut self.slots[number];
        (slot.drawn, slot.requested) = (drawn, [0; 2]);
        slot.excess = -((f64::from(uniform) + 0.5) / 2f64.powi(32)).ln() - 1.0;
    }

    /// Returns the next number of a fixed pseudo-random sequence (PCG's multiplier).
    fn chance(&mut self) -> u32 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 32) as u32
    }
}
