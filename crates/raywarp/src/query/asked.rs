//! Rays that a scene answers, in f32 or f64, with what answers them.

use super::inside::Crossings;
use super::ray_filter::{RayFilter, faces};
use super::scene::{Numbered, Rays, Scene};
use super::{BatchError, SurfaceHit};
use rayon::prelude::*;
use raywarp_cpu::{Accept, Blocked, Contact};
use raywarp_geom::{BatchStats, Control, Hit, HitKey, Ray};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// Ray that every question of a [`Scene`] takes: [`Ray`], whose hits are [`SurfaceHit`]s, or [`Ray64`](crate::Ray64),
/// whose hits are [`Hit64`](crate::Hit64)s; or a reference to one. There are no others.
pub trait SceneRay: Asks<Found = Self::Hit> {
    /// What the ray hits.
    type Hit: Copy + std::fmt::Debug + Send + Sync + 'static;
}

impl SceneRay for Ray {
    type Hit = SurfaceHit;
}

/// Receiver of hits, until it breaks.
pub type Receive<'r, H> = &'r mut dyn FnMut(&H) -> ControlFlow<()>;

/// Answers to questions of a ray; `filter` says what counts, and when: everything at time 0 without it.
pub trait Asks: Copy + Sync {
    /// What the ray hits.
    type Found: Copy + Send;

    fn closest_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> Option<Self::Found>;

    fn any_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> bool;

    fn visit_in(
        &self,
        scene: &Scene,
        filter: Option<&RayFilter<'_>>,
        receive: Receive<'_, Self::Found>,
    ) -> ControlFlow<()>;

    fn crossings_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> Crossings;

    /// Returns `true` if the ray can hit anything.
    fn is_sound(&self) -> bool;

    /// Returns the order of two hits of a ray: by `t`, then by instance and primitive.
    fn order(a: &Self::Found, b: &Self::Found) -> Ordering;

    fn closest_batch_in(
        rays: &[Self],
        scene: &Scene,
        hits: &mut [Option<Self::Found>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError>;

    /// Sets a bit for each ray that hits anything; there is one for each.
    fn any_bits_in(
        rays: &[Self],
        scene: &Scene,
        blocked: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError>;

    /// Writes all hits of the ray into `hits`, in order; what was there goes.
    fn all_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>, hits: &mut Vec<Self::Found>) {
        hits.clear();
        let _ = self.visit_in(scene, filter, &mut |hit| {
            hits.push(*hit);
            ControlFlow::Continue(())
        });
        hits.sort_unstable_by(Self::order);
    }
}

/// A reference is asked as what it refers to, so that closures over iterators need no `*`.
impl<R: SceneRay> SceneRay for &R {
    type Hit = R::Hit;
}

impl<R: SceneRay> Asks for &R {
    type Found = R::Hit;

    fn closest_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> Option<R::Hit> {
        (**self).closest_in(scene, filter)
    }

    fn any_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> bool {
        (**self).any_in(scene, filter)
    }

    fn visit_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>, receive: Receive<'_, R::Hit>) -> ControlFlow<()> {
        (**self).visit_in(scene, filter, receive)
    }

    fn crossings_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> Crossings {
        (**self).crossings_in(scene, filter)
    }

    fn is_sound(&self) -> bool {
        (**self).is_sound()
    }

    fn order(a: &R::Hit, b: &R::Hit) -> Ordering {
        R::order(a, b)
    }

    fn closest_batch_in(
        rays: &[Self],
        scene: &Scene,
        hits: &mut [Option<R::Hit>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        let rays: Vec<R> = rays.iter().map(|ray| **ray).collect();
        R::closest_batch_in(&rays, scene, hits, control)
    }

    fn any_bits_in(
        rays: &[Self],
        scene: &Scene,
        blocked: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        let rays: Vec<R> = rays.iter().map(|ray| **ray).collect();
        R::any_bits_in(&rays, scene, blocked, control)
    }
}

/// Number of rays up to which a batch keeps what is found on the stack.
pub(super) const FEW: usize = 32;

impl Asks for Ray {
    type Found = SurfaceHit;

    fn closest_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> Option<SurfaceHit> {
        let (hit, instance) = match filter {
            None => match &scene.0.rays {
                Rays::One(cpu, _) => cpu.closest_one(self, HitKey::START),
                Rays::Two(levels, _) => levels.closest_one(self, HitKey::START),
            },
            Some(filter) => match scene.counts(filter, self) {
                None => scene.closest_where(self, filter.time, None),
                Some(counts) => scene.closest_where(self, filter.time, Some(&counts)),
            },
        }?;
        Some(scene.surface_hit(&hit, instance))
    }

    fn any_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> bool {
        match filter {
            // All triangles are opaque.
            None => {
                let blocked = match &scene.0.rays {
                    Rays::One(cpu, _) => cpu.any_one(self, HitKey::START),
                    Rays::Two(levels, _) => levels.any_one(self, HitKey::START),
                };
                blocked == Blocked::Yes
            }
            Some(filter) => match scene.counts(filter, self) {
                None => scene.any_where(self, filter.time, None),
                Some(counts) => scene.any_where(self, filter.time, Some(&counts)),
            },
        }
    }

    fn visit_in(
        &self,
        scene: &Scene,
        filter: Option<&RayFilter<'_>>,
        receive: Receive<'_, SurfaceHit>,
    ) -> ControlFlow<()> {
        let receive = &mut |touch: &Contact<'_>| receive(&scene.surface_hit(&touch.hit, touch.instance));
        let Some(filter) = filter else { return scene.visit_where(self, 0.0, None, receive) };
        match scene.counts(filter, self) {
            None => scene.visit_where(self, filter.time, None, receive),
            Some(counts) => scene.visit_where(self, filter.time, Some(&counts), receive),
        }
    }

    fn crossings_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> Crossings {
        let time = filter.map_or(0.0, |filter| filter.time);
        scene.crossings_where(self, time, |touch| {
            filter.is_none_or(|filter| scene.accepts(filter, self, touch, touch.hit.t))
        })
    }

    fn is_sound(&self) -> bool {
        self.is_valid()
    }

    fn order(a: &SurfaceHit, b: &SurfaceHit) -> Ordering {
        // No `t` is NaN, and the two zeros are the same.
        let by_t = a.t.partial_cmp(&b.t).unwrap_or(Ordering::Equal);
        by_t.then((a.instance, a.primitive).cmp(&(b.instance, b.primitive)))
    }

    fn closest_batch_in(
        rays: &[Self],
        scene: &Scene,
        hits: &mut [Option<SurfaceHit>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        let answer = |(hit, (found, instance)): (&mut Option<SurfaceHit>, (&Hit, &u32))| {
            *hit = found.is_hit().then(|| scene.surface_hit(found, *instance));
        };
        let count = rays.len();
        if count <= FEW {
            let (mut found, mut instances) = ([Hit::default(); FEW], [0; FEW]);
            let (found, instances) = (&mut found[..count], &mut instances[..count]);
            let stats = scene.tracer().closest(rays, &[], found, instances, control)?;
            hits.iter_mut().zip(found.iter().zip(&*instances)).for_each(answer);
            return Ok(stats);
        }
        let (mut found, mut instances) = (vec![Hit::default(); count], vec![0; count]);
        let stats = scene.tracer().closest(rays, &[], &mut found, &mut instances, control)?;
        hits.par_iter_mut().with_min_len(1 << 12).zip(found.par_iter().zip(&instances)).for_each(answer);
        Ok(stats)
    }

    fn any_bits_in(
        rays: &[Self],
        scene: &Scene,
        blocked: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        Ok(scene.tracer().any(rays, &[], blocked, &mut Vec::new(), control)?)
    }
}

impl Scene {
    /// Returns the nearest hit that `accept` lets count; any hit without it.
    pub(super) fn closest_where(&self, ray: &Ray, time: f32, accept: Option<&Accept<'_>>) -> Option<(Hit, u32)> {
        match (&self.0.rays, accept) {
            (Rays::One(cpu, _), Some(accept)) => cpu.closest_where(ray, accept),
            (Rays::One(cpu, _), None) => cpu.closest_one(ray, HitKey::START),
            (Rays::Two(levels, _), accept) => levels.at(time).closest(ray, accept),
        }
    }

    pub(super) fn any_where(&self, ray: &Ray, time: f32, accept: Option<&Accept<'_>>) -> bool {
        let blocked = match (&self.0.rays, accept) {
            (Rays::One(cpu, _), Some(accept)) => cpu.any_where(ray, accept),
            (Rays::One(cpu, _), None) => cpu.any_one(ray, HitKey::START),
            (Rays::Two(levels, _), accept) => levels.at(time).any(ray, accept),
        };
        blocked == Blocked::Yes
    }

    pub(super) fn visit_where(
        &self,
        ray: &Ray,
        time: f32,
        accept: Option<&Accept<'_>>,
        receive: &mut dyn FnMut(&Contact<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.visit_where(ray, accept, receive),
            Rays::Two(levels, _) => levels.at(time).visit(ray, accept, receive),
        }
    }

    /// Counts the triangles that a ray crosses and that `counts` lets count.
    pub(super) fn crossings_where(&self, ray: &Ray, time: f32, counts: impl Fn(&Contact<'_>) -> bool) -> Crossings {
        let mut crossings = Crossings::default();
        let mut receive = |touch: &Contact<'_>, is_front: bool| {
            if !counts(touch) {
                return;
            }
            let numbered = self.0.numbered.get(touch.instance as usize);
            let is_mirrored = numbered.is_some_and(|numbered| is_mirrored(numbered, touch));
            *if is_front == is_mirrored { &mut crossings.back } else { &mut crossings.front } += 1;
        };
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.crossings_one(ray, &mut receive),
            Rays::Two(levels, _) => levels.at(time).crossings(ray, &mut receive),
        }
        crossings
    }

    /// Returns what decides about hits of a ray; `None` if all count.
    fn counts<'a>(
        &'a self,
        filter: &'a RayFilter<'a>,
        ray: &'a Ray,
    ) -> Option<impl Fn(&Contact<'_>) -> bool + use<'a>> {
        (!filter.is_all()).then_some(move |touch: &Contact<'_>| self.accepts(filter, ray, touch, touch.hit.t))
    }

    /// Returns whether a hit of a ray at `t` counts.
    pub(super) fn accepts(&self, filter: &RayFilter<'_>, ray: &Ray, touch: &Contact<'_>, t: f32) -> bool {
        let Some(numbered) = self.0.numbered.get(touch.instance as usize) else { return false };
        filter.sees(numbered.mask, touch.instance, touch.hit.primitive)
            && filter.shows(|| match touch.corners() {
                Some(corners) => faces(ray, &corners) != is_mirrored(numbered, touch),
                None => touch.is_custom_front(),
            })
            && filter.takes(|| SurfaceHit::new(&Hit { t, ..touch.hit }, touch.instance, numbered.user))
    }
}

/// Returns whether the placement of a triangle mirrors, at the time at which it was hit.
fn is_mirrored(numbered: &Numbered, touch: &Contact<'_>) -> bool {
    if numbered.moves { touch.is_mirrored() } else { numbered.is_mirrored }
}
