//! Rays through a scene of two levels, each by itself.

use super::LevelsTracer;
use super::batch::{Asking, traces_in_two_levels};
use crate::blocked::Blocked;
use crate::filtered::{self, Asks, each, positive};
use crate::parts;
use crate::probe::{LevelsCost, Probe};
use crate::sink::{Accept, Asked, Contact, Nearest, Obstacle, Reply, Sink};
use raywarp_geom::{Hit, HitKey, Ray};
use std::ops::ControlFlow;

/// Scene of two levels at a time.
#[derive(Debug, Clone, Copy)]
pub struct LevelsAt<'a> {
    pub(crate) scene: &'a LevelsTracer,
    pub(crate) time: f32,
}

impl LevelsTracer {
    /// Returns the scene at a time from 0 to 1; what is beyond them, and NaN, is as
    /// [`Affine::between`](raywarp_geom::Affine::between) has it. Questions of the tracer itself are of time 0.
    pub fn at(&self, time: f32) -> LevelsAt<'_> {
        LevelsAt { scene: self, time }
    }
}

impl Asks for LevelsAt<'_> {
    fn ask<'a, K: Sink, P: Probe>(&'a self, ray: &Ray, after: HitKey, asked: Asked<'a, K, P>) -> Option<Reply<K, P>> {
        self.scene.ask_at(self.time, ray, after, asked)
    }
}

/// Each answers as the scene in which what moves stands still, where it is at that time.
impl LevelsAt<'_> {
    /// Returns the nearest hit of a ray that `accept` lets count, or any, as
    /// [`closest_where`](LevelsTracer::closest_where) does.
    pub fn closest(&self, ray: &Ray, accept: Option<&Accept<'_>>) -> Option<(Hit, u32)> {
        filtered::closest(self, ray, accept)
    }

    /// Returns whether anything that `accept` lets count is in a ray's way, as [`any_where`](LevelsTracer::any_where)
    /// does.
    pub fn any(&self, ray: &Ray, accept: Option<&Accept<'_>>) -> Blocked {
        filtered::any(self, ray, accept)
    }

    /// Passes every hit that `accept` lets count on to `receive`, as [`visit_where`](LevelsTracer::visit_where) does.
    pub fn visit(
        &self,
        ray: &Ray,
        accept: Option<&Accept<'_>>,
        receive: &mut dyn FnMut(&Contact<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        each(self, ray, accept, receive)
    }

    /// Passes every triangle that a ray crosses on to `receive`, as [`crossings_one`](LevelsTracer::crossings_one)
    /// does.
    pub fn crossings(&self, ray: &Ray, receive: &mut dyn FnMut(&Contact<'_>, bool)) {
        filtered::crossings(self, ray, receive);
    }
}

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

impl LevelsTracer {
    /// Counts what the walk of a ray to its nearest hit does in both levels: [`Tracer::cost`] with what it enters and
    /// leaves.
    ///
    /// [`Tracer::cost`]: raywarp_geom::Tracer::cost
    pub fn levels_cost(&self, ray: &Ray) -> LevelsCost {
        let asked = Asked { accept: None, sink: Nearest::default(), probe: LevelsCost::default() };
        self.ask(ray, HitKey::START, asked).map_or(LevelsCost::default(), |found| found.probe)
    }

    /// Counts as [`levels_cost`](Self::levels_cost) does, for a ray that asks whether anything is in its way.
    pub fn levels_cost_any(&self, ray: &Ray) -> LevelsCost {
        let asked = Asked { accept: None, sink: Obstacle::default(), probe: LevelsCost::default() };
        self.ask(ray, HitKey::START, asked).map_or(LevelsCost::default(), |found| found.probe)
    }
}

impl LevelsTracer {
    fn asking(&self) -> Asking<'_> {
        Asking { scene: self, is_solid: false }
    }
}

traces_in_two_levels!(LevelsTracer);
