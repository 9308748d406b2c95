//! Stage 2: the next vertex of each path; transparent candidates are decided here.

use crate::flat::ShadingScene;
use crate::joined::{Closest, Joined};
use crate::path::{Scratch, Wave};
use crate::surface::Holes;
use raywarp_geom::{HitKey, TraceError, Tracer};

/// Finds the next vertex of every living path, past holes; `seed` is that of the opacity decisions.
pub(crate) fn extend(
    scene: &ShadingScene,
    seed: u32,
    tracer: &dyn Tracer,
    waves: &mut [Wave],
    joined: &mut Joined,
) -> Result<(), TraceError> {
    joined.each(waves, |wave| {
        let count = wave.rays.len();
        wave.hits.resize(count, Default::default());
        wave.instances.resize(count, 0);
        wave.rays_traced += count as u64;
    });
    joined.closest(tracer, waves, |wave| Closest {
        rays: &wave.rays,
        after: &[],
        hits: &mut wave.hits,
        instances: &mut wave.instances,
    })?;
    if scene.all_opaque {
        return Ok(());
    }
    joined.each(waves, |wave| {
        let Wave { scratch, rays, .. } = wave;
        scratch.retry_index.clear();
        scratch.retry_index.extend(0..rays.len() as u32);
    });
    loop {
        joined.each(waves, |wave| keep_holes(scene, seed, wave));
        if waves.iter().all(|wave| wave.scratch.retry_rays.is_empty()) {
            return Ok(());
        }
        joined.closest(tracer, waves, |wave| {
            let Scratch { retry_rays, retry_after, retry_hits, retry_instances, .. } = &mut wave.scratch;
            Closest { rays: retry_rays, after: retry_after, hits: retry_hits, instances: retry_instances }
        })?;
        joined.each(waves, |wave| {
            let Wave { scratch, hits, instances, .. } = wave;
            for (k, &i) in scratch.retry_index.iter().enumerate() {
                hits[i as usize] = scratch.retry_hits[k];
                instances[i as usize] = scratch.retry_instances[k];
            }
        });
    }
}

/// Keeps the last rays whose nearest candidate hit turns out to be a hole, to trace them again behind it.
fn keep_holes(scene: &ShadingScene, seed: u32, wave: &mut Wave) {
    let Scratch { retry_rays, retry_after, retry_index, retry_hits, retry_instances, next_index, .. } =
        &mut wave.scratch;
    next_index.clear();
    retry_rays.clear();
    retry_after.clear();
    for &index in retry_index.iter() {
        let i = index as usize;
        let (hit, instance) = (&wave.hits[i], wave.instances[i]);
        let path = &mut wave.paths[i];
        let holes = Holes { seed, salt: wave.bounce };
        if hit.is_hit() && !holes.is_surface(scene, hit, instance, path.pixel, path.sample) {
            if !scene.media.is_empty() {
                let (left, media) = path.media.passed(scene, &wave.rays[i], hit, instance);
                path.throughput *= left;
                path.media = media;
            }
            next_index.push(index);
            retry_rays.push(wave.rays[i]);
            retry_after.push(HitKey::of(hit, instance));
        }
    }
    std::mem::swap(retry_index, next_index);
    retry_hits.resize(retry_rays.len(), Default::default());
    retry_instances.resize(retry_rays.len(), 0);
    wave.rays_traced += retry_rays.len() as u64;
}
