//! Batches of rays for any walk: prepares each valid ray, and writes what its query found.

use crate::probe::Probe;
use crate::query::{Any, Closest, Query, Range, Verdict};
use crate::ray::WalkRay;
use raywarp_geom::{Aabb, Candidate, Hit, HitKey, PrimitiveId, Ray};

/// A ray to be walked.
#[derive(Clone, Copy)]
pub(crate) struct Task<Q> {
    /// Number of the ray in the batch.
    pub index: usize,
    /// The ray, prepared.
    pub ray: WalkRay,
    /// Query that the ray asks.
    pub query: Q,
}

/// A batch: hands out its rays in order, and takes the answers in any.
pub(crate) trait Job {
    /// Query that each of its rays asks.
    type Query: Query;

    /// Returns its rays and how far they have come.
    fn supply(&self) -> &Supply<'_>;

    /// Takes up to `most` rays that come next.
    fn take(&mut self, most: usize) -> std::ops::Range<usize>;

    /// Returns the query of a valid ray without a key, from `low` to `high`.
    fn query(&self, low: f32, high: f32) -> Self::Query;

    /// Prepares any ray `index` for a tree within `bounds`. One that cannot hit anything is answered here.
    fn prepare(&mut self, index: usize, bounds: &Aabb) -> Option<Task<Self::Query>>;

    /// Takes the answer of ray `index`.
    fn finish(&mut self, index: usize, query: &Self::Query);

    /// Returns all of its rays.
    #[inline(always)]
    fn rays(&self) -> &[Ray] {
        self.supply().rays
    }

    /// Returns `true` if its rays have keys that hits must come after.
    #[inline(always)]
    fn has_keys(&self) -> bool {
        !self.supply().after.is_empty()
    }

    /// Returns the next ray that can hit anything.
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

/// Rays of a batch, and how far they have come.
pub(crate) struct Supply<'a> {
    /// Ids of the flat triangles.
    pub ids: &'a [PrimitiveId],
    /// Rays of the batch.
    pub rays: &'a [Ray],
    /// One a ray, or empty.
    pub after: &'a [HitKey],
    /// The ray that comes next.
    pub next: usize,
    /// Rays handed in that were invalid.
    pub invalid: u64,
}

impl<'a> Supply<'a> {
    pub fn new(ids: &'a [PrimitiveId], rays: &'a [Ray], after: &'a [HitKey]) -> Self {
        Self { ids, rays, after, next: 0, invalid: 0 }
    }

    /// Takes the numbers of up to `most` rays that come next.
    #[inline(always)]
    fn take(&mut self, most: usize) -> std::ops::Range<usize> {
        let first = self.next;
        self.next = (first + most).min(self.rays.len());
        first..self.next
    }

    /// Returns the interval of a ray without a key.
    #[inline(always)]
    fn range(&self, low: f32, high: f32) -> Range<'a> {
        Range { low, high, after: HitKey::START, ids: self.ids }
    }

    /// Returns the ray with its range unless it cannot hit anything.
    #[inline(always)]
    fn prepare(&mut self, index: usize, bounds: &Aabb) -> Option<(WalkRay, Range<'a>)> {
        let after = self.after.get(index).copied().unwrap_or(HitKey::START);
        let Some(prepared) = WalkRay::new(&self.rays[index], &after, bounds) else {
            self.invalid += 1;
            return None;
        };
        // Nothing comes after a NaN.
        (!after.t.is_nan()).then(|| (prepared, Range { after, ..self.range(prepared.t_low, prepared.t_high) }))
    }
}

/// A closest-hit batch, with a probe a ray.
pub(crate) struct ClosestJob<'a, P> {
    /// Rays, and how far they have come.
    pub supply: Supply<'a>,
    /// One a ray, or empty.
    pub hits: &'a mut [Hit],
    /// One a ray, or empty.
    pub instances: &'a mut [u32],
    /// One a ray, or empty.
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

/// An any-hit batch.
pub(crate) struct AnyJob<'a> {
    /// Rays, and how far they have come.
    pub supply: Supply<'a>,
    /// A bit a ray, cleared by whoever makes the job.
    pub blocked: &'a mut [u32],
    /// Gets the candidates as their rays finish, in any order.
    pub undecided: &'a mut Vec<Candidate>,
    /// Number that the candidates give to the first ray of this batch.
    pub first_ray: usize,
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
        match query.finish() {
            Verdict::Free => {}
            Verdict::Blocked => self.blocked[index / 32] |= 1 << (index % 32),
            Verdict::Undecided(hit, instance) => {
                let ray = (self.first_ray + index) as u32;
                self.undecided.push(Candidate { ray, instance, hit });
            }
        }
    }
}
