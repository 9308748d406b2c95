//! Textures as short programs on a small stack: no recursion.

use super::tag;
use bytemuck::{Pod, Zeroable};

tag! {
    /// Operation of one step of a texture.
    TextureKind {
        /// Pushes the value.
        Constant,
        /// Pushes what an image has at the mapped texture coordinates.
        Image,
        /// Pushes the vertex colour.
        VertexColor,
        /// Pops odd and even, pushes the one whose unit square the mapped point lies in.
        Checkerboard,
        /// Pops b and a, pushes the product.
        Scale,
        /// Pops amount, b and a, pushes the blend.
        Mix,
    }
}

tag! {
    /// Rule for texture coordinates outside an image.
    Wrapping {
        /// The image repeats.
        Repeat,
        /// The image repeats, mirrored every other time.
        Mirror,
        /// The image's border goes on.
        Clamp,
        /// Black and transparent texels.
        Black,
    }
}

tag! {
    /// Filter by which texels are looked up.
    ImageLookup {
        /// The texel that the point lies in.
        Nearest,
        /// Linear between the four nearest centres.
        Bilinear,
    }
}

/// A step of a texture: 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TextureOp {
    /// Tag of the [`TextureKind`].
    pub kind: u32,
    /// Index of the image.
    pub image: u32,
    /// Tags of the [`Wrapping`] along u and v.
    pub wrap: [u32; 2],
    /// Tag of the [`ImageLookup`].
    pub lookup: u32,
    /// Set of texture coordinates: 0 or 1.
    pub uv_set: u32,
    /// The mapping of the coordinates: two rows of an affine map.
    pub rows: [[f32; 3]; 2],
    /// The value, RGB and alpha.
    pub value: [f32; 4],
}

const _: () = assert!(size_of::<TextureOp>() == 64);

/// The steps of a texture, `first .. end` of [`super::ShadingScene::texture_ops`]: 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ProgramRecord {
    /// Index of the first step.
    pub first: u32,
    /// Index one past the last step.
    pub end: u32,
}

const _: () = assert!(size_of::<ProgramRecord>() == 8);
