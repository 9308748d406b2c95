//! Decoded images.

use std::sync::Arc;

/// Texels, row by row from the top.
#[derive(Debug, Clone, PartialEq)]
pub enum Pixels {
    /// Eight bits a channel; RGB is sRGB-encoded, alpha linear.
    Srgb8(Vec<[u8; 4]>),
    /// Eight bits a channel, all linear.
    Linear8(Vec<[u8; 4]>),
    /// Linear floats.
    Float(Vec<[f32; 4]>),
}

/// An image in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// File or name in the file, for messages.
    pub name: String,
    /// Columns, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// `width * height` texels; shared with what shades.
    pub pixels: Arc<Pixels>,
}

impl Image {
    /// Linear RGBA of texel `(x, y)`.
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
            Pixels::Linear8(p) => p[i].map(|c| f32::from(c) / 255.0),
            Pixels::Float(p) => p[i],
        }
    }

    /// How many texels are stored.
    pub fn len(&self) -> usize {
        match &*self.pixels {
            Pixels::Srgb8(p) | Pixels::Linear8(p) => p.len(),
            Pixels::Float(p) => p.len(),
        }
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Decodes one sRGB byte (IEC 61966-2-1).
pub fn srgb_to_linear(byte: u8) -> f32 {
    let c = f32::from(byte) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}
