//! Coverage of surfaces: where one with alpha is there, and where a ray passes.

use super::texture_point;
use crate::flat::{MaterialFlags, NONE, ShadingScene};
use crate::texture::scalar;
use glam::Vec2;
use raywarp_geom::Hit;
use raywarp_sample::hash;

/// Returns the opacity of a `triangle` of an instance at the barycentric coordinates `at`.
#[inline]
pub fn coverage(scene: &ShadingScene, instance: u32, triangle: u32, at: Vec2) -> f32 {
    let (material, attributes) = scene.material_and_attributes(instance, triangle);
    if material.alpha == NONE {
        return 1.0;
    }
    let alpha = scalar(scene, &scene.inputs[material.alpha as usize], &texture_point(scene, attributes, at));
    if material.has(MaterialFlags::MASK) {
        if alpha >= material.cutoff { 1.0 } else { 0.0 }
    } else {
        alpha.clamp(0.0, 1.0)
    }
}

/// Random decision whether partly opaque surfaces have a hole at a hit, always the same for the same place and ray.
#[derive(Debug, Clone, Copy)]
pub struct Holes {
    /// Seed of the render's random numbers.
    pub seed: u32,
    /// Salt that keeps the decisions of different rays of a path independent.
    pub salt: u32,
}

impl Holes {
    /// Returns `true` if the surface is there at a candidate hit; partly opaque ones decide by a hash of (seed, pixel,
    /// sample, salt) and the place, so that the answer never changes.
    pub fn is_surface(self, scene: &ShadingScene, hit: &Hit, instance: u32, pixel: u32, sample: u32) -> bool {
        let triangle = scene.triangle_of(hit, instance);
        let coverage = coverage(scene, instance, triangle, Vec2::new(hit.u, hit.v));
        if coverage <= 0.0 || coverage >= 1.0 {
            return coverage > 0.0;
        }
        let key = [pixel, sample, self.salt, instance, hit.primitive];
        hash::to_unit(key.into_iter().fold(hash::pcg(self.seed), hash::combine)) < coverage
    }
}
