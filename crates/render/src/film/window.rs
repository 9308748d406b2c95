//! Rectangles of a picture: a part to render, and the pixels that a film or a file holds.

use super::FilmError;
use std::fmt;
use std::str::FromStr;

/// Rectangle of a picture's pixels, written as `X,Y,WxH`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crop {
    /// Column and row of the first pixel, counted from the picture's top left.
    pub origin: [u32; 2],
    /// Columns and rows of the rectangle.
    pub size: [u32; 2],
}

impl fmt::Display for Crop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin: [x, y], size: [width, height] } = self;
        write!(f, "{x},{y},{width}x{height}")
    }
}

impl FromStr for Crop {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let [x, y, size] = <[&str; 3]>::try_from(text.split(',').collect::<Vec<_>>()).ok()?;
            let (width, height) = size.split_once(['x', 'X'])?;
            let number = |text: &str| text.trim().parse::<u32>().ok();
            let size = [number(width)?, number(height)?];
            (size[0] > 0 && size[1] > 0).then_some(Self { origin: [number(x)?, number(y)?], size })
        };
        parse().ok_or_else(|| "must be X,Y,WIDTHxHEIGHT in pixels from the top left, such as 100,50,320x200".into())
    }
}

/// Rectangle of pixels with its position in the whole picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Columns and rows of the whole picture.
    pub whole: [u32; 2],
    /// Column and row of the rectangle's first pixel. A film's lies in the whole; a file of another program may say
    /// otherwise.
    pub origin: [i32; 2],
    /// Columns and rows of the rectangle.
    pub size: [u32; 2],
}

impl Window {
    /// Makes the window of a whole picture.
    pub fn all(size: [u32; 2]) -> Self {
        Self { whole: size, origin: [0; 2], size }
    }

    /// Makes the window of a part of a picture, or of all of it without `crop`.
    ///
    /// # Errors
    /// [`FilmError::CropOutside`] if the part is empty or reaches beyond the picture.
    pub fn new(whole: [u32; 2], crop: Option<Crop>) -> Result<Self, FilmError> {
        let Some(crop) = crop else { return Ok(Self::all(whole)) };
        let inside =
            |k: usize| crop.size[k] > 0 && crop.origin[k].checked_add(crop.size[k]).is_some_and(|end| end <= whole[k]);
        match crop.origin.map(i32::try_from) {
            [Ok(x), Ok(y)] if inside(0) && inside(1) => Ok(Self { whole, origin: [x, y], size: crop.size }),
            _ => Err(FilmError::CropOutside { crop, whole }),
        }
    }

    /// Returns the number of pixels: columns times rows.
    pub fn pixel_count(&self) -> usize {
        self.size[0] as usize * self.size[1] as usize
    }

    /// Returns the (column, row) of all pixels, relative to the window's first one, row by row from the top. Borrows
    /// nothing.
    pub fn places(&self) -> impl Iterator<Item = [u32; 2]> + use<> {
        let [width, height] = self.size;
        (0..height).flat_map(move |y| (0..width).map(move |x| [x, y]))
    }

    /// Returns the pixels that two parts of a picture share; `None` if there are none.
    pub fn common(&self, other: &Self) -> Option<Self> {
        let end = |w: &Self, k: usize| i64::from(w.origin[k]) + i64::from(w.size[k]);
        let origin = [0, 1].map(|k| self.origin[k].max(other.origin[k]));
        let size = [0, 1].map(|k| end(self, k).min(end(other, k)) - i64::from(origin[k]));
        match size.map(u32::try_from) {
            [Ok(width), Ok(height)] if width > 0 && height > 0 => {
                Some(Self { whole: self.whole, origin, size: [width, height] })
            }
            _ => None,
        }
    }

    /// Returns `true` if the window is the whole picture.
    pub fn is_whole(&self) -> bool {
        *self == Self::all(self.whole)
    }
}

/// Writes `320x200 at 100,50 of 1024x768`, or the size alone of a whole picture.
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.size[0], self.size[1])?;
        if !self.is_whole() {
            let (at, whole) = (self.origin, self.whole);
            write!(f, " at {},{} of {}x{}", at[0], at[1], whole[0], whole[1])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crop_is_parsed_and_nonsense_refused() {
        let crop = Crop { origin: [100, 50], size: [320, 200] };
        assert_eq!("100,50,320x200".parse(), Ok(crop));
        assert_eq!(crop.to_string().parse(), Ok(crop));
        for text in ["", "1,2", "1,2,3", "1,2,3x", "-1,2,3x4", "1,2,0x4", "1,2,3x4,5", "a,b,cxd", "1.5,2,3x4"] {
            assert!(text.parse::<Crop>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_crop_must_lie_in_the_picture() {
        let window = |origin, size| Window::new([40, 30], Some(Crop { origin, size }));
        assert!(window([0, 0], [40, 30]).unwrap().is_whole());
        assert_eq!(window([39, 29], [1, 1]).unwrap().to_string(), "1x1 at 39,29 of 40x30");
        for (origin, size) in [([40, 0], [1, 1]), ([0, 0], [41, 1]), ([1, 1], [1, 30]), ([u32::MAX, 0], [2, 1])] {
            assert!(matches!(window(origin, size), Err(FilmError::CropOutside { .. })), "{origin:?} {size:?}");
        }
    }
}
