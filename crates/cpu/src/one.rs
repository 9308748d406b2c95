//! Queries of one ray: on the calling thread, with nothing allocated.

use crate::batch::{AnyJob, ClosestJob, Supply};
use crate::blocked::Blocked;
use crate::filtered::{Asks, cost, each, positive};
use crate::one_by_one::OneByOne;
use crate::query::{ForAny, ForClosest};
use crate::simd;
use crate::sink::{Asked, Nearest, Obstacle};
use crate::tracer::{CpuTracer, Encoding};
use raywarp_geom::{Candidate, Hit, HitKey, Ray, RayCost};
use std::ops::ControlFlow;

impl CpuTracer {
    /// Returns the nearest hit of a ray that comes after `after`, and its instance: what [`Tracer::closest`] finds for
    /// it in any batch, bit for bit. `None` also for a ray that is not valid.
    ///
    /// Allocates nothing, but once a thread where a tree is very deep.
    ///
    /// [`Tracer::closest`]: raywarp_geom::Tracer::closest
    pub fn closest_one(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        let tree = match &self.encoding {
            Encoding::Wide8(tree) => tree,
            Encoding::Bvh2(_) => return self.closest_by_batch(ray, after),
            Encoding::Custom(_) => return self.ask(ray, after, Asked::all(Nearest::default()))?.sink.hit(),
        };
        simd::walk_one(self.isa, (tree, self.ids.lent()), ray, after, ForClosest)
    }

    /// Returns whether anything that comes after `after` is in a ray's way, as [`Tracer::any`] finds it in any batch.
    /// Nothing is in the way of a ray that is not valid.
    ///
    /// Allocates nothing, but once a thread where a tree is very deep.
    ///
    /// [`Tracer::any`]: raywarp_geom::Tracer::any
    pub fn any_one(&self, ray: &Ray, after: HitKey) -> Blocked {
        let tree = match &self.encoding {
            Encoding::Wide8(tree) => tree,
            Encoding::Bvh2(_) => return self.any_by_batch(ray, after),
            Encoding::Custom(_) => {
                let found = self.ask(ray, after, Asked::all(Obstacle::default()));
                return found.map_or(Blocked::No, |found| found.sink.verdict());
            }
        };
        simd::walk_one(self.isa, (tree, self.ids.lent()), ray, after, ForAny).unwrap_or(Blocked::No)
    }

    /// Passes every hit of a ray within its interval on to `receive` with its instance, each (instance, primitive) once
    /// and in no order, until `receive` breaks; returns whether it did. One walk: the time grows with the number of
    /// hits and not faster.
    ///
    /// `receive` may trace other rays. Allocates nothing but for triangles that stand in several leaves (spatial
    /// splits), and for those once a thread.
    pub fn visit_one(&self, ray: &Ray, mut receive: impl FnMut(&Hit, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        if let Encoding::Bvh2(_) = &self.encoding {
            return self.visit_by_batches(ray, receive);
        }
        each(self, ray, None, &mut |touch| receive(&positive(&touch.hit), touch.instance))
    }

    fn closest_by_batch(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        let (mut hit, mut instance) = ([Hit::default()], [0]);
        let (rays, after) = (std::slice::from_ref(ray), [after]);
        let supply = Supply::new(self.ids.lent(), rays, &after);
        self.closest_part(ClosestJob { supply, hits: &mut hit, instances: &mut instance, probes: &mut [] });
        hit[0].is_hit().then_some((hit[0], instance[0]))
    }

    fn any_by_batch(&self, ray: &Ray, after: HitKey) -> Blocked {
        let (mut blocked, mut undecided) = ([0], Vec::new());
        let (rays, after) = (std::slice::from_ref(ray), [after]);
        let supply = Supply::new(self.ids.lent(), rays, &after);
        self.any_part(AnyJob { supply, blocked: &mut blocked, undecided: &mut undecided });
        match (blocked, undecided.first()) {
            ([0], None) => Blocked::No,
            ([0], Some(&Candidate { hit, instance, .. })) => Blocked::Perhaps(hit, instance),
            _ => Blocked::Yes,
        }
    }

    fn visit_by_batches(&self, ray: &Ray, mut receive: impl FnMut(&Hit, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut after = HitKey::START;
        while let Some((hit, instance)) = self.closest_by_batch(ray, after) {
            receive(&positive(&hit), instance)?;
            after = HitKey::of(&hit, instance);
        }
        ControlFlow::Continue(())
    }
}

impl OneByOne for CpuTracer {
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
