//! All lights of a scene behind one choice: emissive surfaces, environments, point, spot and directional lights. Each
//! function takes a light's record.

pub mod environment;
pub mod planar;
pub mod punctual;
pub mod sphere;
#[cfg(test)]
mod tests;

pub use environment::Environment;

use crate::flat::{LEAST_LENGTH, LightKind, MOST_LENGTH, NONE, ShadingScene, TriangleRecord, scale_of};
use crate::surface::{coverage, emitted};
use glam::{Vec2, Vec3};
use raywarp_geom::offset_from_triangle;
use raywarp_sample::elementary::atan2;
use raywarp_sample::warp::choose_by_alias;
use std::f32::consts::TAU;

/// Sampled connection from a surface point to a light, 44 bytes, of which 4 tell whether there is a target.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct LightSample {
    /// Unit direction to the light.
    pub wi: Vec3,
    /// End of the shadow ray; `None` if the light is infinitely far away.
    pub target: Option<Vec3>,
    /// Incident radiance over the density.
    pub weight: Vec3,
    /// Solid-angle density of the direction, choice of the light included; 0 for lights that no scattered ray can hit.
    pub pdf: f32,
}

const _: () = assert!(size_of::<LightSample>() == 44);

/// Returns the index of the sector, of `steps` equal ones of a full turn, in which the direction `(x, y)` lies.
#[inline]
pub fn step_of_turn(y: f32, x: f32, steps: u32) -> u32 {
    let turn = atan2(y, x) / TAU;
    let turn = if turn < 0.0 { turn + 1.0 } else { turn };
    ((turn * steps as f32) as u32).min(steps - 1)
}

/// Samples a connection from `point` to a light chosen by `u_choice`; `None` if no light would arrive.
#[inline]
pub fn sample(scene: &ShadingScene, point: Vec3, u_choice: f32, u: [f32; 2]) -> Option<LightSample> {
    if scene.light_choice.is_empty() {
        return None;
    }
    let (index, probability) = choose_by_alias(&scene.light_choice, u_choice);
    let light = &scene.lights[index];
    match light.kind() {
        LightKind::Triangle | LightKind::Parallelogram | LightKind::Disk => planar::sample(scene, light, point, u),
        LightKind::Sphere => sphere::sample(scene, light, point, u),
        LightKind::Point | LightKind::Spot | LightKind::Directional => punctual::sample(light, point, probability),
        LightKind::Environment => Environment::of(scene, light.index).connect(u, probability),
    }
}

/// Returns the solid-angle density with which [`sample`] finds, from `point`, the place on the light `index` that a
/// scattered ray has hit: at this squared distance, with `cos` between front normal and direction back; 0 for [`NONE`].
///
/// Rays start a little off the point that connections are made from, by some 1e-6 of its coordinates. Densities differ
/// by as much over the light's distance, and weights of the two techniques sum to one but for that.
#[inline]
pub fn pdf(scene: &ShadingScene, index: u32, point: Vec3, cos: f32, distance_squared: f32) -> f32 {
    if index == NONE {
        return 0.0;
    }
    let light = &scene.lights[index as usize];
    match light.kind() {
        LightKind::Triangle | LightKind::Parallelogram | LightKind::Disk => {
            planar::pdf(light, point, cos, distance_squared)
        }
        LightKind::Sphere => sphere::pdf(light, point),
        LightKind::Point | LightKind::Spot | LightKind::Directional | LightKind::Environment => 0.0,
    }
}

/// Point on an emissive surface.
pub struct LightPoint {
    /// World-space position of the point.
    pub position: Vec3,
    /// Unit normal on the surface's front side.
    pub normal: Vec3,
    /// Largest coordinate difference to a corner of the triangle, or to the start of the ray if that is larger, which
    /// bounds rounding errors.
    pub extent: f32,
    /// Index of the triangle that has the point.
    pub triangle: u32,
}

/// Makes a connection to a point on a light, found in the direction `wi` with the density `pdf`; `None` if no light
/// would arrive.
#[inline]
pub fn connect(scene: &ShadingScene, place: &LightPoint, wi: Vec3, pdf: f32) -> Option<LightSample> {
    if pdf <= 0.0 || !pdf.is_finite() {
        return None;
    }
    let cos = -place.normal.dot(wi);
    let triangle = &scene.triangles[place.triangle as usize];
    let (material, at) = (&scene.materials[triangle.material() as usize], barycentrics(triangle, place.position));
    // A ray that finds a surface with holes by chance meets it with the probability of its alpha.
    let radiance =
        emitted(scene, material, triangle.attributes, at, cos) * coverage(scene, triangle.instance, place.triangle, at);
    if radiance == Vec3::ZERO {
        return None;
    }
    // The ray ends just before the light, on the side that it came from.
    let side = if cos > 0.0 { place.normal } else { -place.normal };
    let target = Vec3::from(offset_from_triangle(place.position.into(), side.into(), place.extent));
    Some(LightSample { wi, target: Some(target), weight: radiance * (1.0 / pdf), pdf })
}

/// Returns the barycentric coordinates of a point in a triangle's plane; zeros for a triangle without area.
#[inline]
pub fn barycentrics(triangle: &TriangleRecord, place: Vec3) -> Vec2 {
    let [a, b, c] = triangle.points();
    let (u, v, s) = (b - a, c - a, place - a);
    let at = weights(u, v, s).unwrap_or_else(|| {
        let scale = scale_of(u.abs().max(v.abs()));
        weights(u * scale, v * scale, s * scale).unwrap_or(Vec2::ZERO)
    });
    if at.is_finite() { at } else { Vec2::ZERO }
}

/// Returns the coordinates of `s`, projected into the plane of `u` and `v`, in units of these; `None` where f32 lacks
/// digits for fourth powers.
#[inline]
fn weights(u: Vec3, v: Vec3, s: Vec3) -> Option<Vec2> {
    let normal = u.cross(v);
    let squared = normal.length_squared();
    let holds = squared > LEAST_LENGTH * LEAST_LENGTH && squared < MOST_LENGTH * MOST_LENGTH;
    holds.then(|| Vec2::new(normal.dot(s.cross(v)), normal.dot(u.cross(s))) * (1.0 / squared))
}

/// Returns each environment's radiance from `direction`, with the density with which connections sample that direction.
#[inline]
pub fn environments(scene: &ShadingScene, direction: Vec3) -> impl Iterator<Item = (Vec3, f32)> + '_ {
    (0..scene.environments.len() as u32).map(move |index| {
        let environment = Environment::of(scene, index);
        let (radiance, pdf) = environment.eval(direction);
        (radiance, pdf * environment.record.choice)
    })
}
