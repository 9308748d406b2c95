//! Textures: a graph whose leaves are images and constants.

use super::{ImageId, TextureId};

/// A channel of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Red.
    R,
    /// Green.
    G,
    /// Blue.
    B,
    /// Alpha.
    A,
    /// Mean of red, green and blue (what pbrt and OBJ take of a colour image where a number is wanted).
    Mean,
}

/// What lies outside an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wrap {
    /// It again.
    #[default]
    Repeat,
    /// It mirrored, and so on.
    Mirror,
    /// Its border.
    Clamp,
    /// Black and transparent.
    Black,
}

/// How texels are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageFilter {
    /// The texel that the point lies in.
    Nearest,
    /// Linear between the four nearest centres.
    #[default]
    Bilinear,
}

/// From a mesh's texture coordinates to a texture's: `uv' = rows * (u, v, 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UvMapping {
    /// Which coordinates of the mesh: 0 or 1.
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
/// others comes after them in `Scene::textures`.
#[derive(Debug, Clone, PartialEq)]
pub enum Texture {
    /// The same everywhere.
    Constant([f32; 4]),
    /// An image.
    Image {
        /// Which.
        image: ImageId,
        /// Where on the surface.
        mapping: UvMapping,
        /// Outside, along u and v.
        wrap: [Wrap; 2],
        /// Between texels.
        filter: ImageFilter,
    },
    /// The colour interpolated from the mesh's vertices; white where it has none.
    VertexColor,
    /// Unit squares of two textures.
    Checkerboard {
        /// Where on the surface.
        mapping: UvMapping,
        /// Where `floor(u) + floor(v)` is even.
        even: TextureId,
        /// Where it is odd.
        odd: TextureId,
    },
    /// The product, channel by channel.
    Scale {
        /// One factor.
        a: TextureId,
        /// The other.
        b: TextureId,
    },
    /// `(1 - amount) a + amount b`, channel by channel.
    Mix {
        /// Where amount is 0.
        a: TextureId,
        /// Where amount is 1.
        b: TextureId,
        /// Amount, 0 to 1.
        amount: TextureId,
    },
}
