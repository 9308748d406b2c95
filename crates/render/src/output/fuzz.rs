//! Entries for fuzzing what reads pictures and shares.

use super::read::exr::parse as parse_picture;
use super::share::parse as parse_share;
use std::path::Path;

/// Reads a picture from the bytes of an EXR file.
///
/// # Panics
/// If a layer of the picture has not a value for each pixel: a bug.
pub fn picture(bytes: &[u8]) {
    if let Ok(picture) = parse_picture(Path::new("fuzz.exr"), bytes) {
        let count = picture.window.pixel_count();
        assert!(picture.colour.len() == count && picture.layers.iter().all(|layer| layer.values.len() == count));
    }
}

/// Reads a share from the bytes of its file.
///
/// # Panics
/// Never, which is what the fuzz target checks.
pub fn share(bytes: &[u8]) {
    let _ = parse_share(Path::new("fuzz.exr"), bytes);
}
