//! Rays and hits in f64, in the caller's coordinates.

use super::BatchError;
use super::advanced::Advanced;
use super::asked::{Asks, Receive, SceneRay};
use super::inside::Crossings;
use super::parts::{PART, each_part};
use super::ray_filter::RayFilter;
use super::scene::Scene;
use raywarp_cpu::Contact;
use raywarp_geom::{BatchStats, Control};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// Ray in f64, in the caller's coordinates: of geodetic scenes, or from far away.
///
/// It is advanced to the scene's bounds in f64 before it is rounded to f32, so that which triangles it hits is decided
/// with f32 steps of the scene, not of the way there. Where it hits them is computed in f64: its hits are [`Hit64`]s,
/// ordered by their `t`, and the interval is compared with that.
///
/// A closest hit takes two walks, the second a short one, and all of it the CPU.
///
/// ```
/// use raywarp::{Affine64, Control, Ray64, Scene, SceneOptions};
///
/// // A triangle far east and north, as maps have it.
/// let far = [400_000.0, 5_000_000.0, 100.0];
/// let mut builder = Scene::builder();
/// let mesh = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
/// builder.instance(mesh, Affine64::translation(far), u32::MAX, 0);
/// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
/// let ray = Ray64::new([far[0] + 0.25, far[1] + 0.25, 1e6], [0.0, 0.0, -1.0]);
/// let hit = scene.closest(&ray).expect("below");
/// assert_eq!((hit.t, hit.position), (999_900.0, [far[0] + 0.25, far[1] + 0.25, far[2]]));
/// # Ok::<(), raywarp::SceneError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray64 {
    /// Origin of the ray.
    pub origin: [f64; 3],
    /// Direction of the ray; it may have any length but zero, and `t` counts in that length.
    pub direction: [f64; 3],
    /// Smallest ray parameter `t` at which a hit counts.
    pub t_min: f64,
    /// Largest ray parameter `t` at which a hit counts; infinity is allowed.
    pub t_max: f64,
}

impl Ray64 {
    /// Makes a ray with the interval from 0 to infinity.
    pub fn new(origin: [f64; 3], direction: [f64; 3]) -> Self {
        Self { origin, direction, t_min: 0.0, t_max: f64::INFINITY }
    }

    /// Returns this ray with the interval from `t_min` to `t_max`.
    #[must_use]
    pub fn with_interval(self, t_min: f64, t_max: f64) -> Self {
        Self { t_min, t_max, ..self }
    }

    /// Returns `true` if the ray can hit anything, as [`Ray::is_valid`](crate::Ray::is_valid) does.
    pub fn is_valid(&self) -> bool {
        self.origin.iter().chain(&self.direction).all(|x| x.is_finite())
            && self.direction.iter().any(|&x| x != 0.0)
            && !self.t_min.is_nan()
            && !self.t_max.is_nan()
    }
}

/// Hit of a [`Ray64`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit64 {
    /// Ray parameter of the hit, in lengths of the ray's direction.
    pub t: f64,
    /// Where the ray meets the triangle, in the caller's coordinates: a point of the triangle as the scene has it,
    /// whose corners are f32 relative to [`Scene::origin`].
    pub position: [f64; 3],
    /// Barycentric weight of the triangle's second vertex, 0 to 1.
    pub u: f64,
    /// Barycentric weight of the triangle's third vertex, 0 to 1.
    pub v: f64,
    /// Number of the placement, as [`SurfaceHit::instance`](crate::SurfaceHit::instance).
    pub instance: u32,
    /// Index of the triangle in its mesh.
    pub primitive: u32,
    /// Number that the caller gave to the placement; 0 if none.
    pub user: u32,
}

impl SceneRay for Ray64 {
    type Hit = Hit64;
}

impl Asks for Ray64 {
    type Found = Hit64;

    fn closest_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> Option<Hit64> {
        let advanced = Advanced::new(self, scene)?;
        let counts = |touch: &Contact<'_>| counts(&advanced, scene, filter, touch);
        let (nearest, _) = scene.closest_where(&advanced.ray, time(filter), Some(&counts))?;
        // All that may come before it in f64.
        let mut first: Option<Hit64> = None;
        let _ = scene.visit_where(&advanced.beside(nearest.t), time(filter), Some(&counts), &mut |touch| {
            let hit = advanced.hit(scene, touch);
            if first.is_none_or(|first| Self::order(&hit, &first).is_lt()) {
                first = Some(hit);
            }
            ControlFlow::Continue(())
        });
        first
    }

    fn any_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> bool {
        Advanced::new(self, scene).is_some_and(|advanced| {
            let counts = |touch: &Contact<'_>| counts(&advanced, scene, filter, touch);
            scene.any_where(&advanced.ray, time(filter), Some(&counts))
        })
    }

    fn visit_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>, receive: Receive<'_, Hit64>) -> ControlFlow<()> {
        let Some(advanced) = Advanced::new(self, scene) else { return ControlFlow::Continue(()) };
        let counts = |touch: &Contact<'_>| counts(&advanced, scene, filter, touch);
        scene.visit_where(&advanced.ray, time(filter), Some(&counts), &mut |touch| receive(&advanced.hit(scene, touch)))
    }

    fn is_sound(&self) -> bool {
        self.is_valid()
    }

    fn crossings_in(&self, scene: &Scene, filter: Option<&RayFilter<'_>>) -> Crossings {
        let Some(advanced) = Advanced::new(self, scene) else { return Crossings::default() };
        scene.crossings_where(&advanced.ray, time(filter), |touch| {
            let t = advanced.meets(touch).t;
            let is_within = self.t_min <= t && t < self.t_max;
            is_within && filter.is_none_or(|filter| scene.accepts(filter, &advanced.ray, touch, t as f32))
        })
    }

    fn order(a: &Hit64, b: &Hit64) -> Ordering {
        // No `t` is NaN, and the two zeros are the same.
        let by_t = a.t.partial_cmp(&b.t).unwrap_or(Ordering::Equal);
        by_t.then((a.instance, a.primitive).cmp(&(b.instance, b.primitive)))
    }

    fn closest_batch_in(
        rays: &[Self],
        scene: &Scene,
        hits: &mut [Option<Hit64>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        of_rays(rays, scene, hits, 1, control, |rays, hits| {
            rays.iter().zip(hits).for_each(|(ray, hit)| *hit = ray.closest_in(scene, None));
        })
    }

    fn any_bits_in(
        rays: &[Self],
        scene: &Scene,
        blocked: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        of_rays(rays, scene, blocked, 32, control, |rays, words| {
            for (rays, word) in rays.chunks(32).zip(words) {
                let bit = |(bit, ray): (usize, &Self)| u32::from(ray.any_in(scene, None)) << bit;
                *word = rays.iter().enumerate().map(bit).sum();
            }
        })
    }
}

fn time(filter: Option<&RayFilter<'_>>) -> f32 {
    filter.map_or(0.0, |filter| filter.time)
}

/// Returns whether a triangle that the rounded ray hits counts: by the interval, in f64, and the filter.
fn counts(advanced: &Advanced, scene: &Scene, filter: Option<&RayFilter<'_>>, touch: &Contact<'_>) -> bool {
    let t = advanced.meets(touch).t;
    let is_within = advanced.asked.t_min <= t && t <= advanced.asked.t_max;
    is_within && filter.is_none_or(|filter| scene.accepts(filter, &advanced.ray, touch, t as f32))
}

/// Answers rays in parallel, part by part, each with its places: one for so many rays.
fn of_rays<T: Send>(
    rays: &[Ray64],
    scene: &Scene,
    places: &mut [T],
    of_place: usize,
    control: &Control<'_>,
    answer: impl Fn(&[Ray64], &mut [T]) + Sync,
) -> Result<BatchStats, BatchError> {
    if scene.0.is_on_gpus {
        return Err(BatchError::DoublesOnGpu);
    }
    each_part((rays, PART), (places, of_place), control, |_, rays, places| {
        answer(rays, places);
        Ok(())
    })?;
    Ok(scene.stats_of_rays(rays))
}

#[cfg(test)]
mod tests;
