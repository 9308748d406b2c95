//! All lights of a scene behind one choice: emissive triangles, environments, point, spot and directional lights. Each
//! function takes a light's record.

mod environment;
mod punctual;
mod triangle;

pub(crate) use environment::Environment;

use crate::flat::{LightKind, ShadingScene};
use glam::Vec3;
use raywarp_sample::warp::choose_by_alias;

/// A connection from a surface point to a light.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LightSample {
    /// Unit direction to the light.
    pub wi: Vec3,
    /// Where the shadow ray ends; `None` at infinity.
    pub target: Option<Vec3>,
    /// Incident radiance over the pdf.
    pub weight: Vec3,
    /// Solid-angle density, choice of the light included; 0 for a light that no other ray can find.
    pub pdf: f32,
}

/// A connection from `point` to a light chosen by `u_choice`; `None` when it lights nothing.
#[inline]
pub(crate) fn sample(scene: &ShadingScene, point: Vec3, u_choice: f32, u: [f32; 2]) -> Option<LightSample> {
    if scene.light_choice.is_empty() {
        return None;
    }
    let (index, probability) = choose_by_alias(&scene.light_choice, u_choice);
    let light = &scene.lights[index];
    match light.kind() {
        LightKind::Triangle => triangle::sample(scene, light, point, u),
        LightKind::Point | LightKind::Spot | LightKind::Directional => punctual::sample(light, point, probability),
        LightKind::Environment => Environment::of(scene, light.index).connect(u, probability),
    }
}

/// Solid-angle density with which [`sample`] finds a point on the light `index` at a squared distance, whose front
/// normal makes `cos` with the direction back; 0 for [`crate::flat::NONE`].
#[inline]
pub(crate) fn pdf(scene: &ShadingScene, index: u32, cos: f32, distance_squared: f32) -> f32 {
    scene.lights.get(index as usize).map_or(0.0, |light| triangle::pdf(light, cos, distance_squared))
}

/// Each environment's radiance from `direction` and the density with which it is sampled.
#[inline]
pub(crate) fn environments(scene: &ShadingScene, direction: Vec3) -> impl Iterator<Item = (Vec3, f32)> + '_ {
    (0..scene.environments.len() as u32).map(move |index| {
        let environment = Environment::of(scene, index);
        let (radiance, pdf) = environment.eval(direction);
        (radiance, pdf * environment.record.choice)
    })
}
