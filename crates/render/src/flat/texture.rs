//! Textures as short programs on a small stack: no recursion.

use super::tag;
use bytemuck::{Pod, Zeroable};

tag! {
    /// Operation of one step of a texture.
    TextureKind {
        /// Pushes the constant value.
        Constant,
        /// Pushes the image's value at the mapped texture coordinates.
        Image,
        /// Pushes the vertex colour.
        VertexColor,
        /// Pops the odd and the even value, and pushes the one of the unit square in which the mapped point lies.
        Checkerboard,
        /// Pops b and a, and pushes their product.
        Scale,
        /// Pops an amount, b and a, and pushes their blend.
        Mix,
    }
}

tag! {
    /// Rule for texture coordinates outside an image (wrap mode).
    Wrapping {
        /// The image repeats.
        Repeat,
        /// The image repeats, mirrored every other time.
        Mirror,
        /// The image's border texels extend.
        Clamp,
        /// Black and transparent texels outside.
        Black,
    }
}

tag! {
    /// Filter for looking up texels of an image.
    ImageLookup {
        /// Texel in which the point lies.
        Nearest,
        /// Linear interpolation between the four nearest texel centres.
        Bilinear,
    }
}

/// Step of a texture program, 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TextureOp {
    /// Tag of the step's [`TextureKind`].
    pub kind: u32,
    /// Index of the image to look up.
    pub image: u32,
    /// Tags of the [`Wrapping`] rules along u and v.
    pub wrap: [u32; 2],
    /// Tag of the image's filter, [`ImageLookup`].
    pub lookup: u32,
    /// Set of texture coordinates to use: 0 or 1.
    pub uv_set: u32,
    /// Affine map of the texture coordinates, as two rows.
    pub rows: [[f32; 3]; 2],
    /// Constant value of the step: RGB and alpha.
    pub value: [f32; 4],
}

const _: () = assert!(size_of::<TextureOp>() == 64);

/// Texture program: the range `first .. end` of steps in [`super::ShadingScene::texture_ops`], 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ProgramRecord {
    /// Index of the first step.
    pub first: u32,
    /// Index one past the last step.
    pub end: u32,
}

const _: () = assert!(size_of::<ProgramRecord>() == 8);
