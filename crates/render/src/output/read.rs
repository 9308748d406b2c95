//! Reading pictures back: finished EXR files of ours and of others with their layers, shares, and eight-bit and
//! Radiance files.

mod error;
pub(super) mod exr;
mod layer;
mod note;
#[cfg(test)]
mod tests;

pub use error::ReadError;
pub use note::ReadNote;

use super::picture::{colours, write_display, write_encoded, write_hdr};
use super::{Content, Layers, Look, Metadata, OutputError, PictureFormat, Share, display::display};
use crate::film::Window;
use ::exr::prelude::FlatSamples;
use std::io;
use std::path::{Path, PathBuf};

/// Channel of a picture file besides its colour.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerChannel {
    /// Name of the channel in the file, such as `albedo.R`.
    pub name: String,
    /// Values of the channel, one per pixel, row by row from the top; half floats and integers are converted to f32.
    pub values: Vec<f32>,
}

/// Finished picture as read from a file.
#[derive(Debug, Clone)]
pub struct PictureFile {
    /// Path of the file, for messages.
    pub path: PathBuf,
    /// Part of the whole picture that the file holds.
    pub window: Window,
    /// Linear Rec. 709 colours, row by row from the top; premultiplied by `alpha` if there is one.
    pub colour: Vec<[f32; 3]>,
    /// Coverage of each pixel, 0 to 1.
    pub alpha: Option<Vec<f32>>,
    /// Channels besides the colour, in the file's order.
    pub layers: Vec<LayerChannel>,
    /// Meaning of the picture's numbers.
    pub content: Content,
    /// `true` if the colours were decoded from eight-bit sRGB, and so are for display, not radiance.
    pub from_srgb8: bool,
    /// Facts that the file states about how it was made; empty if there are none.
    pub comments: String,
    /// Notes on what could not be read as it is.
    pub notes: Vec<ReadNote>,
}

/// Reads a picture file whose format its first bytes tell: OpenEXR (scan lines or tiles, half or float, RGB or Y; also
/// a share), Radiance, PNG, JPEG, WebP, TGA or KTX2.
///
/// # Errors
/// [`ReadError`] if the file cannot be read, is no picture, is damaged or larger than the memory.
pub fn read_picture(path: &Path) -> Result<PictureFile, ReadError> {
    let bytes = read_file(path).map_err(|source| ReadError::Read { path: path.into(), source })?;
    if bytes.starts_with(&[0x76, 0x2f, 0x31, 0x01]) {
        return exr::parse(path, &bytes);
    }
    drop(bytes);
    let image = raywarp_scene::load_image(path).map_err(ReadError::Image)?;
    let size = [image.width, image.height];
    let texels: Vec<[f32; 4]> = Window::all(size).places().map(|[x, y]| image.texel(x, y)).collect();
    // Files of other formats have an alpha that colours are not multiplied by; one that is 1 everywhere says nothing.
    let alpha = texels.iter().any(|t| t[3] != 1.0).then(|| texels.iter().map(|t| t[3]).collect());
    let weight = |a: f32| if alpha.is_some() { a } else { 1.0 };
    Ok(PictureFile {
        path: path.into(),
        window: Window::all(size),
        colour: texels.iter().map(|&[r, g, b, a]| [r, g, b].map(|c| c * weight(a))).collect(),
        content: Content { transparent: alpha.is_some(), ..Content::default() },
        alpha,
        layers: Vec::new(),
        from_srgb8: matches!(*image.pixels, raywarp_scene::Pixels::Srgb8(_)),
        comments: String::new(),
        notes: Vec::new(),
    })
}

/// Reads the bytes of a file that must be a regular one, since a device may never end.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let kind = std::fs::metadata(path)?.file_type();
    if !kind.is_file() {
        return Err(io::Error::other(if kind.is_dir() { "it is a folder" } else { "it is no file" }));
    }
    std::fs::read(path)
}

/// Writes a picture that was read in the format for the extension of `path`, whole or not at all: an EXR with its
/// layers, window and film exposure; a PNG by `look`, which must already include the film's exposure.
///
/// # Errors
/// [`OutputError`], also for a Radiance file of a picture with alpha; nothing is left behind.
pub fn write_picture(path: &Path, picture: &PictureFile, look: &Look, metadata: &Metadata) -> Result<(), OutputError> {
    let (size, alpha) = (picture.window.size, picture.alpha.as_deref());
    match PictureFormat::of(path)? {
        PictureFormat::Exr => {
            let plane = |values: &[f32]| FlatSamples::F32(values.to_vec());
            let mut channels: Vec<(&str, FlatSamples)> = super::exr::colour(&picture.colour);
            channels.extend(alpha.map(|alpha| ("A", plane(alpha))));
            channels.extend(picture.layers.iter().map(|layer| (layer.name.as_str(), plane(&layer.values))));
            let facts = super::exr::picture_facts(&picture.content);
            let bytes = super::exr::encode(&picture.window, channels, metadata, Some(&facts), None);
            write_encoded(path, bytes)
        }
        PictureFormat::Png => {
            write_display(path, &display(size, &picture.colour, alpha, picture.content.shows, look), metadata)
        }
        PictureFormat::Hdr if alpha.is_some() => Err(OutputError::NoAlpha { path: path.into() }),
        PictureFormat::Hdr => write_hdr(path, size, &picture.colour),
    }
}

impl PictureFile {
    /// Makes the picture that `raywarp merge` would write of a share, with all layers that it has.
    fn of_share(share: Share) -> Self {
        let Share { path, info, film } = share;
        let (colour, alpha) = colours(&film, &info.content);
        let layers = super::exr::layers(&film, Layers::ALL)
            .into_iter()
            .map(|(name, samples)| LayerChannel { name: name.into(), values: exr::floats(samples) });
        Self {
            path,
            window: film.window(),
            colour,
            alpha,
            layers: layers.collect(),
            content: info.content,
            from_srgb8: false,
            comments: String::new(),
            notes: Vec::new(),
        }
    }

    /// Returns the number of pixels whose colour or alpha is not finite.
    pub fn not_finite(&self) -> usize {
        let alpha = |i: usize| self.alpha.as_ref().is_none_or(|alpha| alpha[i].is_finite());
        self.colour.iter().enumerate().filter(|(i, c)| !(c.iter().all(|c| c.is_finite()) && alpha(*i))).count()
    }
}
