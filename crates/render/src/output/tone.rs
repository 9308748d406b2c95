//! From scene-linear radiance to display values: exposure, tone curves, the sRGB transfer.
//!
//! A curve takes linear Rec. 709 radiance of any size and gives linear display values in 0 to 1, which
//! [`encode_srgb`] turns into bytes. Negative and NaN input counts as black, infinite as very bright.

mod agx;

use crate::film::luminance;
use std::fmt;
use std::str::FromStr;

/// Largest input of a tone curve, beyond which squares in the curves would overflow `f32`.
const BRIGHTEST: f32 = 1e15;

/// Exposure: a positive finite factor on radiance, applied before the tone curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exposure(f32);

impl Exposure {
    /// Makes the exposure `2^stops`; `None` if that is not a positive finite `f32`.
    pub fn stops(stops: f32) -> Option<Self> {
        Self::factor(stops.exp2())
    }

    /// Makes the exposure with this factor; `None` if it is not positive and finite.
    pub fn factor(factor: f32) -> Option<Self> {
        (factor > 0.0 && factor.is_finite()).then_some(Self(factor))
    }

    /// Returns the exposure's factor on radiance.
    pub fn as_factor(self) -> f32 {
        self.0
    }

    /// Returns the product of both exposures; this one alone if the product is not positive and finite.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::factor(self.0 * other.0).unwrap_or(self)
    }
}

impl Default for Exposure {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Parses an exposure: `1.5` or `-2` are stops, `x3` or `3x` a factor.
impl FromStr for Exposure {
    type Err = ToneError;

    fn from_str(text: &str) -> Result<Self, ToneError> {
        let factor = text.strip_prefix('x').or_else(|| text.strip_suffix('x'));
        factor
            .unwrap_or(text)
            .parse()
            .ok()
            .and_then(if factor.is_some() { Self::factor } else { Self::stops })
            .ok_or_else(|| ToneError::Exposure(text.to_owned()))
    }
}

/// Tone curve that maps radiance to display values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// No curve: values above 1 are clipped. Exact where the picture is in range.
    #[default]
    Srgb,
    /// Curve that maps luminance L to L / (1 + L), and keeps hue and saturation (Reinhard et al. 2002, equation 3).
    Reinhard,
    /// Hill's fit of the ACES 1.0 reference and sRGB output transforms: high contrast, film-like; saturated lights turn
    /// towards white. Exposed as the transform defines it: 0.18 becomes about 0.11.
    Aces,
    /// Sobotka's AgX, base look: low contrast, bright colours fade to white without shifting in hue.
    Agx,
    /// Khronos PBR Neutral: keeps base colours below 0.8, except for a small offset for Fresnel reflection, and
    /// compresses only highlights.
    Neutral,
}

impl Tone {
    /// All tone curves, in the order of their names in commands.
    pub const ALL: [Self; 5] = [Self::Srgb, Self::Reinhard, Self::Aces, Self::Agx, Self::Neutral];

    /// Returns the tone curve's name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Srgb => "srgb",
            Self::Reinhard => "reinhard",
            Self::Aces => "aces",
            Self::Agx => "agx",
            Self::Neutral => "neutral",
        }
    }

    /// Maps linear radiance to linear display values, 0 to 1.
    pub fn apply(self, radiance: [f32; 3]) -> [f32; 3] {
        // A NaN fails the comparison.
        let c = radiance.map(|c| if c > 0.0 { c.min(BRIGHTEST) } else { 0.0 });
        let mapped = match self {
            Self::Srgb => c,
            Self::Reinhard => {
                let scale = 1.0 / (1.0 + luminance(c.map(f64::from)) as f32);
                c.map(|c| c * scale)
            }
            Self::Aces => aces(c),
            Self::Agx => agx::agx(c),
            Self::Neutral => neutral(c),
        };
        mapped.map(|c| c.clamp(0.0, 1.0))
    }
}

impl fmt::Display for Tone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tone {
    type Err = ToneError;

    fn from_str(text: &str) -> Result<Self, ToneError> {
        Self::ALL.into_iter().find(|t| t.name() == text).ok_or_else(|| ToneError::Tone(text.to_owned()))
    }
}

/// Error of parsing a tone curve or an exposure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToneError {
    /// The word is not the name of a tone curve.
    #[error("there is no tone curve '{0}'; use srgb, reinhard, aces, agx or neutral")]
    Tone(String),
    /// The word is not an exposure.
    #[error("'{0}' is no exposure; give stops (1.5, -2), a positive factor (x3) or auto")]
    Exposure(String),
}

/// Exposure and tone curve by which radiance becomes a displayed picture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Look {
    /// Exposure that is applied before the tone curve.
    pub exposure: Exposure,
    /// Tone curve that is applied after the exposure.
    pub tone: Tone,
}

impl Look {
    /// Returns the sRGB bytes for linear radiance: exposed, tone-mapped and encoded.
    pub fn to_srgb8(&self, radiance: [f32; 3]) -> [u8; 3] {
        self.tone.apply(radiance.map(|c| c * self.exposure.0)).map(encode_srgb)
    }
}

/// Returns the sRGB byte nearest to a linear value (IEC 61966-2-1), clipped to 0 to 1; NaN gives 0.
pub fn encode_srgb(linear: f32) -> u8 {
    let c = if linear > 0.0 { linear.min(1.0) } else { 0.0 };
    let encoded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    // In range by the clamp above; the cast saturates anyway.
    (encoded * 255.0).round() as u8
}

fn multiply(m: [[f32; 3]; 3], v: [f32; 3]) -> [f32; 3] {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// Applies the tone curve [`Tone::Aces`]. Numbers: Hill, "ACES fitted" (in the BakingLab of Pettineo and Neubelt,
/// 2016). The matrices go from Rec. 709 to the primaries in which the curve acts and back.
fn aces(c: [f32; 3]) -> [f32; 3] {
    const INTO: [[f32; 3]; 3] =
        [[0.597_19, 0.354_58, 0.048_23], [0.076_00, 0.908_34, 0.015_66], [0.028_40, 0.133_83, 0.837_77]];
    const BACK: [[f32; 3]; 3] =
        [[1.604_75, -0.531_08, -0.073_67], [-0.102_08, 1.108_13, -0.006_05], [-0.003_27, -0.072_76, 1.076_02]];
    let curve = |v: f32| (v * (v + 0.024_578_6) - 0.000_090_537) / (v * (0.983_729 * v + 0.432_951) + 0.238_081);
    multiply(BACK, multiply(INTO, c).map(curve))
}

/// Applies the tone curve [`Tone::Neutral`] (Khronos Group, "Khronos PBR Neutral Tone Mapper" specification, 2024).
fn neutral(c: [f32; 3]) -> [f32; 3] {
    /// Reflectance of a dielectric at normal incidence, which the Neutral curve subtracts.
    const FRESNEL: f32 = 0.04;
    const START: f32 = 0.8 - FRESNEL;
    const DESATURATION: f32 = 0.15;
    let least = c[0].min(c[1]).min(c[2]);
    let offset = if least < 2.0 * FRESNEL { least - least * least / (4.0 * FRESNEL) } else { FRESNEL };
    let c = c.map(|c| c - offset);
    let peak = c[0].max(c[1]).max(c[2]);
    if peak < START {
        return c;
    }
    let room = 1.0 - START;
    let new_peak = 1.0 - room * room / (peak + room - START);
    let white = 1.0 - 1.0 / (DESATURATION * (peak - new_peak) + 1.0);
    c.map(|c| c * (new_peak / peak) * (1.0 - white) + new_peak * white)
}

#[cfg(test)]
mod tests;
