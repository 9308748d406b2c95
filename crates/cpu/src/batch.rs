//! Batches of rays over any walk: checks each ray, runs the query, writes the answer.

use crate::probe::{Off, Probe};
use crate::query::{Any, Closest, Query, Range, Verdict};
use crate::ray::WalkRay;
use raywarp_geom::{Aabb, Candidate, Hit, HitKey, PrimitiveId, Ray, RayCost};

/// Shows a query the triangles that a ray may hit.
pub(crate) trait Walk {
    /// The box around everything.
    fn bounds(&self) -> &Aabb;
    /// Walks one valid ray.
    fn walk<Q: Query, P: Probe>(&mut self, given: &Ray, ray: &WalkRay, query: &mut Q, probe: &mut P);
}

/// A closest-hit batch: `hits` one a ray; `after` and `instances` one a ray or empty.
pub(crate) struct ClosestJob<'a> {
    pub ids: &'a [PrimitiveId],
    pub rays: &'a [Ray],
    pub after: &'a [HitKey],
    pub hits: &'a mut [Hit],
    pub instances: &'a mut [u32],
}

/// An any-hit batch: a bit a ray in `blocked`, `after` one a ray or empty, `first_ray` the number
/// of ray 0 in the candidates.
pub(crate) struct AnyJob<'a> {
    pub ids: &'a [PrimitiveId],
    pub rays: &'a [Ray],
    pub after: &'a [HitKey],
    pub blocked: &'a mut [u32],
    pub undecided: &'a mut Vec<Candidate>,
    pub first_ray: usize,
}

/// A batch to be counted: `costs` one a ray.
pub(crate) struct CostJob<'a> {
    pub ids: &'a [PrimitiveId],
    pub rays: &'a [Ray],
    pub costs: &'a mut [RayCost],
}

/// The key of ray `index`; nothing comes after a NaN.
#[inline(always)]
fn key(after: &[HitKey], index: usize) -> HitKey {
    after.get(index).copied().unwrap_or(HitKey::START)
}

#[inline(always)]
fn range<'a>(ray: &WalkRay, after: HitKey, ids: &'a [PrimitiveId]) -> Range<'a> {
    Range { low: ray.t_low, high: ray.t_high, after, ids }
}

/// Runs `job`; the number of invalid rays.
#[inline(always)]
pub(crate) fn closest<W: Walk>(walk: &mut W, job: ClosestJob) -> u64 {
    let bounds = *walk.bounds();
    let mut invalid = 0;
    for (i, (ray, hit)) in job.rays.iter().zip(job.hits.iter_mut()).enumerate() {
        let after = key(job.after, i);
        let mut found = (Hit::miss(ray.t_max), Hit::MISS);
        if !ray.is_valid() {
            invalid += 1;
        } else if !after.t.is_nan() {
            let prepared = WalkRay::new(ray, &after, &bounds);
            let mut query = Closest::new(range(&prepared, after, job.ids));
            walk.walk(ray, &prepared, &mut query, &mut Off);
            found = query.finish(ray.t_max);
        }
        *hit = found.0;
        if let Some(instance) = job.instances.get_mut(i) {
            *instance = found.1;
        }
    }
    invalid
}

/// Runs `job`; the number of invalid rays.
#[inline(always)]
pub(crate) fn any<W: Walk>(walk: &mut W, job: AnyJob) -> u64 {
    let bounds = *walk.bounds();
    let mut invalid = 0;
    for (word, rays) in job.rays.chunks(32).enumerate() {
        let mut bits = 0;
        for (bit, ray) in rays.iter().enumerate() {
            let index = 32 * word + bit;
            let after = key(job.after, index);
            if !ray.is_valid() {
                invalid += 1;
                continue;
            }
            if after.t.is_nan() {
                continue;
            }
            let prepared = WalkRay::new(ray, &after, &bounds);
            let mut query = Any::new(range(&prepared, after, job.ids));
            walk.walk(ray, &prepared, &mut query, &mut Off);
            match query.finish() {
                Verdict::Free => {}
                Verdict::Blocked => bits |= 1 << bit,
                Verdict::Undecided(hit, instance) => {
                    job.undecided.push(Candidate { ray: (job.first_ray + index) as u32, instance, hit });
                }
            }
        }
        job.blocked[word] = bits;
    }
    invalid
}

/// Runs `job`; the number of invalid rays.
#[inline(always)]
pub(crate) fn cost<W: Walk>(walk: &mut W, job: CostJob) -> u64 {
    let bounds = *walk.bounds();
    let mut invalid = 0;
    for (ray, cost) in job.rays.iter().zip(job.costs) {
        *cost = RayCost::default();
        if !ray.is_valid() {
            invalid += 1;
            continue;
        }
        let prepared = WalkRay::new(ray, &HitKey::START, &bounds);
        let mut query = Closest::new(range(&prepared, HitKey::START, job.ids));
        walk.walk(ray, &prepared, &mut query, cost);
    }
    invalid
}
