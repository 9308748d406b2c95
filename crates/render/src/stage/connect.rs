//! Stage 4: shadow rays; the light that nothing blocks is added to its path.

use crate::flat::ShadingScene;
use crate::joined::{Any, Joined};
use crate::path::{Scratch, ShadowQueue, Wave};
use crate::surface::Holes;
use glam::Vec3;
use raywarp_geom::{Hit, TraceError, Tracer};

/// Salt of shadow rays' random opacity decisions, which makes them independent of the path's own.
pub(crate) const SHADOW_SALT: u32 = 0x8000_0000;

/// Traces the queued shadow rays, and adds the contributions that arrive. `seed` and `salt` are those of the alpha
/// decisions.
pub(crate) fn connect(
    scene: &ShadingScene,
    seed: u32,
    tracer: &dyn Tracer,
    salt: u32,
    waves: &mut [Wave],
    joined: &mut Joined,
) -> Result<(), TraceError> {
    joined.any(tracer, waves, |wave| {
        let Scratch { blocked, undecided, .. } = &mut wave.scratch;
        Any { rays: &wave.shadow.rays, after: &[], blocked, undecided }
    })?;
    joined.each(waves, |wave| {
        let Wave { scratch, shadow, rays_traced, .. } = wave;
        *rays_traced += shadow.rays.len() as u64;
        scratch.retry_index.clear();
        scratch.retry_index.extend(0..shadow.rays.len() as u32);
    });
    loop {
        joined.each(waves, |wave| take_arrivals(scene, seed, salt, wave));
        if waves.iter().all(|wave| wave.scratch.retry_rays.is_empty()) {
            return Ok(());
        }
        joined.any(tracer, waves, |wave| {
            let Scratch { retry_rays, retry_after, blocked, undecided, .. } = &mut wave.scratch;
            Any { rays: retry_rays, after: retry_after, blocked, undecided }
        })?;
    }
}

/// Adds the contributions of the last shadow rays that nothing blocks, and keeps those that continue behind a hole.
fn take_arrivals(scene: &ShadingScene, seed: u32, salt: u32, wave: &mut Wave) {
    let Wave { shadow, scratch, radiance, pixel, sample, bounce, rays_traced, .. } = wave;
    let Scratch { blocked, undecided, retry_rays, retry_after, retry_index, next_index, .. } = scratch;
    let mut waiting = undecided.iter().map(|c| c.ray as usize).peekable();
    for (k, &i) in retry_index.iter().enumerate() {
        if waiting.next_if_eq(&k).is_none() && blocked[k / 32] >> (k % 32) & 1 == 0 {
            radiance[shadow.slots[i as usize] as usize] += shadow.arriving(scene, i as usize);
        }
    }
    retry_rays.clear();
    retry_after.clear();
    next_index.clear();
    for candidate in undecided.iter() {
        let i = retry_index[candidate.ray as usize];
        let slot = shadow.slots[i as usize] as usize;
        let holes = Holes { seed, salt: *bounce | salt };
        if !holes.is_surface(scene, &candidate.hit, candidate.instance, pixel[slot], sample[slot]) {
            shadow.pass(scene, i as usize, &candidate.hit, candidate.instance);
            next_index.push(i);
            retry_rays.push(shadow.rays[i as usize]);
            retry_after.push(candidate.key());
        }
    }
    std::mem::swap(retry_index, next_index);
    *rays_traced += retry_rays.len() as u64;
}

impl ShadowQueue {
    /// Returns the light that shadow ray `i` brings to its path.
    #[inline]
    fn arriving(&self, scene: &ShadingScene, i: usize) -> Vec3 {
        let contribution = self.contributions[i];
        let Some(media) = self.media.get(i) else { return contribution };
        let ray = &self.rays[i];
        contribution * media.transmittance(scene, ray.t_max, Vec3::from(ray.direction).length())
    }

    /// Continues shadow ray `i` behind a surface that is a hole at the hit.
    fn pass(&mut self, scene: &ShadingScene, i: usize, hit: &Hit, instance: u32) {
        if let Some(media) = self.media.get_mut(i) {
            let (left, behind) = media.passed(scene, &self.rays[i], hit, instance);
            self.contributions[i] *= left;
            *media = behind;
        }
    }
}
