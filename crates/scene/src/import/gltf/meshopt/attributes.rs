//! Mode 0 of meshopt: elements of 4 to 256 bytes, stored as deltas byte by byte in blocks.

use super::Stream;
use crate::MeshoptFault;

/// Number of elements whose deltas have the same number of bits.
const GROUP: usize = 16;

/// Decodes vertex data of meshopt compression: `count` elements of `stride` bytes.
pub fn decode(source: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptFault> {
    let (&header, rest) = source.split_first().ok_or(MeshoptFault::Empty)?;
    let version = match header {
        0xa0 => 0,
        0xa1 => 1,
        header => return Err(MeshoptFault::AttributeHeader { header }),
    };
    // The tail: padding, the element before the first, and in version 1 how each channel is coded.
    let (used, padded) =
        if version == 0 { (stride, stride.max(32)) } else { (stride * 5 / 4, (stride * 5 / 4).max(24)) };
    let body = rest.len().checked_sub(padded).ok_or(MeshoptFault::NoTail)?;
    let (body, tail) = rest.split_at(body);
    let tail = &tail[padded - used..];
    let (mut previous, channels) = (tail[..stride].to_vec(), &tail[stride..]);

    let mut stream = Stream(body);
    let mut out = vec![0; count * stride];
    let block_elements = ((8192 / stride) & !(GROUP - 1)).min(256);
    let mut deltas = vec![0; 4 * block_elements];
    for block in out.chunks_mut(block_elements * stride) {
        let n = block.len() / stride;
        let control = if version == 0 { &[][..] } else { stream.take(stride / 4)? };
        for channel in 0..stride / 4 {
            for byte in 0..4 {
                let plane = &mut deltas[byte * block_elements..][..block_elements];
                match control.get(channel).map(|c| c >> (2 * byte) & 3) {
                    None => plane_groups(&mut stream, plane, n, [0, 2, 4, 8])?,
                    Some(0) => plane_groups(&mut stream, plane, n, [0, 1, 2, 4])?,
                    Some(1) => plane_groups(&mut stream, plane, n, [1, 2, 4, 8])?,
                    Some(2) => plane[..n].fill(0),
                    Some(_) => plane[..n].copy_from_slice(stream.take(n)?),
                }
            }
            let mode = channels.get(channel).copied().unwrap_or(0);
            integrate(block, &mut previous, &deltas, block_elements, stride, 4 * channel, mode)?;
        }
    }
    stream.finish()?;
    Ok(out)
}

/// Decodes the deltas of one byte position of `n` elements; `widths` are the numbers of bits for the header codes 0 to
/// 3.
fn plane_groups(stream: &mut Stream, plane: &mut [u8], n: usize, widths: [u32; 4]) -> Result<(), MeshoptFault> {
    let groups = n.div_ceil(GROUP);
    let header = stream.take(groups.div_ceil(4))?;
    for (i, group) in plane.chunks_mut(GROUP).take(groups).enumerate() {
        match widths[(header[i / 4] >> (2 * (i % 4)) & 3) as usize] {
            0 => group.fill(0),
            8 => group.copy_from_slice(stream.take(GROUP)?),
            bits => {
                let packed = stream.take(GROUP * bits as usize / 8)?;
                let sentinel = (1_u8 << bits) - 1;
                let per_byte = 8 / bits as usize;
                for (j, delta) in group.iter_mut().enumerate() {
                    // The first delta is in the high bits, but for single bits in the low one.
                    let slot = (j % per_byte) as u32;
                    let shift = if bits == 1 { slot } else { 8 - bits * (slot + 1) };
                    let value = packed[j / per_byte] >> shift & sentinel;
                    *delta = if value == sentinel { stream.byte()? } else { value };
                }
            }
        }
    }
    Ok(())
}

/// Turns deltas into values by summation, for the four bytes of each element from byte `plane` on.
fn integrate(
    block: &mut [u8],
    previous: &mut [u8],
    deltas: &[u8],
    plane: usize,
    stride: usize,
    first: usize,
    mode: u8,
) -> Result<(), MeshoptFault> {
    let mut last = [0; 4];
    last.copy_from_slice(&previous[first..first + 4]);
    for (i, element) in block.chunks_exact_mut(stride).enumerate() {
        let delta: [u8; 4] = std::array::from_fn(|byte| deltas[byte * plane + i]);
        last = match (mode & 15, mode >> 4) {
            (0, 0) => std::array::from_fn(|b| last[b].wrapping_add(unzigzag(u32::from(delta[b])) as u8)),
            (1, 0) => {
                let half = |at: usize, of: [u8; 4]| u16::from_le_bytes([of[at], of[at + 1]]);
                let add = |at| half(at, last).wrapping_add(unzigzag(u32::from(half(at, delta))) as u16).to_le_bytes();
                let [[a, b], [c, d]] = [add(0), add(2)];
                [a, b, c, d]
            }
            // The mode's high bits say how far the encoder rotated right.
            (2, turn) => (u32::from_le_bytes(delta).rotate_left((32 - u32::from(turn)) & 31)
                ^ u32::from_le_bytes(last))
            .to_le_bytes(),
            _ => return Err(MeshoptFault::ChannelMode { mode }),
        };
        element[first..first + 4].copy_from_slice(&last);
    }
    previous[first..first + 4].copy_from_slice(&last);
    Ok(())
}

/// Decodes a zigzag integer: 0, 1, 2, 3, 4 ... give 0, -1, 1, -2, 2 ...; the low bits are right for narrower integers,
/// too.
fn unzigzag(v: u32) -> u32 {
    if v & 1 == 1 { !(v >> 1) } else { v >> 1 }
}
