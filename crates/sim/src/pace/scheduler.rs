//! A scheduler of a multiprocessor: which of its warps issues at a clock, and for what the others wait.

use super::ledger::Ledger;
use super::program::{Instruction, PARTS, Unit};
use super::registers::RegisterFile;
use super::stalls::StallCause;

/// What a scheduler knows of a warp: its next instruction, and from when on it may issue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Front {
    /// Clock from which on the warp may issue.
    pub ready: u64,
    pub unit: Unit,
    /// Index of the instruction in the kernel's code.
    pub place: u32,
    /// Index of the warp's thread block, in the order in which blocks were started.
    pub started: u64,
}

impl Front {
    /// That of a warp that has ended.
    pub const ENDED: Self = Self { ready: u64::MAX, unit: Unit::Free, place: 0, started: u64::MAX };
}

pub(super) struct Scheduler {
    /// The warp that issued last.
    last: usize,
    /// Time at which each of the scheduler's units is free again, in fractions of a clock.
    free: [u64; Unit::COUNT],
    registers: RegisterFile,
    /// Clock from which on the scheduler may issue.
    open: u64,
    fronts: Vec<Front>,
    /// Clock from which on each warp may issue; the end of time for those that are in `awake`.
    asleep: Vec<u64>,
    /// The least of those.
    soonest: u64,
    /// Warps that wait for nothing but their unit and their turn.
    awake: Vec<usize>,
}

impl Scheduler {
    /// Returns a scheduler of a number of warps, all of which have ended.
    pub fn of(warps: usize) -> Self {
        Self {
            last: 0,
            free: [0; Unit::COUNT],
            registers: RegisterFile::default(),
            open: 0,
            fronts: vec![Front::ENDED; warps],
            asleep: vec![u64::MAX; warps],
            soonest: u64::MAX,
            awake: Vec::with_capacity(warps),
        }
    }

    /// Returns a clock before which none of its warps is ready.
    pub fn soonest(&self) -> u64 {
        if self.awake.is_empty() { self.soonest } else { 0 }
    }

    /// Sets what is known of a warp.
    pub fn set(&mut self, warp: usize, front: Front) {
        self.fronts[warp] = front;
        self.asleep[warp] = front.ready;
        self.soonest = self.soonest.min(front.ready);
        self.awake.retain(|&other| other != warp);
    }

    /// Wakes the warps that are ready at a clock.
    fn wake(&mut self, clock: u64) {
        if clock < self.soonest {
            return;
        }
        self.soonest = u64::MAX;
        for (warp, ready) in self.asleep.iter_mut().enumerate() {
            if *ready <= clock {
                *ready = u64::MAX;
                self.awake.push(warp);
            }
            self.soonest = self.soonest.min(*ready);
        }
    }

    /// Returns the warp that issues at a clock: the last one again, or one of the oldest thread block; `None` if none
    /// is ready. Were it one of the youngest, the last warps of old blocks would keep places empty for longer than an
    /// H200's counters have it (docs/notebook/2026-11-25-bounds.md, "Places of ended warps"). Counts in the ledger the
    /// causes for which other warps wait that are ready.
    pub fn choose(&mut self, clock: u64, lsu_free: u64, ledger: &mut Ledger) -> Option<usize> {
        self.wake(clock);
        if self.awake.is_empty() {
            return None;
        }
        let (free, is_open) = (self.free_units(clock, lsu_free), clock >= self.open);
        let can_issue = |&warp: &usize| has(free, self.fronts[warp].unit);
        let oldest = || {
            let able = self.awake.iter().copied().filter(can_issue);
            able.min_by_key(|&warp| (self.fronts[warp].started, warp))
        };
        let again = || Some(self.last).filter(|last| self.awake.contains(last)).filter(can_issue);
        let chosen = if is_open { again().or_else(oldest) } else { None };
        for &warp in self.awake.iter().filter(|&&warp| chosen != Some(warp)) {
            let cause = match can_issue(&warp) {
                false => StallCause::Pipe,
                true if is_open => StallCause::NotSelected,
                true => StallCause::Dispatch,
            };
            ledger.wait(self.fronts[warp].place, cause, 1);
        }
        chosen
    }

    /// Returns `true` if a warp's next instruction may issue at a clock, whatever other warps there are.
    pub fn can_issue(&self, warp: usize, clock: u64, lsu_free: u64) -> bool {
        let front = &self.fronts[warp];
        front.ready <= clock && has(self.free_units(clock, lsu_free), front.unit)
    }

    /// Takes what an instruction of a warp (by its index here and in the multiprocessor) occupies from a clock on, each
    /// unit for the time in `taken`.
    pub fn issue(
        &mut self,
        (own, slot): (usize, usize),
        instruction: &Instruction,
        clock: u64,
        (lsu_free, taken): (&mut u64, &[u64; Unit::COUNT]),
    ) {
        let unit = match instruction.unit {
            Unit::Either if in_time(self.free[Unit::Fma as usize], clock) => Unit::Fma,
            Unit::Either => Unit::Heavy,
            unit => unit,
        };
        self.last = own;
        self.open = self.registers.read(clock, slot, &instruction.reads);
        let free = if unit == Unit::Lsu { lsu_free } else { &mut self.free[unit as usize] };
        *free = (PARTS as u64 * clock).max(*free) + taken[unit as usize];
    }

    /// Returns the units that are free before a clock ends, as a bit mask.
    fn free_units(&self, clock: u64, lsu_free: u64) -> u32 {
        let own = self.free.iter().enumerate();
        let mut free = own.fold(0, |all, (unit, &free)| all | u32::from(in_time(free, clock)) << unit);
        let mut set = |unit: Unit, is_free: bool| {
            free = free & !(1 << unit as u32) | u32::from(is_free) << unit as u32;
        };
        set(Unit::Lsu, in_time(lsu_free, clock));
        set(Unit::Either, [Unit::Fma, Unit::Heavy].iter().any(|&half| in_time(self.free[half as usize], clock)));
        free
    }
}

/// Returns `true` if a bit mask of units has one.
fn has(units: u32, unit: Unit) -> bool {
    units >> unit as u32 & 1 == 1
}

/// Returns `true` if a unit that is free at the time `free` is so before a clock ends.
fn in_time(free: u64, clock: u64) -> bool {
    free < PARTS as u64 * (clock + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front(ready: u64, started: u64) -> Front {
        Front { ready, unit: Unit::Alu, place: 0, started }
    }

    /// Returns the warp that a scheduler chooses, and for how many others it counts each cause.
    fn chosen(scheduler: &mut Scheduler, clock: u64) -> (Option<usize>, [u64; 3]) {
        let mut ledger = Ledger::new(1);
        let chosen = scheduler.choose(clock, 0, &mut ledger);
        let causes = [StallCause::NotSelected, StallCause::Pipe, StallCause::Dispatch];
        (chosen, causes.map(|cause| ledger.waited(cause as usize)))
    }

    #[test]
    fn the_last_warp_issues_while_it_can_and_then_one_of_the_oldest_block() {
        let mut scheduler = Scheduler::of(4);
        for (warp, started) in [(0, 7), (1, 9), (2, 5), (3, 5)] {
            scheduler.set(warp, front(10, started));
        }
        assert_eq!((scheduler.soonest(), chosen(&mut scheduler, 9)), (10, (None, [0; 3])));
        assert_eq!(chosen(&mut scheduler, 10), (Some(0), [3, 0, 0]));
        // It waits: of the others the first of the oldest block, once only.
        scheduler.set(0, front(13, 7));
        assert_eq!(chosen(&mut scheduler, 11), (Some(2), [2, 0, 0]));
        scheduler.set(2, Front::ENDED);
        assert_eq!(chosen(&mut scheduler, 12), (Some(3), [1, 0, 0]));
        scheduler.set(3, Front::ENDED);
        assert_eq!(chosen(&mut scheduler, 13), (Some(0), [1, 0, 0]));
        scheduler.set(0, Front::ENDED);
        scheduler.set(1, Front::ENDED);
        assert_eq!((scheduler.soonest(), chosen(&mut scheduler, 14)), (u64::MAX, (None, [0; 3])));
    }

    #[test]
    fn ready_warps_wait_for_their_unit_or_for_the_scheduler() {
        let mut scheduler = Scheduler::of(2);
        scheduler.set(0, front(4, 1));
        scheduler.set(1, front(4, 2));
        scheduler.free[Unit::Alu as usize] = PARTS as u64 * 6;
        assert_eq!(chosen(&mut scheduler, 5), (None, [0, 2, 0]));
        scheduler.open = 8;
        assert_eq!(chosen(&mut scheduler, 6), (None, [0, 0, 2]));
        assert_eq!(chosen(&mut scheduler, 8), (Some(0), [1, 0, 0]));
        assert!(scheduler.can_issue(1, 8, 0) && !scheduler.can_issue(1, 3, 0));
    }
}
