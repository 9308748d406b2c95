//! Pictures: tone curves, file formats, shares of a render, writing and reading them.

mod canvas;
mod content;
mod display;
mod error;
mod exposure;
mod exr;
mod font;
mod format;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) mod fuzz;
mod hdr;
mod heat;
mod metadata;
mod picture;
mod png;
mod read;
mod share;
mod sheet;
#[cfg(test)]
mod tests;
mod tone;

pub use content::{Content, Shows};
pub(crate) use display::almost_largest;
pub use error::OutputError;
pub use exposure::{ExposureChoice, KEY, Lost, MOST_STOPS, auto_exposure};
pub use exr::{Layers, MISS_DEPTH};
pub use format::{PictureFormat, can_write};
pub use heat::{heat_colour, heat_map};
pub use metadata::Metadata;
pub use picture::{PictureOptions, write_film, write_pixels, write_rgb8};
pub use png::Rgb8;
pub use read::{LayerChannel, PictureFile, ReadError, ReadNote, read_picture, write_picture};
pub use share::{
    Merged, SettingDifference, Share, ShareDamage, ShareError, ShareInfo, can_write_share, differences, merge,
    read_share, write_film_and_sums, write_share,
};
pub use sheet::{SheetCell, contact_sheet};
pub use tone::{Exposure, Look, Tone, ToneError, encode_srgb};
