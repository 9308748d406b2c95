//! Contact sheets: many pictures on one, each with its name under it.

use super::Rgb8;
use super::canvas::Canvas;
use super::font::{GLYPH, text_width};

const BACKGROUND: [u8; 3] = [24; 3];
/// Pixels between the cells of a contact sheet, and between a picture and its name.
const GAP: u32 = 4;

/// Picture with its name on a contact sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetCell {
    /// Picture to show in the cell.
    pub picture: Rgb8,
    /// Name under the picture, as much as fits: small letters, digits and `.+-/`; other characters are blank.
    pub name: String,
}

/// Makes a contact sheet of `columns` pictures per row, each enlarged `zoom` times, with names. Cells are as large as
/// the largest picture; a smaller one stands in the middle of its cell.
pub fn contact_sheet(cells: &[SheetCell], columns: u32, zoom: u32) -> Rgb8 {
    let (columns, zoom) = (columns.max(1), zoom.max(1));
    let largest = |axis: usize| cells.iter().map(|cell| cell.picture.size[axis]).max().unwrap_or(1) * zoom;
    let [width, height] = [largest(0), largest(1)];
    let [step_x, step_y] = [width + GAP, height + GLYPH[1] + 3 * GAP];
    let rows = (cells.len() as u32).div_ceil(columns).max(1);
    let mut canvas = Canvas::new([columns * step_x + GAP, rows * step_y + GAP], BACKGROUND);
    for (cell, i) in cells.iter().zip(0..) {
        let (left, top) = (GAP + i % columns * step_x, GAP + i / columns * step_y);
        let room = |axis: usize, of: u32| (of - cell.picture.size[axis] * zoom) / 2;
        canvas.picture([left + room(0, width), top + room(1, height)], zoom, &cell.picture);
        let name = cell.name.to_lowercase();
        let fits = name.char_indices().map(|(at, c)| &name[..at + c.len_utf8()]).take_while(|s| text_width(s) <= width);
        canvas.text([left, top + height + GAP], 1, fits.last().unwrap_or(""));
    }
    canvas.image
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(size: [u32; 2], colour: [u8; 3], name: &str) -> SheetCell {
        let bytes = colour.repeat((size[0] * size[1]) as usize);
        SheetCell { picture: Rgb8 { size, bytes }, name: name.into() }
    }

    fn count(sheet: &Rgb8, colour: [u8; 3]) -> usize {
        sheet.bytes.chunks_exact(3).filter(|c| **c == colour).count()
    }

    #[test]
    fn every_picture_is_there_enlarged_and_in_its_place() {
        let cells =
            [cell([20, 10], [255, 0, 0], "one"), cell([10, 10], [0, 255, 0], "two"), cell([20, 4], [0, 0, 255], "")];
        let sheet = contact_sheet(&cells, 2, 2);
        assert_eq!(sheet.size, [2 * 44 + 4, 2 * (20 + 7 + 12) + 4]);
        assert_eq!([[255, 0, 0], [0, 255, 0], [0, 0, 255]].map(|c| count(&sheet, c)), [800, 400, 320]);
        let pixel = |x: u32, y: u32| &sheet.bytes[3 * (y * sheet.size[0] + x) as usize..][..3];
        assert_eq!((pixel(4, 4), pixel(48, 4)), (&[255, 0, 0][..], &BACKGROUND[..]));
        assert_eq!((pixel(58, 4), pixel(4, 43 + 8)), (&[0, 255, 0][..], &[0, 0, 255][..]));
    }

    #[test]
    fn a_name_ends_where_its_picture_does() {
        let ink = |name: &str| count(&contact_sheet(&[cell([17, 4], [0; 3], name)], 1, 1), [255; 3]);
        // Three glyphs of five columns, with one between, are 17 wide.
        assert_eq!(ink("abcdef"), ink("abc"));
        assert!(ink("abc") > ink("ab") && ink("ABC") == ink("abc"));
    }

    #[test]
    fn a_sheet_of_nothing_is_a_picture_all_the_same() {
        assert!(contact_sheet(&[], 0, 0).bytes.len() > 3);
    }
}
