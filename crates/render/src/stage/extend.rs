//! Stage 2: the next vertex of each path; transparent candidates are decided here.

use crate::path::{Scratch, Wave};
use crate::world::World;
use raywarp_geom::{Control, HitKey, TraceError, Tracer};

/// Finds the next visible vertex of every living path.
pub(crate) fn extend(world: &World, tracer: &dyn Tracer, wave: &mut Wave) -> Result<(), TraceError> {
    let count = wave.rays.len();
    wave.hits.resize(count, Default::default());
    wave.instances.resize(count, 0);
    wave.rays_traced += count as u64;
    let control = Control::default();
    tracer.closest(&wave.rays, &[], &mut wave.hits, &mut wave.instances, &control)?;
    if world.all_opaque {
        return Ok(());
    }
    let Scratch { retry_rays, retry_after, retry_index, retry_hits, retry_instances, next_after, next_index, .. } =
        &mut wave.scratch;
    retry_index.clear();
    retry_index.extend(0..count as u32);
    loop {
        // Keep the rays whose nearest candidate turns out to be a hole.
        next_after.clear();
        next_index.clear();
        for &index in retry_index.iter() {
            let i = index as usize;
            let (hit, instance) = (&wave.hits[i], wave.instances[i]);
            let slot = wave.slots[i] as usize;
            if hit.is_hit() && !world.is_there(hit, instance, wave.pixel[slot], wave.sample[slot], wave.bounce) {
                next_index.push(index);
                next_after.push(HitKey { t: hit.t, instance, primitive: hit.primitive });
            }
        }
        std::mem::swap(retry_index, next_index);
        std::mem::swap(retry_after, next_after);
        if retry_index.is_empty() {
            return Ok(());
        }
        retry_rays.clear();
        retry_rays.extend(retry_index.iter().map(|&i| wave.rays[i as usize]));
        retry_hits.resize(retry_rays.len(), Default::default());
        retry_instances.resize(retry_rays.len(), 0);
        wave.rays_traced += retry_rays.len() as u64;
        tracer.closest(retry_rays, retry_after, retry_hits, retry_instances, &control)?;
        for (k, &i) in retry_index.iter().enumerate() {
            wave.hits[i as usize] = retry_hits[k];
            wave.instances[i as usize] = retry_instances[k];
        }
    }
}
