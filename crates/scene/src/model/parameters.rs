//! Parameters of materials: colours and numbers that are constants or textures, and roughness.

use super::{Channel, TextureId};

/// Colour input of a material: a constant, or a factor times a texture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColorInput {
    /// Colour in linear RGB, or factor on the texture.
    pub factor: [f32; 3],
    /// Texture whose RGB multiplies the factor, if there is one.
    pub texture: Option<TextureId>,
}

impl ColorInput {
    /// Makes an input with the same colour everywhere.
    pub const fn constant(factor: [f32; 3]) -> Self {
        Self { factor, texture: None }
    }

    /// Makes an input that is a texture, with factor 1.
    pub const fn texture(texture: TextureId) -> Self {
        Self { factor: [1.0; 3], texture: Some(texture) }
    }
}

/// Scalar input of a material: a constant, or a factor times a channel of a texture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalarInput {
    /// Value, or factor on the texture's channel.
    pub factor: f32,
    /// Texture and the channel of it that multiplies the factor, if there is one.
    pub texture: Option<(TextureId, Channel)>,
}

impl ScalarInput {
    /// Makes an input with the same number everywhere.
    pub const fn constant(factor: f32) -> Self {
        Self { factor, texture: None }
    }
}

/// Mapping from the roughness in a file to the GGX parameter `alpha`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoughnessRemap {
    /// No mapping: the value is alpha.
    #[default]
    None,
    /// Mapping by the square, `alpha = r^2` (glTF).
    Square,
    /// Mapping by the root, `alpha = sqrt(r)` (pbrt version 4, `remaproughness`).
    Sqrt,
    /// Mapping by pbrt version 3's polynomial in `ln r` (`TrowbridgeReitzDistribution::RoughnessToAlpha`).
    Pbrt3,
}

/// Roughness of a surface along the tangent (`x`) and the bitangent (`y`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roughness {
    /// Roughness along the tangent, before mapping to alpha.
    pub x: ScalarInput,
    /// Roughness along the bitangent, before mapping to alpha.
    pub y: ScalarInput,
    /// Mapping from these values to alpha.
    pub remap: RoughnessRemap,
}

impl Roughness {
    /// Roughness of a perfectly smooth surface.
    pub const SMOOTH: Self = Self::isotropic(0.0);

    /// Makes a roughness with the GGX parameter `alpha` in both directions.
    pub const fn isotropic(alpha: f32) -> Self {
        let value = ScalarInput::constant(alpha);
        Self { x: value, y: value, remap: RoughnessRemap::None }
    }
}
