//! Decoders of PNG, WebP, TGA and Radiance HDR, through the `image` crate, and of JPEG, through `zune-jpeg`, which
//! `image` itself uses: the loops over texels are then compiled here, and nothing of `image` needs an optimiser.

use super::{Encoding, MAX_SIDE, Origin, eight_bit, linear_from_u16};
use crate::{Pixels, SceneError};
use image::codecs::{hdr::HdrDecoder, png::PngDecoder, tga::TgaDecoder, webp::WebPDecoder};
use image::{ColorType, ImageDecoder, ImageError, ImageResult, Limits};
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};

type Size = (u32, u32, Pixels);

pub(super) fn png(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Result<Size, SceneError> {
    read(origin, bytes, encoding, "PNG", PngDecoder::with_limits(Cursor::new(bytes), limits()))
}

pub(super) fn jpeg(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Result<Size, SceneError> {
    let fault = |error: DecodeErrors| match error {
        DecodeErrors::Unsupported(what) => origin.unsupported(format!("JPEG image: {what:?}")),
        error => origin.malformed(format!("broken JPEG image: {error}")),
    };
    // Sides are checked below.
    let options = DecoderOptions::default().set_strict_mode(false).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut header = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    header.decode_headers().map_err(fault)?;
    let (width, height) = header.dimensions().unwrap_or_default();
    let (width, height) = origin.check_size(width as u64, height as u64, bytes.len())?;
    let (space, color) = match header.input_colorspace() {
        Some(ColorSpace::RGBA) => (ColorSpace::RGBA, ColorType::Rgba8),
        Some(ColorSpace::Luma) => (ColorSpace::Luma, ColorType::L8),
        Some(ColorSpace::LumaA) => (ColorSpace::LumaA, ColorType::La8),
        _ => (ColorSpace::RGB, ColorType::Rgb8),
    };
    let options = options.jpeg_set_out_colorspace(space);
    let mut data = vec![0; width as usize * height as usize * usize::from(color.bytes_per_pixel())];
    JpegDecoder::new_with_options(ZCursor::new(bytes), options).decode_into(&mut data).map_err(fault)?;
    Ok((width, height, pixels(origin, color, &data, encoding)?))
}

/// Decodes a WebP image, of an animation the first frame.
pub(super) fn webp(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Result<Size, SceneError> {
    read(origin, bytes, encoding, "WebP", WebPDecoder::new(Cursor::new(bytes)))
}

pub(super) fn tga(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Result<Size, SceneError> {
    read(origin, bytes, encoding, "TGA", TgaDecoder::new(Cursor::new(bytes)))
}

/// Decodes a Radiance HDR image, which is always linear.
pub(super) fn hdr(origin: &Origin, bytes: &[u8]) -> Result<Size, SceneError> {
    // Files of other tools begin with `#?RGBE` and the like; only strict reading minds.
    read(origin, bytes, Encoding::Linear, "HDR", HdrDecoder::new_nonstrict(Cursor::new(bytes)))
}

/// Returns `true` if every field of a TGA header has a sensible value. The format has no signature, so that this is all
/// there is to go by in a file of another name.
pub(super) fn looks_like_tga(bytes: &[u8]) -> bool {
    let &[_, map_type, image_type, _, _, _, _, map_depth, _, _, _, _, w0, w1, h0, h1, depth, flags, ..] = bytes else {
        return false;
    };
    let mapped = matches!(image_type, 1 | 9);
    matches!(image_type, 1 | 2 | 3 | 9 | 10 | 11)
        && map_type == u8::from(mapped)
        && (mapped == matches!(map_depth, 15 | 16 | 24 | 32))
        && matches!(depth, 8 | 15 | 16 | 24 | 32)
        && (w0 | w1) != 0
        && (h0 | h1) != 0
        && flags & 0xc0 == 0
}

/// Returns limits for the image decoders: memory for four floats per texel of the largest image. Sides are checked by
/// [`Origin::check_size`].
fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(16 * u64::from(MAX_SIDE) * u64::from(MAX_SIDE));
    limits
}

fn read<D: ImageDecoder>(
    origin: &Origin,
    bytes: &[u8],
    encoding: Encoding,
    kind: &str,
    decoder: ImageResult<D>,
) -> Result<Size, SceneError> {
    let fault = |error: ImageError| match error {
        ImageError::Unsupported(error) => origin.unsupported(format!("{kind} image: {error}")),
        error => origin.malformed(format!("broken {kind} image: {error}")),
    };
    let mut decoder = decoder.map_err(fault)?;
    let (width, height) = decoder.dimensions();
    // WebP has no bits for texels of one colour: a thousand bytes may hold 16 million.
    let size = if kind == "WebP" { bytes.len().max(1024) } else { bytes.len() };
    let (width, height) = origin.check_size(width.into(), height.into(), size)?;
    decoder.set_limits(limits()).map_err(fault)?;
    let color = decoder.color_type();
    let mut data = vec![0; decoder.total_bytes() as usize];
    decoder.read_image(&mut data).map_err(fault)?;
    Ok((width, height, pixels(origin, color, &data, encoding)?))
}

/// Converts a decoder's samples (of 16 and 32 bits in the machine's byte order) to pixels.
fn pixels(origin: &Origin, color: ColorType, data: &[u8], encoding: Encoding) -> Result<Pixels, SceneError> {
    let words = |texel: &[u8]| -> [u16; 4] {
        let word = |i: usize| u16::from_ne_bytes([texel[2 * i], texel[2 * i + 1]]);
        match texel.len() {
            2 => [word(0), word(0), word(0), u16::MAX],
            4 => [word(0), word(0), word(0), word(1)],
            6 => [word(0), word(1), word(2), u16::MAX],
            _ => [word(0), word(1), word(2), word(3)],
        }
    };
    let float = |texel: &[u8], i: usize| f32::from_ne_bytes([0, 1, 2, 3].map(|b| texel[4 * i + b]));
    let texels = data.chunks_exact(usize::from(color.bytes_per_pixel()));
    Ok(match color {
        ColorType::L8 => eight_bit(texels.map(|t| [t[0], t[0], t[0], 255]).collect(), encoding),
        ColorType::La8 => eight_bit(texels.map(|t| [t[0], t[0], t[0], t[1]]).collect(), encoding),
        ColorType::Rgb8 => eight_bit(texels.map(|t| [t[0], t[1], t[2], 255]).collect(), encoding),
        ColorType::Rgba8 => eight_bit(texels.map(|t| [t[0], t[1], t[2], t[3]]).collect(), encoding),
        ColorType::L16 | ColorType::La16 | ColorType::Rgb16 | ColorType::Rgba16 => {
            Pixels::Float(texels.map(|t| linear_from_u16(words(t), encoding)).collect())
        }
        ColorType::Rgb32F => Pixels::Float(texels.map(|t| [float(t, 0), float(t, 1), float(t, 2), 1.0]).collect()),
        ColorType::Rgba32F => Pixels::Float(texels.map(|t| [0, 1, 2, 3].map(|i| float(t, i))).collect()),
        other => return Err(origin.unsupported(format!("texels of kind {other:?}"))),
    })
}
