//! Scenes from bytes.

use super::checksum::Checksum;
use super::error::ensure;
use super::{FORMAT_VERSION, HEADER_BYTES, MAGIC, PIECE_BYTES, SceneFileError};
use super::{parts, whole};
use crate::query::scene::Scene;
use raywarp_layout::{Line, TriangleBlock, Wide8Node, reserve_lines};
use std::collections::TryReserveError;
use std::fs::File;
use std::io::{self, Read};

/// Number of bytes for which room may be made before any has come.
const FIRST_BYTES: usize = 32 << 20;

/// Input with the number of bytes read so far, and the number that it has, if that is known.
struct Input<'a, R> {
    input: &'a mut R,
    at: u64,
    length: Option<u64>,
}

/// Reads a scene from a file, of which threads read pieces where the system can; returns also how many bytes it took.
/// `length` is that of the file, if it has one.
pub(super) fn read_file(file: &mut File, length: Option<u64>) -> Result<(Scene, u64), SceneFileError> {
    match length {
        Some(_) => scene(file, length, &read_at),
        None => read(file, None),
    }
}

/// Reads a scene; returns also how many bytes it took. `length` is that of the input, if it is known.
pub(super) fn read<R: Read>(input: &mut R, length: Option<u64>) -> Result<(Scene, u64), SceneFileError> {
    scene(input, length, &|_, _| Ok(None))
}

/// Reads as many lines as threads are worth of an input, from where it is; returns them and the checksums of their
/// pieces, or `None` if it does not.
type ReadLines<R> = dyn Fn(&mut Input<'_, R>, u64) -> Result<Option<Summed>, SceneFileError>;

/// Lines, and the checksums of their pieces.
type Summed = (Vec<Line>, Vec<u64>);

fn scene<R: Read>(
    input: &mut R,
    length: Option<u64>,
    read_lines: &ReadLines<R>,
) -> Result<(Scene, u64), SceneFileError> {
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
    input.pieces(told_bytes, (&mut told, more), &mut [0; PIECE_BYTES / 4], |piece| checksum.add(piece))?;
    input.check(checksum.value())?;
    ensure(reserved == [0; 4], "what is not used is not zero")?;

    let told = parts::told(&told)?;
    let (mut trees, mut sums) = (Vec::new(), Vec::new());
    let mut piece: Vec<Line> = bytemuck::zeroed_vec(PIECE);
    let mut left = tree_bytes;
    for tree in &told.trees {
        let lines = lines_of(tree.counts).filter(|lines| lines * size_of::<Line>() as u64 <= left);
        ensure(lines.is_some(), "its trees are longer than their memory")?;
        let (mut memory, lines) = (Vec::new(), lines.unwrap_or(0));
        left -= lines * size_of::<Line>() as u64;
        if let Some((memory, of_pieces)) = read_lines(&mut input, lines)? {
            trees.push(memory);
            sums.extend(of_pieces);
            continue;
        }
        let sum = |piece: &[Line]| sums.push(Checksum::of(bytemuck::cast_slice(piece)));
        input.pieces(lines, (&mut memory, reserve_lines), &mut piece, sum)?;
        trees.push(memory);
    }
    ensure(left == 0, "its trees are shorter than their memory")?;
    input.check(Checksum::of(bytemuck::cast_slice(&sums)))?;
    Ok((whole::scene(told, trees)?, input.at))
}

/// Number of lines of a piece.
const PIECE: usize = PIECE_BYTES / size_of::<Line>();

/// Number of pieces from which on threads read them.
#[cfg(unix)]
const WORTH_THREADS: usize = 8;

/// Reads lines by several threads, each a piece at a time: memory is touched when a piece is there.
#[cfg(unix)]
fn read_at(input: &mut Input<'_, File>, lines: u64) -> Result<Option<Summed>, SceneFileError> {
    use bytemuck::Zeroable;
    use rayon::prelude::*;
    use std::io::{Seek, SeekFrom};
    use std::os::unix::fs::FileExt;
    use std::sync::OnceLock;

    if lines < (WORTH_THREADS * PIECE) as u64 {
        return Ok(None);
    }
    input.ensure_there(lines, size_of::<Line>())?;
    let full = || io::Error::from(io::ErrorKind::OutOfMemory);
    let count = usize::try_from(lines).map_err(|_| full())?;
    let (file, start, failed) = (&*input.input, input.at, OnceLock::new());
    let read = |index: usize, piece: &mut [Line], sum: &mut u64| {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(piece);
        match file.read_exact_at(bytes, start + (index * PIECE_BYTES) as u64) {
            Ok(()) => *sum = Checksum::of(bytes),
            Err(error) => _ = failed.set(error),
        }
    };
    let mut pieces: Vec<[Line; PIECE]> = Vec::new();
    reserve_lines(&mut pieces, count.div_ceil(PIECE)).map_err(|_| full())?;
    let mut sums = vec![0; count.div_ceil(PIECE)];
    let (whole, last) = sums.split_at_mut(count / PIECE);
    pieces.par_extend(whole.par_iter_mut().enumerate().map(|(index, sum)| {
        let mut piece = [Line::zeroed(); PIECE];
        read(index, &mut piece, sum);
        piece
    }));
    let mut memory = pieces.into_flattened();
    if let [sum] = last {
        memory.resize(count, Line::zeroed());
        read(count / PIECE, &mut memory[count / PIECE * PIECE..], sum);
    }
    match failed.into_inner() {
        // It has become shorter since.
        Some(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(SceneFileError::Truncated { at: start });
        }
        Some(error) => return Err(error.into()),
        None => {}
    }
    input.at += (count * size_of::<Line>()) as u64;
    input.input.seek(SeekFrom::Start(input.at))?;
    Ok(Some((memory, sums)))
}

#[cfg(not(unix))]
fn read_at(_: &mut Input<'_, File>, _: u64) -> Result<Option<Summed>, SceneFileError> {
    Ok(None)
}

/// Returns the number of lines of a tree with these numbers of nodes and blocks.
pub(super) fn lines_of([nodes, blocks]: [usize; 2]) -> Option<u64> {
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

    /// Checks that `count` things of `each` bytes are still to come, if the length is known.
    fn ensure_there(&self, count: u64, each: usize) -> Result<(), SceneFileError> {
        let is_there =
            |length: u64| count.checked_mul(each as u64).is_some_and(|bytes| bytes <= length - self.at.min(length));
        match self.length.filter(|&length| !is_there(length)) {
            Some(at) => Err(SceneFileError::Truncated { at }),
            None => Ok(()),
        }
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
        self.ensure_there(count, size_of::<T>())?;
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
    fn check(&mut self, checksum: u64) -> Result<(), SceneFileError> {
        let (at, mut found) = (self.at, [0; 8]);
        self.fill(&mut found)?;
        // A fuzzer does not find checksums, and is to get past them.
        if u64::from_le_bytes(found) == checksum || cfg!(feature = "fuzz") {
            Ok(())
        } else {
            Err(SceneFileError::Damaged { at })
        }
    }
}
