//! Writing films and other pictures to files.

use super::{Format, Layers, Look, Metadata, OutputError, Rgb8, atomic::write_atomic, exr, hdr, png};
use crate::film::Film;
use std::path::Path;

/// How a picture is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PictureOptions {
    /// Exposure and tone curve of a PNG. EXR and HDR hold radiance as it is.
    pub look: Look,
    /// Layers of an EXR beside the colour; those that the film lacks are left out.
    pub layers: Layers,
    /// What the file says of its making.
    pub metadata: Metadata,
}

/// Writes the film's means in the format that the name of `path` ends in, whole or not at all.
///
/// # Errors
/// [`OutputError`]; nothing is left behind.
pub fn write_film(path: &Path, film: &Film, options: &PictureOptions) -> Result<(), OutputError> {
    let means = film.means();
    match Format::of(path)? {
        Format::Exr => {
            let mut channels = exr::colour(&means);
            channels.extend(exr::layers(film, options.layers));
            let bytes = exr::encode(film.size(), channels, &options.metadata, None);
            write_atomic(path, &bytes.map_err(|e| OutputError::encode(path, e))?)
        }
        _ => write_pixels(path, film.size(), &means, options),
    }
}

/// Writes linear Rec. 709 pixels, row by row from the top, as [`write_film`] does; there are no layers.
///
/// # Errors
/// [`OutputError`]; nothing is left behind.
/// # Panics
/// If there are not `size[0] * size[1]` pixels.
pub fn write_pixels(
    path: &Path,
    size: [u32; 2],
    radiance: &[[f32; 3]],
    options: &PictureOptions,
) -> Result<(), OutputError> {
    assert_eq!(radiance.len(), size[0] as usize * size[1] as usize, "pixels do not match {size:?}");
    let bytes = match Format::of(path)? {
        Format::Png => {
            let bytes = radiance.iter().flat_map(|&c| options.look.to_srgb8(c)).collect();
            return write_rgb8(path, &Rgb8 { size, bytes }, &options.metadata);
        }
        Format::Exr => exr::encode(size, exr::colour(radiance), &options.metadata, None)
            .map_err(|e| OutputError::encode(path, e))?,
        Format::Hdr => hdr::encode(size, radiance).map_err(|e| OutputError::encode(path, e))?,
    };
    write_atomic(path, &bytes)
}

/// Writes sRGB bytes as they are; the name must end in `.png`.
///
/// # Errors
/// [`OutputError`]; nothing is left behind.
pub fn write_rgb8(path: &Path, image: &Rgb8, metadata: &Metadata) -> Result<(), OutputError> {
    if Format::of(path)? != Format::Png {
        return Err(OutputError::NotAPng { path: path.into() });
    }
    write_atomic(path, &png::encode(image, metadata).map_err(|e| OutputError::encode(path, e))?)
}
