//! Rays through a scene of two levels: one by one, and in batches.

use super::{LevelsTracer, NAME};
use crate::filtered::{Asks, each, positive};
use crate::one::{Blocked, OneByOne};
use crate::sink::{Asked, Nearest, Obstacle};
use crate::tracer::{PART, PREFERRED_BATCH, check_lengths, part_of, run};
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, Ray, RayCost, TraceError, Tracer};
use std::ops::ControlFlow;

impl LevelsTracer {
    /// Returns the nearest hit of a ray that comes after `after`, and its instance, as
    /// [`CpuTracer::closest_one`](crate::CpuTracer::closest_one) does in the flattened scene.
    pub fn closest_one(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        self.ask(ray, after, Asked::all(Nearest::default()))?.sink.hit()
    }

    /// Returns whether anything that comes after `after` is in a ray's way, as
    /// [`CpuTracer::any_one`](crate::CpuTracer::any_one) does in the flattened scene.
    pub fn any_one(&self, ray: &Ray, after: HitKey) -> Blocked {
        self.ask(ray, after, Asked::all(Obstacle::default())).map_or(Blocked::No, |found| found.sink.verdict())
    }

    /// Passes every hit of a ray within its interval on to `receive`, as
    /// [`CpuTracer::visit_one`](crate::CpuTracer::visit_one) does in the flattened scene.
    pub fn visit_one(&self, ray: &Ray, mut receive: impl FnMut(&Hit, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        each(self, ray, None, &mut |touch| receive(&positive(&touch.hit), touch.instance))
    }
}

impl Tracer for LevelsTracer {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        check_lengths(rays, after);
        assert_eq!(hits.len(), rays.len(), "one hit a ray");
        assert!(instances.is_empty() || instances.len() == rays.len(), "no instances, or one a ray");
        let mut instances = instances.chunks_mut(PART);
        let parts = rays.chunks(PART).zip(hits.chunks_mut(PART)).enumerate();
        let parts = parts.map(|(part, (rays, hits))| {
            (rays.len(), (rays, part_of(after, part), hits, instances.next().unwrap_or_default()))
        });
        run(NAME, parts.collect(), control, |(rays, after, hits, instances)| {
            self.closest_each(rays, after, hits, instances)
        })
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        check_lengths(rays, after);
        assert!(blocked.len() >= rays.len().div_ceil(32), "a bit a ray");
        undecided.clear();
        let mut found: Vec<Vec<Candidate>> = vec![Vec::new(); rays.len().div_ceil(PART)];
        let words = blocked[..rays.len().div_ceil(32)].chunks_mut(PART / 32);
        let parts = rays.chunks(PART).zip(words).zip(&mut found).enumerate();
        let parts =
            parts.map(|(part, ((rays, words), found))| (rays.len(), (rays, part_of(after, part), words, found)));
        let stats = run(NAME, parts.collect(), control, |(rays, after, words, found)| {
            self.any_each(rays, after, words, found)
        })?;
        for (part, found) in found.into_iter().enumerate() {
            let of_batch = |candidate: Candidate| Candidate { ray: candidate.ray + (part * PART) as u32, ..candidate };
            undecided.extend(found.into_iter().map(of_batch));
        }
        Ok(stats)
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        assert_eq!(costs.len(), rays.len(), "one cost a ray");
        let parts = rays.chunks(PART).zip(costs.chunks_mut(PART)).map(|(rays, costs)| (rays.len(), (rays, costs)));
        run(NAME, parts.collect(), control, |(rays, costs)| {
            for (ray, cost) in rays.iter().zip(costs) {
                let sink = Nearest::default();
                let counted = self.ask(ray, HitKey::START, Asked { accept: None, sink, probe: RayCost::default() });
                *cost = counted.map_or(RayCost::default(), |query| query.probe);
            }
            rays.iter().filter(|ray| !ray.is_valid()).count() as u64
        })
    }

    fn preferred_batch(&self) -> usize {
        PREFERRED_BATCH
    }
}

impl OneByOne for LevelsTracer {
    fn closest(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        self.closest_one(ray, after)
    }

    fn any(&self, ray: &Ray, after: HitKey) -> Blocked {
        self.any_one(ray, after)
    }
}
