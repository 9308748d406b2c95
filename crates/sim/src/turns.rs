//! Warps that run at the same time and take rays from one counter.
//!
//! Each has a thread and a clock of what it issued. A warp that asks waits until all others ask, too, or have
//! ended; then the one whose clock is least is served. So who gets which ray follows from the clocks alone, whatever the threads
//! do.

use raywarp_traverse::RayCounter;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
struct State {
    /// The counter.
    next: u64,
    /// Warps that neither ask nor have ended.
    running: u32,
    /// Clocks of those that ask.
    asking: BTreeSet<(u64, u32)>,
    /// Who may go on.
    served: Option<u32>,
}

/// The counter, and who asks it when.
#[derive(Debug)]
pub(crate) struct Turns<'a> {
    state: Mutex<State>,
    wake: Vec<Condvar>,
    clocks: Vec<AtomicU64>,
    cancel: Option<&'a AtomicBool>,
}

/// A warp's end, however it comes.
pub(crate) struct Leaving<'a>(&'a Turns<'a>);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running = state.running.saturating_sub(1);
        self.0.serve(&mut state);
    }
}

impl<'a> Turns<'a> {
    /// For `warps` warps, all of which will run. Once `cancel` is true no ray is left.
    pub fn new(warps: u32, cancel: Option<&'a AtomicBool>) -> Self {
        Self {
            state: Mutex::new(State { next: 0, running: warps, asking: BTreeSet::new(), served: None }),
            wake: (0..warps).map(|_| Condvar::new()).collect(),
            clocks: (0..warps).map(|_| AtomicU64::new(0)).collect(),
            cancel,
        }
    }

    /// To be dropped when a warp has ended.
    pub fn leaving(&'a self) -> Leaving<'a> {
        Leaving(self)
    }

    /// Warp `warp` took its time.
    pub fn spend(&self, warp: u32, time: u64) {
        // Only its own thread looks.
        self.clocks[warp as usize].fetch_add(time, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, state: &mut State) {
        if state.running == 0
            && state.served.is_none()
            && let Some((_, warp)) = state.asking.pop_first()
        {
            (state.served, state.running) = (Some(warp), 1);
            self.wake[warp as usize].notify_one();
        }
    }
}

impl RayCounter for Turns<'_> {
    fn add(&self, warp: u32, rays: u32) -> u64 {
        if self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return u64::MAX;
        }
        let mut state = self.lock();
        state.asking.insert((self.clocks[warp as usize].load(Ordering::Relaxed), warp));
        state.running = state.running.saturating_sub(1);
        self.serve(&mut state);
        while state.served != Some(warp) {
            state = self.wake[warp as usize].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.served = None;
        let first = state.next;
        state.next += u64::from(rays);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_issued_least_asks_first() {
        // Warps of speed 1, 2 and 5: when each asks, by its clock, and so what it gets.
        for _ in 0..20 {
            let turns = Turns::new(3, None);
            let got: Vec<Vec<u64>> = std::thread::scope(|scope| {
                let run = |warp: u32, time: u64| {
                    let turns = &turns;
                    move || {
                        let _leaves = turns.leaving();
                        let one = |_| {
                            let first = turns.add(warp, 1);
                            turns.spend(warp, time);
                            first
                        };
                        (0..4).map(one).collect()
                    }
                };
                let threads = [(0, 1), (1, 2), (2, 5)].map(|(warp, time)| scope.spawn(run(warp, time)));
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            // Clocks: 0 0 0 1 2 2 3 4 5 6 10 15 of warps 0 1 2 0 0 1 0 1 2 1 2 2.
            assert_eq!(got, [vec![0, 3, 4, 6], vec![1, 5, 7, 9], vec![2, 8, 10, 11]]);
        }
    }

    #[test]
    fn once_it_is_stopped_no_ray_is_left() {
        let stop = AtomicBool::new(true);
        assert_eq!(Turns::new(1, Some(&stop)).add(0, 32), u64::MAX);
    }
}
