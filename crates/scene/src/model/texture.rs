//! Textures: a graph whose leaves are images and constants.

use super::{ImageId, TextureId};

/// Channel of a texture that a scalar input reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Red channel of the texture.
    R,
    /// Green channel of the texture.
    G,
    /// Blue channel of the texture.
    B,
    /// Alpha channel of the texture.
    A,
    /// Mean of red, green and blue, as pbrt and OBJ convert a colour image to numbers.
    Mean,
}

/// Behaviour of an image texture beyond its borders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wrap {
    /// Repetition of the image.
    #[default]
    Repeat,
    /// Repetition of the image, mirrored every other time.
    Mirror,
    /// Continuation of the border's texels.
    Clamp,
    /// Black and transparent outside of the image.
    Black,
}

/// Filter between the texels of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageFilter {
    /// Nearest texel, without interpolation.
    Nearest,
    /// Bilinear interpolation between the four nearest texel centres.
    #[default]
    Bilinear,
}

/// Affine mapping from a mesh's texture coordinates to a texture's: `uv' = rows * (u, v, 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UvMapping {
    /// Number of the mesh's set of texture coordinates: 0 or 1.
    pub set: u8,
    /// Rows of the 2 x 3 matrix of the mapping.
    pub rows: [[f32; 3]; 2],
}

impl Default for UvMapping {
    fn default() -> Self {
        Self { set: 0, rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }
    }
}

/// Texture, which gives linear RGB and alpha at a surface point. One that refers to others comes after them in
/// `Description::textures`.
#[derive(Debug, Clone, PartialEq)]
pub enum Texture {
    /// The same value everywhere, linear RGB and alpha.
    Constant([f32; 4]),
    /// Texture that looks up an image.
    Image {
        /// Image whose texels are looked up.
        image: ImageId,
        /// Mapping from the mesh's texture coordinates to the image.
        mapping: UvMapping,
        /// Behaviour outside of the image, along u and v.
        wrap: [Wrap; 2],
        /// Filter between the texels.
        filter: ImageFilter,
    },
    /// Vertex colour, interpolated over the triangle; white where the mesh has none.
    VertexColor,
    /// Checkerboard of unit squares, which alternate between two textures.
    Checkerboard {
        /// Mapping from the mesh's texture coordinates to the squares.
        mapping: UvMapping,
        /// Texture where `floor(u) + floor(v)` is even.
        even: TextureId,
        /// Texture where `floor(u) + floor(v)` is odd.
        odd: TextureId,
    },
    /// Product of two textures, channel by channel.
    Scale {
        /// First of the two factors.
        a: TextureId,
        /// Second of the two factors.
        b: TextureId,
    },
    /// Linear mixture of two textures, `(1 - amount) a + amount b`, channel by channel.
    Mix {
        /// Texture where `amount` is 0.
        a: TextureId,
        /// Texture where `amount` is 1.
        b: TextureId,
        /// Texture that gives the fraction of `b`, 0 to 1.
        amount: TextureId,
    },
}
