//! Scenes from bytes.

use super::checksum::Checksum;
use super::error::ensure;
use super::{FORMAT_VERSION, HEADER_BYTES, MAGIC, SceneFileError};
use super::{parts, whole};
use crate::query::scene::Scene;
use raywarp_layout::{Line, TriangleBlock, Wide8Node, reserve_lines};
use std::collections::TryReserveError;
use std::io::{self, Read};

/// Number of bytes that are read at a time: a core's second-level cache holds them while they are summed and copied.
const PIECE_BYTES: usize = 1 << 18;

/// Number of bytes for which room may be made before any has come.
const FIRST_BYTES: usize = 32 << 20;

/// Input with the number of bytes read so far, and the number that it has, if that is known.
struct Input<'a, R> {
    input: &'a mut R,
    at: u64,
    length: Option<u64>,
}

/// Reads a scene; returns also how many bytes it took. `length` is that of the input, if it is known.
pub(super) fn read<R: Read>(input: &mut R, length: Option<u64>) -> Result<(Scene, u64), SceneFileError> {
    if cfg!(target_endian = "big") {
        return Err(SceneFileError::BigEndian);
    }
    let mut input = Input { input, at: 0, length };
    let mut header = [0; HEADER_BYTES];
    let (magic, rest) = header.split_at_mut(MAGIC.len());
    // What is shorter than the magic is not a scene either.
    if !matches!(input.fill(magic), Ok(()) | Err(SceneFileError::Truncated { .. })) || magic != MAGIC {
        return Err(SceneFileError::NotAScene);
    }
    let (version, rest) = rest.split_at_mut(4);
    input.fill(version)?;
    let found = u32::from_le_bytes([version[0], version[1], version[2], version[3]]);
    if found != FORMAT_VERSION {
        return Err(SceneFileError::OtherVersion { found });
    }
    input.fill(rest)?;
    let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
    let (told_bytes, tree_bytes, reserved) = (long(16), long(24), &header[12..16]);
    let mut checksum = Checksum::new();
    checksum.add(&header);
    let mut told: Vec<u8> = Vec::new();
    let more = |told: &mut Vec<u8>, more| told.try_reserve_exact(more);
    input.pieces(told_bytes, (&mut told, more), &mut [0; PIECE_BYTES / 16], |piece| checksum.add(piece))?;
    input.check(checksum)?;
    ensure(reserved == [0; 4], "what is not used is not zero")?;

    let told = parts::told(&told)?;
    let mut checksum = Checksum::new();
    let mut trees = Vec::new();
    let mut piece: Vec<Line> = bytemuck::zeroed_vec(PIECE_BYTES / size_of::<Line>());
    let mut left = tree_bytes;
    for tree in &told.trees {
        let lines = lines_of(tree.counts).filter(|lines| lines * size_of::<Line>() as u64 <= left);
        ensure(lines.is_some(), "its trees are longer than their memory")?;
        let (mut memory, lines) = (Vec::new(), lines.unwrap_or(0));
        left -= lines * size_of::<Line>() as u64;
        let sum = |piece: &[Line]| checksum.add(bytemuck::cast_slice(piece));
        input.pieces(lines, (&mut memory, reserve_lines), &mut piece, sum)?;
        trees.push(memory);
    }
    ensure(left == 0, "its trees are shorter than their memory")?;
    input.check(checksum)?;
    Ok((whole::scene(told, trees)?, input.at))
}

/// Returns the number of lines of a tree with these numbers of nodes and blocks.
fn lines_of([nodes, blocks]: [usize; 2]) -> Option<u64> {
    let nodes = (nodes as u64).checked_mul(size_of::<Wide8Node>() as u64)?;
    let blocks = (blocks as u64).checked_mul(size_of::<TriangleBlock>() as u64)?;
    Some(nodes.checked_add(blocks)?.div_ceil(size_of::<Line>() as u64))
}

impl<R: Read> Input<'_, R> {
    /// Fills a slice.
    fn fill(&mut self, mut bytes: &mut [u8]) -> Result<(), SceneFileError> {
        while !bytes.is_empty() {
            match self.input.read(bytes) {
                Ok(0) => return Err(SceneFileError::Truncated { at: self.at }),
                Ok(count) => {
                    self.at += count as u64;
                    bytes = &mut bytes[count..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads `count` things, piece by piece, and has `take` take each piece. What is told of their number is not
    /// trusted with memory: there is room for as much as the input is long, or for four times what has come.
    fn pieces<T: bytemuck::Pod>(
        &mut self,
        count: u64,
        (all, reserve): (&mut Vec<T>, impl Fn(&mut Vec<T>, usize) -> Result<(), TryReserveError>),
        piece: &mut [T],
        mut take: impl FnMut(&[T]),
    ) -> Result<(), SceneFileError> {
        let each = size_of::<T>() as u64;
        let is_there = |length: u64| count.checked_mul(each).is_some_and(|bytes| bytes <= length - self.at.min(length));
        if let Some(at) = self.length.filter(|&length| !is_there(length)) {
            return Err(SceneFileError::Truncated { at });
        }
        let mut left = count;
        while left > 0 {
            let now = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
            if all.capacity() - all.len() < now {
                let most = usize::try_from(left).unwrap_or(usize::MAX);
                let more = if self.length.is_some() {
                    most
                } else {
                    most.min((3 * all.len()).max(FIRST_BYTES / each as usize))
                };
                reserve(all, more.max(now)).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            }
            let piece = &mut piece[..now];
            self.fill(bytemuck::cast_slice_mut(piece))?;
            take(piece);
            all.extend_from_slice(piece);
            left -= now as u64;
        }
        Ok(())
    }

    /// Reads a checksum, and compares it with that of what was read.
    fn check(&mut self, checksum: Checksum) -> Result<(), SceneFileError> {
        let (at, mut found) = (self.at, [0; 8]);
        self.fill(&mut found)?;
        // A fuzzer does not find checksums, and is to get past them.
        if u64::from_le_bytes(found) == checksum.value() || cfg!(feature = "fuzz") {
            Ok(())
        } else {
            Err(SceneFileError::Damaged { at })
        }
    }
}
