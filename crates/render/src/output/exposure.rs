//! Brightness of a picture: an exposure found from its pixels, and what is lost as black or white.

use super::{Exposure, Look, ToneError};
use crate::film::luminance;
use std::str::FromStr;

/// Brightness to which auto exposure brings a picture's middle: the reflectance of a photographer's grey card.
pub const KEY: f64 = 0.18;
/// Largest number of stops, up or down, that [`auto_exposure`] finds.
pub const MOST_STOPS: f64 = 40.0;
/// Fraction of the lit pixels at either end (darkest, brightest) that [`auto_exposure`] ignores.
const TRIMMED: f64 = 0.05;
/// Fraction of the lit pixels that [`auto_exposure`] lets exceed white.
const BRIGHT: f64 = 0.05;

/// Choice of an exposure: fixed, or found from the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ExposureChoice {
    /// Exposure that the user gave.
    Fixed(Exposure),
    /// Exposure that [`auto_exposure`] finds from the picture.
    Auto,
}

impl Default for ExposureChoice {
    fn default() -> Self {
        Self::Fixed(Exposure::default())
    }
}

/// Parses `auto`, or an exposure as [`Exposure`] does: stops (`1.5`, `-2`) or a factor (`x3`).
impl FromStr for ExposureChoice {
    type Err = ToneError;

    fn from_str(text: &str) -> Result<Self, ToneError> {
        if text == "auto" { Ok(Self::Auto) } else { text.parse().map(Self::Fixed) }
    }
}

/// Returns the exposure, rounded to a tenth of a stop, that brings the picture's middle brightness to [`KEY`]; `None`
/// if no pixel has light.
///
/// The middle is the mean of log luminance (Reinhard et al. 2002, equation 1) over the pixels that have any light,
/// without the darkest and the brightest twentieth. At most a twentieth of the lit pixels becomes brighter than white,
/// unless the middle would fall by more than two stops for that. It depends on nothing but the pixels.
pub fn auto_exposure(radiance: &[[f32; 3]]) -> Option<Exposure> {
    let mut lit: Vec<f64> = radiance.iter().map(|c| luminance(c.map(f64::from))).collect();
    lit.retain(|y| *y > 0.0 && y.is_finite());
    if lit.is_empty() {
        return None;
    }
    lit.sort_unstable_by(f64::total_cmp);
    let cut = (TRIMMED * lit.len() as f64) as usize;
    let middle = &lit[cut..lit.len() - cut];
    let mean_log = middle.iter().map(|y| y.log2()).sum::<f64>() / middle.len() as f64;
    let wanted = KEY.log2() - mean_log;
    let bright = lit[((1.0 - BRIGHT) * (lit.len() - 1) as f64) as usize];
    let stops = wanted.min((-bright.log2()).max(wanted - 2.0)).clamp(-MOST_STOPS, MOST_STOPS);
    // A whole tenth can be typed, and gives the same picture.
    Exposure::stops(((stops * 10.0).round() / 10.0) as f32)
}

/// Smallest sRGB byte that is visibly different from black.
pub const DARK: u8 = 8;

/// Number of pixels of a picture that show nothing: black, nearly black, or clipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lost {
    /// Number of pixels that were counted.
    pub pixels: usize,
    /// Number of pixels whose three bytes are all 0.
    pub black: usize,
    /// Number of pixels without any byte of at least 8, below which hardly anybody sees a difference from black.
    pub dark: usize,
    /// Number of pixels with a clipped channel: above the display's white with [`super::Tone::Srgb`], or of byte 255
    /// with other tone curves.
    pub blown: usize,
}

impl Lost {
    /// Counts pixels as they look with `look`'s exposure and tone curve.
    pub fn count(radiance: impl IntoIterator<Item = [f32; 3]>, look: &Look) -> Self {
        // What is less than half a byte above white is white.
        let white = 1.0 + 0.5 / 255.0;
        let mut lost = Self::default();
        for c in radiance {
            lost.pixels += 1;
            let bytes = look.to_srgb8(c);
            lost.black += usize::from(bytes == [0; 3]);
            lost.dark += usize::from(bytes.iter().all(|&byte| byte < DARK));
            let blown = match look.tone {
                super::Tone::Srgb => c.iter().any(|c| c * look.exposure.as_factor() > white),
                _ => bytes.contains(&255),
            };
            lost.blown += usize::from(blown);
        }
        lost
    }

    /// Returns the fraction of pixels that are black.
    pub fn black_share(&self) -> f64 {
        self.black as f64 / self.pixels.max(1) as f64
    }

    /// Returns the fraction of pixels that are black or nearly so.
    pub fn dark_share(&self) -> f64 {
        self.dark as f64 / self.pixels.max(1) as f64
    }

    /// Returns the fraction of pixels that are clipped.
    pub fn blown_share(&self) -> f64 {
        self.blown as f64 / self.pixels.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tone;
    use super::*;

    fn stops(radiance: &[[f32; 3]]) -> f32 {
        auto_exposure(radiance).unwrap().as_factor().log2()
    }

    #[test]
    fn the_middle_of_a_picture_becomes_mid_grey() {
        assert!((stops(&[[0.18; 3]; 10])).abs() < 1e-4);
        assert!((stops(&[[0.18e-6; 3]; 10]) - 19.9).abs() < 0.05);
        // Black pixels have no say, and neither has a lamp in the picture.
        let mut pixels = vec![[0.0; 3]; 900];
        pixels.extend([[0.045; 3]; 97]);
        pixels.extend([[1e9; 3]; 3]);
        assert!((stops(&pixels) - 2.0).abs() < 1e-4, "{}", stops(&pixels));
    }

    #[test]
    fn bright_parts_are_kept_where_that_costs_little() {
        // A quarter of the picture is a window of ten times the room's light: wanted is +2 stops, which would blow it.
        let mut pixels = vec![[0.045; 3]; 75];
        pixels.extend([[0.45; 3]; 25]);
        let found = stops(&pixels);
        assert!((found - 1.1).abs() < 0.2, "{found}");
        // One of a thousand times is given up.
        let mut pixels = vec![[0.045; 3]; 75];
        pixels.extend([[45.0; 3]; 25]);
        assert!(stops(&pixels) > -3.0);
    }

    #[test]
    fn nothing_to_expose_is_said() {
        assert_eq!(auto_exposure(&[]), None);
        assert_eq!(auto_exposure(&[[0.0; 3]; 4]), None);
        assert_eq!(auto_exposure(&[[f32::NAN; 3], [-1.0; 3]]), None);
        assert!(auto_exposure(&[[1e28; 3], [1e-38; 3]]).is_some());
    }

    #[test]
    fn black_and_clipped_pixels_are_counted_after_exposure_and_tone() {
        let pixels = [[0.0; 3], [1e-4; 3], [0.5; 3], [1.0; 3], [0.2, 0.2, 1.1]];
        let count = |stops: f32, tone| {
            let look = Look { exposure: Exposure::stops(stops).unwrap(), tone };
            let lost = Lost::count(pixels, &look);
            (lost.black, lost.blown)
        };
        assert_eq!(count(0.0, Tone::Srgb), (2, 1));
        assert_eq!(count(4.0, Tone::Srgb), (1, 3));
        assert_eq!(count(0.0, Tone::Reinhard).1, 0);
        assert_eq!(count(-30.0, Tone::Srgb), (5, 0));
    }

    #[test]
    fn the_word_is_parsed() {
        assert_eq!("auto".parse(), Ok(ExposureChoice::Auto));
        assert_eq!("x3".parse(), Ok(ExposureChoice::Fixed(Exposure::factor(3.0).unwrap())));
        assert!("automatic".parse::<ExposureChoice>().unwrap_err().to_string().contains("auto"));
    }
}
