//! KTX 2: plain texels (none, Zstandard or zlib on top), and Basis Universal through `basisu`.
//!
//! Source: the KTX 2.0 specification, section 3. The largest level of the first layer of a 2D texture is read; the
//! other levels are the renderer's to make.

use super::{Encoding, Origin, eight_bit, linear_from_u16};
use crate::each::Each;
use crate::{ImageFault, ImportError, Pixels};
use basisu::{DecodeFlags, TargetFormat, Transcoder};
use std::borrow::Cow;
use std::io::Read;

/// Number of the supercompression scheme for levels that are packed with Zstandard.
const ZSTANDARD: u32 = 2;

pub(super) const SIGNATURE: [u8; 12] = *b"\xabKTX 20\xbb\r\n\x1a\n";

/// Number format in which a channel of a texel is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sample {
    Unorm8,
    Unorm16,
    Half,
    Float,
}

/// Layout of a texel in memory: channels, their format and order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    sample: Sample,
    channels: usize,
    /// `true` if blue comes first, then green and red.
    bgr: bool,
}

impl Layout {
    /// Returns the layout for a value of Vulkan's `VkFormat`; UNORM and SRGB give the same, since the use of an image
    /// decides.
    fn of(vk_format: u32) -> Option<Self> {
        use Sample::{Float, Half, Unorm8, Unorm16};
        let (sample, channels, bgr) = match vk_format {
            9 | 15 => (Unorm8, 1, false),
            16 | 22 => (Unorm8, 2, false),
            23 | 29 => (Unorm8, 3, false),
            30 | 36 => (Unorm8, 3, true),
            37 | 43 => (Unorm8, 4, false),
            44 | 50 => (Unorm8, 4, true),
            70 => (Unorm16, 1, false),
            77 => (Unorm16, 2, false),
            84 => (Unorm16, 3, false),
            91 => (Unorm16, 4, false),
            76 => (Half, 1, false),
            83 => (Half, 2, false),
            90 => (Half, 3, false),
            97 => (Half, 4, false),
            100 => (Float, 1, false),
            103 => (Float, 2, false),
            106 => (Float, 3, false),
            109 => (Float, 4, false),
            _ => return None,
        };
        Some(Self { sample, channels, bgr })
    }

    fn texel_bytes(self) -> usize {
        let sample = match self.sample {
            Sample::Unorm8 => 1,
            Sample::Unorm16 | Sample::Half => 2,
            Sample::Float => 4,
        };
        sample * self.channels
    }
}

/// Fields of the KTX2 header that are used here.
struct Header {
    vk_format: u32,
    width: u32,
    height: u32,
    scheme: u32,
    /// Offset, length and unpacked length in bytes of the largest mipmap level.
    level: [u64; 3],
    /// Offset and length in bytes of the key/value data.
    keys: [u32; 2],
}

pub(super) fn decode(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Result<(u32, u32, Pixels), ImportError> {
    let header = header(origin, bytes)?;
    let level =
        slice(bytes, header.level[0], header.level[1]).ok_or_else(|| origin.malformed(ImageFault::KtxLevelCut))?;
    let pixels = match Layout::of(header.vk_format) {
        Some(layout) => plain(origin, &header, layout, level, encoding)?,
        None => basis(origin, &header, bytes, encoding)?,
    };
    let (width, height) = (header.width, header.height);
    Ok((width, height, if grows_upwards(&header, bytes) { flip(pixels, width as usize) } else { pixels }))
}

fn header(origin: &Origin, bytes: &[u8]) -> Result<Header, ImportError> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let read = || -> Option<_> {
        let shape = [word(20)?, word(24)?, word(28)?, word(32)?, word(36)?, word(40)?];
        let level = [long(80)?, long(88)?, long(96)?];
        Some((
            shape,
            Header {
                vk_format: word(12)?,
                width: shape[0],
                height: shape[1].max(1),
                scheme: word(44)?,
                level,
                keys: [word(56)?, word(60)?],
            },
        ))
    };
    let (shape, header) = read().ok_or_else(|| origin.malformed(ImageFault::KtxHeaderCut))?;
    let [_, _, depth, _, faces, levels] = shape;
    if depth > 1 || faces > 1 {
        return Err(origin.unsupported(ImageFault::KtxNotFlat));
    }
    if levels > 32 {
        return Err(origin.malformed(ImageFault::KtxLevels { levels }));
    }
    origin.check_size(header.width.into(), header.height.into(), bytes.len())?;
    // No level, however encoded, is larger than four floats a texel of a layer.
    for i in 0..levels.max(1) as usize {
        let fields = (long(80 + 24 * i), long(88 + 24 * i), long(96 + 24 * i));
        let (Some(offset), Some(length), Some(unpacked)) = fields else {
            return Err(origin.malformed(ImageFault::KtxIndexCut));
        };
        let layers = u64::from(shape[3].max(1));
        let texels = (u64::from(header.width) + 16) * (u64::from(header.height) + 16);
        if slice(bytes, offset, length).is_none() || unpacked > texels.saturating_mul(16).saturating_mul(layers) {
            return Err(origin.malformed(ImageFault::KtxLevel { level: i, length, unpacked, offset }));
        }
    }
    Ok(header)
}

/// Decodes texels that are stored uncompressed, or with the whole level packed.
fn plain(
    origin: &Origin,
    header: &Header,
    layout: Layout,
    level: &[u8],
    encoding: Encoding,
) -> Result<Pixels, ImportError> {
    let wanted = header.width as usize * header.height as usize * layout.texel_bytes();
    let broken = |error: &dyn std::fmt::Display| {
        origin.malformed(ImageFault::Broken { format: "KTX2", error: error.to_string() })
    };
    let unpacked;
    let data = match header.scheme {
        0 => level,
        ZSTANDARD => {
            unpacked = inflate(origin, level, wanted)?;
            &unpacked
        }
        3 => {
            unpacked = take(flate2::read::ZlibDecoder::new(level), wanted).map_err(|error| broken(&error))?;
            &unpacked
        }
        scheme => return Err(origin.unsupported(ImageFault::KtxScheme { scheme })),
    };
    let Some(data) = data.get(..wanted) else {
        let Header { width, height, .. } = *header;
        return Err(origin.malformed(ImageFault::KtxTexels { found: data.len(), width, height, wanted }));
    };
    let texels = data.chunks_exact(layout.texel_bytes());
    Ok(match layout.sample {
        Sample::Unorm8 => eight_bit(texels.map(|t| gather(layout, |i| t[i], 0, 255)).collect(), encoding),
        Sample::Unorm16 => {
            let word = |t: &[u8], i: usize| u16::from_le_bytes([t[2 * i], t[2 * i + 1]]);
            Pixels::Float(
                texels.map(|t| linear_from_u16(gather(layout, |i| word(t, i), 0, u16::MAX), encoding)).collect(),
            )
        }
        Sample::Half => {
            let half = |t: &[u8], i: usize| half_to_float(u16::from_le_bytes([t[2 * i], t[2 * i + 1]]));
            Pixels::Float(texels.map(|t| gather(layout, |i| half(t, i), 0.0, 1.0)).collect())
        }
        Sample::Float => {
            let float = |t: &[u8], i: usize| f32::from_le_bytes([0, 1, 2, 3].each(|b| t[4 * i + b]));
            Pixels::Float(texels.map(|t| gather(layout, |i| float(t, i), 0.0, 1.0)).collect())
        }
    })
}

/// Unpacks data of Zstandard, up to `limit` bytes.
fn inflate(origin: &Origin, packed: &[u8], limit: usize) -> Result<Vec<u8>, ImportError> {
    let broken = |error: &dyn std::fmt::Display| {
        origin.malformed(ImageFault::Broken { format: "KTX2", error: error.to_string() })
    };
    let reader = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| broken(&error))?;
    take(reader, limit).map_err(|error| broken(&error))
}

/// Reads up to `limit` bytes from `reader`.
fn take(reader: impl Read, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    reader.take(limit as u64).read_to_end(&mut out)?;
    Ok(out)
}

/// Returns the four channels of a texel; missing colours are `zero` and a missing alpha is `one`, as in Vulkan.
fn gather<T: Copy>(layout: Layout, channel: impl Fn(usize) -> T, zero: T, one: T) -> [T; 4] {
    let mut texel = [zero, zero, zero, one];
    for (i, slot) in texel.iter_mut().enumerate().take(layout.channels) {
        *slot = channel(if layout.bgr && i < 3 { 2 - i } else { i });
    }
    texel
}

fn basis(origin: &Origin, header: &Header, bytes: &[u8], encoding: Encoding) -> Result<Pixels, ImportError> {
    let fault = |error: basisu::Error| match error {
        basisu::Error::InvalidData if header.vk_format != 0 => {
            origin.unsupported(ImageFault::KtxFormat { code: header.vk_format })
        }
        error => origin.malformed(ImageFault::KtxBasis { error: format!("{error:?}") }),
    };
    let mut whole = without_cut_keys(header, bytes);
    if header.scheme == ZSTANDARD {
        unpack_level(origin, header, whole.to_mut())?;
    }
    let transcoder = Transcoder::new(&whole).map_err(fault)?;
    let texels = header.width as usize * header.height as usize;
    let target = if transcoder.supports(TargetFormat::Rgba32) { TargetFormat::Rgba32 } else { TargetFormat::RgbaHalf };
    let data = transcoder.transcode(0, target, DecodeFlags::NONE).map_err(fault)?;
    if data.len() != texels * target.bytes_per_block_or_pixel() {
        return Err(origin.malformed(ImageFault::KtxBasisSize));
    }
    Ok(if target == TargetFormat::Rgba32 {
        eight_bit(data.chunks_exact(4).map(|t| [t[0], t[1], t[2], t[3]]).collect(), encoding)
    } else {
        let half = |t: &[u8], i: usize| half_to_float(u16::from_le_bytes([t[2 * i], t[2 * i + 1]]));
        Pixels::Float(data.chunks_exact(8).map(|t| [0, 1, 2, 3].each(|i| half(t, i))).collect())
    })
}

/// Rewrites the file to hold only its largest mipmap level, unpacked, as `basisu` unpacks none itself.
fn unpack_level(origin: &Origin, header: &Header, bytes: &mut Vec<u8>) -> Result<(), ImportError> {
    let [start, packed, unpacked] = header.level;
    let size = usize::try_from(unpacked).unwrap_or(usize::MAX);
    let level = slice(bytes, start, packed).map(|level| inflate(origin, level, size.saturating_add(1))).transpose()?;
    let level = level
        .filter(|level| level.len() == size)
        .ok_or_else(|| origin.malformed(ImageFault::KtxUnpacked { size: unpacked }))?;
    let end = bytes.len() as u64;
    bytes[40..44].copy_from_slice(&1u32.to_le_bytes());
    bytes[44..48].fill(0);
    bytes[80..88].copy_from_slice(&end.to_le_bytes());
    bytes[88..96].copy_from_slice(&unpacked.to_le_bytes());
    bytes.extend(level);
    Ok(())
}

/// Removes key/value data that lacks its final padding from the file, since `basisu` 0.1 gives up on it.
fn without_cut_keys<'a>(header: &Header, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    let [start, length] = header.keys.map(|x| x as usize);
    let (mut at, end) = (start, start + length);
    while at + 4 < end.min(bytes.len()) {
        let entry = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
        if entry > end - at - 4 {
            break;
        }
        at = (at + 4 + entry).next_multiple_of(4);
    }
    if at <= end {
        return Cow::Borrowed(bytes);
    }
    let mut bytes = bytes.to_vec();
    bytes[60..64].fill(0);
    Cow::Owned(bytes)
}

/// Returns `true` if the file's `KTXorientation` says that rows go from the bottom up.
fn grows_upwards(header: &Header, bytes: &[u8]) -> bool {
    let Some(mut keys) = slice(bytes, header.keys[0].into(), header.keys[1].into()) else { return false };
    while let Some((length, rest)) = keys.split_at_checked(4) {
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let Some(entry) = rest.get(..length) else { return false };
        if let Some(value) = entry.strip_prefix(b"KTXorientation\0") {
            return value.get(1) == Some(&b'u');
        }
        keys = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    false
}

fn flip(pixels: Pixels, width: usize) -> Pixels {
    fn rows<T: Copy>(texels: &[T], width: usize) -> Vec<T> {
        texels.chunks(width).rev().flatten().copied().collect()
    }
    match pixels {
        Pixels::Srgb8(texels) => Pixels::Srgb8(rows(&texels, width)),
        Pixels::Linear8(texels) => Pixels::Linear8(rows(&texels, width)),
        Pixels::Float(texels) => Pixels::Float(rows(&texels, width)),
    }
}

fn slice(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}

/// Converts the bits of an IEEE 754 binary16 to a float; exact.
fn half_to_float(half: u16) -> f32 {
    let sign = if half >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, mantissa) = (i32::from(half >> 10 & 31), f32::from(half & 1023));
    sign * match exponent {
        0 => mantissa * 2f32.powi(-24),
        31 if mantissa == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + mantissa) * 2f32.powi(exponent - 25),
    }
}
