//! Media that fill space, and those on the two sides of a surface.

use super::MediumId;

/// Coefficients of Beer-Lambert absorption.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Absorption {
    /// Absorption coefficient per scene unit, RGB, not negative.
    pub sigma: [f32; 3],
}

impl Absorption {
    /// Absorption that takes nothing away.
    pub const NONE: Self = Self { sigma: [0.0; 3] };

    /// Computes absorption from the colour that white light has after `distance` (glTF's attenuation); none for an
    /// infinite distance.
    pub fn from_attenuation(color: [f32; 3], distance: f32) -> Option<Self> {
        if !(distance.is_finite() && distance > 0.0) {
            return None;
        }
        Some(Self { sigma: color.map(|c| -c.clamp(1e-6, 1.0).ln() / distance) }).filter(|a| a.sigma != [0.0; 3])
    }
}

/// A homogeneous medium with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Medium {
    /// Name in the file.
    pub name: String,
    /// Absorption of light in the medium.
    pub absorption: Absorption,
}

/// The media on the two sides of a surface; `None` is empty space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MediumInterface {
    /// Medium behind the surface: where its front normal does not point.
    pub inside: Option<MediumId>,
    /// Medium in front of the surface.
    pub outside: Option<MediumId>,
}
