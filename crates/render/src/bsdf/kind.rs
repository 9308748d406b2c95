//! The kinds of material that there are.

use crate::flat::tag;

tag! {
    /// How a material scatters, and so which inputs it has.
    MaterialKind {
        /// Lambert. Inputs: reflectance.
        Diffuse,
        /// Lambert on both sides. Inputs: reflectance, transmittance.
        DiffuseTransmission,
        /// Lambert under a Blinn lobe. Inputs: diffuse, specular, exponent.
        Blinn,
        /// An ideal mirror. Inputs: reflectance.
        Mirror,
        /// Metal. Inputs: eta, k, roughness along the tangent and the bitangent.
        Conductor,
        /// Glass. Inputs: reflectance, transmittance, two of roughness; number: index of refraction.
        Dielectric,
        /// A diffuse base under a coat. Inputs: diffuse, specular, two of roughness.
        Coated,
        /// glTF's model. Inputs: base colour, metallic, two of roughness, specular, specular colour, transmission, clear
        /// coat, its roughness; number: index of refraction.
        Principled,
        /// Car paint. Inputs: base, flake colour; numbers: amount, size and alpha of the flakes; index and alpha of the
        /// coat.
        CarPaint,
        /// Two earlier materials. Inputs: amount of the second.
        Mix,
        /// No surface. No inputs.
        Invisible,
        /// Shows a colour, scatters nothing. Inputs: colour.
        Unlit,
    }
}

impl MaterialKind {
    /// How many inputs it has.
    pub const fn input_count(self) -> u32 {
        match self {
            Self::Invisible => 0,
            Self::Diffuse | Self::Mirror | Self::Mix | Self::Unlit => 1,
            Self::DiffuseTransmission => 2,
            Self::Blinn => 3,
            Self::Conductor | Self::Coated | Self::CarPaint => 4,
            Self::Dielectric => 5,
            Self::Principled => 10,
        }
    }

    /// Whether it has a lobe about the mirrored direction that is more than a gloss: a bent normal must not send that
    /// below the surface.
    #[inline]
    pub(crate) const fn mirrors(self) -> bool {
        match self {
            Self::Mirror | Self::Conductor | Self::Dielectric | Self::Coated | Self::Principled | Self::CarPaint => {
                true
            }
            Self::Diffuse | Self::DiffuseTransmission | Self::Blinn | Self::Mix | Self::Invisible | Self::Unlit => {
                false
            }
        }
    }
}
