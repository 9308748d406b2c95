//! Decoded images in memory.

use crate::each::Each;
use std::sync::Arc;

/// Texels of an image in one of three formats, row by row from the top.
#[derive(Debug, Clone, PartialEq)]
pub enum Pixels {
    /// RGBA texels of eight bits a channel, with RGB sRGB-encoded and alpha linear.
    Srgb8(Vec<[u8; 4]>),
    /// RGBA texels of eight bits a channel, all linear.
    Linear8(Vec<[u8; 4]>),
    /// RGBA texels of four linear floats.
    Float(Vec<[f32; 4]>),
}

/// Decoded image in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// Name of the image for messages: its file, or its name in the scene file.
    pub name: String,
    /// Width in texels, at least 1.
    pub width: u32,
    /// Height in texels, at least 1.
    pub height: u32,
    /// Texels, `width * height` of them, shared with the renderer.
    pub pixels: Arc<Pixels>,
}

impl Image {
    /// Returns the texel in column `x` and row `y` as linear RGBA.
    ///
    /// # Panics
    /// If the texel is outside.
    pub fn texel(&self, x: u32, y: u32) -> [f32; 4] {
        assert!(x < self.width && y < self.height);
        let i = y as usize * self.width as usize + x as usize;
        match &*self.pixels {
            Pixels::Srgb8(p) => {
                let [r, g, b, a] = p[i];
                [srgb_to_linear(r), srgb_to_linear(g), srgb_to_linear(b), f32::from(a) / 255.0]
            }
            Pixels::Linear8(p) => p[i].each(|c| f32::from(c) / 255.0),
            Pixels::Float(p) => p[i],
        }
    }

    /// Returns the number of texels that are stored.
    pub fn len(&self) -> usize {
        match &*self.pixels {
            Pixels::Srgb8(p) | Pixels::Linear8(p) => p.len(),
            Pixels::Float(p) => p.len(),
        }
    }

    /// Returns `true` if no texel is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Converts an sRGB byte to a linear value from 0 to 1 (IEC 61966-2-1).
pub fn srgb_to_linear(byte: u8) -> f32 {
    decode(f64::from(byte) / 255.0) as f32
}

/// Converts an sRGB value of 0 to 1 to linear (IEC 61966-2-1).
pub(crate) fn linear_from_srgb(c: f32) -> f32 {
    decode(f64::from(c)) as f32
}

/// Evaluates the sRGB decoding curve to ten digits without `powf`, whose last bits depend on the platform. Pictures
/// must not depend on it.
fn decode(c: f64) -> f64 {
    if c <= 0.04045 {
        return c / 12.92;
    }
    let y = (c + 0.055) / 1.055;
    // y^2.4 is y^2 times the fifth root of y^2. Newton's method finds the root from a straight line
    // over the square root of y; that is within 3 %, and each step doubles the digits.
    let square = y * y;
    let mut root = 0.126 + 0.883 * y.sqrt();
    for _ in 0..3 {
        root = 0.2 * (4.0 * root + square / (root * root * root * root));
    }
    square * root
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined(c: f64) -> f32 {
        (if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }) as f32
    }

    #[test]
    fn srgb_values_decode_to_the_nearest_float() {
        for byte in 0..=255 {
            assert_eq!(srgb_to_linear(byte), defined(f64::from(byte) / 255.0), "{byte}");
        }
        for i in 0..=65_535u16 {
            let c = f32::from(i) / 65_535.0;
            assert_eq!(linear_from_srgb(c), defined(f64::from(c)), "{i} / 65535");
        }
    }

    #[test]
    fn srgb_bits_are_the_same_on_every_machine() {
        let bits = [1, 10, 11, 100, 188, 254, 255].map(|byte| srgb_to_linear(byte).to_bits());
        assert_eq!(bits, [0x399f22b4, 0x3b46eb61, 0x3b5b518e, 0x3e027f06, 0x3f00bd2b, 0x3f7db8de, 0x3f800000]);
    }
}
