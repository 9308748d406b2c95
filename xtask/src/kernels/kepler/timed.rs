//! Waits of Kepler's instructions: for registers that the machine keeps count of, and for results of the texture units.

use super::super::chains::{Timed, later};
use raywarp_costs::{Alone, Flow, KeplerWord};
use std::collections::VecDeque;

/// Results of Kepler instructions that are still missing.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    /// First register of each result, number of registers, and the time at which they are written.
    registers: Vec<((u8, u8), Alone)>,
    /// Times at which the texture units' results arrive, in the order in which they were asked.
    textures: VecDeque<Alone>,
}

impl Timed for KeplerWord {
    type Pending = Pending;

    fn issue(self, now: Alone, pending: &mut Pending) -> Alone {
        let mut now = now;
        pending.registers.retain(|&((first, many), release)| {
            let waited = (first..first.saturating_add(many)).any(|register| self.touches(register));
            if waited {
                now = later(now, release);
            }
            !waited
        });
        if let Some(left) = self.textures_left() {
            // Those from before the block are ahead of all of its own.
            while pending.textures.len() > left {
                now = pending.textures.pop_front().map_or(now, |release| later(now, release));
            }
        }
        now
    }

    fn ask(self, now: Alone, pending: &mut Pending) -> bool {
        let Some(wait) = self.wait() else { return false };
        let mut release = now;
        release.waits[wait as usize] += 1;
        if self.is_texture() {
            pending.textures.push_back(release);
        } else if let Some(registers) = self.written() {
            pending.registers.push((registers, release));
        } else {
            return false;
        }
        true
    }

    fn is_over(pending: &Pending) -> bool {
        pending.registers.is_empty() && pending.textures.is_empty()
    }

    fn clocks(self) -> i32 {
        self.stall()
    }

    fn ways(self, number: usize, _: u32) -> (bool, Option<usize>) {
        match self.flow() {
            Flow::Next | Flow::Prepares => (true, None),
            Flow::Jump => (!self.always(), self.target(number)),
            Flow::Call | Flow::Elsewhere => (false, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_costs::Wait;

    // Real ones, with other plans: sums that read $r18 and $r19, loads by the texture units, what leaves one or none of those
    // on its way, a load of $r32 and $r33 from local memory, and one of them moved.
    const FFMA: u64 = 0xcc00_4800_099c_484e;
    const LDG: u64 = 0x6003_10bd_7f9c_3031;
    const LEAVE_ONE: u64 = 0x7700_0000_009c_003e;
    const LEAVE_NONE: u64 = 0x7700_0000_001c_003e;
    const LDL: u64 = 0x7a28_0000_0028_5082;
    /// Code of `mov b32 $r0 $r33`, a move between registers.
    const MOV: u64 = 0xe4c0_3c00_109c_0002;

    fn time(code: &[(u64, u8)]) -> (Alone, Pending) {
        let (mut now, mut pending) = (Alone::default(), Pending::default());
        for &(bits, plan) in code {
            let word = KeplerWord { bits, plan };
            now = word.issue(now, &mut pending);
            word.ask(now, &mut pending);
            now.clocks += word.clocks();
        }
        (now, pending)
    }

    fn alone(clocks: i32, wait: Wait, times: i32) -> Alone {
        let mut alone = Alone { clocks, ..Alone::default() };
        alone.waits[wait as usize] = times;
        alone
    }

    #[test]
    fn a_register_is_waited_for_by_who_touches_it() {
        let (now, pending) = time(&[(LDL, 0x20), (FFMA, 0x28), (MOV, 0x20)]);
        assert_eq!(now, alone(1, Wait::Shared, 1));
        assert!(KeplerWord::is_over(&pending));
        // Nobody does.
        let (now, pending) = time(&[(LDL, 0x20), (FFMA, 0x28)]);
        assert_eq!((now, KeplerWord::is_over(&pending)), (alone(10, Wait::Shared, 0), false));
    }

    #[test]
    fn of_textures_the_oldest_are_waited_for() {
        // Two at once: of the first one waits, which was asked at 0, and of the second, at 0 too.
        let (now, _) = time(&[(LDG, 4), (LDG, 0x20), (FFMA, 0x28), (LEAVE_ONE, 0x20)]);
        assert_eq!(now, alone(1, Wait::L1, 1));
        let (now, pending) = time(&[(LDG, 0x2f), (LDG, 0x20), (LEAVE_NONE, 0x20)]);
        assert_eq!((now, pending.textures.len()), (alone(16 + 1, Wait::L1, 1), 0));
        // One alone may be left.
        let (now, pending) = time(&[(LDG, 0x20), (LEAVE_ONE, 0x20)]);
        assert_eq!((now, pending.textures.len()), (alone(2, Wait::L1, 0), 1));
    }
}
