//! Radiance HDR images (RGBE): eight bits a channel with one exponent a texel. The `image` crate reads them as well,
//! and brings two crates of colour management that nothing here needs; tests compare with it.

use super::Origin;
use super::raster::Decode;
use crate::each::Each;
use crate::{ImageFault, ImportError, Pixels};

/// Decodes what is linear whatever the use. Files of other tools begin with `#?RGBE` and the like.
pub(super) fn decode(origin: &Origin, bytes: &[u8]) -> Decode {
    let mut left = bytes;
    loop {
        let line = line(&mut left).ok_or_else(|| origin.malformed(ImageFault::HdrHeader))?;
        if line.is_empty() {
            break;
        }
        let line = String::from_utf8_lossy(line);
        match line.split_once('=') {
            Some((key, format))
                if key.trim() == "FORMAT" && !format.is_empty() && format.trim() != "32-bit_rle_rgbe" =>
            {
                return Err(origin.unsupported(ImageFault::HdrColors { name: format.trim().into() }));
            }
            _ => {}
        }
    }
    let line = line(&mut left).ok_or_else(|| origin.malformed(ImageFault::HdrWithoutSize))?;
    let (width, height) = size(origin, &String::from_utf8_lossy(line))?;
    let (width, height) = origin.check_size(width.into(), height.into(), bytes.len())?;

    let mut texels = Vec::with_capacity(width as usize * height as usize);
    let mut row = vec![[0; 4]; width as usize];
    for _ in 0..height {
        read_row(&mut left, &mut row).map_err(|fault| origin.malformed(fault))?;
        texels.extend(row.iter().copied().map(linear));
    }
    Ok((width, height, Pixels::Float(texels)))
}

/// Takes a line from the text, without its end; nothing if there is no text left.
fn line<'a>(text: &mut &'a [u8]) -> Option<&'a [u8]> {
    if text.is_empty() {
        return None;
    }
    let end = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
    let line = &text[..end];
    *text = text.get(end + 1..).unwrap_or_default();
    Some(line)
}

/// Reads the line of the size, `-Y 480 +X 640`: width and height. Rows from elsewhere than the top are not read.
fn size(origin: &Origin, line: &str) -> Result<(u32, u32), ImportError> {
    let broken = || origin.malformed(ImageFault::HdrSize { line: line.into() });
    let mut words = line.split_whitespace();
    let mut next = || words.next().ok_or_else(broken);
    let (first, height, second, width) = (next()?, next()?, next()?, next()?);
    if (first, second) != ("-Y", "+X") {
        return Err(origin.unsupported(ImageFault::HdrOrder { first: first.into(), second: second.into() }));
    }
    Ok((width.parse().map_err(|_| broken())?, height.parse().map_err(|_| broken())?))
}

/// Takes the first `count` bytes.
fn take<'a>(left: &mut &'a [u8], count: usize) -> Result<&'a [u8], ImageFault> {
    let (taken, rest) = left.split_at_checked(count).ok_or(ImageFault::Cut { format: "HDR" })?;
    *left = rest;
    Ok(taken)
}

fn take_texel(left: &mut &[u8]) -> Result<[u8; 4], ImageFault> {
    take(left, 4).map(|bytes| [bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Reads a row, packed in either way. Its first bytes tell: a texel that is no number begins one that is packed channel
/// by channel.
fn read_row(left: &mut &[u8], row: &mut [[u8; 4]]) -> Result<(), ImageFault> {
    let first = take_texel(left)?;
    if first[0] == 2 && first[1] == 2 && first[2] < 128 {
        return (0..4).try_for_each(|channel| read_channel(left, row, channel));
    }
    read_old_row(left, first, row)
}

fn read_channel(left: &mut &[u8], row: &mut [[u8; 4]], channel: usize) -> Result<(), ImageFault> {
    let mut x = 0;
    while x < row.len() {
        let count = usize::from(take(left, 1)?[0]);
        let (count, is_run) = if count > 128 { (count - 128, true) } else { (count, false) };
        let to = row.get_mut(x..x + count).ok_or(ImageFault::HdrLongRow)?;
        let from = take(left, if is_run { 1 } else { count })?;
        for (texel, &byte) in to.iter_mut().zip(from.iter().cycle()) {
            texel[channel] = byte;
        }
        x += count;
    }
    Ok(())
}

/// Reads a row in which the texel (1, 1, 1, n) repeats the one before n times, and the next such one 256 n times.
fn read_old_row(left: &mut &[u8], first: [u8; 4], row: &mut [[u8; 4]]) -> Result<(), ImageFault> {
    let is_run = |texel: [u8; 4]| texel[..3] == [1; 3];
    if is_run(first) {
        return Err(ImageFault::HdrRun);
    }
    row[0] = first;
    let (mut x, mut unit, mut last) = (1, 1_usize, first);
    while x < row.len() {
        let texel = take_texel(left)?;
        if is_run(texel) {
            let count = usize::from(texel[3]).saturating_mul(unit);
            unit = unit.saturating_mul(256);
            row.get_mut(x..x.saturating_add(count)).ok_or(ImageFault::HdrLongRow)?.fill(last);
            x += count;
        } else {
            (unit, last, row[x]) = (1, texel, texel);
            x += 1;
        }
    }
    Ok(())
}

/// Returns the colour: the channels times 2 to the power of the exponent - 136, or 0 where that is 0.
fn linear([r, g, b, e]: [u8; 4]) -> [f32; 4] {
    // The smallest exponent is below those of normal numbers.
    let power = f32::from_bits(if e > 1 { u32::from(e - 1) << 23 } else { u32::from(e) << 22 });
    let [r, g, b] = [r, g, b].each(|c| power / 256.0 * f32::from(c));
    [r, g, b, 1.0]
}
