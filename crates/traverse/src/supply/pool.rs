//! Pools of rays: the rays that a warp may take.

use std::fmt::Debug;

/// Counter from which warps that run at the same time take rays; it decides in which order they ask.
pub trait RayCounter: Debug + Sync {
    /// Adds `rays` to the counter for warp `warp`, and returns its value before. Rays past the launch's last are none.
    fn add(&self, warp: u32, rays: u32) -> u64;
}

/// Rays that a warp has taken and not yet traced, and the source of more.
///
/// Persistent warps take batches from a global counter, whoever asks first. In a simulation without
/// time every warp asks as often as the others: batches are dealt round robin, so that a warp's
/// batches lie as far apart as on a machine full of warps. A warp that asks for exactly as many rays as it
/// has idle lanes is dealt a warp's worth at a time, too: its rays lie together as they would, but for
/// where one portion ends and the next begins.
#[derive(Debug, Clone)]
pub(crate) struct Pool<'a> {
    /// Range of rays that the warp has taken and not yet given to lanes.
    local: std::ops::Range<u32>,
    /// Index of the first ray of the next batch, if there is one.
    next_batch: Option<u64>,
    batch: u32,
    /// Number of rays from one batch of this warp to the next; 0 for a warp that gets one batch only.
    stride: u64,
    ray_count: u32,
    /// `true` if the warp takes exactly as many rays as it has idle lanes, and keeps none in reserve.
    exact: bool,
    /// Counter shared with other warps, and the index of this warp; `None` where batches are dealt round robin.
    shared: Option<(&'a dyn RayCounter, u32)>,
}

impl<'a> Pool<'a> {
    /// Makes the pool of warp `warp` with `width` rays, taken once.
    pub fn direct(warp: u32, width: u32, ray_count: u32) -> Self {
        let first = u64::from(warp) * u64::from(width);
        Self { local: 0..0, next_batch: Some(first), batch: width, stride: 0, ray_count, exact: false, shared: None }
    }

    /// Makes the pool of warp `warp`, with batches of `batch` rays that are dealt round robin to `resident` warps.
    pub fn dealt(warp: u32, batch: u32, resident: u32, ray_count: u32) -> Self {
        let (warp, size) = (u64::from(warp), u64::from(batch));
        let stride = size * u64::from(resident);
        Self { local: 0..0, next_batch: Some(warp * size), batch, stride, ray_count, exact: false, shared: None }
    }

    /// Makes a pool dealt round robin for a warp of `width` rays that takes exactly as many as it has idle lanes.
    pub fn exact(warp: u32, width: u32, resident: u32, ray_count: u32) -> Self {
        Self { exact: true, ..Self::dealt(warp, width, resident, ray_count) }
    }

    /// Makes the pool take its rays from a counter shared with warps that run at the same time.
    pub fn shared(self, counter: &'a dyn RayCounter, warp: u32) -> Self {
        Self { next_batch: Some(0), shared: Some((counter, warp)), ..self }
    }

    /// Takes exactly `rays` from a shared counter; does nothing where rays are dealt round robin.
    pub fn ask(&mut self, rays: u32) {
        let Some((counter, warp)) = self.shared.filter(|_| self.next_batch.is_some()) else { return };
        let count = u64::from(self.ray_count);
        let first = counter.add(warp, rays).min(count);
        let end = (first + u64::from(rays)).min(count);
        self.local = first as u32..end as u32;
        self.next_batch = (end < count).then_some(end);
    }

    /// Returns `true` if the pool is refilled from a global counter.
    pub fn is_global(&self) -> bool {
        self.stride > 0
    }

    /// Returns `true` if the warp takes exactly as many rays as it has idle lanes.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns `true` if no rays are left that the warp took earlier.
    pub fn is_empty(&self) -> bool {
        self.local.is_empty()
    }

    /// Takes the next batch of rays; returns `false` when there is none.
    pub fn take_batch(&mut self) -> bool {
        if self.shared.is_some() {
            if self.exact {
                return false;
            }
            let more = self.next_batch;
            self.ask(self.batch);
            // Who asks for batches learns that there are no more by getting none.
            self.next_batch = more.filter(|_| !self.local.is_empty());
            return !self.local.is_empty();
        }
        let Some(first) = self.next_batch.filter(|&first| first < u64::from(self.ray_count)) else {
            self.next_batch = None;
            return false;
        };
        let end = (first + u64::from(self.batch)).min(u64::from(self.ray_count));
        self.local = first as u32..end as u32;
        self.next_batch = self.is_global().then_some(first + self.stride);
        true
    }

    /// Returns `true` if the warp knows that no more rays will come: it has asked in vain, or gets one batch only. A
    /// warp that asks for exactly what it needs sees from the counter that it got the last.
    pub fn is_dry(&self) -> bool {
        let last = |first: u64| self.exact && first >= u64::from(self.ray_count);
        self.is_empty() && self.next_batch.is_none_or(last)
    }
}

impl Iterator for Pool<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.exact && self.local.is_empty() {
            self.take_batch();
        }
        self.local.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(mut pool: Pool<'_>) -> Vec<u32> {
        let mut rays = Vec::new();
        while pool.take_batch() {
            rays.extend(&mut pool);
        }
        assert!(pool.is_dry());
        rays
    }

    #[derive(Debug, Default)]
    struct Counter(std::sync::atomic::AtomicU64);

    impl RayCounter for Counter {
        fn add(&self, _: u32, rays: u32) -> u64 {
            self.0.fetch_add(u64::from(rays), std::sync::atomic::Ordering::Relaxed)
        }
    }

    #[test]
    fn warps_that_share_a_counter_take_each_ray_once() {
        let counter = Counter::default();
        let mut pools = [0, 1].map(|warp| Pool::dealt(warp, 96, 2, 300).shared(&counter, warp));
        let mut all = Vec::new();
        for next in [0, 1, 1, 1, 0, 1] {
            if pools[next].take_batch() {
                all.extend(&mut pools[next]);
            }
        }
        assert_eq!(all, (0..300).collect::<Vec<_>>());
        assert!(pools.iter().all(Pool::is_dry));
        let counter = Counter::default();
        let mut pools = [0, 1].map(|warp| Pool::exact(warp, 32, 2, 40).shared(&counter, warp));
        // Exactly what is asked for, side by side; the one that got the last knows it.
        pools[0].ask(32);
        pools[1].ask(5);
        assert_eq!((pools[0].by_ref().count(), pools[1].by_ref().collect::<Vec<_>>()), (32, (32..37).collect()));
        assert!(!pools[0].take_batch() && !pools[0].is_dry());
        pools[0].ask(7);
        assert_eq!(pools[0].by_ref().collect::<Vec<_>>(), [37, 38, 39]);
        assert!(pools[0].is_dry() && !pools[1].is_dry());
    }

    #[test]
    fn every_ray_is_dealt_once() {
        for (count, batch, resident) in [(0, 96, 3), (1, 96, 3), (1000, 96, 3), (1000, 1, 7), (95, 96, 2)] {
            let mut all: Vec<u32> =
                (0..resident).flat_map(|warp| drain(Pool::dealt(warp, batch, resident, count))).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
        for (count, resident) in [(0, 3), (1, 3), (1000, 3), (95, 1)] {
            let mut all: Vec<u32> = (0..resident).flat_map(|warp| Pool::exact(warp, 32, resident, count)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
        assert_eq!(drain(Pool::direct(2, 32, 70)), (64..70).collect::<Vec<_>>());
        assert_eq!(drain(Pool::direct(3, 32, 70)), []);
    }
}
