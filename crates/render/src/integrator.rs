//! The integrators beside path tracing: each fills the value of every sample of a wave.

use crate::bsdf::Scattering;
use crate::flat::ShadingScene;
use crate::joined::Joined;
use crate::path::Wave;
use crate::stage::{connect, extend};
use crate::surface::{Frame, shading, surface_point};
use crate::vertex::{CAMERA_DIMENSIONS, FirstHit};
use glam::Vec3;
use raywarp_geom::{Control, Ray, RayCost, TraceError, Tracer, offset_from_triangle};
use raywarp_sample::{Sampler, warp};

/// Salt of the random opacity decisions of occlusion rays.
const OCCLUSION_SALT: u32 = 0x4000_0000;

/// Renders ambient occlusion: the free fraction of the hemisphere about the normal on the viewer's side, by one ray per
/// sample; misses count as 1, or 0 if `transparent`.
pub(crate) fn ambient_occlusion(
    scene: &ShadingScene,
    seed: u32,
    tracer: &dyn Tracer,
    sampler: Sampler,
    distance: f32,
    transparent: bool,
    waves: &mut [Wave],
    joined: &mut Joined,
) -> Result<(), TraceError> {
    extend(scene, seed, tracer, waves, joined)?;
    joined.each(waves, |wave| occlusion_rays(scene, sampler, distance, transparent, wave));
    connect(scene, seed, tracer, OCCLUSION_SALT, waves, joined)
}

/// Queues the occlusion ray of each sample that hit something, with a contribution of 1.
fn occlusion_rays(scene: &ShadingScene, sampler: Sampler, distance: f32, transparent: bool, wave: &mut Wave) {
    wave.shadow.clear();
    for i in 0..wave.paths.len() {
        let (path, hit) = (wave.paths[i], wave.hits[i]);
        let slot = path.slot as usize;
        if !hit.is_hit() {
            wave.set(slot, if transparent { Vec3::ZERO } else { Vec3::ONE });
            continue;
        }
        let point = surface_point(scene, &hit, wave.instances[i]);
        let toward = -Vec3::from(wave.rays[i].direction);
        let side = if point.geometric_normal.dot(toward) < 0.0 { -1.0 } else { 1.0 };
        let frame = Frame::around(point.geometric_normal * side);
        let mut stream = sampler.resume(path.pixel, path.sample, CAMERA_DIMENSIONS, path.sampler_state);
        let direction = frame.to_world(Vec3::from(warp::cosine_hemisphere(stream.next_2d())));
        let origin = offset_from_triangle(point.position.into(), frame.normal.into(), point.extent);
        wave.shadow.push(Ray::new(origin, direction.into()).with_interval(0.0, distance), slot as u32, Vec3::ONE);
        wave.first_hit[slot] = FirstHit { albedo: Vec3::ONE, normal: frame.normal, depth: hit.t };
    }
}

/// Renders the shading normal of the first hit as a colour.
pub(crate) fn normal(
    scene: &ShadingScene,
    seed: u32,
    tracer: &dyn Tracer,
    waves: &mut [Wave],
    joined: &mut Joined,
) -> Result<(), TraceError> {
    extend(scene, seed, tracer, waves, joined)?;
    joined.each(waves, |wave| first_hits(scene, wave, |first| 0.5 * first.normal + 0.5));
    Ok(())
}

/// Renders the distance of the first hit.
pub(crate) fn depth(
    scene: &ShadingScene,
    seed: u32,
    tracer: &dyn Tracer,
    waves: &mut [Wave],
    joined: &mut Joined,
) -> Result<(), TraceError> {
    extend(scene, seed, tracer, waves, joined)?;
    joined.each(waves, |wave| {
        first_hits(scene, wave, |first| Vec3::splat(first.depth));
        // A weighted distance may lie outside of those that were found.
        wave.filter_weight.fill(1.0);
    });
    Ok(())
}

fn first_hits(scene: &ShadingScene, wave: &mut Wave, value: impl Fn(&FirstHit) -> Vec3) {
    for i in 0..wave.paths.len() {
        let (slot, hit, instance) = (wave.paths[i].slot as usize, wave.hits[i], wave.instances[i]);
        if !hit.is_hit() {
            continue;
        }
        let point = surface_point(scene, &hit, instance);
        let wo = -Vec3::from(wave.rays[i].direction);
        let shading = shading(scene, Scattering::default(), &point, wo, 0.5);
        let albedo = shading.bsdf.albedo(shading.frame.to_local(wo));
        let first = FirstHit { albedo, normal: shading.frame.normal, depth: hit.t };
        wave.first_hit[slot] = first;
        wave.set(slot, value(&first));
    }
}

/// Renders the work of the camera rays: node visits, triangle tests, and their sum.
pub(crate) fn cost(tracer: &dyn Tracer, waves: &mut [Wave]) -> Result<(), TraceError> {
    for wave in waves {
        let mut costs = vec![RayCost::default(); wave.rays.len()];
        tracer.cost(&wave.rays, &mut costs, &Control::default())?;
        wave.rays_traced += wave.rays.len() as u64;
        for (i, cost) in costs.iter().enumerate() {
            let (nodes, triangles) = (cost.nodes as f32, cost.triangles as f32);
            wave.set(wave.paths[i].slot as usize, Vec3::new(nodes, triangles, nodes + triangles));
        }
    }
    Ok(())
}
