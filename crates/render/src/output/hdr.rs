//! Radiance HDR (RGBE): eight bits a channel with one exponent a pixel, some 1 % of relative precision.

use image::codecs::hdr::HdrEncoder;
use image::{ImageResult, Rgb};

/// Smallest value that is written: the format's exponents reach from 2^-127 to 2^127, beyond which the encoder wraps
/// around.
const SMALLEST: f32 = 1e-38;
const LARGEST: f32 = 1e38;

/// Encodes a Radiance HDR file to bytes; `radiance` is row by row from the top. Negative and NaN values become 0.
pub(super) fn encode(size: [u32; 2], radiance: &[[f32; 3]]) -> ImageResult<Vec<u8>> {
    let pixels: Vec<Rgb<f32>> = radiance.iter().map(|&c| Rgb(nearest_rgbe(c))).collect();
    let mut file = Vec::new();
    HdrEncoder::new(&mut file).encode(&pixels, size[0] as usize, size[1] as usize)?;
    Ok(file)
}

/// Returns the nearest colour that the Radiance format can hold. The encoder truncates, which alone would make every
/// picture darker by half a step; what is already exact it keeps.
fn nearest_rgbe(c: [f32; 3]) -> [f32; 3] {
    // A NaN fails the comparison.
    let c = c.map(|c| if c > 0.0 { c.min(LARGEST) } else { 0.0 });
    let peak = c[0].max(c[1]).max(c[2]);
    if peak < SMALLEST {
        return [0.0; 3];
    }
    // 2^exponent is the power of two next above the peak.
    let exponent = ((peak.to_bits() >> 23) as i32) - 126;
    let round = |exponent: i32| {
        // In f64: the reciprocal step leaves the range of f32 at the dark end.
        let step = f64::from(exponent - 8).exp2();
        c.map(|c| (f64::from(c) / step).round() * step)
    };
    let rounded = round(exponent);
    // A peak just below the power of two may round up to it, and then has the next exponent.
    let carried = rounded.iter().any(|&c| c >= f64::from(exponent).exp2());
    if carried { round(exponent + 1) } else { rounded }.map(|c| c as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_within_half_a_step_of_the_peak() {
        let mut colours = vec![[0.0; 3], [1.0; 3], [0.999_999, 0.5, 0.001], [1e-37, 1e-38, 0.0], [1e37, 1.0, 0.0]];
        colours.extend((0..500).map(|i| {
            let x = (i as f32 * 0.37).sin().abs();
            [x * (i as f32 / 20.0 - 10.0).exp2(), x * x, (i as f32 * 0.11).cos().abs()]
        }));
        let file = encode([colours.len() as u32, 1], &colours).unwrap();
        let read = image::load_from_memory_with_format(&file, image::ImageFormat::Hdr).unwrap().into_rgb32f();
        assert_eq!(read.dimensions(), (colours.len() as u32, 1));
        for (want, got) in colours.iter().zip(read.pixels()) {
            let peak = want[0].max(want[1]).max(want[2]);
            for k in 0..3 {
                // A step is at most 1/128 of the peak.
                assert!((got.0[k] - want[k]).abs() <= peak / 256.0 * 1.0001, "{want:?} {got:?}");
            }
        }
    }

    #[test]
    fn a_flat_picture_is_not_darkened() {
        let colours: Vec<[f32; 3]> = (0..4096).map(|i| [0.5 + i as f32 / 8192.0; 3]).collect();
        let file = encode([64, 64], &colours).unwrap();
        let read = image::load_from_memory_with_format(&file, image::ImageFormat::Hdr).unwrap().into_rgb32f();
        let sum = |it: &mut dyn Iterator<Item = f32>| it.map(f64::from).sum::<f64>();
        let ratio = sum(&mut read.pixels().map(|p| p.0[0])) / sum(&mut colours.iter().map(|c| c[0]));
        assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    }

    #[test]
    fn numbers_out_of_range_do_not_wrap() {
        let odd = [f32::NAN, -1.0, 1e-45, f32::MAX, f32::INFINITY, f32::MIN_POSITIVE];
        let colours: Vec<[f32; 3]> = odd.iter().map(|&x| [x; 3]).collect();
        let file = encode([odd.len() as u32, 1], &colours).unwrap();
        let read = image::load_from_memory_with_format(&file, image::ImageFormat::Hdr).unwrap().into_rgb32f();
        let got: Vec<f32> = read.pixels().map(|p| p.0[0]).collect();
        assert_eq!(got[..3], [0.0; 3]);
        assert!(got[3] > 9e37 && got[4] > 9e37 && got[5] < 1e-37, "{got:?}");
    }
}
