//! Many rays at once.

use super::asked::FEW;
use super::parts::PART;
use super::{BatchError, Scene, SceneRay};
use rayon::prelude::*;
use raywarp_geom::{BatchStats, Control};

impl Scene {
    /// Finds the nearest hit of each ray, in parallel, on the device chosen for batches: `hits` has one place a ray.
    ///
    /// Beside the answers it takes 20 bytes a [`Ray`](crate::Ray), which [`Scene::tracer`] does without: its hits have
    /// no [`SurfaceHit::user`](crate::SurfaceHit::user). Answers are those of [`Scene::closest`], bit for bit. From
    /// some 16 rays on a batch is faster than one by one: eight that look alike cost as much as eight calls, eight that
    /// do not up to a quarter more or less, by scene. Rays that follow each other on similar ways are faster than
    /// others.
    ///
    /// ```
    /// use raywarp::{Control, Ray, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let rays: Vec<Ray> = (0..100).map(|i| Ray::new([0.01 * i as f32, 0.25, 1.0], [0.0, 0.0, -1.0])).collect();
    /// let mut hits = vec![None; rays.len()];
    /// let stats = scene.closest_batch(&rays, &mut hits, &Control::default())?;
    /// assert_eq!((stats.rays, hits[10], hits[90]), (100, scene.closest(&rays[10]), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Length`]; [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so;
    /// [`TraceError::Device`](crate::TraceError::Device) when a GPU that was named fails;
    /// [`BatchError::DoublesOnGpu`] for rays in f64 where GPUs are named.
    pub fn closest_batch<R: SceneRay>(
        &self,
        rays: &[R],
        hits: &mut [Option<R::Hit>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(rays.len(), hits.len())?;
        R::closest_batch_in(rays, self, hits, control)
    }

    /// Finds for each ray whether it hits anything, in parallel, on the device chosen for batches: `blocked` has one
    /// place a ray. Beside that it takes a bit a ray, which [`Scene::any_bits`] writes as they are.
    ///
    /// ```
    /// use raywarp::{Control, Ray, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let rays = [0.25, 0.5, 0.9].map(|x| Ray::new([x, 0.25, 1.0], [0.0, 0.0, -1.0]));
    /// let mut blocked = [false; 3];
    /// scene.any_batch(&rays, &mut blocked, &Control::default())?;
    /// assert_eq!(blocked, [true, true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Scene::closest_batch`].
    pub fn any_batch<R: SceneRay>(
        &self,
        rays: &[R],
        blocked: &mut [bool],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(rays.len(), blocked.len())?;
        let (mut few, mut many);
        let bits = if rays.len() <= FEW {
            few = [0; FEW.div_ceil(32)];
            &mut few[..rays.len().div_ceil(32)]
        } else {
            many = vec![0; rays.len().div_ceil(32)];
            &mut many[..]
        };
        let stats = self.any_bits(rays, bits, control)?;
        blocked.iter_mut().enumerate().for_each(|(ray, blocked)| *blocked = bits[ray / 32] >> (ray % 32) & 1 == 1);
        Ok(stats)
    }

    /// As [`Scene::any_batch`], with a bit a ray: bit `i % 32` of word `i / 32` for ray `i`. Bits behind the last ray
    /// are 0.
    ///
    /// ```
    /// use raywarp::{Control, Ray, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let rays: Vec<Ray> = (0..40).map(|i| Ray::new([i as f32 / 30.0, 0.5, 1.0], [0.0, 0.0, -1.0])).collect();
    /// let mut blocked = [0; 2];
    /// scene.any_bits(&rays, &mut blocked, &Control::default())?;
    /// assert_eq!(blocked, [0xffff, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Scene::closest_batch`], but [`BatchError::Words`] where `blocked` has another length than
    /// `ceil(rays / 32)`.
    pub fn any_bits<R: SceneRay>(
        &self,
        rays: &[R],
        blocked: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check_words(rays.len(), blocked.len())?;
        R::any_bits_in(rays, self, blocked, control)
    }

    /// Finds all hits of each ray, in parallel on the CPU, each ray's nearest first: those of ray `i` are
    /// `hits[starts[i]..starts[i + 1]]` of the (starts, hits) that it returns. At the peak it holds the hits twice.
    ///
    /// ```
    /// use raywarp::{Control, Ray, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let rays = [0.9, 0.25].map(|x| Ray::new([x, 0.25, 1.0], [0.0, 0.0, -1.0]));
    /// let (starts, hits) = scene.all_batch(&rays, &Control::default())?;
    /// assert_eq!((&starts[..], hits[0].t), (&[0, 0, 1][..], 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so.
    pub fn all_batch<R: SceneRay>(
        &self,
        rays: &[R],
        control: &Control<'_>,
    ) -> Result<(Vec<usize>, Vec<R::Hit>), BatchError> {
        ragged(rays, control, |index, hits| self.all_into(&rays[index], hits))
    }

    /// Returns the statistics of rays that were answered one by one, on the CPU.
    pub(super) fn stats_of_rays<R: SceneRay>(&self, rays: &[R]) -> BatchStats {
        let invalid = rays.iter().filter(|ray| !ray.is_sound()).count();
        BatchStats::of(self.kernel_name(), rays.len() as u64).with_invalid(invalid as u64)
    }
}

/// Finds all hits of each ray in parallel: `all_of` writes those of the ray with an index into a list.
pub(super) fn ragged<R: SceneRay>(
    rays: &[R],
    control: &Control<'_>,
    all_of: impl Fn(usize, &mut Vec<R::Hit>) + Sync,
) -> Result<(Vec<usize>, Vec<R::Hit>), BatchError> {
    let part = |(part, of_part): (usize, &[R])| {
        let (mut counts, mut hits, mut of_ray) = (Vec::with_capacity(of_part.len()), Vec::new(), Vec::new());
        for index in (part * PART..).take(of_part.len()) {
            if control.is_cancelled() {
                return Err(raywarp_geom::TraceError::Cancelled);
            }
            all_of(index, &mut of_ray);
            counts.push(of_ray.len());
            hits.extend_from_slice(&of_ray);
        }
        control.advance(of_part.len());
        Ok((counts, hits))
    };
    let parts: Vec<(Vec<usize>, Vec<R::Hit>)> =
        rays.par_chunks(PART).enumerate().map(part).collect::<Result<_, _>>()?;
    let mut starts = Vec::with_capacity(rays.len() + 1);
    let mut end = 0;
    starts.push(end);
    for count in parts.iter().flat_map(|(counts, _)| counts) {
        end += count;
        starts.push(end);
    }
    let mut hits = Vec::with_capacity(end);
    parts.into_iter().for_each(|(_, of_part)| hits.extend(of_part));
    Ok((starts, hits))
}
