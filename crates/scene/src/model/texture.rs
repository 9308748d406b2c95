//! Textures: a graph whose leaves are images and constants.

use super::{ImageId, TextureId};

/// A channel of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// The red channel.
    R,
    /// The green channel.
    G,
    /// The blue channel.
    B,
    /// The alpha channel.
    A,
    /// Mean of red, green and blue (what pbrt and OBJ take of a colour image where a number is wanted).
    Mean,
}

/// Continuation of an image beyond its borders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wrap {
    /// The image is repeated.
    #[default]
    Repeat,
    /// The image is mirrored, and so on.
    Mirror,
    /// The texels at the border go on.
    Clamp,
    /// The outside is black and transparent.
    Black,
}

/// Filter by which texels are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageFilter {
    /// The texel that the point lies in.
    Nearest,
    /// Linear between the four nearest centres.
    #[default]
    Bilinear,
}

/// Mapping from a mesh's texture coordinates to a texture's: `uv' = rows * (u, v, 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UvMapping {
    /// Number of the set of coordinates of the mesh: 0 or 1.
    pub set: u8,
    /// Two rows of an affine map.
    pub rows: [[f32; 3]; 2],
}

impl Default for UvMapping {
    fn default() -> Self {
        Self { set: 0, rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }
    }
}

/// A texture gives four numbers, linear RGB and alpha, at a surface point. One that refers to
/// others comes after them in `Description::textures`.
#[derive(Debug, Clone, PartialEq)]
pub enum Texture {
    /// The same value everywhere, linear RGB and alpha.
    Constant([f32; 4]),
    /// Texels of an image.
    Image {
        /// Image that is looked up.
        image: ImageId,
        /// Mapping from the surface to the image.
        mapping: UvMapping,
        /// Continuation outside of the image, along u and v.
        wrap: [Wrap; 2],
        /// Filter between texels.
        filter: ImageFilter,
    },
    /// The colour interpolated from the mesh's vertices; white where it has none.
    VertexColor,
    /// Unit squares of two textures.
    Checkerboard {
        /// Mapping from the surface to the squares.
        mapping: UvMapping,
        /// Texture where `floor(u) + floor(v)` is even.
        even: TextureId,
        /// Texture where that sum is odd.
        odd: TextureId,
    },
    /// The product, channel by channel.
    Scale {
        /// First of the two factors.
        a: TextureId,
        /// Second of the two factors.
        b: TextureId,
    },
    /// `(1 - amount) a + amount b`, channel by channel.
    Mix {
        /// Texture where `amount` is 0.
        a: TextureId,
        /// Texture where `amount` is 1.
        b: TextureId,
        /// Share of `b`, 0 to 1.
        amount: TextureId,
    },
}
