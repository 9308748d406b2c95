//! Many rays at once.

use super::{BatchError, Scene, SurfaceHit};
use rayon::prelude::*;
use raywarp_geom::{BatchStats, Control, Hit, Ray};

impl Scene {
    /// Finds the nearest hit of each ray, in parallel, on the device chosen for batches: `hits` has one place a ray.
    ///
    /// Beside the answers it takes 20 bytes a ray. Who has no use for numbers of users may ask [`Scene::tracer`].
    ///
    /// # Errors
    /// [`BatchError::Length`]; [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so;
    /// [`TraceError::Device`](crate::TraceError::Device) when a GPU that was named fails.
    pub fn closest_batch(
        &self,
        rays: &[Ray],
        hits: &mut [Option<SurfaceHit>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(rays.len(), hits.len())?;
        let (mut found, mut instances) = (vec![Hit::default(); rays.len()], vec![0; rays.len()]);
        let stats = self.tracer().closest(rays, &[], &mut found, &mut instances, control)?;
        let answer = |(hit, (found, instance)): (&mut Option<SurfaceHit>, (&Hit, &u32))| {
            *hit = found.is_hit().then(|| self.surface_hit(found, *instance));
        };
        hits.par_iter_mut().with_min_len(1 << 12).zip(found.par_iter().zip(&instances)).for_each(answer);
        Ok(stats)
    }

    /// Finds for each ray whether it hits anything, in parallel, on the device chosen for batches: `blocked` has one
    /// place a ray.
    ///
    /// # Errors
    /// As [`Scene::closest_batch`].
    pub fn any_batch(
        &self,
        rays: &[Ray],
        blocked: &mut [bool],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(rays.len(), blocked.len())?;
        let mut bits = vec![0; rays.len().div_ceil(32)];
        let stats = self.any_bits(rays, &mut bits, control)?;
        blocked.iter_mut().enumerate().for_each(|(ray, blocked)| *blocked = bits[ray / 32] >> (ray % 32) & 1 == 1);
        Ok(stats)
    }

    /// As [`Scene::any_batch`], with a bit a ray: bit `i % 32` of word `i / 32` for ray `i`.
    ///
    /// # Errors
    /// As [`Scene::closest_batch`], where `blocked` has another length than `ceil(rays / 32)`.
    pub fn any_bits(&self, rays: &[Ray], blocked: &mut [u32], control: &Control<'_>) -> Result<BatchStats, BatchError> {
        BatchError::check(rays.len().div_ceil(32), blocked.len())?;
        Ok(self.tracer().any(rays, &[], blocked, &mut Vec::new(), control)?)
    }

    /// Finds all hits of each ray, in parallel on the CPU, each ray's nearest first: those of ray `i` are
    /// `hits[starts[i]..starts[i + 1]]` of the (starts, hits) that it returns.
    ///
    /// # Errors
    /// [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so.
    pub fn all_batch(&self, rays: &[Ray], control: &Control<'_>) -> Result<(Vec<usize>, Vec<SurfaceHit>), BatchError> {
        const PART: usize = 512;
        let part = |rays: &[Ray]| {
            let (mut counts, mut hits, mut of_ray) = (Vec::with_capacity(rays.len()), Vec::new(), Vec::new());
            for ray in rays {
                if control.is_cancelled() {
                    return Err(raywarp_geom::TraceError::Cancelled);
                }
                self.all_into(ray, &mut of_ray);
                counts.push(of_ray.len());
                hits.extend_from_slice(&of_ray);
            }
            control.advance(rays.len());
            Ok((counts, hits))
        };
        let parts: Vec<(Vec<usize>, Vec<SurfaceHit>)> = rays.par_chunks(PART).map(part).collect::<Result<_, _>>()?;
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
}
