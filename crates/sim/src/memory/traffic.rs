//! Traffic to the second cache and memory, by a model of both caches: least recently used, fully associative, warps
//! round robin. Hit rates of real caches are lower or higher by chance of order; this says what their sizes can do.

use super::address::{AddressMap, Region};
use super::cache::Lru;
use super::wavefronts::{LINE, SECTOR};
use crate::source::resident_warps;
use rayon::prelude::*;
use raywarp_geom::Ray;
use raywarp_traverse::{Batch, Execution, Kernel, KernelError, Probe, Query, Touch, WarpEvent};
use std::collections::HashSet;

/// Sizes of a machine's caches, with how many warps share them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caches {
    /// Bytes of each multiprocessor's first cache (L1).
    pub l1_bytes: u64,
    /// Bytes of the second cache (L2).
    pub l2_bytes: u64,
    /// Number of the machine's multiprocessors.
    pub multiprocessors: u32,
    /// Number of resident warps of each multiprocessor.
    pub warps: u32,
}

/// Memory traffic of a launch in a model of the caches, in sectors of 32 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of rays that were traced.
    pub rays: u64,
    /// Number of sectors that loads asked the first caches for.
    pub asked: u64,
    /// Number of sectors that the first caches asked the second for.
    pub missed_l1: u64,
    /// Number of sectors that stores sent to the second cache.
    pub stored: u64,
    /// Number of sectors of loads that the second cache asked memory for.
    pub missed_l2: u64,
    /// Number of sectors that the second cache asked for again after dropping them; all others must be read once.
    pub again: u64,
    /// Counts of load events by [`Region`].
    pub loads: [LoadEvents; Region::ALL.len()],
}

/// Counts of warps' events that load from a region, each with all its lanes and words as one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoadEvents {
    /// Number of events that load from the region.
    pub all: u64,
    /// Number of loads of which any sector missed the first cache.
    pub missed: u64,
    /// Number of loads of which any sector came from memory after the second cache had dropped it.
    pub again: u64,
    /// Number of requests to the second cache: a sector each of nodes, triangles and stacks, whose sectors are loaded
    /// by instructions of their own, and a line each of rays, which warps load side by side.
    pub requests: u64,
}

impl Traffic {
    /// Returns the sums of both launches' traffic.
    #[must_use]
    pub fn plus(self, other: &Self) -> Self {
        Self {
            rays: self.rays + other.rays,
            asked: self.asked + other.asked,
            missed_l1: self.missed_l1 + other.missed_l1,
            stored: self.stored + other.stored,
            missed_l2: self.missed_l2 + other.missed_l2,
            again: self.again + other.again,
            loads: std::array::from_fn(|region| self.loads[region].plus(other.loads[region])),
        }
    }

    /// Returns the fraction of the loads' sectors that hit the first caches, 0 to 1.
    pub fn l1_hit_share(&self) -> f64 {
        1.0 - self.missed_l1 as f64 / self.asked as f64
    }

    /// Returns the bytes between the first and second caches, per ray.
    pub fn l2_bytes_per_ray(&self) -> f64 {
        (SECTOR * (self.missed_l1 + self.stored)) as f64 / self.rays as f64
    }
}

impl LoadEvents {
    fn plus(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            missed: self.missed + other.missed,
            again: self.again + other.again,
            requests: self.requests + other.requests,
        }
    }
}

/// A request to a cache: a line, a mask of its sectors, and whether they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Request {
    line: u64,
    sectors: u8,
    write: bool,
}

/// Requests of a warp, with the index where those of each event end.
#[derive(Debug, Clone, Default)]
struct Stream {
    requests: Vec<Request>,
    ends: Vec<u32>,
    rays: u64,
}

/// Probe that records the cache requests of a warp.
struct Recorder {
    map: AddressMap,
    stream: Stream,
}

/// Bit position of the region in a line's number; the bits below it are the line's number in the region.
const REGION_SHIFT: u32 = 56;

impl Recorder {
    fn touch(&mut self, touch: &Touch, from: usize) {
        let place = self.map.place(touch);
        if matches!(place.region, Region::Shared | Region::Counter) {
            return;
        }
        for k in 0..place.chunks {
            let address = place.address(k);
            let line = (place.region as u64) << REGION_SHIFT | (address / LINE);
            let bit = 1u8 << (address % LINE / SECTOR);
            let same = |request: &&mut Request| request.line == line && request.write == touch.write;
            match self.stream.requests[from..].iter_mut().rev().find(same) {
                Some(request) => request.sectors |= bit,
                None => self.stream.requests.push(Request { line, sectors: bit, write: touch.write }),
            }
        }
    }
}

impl Probe for Recorder {
    fn touches(&self) -> bool {
        true
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        let from = self.stream.requests.len();
        event.touches.iter().for_each(|touch| self.touch(touch, from));
        if self.stream.requests.len() > from {
            self.stream.ends.push(self.stream.requests.len() as u32);
        }
    }
}

/// Traces `rays`, at most as many as fill `most_warps` warps of `width` lanes dealt by a pool, and sends their accesses
/// through a model of the caches. Fewer multiprocessors than there are take part where the rays are too few for all.
///
/// # Errors
/// As [`crate::profile`].
pub fn traffic(
    kernel: &Kernel,
    rays: &[Ray],
    query: Query,
    width: u32,
    most_warps: u32,
    caches: Caches,
) -> Result<Traffic, KernelError> {
    let machine = Execution::Lockstep { width };
    let per_warp = (width / kernel.variant().lanes_per_ray()).max(1) as usize;
    let rays = &rays[..rays.len().min(most_warps as usize * per_warp)];
    let batch = Batch { rays, after: &[], query, resident: resident_warps(kernel.variant(), width, rays.len() as u64) };
    let run = |number| {
        let map = AddressMap::new(kernel.variant(), width);
        let mut recorder = Recorder { map, stream: Stream::default() };
        let mut answers = Vec::new();
        kernel.run_warp(machine, &batch, number, &mut answers, Some(&mut recorder))?;
        recorder.stream.rays = answers.len() as u64;
        Ok(recorder.stream)
    };
    let streams: Vec<Stream> =
        (0..kernel.warp_count(machine, &batch)?).into_par_iter().map(run).collect::<Result<_, KernelError>>()?;
    Ok(through(&streams, caches))
}

/// Sends recorded requests through the caches: resident warps run round robin, one event each; where one ends the next
/// begins.
fn through(streams: &[Stream], caches: Caches) -> Traffic {
    let lines = |bytes: u64| (bytes / LINE) as usize;
    // Each should see some warps come and go.
    let fitting = streams.len() as u32 / (2 * caches.warps.max(1));
    let count = caches.multiprocessors.min(fitting).max(1);
    let mut first: Vec<Lru> = (0..count).map(|_| Lru::new(lines(caches.l1_bytes))).collect();
    let mut second = Lru::new(lines(caches.l2_bytes));
    let mut seen: HashSet<(u64, u32)> = HashSet::new();
    let mut sum = Traffic { rays: streams.iter().map(|stream| stream.rays).sum(), ..Traffic::default() };
    let slots = count * caches.warps.max(1);
    let mut next = 0;
    // For each slot the warp and its next event.
    let mut running: Vec<Option<(usize, usize)>> = vec![None; slots as usize];
    loop {
        let mut idle = true;
        for (slot, place) in running.iter_mut().enumerate() {
            if place.is_none_or(|(warp, event)| event == streams[warp].ends.len()) {
                *place = (next < streams.len()).then_some((next, 0));
                next += 1;
            }
            let Some((warp, event)) = place else { continue };
            idle = false;
            let stream = &streams[*warp];
            let Some(&end) = stream.ends.get(*event) else { continue };
            let begin = event.checked_sub(1).map_or(0, |before| stream.ends[before]);
            *event += 1;
            // Blocks of four warps stay together.
            let multiprocessor = slot / 4 % count as usize;
            // A bit a region.
            let (mut loaded, mut missing, mut dropped) = (0u32, 0u32, 0u32);
            for request in &stream.requests[begin as usize..end as usize] {
                let region = request.line >> REGION_SHIFT;
                // A stack is its slot's own.
                let is_stack = region == Region::Stacks as u64;
                let line = if is_stack { request.line | (slot as u64) << 32 } else { request.line };
                let sectors = u32::from(request.sectors);
                if request.write && !is_stack {
                    sum.stored += u64::from(sectors.count_ones());
                    continue;
                }
                let missed = first[multiprocessor].access(line, sectors).missed;
                if request.write {
                    // Written before it is read: nothing is fetched.
                    continue;
                }
                sum.asked += u64::from(sectors.count_ones());
                sum.missed_l1 += u64::from(missed.count_ones());
                loaded |= 1 << region;
                if missed != 0 {
                    missing |= 1 << region;
                    let is_ray = region == Region::Rays as u64;
                    sum.loads[region as usize].requests += if is_ray { 1 } else { u64::from(missed.count_ones()) };
                    let missed = second.access(line, missed).missed;
                    sum.missed_l2 += u64::from(missed.count_ones());
                    let again = (0..4).filter(|bit| missed >> bit & 1 == 1 && !seen.insert((line, *bit))).count();
                    sum.again += again as u64;
                    dropped |= u32::from(again > 0) << region;
                }
            }
            for (region, loads) in sum.loads.iter_mut().enumerate() {
                let of = |bits: u32| u64::from(bits >> region & 1);
                *loads =
                    loads.plus(LoadEvents { all: of(loaded), missed: of(missing), again: of(dropped), requests: 0 });
            }
        }
        if idle {
            return sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: u64, sectors: u8) -> Request {
        Request { line, sectors, write: false }
    }

    /// Returns the requests of a warp that asks for one line an event.
    fn stream(requests: &[Request]) -> Stream {
        Stream { requests: requests.to_vec(), ends: (1..=requests.len() as u32).collect(), rays: 32 }
    }

    fn caches(l1_lines: u64, l2_lines: u64, warps: u32) -> Caches {
        Caches { l1_bytes: 128 * l1_lines, l2_bytes: 128 * l2_lines, multiprocessors: 1, warps }
    }

    #[test]
    fn what_fits_misses_once_and_what_does_not_misses_again() {
        let round: Vec<Request> = (0..3).flat_map(|_| (0..8).map(|line| request(line, 0b11))).collect();
        let fits = through(&[stream(&round)], caches(8, 8, 1));
        assert_eq!((fits.asked, fits.missed_l1, fits.missed_l2, fits.again), (48, 16, 16, 0));
        // Round and round through one line less is the worst case of this order.
        let first = through(&[stream(&round)], caches(7, 8, 1));
        assert_eq!((first.missed_l1, first.missed_l2, first.again), (48, 16, 0));
        let neither = through(&[stream(&round)], caches(7, 7, 1));
        assert_eq!((neither.missed_l1, neither.missed_l2, neither.again), (48, 48, 32));
        assert!((fits.l1_hit_share() - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn warps_run_round_robin_and_share() {
        // Two warps that follow each other through lines that one cache cannot hold at once.
        let walk = stream(&(0..100).map(|line| request(line, 1)).collect::<Vec<_>>());
        let together = through(&[walk.clone(), walk.clone()], caches(4, 1000, 2));
        assert_eq!(together.missed_l1, 100);
        let apart = through(&[walk.clone(), walk], caches(4, 1000, 1));
        assert_eq!((apart.missed_l1, apart.missed_l2), (200, 100));
    }

    #[test]
    fn stores_go_past_and_stacks_are_their_slots_own() {
        let stack = (Region::Stacks as u64) << REGION_SHIFT;
        let hit = (Region::Hits as u64) << REGION_SHIFT;
        let warp = stream(&[
            Request { line: stack, sectors: 1, write: true },
            request(stack, 1),
            Request { line: hit, sectors: 3, write: true },
        ]);
        let sum = through(&[warp.clone(), warp], caches(8, 8, 2));
        assert_eq!((sum.asked, sum.missed_l1, sum.stored, sum.rays), (2, 0, 4, 64));
        // Each slot reads its own, and the next warp in a slot finds what was there.
        let reader = stream(&[request(stack, 1)]);
        assert_eq!(through(&vec![reader.clone(); 2], caches(8, 8, 2)).missed_l1, 2);
        assert_eq!(through(&vec![reader; 2], caches(8, 8, 1)).missed_l1, 1);
    }
}
