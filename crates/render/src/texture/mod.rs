//! What textures say at a point of a surface: functions over the flat scene.

mod image;
mod inputs;
mod program;

pub use image::srgb_table;
pub(crate) use image::{look_up, texel};
pub(crate) use inputs::{Inputs, color, scalar};
pub(crate) use program::{STACK, value};

use glam::{Vec2, Vec4};

/// What a texture may ask of the surface point.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TexturePoint {
    pub uv: [Vec2; 2],
    pub color: Vec4,
}
