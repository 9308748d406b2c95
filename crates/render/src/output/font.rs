//! A small bitmap font for what is drawn into pictures: digits, a point, small letters and M for millions.

/// Columns and rows of a character of the built-in font.
pub(super) const GLYPH: [u32; 2] = [5, 7];

/// Returns the pixel rows of a character from the top, with the leftmost column in bit 4. A character that is not here
/// is a blank.
fn rows(c: char) -> [u8; 7] {
    match c {
        '0' => [0b01110, 0b10001, 0b10001, 0b10101, 0b10001, 0b10001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        '2' => [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        '3' => [0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110],
        '4' => [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        '6' => [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        '7' => [0b11111, 0b00001, 0b00001, 0b00010, 0b00100, 0b00100, 0b00100],
        '8' => [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        '.' => [0, 0, 0, 0, 0, 0b01100, 0b01100],
        '-' => [0, 0, 0, 0b01110, 0, 0, 0],
        '+' => [0, 0b00100, 0b00100, 0b11111, 0b00100, 0b00100, 0],
        '/' => [0b00001, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b10000],
        'M' => [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001],
        'a' => [0, 0, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111],
        'b' => [0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b10001, 0b11110],
        'c' => [0, 0, 0b01110, 0b10001, 0b10000, 0b10001, 0b01110],
        'd' => [0b00001, 0b00001, 0b01111, 0b10001, 0b10001, 0b10001, 0b01111],
        'e' => [0, 0, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110],
        'f' => [0b00110, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000, 0b01000],
        'g' => [0, 0, 0b01111, 0b10001, 0b01111, 0b00001, 0b01110],
        'h' => [0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b10001, 0b10001],
        'i' => [0b00100, 0, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110],
        'j' => [0b00010, 0, 0b00110, 0b00010, 0b00010, 0b10010, 0b01100],
        'k' => [0b10000, 0b10000, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010],
        'l' => [0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        'm' => [0, 0, 0b11010, 0b10101, 0b10101, 0b10101, 0b10101],
        'n' => [0, 0, 0b11110, 0b10001, 0b10001, 0b10001, 0b10001],
        'o' => [0, 0, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110],
        'p' => [0, 0, 0b11110, 0b10001, 0b11110, 0b10000, 0b10000],
        'q' => [0, 0, 0b01111, 0b10001, 0b01111, 0b00001, 0b00001],
        'r' => [0, 0, 0b10110, 0b11000, 0b10000, 0b10000, 0b10000],
        's' => [0, 0, 0b01111, 0b10000, 0b01110, 0b00001, 0b11110],
        't' => [0b01000, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000, 0b00110],
        'u' => [0, 0, 0b10001, 0b10001, 0b10001, 0b10001, 0b01111],
        'v' => [0, 0, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100],
        'w' => [0, 0, 0b10001, 0b10101, 0b10101, 0b10101, 0b01010],
        'x' => [0, 0, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001],
        'y' => [0, 0, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110],
        'z' => [0, 0, 0b11111, 0b00010, 0b00100, 0b01000, 0b11111],
        _ => [0; 7],
    }
}

/// Returns the width of a line of text in unscaled font pixels.
pub(super) fn text_width(text: &str) -> u32 {
    let count = text.chars().count() as u32;
    (count * (GLYPH[0] + 1)).saturating_sub(1)
}

/// Returns the set pixels of a line of text as (column, row) from its top left, in unscaled font pixels.
pub(super) fn text_pixels(text: &str) -> impl Iterator<Item = [u32; 2]> + '_ {
    text.chars().zip(0_u32..).flat_map(|(c, place)| {
        rows(c).into_iter().zip(0_u32..).flat_map(move |(row, y)| {
            (0..GLYPH[0])
                .filter(move |x| row >> (GLYPH[0] - 1 - x) & 1 == 1)
                .map(move |x| [place * (GLYPH[0] + 1) + x, y])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_glyphs_look_alike_and_none_is_empty() {
        let all: Vec<char> = "0123456789.+-/Mabcdefghijklmnopqrstuvwxyz".chars().collect();
        for (i, &a) in all.iter().enumerate() {
            assert_ne!(rows(a), [0; 7], "{a}");
            assert!(rows(a).iter().all(|&row| row < 32), "{a} is too wide");
            for &b in &all[..i] {
                assert_ne!(rows(a), rows(b), "{a} {b}");
            }
        }
    }

    #[test]
    fn text_stays_in_its_box() {
        for text in ["", "1", "1.5k", "node visits"] {
            assert!(text_pixels(text).all(|[x, y]| x < text_width(text) && y < GLYPH[1]), "{text}");
        }
        assert_eq!(text_pixels("1").count(), 10);
    }
}
