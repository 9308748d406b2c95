//! Filters that the attribute codec's elements pass after decoding.

use crate::each::Each;

/// Returns component `i` of an element with 4 components of signed 8 or 16 bits.
fn signed(element: &[u8], i: usize) -> i32 {
    if element.len() == 4 {
        i32::from(element[i] as i8)
    } else {
        i32::from(i16::from_le_bytes([element[2 * i], element[2 * i + 1]]))
    }
}

fn unsigned(element: &[u8], i: usize) -> i32 {
    signed(element, i) & if element.len() == 4 { 0xff } else { 0xffff }
}

/// Writes component `i` of an element: `value` rounded, half away from zero.
fn write(element: &mut [u8], i: usize, value: f32) {
    let value = value.round() as i32;
    let size = element.len() / 4;
    element[i * size..(i + 1) * size].copy_from_slice(&value.to_le_bytes()[..size]);
}

/// Decodes unit vectors from octahedral coordinates, in place, in the first three components.
pub fn octahedral(bytes: &mut [u8], stride: usize) {
    let max = if stride == 4 { 127.0 } else { 32767.0 };
    for element in bytes.chunks_exact_mut(stride) {
        let one = signed(element, 2) as f32;
        let [mut x, mut y] = [0, 1].each(|i| signed(element, i) as f32 / one);
        let z = 1.0 - x.abs() - y.abs();
        let fold = z.min(0.0);
        x -= fold.copysign(x);
        y -= fold.copysign(y);
        let scale = max / (x * x + y * y + z * z).sqrt();
        for (i, v) in [x, y, z].into_iter().enumerate() {
            write(element, i, v * scale);
        }
    }
}

/// Decodes quaternions stored without their largest component, in place. Its index is in the low bits of the fourth.
pub fn quaternion(bytes: &mut [u8]) {
    for element in bytes.chunks_exact_mut(8) {
        let last = signed(element, 3);
        let scale = std::f32::consts::FRAC_1_SQRT_2 / (last | 3) as f32;
        let [x, y, z] = [0, 1, 2].each(|i| signed(element, i) as f32 * scale);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        for (i, v) in [w, x, y, z].into_iter().enumerate() {
            write(element, ((last & 3) as usize + i) % 4, v * 32767.0);
        }
    }
}

/// Decodes floats from an 8-bit exponent and a 24-bit mantissa, both signed, in place.
pub fn exponential(bytes: &mut [u8]) {
    for word in bytes.chunks_exact_mut(4) {
        let v = i32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let value = f64::from(v >> 24).exp2() * f64::from(v << 8 >> 8);
        word.copy_from_slice(&(value as f32).to_le_bytes());
    }
}

/// Decodes colours from luma and two chroma differences, in place; the highest bit of alpha gives the scale.
pub fn color(bytes: &mut [u8], stride: usize) {
    let max = if stride == 4 { 255.0 } else { 65535.0 };
    for element in bytes.chunks_exact_mut(stride) {
        let (luma, alpha) = (unsigned(element, 0), unsigned(element, 3));
        let (orange, green) = (signed(element, 1), signed(element, 2));
        let all = (2 << alpha.checked_ilog2().unwrap_or(0)) - 1;
        let a = alpha & all >> 1;
        let rgba = [luma + orange - green, luma + green, luma - orange - green, a << 1 | a & 1];
        for (i, v) in rgba.into_iter().enumerate() {
            // Encoders keep within the range; the clamp is for those that do not.
            write(element, i, (v as f32 * (max / all as f32)).clamp(0.0, max));
        }
    }
}
