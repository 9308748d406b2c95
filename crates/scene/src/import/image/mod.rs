//! Image decoding by content: PNG, JPEG, WebP, TGA, Radiance HDR, OpenEXR and KTX2.
//!
//! Bytes stay bytes ([`Pixels::Srgb8`] or [`Pixels::Linear8`], as the use of the image says); files of
//! 16 bits and more become linear floats. Sizes are checked before anything of that size is allocated.

mod exr;
mod hdr;
mod ktx2;
mod raster;
mod tga;

#[cfg(test)]
mod tests;

use super::context::Encoding;
use super::foreign;
use crate::each::Each;
use crate::findings::image::{MAX_LARGE_TEXELS_PER_BYTE, MAX_SIDE};
use crate::model::linear_from_srgb;
use crate::{FaultKind, Image, ImageFault, ImportError, Pixels, Place, WarningKind, WrongFile};
use std::path::Path;

/// Largest ratio of an image's texels to the bytes of its file. The most that one of any of the formats was seen to
/// hold is near 8,300 (a deflated one-bit PNG of one colour); a file that claims twice that is broken, and is refused
/// before it is unpacked.
const MAX_TEXELS_PER_BYTE: u64 = 1 << 14;

/// Largest number of texels of an image that may be packed as tightly as [`MAX_TEXELS_PER_BYTE`] allows.
const FREE_TEXELS: u64 = 1 << 24;

/// Decoded image, with notes on what was changed in it, for warnings.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub image: Image,
    pub notes: Vec<WarningKind>,
}

/// File and place that an image comes from, for messages.
struct Origin<'a> {
    path: &'a Path,
    place: Place,
}

impl Origin<'_> {
    fn malformed(&self, fault: impl Into<FaultKind>) -> ImportError {
        ImportError::Malformed { path: self.path.to_path_buf(), place: self.place.clone(), kind: fault.into() }
    }

    fn unsupported(&self, fault: ImageFault) -> ImportError {
        ImportError::Unsupported { path: self.path.to_path_buf(), place: self.place.clone(), kind: fault.into() }
    }

    fn too_large(&self, fault: ImageFault) -> ImportError {
        ImportError::TooLarge { path: self.path.to_path_buf(), place: self.place.clone(), kind: fault.into() }
    }

    /// Checks an image's size against the limits and against the `bytes` bytes of its file.
    fn check_size(&self, width: u64, height: u64, bytes: usize) -> Result<(u32, u32), ImportError> {
        if width == 0 || height == 0 {
            return Err(self.malformed(ImageFault::NoTexels { width, height }));
        }
        if width > u64::from(MAX_SIDE) || height > u64::from(MAX_SIDE) {
            return Err(self.too_large(ImageFault::Size { width, height }));
        }
        if width * height > (1 << 16) + MAX_TEXELS_PER_BYTE * bytes as u64 {
            return Err(self.malformed(ImageFault::CannotHold { bytes, width, height }));
        }
        if width * height > FREE_TEXELS + MAX_LARGE_TEXELS_PER_BYTE * bytes as u64 {
            return Err(self.too_large(ImageFault::Sparse { width, height, bytes }));
        }
        Ok((width as u32, height as u32))
    }
}

/// Decodes an image, whose format its first bytes tell, or for TGA, which has no signature, the extension of `path`.
/// Messages name `path` and `place`.
pub(crate) fn decode(path: &Path, place: Place, bytes: &[u8], encoding: Encoding) -> Result<Decoded, ImportError> {
    let origin = Origin { path, place };
    // The decoders are other people's code. A panic in one of them is a broken image, not a crash.
    let result = std::panic::catch_unwind(|| decode_kind(&origin, bytes, encoding));
    let name = format!("{}{}", path.display(), origin.place);
    let (width, height, mut pixels) = result.unwrap_or_else(|_| Err(origin.malformed(ImageFault::DecoderGaveUp)))?;
    let mut notes = Vec::new();
    if let Pixels::Float(texels) = &mut pixels {
        let cleaned = clean(texels);
        if cleaned > 0 {
            notes.push(WarningKind::TexelsNotFinite { count: cleaned });
        }
    }
    let image = Image { name, width, height, pixels: pixels.into() };
    Ok(Decoded { image, notes })
}

fn decode_kind(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Result<(u32, u32, Pixels), ImportError> {
    if let Some((what, advice)) = foreign::stand_in(bytes) {
        return Err(origin.malformed(WrongFile::PlaceholderOfImage { what, advice }));
    }
    let is_tga = || origin.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("tga"));
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => raster::png(origin, bytes, encoding),
        [0xff, 0xd8, 0xff, ..] => raster::jpeg(origin, bytes, encoding),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => raster::webp(origin, bytes, encoding),
        [b'#', b'?', ..] => hdr::decode(origin, bytes),
        [0x76, 0x2f, 0x31, 0x01, ..] => exr::decode(origin, bytes),
        _ if bytes.starts_with(&ktx2::SIGNATURE) => ktx2::decode(origin, bytes, encoding),
        _ if is_tga() || tga::looks_like_tga(bytes) => tga::decode(origin, bytes, encoding),
        _ => Err(origin.unsupported(unknown(bytes))),
    }
}

/// Makes the fault that an image is of a format that is not read, by its first bytes.
fn unknown(bytes: &[u8]) -> ImageFault {
    let what = match bytes {
        [] => return ImageFault::Empty,
        [b'G', b'I', b'F', b'8', ..] => "a GIF image",
        [b'D', b'D', b'S', b' ', ..] => "a DDS image",
        [b'B', b'M', ..] => "a BMP image",
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => "a TIFF image",
        [0xab, b'K', b'T', b'X', b' ', b'1', b'1', ..] => "a KTX image of version 1",
        _ => match foreign::named(bytes) {
            Some(what) => return ImageFault::NoImage { what },
            None => return ImageFault::Unknown { start: bytes[..bytes.len().min(8)].to_vec() },
        },
    };
    ImageFault::OtherImage { what }
}

/// Sets channels of texels that are not finite to 0 and returns the number of such texels.
fn clean(texels: &mut [[f32; 4]]) -> usize {
    let mut cleaned = 0;
    for texel in texels {
        if texel.iter().all(|c| c.is_finite()) {
            continue;
        }
        cleaned += 1;
        for channel in texel {
            *channel = if channel.is_finite() { *channel } else { 0.0 };
        }
    }
    cleaned
}

/// Makes eight-bit pixels in the given encoding.
fn eight_bit(texels: Vec<[u8; 4]>, encoding: Encoding) -> Pixels {
    match encoding {
        Encoding::Srgb => Pixels::Srgb8(texels),
        Encoding::Linear => Pixels::Linear8(texels),
    }
}

/// Converts a 16-bit texel to linear floats; alpha is always linear.
fn linear_from_u16(texel: [u16; 4], encoding: Encoding) -> [f32; 4] {
    let unit = texel.each(|c| f32::from(c) / 65535.0);
    match encoding {
        Encoding::Linear => unit,
        Encoding::Srgb => {
            let [r, g, b, a] = unit;
            [linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b), a]
        }
    }
}
