//! Records of materials, their inputs and the media beside them.

use super::{MaterialKind, NONE, tag};
use bytemuck::{Pod, Zeroable};

tag! {
    /// Channel of a texture that a material input reads.
    InputChannel {
        /// Red, green and blue.
        Rgb,
        /// The red channel.
        R,
        /// The green channel.
        G,
        /// The blue channel.
        B,
        /// The alpha channel.
        A,
        /// The mean of red, green and blue.
        Mean,
    }
}

/// Material input of 16 bytes: a colour or a number, constant or textured, or three constant numbers.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Input {
    /// Constant value, or factor on the texture's value; of a number, the first component.
    pub factor: [f32; 3],
    /// Index of the texture, with its [`InputChannel`] from bit 28 on; [`NONE`] without a texture.
    pub source: u32,
}

const _: () = assert!(size_of::<Input>() == 16);

impl Input {
    /// First bit of the channel in [`Input::source`].
    const CHANNEL: u32 = 28;

    /// Makes an input with the same value everywhere.
    pub fn constant(factor: [f32; 3]) -> Self {
        Self { factor, source: NONE }
    }

    /// Makes an input that is a factor times a channel of a texture.
    ///
    /// # Panics
    /// If there are 2^28 textures or more.
    pub fn textured(factor: [f32; 3], texture: u32, channel: InputChannel) -> Self {
        assert!(texture >> Self::CHANNEL == 0, "too many textures");
        Self { factor, source: texture | channel.tag() << Self::CHANNEL }
    }

    /// Returns `true` if the input has a texture.
    #[inline]
    pub fn is_textured(&self) -> bool {
        self.source != NONE
    }

    /// Returns `true` if the first component may be above 0 somewhere, as far as the factor tells.
    pub(crate) fn may_be_positive(&self) -> bool {
        if self.is_textured() { self.factor[0] != 0.0 } else { self.factor[0] > 0.0 }
    }

    /// Returns the index of the input's texture, which it must have.
    #[inline]
    pub fn texture(&self) -> u32 {
        self.source & ((1 << Self::CHANNEL) - 1)
    }

    /// Returns the tag of the texture channel that the input reads.
    #[inline]
    pub fn channel_tag(&self) -> u32 {
        self.source >> Self::CHANNEL
    }
}

tag! {
    /// Function that maps a file's roughness to the GGX `alpha`.
    Remap {
        /// Identity: the roughness is alpha.
        None,
        /// Square of the roughness: `alpha = r^2`.
        Square,
        /// Square root of the roughness: `alpha = sqrt(r)`.
        Sqrt,
        /// Polynomial in `ln r` of pbrt version 3.
        Pbrt3,
    }
}

/// Material record of 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MaterialRecord {
    /// Tag of the material's [`MaterialKind`].
    pub kind: u32,
    /// Sum of the material's [`MaterialFlags`].
    pub flags: u32,
    /// Index of the first of the material's inputs, which follow each other in the kind's order.
    pub first_input: u32,
    /// Tag of the [`Remap`] that maps its roughness to alpha.
    pub remap: u32,
    /// Index of the input with the emitted radiance, or [`NONE`].
    pub emission: u32,
    /// Index of the input that bends the shading normal (a normal map with its strength as factor, or a height for a
    /// bump map), or [`NONE`].
    pub normal: u32,
    /// Index of the input with the opacity, or [`NONE`] for an opaque surface.
    pub alpha: u32,
    /// Smallest opacity at which the surface is there, with [`MaterialFlags::MASK`].
    pub cutoff: f32,
    /// Index of the medium inside the surface, or [`NONE`]: none stated, or empty space with
    /// [`MaterialFlags::INTERFACE`].
    pub inside: u32,
    /// Index of the medium outside the surface, or [`NONE`]: empty space, or no [`MaterialFlags::INTERFACE`].
    pub outside: u32,
    /// Indices of the two materials of a mixture, which come before it; [`NONE`] for other kinds.
    pub parts: [u32; 2],
    /// Padding, which must be zeros.
    pub unused: [u32; 4],
}

const _: () = assert!(size_of::<MaterialRecord>() == 64);

/// Flags of a [`MaterialRecord`].
#[derive(Debug, Clone, Copy)]
pub struct MaterialFlags;

impl MaterialFlags {
    /// Flag of a material that emits on both sides.
    pub const EMITS_ON_BOTH_SIDES: u32 = 1;
    /// Flag of a material whose normal input is a height (bump map).
    pub const BUMP: u32 = 1 << 1;
    /// Flag of a material whose opacity is compared with the cutoff; otherwise it is a probability.
    pub const MASK: u32 = 1 << 2;
    /// Flag of a material whose roughness differs along tangent and bitangent.
    pub const ANISOTROPIC: u32 = 1 << 3;
    /// Flag of a thin material, whose transmission does not bend.
    pub const THIN: u32 = 1 << 4;
    /// Flag of a material with parts between which a random number chooses: a mixture, or [`MaterialKind::Principled`]
    /// that may transmit. Without the flag the number is always 0.5.
    pub const CHOOSES: u32 = 1 << 5;
    /// Flag of a material that reads texture coordinates, vertex colours or tangents.
    pub const LOOKS_AT_ATTRIBUTES: u32 = 1 << 6;
    /// Flag of a material that states the media on both sides, so that beyond it light is in that medium and no other.
    pub const INTERFACE: u32 = 1 << 7;
    /// Mask of all flags that are in use.
    pub const ALL: u32 = (1 << 8) - 1;
}

impl MaterialRecord {
    /// Returns the kind of the material (its scattering model).
    #[inline]
    pub fn kind(&self) -> MaterialKind {
        MaterialKind::of(self.kind)
    }

    /// Returns `true` if the material has this flag.
    #[inline]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Returns the medium of the body that the surface bounds, or [`NONE`] if it bounds none: if no inside is stated,
    /// or both sides are.
    #[inline]
    pub fn body(&self) -> u32 {
        if self.has(MaterialFlags::INTERFACE) { NONE } else { self.inside }
    }
}

/// Participating medium record of 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MediumRecord {
    /// Absorption coefficient per scene unit.
    pub absorption: [f32; 3],
    /// Refractive index; 0 if the file gives none, so that materials say how light bends between media.
    pub ior: f32,
}

const _: () = assert!(size_of::<MediumRecord>() == 16);
