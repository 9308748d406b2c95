//! Heat maps: numbers of each pixel as colours, with a scale under the picture.

use super::Rgb8;
use super::canvas::{Canvas, INK};
use super::font::{GLYPH, text_width};

/// Viridis colour map (Smith and van der Walt 2015, released as CC0) at equal steps, in sRGB bytes. Between them we go
/// straight, which is within 6 of 255 of the original and keeps lightness rising.
const VIRIDIS: [[u8; 3]; 17] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x18, 0x6A],
    [0x47, 0x2D, 0x7B],
    [0x42, 0x40, 0x86],
    [0x3B, 0x52, 0x8B],
    [0x33, 0x63, 0x8D],
    [0x2C, 0x72, 0x8E],
    [0x26, 0x81, 0x8E],
    [0x21, 0x90, 0x8C],
    [0x1F, 0x9F, 0x88],
    [0x28, 0xAE, 0x80],
    [0x3E, 0xBC, 0x74],
    [0x5D, 0xC9, 0x63],
    [0x82, 0xD3, 0x4C],
    [0xAB, 0xDC, 0x32],
    [0xD5, 0xE2, 0x1A],
    [0xFD, 0xE7, 0x25],
];
const BACKGROUND: [u8; 3] = [0; 3];

/// Returns the sRGB colour for a value in 0 to 1, from dark violet over green to yellow: equal steps look about equal,
/// also in grey and with common colour blindness. Values outside clip; a NaN is black, which no value is.
pub fn heat_colour(value: f32) -> [u8; 3] {
    if value.is_nan() {
        return BACKGROUND;
    }
    let last = VIRIDIS.len() - 1;
    let place = value.clamp(0.0, 1.0) * last as f32;
    let i = (place as usize).min(last - 1);
    let part = place - i as f32;
    std::array::from_fn(|k| {
        let (a, b) = (f32::from(VIRIDIS[i][k]), f32::from(VIRIDIS[i + 1][k]));
        (a + (b - a) * part).round() as u8
    })
}

/// Draws `values`, row by row from the top, as a heat map from 0 to `scale_max`, above a colour bar with numbers and
/// `label` (small letters, digits and `.+-/`; other characters are blank). A `scale_max` that is not positive and
/// finite is replaced by the largest finite value. A picture too narrow for the scale gets black on its right.
///
/// # Panics
/// If there are not `size[0] * size[1]` values.
pub fn heat_map(values: &[f32], size: [u32; 2], scale_max: f32, label: &str) -> Rgb8 {
    assert_eq!(values.len(), size[0] as usize * size[1] as usize, "values do not match {size:?}");
    let max = if scale_max > 0.0 && scale_max.is_finite() { scale_max } else { largest(values) };
    // Readable beside the picture: the font grows with it.
    let zoom = (size[0] / 400).clamp(1, 8);
    let label = label.to_lowercase();
    let numbers = [0.0, 0.5, 1.0].map(|part| short_number(max * part));
    let margin = 4 * zoom;
    let widest = text_width(&label).max(numbers.iter().map(|n| text_width(n) + 6).sum());
    let width = size[0].max(widest * zoom + 2 * margin);
    let line = (GLYPH[1] + 2) * zoom;
    let bar = 8 * zoom;
    let strip = margin + bar + 3 * zoom + line + line + margin / 2;

    let mut canvas = Canvas::new([width, size[1] + strip], BACKGROUND);
    for (row, y) in values.chunks_exact(size[0].max(1) as usize).zip(0..) {
        for (&value, x) in row.iter().zip(0..) {
            canvas.set([x, y], heat_colour(value / max));
        }
    }
    let (left, right) = (margin, width - margin - 1);
    let top = size[1] + margin;
    for x in left..=right {
        let colour = heat_colour((x - left) as f32 / (right - left).max(1) as f32);
        (top..top + bar).for_each(|y| canvas.set([x, y], colour));
    }
    for (number, part) in numbers.iter().zip([0.0, 0.5, 1.0]) {
        let tick = left + ((right - left) as f32 * part).round() as u32;
        (0..2 * zoom).for_each(|y| canvas.set([tick, top + bar + y], INK));
        // Centred under its tick but not past the ends of the bar.
        let text = text_width(number) * zoom;
        let x = tick.saturating_sub(text / 2).clamp(left, (right + 1).saturating_sub(text).max(left));
        canvas.text([x, top + bar + 3 * zoom], zoom, number);
    }
    canvas.text([left, top + bar + 3 * zoom + line], zoom, &label);
    canvas.image
}

/// Returns the largest finite value, or 1 where none is positive.
fn largest(values: &[f32]) -> f32 {
    let max = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::max);
    if max > 0.0 { max } else { 1.0 }
}

/// Formats a number with up to three digits and k or M: 0.25, 12.5, 340, 1.2k, 56M.
fn short_number(value: f32) -> String {
    let value = f64::from(value);
    // From 999.5 on, three digits would read 1000.
    let (value, unit) = match value {
        v if v >= 999_500.0 => (v / 1e6, "M"),
        v if v >= 999.5 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    let digits = format!("{value:.decimals$}");
    let digits = if decimals > 0 { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{digits}{unit}")
}

#[cfg(test)]
mod tests {
    use super::super::font::text_pixels;
    use super::*;

    fn pixel(image: &Rgb8, [x, y]: [u32; 2]) -> [u8; 3] {
        let i = 3 * (y as usize * image.size[0] as usize + x as usize);
        [image.bytes[i], image.bytes[i + 1], image.bytes[i + 2]]
    }

    /// Finds the position where `text` is drawn in an image, pixel for pixel.
    fn find_text(image: &Rgb8, text: &str, zoom: u32) -> Option<[u32; 2]> {
        let [width, height] = [text_width(text) * zoom, GLYPH[1] * zoom];
        let set: Vec<[u32; 2]> = text_pixels(text).collect();
        let places = (0..image.size[1] - height + 1).flat_map(|y| (0..image.size[0] - width + 1).map(move |x| [x, y]));
        places.into_iter().find(|&[left, top]| {
            (0..height).all(|y| {
                (0..width).all(|x| {
                    let ink = pixel(image, [left + x, top + y]) == INK;
                    ink == set.contains(&[x / zoom, y / zoom])
                })
            })
        })
    }

    #[test]
    fn lightness_rises_along_the_map() {
        // CIE L* of sRGB.
        let lightness = |[r, g, b]: [u8; 3]| {
            let linear = |c: u8| {
                let c = f64::from(c) / 255.0;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            116.0 * crate::film::luminance([linear(r), linear(g), linear(b)]).cbrt() - 16.0
        };
        let steps: Vec<f64> = (0..=64).map(|i| lightness(heat_colour(i as f32 / 64.0))).collect();
        let rises: Vec<f64> = steps.windows(2).map(|w| w[1] - w[0]).collect();
        let mean = (steps[64] - steps[0]) / 64.0;
        assert!(mean > 1.0 && rises.iter().all(|r| *r > 0.5 * mean && *r < 1.6 * mean), "{mean}: {rises:?}");
    }

    #[test]
    fn odd_values_have_their_colours() {
        assert_eq!(heat_colour(-1.0), VIRIDIS[0]);
        assert_eq!(heat_colour(f32::INFINITY), VIRIDIS[16]);
        assert_eq!(heat_colour(1.0), VIRIDIS[16]);
        assert_eq!(heat_colour(0.5), VIRIDIS[8]);
        assert_eq!(heat_colour(f32::NAN), [0; 3]);
    }

    #[test]
    fn the_picture_stands_above_its_scale() {
        let (width, height) = (200, 40);
        let values: Vec<f32> = (0..width * height).map(|i| (i % width) as f32).collect();
        let image = heat_map(&values, [width, height], 150.0, "Node visits");
        assert_eq!(image.size[0], width);
        for x in 0..width {
            assert_eq!(pixel(&image, [x, 17]), heat_colour(x as f32 / 150.0));
        }
        let bar: Vec<_> = (4..196).map(|x| pixel(&image, [x, height + 6])).collect();
        assert_eq!((bar[0], bar[191]), (VIRIDIS[0], VIRIDIS[16]));
        let places = ["0", "75", "150", "node visits"].map(|text| find_text(&image, text, 1).expect(text));
        assert!(places[0][0] < places[1][0] && places[1][0] < places[2][0] && places[3][1] > places[0][1]);
        assert!(places.iter().all(|p| p[1] > height));
    }

    #[test]
    fn a_wide_picture_has_larger_digits_and_a_tiny_one_more_room() {
        let wide = heat_map(&vec![1.0; 900 * 3], [900, 3], 2500.0, "");
        for text in ["0", "1.25k", "2.5k"] {
            assert!(find_text(&wide, text, 2).is_some(), "{text}");
        }
        let tiny = heat_map(&[3.0e6], [1, 1], 0.0, "steps");
        for text in ["0", "1.5M", "3M", "steps"] {
            assert!(find_text(&tiny, text, 1).is_some(), "{text}");
        }
        assert_eq!(pixel(&tiny, [0, 0]), VIRIDIS[16]);
        assert_eq!(tiny.bytes.len(), 3 * (tiny.size[0] * tiny.size[1]) as usize);
    }

    #[test]
    fn a_scale_without_a_maximum_takes_the_largest_value() {
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let image = heat_map(&[1.0, 4.0, f32::INFINITY, f32::NAN], [4, 1], bad, "");
            assert!(find_text(&image, "4", 1).is_some());
            assert_eq!(pixel(&image, [2, 0]), VIRIDIS[16]);
        }
        assert!(find_text(&heat_map(&[0.0, f32::NAN], [2, 1], 0.0, ""), "0.5", 1).is_some());
    }

    #[test]
    fn numbers_have_three_digits_at_most() {
        let table = [(0.0, "0"), (0.25, "0.25"), (1.0, "1"), (12.54, "12.5"), (99.96, "100"), (340.0, "340")];
        let large =
            [(999.4, "999"), (999.6, "1k"), (1234.0, "1.23k"), (999_499.0, "999k"), (999_500.0, "1M"), (5.6e7, "56M")];
        for (value, text) in table.into_iter().chain(large) {
            assert_eq!(short_number(value), text);
        }
    }
}
