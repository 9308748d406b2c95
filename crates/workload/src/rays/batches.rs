//! Batches of the rays of a kind, made one at a time, or as a sample: together they would fill the memory.

use super::order::{Permutation, sort_morton, sort_published};
use super::{RayKind, ViewRays, Workload};
use rayon::prelude::*;
use raywarp_geom::Ray;
use raywarp_sample::hash::pcg;

/// Number of rays in a batch; the last one may have fewer (2^20, as in AL09's benchmark).
pub const BATCH: usize = 1 << 20;

/// Order in which the rays of a benchmark come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The workload's own order, sorted for some workloads.
    #[default]
    Workload,
    /// The order in which the workload makes the rays, with each batch then sorted by
    /// [`morton_key`](super::morton_key).
    Morton,
    /// A random order, shuffled across all batches with this seed (AL09 6).
    Shuffled(u32),
}

/// Rays of one kind from a view, made batch by batch on demand. Nothing is held but the primary hits.
#[derive(Debug, Clone, Copy)]
pub struct Batches<'a> {
    view: &'a ViewRays,
    kind: RayKind,
    rays_per_pixel: u32,
    sorted: bool,
    /// `true` if batches are sorted by the key of the published benchmark (ALK12).
    published: bool,
    shuffled: Option<Permutation>,
    ray_count: u64,
}

impl<'a> Batches<'a> {
    pub(super) fn new(view: &'a ViewRays, kind: RayKind, rays_per_pixel: u32, order: Order) -> Self {
        let ray_count = match kind {
            RayKind::Primary => view.primary().len() as u64,
            RayKind::Ao | RayKind::Diffuse => view.points().len() as u64 * u64::from(rays_per_pixel),
        };
        let by_workload = view.workload().sorts(kind);
        let published = view.workload() == Workload::Alk12 && order == Order::Workload;
        let (sorted, shuffled) = match order {
            Order::Workload => (by_workload, None),
            Order::Morton => (true, None),
            Order::Shuffled(seed) => (false, Some(Permutation::new(ray_count, seed))),
        };
        Self { view, kind, rays_per_pixel, sorted, published, shuffled, ray_count }
    }

    /// Returns the kind of the rays: primary, ambient occlusion or diffuse.
    pub fn kind(&self) -> RayKind {
        self.kind
    }

    /// Returns the number of rays in all batches.
    pub fn ray_count(&self) -> u64 {
        self.ray_count
    }

    /// Returns the number of batches.
    pub fn count(&self) -> usize {
        self.ray_count.div_ceil(BATCH as u64) as usize
    }

    /// Makes the rays of batch `index`, at most [`BATCH`]; none past the last batch.
    pub fn batch(&self, index: usize) -> Vec<Ray> {
        let start = (index as u64).saturating_mul(BATCH as u64).min(self.ray_count);
        let mut rays = self.range(start, (start + BATCH as u64).min(self.ray_count));
        match (self.sorted, self.published) {
            (false, _) => {}
            (true, false) => sort_morton(&mut rays),
            (true, true) => sort_published(&mut rays),
        }
        rays
    }

    /// Makes a sample of about one in `every` rays, as chunks of `chunk_len` consecutive rays. The warps of a chunk are
    /// those of the whole: of each `every` consecutive chunks a hash picks one (always the first would pick the same
    /// pixels for each sample). Chunks are whole, unless there are fewer rays.
    ///
    /// Only these rays are made; of sorted batches, which must be made whole, only some evenly spaced
    /// ones are, four if there are so many, and more chunks taken of each.
    ///
    /// `chunk_len` and `every` count as at least 1.
    pub fn sample(&self, chunk_len: usize, every: usize) -> Vec<Ray> {
        self.draw(chunk_len, every, 0)
    }

    /// Makes one of many samples of about one in `every` rays, of which [`Batches::sample`] is number 0. They are made
    /// alike, by other chunks and, of sorted batches, by other batches, so that their spread is that of a sample.
    pub fn draw(&self, chunk_len: usize, every: usize, number: u32) -> Vec<Ray> {
        let (chunk_len, every) = (chunk_len.max(1) as u64, every.max(1) as u64);
        if !self.sorted {
            let picks = picks(self.ray_count, chunk_len, every, number);
            return picks.into_par_iter().flat_map_iter(|(from, to)| (from..to).map(|i| self.ray(i))).collect();
        }
        let count = self.count() as u64;
        // Each `step`-th chunk of `used` batches, so that used / step is count / every.
        let used = batches_made(count, every);
        let mut sample = Vec::new();
        for pick in 0..used {
            let shift = u64::from(number) % (count / used).max(1);
            let batch = self.batch(((pick * count / used + shift) % count) as usize);
            let step = (every.saturating_mul(used) / count).max(1);
            for (from, to) in picks(batch.len() as u64, chunk_len, step, number) {
                sample.extend_from_slice(&batch[from as usize..to as usize]);
            }
        }
        sample
    }

    /// Makes the rays from index `from` up to `to`, without sorting.
    fn range(&self, from: u64, to: u64) -> Vec<Ray> {
        let count = (to - from) as usize;
        (0..count).into_par_iter().with_min_len(4096).map(|i| self.ray(from + i as u64)).collect()
    }

    fn ray(&self, place: u64) -> Ray {
        let index = self.shuffled.map_or(place, |permutation| permutation.at(place));
        let (view, samples) = (self.view, u64::from(self.rays_per_pixel));
        let (point, sample) = match (self.kind, view.workload()) {
            (RayKind::Primary, _) => return view.primary()[index as usize],
            (_, Workload::Raywarp) => {
                let points = view.points().len() as u64;
                (index % points, index / points)
            }
            (_, Workload::Al09 | Workload::G14 | Workload::Alk12) => (index / samples, index % samples),
        };
        view.secondary(self.kind, &view.points()[point as usize], sample as u32, self.rays_per_pixel)
    }
}

/// Returns how many of `count` sorted batches are made for a sample of one in `every` rays: sorted ones are made whole,
/// and a sample is of four at least.
pub fn batches_made(count: u64, every: u64) -> u64 {
    count.div_ceil(every.max(1)).max(4).min(count)
}

/// Returns a sample of about one in `every` of the given rays, by the chunks that [`Batches::sample`] takes of unsorted
/// ones.
pub fn sample_of(rays: &[Ray], chunk_len: usize, every: usize) -> Vec<Ray> {
    let picks = picks(rays.len() as u64, chunk_len.max(1) as u64, every.max(1) as u64, 0);
    picks.into_iter().flat_map(|(from, to)| rays[from as usize..to as usize].iter().copied()).collect()
}

/// Picks one of each `every` consecutive whole chunks of the indices `0 .. len`, and returns their start and end. With
/// `every` 1 all are picked: the last chunk, which is not whole, too. Each `number` has other picks.
fn picks(len: u64, chunk_len: u64, every: u64, number: u32) -> Vec<(u64, u64)> {
    let chunks = (len / chunk_len).max(1);
    let pick = |(i, first): (usize, u64)| {
        let choices = every.min(chunks - first);
        let chunk = first + u64::from(pcg((i as u32).wrapping_add(number.wrapping_mul(0x9E37_79B9)))) % choices;
        let is_last_of_all = every == 1 && chunk + 1 == chunks;
        let end = if is_last_of_all { len } else { (chunk + 1).saturating_mul(chunk_len).min(len) };
        (chunk * chunk_len, end)
    };
    (0..chunks).step_by(usize::try_from(every).unwrap_or(usize::MAX)).enumerate().map(pick).collect()
}
