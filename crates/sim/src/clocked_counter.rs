//! Warps that run at the same time and take rays from one counter.
//!
//! Each has a thread and a clock of what it issued. A warp that asks is served once no other can still ask at an
//! earlier clock: all that run are past its own. So who gets which ray follows from the clocks alone, whatever the
//! threads do, and warps between two asks run side by side.

use raywarp_traverse::RayCounter;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Index that stands for no warp.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct State {
    /// Next ray number that the counter gives out.
    next: u64,
    /// Warps that are running: they neither wait for rays nor have ended.
    running: Vec<u32>,
    /// Warps that wait for rays, by clock and index, with the number of rays that each wants.
    asking: BTreeMap<(u64, u32), u32>,
    /// Ray number given to each warp and not yet taken by it.
    served: Vec<Option<u64>>,
}

/// Ray counter shared by simulated warps, which serves them in the order of their clocks.
#[derive(Debug)]
pub(crate) struct ClockedCounter<'a> {
    state: Mutex<State>,
    wake: Vec<Condvar>,
    clocks: Vec<AtomicU64>,
    /// Warp that the first one waiting for rays waits for; it looks again once that warp's clock has reached `until`.
    laggard: AtomicU32,
    until: AtomicU64,
    stopped: AtomicBool,
    cancel: Option<&'a AtomicBool>,
}

/// Guard that marks a warp as ended when it is dropped.
pub(crate) struct Leaving<'a>(&'a ClockedCounter<'a>, u32);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running.retain(|&warp| warp != self.1);
        self.0.serve(&mut state);
    }
}

impl<'a> ClockedCounter<'a> {
    /// Returns a counter for `warps` warps, all of which must run. Once `cancel` is true no ray is left.
    pub fn new(warps: u32, cancel: Option<&'a AtomicBool>) -> Self {
        let served = vec![None; warps as usize];
        Self {
            state: Mutex::new(State { next: 0, running: (0..warps).collect(), asking: BTreeMap::new(), served }),
            wake: (0..warps).map(|_| Condvar::new()).collect(),
            clocks: (0..warps).map(|_| AtomicU64::new(0)).collect(),
            laggard: AtomicU32::new(NONE),
            until: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            cancel,
        }
    }

    /// Stops the counter, which gives out no more rays from now on.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Returns a guard to drop when warp `warp` has ended.
    pub fn leaving(&'a self, warp: u32) -> Leaving<'a> {
        Leaving(self, warp)
    }

    /// Advances the clock of warp `warp` by `time`, and serves waiting warps that this lets go on.
    pub fn spend(&self, warp: u32, time: u64) {
        let own = &self.clocks[warp as usize];
        // Only its own thread writes.
        let now = own.load(Ordering::Relaxed) + time;
        // In one order with what `serve` stores before it looks at the clock: one of the two sees the other.
        own.store(now, Ordering::SeqCst);
        if self.laggard.load(Ordering::SeqCst) == warp && now >= self.until.load(Ordering::SeqCst) {
            self.serve(&mut self.lock());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clock(&self, warp: u32) -> u64 {
        self.clocks[warp as usize].load(Ordering::SeqCst)
    }

    /// Gives ray numbers to all waiting warps that no running warp can precede.
    fn serve(&self, state: &mut State) {
        while let Some((&(clock, warp), &rays)) = state.asking.first_key_value() {
            let last = state.running.iter().map(|&other| (self.clock(other), other)).min();
            if let Some((_, other)) = last.filter(|&last| last < (clock, warp)) {
                self.until.store(clock, Ordering::SeqCst);
                self.laggard.store(other, Ordering::SeqCst);
                // It may have come there meanwhile, and not have seen that it is waited for.
                if (self.clock(other), other) < (clock, warp) {
                    return;
                }
                continue;
            }
            state.asking.pop_first();
            state.served[warp as usize] = Some(state.next);
            state.next += u64::from(rays);
            state.running.push(warp);
            self.wake[warp as usize].notify_one();
        }
        self.laggard.store(NONE, Ordering::SeqCst);
    }
}

impl RayCounter for ClockedCounter<'_> {
    fn add(&self, warp: u32, rays: u32) -> u64 {
        let stop = [Some(&self.stopped), self.cancel];
        if stop.into_iter().flatten().any(|flag| flag.load(Ordering::Relaxed)) {
            return u64::MAX;
        }
        let mut state = self.lock();
        state.running.retain(|&other| other != warp);
        state.asking.insert((self.clock(warp), warp), rays);
        self.serve(&mut state);
        loop {
            if let Some(first) = state.served[warp as usize].take() {
                return first;
            }
            state = self.wake[warp as usize].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn whoever_has_issued_least_asks_first() {
        // Warps of speed 1, 2 and 5: when each asks, by its clock, and so what it gets.
        for _ in 0..20 {
            let counter = ClockedCounter::new(3, None);
            let got: Vec<Vec<u64>> = std::thread::scope(|scope| {
                let run = |warp: u32, time: u64| {
                    let counter = &counter;
                    move || {
                        let _leaves = counter.leaving(warp);
                        let one = |_| {
                            let first = counter.add(warp, 1);
                            counter.spend(warp, time);
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

    /// Returns the made-up time that warp `warp` takes for its rays, different for each warp and often zero.
    fn time(warp: u32, first: u64) -> u64 {
        let mixed = (first * 64 + u64::from(warp)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        if mixed.is_multiple_of(5) { 0 } else { mixed % 1000 }
    }

    #[test]
    fn many_warps_are_served_as_one_thread_would_serve_them() {
        const WARPS: u32 = 48;
        const ASKS: usize = 25;
        // Whoever's clock is least, and of these the first.
        let mut queue: BTreeSet<(u64, u32)> = (0..WARPS).map(|warp| (0, warp)).collect();
        let mut expected = vec![Vec::new(); WARPS as usize];
        let mut next = 0;
        while let Some((clock, warp)) = queue.pop_first() {
            let given: &mut Vec<u64> = &mut expected[warp as usize];
            given.push(next);
            if given.len() < ASKS {
                queue.insert((clock + time(warp, next), warp));
            }
            next += u64::from(1 + warp % 3);
        }
        for _ in 0..5 {
            let counter = ClockedCounter::new(WARPS, None);
            let run = |warp: u32| {
                let _leaves = counter.leaving(warp);
                let one = |_| {
                    let first = counter.add(warp, 1 + warp % 3);
                    // In pieces, as events come.
                    let all = time(warp, first);
                    (0..7).for_each(|piece| counter.spend(warp, (all + piece) / 7));
                    first
                };
                (0..ASKS).map(one).collect::<Vec<_>>()
            };
            let got: Vec<Vec<u64>> = std::thread::scope(|scope| {
                let run = &run;
                let threads: Vec<_> = (0..WARPS).map(|warp| scope.spawn(move || run(warp))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(got == expected);
        }
    }

    #[test]
    fn once_it_is_stopped_no_ray_is_left() {
        let stop = AtomicBool::new(true);
        assert_eq!(ClockedCounter::new(1, Some(&stop)).add(0, 32), u64::MAX);
        let counter = ClockedCounter::new(2, None);
        // Of two warps the second never starts.
        counter.stop();
        drop(counter.leaving(1));
        assert_eq!(counter.add(0, 32), u64::MAX);
    }
}
