//! Decoders of PNG, WebP and JPEG, by the crates that the `image` crate has below it: that one brings two crates of
//! colour management, which nothing here needs.

use super::{Encoding, Origin, eight_bit, linear_from_u16};
use crate::findings::image::MAX_SIDE;
use crate::{ImageFault, ImportError, Pixels};
use image_webp::WebPDecoder;
use png::{BitDepth, ColorType, Transformations};
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};

/// Result of a decoder: width, height, texels.
pub(super) type Decode = Result<(u32, u32, Pixels), ImportError>;

/// Number of bytes that the decoder of PNG may ask for: four floats a texel of the largest image. Sides are checked by
/// [`Origin::check_size`].
const PNG_LIMIT: u64 = 16 * MAX_SIDE as u64 * MAX_SIDE as u64;

pub(super) fn png(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Decode {
    let fault =
        |error: png::DecodingError| origin.malformed(ImageFault::Broken { format: "PNG", error: error.to_string() });
    let limits = png::Limits { bytes: usize::try_from(PNG_LIMIT).unwrap_or(usize::MAX) };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    // Palettes and fewer than eight bits to eight bits, and transparent colours to alpha.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(fault)?;
    let (width, height) = reader.info().size();
    let (width, height) = origin.check_size(width.into(), height.into(), bytes.len())?;
    let (color, depth) = reader.output_color_type();
    let mut data = vec![0; reader.output_buffer_size().ok_or_else(|| fault(png::DecodingError::LimitsExceeded))?];
    reader.next_frame(&mut data).map_err(fault)?;
    let channels = match color {
        ColorType::Grayscale => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        ColorType::Indexed => {
            return Err(origin.unsupported(ImageFault::Unsupported { format: "PNG", feature: "a palette".into() }));
        }
    };
    match depth {
        BitDepth::Eight => Ok((width, height, bytes_to_pixels(&data, channels, encoding))),
        BitDepth::Sixteen => Ok((width, height, words_to_pixels(&data, channels, encoding))),
        other => {
            let feature = format!("{other:?} bits a channel");
            Err(origin.unsupported(ImageFault::Unsupported { format: "PNG", feature }))
        }
    }
}

pub(super) fn jpeg(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Decode {
    let fault = |error: DecodeErrors| match error {
        DecodeErrors::Unsupported(what) => {
            origin.unsupported(ImageFault::Unsupported { format: "JPEG", feature: format!("{what:?}") })
        }
        error => origin.malformed(ImageFault::Broken { format: "JPEG", error: error.to_string() }),
    };
    // Sides are checked below.
    let options = DecoderOptions::default().set_strict_mode(false).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut header = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    header.decode_headers().map_err(fault)?;
    let (width, height) = header.dimensions().unwrap_or_default();
    let (width, height) = origin.check_size(width as u64, height as u64, bytes.len())?;
    let (space, channels) = match header.input_colorspace() {
        Some(ColorSpace::RGBA) => (ColorSpace::RGBA, 4),
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        Some(ColorSpace::LumaA) => (ColorSpace::LumaA, 2),
        _ => (ColorSpace::RGB, 3),
    };
    let options = options.jpeg_set_out_colorspace(space);
    let mut data = vec![0; width as usize * height as usize * channels];
    JpegDecoder::new_with_options(ZCursor::new(bytes), options).decode_into(&mut data).map_err(fault)?;
    Ok((width, height, bytes_to_pixels(&data, channels, encoding)))
}

/// Decodes a WebP image, of an animation the first frame.
pub(super) fn webp(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Decode {
    let fault = |error: image_webp::DecodingError| {
        origin.malformed(ImageFault::Broken { format: "WebP", error: error.to_string() })
    };
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(fault)?;
    let (width, height) = decoder.dimensions();
    // There may be no bits for texels of one colour: a thousand bytes may hold 16 million.
    let (width, height) = origin.check_size(width.into(), height.into(), bytes.len().max(1024))?;
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let mut data = vec![0; width as usize * height as usize * channels];
    decoder.read_image(&mut data).map_err(fault)?;
    Ok((width, height, bytes_to_pixels(&data, channels, encoding)))
}

/// Converts samples of eight bits: grey or colour, with alpha or without.
fn bytes_to_pixels(data: &[u8], channels: usize, encoding: Encoding) -> Pixels {
    let texels = data.chunks_exact(channels);
    let texels = match channels {
        1 => texels.map(|t| [t[0], t[0], t[0], 255]).collect(),
        2 => texels.map(|t| [t[0], t[0], t[0], t[1]]).collect(),
        3 => texels.map(|t| [t[0], t[1], t[2], 255]).collect(),
        _ => texels.map(|t| [t[0], t[1], t[2], t[3]]).collect(),
    };
    eight_bit(texels, encoding)
}

/// Converts samples of sixteen bits, the upper byte first.
fn words_to_pixels(data: &[u8], channels: usize, encoding: Encoding) -> Pixels {
    let words = |texel: &[u8]| -> [u16; 4] {
        let word = |i: usize| u16::from_be_bytes([texel[2 * i], texel[2 * i + 1]]);
        match channels {
            1 => [word(0), word(0), word(0), u16::MAX],
            2 => [word(0), word(0), word(0), word(1)],
            3 => [word(0), word(1), word(2), u16::MAX],
            _ => [word(0), word(1), word(2), word(3)],
        }
    };
    Pixels::Float(data.chunks_exact(2 * channels).map(|texel| linear_from_u16(words(texel), encoding)).collect())
}
