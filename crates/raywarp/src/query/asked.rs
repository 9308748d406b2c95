//! Rays that a scene answers, in f32 or f64, with what answers them.

use super::filter::{Filter, faces};
use super::inside::Crossings;
use super::scene::{Rays, Scene};
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

/// Answers to questions of a ray; `filter` says what counts.
pub trait Asks: Copy + Sync {
    /// What the ray hits.
    type Found: Copy + Send;

    fn closest_in(&self, scene: &Scene, filter: Option<&Filter<'_>>) -> Option<Self::Found>;

    fn any_in(&self, scene: &Scene, filter: Option<&Filter<'_>>) -> bool;

    fn visit_in(
        &self,
        scene: &Scene,
        filter: Option<&Filter<'_>>,
        receive: Receive<'_, Self::Found>,
    ) -> ControlFlow<()>;

    fn crossings_in(&self, scene: &Scene) -> Crossings;

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
    fn all_in(&self, scene: &Scene, filter: Option<&Filter<'_>>, hits: &mut Vec<Self::Found>) {
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

    fn closest_in(&self, scene: &Scene, filter: Option<&Filter<'_>>) -> Option<R::Hit> {
        (**self).closest_in(scene, filter)
    }

    fn any_in(&self, scene: &Scene, filter: Option<&Filter<'_>>) -> bool {
        (**self).any_in(scene, filter)
    }

    fn visit_in(&self, scene: &Scene, filter: Option<&Filter<'_>>, receive: Receive<'_, R::Hit>) -> ControlFlow<()> {
        (**self).visit_in(scene, filter, receive)
    }

    fn crossings_in(&self, scene: &Scene) -> Crossings {
        (**self).crossings_in(scene)
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

impl Asks for Ray {
    type Found = SurfaceHit;

    fn closest_in(&self, scene: &Scene, filter: Option<&Filter<'_>>) -> Option<SurfaceHit> {
        let (hit, instance) = match filter {
            None => match &scene.0.rays {
                Rays::One(cpu, _) => cpu.closest_one(self, HitKey::START),
                Rays::Two(levels, _) => levels.closest_one(self, HitKey::START),
            },
            Some(filter) => scene.closest_where(self, &|touch| scene.accepts(filter, self, touch, touch.hit.t)),
        }?;
        Some(scene.surface_hit(&hit, instance))
    }

    fn any_in(&self, scene: &Scene, filter: Option<&Filter<'_>>) -> bool {
        match filter {
            // All triangles are opaque.
            None => {
                let blocked = match &scene.0.rays {
                    Rays::One(cpu, _) => cpu.any_one(self, HitKey::START),
                    Rays::Two(levels, _) => levels.any_one(self, HitKey::START),
                };
                blocked == Blocked::Yes
            }
            Some(filter) => scene.any_where(self, &|touch| scene.accepts(filter, self, touch, touch.hit.t)),
        }
    }

    fn visit_in(
        &self,
        scene: &Scene,
        filter: Option<&Filter<'_>>,
        receive: Receive<'_, SurfaceHit>,
    ) -> ControlFlow<()> {
        let receive = &mut |touch: &Contact<'_>| receive(&scene.surface_hit(&touch.hit, touch.instance));
        match filter {
            None => scene.visit_where(self, None, receive),
            Some(filter) => {
                scene.visit_where(self, Some(&|touch| scene.accepts(filter, self, touch, touch.hit.t)), receive)
            }
        }
    }

    fn crossings_in(&self, scene: &Scene) -> Crossings {
        scene.crossings_where(self, |_| true)
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
        let (mut found, mut instances) = (vec![Hit::default(); rays.len()], vec![0; rays.len()]);
        let stats = scene.tracer().closest(rays, &[], &mut found, &mut instances, control)?;
        let answer = |(hit, (found, instance)): (&mut Option<SurfaceHit>, (&Hit, &u32))| {
            *hit = found.is_hit().then(|| scene.surface_hit(found, *instance));
        };
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
    pub(super) fn closest_where(&self, ray: &Ray, accept: &Accept<'_>) -> Option<(Hit, u32)> {
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.closest_where(ray, accept),
            Rays::Two(levels, _) => levels.closest_where(ray, accept),
        }
    }

    pub(super) fn any_where(&self, ray: &Ray, accept: &Accept<'_>) -> bool {
        let blocked = match &self.0.rays {
            Rays::One(cpu, _) => cpu.any_where(ray, accept),
            Rays::Two(levels, _) => levels.any_where(ray, accept),
        };
        blocked == Blocked::Yes
    }

    pub(super) fn visit_where(
        &self,
        ray: &Ray,
        accept: Option<&Accept<'_>>,
        receive: &mut dyn FnMut(&Contact<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.visit_where(ray, accept, receive),
            Rays::Two(levels, _) => levels.visit_where(ray, accept, receive),
        }
    }

    /// Counts the triangles that a ray crosses and that `counts` lets count.
    pub(super) fn crossings_where(&self, ray: &Ray, counts: impl Fn(&Contact<'_>) -> bool) -> Crossings {
        let mut crossings = Crossings::default();
        let mut receive = |touch: &Contact<'_>, is_front: bool| {
            if !counts(touch) {
                return;
            }
            let numbered = self.0.numbered.get(touch.instance as usize);
            let is_mirrored = numbered.is_some_and(|numbered| numbered.is_mirrored);
            *if is_front == is_mirrored { &mut crossings.back } else { &mut crossings.front } += 1;
        };
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.crossings_one(ray, &mut receive),
            Rays::Two(levels, _) => levels.crossings_one(ray, &mut receive),
        }
        crossings
    }

    /// Returns whether a filter lets a hit of a ray at `t` count.
    pub(super) fn accepts(&self, filter: &Filter<'_>, ray: &Ray, touch: &Contact<'_>, t: f32) -> bool {
        let Some(numbered) = self.0.numbered.get(touch.instance as usize) else { return false };
        filter.sees(numbered.mask, touch.instance, touch.hit.primitive)
            && filter.shows(|| match touch.corners() {
                Some(corners) => faces(ray, &corners) != numbered.is_mirrored,
                None => touch.is_custom_front(),
            })
            && filter.takes(|| SurfaceHit::new(&Hit { t, ..touch.hit }, touch.instance, numbered.user))
    }
}
