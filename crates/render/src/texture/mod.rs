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

/// Attributes of a surface point that textures may read.
#[derive(Debug, Clone, Copy, Default)]
pub struct TexturePoint {
    /// Texture coordinates of both sets.
    pub uv: [Vec2; 2],
    /// Interpolated vertex colour.
    pub color: Vec4,
}
