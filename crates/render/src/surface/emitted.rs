//! Emission of a surface: the radiance that its material sends out.

use super::texture_point;
use crate::flat::{MaterialFlags, MaterialRecord, NONE, ShadingScene};
use crate::texture::color;
use glam::{Vec2, Vec3};

/// Returns the radiance that a triangle of `material` emits at the barycentric coordinates `at`, where its front normal
/// makes `cos` with the outgoing direction.
#[inline]
pub fn emitted(scene: &ShadingScene, material: &MaterialRecord, attributes: u32, at: Vec2, cos: f32) -> Vec3 {
    if material.emission == NONE || (cos <= 0.0 && !material.has(MaterialFlags::EMITS_ON_BOTH_SIDES)) {
        return Vec3::ZERO;
    }
    let input = &scene.inputs[material.emission as usize];
    if input.is_textured() {
        color(scene, input, &texture_point(scene, attributes, at)).max(Vec3::ZERO)
    } else {
        input.factor.into()
    }
}
