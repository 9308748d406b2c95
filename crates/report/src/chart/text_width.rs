//! Width of a text on a picture, whose letters are drawn by whoever shows it.

use super::FONT;

/// Widths of the printable letters of ASCII in thousandths of the size, from the space on: those of DejaVu Sans, which
/// is as wide as Verdana, and wider than what else browsers take for `sans-serif`.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, // space, !"#$%&'()*+,-./
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, // 0123456789:;<=>?
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787, // @ABCDEFGHIJKLMNO
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, // PQRSTUVWXYZ[\]^_
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, // `abcdefghijklmno
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838, // pqrstuvwxyz{|}~
];
/// Width of any other letter.
const OTHER: u16 = 1000;
/// Letters are of a 1.24th of the size that plotters takes.
const SCALE: f64 = 1.24;

/// Returns the width that a text has at most when it is drawn, in pixels.
pub(crate) fn text_width(text: &str) -> i32 {
    let width = |letter: char| WIDTHS.get((letter as usize).wrapping_sub(32)).copied().unwrap_or(OTHER);
    let thousandths: u32 = text.chars().map(|letter| u32::from(width(letter))).sum();
    (f64::from(thousandths) / 1000.0 * f64::from(FONT) / SCALE).ceil() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_has_its_width() {
        assert_eq!(text_width(""), 0);
        assert_eq!((text_width("iiiiiiiiii"), text_width("mmmmmmmmmm")), (41, 142));
        assert_eq!((text_width("~~~~~~~~~~"), text_width("0123456789")), (122, 93));
        assert_eq!(text_width("\u{b5}\u{b5}"), 30);
    }
}
