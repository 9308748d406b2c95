//! Arrival of a path at what its ray found.

use super::{ALL_SPECULAR, FirstHit, PathState, Transport, emission};
use crate::bsdf::MaterialKind;
use crate::flat::ShadingScene;
use crate::surface::{SurfacePoint, texture_point};
use crate::texture::color;
use glam::Vec3;
use raywarp_geom::{Hit, Ray};

/// Result of a path's arrival at the end of its ray, 60 bytes, of which 4 tell whether there are first-hit features.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Arrival {
    /// Light that the path brings back from the end of its ray.
    pub radiance: Vec3,
    /// Throughput that the path has left after absorption.
    pub throughput: Vec3,
    /// Features of the first vertex, if the path ends there.
    pub first_hit: Option<FirstHit>,
    /// `true` if the path arrived at a surface that scatters.
    pub scatters: bool,
}

const _: () = assert!(size_of::<Arrival>() == 60);

/// Takes `path` along `ray` to `hit` at `point` (if anything was hit): absorbs, and collects emitted light.
#[inline]
pub fn arrive(
    scene: &ShadingScene,
    transport: &Transport,
    path: &PathState,
    ray: &Ray,
    hit: &Hit,
    point: &SurfacePoint,
) -> Arrival {
    let direction = Vec3::from(ray.direction);
    let mut path = *path;
    if !scene.media.is_empty() {
        let t = if hit.is_hit() { hit.t } else { f32::INFINITY };
        path.throughput *= path.media.transmittance(scene, t, 1.0);
    }
    if !hit.is_hit() {
        let radiance = emission::from_environments(scene, transport, &path, direction);
        return Arrival { radiance, throughput: path.throughput, first_hit: None, scatters: false };
    }
    let material = &scene.materials[point.material as usize];
    let cos = -point.geometric_normal.dot(direction);
    let mut radiance = emission::from_surface(scene, transport, &path, ray, point, cos, hit.t);
    let throughput = path.throughput;
    if material.kind() != MaterialKind::Unlit {
        return Arrival { radiance, throughput, first_hit: None, scatters: true };
    }
    let at = texture_point(scene, point.attributes, point.barycentrics);
    let color = color(scene, &scene.inputs[material.first_input as usize], &at);
    if path.flags & ALL_SPECULAR != 0 {
        radiance += throughput * color;
    }
    let first_hit = FirstHit { albedo: color, normal: point.shading_normal, depth: hit.t };
    Arrival { radiance, throughput, first_hit: (path.bounce == 0).then_some(first_hit), scatters: false }
}
