//! Bodies that touch: where one begins another ends, and a path that meets one boundary would start behind both.

use crate::flat::{NONE, ShadingScene};
use crate::surface::surface_point;
use glam::Vec3;
use raywarp_geom::{Hit, Ray};

/// Smallest cosine for the search of a touching boundary: smaller ones count as this, since along a boundary the search
/// would be long.
const LEAST_COS: f32 = 0.01;

/// Returns the ray that searches for another boundary close behind a hit, over the distance by which the next ray's
/// origin is offset and its rounding. `None` where no body begins or ends.
#[inline]
pub fn search(scene: &ShadingScene, ray: &Ray, hit: &Hit, instance: u32) -> Option<Ray> {
    if !hit.is_hit() {
        return None;
    }
    if scene.surface_of(hit, instance).1.body() == NONE {
        return None;
    }
    let (point, direction) = (surface_point(scene, hit, instance), Vec3::from(ray.direction));
    let moved = Vec3::from(point.origin_towards(direction)) - point.position;
    let cos = point.geometric_normal.dot(direction).abs().max(LEAST_COS);
    let way = 2.0 * moved.dot(point.geometric_normal).abs() / cos;
    Some(ray.with_interval(hit.t, hit.t + way))
}

/// Returns the medium of the other body whose boundary `found` such a search reached, or [`NONE`] if light does not
/// leave one body there and enter the other.
#[inline]
pub fn touching(scene: &ShadingScene, ray: &Ray, from: (&Hit, u32), found: (&Hit, u32)) -> u32 {
    if !found.0.is_hit() {
        return NONE;
    }
    let direction = Vec3::from(ray.direction);
    let (first, _) = scene.surface_of(from.0, from.1);
    let (second, material) = scene.surface_of(found.0, found.1);
    let is_opposite = first.is_met_from_behind(direction) != second.is_met_from_behind(direction);
    if is_opposite { material.body() } else { NONE }
}
