//! Bytes to draw on: pixels, other pictures and text.

use super::Rgb8;
use super::font::text_pixels;

/// Colour of text in sRGB bytes.
pub(super) const INK: [u8; 3] = [255; 3];

pub(super) struct Canvas {
    pub image: Rgb8,
}

impl Canvas {
    pub fn new(size: [u32; 2], background: [u8; 3]) -> Self {
        Self { image: Rgb8 { size, bytes: background.repeat(size[0] as usize * size[1] as usize) } }
    }

    /// Sets the colour of a pixel; positions outside the canvas are ignored.
    pub fn set(&mut self, [x, y]: [u32; 2], colour: [u8; 3]) {
        let [width, height] = self.image.size;
        if x < width && y < height {
            let i = 3 * (y as usize * width as usize + x as usize);
            self.image.bytes[i..i + 3].copy_from_slice(&colour);
        }
    }

    pub fn text(&mut self, [left, top]: [u32; 2], zoom: u32, text: &str) {
        for [x, y] in text_pixels(text) {
            self.block([left + x * zoom, top + y * zoom], zoom, INK);
        }
    }

    /// Draws a picture at a position, with each pixel enlarged to a square of `zoom` pixels.
    pub fn picture(&mut self, [left, top]: [u32; 2], zoom: u32, picture: &Rgb8) {
        let places = (0..picture.size[1]).flat_map(|y| (0..picture.size[0]).map(move |x| [x, y]));
        for ([x, y], colour) in places.zip(picture.bytes.chunks_exact(3)) {
            self.block([left + x * zoom, top + y * zoom], zoom, [colour[0], colour[1], colour[2]]);
        }
    }

    fn block(&mut self, [left, top]: [u32; 2], side: u32, colour: [u8; 3]) {
        for dy in 0..side {
            (0..side).for_each(|dx| self.set([left + dx, top + dy], colour));
        }
    }
}
