//! Comparison of two pictures: errors by colour, alpha and layer, and where they are largest.
//!
//! All numbers are in the pictures' own unit, linear Rec. 709, over pixels and channels, and summed in `f64`. A pixel
//! that is not finite in one of the two is left out of them and counted.

mod noise;
#[cfg(test)]
mod tests;

pub use noise::{BLOCK, NoiseTest, STANDARD_ERRORS};

use crate::film::{Window, luminance};
use crate::output::{MISS_DEPTH, PictureFile, almost_largest, encode_srgb};
use std::path::PathBuf;

/// Constant added to the divisor of the relative squared error, so that dark pixels do not dominate (Rousselle et al.
/// 2011).
pub const RELATIVE_EPSILON: f64 = 0.01;

/// Reason why two pictures cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The two pictures have different sizes.
    #[error("{} is {a} and {} is {b}: only pictures of one size, or parts of one picture, can be compared", .paths[0].display(), .paths[1].display())]
    Sizes {
        /// Paths of the two pictures, in order.
        paths: Box<[PathBuf; 2]>,
        /// Part of its whole picture that the first file holds.
        a: Window,
        /// Part of its whole picture that the second file holds.
        b: Window,
    },
}

/// Error measures between two lists of values.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Difference {
    /// Number of values compared.
    pub values: u64,
    /// Mean value of each list.
    pub mean: [f64; 2],
    /// Mean absolute difference |a - b|.
    pub mean_absolute: f64,
    /// Mean squared difference (a - b)^2.
    pub mse: f64,
    /// Largest absolute difference |a - b|.
    pub largest: f64,
}

impl Difference {
    fn of(pairs: impl Iterator<Item = [f32; 2]>) -> Self {
        let mut sums = Self::default();
        for pair in pairs {
            let [a, b] = pair.map(f64::from);
            let apart = (a - b).abs();
            sums.values += 1;
            sums.mean = [sums.mean[0] + a, sums.mean[1] + b];
            sums.mean_absolute += apart;
            sums.mse += apart * apart;
            sums.largest = sums.largest.max(apart);
        }
        let count = sums.values.max(1) as f64;
        sums.mean = sums.mean.map(|sum| sum / count);
        Self { mean_absolute: sums.mean_absolute / count, mse: sums.mse / count, ..sums }
    }

    /// Returns the root mean squared error.
    pub fn rmse(&self) -> f64 {
        self.mse.sqrt()
    }

    /// Returns the root mean squared error over the absolute mean of the second list; infinite if that mean is zero but
    /// the lists differ.
    pub fn relative_rmse(&self) -> f64 {
        if self.mse == 0.0 { 0.0 } else { self.rmse() / self.mean[1].abs() }
    }
}

/// Pixel where two pictures differ most, with its colours in both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Farthest {
    /// Column and row of the pixel in the whole picture.
    pub pixel: [i32; 2],
    /// Colours of the pixel in the first and the second picture.
    pub colours: [[f32; 3]; 2],
}

/// Difference of a layer that both pictures have.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerDifference {
    /// Name of the layer.
    pub name: String,
    /// Difference over all channels of the layer; distances count only where both pictures have one.
    pub difference: Difference,
    /// Number of pixels where only one picture has a finite value (for distances: any hit).
    pub in_one_only: u64,
}

/// Result of comparing two pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Part of the whole picture that was compared.
    pub window: Window,
    /// Difference over the red, green and blue values.
    pub colour: Difference,
    /// Mean colour of each picture.
    pub mean: [[f64; 3]; 2],
    /// Mean of (a - b)^2 / (b^2 + [`RELATIVE_EPSILON`]).
    pub relative_mse: f64,
    /// Number of pixels that differ in any channel or alpha.
    pub different: u64,
    /// Number of pixels in each picture with infinite or NaN values.
    pub not_finite: [u64; 2],
    /// Pixel whose channels differ most; `None` if the pictures are equal.
    pub farthest: Option<Farthest>,
    /// Peak signal-to-noise ratio in decibels, of the sRGB bytes of two eight-bit pictures; infinite if they are equal.
    pub psnr: Option<f64>,
    /// Test whether noise explains the difference, if both pictures have the layer `variance`.
    pub noise: Option<NoiseTest>,
    /// Difference of the alphas, if either picture has an alpha; a missing one counts as 1.
    pub alpha: Option<Difference>,
    /// Differences of the layers that both have, except `variance` and `samples`, in the first file's order.
    pub layers: Vec<LayerDifference>,
    /// Largest |a - b| over each pixel's channels, row by row from the top; NaN where a pixel is left out.
    pub map: Vec<f32>,
}

/// Compares two pictures of the same size. Two parts of one picture, as their files say, are compared where they
/// overlap.
///
/// # Errors
/// [`CompareError`] if they have no pixels in common.
pub fn compare(a: &PictureFile, b: &PictureFile) -> Result<Comparison, CompareError> {
    let common = if a.window.whole == b.window.whole { a.window.common(&b.window) } else { None };
    match common {
        Some(window) if window != a.window || window != b.window => Ok(compare_all(&a.cut(window), &b.cut(window))),
        Some(_) => Ok(compare_all(a, b)),
        None if a.window.size == b.window.size && a.window.whole != b.window.whole => Ok(compare_all(a, b)),
        None => {
            let paths = Box::new([a.path.clone(), b.path.clone()]);
            Err(CompareError::Sizes { paths, a: a.window, b: b.window })
        }
    }
}

/// Compares two pictures, whose numbers of pixels must be equal.
fn compare_all(a: &PictureFile, b: &PictureFile) -> Comparison {
    let finite = |picture: &PictureFile, i: usize| picture.colour[i].iter().all(|c| c.is_finite());
    let count = a.colour.len();
    let used: Vec<bool> = (0..count).map(|i| finite(a, i) && finite(b, i)).collect();
    let pixels = || (0..count).filter(|&i| used[i]);
    let pairs = |k: usize| pixels().map(move |i| [a.colour[i][k], b.colour[i][k]]);
    let channels = [0, 1, 2].map(|k| Difference::of(pairs(k)));
    let colour = Difference::of((0..3).flat_map(pairs));
    let relative = |[a, b]: [f64; 2]| (a - b) * (a - b) / (b * b + RELATIVE_EPSILON);
    let relative_mse =
        (0..3).flat_map(pairs).map(|p| relative(p.map(f64::from))).sum::<f64>() / colour.values.max(1) as f64;

    let apart = |i: usize| (0..3).map(|k| (a.colour[i][k] - b.colour[i][k]).abs()).fold(0.0, f32::max);
    let map: Vec<f32> = (0..count).map(|i| if used[i] { apart(i) } else { f32::NAN }).collect();
    let farthest = pixels().filter(|&i| map[i] > 0.0).max_by(|&i, &j| map[i].total_cmp(&map[j]).then(j.cmp(&i)));
    let width = a.window.size[0] as usize;
    let farthest = farthest.map(|i| Farthest {
        pixel: [a.window.origin[0] + (i % width) as i32, a.window.origin[1] + (i / width) as i32],
        colours: [a.colour[i], b.colour[i]],
    });
    let alpha_at = |picture: &PictureFile, i: usize| picture.alpha.as_ref().map_or(1.0, |alpha| alpha[i]);
    // NaN and NaN are the same here: bits decide, and 0 is -0.
    let same = |a: f32, b: f32| a == b || a.to_bits() == b.to_bits();
    let equal = |i: usize| (0..3).all(|k| same(a.colour[i][k], b.colour[i][k])) && same(alpha_at(a, i), alpha_at(b, i));
    Comparison {
        window: a.window,
        mean: [0, 1].map(|side| channels.map(|channel| channel.mean[side])),
        relative_mse,
        different: (0..count).filter(|&i| !equal(i)).count() as u64,
        not_finite: [a, b].map(|picture| (0..count).filter(|&i| !finite(picture, i)).count() as u64),
        farthest,
        psnr: (a.from_srgb8 && b.from_srgb8).then(|| psnr((0..3).flat_map(pairs))),
        noise: noise::test(a, b, &used),
        alpha: (a.alpha.is_some() || b.alpha.is_some())
            .then(|| Difference::of((0..count).map(|i| [alpha_at(a, i), alpha_at(b, i)]))),
        layers: layers(a, b),
        colour,
        map,
    }
}

/// Returns the peak signal-to-noise ratio in decibels of the sRGB bytes from which the value pairs were decoded.
fn psnr(pairs: impl Iterator<Item = [f32; 2]>) -> f64 {
    let bytes = Difference::of(pairs.map(|pair| pair.map(|c| f32::from(encode_srgb(c)))));
    if bytes.mse == 0.0 { f64::INFINITY } else { 10.0 * (255.0 * 255.0 / bytes.mse).log10() }
}

fn layers(a: &PictureFile, b: &PictureFile) -> Vec<LayerDifference> {
    let names = a.layer_names().into_iter().filter(|name| name != "variance" && name != "samples");
    names.filter_map(|name| layer(a, b, name)).collect()
}

fn layer(a: &PictureFile, b: &PictureFile, name: String) -> Option<LayerDifference> {
    let other = |channel: &str| b.layers.iter().find(|c| c.name == channel);
    let channels: Vec<_> =
        a.channels_of(&name).into_iter().filter_map(|c| Some((&c.values, &other(&c.name)?.values))).collect();
    // Of distances, nothing is a number that stands for none.
    let there = |v: f32| v.is_finite() && v < MISS_DEPTH;
    let pairs = || channels.iter().flat_map(|(a, b)| a.iter().zip(b.iter()).map(|(&a, &b)| [a, b]));
    let difference = Difference::of(pairs().filter(|pair| pair.iter().all(|&v| there(v))));
    let in_one_only = pairs().filter(|&[a, b]| there(a) != there(b)).count() as u64;
    (!channels.is_empty()).then_some(LayerDifference { name, difference, in_one_only })
}

impl Comparison {
    /// Returns `true` if colours and alphas are equal bit for bit (except signs of zeros); layers don't count.
    pub fn are_equal(&self) -> bool {
        self.different == 0
    }

    /// Returns the difference as one number: [`Difference::relative_rmse`] of the colours, or infinity where only one
    /// picture has non-finite pixels.
    pub fn relative_error(&self) -> f64 {
        if self.not_finite[0] == self.not_finite[1] { self.colour.relative_rmse() } else { f64::INFINITY }
    }

    /// Returns the upper end of the scale for a heat map of [`Self::map`]: the 99.5th percentile, or the largest value
    /// if that is 0.
    pub fn map_scale(&self) -> f32 {
        let most = almost_largest(&self.map);
        if most > 0.0 { most } else { self.colour.largest as f32 }
    }

    /// Returns the luminance of each picture's mean colour.
    pub fn mean_luminance(&self) -> [f64; 2] {
        self.mean.map(luminance)
    }
}
