//! Images in their own pixel formats.

use std::sync::Arc;

pub use raywarp_scene::Pixels as Texels;
pub(crate) use raywarp_scene::srgb_to_linear;

/// Image of a texture or an environment map. Its texels are shared with the scene that it came from.
#[derive(Debug, Clone)]
pub struct TextureImage {
    /// Columns and rows of the image, at least 1.
    pub size: [u32; 2],
    /// `size[0] * size[1]` texels, row by row from the top.
    pub texels: Arc<Texels>,
}

impl TextureImage {
    /// Returns the number of bytes of the texels.
    pub fn bytes(&self) -> u64 {
        match &*self.texels {
            Texels::Srgb8(t) | Texels::Linear8(t) => size_of_val(&t[..]) as u64,
            Texels::Float(t) => size_of_val(&t[..]) as u64,
        }
    }

    /// Returns the number of stored texels.
    pub fn texel_count(&self) -> usize {
        match &*self.texels {
            Texels::Srgb8(t) | Texels::Linear8(t) => t.len(),
            Texels::Float(t) => t.len(),
        }
    }
}
