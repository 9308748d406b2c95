//! Between the second and the third stage: bodies that touch the one whose boundary a path is at.

use crate::flat::{NONE, ShadingScene};
use crate::joined::{Closest, Joined};
use crate::path::{Scratch, Wave};
use crate::vertex::{search, touching};
use raywarp_geom::{HitKey, TraceError, Tracer};

/// Finds bodies that touch at the end of each path's ray, for every path that `extend` took to a body; does nothing in
/// scenes without bodies.
pub(crate) fn touch(
    scene: &ShadingScene,
    tracer: &dyn Tracer,
    waves: &mut [Wave],
    joined: &mut Joined,
) -> Result<(), TraceError> {
    if scene.media.is_empty() {
        return Ok(());
    }
    joined.each(waves, |wave| ask(scene, wave));
    joined.closest(tracer, waves, |wave| {
        let Scratch { retry_rays, retry_after, retry_hits, retry_instances, .. } = &mut wave.scratch;
        Closest { rays: retry_rays, after: retry_after, hits: retry_hits, instances: retry_instances }
    })?;
    joined.each(waves, |wave| {
        let Wave { scratch, rays, hits, instances, touching: found, .. } = wave;
        for (k, &index) in scratch.retry_index.iter().enumerate() {
            let i = index as usize;
            let second = (&scratch.retry_hits[k], scratch.retry_instances[k]);
            found[i] = touching(scene, &rays[i], (&hits[i], instances[i]), second);
        }
    });
    Ok(())
}

/// Queues a wave's rays in search of touching bodies.
fn ask(scene: &ShadingScene, wave: &mut Wave) {
    let Scratch { retry_rays, retry_after, retry_index, retry_hits, retry_instances, .. } = &mut wave.scratch;
    retry_rays.clear();
    retry_after.clear();
    retry_index.clear();
    wave.touching.clear();
    wave.touching.resize(wave.rays.len(), NONE);
    for (i, (ray, hit)) in wave.rays.iter().zip(&wave.hits).enumerate() {
        if let Some(search) = search(scene, ray, hit, wave.instances[i]) {
            retry_rays.push(search);
            retry_after.push(HitKey::of(hit, wave.instances[i]));
            retry_index.push(i as u32);
        }
    }
    retry_hits.resize(retry_rays.len(), Default::default());
    retry_instances.resize(retry_rays.len(), 0);
    wave.rays_traced += retry_rays.len() as u64;
}
