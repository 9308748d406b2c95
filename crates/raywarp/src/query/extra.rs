//! Many rays at once, of what a filter lets count, each with a mask and a time of its own.

use super::batch::ragged;
use super::parts::{PART, each_part};
use super::ray_filter::RayFilter;
use super::{BatchError, Filtered, Scene, SceneRay, SurfaceHit};
use raywarp_geom::{BatchStats, Control};

/// Mask and time of one ray of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayExtra {
    /// Bits of which a placement's mask must share one, as [`Filter::mask`](crate::Filter::mask) has it; all by
    /// default.
    pub mask: u32,
    /// When what moves is seen, from 0 to 1, as [`Filter::time`](crate::Filter::time) has it; 0 by default.
    pub time: f32,
}

impl Default for RayExtra {
    fn default() -> Self {
        Self { mask: u32::MAX, time: 0.0 }
    }
}

/// Batches, on this CPU. `extras` has a mask and a time for each ray, which take the place of the filter's, or is
/// empty.
impl<A: Fn(&SurfaceHit) -> bool + Sync> Filtered<'_, A> {
    /// Finds the nearest hit of each ray that counts, in parallel: `hits` has one place a ray.
    ///
    /// ```
    /// use raywarp::cpu::RayExtra;
    /// use raywarp::{Affine64, Control, Filter, Ray, Scene, SceneOptions};
    ///
    /// let mut builder = Scene::builder();
    /// let sheet = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    /// builder.moving(sheet, [up(1.0), up(2.0)], 0b01, 0);
    /// builder.instance(sheet, up(3.0), 0b10, 0);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let rays = [Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0]); 3];
    /// let extras = [(0b11, 0.0), (0b11, 0.5), (0b10, 0.5)].map(|(mask, time)| RayExtra { mask, time });
    /// let mut hits = [None; 3];
    /// scene.with(Filter::new()).closest_batch(&rays, &extras, &mut hits, &Control::default())?;
    /// assert_eq!(hits.map(|hit| hit.map(|hit| hit.t)), [Some(1.0), Some(1.5), Some(3.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Length`] and [`BatchError::Extras`]; [`TraceError::Cancelled`](crate::TraceError::Cancelled) when
    /// `control` says so; [`BatchError::FilterOnGpu`] where GPUs are named, unless there is nothing that the filter or
    /// `extras` say.
    pub fn closest_batch<R: SceneRay>(
        &self,
        rays: &[R],
        extras: &[RayExtra],
        hits: &mut [Option<R::Hit>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(rays.len(), hits.len())?;
        if self.is_plain(rays.len(), extras)? {
            return R::closest_batch_in(rays, self.scene, hits, control);
        }
        self.each(rays, extras, hits, control, |ray, scene, filter| ray.closest_in(scene, Some(filter)))
    }

    /// Finds for each ray whether it hits anything that counts, in parallel: `blocked` has one place a ray.
    ///
    /// ```
    /// use raywarp::cpu::RayExtra;
    /// use raywarp::{Affine64, Control, Filter, Ray, Scene, SceneOptions};
    ///
    /// let mut builder = Scene::builder();
    /// let sheet = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// builder.instance(sheet, Affine64::IDENTITY, 0b10, 0);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let rays = [Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]); 2];
    /// let extras = [0b01, 0b10].map(|mask| RayExtra { mask, ..RayExtra::default() });
    /// let mut blocked = [false; 2];
    /// scene.with(Filter::new()).any_batch(&rays, &extras, &mut blocked, &Control::default())?;
    /// assert_eq!(blocked, [false, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Filtered::closest_batch`].
    pub fn any_batch<R: SceneRay>(
        &self,
        rays: &[R],
        extras: &[RayExtra],
        blocked: &mut [bool],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(rays.len(), blocked.len())?;
        if self.is_plain(rays.len(), extras)? {
            return self.scene.any_batch(rays, blocked, control);
        }
        self.each(rays, extras, blocked, control, |ray, scene, filter| ray.any_in(scene, Some(filter)))
    }

    /// As [`Filtered::any_batch`], with a bit a ray, as [`Scene::any_bits`] has them.
    ///
    /// ```
    /// use raywarp::{Control, Filter, Ray, Scene, SurfaceHit};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let rays: Vec<Ray> = (0..40).map(|i| Ray::new([i as f32 / 64.0, 0.25, 1.0], [0.0, 0.0, -1.0])).collect();
    /// let is_opaque = |hit: &SurfaceHit| hit.u >= 0.5;
    /// let mut blocked = [0; 2];
    /// scene.with(Filter::new().accept(&is_opaque)).any_bits(&rays, &[], &mut blocked, &Control::default())?;
    /// assert_eq!(blocked, [0, 0xff]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Filtered::closest_batch`], but [`BatchError::Words`] where `blocked` has another length than
    /// `ceil(rays / 32)`.
    pub fn any_bits<R: SceneRay>(
        &self,
        rays: &[R],
        extras: &[RayExtra],
        blocked: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check_words(rays.len(), blocked.len())?;
        if self.is_plain(rays.len(), extras)? {
            return R::any_bits_in(rays, self.scene, blocked, control);
        }
        self.of_rays(rays, blocked, 32, control, |first, rays, words| {
            for (word, (index, rays)) in words.iter_mut().zip((first..).step_by(32).zip(rays.chunks(32))) {
                let any = |i: usize| rays[i].any_in(self.scene, Some(&self.of_ray(extras.get(index + i))));
                *word = (0..rays.len()).map(|i| u32::from(any(i)) << i).sum();
            }
        })
    }

    /// Finds all hits of each ray that count, in parallel, each ray's nearest first, and returns them as
    /// [`Scene::all_batch`] does; on this CPU in any scene.
    ///
    /// ```
    /// use raywarp::{Control, Filter, Ray, Scene};
    ///
    /// let sheet = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    /// let scene = Scene::from_triangles(&[sheet(2.0), sheet(0.0)].concat(), &[[0, 1, 2], [3, 4, 5]])?;
    /// let rays = [0.25, 0.875, 0.5].map(|x| Ray::new([x, 0.25, 3.0], [0.0, 0.0, -1.0]));
    /// let (starts, hits) = scene.with(Filter::new().skip(0, 0)).all_batch(&rays, &[], &Control::default())?;
    /// assert_eq!(starts, [0, 1, 1, 2]);
    /// assert!(hits.iter().all(|hit| hit.primitive == 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Extras`]; [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so.
    pub fn all_batch<R: SceneRay>(
        &self,
        rays: &[R],
        extras: &[RayExtra],
        control: &Control<'_>,
    ) -> Result<(Vec<usize>, Vec<R::Hit>), BatchError> {
        check(rays.len(), extras)?;
        ragged(rays, control, |index, hits| {
            rays[index].all_in(self.scene, Some(&self.of_ray(extras.get(index))), hits);
        })
    }

    /// Returns what counts for a ray.
    fn of_ray(&self, extra: Option<&RayExtra>) -> RayFilter<'_> {
        let filter = self.filter.of_rays();
        extra.map_or(filter, |&RayExtra { mask, time }| RayFilter { mask, time, ..filter })
    }

    /// Returns `true` if a batch is one of the scene itself: its rays see all of it, at time 0 or where nothing moves.
    fn is_plain(&self, rays: usize, extras: &[RayExtra]) -> Result<bool, BatchError> {
        check(rays, extras)?;
        let Scene(inner) = self.scene;
        let (is_all, is_first) = match extras {
            [] => (self.filter.of_rays().is_all(), self.filter.of_rays().time <= 0.0),
            _ => (self.filter.mask(u32::MAX).of_rays().is_all() && extras.iter().all(|e| e.mask == u32::MAX), false),
        };
        if inner.is_on_gpus {
            return if is_all && extras.is_empty() { Ok(true) } else { Err(BatchError::FilterOnGpu) };
        }
        Ok(is_all && (is_first || !self.scene.moves()))
    }

    /// Answers rays in parallel.
    fn each<R: SceneRay, T: Send>(
        &self,
        rays: &[R],
        extras: &[RayExtra],
        places: &mut [T],
        control: &Control<'_>,
        answer: impl Fn(&R, &Scene, &RayFilter<'_>) -> T + Sync,
    ) -> Result<BatchStats, BatchError> {
        self.of_rays(rays, places, 1, control, |first, rays, places| {
            for (i, (ray, place)) in rays.iter().zip(places).enumerate() {
                *place = answer(ray, self.scene, &self.of_ray(extras.get(first + i)));
            }
        })
    }

    /// Answers rays in parallel, part by part, each with the index of its first ray and with its places: one for so
    /// many rays.
    fn of_rays<R: SceneRay, T: Send>(
        &self,
        rays: &[R],
        places: &mut [T],
        of_place: usize,
        control: &Control<'_>,
        answer: impl Fn(usize, &[R], &mut [T]) + Sync,
    ) -> Result<BatchStats, BatchError> {
        each_part((rays, PART), (places, of_place), control, |first, rays, places| {
            answer(first, rays, places);
            Ok(())
        })?;
        Ok(self.scene.stats_of_rays(rays))
    }
}

/// Checks that there is one extra a ray, or none.
fn check(asked: usize, extras: &[RayExtra]) -> Result<(), BatchError> {
    let found = extras.len();
    if found == 0 || found == asked { Ok(()) } else { Err(BatchError::Extras { asked, found }) }
}
