//! TGA images: true colour, greys and colour maps, plain or in runs. The `image` crate reads them as well, and brings
//! two crates of colour management that nothing here needs; tests compare with it.

use super::raster::Decode;
use super::{Encoding, Origin, eight_bit};
use crate::{ImageFault, ImportError};

/// Number of bytes of the header.
const HEADER: usize = 18;

/// Fields of the header that say what follows.
struct Header {
    id_length: usize,
    has_map: bool,
    /// Texels are indices into the colour map.
    mapped: bool,
    /// Texels are colours or indices of colours, not greys.
    color: bool,
    /// Texels are in runs.
    packed: bool,
    map_origin: usize,
    map_length: usize,
    map_bits: u8,
    width: u16,
    height: u16,
    bits: u8,
    flags: u8,
}

/// Kinds of a texel, or of an entry of the colour map.
#[derive(Clone, Copy)]
enum Texel {
    Grey,
    GreyAlpha,
    /// Five bits of each colour in two bytes. The sixteenth bit is no alpha: programs write there what they like.
    Five,
    Color,
    ColorAlpha,
}

impl Texel {
    /// Converts a texel, whose colours are blue first.
    fn rgba(self, bytes: &[u8]) -> [u8; 4] {
        match (self, bytes) {
            (Self::Grey, &[v]) => [v, v, v, 255],
            (Self::GreyAlpha, &[v, a]) => [v, v, v, a],
            (Self::Five, &[low, high]) => {
                let word = u16::from_le_bytes([low, high]);
                // The nearest of 255 steps to each of 31.
                let eight = |shift: u16| (((word >> shift & 31) * 255 + 15) / 31) as u8;
                [eight(10), eight(5), eight(0), 255]
            }
            (Self::Color, &[b, g, r]) => [r, g, b, 255],
            (Self::ColorAlpha, &[b, g, r, a]) => [r, g, b, a],
            _ => unreachable!("a texel has as many bytes as its kind"),
        }
    }
}

pub(super) fn decode(origin: &Origin, bytes: &[u8], encoding: Encoding) -> Decode {
    let cut = || origin.malformed(ImageFault::Cut { format: "TGA" });
    let (header, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
    let header = read_header(header);
    let kind = texel_kind(origin, &header)?;
    let (_, rest) = rest.split_at_checked(header.id_length).ok_or_else(cut)?;
    if header.has_map && !matches!(header.map_bits, 15 | 16 | 24 | 32) {
        return Err(origin.unsupported(ImageFault::TgaMapBits { bits: header.map_bits }));
    }
    let entry = if header.has_map { usize::from(header.map_bits.div_ceil(8)) } else { 0 };
    let (map, rest) = rest.split_at_checked(entry * header.map_length).ok_or_else(cut)?;

    let (width, height) = origin.check_size(header.width.into(), header.height.into(), bytes.len())?;
    let (width, height) = (width as usize, height as usize);
    let size = usize::from(header.bits.div_ceil(8));
    let unpacked;
    let data = if header.packed {
        unpacked = unpack(rest, size, width * height * size).ok_or_else(cut)?;
        &unpacked
    } else {
        rest.get(..width * height * size).ok_or_else(cut)?
    };
    let mapped = |texel: &[u8]| {
        let index = texel.iter().rev().fold(0, |index, &byte| index << 8 | usize::from(byte));
        let at = index.checked_sub(header.map_origin).map(|index| index * entry)?;
        map.get(at..at + entry).map(|entry| kind.rgba(entry))
    };
    let mut texels = Vec::with_capacity(width * height);
    for y in 0..height {
        let row = if header.flags & 1 << 5 == 0 { height - 1 - y } else { y };
        let row = data[row * width * size..(row + 1) * width * size].chunks_exact(size);
        let mut add = |texel| {
            let color = if header.mapped { mapped(texel) } else { Some(kind.rgba(texel)) };
            texels.push(color.ok_or_else(|| origin.malformed(ImageFault::TgaIndex))?);
            Ok::<(), ImportError>(())
        };
        if header.flags & 1 << 4 == 0 { row.clone().try_for_each(&mut add) } else { row.rev().try_for_each(&mut add) }?;
    }
    Ok((width as u32, height as u32, eight_bit(texels, encoding)))
}

fn read_header(bytes: &[u8; HEADER]) -> Header {
    let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let kind = bytes[2];
    Header {
        id_length: bytes[0].into(),
        has_map: bytes[1] == 1,
        mapped: matches!(kind, 1 | 9),
        color: matches!(kind, 1 | 2 | 9 | 10),
        packed: matches!(kind, 9..=11),
        map_origin: word(3).into(),
        map_length: word(5).into(),
        map_bits: bytes[7],
        width: word(12),
        height: word(14),
        bits: bytes[16],
        flags: bytes[17],
    }
}

/// Returns the kind of the texels, or of the colour map's entries where there is one.
fn texel_kind(origin: &Origin, header: &Header) -> Result<Texel, ImportError> {
    if header.mapped {
        if !header.has_map {
            return Err(origin.malformed(ImageFault::TgaWithoutMap));
        }
        if !matches!(header.bits, 8 | 16) {
            return Err(origin.malformed(ImageFault::TgaIndexBits));
        }
        if header.bits > header.map_bits {
            return Err(origin.unsupported(ImageFault::TgaLargeIndices));
        }
    }
    let bits = if header.mapped { header.map_bits } else { header.bits };
    let alpha = header.flags & 15;
    let others = bits.checked_sub(alpha).ok_or_else(|| origin.malformed(ImageFault::TgaAlphaBits))?;
    match (alpha, others, header.color) {
        (0, 32, true) | (8, 24, true) => Ok(Texel::ColorAlpha),
        (0, 24, true) => Ok(Texel::Color),
        (1, 15, true) | (0, 15 | 16, true) => Ok(Texel::Five),
        (8, 8, false) => Ok(Texel::GreyAlpha),
        (0, 8, false) | (8, 0, false) => Ok(Texel::Grey),
        _ => Err(origin.unsupported(ImageFault::TgaTexels { has_colors: header.color, bits, alpha })),
    }
}

/// Unpacks runs of texels of `size` bytes to `length` bytes, or nothing if the file ends before.
fn unpack(mut packed: &[u8], size: usize, length: usize) -> Option<Vec<u8>> {
    let mut data = Vec::with_capacity(length);
    while data.len() < length {
        let (&run, rest) = packed.split_first()?;
        let wanted = (usize::from(run & 0x7f) + 1) * size;
        let left = wanted.min(length - data.len());
        let taken = if run & 0x80 != 0 { size } else { left };
        let (texels, rest) = rest.split_at_checked(taken)?;
        data.extend(texels.iter().cycle().take(left));
        packed = rest;
    }
    Some(data)
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
