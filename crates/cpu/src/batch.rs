//! Batches of rays for any walk: prepares each valid ray, and writes what its query found.

use crate::probe::Probe;
use crate::query::{Any, Closest, Query, Range, Verdict};
use crate::ray::WalkRay;
use raywarp_geom::{Aabb, Candidate, Hit, HitKey, PrimitiveId, Ray};

/// A ray to be walked.
#[derive(Clone, Copy)]
pub(crate) struct Task<Q> {
    /// Its number in the batch.
    pub index: usize,
    /// The ray, prepared.
    pub ray: WalkRay,
    /// What it looks for.
    pub query: Q,
}

/// A batch: hands out its rays in order, and takes them back in any.
pub(crate) trait Job {
    /// What its rays look for.
    type Query: Query;
    /// The next ray, for a tree within `bounds`. Rays that cannot hit anything are answered here.
    fn next(&mut self, bounds: &Aabb) -> Option<Task<Self::Query>>;
    /// Takes the answer.
    fn finish(&mut self, task: Task<Self::Query>);
}

/// What the batches share: the rays and how far they have come.
pub(crate) struct Supply<'a> {
    /// Ids of the flat triangles.
    pub ids: &'a [PrimitiveId],
    /// The rays.
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

    /// The next ray's number, and the ray with its range unless it cannot hit anything.
    #[inline(always)]
    fn take(&mut self, bounds: &Aabb) -> Option<(usize, Option<(WalkRay, Range<'a>)>)> {
        let index = self.next;
        let ray = self.rays.get(index)?;
        self.next += 1;
        let after = self.after.get(index).copied().unwrap_or(HitKey::START);
        let Some(prepared) = WalkRay::new(ray, &after, bounds) else {
            self.invalid += 1;
            return Some((index, None));
        };
        // Nothing comes after a NaN.
        if after.t.is_nan() {
            return Some((index, None));
        }
        let range = Range { low: prepared.t_low, high: prepared.t_high, after, ids: self.ids };
        Some((index, Some((prepared, range))))
    }
}

/// A closest-hit batch, with a probe a ray.
pub(crate) struct ClosestJob<'a, P> {
    /// The rays.
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
    fn next(&mut self, bounds: &Aabb) -> Option<Task<Self::Query>> {
        loop {
            let (index, ready) = self.supply.take(bounds)?;
            if let Some((ray, range)) = ready {
                return Some(Task { index, ray, query: Closest::new(range, P::default()) });
            }
            self.write(index, Hit::miss(self.supply.rays[index].t_max), Hit::MISS, P::default());
        }
    }

    #[inline(always)]
    fn finish(&mut self, task: Task<Self::Query>) {
        let (hit, instance) = task.query.finish(self.supply.rays[task.index].t_max);
        self.write(task.index, hit, instance, task.query.probe);
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
    /// The rays.
    pub supply: Supply<'a>,
    /// A bit a ray, cleared by whoever makes the job.
    pub blocked: &'a mut [u32],
    /// Gets the candidates as their rays finish, in any order.
    pub undecided: &'a mut Vec<Candidate>,
    /// What the candidates call the first ray.
    pub first_ray: usize,
}

impl<'a> Job for AnyJob<'a> {
    type Query = Any<'a>;

    #[inline(always)]
    fn next(&mut self, bounds: &Aabb) -> Option<Task<Self::Query>> {
        loop {
            let (index, ready) = self.supply.take(bounds)?;
            if let Some((ray, range)) = ready {
                return Some(Task { index, ray, query: Any::new(range) });
            }
        }
    }

    #[inline(always)]
    fn finish(&mut self, task: Task<Self::Query>) {
        match task.query.finish() {
            Verdict::Free => {}
            Verdict::Blocked => self.blocked[task.index / 32] |= 1 << (task.index % 32),
            Verdict::Undecided(hit, instance) => {
                let ray = (self.first_ray + task.index) as u32;
                self.undecided.push(Candidate { ray, instance, hit });
            }
        }
    }
}
