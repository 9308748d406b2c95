//! Batches of rays for any walk: prepares each valid ray, and writes what its query found.

use crate::ids::LentIds;
use crate::probe::Probe;
use crate::query::{Any, Closest, Query, Range};
use crate::ray::WalkRay;
use raywarp_geom::{Aabb, Candidate, Hit, HitKey, Ray};

/// Valid ray that waits to be traced through the tree, with its query.
#[derive(Clone, Copy)]
pub(crate) struct Task<Q> {
    /// Index of the ray in its batch.
    pub index: usize,
    /// The ray, prepared for box and triangle tests.
    pub ray: WalkRay,
    /// Query that the ray asks: closest hit or any hit.
    pub query: Q,
}

/// Batch of rays to trace: hands out its rays in order, and takes the answers in any order.
pub(crate) trait Job {
    /// Query that each of its rays asks.
    type Query: Query;

    /// Returns the batch's rays, with the position up to which they were handed out.
    fn supply(&self) -> &Supply<'_>;

    /// Takes the next rays of the batch, up to `most`, and returns their range of indices.
    fn take(&mut self, most: usize) -> std::ops::Range<usize>;

    /// Returns the query of a valid ray without a hit key to start after, over the interval from `low` to `high`.
    fn query(&self, low: f32, high: f32) -> Self::Query;

    /// Prepares ray `index` for a tree within `bounds`; `None` if it cannot hit anything. One that cannot hit anything
    /// is answered here.
    fn prepare(&mut self, index: usize, bounds: &Aabb) -> Option<Task<Self::Query>>;

    /// Takes the answer of ray `index`.
    fn finish(&mut self, index: usize, query: &Self::Query);

    /// Returns all rays of the batch.
    #[inline(always)]
    fn rays(&self) -> &[Ray] {
        self.supply().rays
    }

    /// Returns `true` if the rays have hit keys, each of which its ray's hits must come after.
    #[inline(always)]
    fn has_keys(&self) -> bool {
        !self.supply().after.is_empty()
    }

    /// Returns the next ray of the batch that can hit anything.
    #[inline(always)]
    fn next(&mut self, bounds: &Aabb) -> Option<Task<Self::Query>> {
        loop {
            let index = self.take(1).next()?;
            if let Some(task) = self.prepare(index, bounds) {
                return Some(task);
            }
        }
    }
}

/// Rays of a batch, and the position up to which they were handed out.
pub(crate) struct Supply<'a> {
    /// Ids of the tree's triangles.
    pub ids: LentIds<'a>,
    /// Rays of the batch.
    pub rays: &'a [Ray],
    /// Hit key of each ray, which its hits must come after; or empty.
    pub after: &'a [HitKey],
    /// Index of the next ray to hand out.
    pub next: usize,
    /// Number of rays handed out that were invalid.
    pub invalid: u64,
}

impl<'a> Supply<'a> {
    pub fn new(ids: LentIds<'a>, rays: &'a [Ray], after: &'a [HitKey]) -> Self {
        Self { ids, rays, after, next: 0, invalid: 0 }
    }

    /// Takes the next rays, up to `most`, and returns their range of indices.
    #[inline(always)]
    pub fn take(&mut self, most: usize) -> std::ops::Range<usize> {
        let first = self.next;
        self.next = (first + most).min(self.rays.len());
        first..self.next
    }

    /// Returns the key that hits of ray `index` must come after.
    #[inline(always)]
    pub fn after_of(&self, index: usize) -> HitKey {
        self.after.get(index).copied().unwrap_or(HitKey::START)
    }

    /// Returns the interval from `low` to `high` for a ray without a hit key to start after.
    #[inline(always)]
    pub fn range(&self, low: f32, high: f32) -> Range<'a> {
        Range { low, high, after: HitKey::START, ids: self.ids }
    }

    /// Returns ray `index` prepared for a tree within `bounds`, with its interval; `None` if it cannot hit anything.
    #[inline(always)]
    pub fn prepare(&mut self, index: usize, bounds: &Aabb) -> Option<(WalkRay, Range<'a>)> {
        let after = self.after_of(index);
        let Some(prepared) = WalkRay::new(&self.rays[index], &after, bounds) else {
            self.invalid += 1;
            return None;
        };
        // Nothing comes after a NaN.
        (!after.t.is_nan()).then(|| (prepared, Range { after, ..self.range(prepared.t_low, prepared.t_high) }))
    }
}

/// Batch of closest-hit queries, with an observer (probe) for each ray.
pub(crate) struct ClosestJob<'a, P> {
    /// Rays of the batch, and the position up to which they were handed out.
    pub supply: Supply<'a>,
    /// Closest hit of each ray, or empty.
    pub hits: &'a mut [Hit],
    /// Instance that each ray hit, or empty.
    pub instances: &'a mut [u32],
    /// Observer of each ray's traversal, or empty.
    pub probes: &'a mut [P],
}

impl<'a, P: Probe + Default> Job for ClosestJob<'a, P> {
    type Query = Closest<'a, P>;

    #[inline(always)]
    fn supply(&self) -> &Supply<'_> {
        &self.supply
    }

    #[inline(always)]
    fn take(&mut self, most: usize) -> std::ops::Range<usize> {
        self.supply.take(most)
    }

    #[inline(always)]
    fn query(&self, low: f32, high: f32) -> Self::Query {
        Closest::new(self.supply.range(low, high), P::default())
    }

    #[inline(always)]
    fn prepare(&mut self, index: usize, bounds: &Aabb) -> Option<Task<Self::Query>> {
        if let Some((ray, range)) = self.supply.prepare(index, bounds) {
            return Some(Task { index, ray, query: Closest::new(range, P::default()) });
        }
        self.write(index, Hit::miss(self.supply.rays[index].t_max), Hit::MISS, P::default());
        None
    }

    #[inline(always)]
    fn finish(&mut self, index: usize, query: &Self::Query) {
        let (hit, instance) = query.finish(self.supply.rays[index].t_max);
        self.write(index, hit, instance, query.probe);
    }
}

impl<P> ClosestJob<'_, P> {
    #[inline(always)]
    fn write(&mut self, index: usize, hit: Hit, instance: u32, probe: P) {
        if let Some(slot) = self.hits.get_mut(index) {
            *slot = hit;
        }
        if let Some(slot) = self.instances.get_mut(index) {
            *slot = instance;
        }
        if let Some(slot) = self.probes.get_mut(index) {
            *slot = probe;
        }
    }
}

/// Batch of any-hit queries.
pub(crate) struct AnyJob<'a> {
    /// Rays of the batch, and the position up to which they were handed out.
    pub supply: Supply<'a>,
    /// One bit for each ray, set if something opaque is in its way; clear before the job begins.
    pub blocked: &'a mut [u32],
    /// Receives the first non-opaque hits of rays that no opaque surface blocks, in any order.
    pub undecided: &'a mut Vec<Candidate>,
}

impl<'a> Job for AnyJob<'a> {
    type Query = Any<'a>;

    #[inline(always)]
    fn supply(&self) -> &Supply<'_> {
        &self.supply
    }

    #[inline(always)]
    fn take(&mut self, most: usize) -> std::ops::Range<usize> {
        self.supply.take(most)
    }

    #[inline(always)]
    fn query(&self, low: f32, high: f32) -> Self::Query {
        Any::new(self.supply.range(low, high))
    }

    #[inline(always)]
    fn prepare(&mut self, index: usize, bounds: &Aabb) -> Option<Task<Self::Query>> {
        let (ray, range) = self.supply.prepare(index, bounds)?;
        Some(Task { index, ray, query: Any::new(range) })
    }

    #[inline(always)]
    fn finish(&mut self, index: usize, query: &Self::Query) {
        query.finish().write(index, self.blocked, self.undecided);
    }
}
