//! How far apart two pictures are.
//!
//! The error is the mean difference of the sRGB bytes of all pixels and channels, alpha included, over the mean byte of
//! the golden picture. A test of `main.rs` holds the tolerances between two bounds: cameras that are moved by a
//! rounding stay below half of it, and another seed, whose picture is as good, is beyond ten times it. So rounding in
//! another order passes, and what changes samples, let alone what they are of, does not.

use raywarp::render::output::{PictureFile, encode_srgb};

fn bytes(picture: &PictureFile) -> Vec<f64> {
    let mut bytes: Vec<f64> = picture.colour.as_flattened().iter().map(|&c| f64::from(encode_srgb(c))).collect();
    bytes.extend(picture.alpha.iter().flatten().map(|&a| f64::from(a) * 255.0));
    bytes
}

/// How far `got` is from `want`; infinite where their sizes or their having an alpha differ.
pub fn error(got: &PictureFile, want: &PictureFile) -> f64 {
    if got.window != want.window || got.alpha.is_some() != want.alpha.is_some() {
        return f64::INFINITY;
    }
    let (got, want) = (bytes(got), bytes(want));
    let apart: f64 = std::iter::zip(&got, &want).map(|(a, b)| (a - b).abs()).sum();
    apart / want.iter().sum::<f64>().max(1.0)
}
