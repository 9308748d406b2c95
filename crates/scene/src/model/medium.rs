//! Media that fill space, and those on the two sides of a surface.

use super::MediumId;

/// Absorption of light in a medium, by Beer and Lambert's law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Absorption {
    /// Absorption coefficient in RGB per scene unit, not negative.
    pub sigma: [f32; 3],
}

impl Absorption {
    /// Absorption coefficient of zero, for clear media.
    pub const NONE: Self = Self { sigma: [0.0; 3] };

    /// Computes the absorption that leaves white light with `color` after `distance` (glTF's attenuation). None for an
    /// infinite distance.
    pub fn from_attenuation(color: [f32; 3], distance: f32) -> Option<Self> {
        if !(distance.is_finite() && distance > 0.0) {
            return None;
        }
        Some(Self { sigma: color.map(|c| -c.clamp(1e-6, 1.0).ln() / distance) }).filter(|a| a.sigma != [0.0; 3])
    }
}

/// Homogeneous participating medium, which absorbs light.
#[derive(Debug, Clone, PartialEq)]
pub struct Medium {
    /// Name of the medium in the file.
    pub name: String,
    /// Absorption of light in the medium.
    pub absorption: Absorption,
}

/// Media on the two sides of a surface; `None` is empty space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MediumInterface {
    /// Medium behind the surface, on the side away from its front normal.
    pub inside: Option<MediumId>,
    /// Medium in front of the surface, on the side of its front normal.
    pub outside: Option<MediumId>,
}
