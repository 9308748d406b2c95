//! Conversion of spectra to linear Rec. 709 RGB.
//!
//! Sources: colour matching functions by the multi-lobe fit of Wyman, Sloan and Shirley 2013
//! ("Simple Analytic Approximations to the CIE XYZ Color Matching Functions", section 2.2; within
//! 1 % of the 1931 tables in the integral); Planck's law.
//!
//! What reflects ([`reflectance`]) is divided by the RGB of a spectrum of ones, so that equal
//! reflectance at all wavelengths is grey; what emits ([`emission`]) is not, since equal energy is a
//! little redder than the white of Rec. 709.

use std::sync::LazyLock;

/// First wavelength of the integration in nm; from here on the matching functions are not negligible.
const FIRST: f64 = 380.0;
const LAST: f64 = 780.0;
const STEPS: usize = 400;

fn lobe(wavelength: f64, mean: f64, below: f64, above: f64) -> f64 {
    let t = (wavelength - mean) / if wavelength < mean { below } else { above };
    (-0.5 * t * t).exp()
}

/// Returns the CIE 1931 colour matching functions at `wavelength` in nm.
fn matching(wavelength: f64) -> [f64; 3] {
    let g = |mean, below, above| lobe(wavelength, mean, below, above);
    [
        1.056 * g(599.8, 37.9, 31.0) + 0.362 * g(442.0, 16.0, 26.7) - 0.065 * g(501.1, 20.4, 26.2),
        0.821 * g(568.8, 46.9, 40.5) + 0.286 * g(530.9, 16.3, 31.1),
        1.217 * g(437.0, 11.8, 36.0) + 0.681 * g(459.0, 26.0, 13.8),
    ]
}

/// Converts CIE XYZ to linear Rec. 709 RGB (IEC 61966-2-1).
pub(super) fn xyz_to_rgb([x, y, z]: [f64; 3]) -> [f64; 3] {
    [
        3.2406255 * x - 1.5372080 * y - 0.4986286 * z,
        -0.9689307 * x + 1.8757561 * y + 0.0415175 * z,
        0.0557101 * x - 0.2040211 * y + 1.0569959 * z,
    ]
}

fn wavelengths() -> impl Iterator<Item = f64> {
    (0..STEPS).map(|i| FIRST + (i as f64 + 0.5) * (LAST - FIRST) / STEPS as f64)
}

/// Returns the CIE XYZ of the spectrum `value`, normalised by the integral of the y function.
fn xyz_of(value: impl Fn(f64) -> f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let mut norm = 0.0;
    for wavelength in wavelengths() {
        let weights = matching(wavelength);
        let value = value(wavelength);
        norm += weights[1];
        for (sum, weight) in sum.iter_mut().zip(weights) {
            *sum += weight * value;
        }
    }
    sum.map(|s| s / norm)
}

/// Linear RGB of a spectrum that is 1 everywhere.
static WHITE: LazyLock<[f64; 3]> = LazyLock::new(|| xyz_to_rgb(xyz_of(|_| 1.0)));

/// Sampled spectrum: wavelength in nm and value, sorted, linear in between and constant outside.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Samples(Vec<[f64; 2]>);

impl Samples {
    /// Makes a spectrum from pairs of wavelength in nm and value; `None` when there are none, or one number is left
    /// over.
    pub fn from_pairs(numbers: &[f64]) -> Option<Self> {
        let (pairs, rest) = numbers.as_chunks::<2>();
        let mut pairs = pairs.to_vec();
        pairs.sort_by(|a, b| a[0].total_cmp(&b[0]));
        (rest.is_empty() && !pairs.is_empty()).then_some(Self(pairs))
    }

    fn at(&self, wavelength: f64) -> f64 {
        let next = self.0.partition_point(|pair| pair[0] < wavelength);
        match (next.checked_sub(1).map(|i| self.0[i]), self.0.get(next)) {
            (Some(a), Some(b)) => a[1] + (b[1] - a[1]) * ((wavelength - a[0]) / (b[0] - a[0])),
            (None, Some(pair)) => pair[1],
            (Some(pair), None) => pair[1],
            (None, None) => 0.0,
        }
    }
}

/// Returns the linear RGB of a reflectance, an index of refraction or an absorption spectrum; not negative.
pub(super) fn reflectance(samples: &Samples) -> [f64; 3] {
    let rgb = xyz_to_rgb(xyz_of(|wavelength| samples.at(wavelength)));
    std::array::from_fn(|i| (rgb[i] / WHITE[i]).max(0.0))
}

/// Returns the linear RGB of an emission spectrum, in the units of its values; not negative.
pub(super) fn emission(samples: &Samples) -> [f64; 3] {
    xyz_to_rgb(xyz_of(|wavelength| samples.at(wavelength))).map(|c| c.max(0.0))
}

/// Returns the linear RGB of an emission spectrum scaled to luminance 1, which is 0 outside of its samples (version 4's
/// lights). It is black where it has no luminance.
pub(super) fn emission_unit(samples: &Samples) -> [f64; 3] {
    let ends = [samples.0[0][0], samples.0[samples.0.len() - 1][0]];
    let xyz = xyz_of(|wavelength| if (ends[0]..=ends[1]).contains(&wavelength) { samples.at(wavelength) } else { 0.0 });
    if xyz[1] > 0.0 { xyz_to_rgb(xyz.map(|c| c / xyz[1])).map(|c| c.max(0.0)) } else { [0.0; 3] }
}

/// Returns the radiance of a black body at a wavelength by Planck's law, up to a factor; `kelvin > 0`.
fn planck(wavelength_nm: f64, kelvin: f64) -> f64 {
    let wavelength = wavelength_nm * 1e-9;
    1.0 / (wavelength.powi(5) * (0.014_387_769 / (wavelength * kelvin)).exp_m1())
}

/// Returns the linear RGB of a black body whose spectrum is scaled to a peak of 1 (version 3).
pub(super) fn blackbody_peak(kelvin: f64) -> [f64; 3] {
    let peak = planck(2.897_771_955e6 / kelvin, kelvin);
    xyz_to_rgb(xyz_of(|wavelength| planck(wavelength, kelvin) / peak)).map(|c| c.max(0.0))
}

/// Returns the linear RGB of a black body scaled to luminance 1 (version 4).
pub(super) fn blackbody_unit(kelvin: f64) -> [f64; 3] {
    let xyz = xyz_of(|wavelength| planck(wavelength, kelvin));
    xyz_to_rgb(xyz.map(|c| c / xyz[1])).map(|c| c.max(0.0))
}

/// Returns the RGB of the index of refraction (eta and k) of a named metal. They are the averages over Rec. 709 that
/// are in common use, made from the tables of Palik's Handbook of Optical Constants of Solids. About two digits are
/// meaningful.
pub(super) fn metal(name: &str) -> Option<[[f32; 3]; 2]> {
    Some(match name {
        "Ag" => [[0.1553, 0.1167, 0.1383], [4.8283, 3.1222, 2.1470]],
        "Al" => [[1.6574, 0.8804, 0.5212], [9.2239, 6.2695, 4.8370]],
        "Au" => [[0.1431, 0.3749, 1.4424], [3.9831, 2.3857, 1.6032]],
        "Cr" => [[4.3696, 2.9167, 1.6547], [5.2064, 4.2313, 3.7549]],
        "Cu" => [[0.2004, 0.9240, 1.1022], [3.9129, 2.4528, 2.1421]],
        "CuZn" => [[0.4440, 0.5270, 1.0940], [3.6950, 2.7650, 1.8290]],
        // Transparent in the visible range: only an index, from the Sellmeier equations of Stephens
        // and Malitson 1952 (MgO) and DeVore 1951 (TiO2, ordinary ray) near 610, 550 and 465 nm.
        "MgO" => [[1.7350, 1.7390, 1.7490], [0.0; 3]],
        "TiO2" => [[2.5950, 2.6480, 2.7900], [0.0; 3]],
        _ => return None,
    })
}

/// Returns the index of refraction of a named glass at 587.6 nm (n_d).
pub(super) fn glass(name: &str) -> Option<f32> {
    Some(match name {
        "BK7" => 1.5168,
        "BAF10" => 1.6700,
        "FK51A" => 1.4866,
        "LASF9" => 1.8503,
        "SF5" | "F5" => 1.6727,
        "SF10" | "F10" => 1.7283,
        "SF11" | "F11" => 1.7847,
        "water" => 1.3330,
        "diamond" => 2.4175,
        _ => return None,
    })
}

/// Returns the RGB of a spectrum that version 4 knows by name, such as `metal-Au-eta`, `glass-BK7` or `stdillum-D65`.
pub(super) fn named(name: &str) -> Option<[f32; 3]> {
    if let Some(rest) = name.strip_prefix("metal-") {
        let (metal_name, which) = rest.rsplit_once('-')?;
        let [eta, k] = metal(metal_name)?;
        return match which {
            "eta" => Some(eta),
            "k" => Some(k),
            _ => None,
        };
    }
    if let Some(index) = glass(name.strip_prefix("glass-").unwrap_or(name)) {
        return Some([index; 3]);
    }
    // Illuminants at luminance 1: incandescent light is a black body; daylight is close to one.
    match name.strip_prefix("stdillum-")? {
        "A" => Some(blackbody_unit(2855.6).map(|c| c as f32)),
        "D50" => Some(blackbody_unit(5003.0).map(|c| c as f32)),
        "D65" => Some([1.0; 3]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: [f64; 3], want: [f64; 3], tolerance: f64) {
        assert!(found.iter().zip(&want).all(|(f, w)| (f - w).abs() <= tolerance), "{found:?}, expected {want:?}");
    }

    #[test]
    fn a_flat_reflectance_is_grey_and_a_flat_emission_is_equal_energy() {
        let flat = Samples::from_pairs(&[400.0, 0.5, 700.0, 0.5]).unwrap();
        near(reflectance(&flat), [0.5; 3], 1e-9);
        // Equal energy has x = y = 1/3, which in Rec. 709 is 1.2048, 0.9483, 0.9087.
        near(emission(&flat).map(|c| 2.0 * c), [1.2048, 0.9483, 0.9087], 0.02);
    }

    #[test]
    fn bands_land_in_their_channels() {
        let band = |from: f64, to: f64| {
            Samples::from_pairs(&[from - 1.0, 0.0, from, 1.0, to, 1.0, to + 1.0, 0.0]).map(|s| reflectance(&s)).unwrap()
        };
        let (red, green, blue) = (band(600.0, 700.0), band(500.0, 570.0), band(400.0, 490.0));
        assert!(red[0] > 0.7 && red[1] < 0.1 && red[2] < 0.1, "{red:?}");
        assert!(green[1] > 0.7 && green[0] < 0.2 && green[2] < 0.2, "{green:?}");
        assert!(blue[2] > 0.7 && blue[0] < 0.3 && blue[1] < 0.2, "{blue:?}");
    }

    #[test]
    fn black_bodies_have_their_published_colours() {
        // Chromaticities of the Planckian locus: 6504 K is near D65, 2856 K is illuminant A.
        near(blackbody_unit(6504.0), [1.02, 0.99, 0.99], 0.06);
        let a = blackbody_unit(2855.6);
        near(a, [1.81, 0.85, 0.24], 0.04);
        let luminance = 0.2126 * a[0] + 0.7152 * a[1] + 0.0722 * a[2];
        assert!((luminance - 1.0).abs() < 1e-3);
        // With the peak at 1, no wavelength exceeds 1, so neither does luminance.
        let peak = blackbody_peak(5000.0);
        let luminance = 0.2126 * peak[0] + 0.7152 * peak[1] + 0.0722 * peak[2];
        assert!(luminance > 0.9 && luminance < 1.0, "{luminance}");
    }

    #[test]
    fn samples_interpolate_and_extend() {
        let samples = Samples::from_pairs(&[600.0, 3.0, 500.0, 1.0]).unwrap();
        assert_eq!([450.0, 500.0, 550.0, 600.0, 700.0].map(|w| samples.at(w)), [1.0, 1.0, 2.0, 3.0, 3.0]);
        assert_eq!(Samples::from_pairs(&[500.0]), None);
        assert_eq!(Samples::from_pairs(&[]), None);
        let step = Samples::from_pairs(&[500.0, 1.0, 500.0, 2.0]).unwrap();
        assert!(wavelengths().all(|w| step.at(w).is_finite()));
    }

    #[test]
    fn named_spectra_are_known_by_version_4s_names() {
        assert_eq!(named("metal-Au-eta"), Some([0.1431, 0.3749, 1.4424]));
        assert_eq!(named("glass-BK7"), Some([1.5168; 3]));
        assert_eq!(named("stdillum-D65"), Some([1.0; 3]));
        for unknown in ["metal-Xx-eta", "metal-Au", "metal-Au-x", "glass-none", "canon_eos_r"] {
            assert_eq!(named(unknown), None, "{unknown}");
        }
    }
}
