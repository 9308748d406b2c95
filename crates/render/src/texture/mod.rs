//! Evaluation of textures at a point of a surface: functions over the flat scene.

mod image;
mod inputs;
mod program;

pub use image::look_up;
pub use image::srgb_table;
pub(crate) use image::texel;
pub use inputs::{Inputs, color, scalar};
pub(crate) use program::STACK;
pub use program::value;

use glam::{Vec2, Vec4};

/// Attributes of the surface point that a texture may ask for.
#[derive(Debug, Clone, Copy, Default)]
pub struct TexturePoint {
    /// Both sets of texture coordinates.
    pub uv: [Vec2; 2],
    /// The colour of the vertices.
    pub color: Vec4,
}
