//! Records of materials, their inputs and the media beside them.

use super::{MaterialKind, NONE, tag};
use bytemuck::{Pod, Zeroable};

tag! {
    /// Channel of a texture that an input takes.
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

/// A colour, a number, or three numbers that never vary: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Input {
    /// Value, or factor on the texture's; a number is the first.
    pub factor: [f32; 3],
    /// The texture's index and, from bit 28 on, its [`InputChannel`]; [`NONE`] without a texture.
    pub source: u32,
}

const _: () = assert!(size_of::<Input>() == 16);

impl Input {
    /// First bit of the channel in `source`.
    const CHANNEL: u32 = 28;

    /// Makes an input that is the same everywhere.
    pub fn constant(factor: [f32; 3]) -> Self {
        Self { factor, source: NONE }
    }

    /// Makes an input that is a factor times a texture.
    ///
    /// # Panics
    /// If there are 2^28 textures or more.
    pub fn textured(factor: [f32; 3], texture: u32, channel: InputChannel) -> Self {
        assert!(texture >> Self::CHANNEL == 0, "too many textures");
        Self { factor, source: texture | channel.tag() << Self::CHANNEL }
    }

    /// Tells if a texture varies the input.
    #[inline]
    pub fn is_textured(&self) -> bool {
        self.source != NONE
    }

    /// Tells if the first number is above 0 anywhere, as far as can be told without the texture.
    pub(crate) fn may_be_positive(&self) -> bool {
        if self.is_textured() { self.factor[0] != 0.0 } else { self.factor[0] > 0.0 }
    }

    /// Returns the index of the texture, if the input has one.
    #[inline]
    pub fn texture(&self) -> u32 {
        self.source & ((1 << Self::CHANNEL) - 1)
    }

    /// Returns the tag of the channel, if the input has a texture.
    #[inline]
    pub fn channel_tag(&self) -> u32 {
        self.source >> Self::CHANNEL
    }
}

tag! {
    /// Function that takes a file's roughness to the GGX `alpha`.
    Remap {
        /// Identity: the roughness is alpha.
        None,
        /// Square of the roughness, `alpha = r^2`.
        Square,
        /// Root of the roughness, `alpha = sqrt(r)`.
        Sqrt,
        /// pbrt version 3's polynomial in `ln r`.
        Pbrt3,
    }
}

/// A material: 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MaterialRecord {
    /// Tag of the [`MaterialKind`].
    pub kind: u32,
    /// Sum of [`MaterialFlags`].
    pub flags: u32,
    /// Index of the first of the inputs that the kind has, in the order that the kind says.
    pub first_input: u32,
    /// Tag of the [`Remap`] of its roughness.
    pub remap: u32,
    /// Index of the input that is the radiance it sends out, or [`NONE`].
    pub emission: u32,
    /// Index of the input that bends the shading normal, or [`NONE`]: a normal map with its strength as factor, or a
    /// height.
    pub normal: u32,
    /// Index of the input that says how much of the surface is there, or [`NONE`] for all of it.
    pub alpha: u32,
    /// Least alpha at which the surface is there, with [`MaterialFlags::MASK`].
    pub cutoff: f32,
    /// Index of the medium inside, or [`NONE`]: where there is none, or, with [`MaterialFlags::INTERFACE`], for empty
    /// space.
    pub inside: u32,
    /// Index of the medium outside, likewise; [`NONE`] without an interface.
    pub outside: u32,
    /// Indices of the parts of a mixture, earlier materials; [`NONE`] of other kinds.
    pub parts: [u32; 2],
    /// Padding, which must be zeros.
    pub unused: [u32; 4],
}

const _: () = assert!(size_of::<MaterialRecord>() == 64);

/// Flags of a [`MaterialRecord`].
#[derive(Debug, Clone, Copy)]
pub struct MaterialFlags;

impl MaterialFlags {
    /// Flag: both sides of the surface emit.
    pub const EMITS_ON_BOTH_SIDES: u32 = 1;
    /// Flag: the normal's input is a height.
    pub const BUMP: u32 = 1 << 1;
    /// Flag: alpha is held against the cutoff; otherwise it is a probability.
    pub const MASK: u32 = 1 << 2;
    /// Flag: roughness differs along tangent and bitangent.
    pub const ANISOTROPIC: u32 = 1 << 3;
    /// Flag: transmission does not bend.
    pub const THIN: u32 = 1 << 4;
    /// Flag: a random number decides between the material's parts, of every mixture, and of
    /// [`MaterialKind::Principled`] that may transmit. Without the flag the number is always 0.5.
    pub const CHOOSES: u32 = 1 << 5;
    /// Flag: the material looks at texture coordinates, colours or tangents.
    pub const LOOKS_AT_ATTRIBUTES: u32 = 1 << 6;
    /// Flag: the media on both sides are stated, so that beyond the surface light is in that medium and no other.
    pub const INTERFACE: u32 = 1 << 7;
    /// Mask of all flags that mean something.
    pub const ALL: u32 = (1 << 8) - 1;
}

impl MaterialRecord {
    /// Returns the scattering model of the material.
    #[inline]
    pub fn kind(&self) -> MaterialKind {
        MaterialKind::of(self.kind)
    }

    /// Tells if a flag is set.
    #[inline]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Returns the medium of the body whose surface it is, or [`NONE`] where it bounds no body: where nothing is said
    /// of what is inside, or of both sides.
    #[inline]
    pub fn body(&self) -> u32 {
        if self.has(MaterialFlags::INTERFACE) { NONE } else { self.inside }
    }
}

/// Medium that fills space: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MediumRecord {
    /// Absorption coefficient per scene unit.
    pub absorption: [f32; 3],
    /// Index of refraction; 0 where the file gives none, and materials say how much light bends between media.
    pub ior: f32,
}

const _: () = assert!(size_of::<MediumRecord>() == 16);
