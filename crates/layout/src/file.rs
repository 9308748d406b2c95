//! Encodings in files: what [`save`] writes, [`load`] reads back bit for bit, or says why not.
//!
//! All numbers are little-endian. A header of 128 bytes, then the nodes, the slots, and a checksum:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `RAYWTREE` |
//! | 8..16 | format version; kind of tree |
//! | 16..24 | children of a node; bytes of a node record |
//! | 24..40 | number of triangles; their checksum |
//! | 40..64 | number of node records; of slots; stack depth |
//! | 64..88 | the tree's box |
//! | 88..120 | zero |
//! | 120..128 | checksum of the bytes before it |
//! | | node records, slots (4 bytes each), checksum of both |
//!
//! Triangles are not in it: a tree is loaded for the triangles that it was encoded with, and says so
//! if they are others. Checksums find accidents, not malice; but no input makes [`load`] panic or
//! allocate much more than the input's own size, and what it returns passed the tree's `validate`.

use crate::{INDEX_MASK, LayoutError, NON_OPAQUE};
use bytemuck::Pod;
use raywarp_geom::{Aabb, FlatTriangles};
use std::io::{self, Read, Write};

/// Version of the file format that [`save`] writes and [`load`] reads.
pub const FILE_VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"RAYWTREE";
const HEADER_BYTES: usize = 128;

/// Number of bytes that are read and allocated at a time, whatever size the header claims.
const PIECE_BYTES: usize = 1 << 16;

/// Errors of saving or loading an encoded tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeFileError {
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input is not a tree file: its first bytes are others.
    #[error("this is not a Raywarp tree: it does not begin with RAYWTREE")]
    NotATree,
    /// The file is of another version of the format.
    #[error("the tree is of format version {found}, but this Raywarp reads version {FILE_VERSION}; encode it again")]
    OtherVersion {
        /// Format version of the file.
        found: u32,
    },
    /// The file holds another kind of tree, or one with nodes of another size.
    #[error("the file holds a tree of kind {found}, not of kind {wanted} ({name})")]
    OtherKind {
        /// Number of the kind in the file.
        found: u32,
        /// Number of the kind that was asked for.
        wanted: u32,
        /// Name of the kind that was asked for.
        name: &'static str,
    },
    /// The tree was encoded for other triangles than those given.
    #[error("the tree is not over these triangles but over {found} others; encode it for these")]
    OtherTriangles {
        /// Number of triangles that the tree was encoded for.
        found: u64,
    },
    /// The input ends before the end of the tree.
    #[error("the tree ends at byte {at}, before its end; it was not written completely")]
    Truncated {
        /// Number of bytes that the input has.
        at: u64,
    },
    /// A checksum in the file does not match.
    #[error("the tree is damaged somewhere before byte {at}; encode it again")]
    Damaged {
        /// Position of the checksum in the input, in bytes.
        at: u64,
    },
    /// The tree breaks an invariant, although its checksum matches.
    #[error("the tree in the file is broken: {0}")]
    Broken(#[from] LayoutError),
    /// The machine is big-endian, which the file format does not support.
    #[error("trees can be saved and loaded on little-endian machines only")]
    BigEndian,
}

/// Data of a tree file, generic over borrowed arrays (when saving) and owned ones (when loading).
pub struct Contents<Records, Slots> {
    /// Number of children of a node.
    pub branching: usize,
    /// Records that make up the nodes.
    pub records: Records,
    /// Triangle index and flags of each triangle record.
    pub slots: Slots,
    /// Bounding box of the whole tree.
    pub bounds: Aabb,
    /// Number of stack entries that a traversal needs.
    pub stack_depth: usize,
    /// Additional number of some kinds of trees, such as the reach of [`crate::H8`]; 0 for others.
    pub extra: f32,
}

/// Contents of a tree to be saved, borrowed from it.
pub type Parts<'a, R> = Contents<&'a [R], &'a [u32]>;

/// Contents of a tree that was loaded.
pub type LoadedContents<R> = Contents<Vec<R>, Vec<u32>>;

/// Kind of tree that can be saved to and loaded from files. Not for other crates, since they could make trees that are
/// none.
pub trait Stored: Sized {
    /// Type of the records that make up its nodes.
    type Record: Pod;
    /// Number of the kind in the file header, which is never given to another kind.
    const KIND: u32;
    /// Name of the kind in error messages.
    const NAME: &'static str;

    /// Returns the tree's contents for saving.
    fn parts(&self) -> Parts<'_, Self::Record>;
    /// Makes the tree from loaded contents, and checks its invariants. Its slots fit `triangles`.
    fn from_loaded(loaded: LoadedContents<Self::Record>, triangles: &FlatTriangles) -> Result<Self, LayoutError>;
}

/// Returns an error unless the file's nodes have the number of children that the type has.
pub(crate) fn check_branching(found: usize, wanted: usize) -> Result<(), LayoutError> {
    if found == wanted { Ok(()) } else { Err(LayoutError::BadBranching { found }) }
}

/// Writes `tree`, which was encoded over `triangles`, to `out` in the file format. It is one of those in a
/// [`crate::EncodedTree`]. Equal trees give equal bytes. The caller buffers nothing.
///
/// # Errors
/// [`TreeFileError::Io`] if `out` cannot be written, [`TreeFileError::OtherTriangles`] if the tree cannot be
/// over `triangles`, [`TreeFileError::BigEndian`].
///
/// # Examples
/// ```
/// use raywarp_bvh::{BuildOptions, build};
/// use raywarp_layout::{Cwbvh8, encode_cwbvh8, load, save};
///
/// let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let triangles = raywarp_geom::FlatTriangles::from_vertices(vec![triangle; 20]);
/// let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() })?;
/// let tree = encode_cwbvh8(&bvh, &triangles)?;
/// let mut file = Vec::new();
/// save(&tree, &triangles, &mut file)?;
/// let loaded: Cwbvh8 = load(&mut &file[..], &triangles)?;
/// assert_eq!(loaded.nodes(), tree.nodes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save<T: Stored>(tree: &T, triangles: &FlatTriangles, out: &mut impl Write) -> Result<(), TreeFileError> {
    check_machine()?;
    let Parts { branching, records, slots, bounds, stack_depth, extra } = tree.parts();
    if !slots_fit(slots, triangles) {
        return Err(TreeFileError::OtherTriangles { found: slots.len() as u64 });
    }
    let header = Header {
        branching: branching as u32,
        triangle_count: triangles.len() as u64,
        triangle_checksum: triangle_checksum(triangles),
        record_count: records.len() as u64,
        slot_count: slots.len() as u64,
        stack_depth: stack_depth as u64,
        extra,
        bounds,
    };
    let (records, slots): (&[u8], &[u8]) = (bytemuck::cast_slice(records), bytemuck::cast_slice(slots));
    out.write_all(&header.to_bytes::<T>())?;
    out.write_all(records)?;
    out.write_all(slots)?;
    out.write_all(&Checksum::new().of(records).of(slots).0.to_le_bytes())?;
    Ok(())
}

/// Reads from `input` a tree that [`save`] wrote for the same `triangles`, and no byte after it.
///
/// # Errors
/// [`TreeFileError`]: `input` fails, ends early, or holds something else; the tree is of another kind or
/// version, over other triangles, or damaged.
pub fn load<T: Stored>(input: &mut impl Read, triangles: &FlatTriangles) -> Result<T, TreeFileError> {
    check_machine()?;
    let mut input = Input { input, at: 0 };
    let mut bytes = [0; HEADER_BYTES];
    input.read(&mut bytes[..MAGIC.len()])?;
    if bytes[..MAGIC.len()] != *MAGIC {
        return Err(TreeFileError::NotATree);
    }
    input.read(&mut bytes[MAGIC.len()..])?;
    let header = Header::from_bytes::<T>(&bytes)?;
    let same = header.triangle_count == triangles.len() as u64;
    if !same || header.triangle_checksum != triangle_checksum(triangles) {
        return Err(TreeFileError::OtherTriangles { found: header.triangle_count });
    }
    let mut checksum = Checksum::new();
    let records = input.read_records(header.record_count, &mut checksum)?;
    let slots: Vec<u32> = input.read_records(header.slot_count, &mut checksum)?;
    let at = input.at;
    let mut found = [0; 8];
    input.read(&mut found)?;
    // Slots are looked at too, since anyone can write a checksum.
    if u64::from_le_bytes(found) != checksum.0 || !slots_fit(&slots, triangles) {
        return Err(TreeFileError::Damaged { at });
    }
    let stack_depth = usize::try_from(header.stack_depth).unwrap_or(usize::MAX);
    let (branching, bounds) = (header.branching as usize, header.bounds);
    let extra = header.extra;
    Ok(T::from_loaded(Contents { branching, records, slots, bounds, stack_depth, extra }, triangles)?)
}

fn check_machine() -> Result<(), TreeFileError> {
    if cfg!(target_endian = "big") { Err(TreeFileError::BigEndian) } else { Ok(()) }
}

/// Returns `true` if every slot names an existing triangle and has the right flag for its opacity.
fn slots_fit(slots: &[u32], triangles: &FlatTriangles) -> bool {
    slots.iter().all(|slot| {
        let opaque = triangles.opaque.get((slot & INDEX_MASK) as usize);
        opaque.is_some_and(|&opaque| slot & !INDEX_MASK == if opaque { 0 } else { NON_OPAQUE })
    })
}

fn triangle_checksum(triangles: &FlatTriangles) -> u64 {
    let vertices: &[f32] = triangles.vertices.as_flattened().as_flattened();
    Checksum::new().of(bytemuck::cast_slice(vertices)).of(bytemuck::cast_slice(&triangles.opaque)).0
}

/// Fields of the file header that are not known from the type of tree.
struct Header {
    branching: u32,
    triangle_count: u64,
    triangle_checksum: u64,
    record_count: u64,
    slot_count: u64,
    stack_depth: u64,
    bounds: Aabb,
    extra: f32,
}

impl Header {
    fn to_bytes<T: Stored>(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(MAGIC);
        for word in [FILE_VERSION, T::KIND, self.branching, size_of::<T::Record>() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        let counts = [self.record_count, self.slot_count, self.stack_depth];
        for word in [self.triangle_count, self.triangle_checksum].into_iter().chain(counts) {
            bytes.extend(word.to_le_bytes());
        }
        for x in self.bounds.min.iter().chain(&self.bounds.max).chain([&self.extra]) {
            bytes.extend(x.to_le_bytes());
        }
        bytes.resize(HEADER_BYTES - 8, 0);
        let checksum = Checksum::new().of(&bytes);
        bytes.extend(checksum.0.to_le_bytes());
        std::array::from_fn(|i| bytes[i])
    }

    fn from_bytes<T: Stored>(bytes: &[u8; HEADER_BYTES]) -> Result<Self, TreeFileError> {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        // Before the checksum, which another version may have elsewhere.
        if word(8) != FILE_VERSION {
            return Err(TreeFileError::OtherVersion { found: word(8) });
        }
        let at = HEADER_BYTES - 8;
        if long(at) != Checksum::new().of(&bytes[..at]).0 {
            return Err(TreeFileError::Damaged { at: at as u64 });
        }
        if word(12) != T::KIND || word(20) != size_of::<T::Record>() as u32 {
            return Err(TreeFileError::OtherKind { found: word(12), wanted: T::KIND, name: T::NAME });
        }
        let corner = |at: usize| std::array::from_fn(|i| f32::from_bits(word(at + 4 * i)));
        Ok(Self {
            branching: word(16),
            triangle_count: long(24),
            triangle_checksum: long(32),
            record_count: long(40),
            slot_count: long(48),
            stack_depth: long(56),
            bounds: Aabb { min: corner(64), max: corner(76) },
            extra: f32::from_bits(word(88)),
        })
    }
}

/// Input stream with the number of bytes read so far.
struct Input<'a, R> {
    input: &'a mut R,
    at: u64,
}

impl<R: Read> Input<'_, R> {
    fn read(&mut self, mut bytes: &mut [u8]) -> Result<(), TreeFileError> {
        while !bytes.is_empty() {
            match self.input.read(bytes) {
                Ok(0) => return Err(TreeFileError::Truncated { at: self.at }),
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

    /// Reads `count` records piece by piece, so that a wrong count exhausts the input and not the memory.
    fn read_records<P: Pod>(&mut self, count: u64, checksum: &mut Checksum) -> Result<Vec<P>, TreeFileError> {
        // Pieces of whole words, as the checksum wants them: records are multiples of 4 bytes.
        let piece = (PIECE_BYTES / size_of::<P>()).next_multiple_of(2);
        let mut records: Vec<P> = Vec::new();
        while (records.len() as u64) < count {
            let left = count - records.len() as u64;
            let first = records.len();
            records.resize(first + piece.min(usize::try_from(left).unwrap_or(piece)), P::zeroed());
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut records[first..]);
            self.read(bytes)?;
            *checksum = checksum.of(bytes);
        }
        Ok(records)
    }
}

/// Running 64-bit checksum of bytes. Each step is a bijection of the state and of the word that it takes, so that a
/// change within any one word is always seen.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Checksum(u64);

impl Checksum {
    fn new() -> Self {
        Self(0x243f_6a88_85a3_08d3)
    }

    /// Returns the checksum extended by `bytes`, which are padded with zeros to whole words of 8.
    fn of(self, bytes: &[u8]) -> Self {
        let step = |state: u64, word: [u8; 8]| {
            let mixed = (state ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 32
        };
        let (words, rest) = bytes.as_chunks::<8>();
        let mut state = words.iter().fold(self.0, |state, &word| step(state, word));
        if !rest.is_empty() {
            state = step(state, std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0)));
        }
        Self(state)
    }
}
