//! Stage 4: shadow rays; what nothing blocks is added to its path.

use crate::path::{Scratch, Wave};
use crate::world::World;
use raywarp_geom::{Control, Ray, TraceError, Tracer};

/// Salt of the alpha decisions of shadow rays, so that they are independent of the path's own.
const SHADOW_SALT: u32 = 0x8000_0000;

/// Traces the connection queue and adds the contributions that arrive.
pub(crate) fn connect(world: &World, tracer: &dyn Tracer, wave: &mut Wave) -> Result<(), TraceError> {
    let Wave { shadow, scratch, radiance, pixel, sample, bounce, rays_traced, .. } = wave;
    let slots = &shadow.slots;
    let identity = |i: usize| {
        let slot = slots[i] as usize;
        (pixel[slot], sample[slot], *bounce | SHADOW_SALT)
    };
    *rays_traced += unblocked(world, tracer, &shadow.rays, identity, scratch, |i| {
        radiance[slots[i] as usize] += shadow.contributions[i];
    })?;
    Ok(())
}

/// Calls `arrives` for each ray that nothing blocks, alpha decided; returns how many rays were
/// traced. `identity` gives (pixel, sample, salt) of a ray for stochastic transparency.
pub(crate) fn unblocked(
    world: &World,
    tracer: &dyn Tracer,
    rays: &[Ray],
    identity: impl Fn(usize) -> (u32, u32, u32),
    scratch: &mut Scratch,
    mut arrives: impl FnMut(usize),
) -> Result<u64, TraceError> {
    let Scratch { blocked, undecided, retry_rays, retry_after, retry_index, next_index, .. } = scratch;
    let control = Control::default();
    blocked.resize(rays.len().div_ceil(32), 0);
    tracer.any(rays, &[], blocked, undecided, &control)?;
    let mut traced = rays.len() as u64;
    let is_blocked = |blocked: &[u32], i: usize| blocked[i / 32] >> (i % 32) & 1 != 0;
    let mut waiting = undecided.iter().map(|c| c.ray as usize).peekable();
    for i in 0..rays.len() {
        if waiting.next_if_eq(&i).is_none() && !is_blocked(blocked, i) {
            arrives(i);
        }
    }
    retry_index.clear();
    retry_index.extend(0..rays.len() as u32);
    while !undecided.is_empty() {
        retry_rays.clear();
        retry_after.clear();
        next_index.clear();
        for candidate in undecided.iter() {
            let i = retry_index[candidate.ray as usize];
            let (pixel, sample, salt) = identity(i as usize);
            if !world.is_there(&candidate.hit, candidate.instance, pixel, sample, salt) {
                next_index.push(i);
                retry_rays.push(rays[i as usize]);
                retry_after.push(candidate.key());
            }
        }
        std::mem::swap(retry_index, next_index);
        if retry_rays.is_empty() {
            break;
        }
        traced += retry_rays.len() as u64;
        blocked.resize(retry_rays.len().div_ceil(32).max(1), 0);
        tracer.any(retry_rays, retry_after, blocked, undecided, &control)?;
        let mut waiting = undecided.iter().map(|c| c.ray as usize).peekable();
        for (k, &i) in retry_index.iter().enumerate() {
            if waiting.next_if_eq(&k).is_none() && !is_blocked(blocked, k) {
                arrives(i as usize);
            }
        }
    }
    Ok(traced)
}
