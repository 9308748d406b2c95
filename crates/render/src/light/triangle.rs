//! Emissive triangles, sampled by area.

use super::LightSample;
use crate::flat::{LightRecord, ShadingScene};
use crate::surface::{coverage, emitted};
use glam::{Vec2, Vec3};
use raywarp_geom::offset_from_triangle;
use raywarp_sample::warp;

/// A connection to a point on the triangle.
#[inline]
pub(super) fn sample(scene: &ShadingScene, light: &LightRecord, point: Vec3, u: [f32; 2]) -> Option<LightSample> {
    let [b1, b2] = warp::uniform_triangle(u);
    let (edges, normal) = ([Vec3::from(light.u), Vec3::from(light.v)], Vec3::from(light.w));
    let on_light = Vec3::from(light.at) + b1 * edges[0] + b2 * edges[1];
    let to_light = on_light - point;
    let distance_squared = to_light.length_squared();
    let wi = to_light.try_normalize()?;
    let cos = -normal.dot(wi);
    let pdf = pdf(light, cos, distance_squared);
    if pdf <= 0.0 || !pdf.is_finite() {
        return None;
    }
    let (material, at) = (&scene.materials[light.material as usize], Vec2::new(b1, b2));
    let attributes = scene.triangles[light.index as usize].attributes;
    // A ray that finds a surface with holes by chance meets it with the probability of its alpha.
    let radiance = emitted(scene, material, attributes, at, cos) * coverage(scene, light.index, at);
    if radiance == Vec3::ZERO {
        return None;
    }
    // The ray ends just before the light, on the side that it came from.
    let side = if cos > 0.0 { normal } else { -normal };
    let extent = edges[0].abs().max(edges[1].abs()).max_element();
    let target = Vec3::from(offset_from_triangle(on_light.into(), side.into(), extent));
    Some(LightSample { wi, target: Some(target), weight: radiance / pdf, pdf })
}

/// Solid-angle density of a point on the triangle, seen at a squared distance and a cosine to its normal.
#[inline]
pub(super) fn pdf(light: &LightRecord, cos: f32, distance_squared: f32) -> f32 {
    let cos = cos.abs();
    if cos < 1e-7 { 0.0 } else { light.value * distance_squared / cos }
}
