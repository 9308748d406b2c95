//! Statistics of a film: its mean, and how noisy it still is.

use super::{Film, Tile, luminance};

/// Fraction of the picture's mean luminance added to each pixel's before dividing in [`Film::noise`], so that nearly
/// black pixels do not dominate.
pub const NOISE_FLOOR: f64 = 0.01;

/// Mean radiance of a whole picture, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureMean {
    /// Mean over all pixels of their mean radiance.
    pub radiance: [f64; 3],
    /// Luminance of the mean radiance.
    pub luminance: f64,
    /// Standard error of the luminance; `None` while any pixel has fewer than two samples.
    pub standard_error: Option<f64>,
}

impl Film {
    /// Estimates the relative error of the whole picture: the root mean square over pixels of `s / (y + floor)`, with s
    /// the standard error of the pixel's mean luminance y, and floor [`NOISE_FLOOR`] times the picture's mean
    /// luminance. It does not change with exposure.
    ///
    /// Infinite while a pixel has fewer than two samples; 0 for an all black picture. An estimate: light that no
    /// sample has found yet is not in it, and stratified points err less than it says.
    pub fn noise(&self) -> f64 {
        let picture = self.picture_mean();
        if picture.standard_error.is_none() {
            return f64::INFINITY;
        }
        let floor = NOISE_FLOOR * picture.luminance.abs();
        let mut sum = 0.0;
        for sums in self.tiles().iter().flat_map(Tile::all_sums) {
            let variance = sums.variance_of_mean().unwrap_or(0.0);
            if variance > 0.0 {
                let level = luminance(sums.mean()).abs() + floor;
                sum += variance / (level * level);
            }
        }
        (sum / self.pixel_count() as f64).sqrt()
    }

    /// Returns the mean radiance of the picture, with the standard error of its luminance.
    pub fn picture_mean(&self) -> PictureMean {
        let mut radiance = [0.0; 3];
        let mut variance = Some(0.0);
        for sums in self.tiles().iter().flat_map(Tile::all_sums) {
            for (sum, c) in radiance.iter_mut().zip(sums.mean()) {
                *sum += c;
            }
            variance = variance.zip(sums.variance_of_mean()).map(|(a, b)| a + b);
        }
        let count = self.pixel_count() as f64;
        let radiance = radiance.map(|s| s / count);
        // Pixels are independent: the variance of their mean is the sum of variances over count squared.
        PictureMean {
            radiance,
            luminance: luminance(radiance),
            standard_error: variance.map(|v: f64| v.sqrt() / count),
        }
    }

    /// Returns the smallest and the largest number of samples of any pixel.
    pub fn sample_range(&self) -> [u32; 2] {
        let counts = || self.tiles().iter().flat_map(Tile::all_sums).map(|s| s.samples);
        [counts().min().unwrap_or(0), counts().max().unwrap_or(0)]
    }
}
