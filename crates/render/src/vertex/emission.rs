//! Light that a path finds by scattering.

use super::{PathState, SPECULAR, Transport, power_heuristic};
use crate::flat::ShadingScene;
use crate::light;
use crate::options::DirectLight;
use crate::surface::{SurfacePoint, emitted};
use glam::Vec3;
use raywarp_geom::Ray;

/// Returns the weight of emission found by scattering in multiple importance sampling with connections, which find it
/// with density `light_pdf`.
#[inline]
fn weight(transport: &Transport, path: &PathState, light_pdf: f32) -> f32 {
    match transport.direct {
        _ if path.flags & SPECULAR != 0 => 1.0,
        DirectLight::Both => power_heuristic(path.previous_pdf, light_pdf),
        DirectLight::Lights => 0.0,
        DirectLight::Scattering => 1.0,
    }
}

/// Returns the environment light that a path brings back when it leaves the scene along `direction`.
#[inline]
pub(super) fn from_environments(
    scene: &ShadingScene,
    transport: &Transport,
    path: &PathState,
    direction: Vec3,
) -> Vec3 {
    if transport.transparent && path.bounce == 0 {
        return Vec3::ZERO;
    }
    let mut sum = Vec3::ZERO;
    for (radiance, pdf) in light::environments(scene, direction) {
        sum += path.throughput * radiance * weight(transport, path, pdf);
    }
    sum
}

/// Returns the emitted light that a path brings back from the surface at the distance `t` on `ray`, which it meets with
/// `cos` to the front normal.
#[inline]
pub(crate) fn from_surface(
    scene: &ShadingScene,
    transport: &Transport,
    path: &PathState,
    ray: &Ray,
    point: &SurfacePoint,
    cos: f32,
    t: f32,
) -> Vec3 {
    let material = &scene.materials[point.material as usize];
    let emitted = emitted(scene, material, point.attributes, point.barycentrics, cos);
    if emitted == Vec3::ZERO {
        return Vec3::ZERO;
    }
    if path.flags & SPECULAR != 0 {
        // What connections find does not matter, and the density of a near light is no cheap number.
        return path.throughput * emitted;
    }
    let light = scene.record(point.instance, point.triangle).light;
    let light_pdf = light::pdf(scene, light, ray.origin.into(), cos, t * t);
    path.throughput * emitted * weight(transport, path, light_pdf)
}
