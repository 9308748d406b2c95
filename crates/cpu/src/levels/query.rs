//! Rays through a scene of two levels: one by one, and in batches.

use super::{LevelsTracer, NAME};
use crate::blocked::Blocked;
use crate::filtered::{Asks, cost, each, positive};
use crate::one_by_one::OneByOne;
use crate::parts::{self, PREFERRED_BATCH, Places, Rays};
use crate::sink::{Asked, Nearest, Obstacle};
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
        let places = Places { hits, instances };
        parts::closest(NAME, Rays::new(rays, after), places, control, |rays, places| self.closest_each(rays, places))
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        parts::any(NAME, Rays::new(rays, after), blocked, undecided, control, |rays, blocked, undecided| {
            self.any_each(rays, blocked, undecided)
        })
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        parts::each(NAME, rays, costs, control, |rays, costs| self.cost_each(rays, costs))
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

    fn cost(&self, ray: &Ray) -> RayCost {
        cost(self, ray)
    }
}
