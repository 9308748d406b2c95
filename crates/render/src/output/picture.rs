//! Writers of films and other pictures to files.

use super::display::{self, display};
use super::{Content, Layers, Look, MISS_DEPTH, Metadata, OutputError, PictureFormat, Rgb8, Shows};
use super::{exr, hdr, png};
use crate::film::{Film, Window};
use ::exr::prelude::FlatSamples;
use raywarp_system::files::write_atomic;
use std::fmt::Display;
use std::path::Path;

/// Options of writing a picture to a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PictureOptions {
    /// Exposure and tone curve of a PNG, with the film's own exposure included. EXR and HDR hold radiance as it is.
    pub look: Look,
    /// Layers of an EXR file besides the colour; those that the film lacks are left out.
    pub layers: Layers,
    /// Meaning of the picture's numbers.
    pub content: Content,
    /// Facts about how the picture was made, written into the file.
    pub metadata: Metadata,
}

/// Writes the film's mean colours in the format for the extension of `path`; the file appears whole or not at all.
///
/// Of distances it is the means over the samples that hit, and [`MISS_DEPTH`] (black in a PNG) where none did. A
/// transparent picture gets an alpha: the share of each pixel's samples that hit.
///
/// # Errors
/// [`OutputError`]; nothing is left behind.
pub fn write_film(path: &Path, film: &Film, options: &PictureOptions) -> Result<(), OutputError> {
    match PictureFormat::of(path)? {
        PictureFormat::Exr => {
            let channels = picture_channels(film, &options.content, options.layers);
            let facts = exr::picture_facts(&options.content);
            let bytes = exr::encode(&film.window(), channels, &options.metadata, Some(&facts), None);
            write_encoded(path, bytes)
        }
        PictureFormat::Png => {
            let (colour, alpha) = colours(film, &options.content);
            let picture = display(film.size(), &colour, alpha.as_deref(), options.content.shows, &options.look);
            write_display(path, &picture, &options.metadata)
        }
        PictureFormat::Hdr if options.content.transparent => Err(OutputError::NoAlpha { path: path.into() }),
        PictureFormat::Hdr => write_hdr(path, film.size(), &colours(film, &options.content).0),
    }
}

/// Makes the EXR channels of a film: colours, alpha and layers.
pub(super) fn picture_channels(film: &Film, content: &Content, layers: Layers) -> exr::Channels {
    let (colour, alpha) = colours(film, content);
    let mut channels = exr::colour(&colour);
    channels.extend(alpha.map(|alpha| ("A", FlatSamples::F32(alpha))));
    channels.extend(exr::layers(film, layers));
    channels
}

/// Returns the colours of a film as files hold them, and its alpha if the background was left out, premultiplied by it.
pub(super) fn colours(film: &Film, content: &Content) -> (Vec<[f32; 3]>, Option<Vec<f32>>) {
    let colour = match content.shows {
        Shows::Depth => film.pixels().map(|p| film.mean_of_hits(p).unwrap_or([MISS_DEPTH; 3])).collect(),
        _ => film.means(),
    };
    let alpha = content.transparent.then(|| film.pixels().map(|p| film.coverage(p)).collect());
    (colour, alpha)
}

/// Writes linear Rec. 709 pixels, row by row from the top, as [`write_film`] does, without layers.
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
    match PictureFormat::of(path)? {
        PictureFormat::Png => {
            let picture = display(size, radiance, None, options.content.shows, &options.look);
            write_display(path, &picture, &options.metadata)
        }
        PictureFormat::Exr => {
            let facts = exr::picture_facts(&options.content);
            let bytes = exr::encode(&Window::all(size), exr::colour(radiance), &options.metadata, Some(&facts), None);
            write_encoded(path, bytes)
        }
        PictureFormat::Hdr => write_hdr(path, size, radiance),
    }
}

/// Writes an image of sRGB bytes unchanged; `path` must end in `.png`.
///
/// # Errors
/// [`OutputError`]; nothing is left behind.
pub fn write_rgb8(path: &Path, image: &Rgb8, metadata: &Metadata) -> Result<(), OutputError> {
    if PictureFormat::of(path)? != PictureFormat::Png {
        return Err(OutputError::NotAPng { path: path.into() });
    }
    let bytes = png::encode(image.size, &image.bytes, false, metadata);
    write_encoded(path, bytes)
}

/// Writes the bytes of an encoded picture to a file, or returns the encoder's error.
pub(super) fn write_encoded(path: &Path, bytes: Result<Vec<u8>, impl Display>) -> Result<(), OutputError> {
    let bytes = bytes.map_err(|error| OutputError::encode(path, error))?;
    Ok(write_atomic(path, &bytes)?)
}

pub(super) fn write_display(path: &Path, picture: &display::Display, metadata: &Metadata) -> Result<(), OutputError> {
    let bytes = png::encode(picture.size, &picture.bytes, picture.has_alpha, metadata);
    write_encoded(path, bytes)
}

pub(super) fn write_hdr(path: &Path, size: [u32; 2], radiance: &[[f32; 3]]) -> Result<(), OutputError> {
    Ok(write_atomic(path, &hdr::encode(size, radiance))?)
}
