//! Queries of one ray: on the calling thread, with nothing allocated.

use crate::batch::{AnyJob, ClosestJob, Supply};
use crate::query::{Any, Closest, Verdict};
use crate::simd;
use crate::touches::{Receiver, Touches};
use crate::tracer::{CpuTracer, Encoding};
use raywarp_geom::{Candidate, Hit, HitKey, Ray};
use std::ops::ControlFlow;

/// Answer to whether anything is in a ray's way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Blocked {
    /// The ray hits nothing.
    No,
    /// The ray hits something opaque.
    Yes,
    /// The ray hits nothing opaque, but something else: the first such hit, and its instance. The caller decides about
    /// it, and asks again after it.
    Perhaps(Hit, u32),
}

impl CpuTracer {
    /// Returns the nearest hit of a ray that comes after `after`, and its instance: what [`Tracer::closest`] finds for
    /// it in any batch, bit for bit. `None` also for a ray that is not valid.
    ///
    /// Allocates nothing, but once a thread where a tree is very deep.
    ///
    /// [`Tracer::closest`]: raywarp_geom::Tracer::closest
    pub fn closest_one(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        let Encoding::Wide8(tree) = &self.encoding else { return self.closest_by_batch(ray, after) };
        let query: Closest<'_, crate::probe::Off> = simd::walk_one(self.isa, (tree, &self.ids), ray, after, ())?;
        let (hit, instance) = query.finish(ray.t_max);
        hit.is_hit().then_some((hit, instance))
    }

    /// Returns whether anything that comes after `after` is in a ray's way, as [`Tracer::any`] finds it in any batch.
    /// Nothing is in the way of a ray that is not valid.
    ///
    /// Allocates nothing, but once a thread where a tree is very deep.
    ///
    /// [`Tracer::any`]: raywarp_geom::Tracer::any
    pub fn any_one(&self, ray: &Ray, after: HitKey) -> Blocked {
        let Encoding::Wide8(tree) = &self.encoding else { return self.any_by_batch(ray, after) };
        let query: Option<Any<'_>> = simd::walk_one(self.isa, (tree, &self.ids), ray, after, ());
        match query.map_or(Verdict::Free, |query| query.finish()) {
            Verdict::Free => Blocked::No,
            Verdict::Blocked => Blocked::Yes,
            Verdict::Undecided(hit, instance) => Blocked::Perhaps(hit, instance),
        }
    }

    /// Passes every hit of a ray within its interval on to `receive` with its instance, each (instance, primitive) once
    /// and in no order, until `receive` breaks; returns whether it did. One walk: the time grows with the number of
    /// hits and not faster.
    ///
    /// `receive` may trace other rays. Allocates nothing but for triangles that stand in several leaves (spatial
    /// splits), and for those once a thread.
    pub fn visit_one(&self, ray: &Ray, mut receive: impl FnMut(&Hit, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let Encoding::Wide8(tree) = &self.encoding else { return self.visit_by_batches(ray, receive) };
        let mut flow = ControlFlow::Continue(());
        let receiver = Receiver::new(|hit: &Hit, instance| {
            flow = receive(hit, instance);
            flow
        });
        let with = (&self.split, &receiver);
        let _: Option<Touches<'_, _>> = simd::walk_one(self.isa, (tree, &self.ids), ray, HitKey::START, with);
        drop(receiver);
        flow
    }

    fn closest_by_batch(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        let (mut hit, mut instance) = ([Hit::default()], [0]);
        let (rays, after) = (std::slice::from_ref(ray), [after]);
        let supply = Supply::new(&self.ids, rays, &after);
        self.closest_part(ClosestJob { supply, hits: &mut hit, instances: &mut instance, probes: &mut [] });
        hit[0].is_hit().then_some((hit[0], instance[0]))
    }

    fn any_by_batch(&self, ray: &Ray, after: HitKey) -> Blocked {
        let (mut blocked, mut undecided) = ([0], Vec::new());
        let (rays, after) = (std::slice::from_ref(ray), [after]);
        let supply = Supply::new(&self.ids, rays, &after);
        self.any_part(AnyJob { supply, blocked: &mut blocked, undecided: &mut undecided, first_ray: 0 });
        match (blocked, undecided.first()) {
            ([0], None) => Blocked::No,
            ([0], Some(&Candidate { hit, instance, .. })) => Blocked::Perhaps(hit, instance),
            _ => Blocked::Yes,
        }
    }

    fn visit_by_batches(&self, ray: &Ray, mut receive: impl FnMut(&Hit, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut after = HitKey::START;
        while let Some((hit, instance)) = self.closest_by_batch(ray, after) {
            receive(&Hit { u: hit.u + 0.0, v: hit.v + 0.0, ..hit }, instance)?;
            after = HitKey::of(&hit, instance);
        }
        ControlFlow::Continue(())
    }
}

/// Tracer that answers a ray by itself, and so batches of them one by one.
pub(crate) trait OneByOne {
    /// Returns the nearest hit of a ray after `after`, and its instance.
    fn closest(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)>;

    /// Returns whether anything after `after` is in a ray's way.
    fn any(&self, ray: &Ray, after: HitKey) -> Blocked;

    /// Answers the rays of a batch as [`Tracer::closest`](raywarp_geom::Tracer::closest) does; returns the number of
    /// rays that are not valid.
    fn closest_each(&self, rays: &[Ray], after: &[HitKey], hits: &mut [Hit], instances: &mut [u32]) -> u64 {
        for (i, (ray, hit)) in rays.iter().zip(hits).enumerate() {
            let after = after.get(i).copied().unwrap_or(HitKey::START);
            let (found, instance) = self.closest(ray, after).unwrap_or((Hit::miss(ray.t_max), Hit::MISS));
            *hit = found;
            if let Some(slot) = instances.get_mut(i) {
                *slot = instance;
            }
        }
        invalid(rays)
    }

    /// Answers the rays of a batch as [`Tracer::any`](raywarp_geom::Tracer::any) does; returns the number of rays that
    /// are not valid.
    fn any_each(&self, rays: &[Ray], after: &[HitKey], blocked: &mut [u32], undecided: &mut Vec<Candidate>) -> u64 {
        blocked[..rays.len().div_ceil(32)].fill(0);
        for (i, ray) in rays.iter().enumerate() {
            match self.any(ray, after.get(i).copied().unwrap_or(HitKey::START)) {
                Blocked::No => {}
                Blocked::Yes => blocked[i / 32] |= 1 << (i % 32),
                Blocked::Perhaps(hit, instance) => undecided.push(Candidate { ray: i as u32, instance, hit }),
            }
        }
        invalid(rays)
    }
}

impl OneByOne for CpuTracer {
    fn closest(&self, ray: &Ray, after: HitKey) -> Option<(Hit, u32)> {
        self.closest_one(ray, after)
    }

    fn any(&self, ray: &Ray, after: HitKey) -> Blocked {
        self.any_one(ray, after)
    }
}

fn invalid(rays: &[Ray]) -> u64 {
    rays.iter().filter(|ray| !ray.is_valid()).count() as u64
}
