//! Queries of one ray that a filter decides about, and crossings: for flat scenes and for those of two levels.

use crate::blocked::Blocked;
use crate::ids::LentIds;
use crate::levels::LevelsTracer;
use crate::probe::Probe;
use crate::query::Range;
use crate::sink::{Accept, Asked, Contact, Each, Nearest, Obstacle, OfTree, Reply, Sink, Told, Within};
use crate::touches::Receiver;
use crate::tracer::{CpuTracer, Encoding};
use crate::{ray::WalkRay, simd};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Hit, HitKey, Ray, RayCost};
use std::ops::ControlFlow;

/// Tracer that tells a sink of every triangle that a ray hits.
pub(crate) trait Asks {
    /// Asks a ray a query; `None` if it cannot hit anything.
    fn ask<'a, K: Sink, P: Probe>(&'a self, ray: &Ray, after: HitKey, asked: Asked<'a, K, P>) -> Option<Reply<K, P>>;
}

/// Counts what a ray's walk to its nearest hit does.
pub(crate) fn cost(asks: &impl Asks, ray: &Ray) -> RayCost {
    let asked = Asked { accept: None, sink: Nearest::default(), probe: RayCost::default() };
    asks.ask(ray, HitKey::START, asked).map_or(RayCost::default(), |query| query.probe)
}

impl Asks for CpuTracer {
    fn ask<'a, K: Sink, P: Probe>(&'a self, ray: &Ray, after: HitKey, asked: Asked<'a, K, P>) -> Option<Reply<K, P>> {
        if let Encoding::Custom(custom) = &self.encoding {
            let walk = WalkRay::new(ray, &after, custom.boxes.bounds()).filter(|_| !after.t.is_nan())?;
            let range = Range { low: walk.t_low, high: walk.t_high, after, ids: LentIds::NONE };
            let mut query = Within::new(range, &self.split, asked);
            return simd::walk_custom(self.isa, custom, (&walk, ray), &mut query).then(|| query.reply());
        }
        let question = OfTree { split: &self.split, asked };
        simd::walk_one(self.isa, (self.wide8()?, self.ids.lent()), ray, after, question)
    }
}

impl Asks for LevelsTracer {
    fn ask<'a, K: Sink, P: Probe>(&'a self, ray: &Ray, after: HitKey, asked: Asked<'a, K, P>) -> Option<Reply<K, P>> {
        self.ask_at(0.0, ray, after, asked)
    }
}

impl LevelsTracer {
    /// Asks a ray a query at a time.
    pub(crate) fn ask_at<'a, K: Sink, P: Probe>(
        &'a self,
        time: f32,
        ray: &Ray,
        after: HitKey,
        asked: Asked<'a, K, P>,
    ) -> Option<Reply<K, P>> {
        let question = OfTree { split: &self.trees.first()?.split, asked };
        simd::walk_levels(self.isa(), self, (ray, time), after, question)
    }
}

pub(crate) fn closest(asks: &impl Asks, ray: &Ray, accept: Option<&Accept<'_>>) -> Option<(Hit, u32)> {
    let asked = Asked { accept, ..Asked::all(Nearest::default()) };
    asks.ask(ray, HitKey::START, asked)?.sink.hit()
}

pub(crate) fn any(asks: &impl Asks, ray: &Ray, accept: Option<&Accept<'_>>) -> Blocked {
    let asked = Asked { accept, ..Asked::all(Obstacle::default()) };
    asks.ask(ray, HitKey::START, asked).map_or(Blocked::No, |found| found.sink.verdict())
}

/// Passes every hit that `accept` lets count on to `told`; returns whether that broke.
pub(crate) fn each(asks: &impl Asks, ray: &Ray, accept: Option<&Accept<'_>>, told: Told<'_>) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    let mut told = |touch: &Contact<'_>| {
        flow = told(touch);
        flow
    };
    let receiver: Receiver<Told<'_>> = Receiver::new(&mut told);
    asks.ask(ray, HitKey::START, Asked { accept, ..Asked::all(Each::new(&receiver)) });
    drop(receiver);
    flow
}

pub(crate) fn crossings(asks: &impl Asks, ray: &Ray, receive: &mut dyn FnMut(&Contact<'_>, bool)) {
    if !ray.is_valid() {
        return;
    }
    let test = Watertight::new(ray);
    let _ = each(asks, ray, None, &mut |touch| {
        // The end of the interval does not belong to it.
        let is_front = touch.corners().and_then(|corners| test.crosses(&corners));
        if let Some(is_front) = is_front.filter(|_| touch.hit.t < ray.t_max) {
            receive(touch, is_front);
        }
        ControlFlow::Continue(())
    });
}

/// Returns a hit whose weights are not -0, as they may come out on an edge.
pub(crate) fn positive(hit: &Hit) -> Hit {
    Hit { u: hit.u + 0.0, v: hit.v + 0.0, ..*hit }
}

macro_rules! filtered {
    ($tracer:ty) => {
        impl $tracer {
            /// Returns the nearest hit of a ray that `accept` lets count, and its instance. `accept` is asked in any
            /// order, more than once of triangles that a tree holds several times, and not of hits behind a nearer one
            /// that counts.
            ///
            /// In [`CpuTree::Bvh2`](crate::CpuTree::Bvh2) nothing is hit.
            pub fn closest_where(&self, ray: &Ray, accept: &Accept<'_>) -> Option<(Hit, u32)> {
                closest(self, ray, Some(accept))
            }

            /// Returns whether anything that `accept` lets count is in a ray's way; see `closest_where`.
            pub fn any_where(&self, ray: &Ray, accept: &Accept<'_>) -> Blocked {
                any(self, ray, Some(accept))
            }

            /// Passes every hit of a ray that `accept` lets count on to `receive`, as `visit_one` does; all without
            /// `accept`. Weights may be -0.
            pub fn visit_where(
                &self,
                ray: &Ray,
                accept: Option<&Accept<'_>>,
                receive: &mut dyn FnMut(&Contact<'_>) -> ControlFlow<()>,
            ) -> ControlFlow<()> {
                each(self, ray, accept, receive)
            }

            /// Passes every triangle that a ray crosses within `t_min <= t < t_max` on to `receive`, each (instance,
            /// primitive) once and in no order, with whether it is crossed through its front, where its corners turn
            /// counter-clockwise in the world. Of triangles that share an edge or a corner on the ray one counts
            /// ([`Watertight::crosses`]).
            pub fn crossings_one(&self, ray: &Ray, receive: &mut dyn FnMut(&Contact<'_>, bool)) {
                crossings(self, ray, receive);
            }
        }
    };
}
filtered!(CpuTracer);
filtered!(LevelsTracer);
