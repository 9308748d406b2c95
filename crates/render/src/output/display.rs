//! Conversion of a picture's numbers to the eight-bit picture that people look at.

use super::{Look, MISS_DEPTH, Shows, heat_map};

/// Picture as bytes for display.
pub(super) struct Display {
    /// Columns and rows, including a scale drawn under the picture if there is one.
    pub size: [u32; 2],
    /// Bytes of the pixels, three each, or four with alpha, row by row from the top.
    pub bytes: Vec<u8>,
    /// `true` if there is an alpha channel; colours are then not multiplied by it, as PNG has them.
    pub has_alpha: bool,
}

/// Converts `colour` to bytes for display by its meaning (`shows`) and `look`; colours are premultiplied if there is an
/// `alpha`.
///
/// Radiance is exposed and toned, reflectance only encoded; normals are bytes as they are; near is bright and nothing
/// black in pictures of distances; the other numbers become heat maps.
pub(super) fn display(
    size: [u32; 2],
    colour: &[[f32; 3]],
    alpha: Option<&[f32]>,
    shows: Shows,
    look: &Look,
) -> Display {
    let bytes = |map: &dyn Fn([f32; 3]) -> [u8; 3]| {
        let bytes = match alpha {
            None => colour.iter().flat_map(|&c| map(c)).collect(),
            Some(alpha) => colour.iter().zip(alpha).flat_map(|(&c, &a)| with_alpha(c, a, map)).collect(),
        };
        Display { size, bytes, has_alpha: alpha.is_some() }
    };
    let heat = |value: &dyn Fn(f32) -> f32, label: &str| {
        let values: Vec<f32> = colour.iter().map(|c| value(c[2])).collect();
        let image = heat_map(&values, size, almost_largest(&values), label);
        Display { size: image.size, bytes: image.bytes, has_alpha: false }
    };
    match shows {
        Shows::Radiance => bytes(&|c| look.to_srgb8(c)),
        Shows::Albedo => bytes(&|c| Look::default().to_srgb8(c)),
        Shows::Normal => bytes(&|c| c.map(linear_byte)),
        Shows::Depth => {
            let there = |t: f32| t > 0.0 && t < MISS_DEPTH;
            let farthest = colour.iter().map(|c| c[0]).filter(|&t| there(t)).fold(f32::MIN_POSITIVE, f32::max);
            bytes(&|c| [linear_byte(if there(c[0]) { 1.0 - 0.9 * c[0] / farthest } else { 0.0 }); 3])
        }
        Shows::Cost => heat(&|v| v, "nodes + triangles / ray"),
        Shows::Variance => heat(&f32::sqrt, "standard error of luminance"),
        Shows::Samples => heat(&|v| v, "samples / pixel"),
    }
}

/// Returns the four bytes of a premultiplied colour, whose alpha is divided out before `map`.
fn with_alpha(colour: [f32; 3], alpha: f32, map: &dyn Fn([f32; 3]) -> [u8; 3]) -> [u8; 4] {
    // A NaN fails the comparison.
    let alpha = if alpha > 0.0 { alpha.min(1.0) } else { 0.0 };
    let [r, g, b] = if alpha > 0.0 { map(colour.map(|c| c / alpha)) } else { [0; 3] };
    [r, g, b, linear_byte(alpha)]
}

fn linear_byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Returns the 99.5th percentile of the finite values, as the end of a colour scale: a few pixels at silhouettes cost
/// several times the rest; 0 without finite values.
pub(crate) fn almost_largest(values: &[f32]) -> f32 {
    let mut sorted: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    sorted.len().checked_sub(1).map_or(0.0, |last| sorted[last * 995 / 1000])
}
