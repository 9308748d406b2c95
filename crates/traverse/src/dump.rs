//! The operations that each ray needs, written down once (AL09 2.1), two bits an operation.
//!
//! A ray's dump is what one lane by itself does with it: visits, tests and pops in order. Two kinds of events ride on
//! the operation before them as [`Code::Mark`]s: a pushed child on a visit, and on a test what a hit needs: one mark
//! when it was taken; where the rows of a record are fetched one by one, a mark a row more.

use crate::kernel::{Batch, Kernel, KernelError, NoDumpReason};
use crate::probe::{Probe, WarpEvent};
use rayon::prelude::*;
use raywarp_family::{Block, Key, Query, Supply, TraversalLoop, Variant};
use raywarp_geom::{HitKey, Ray};

/// Number of rays whose operations are written down together, in one chunk.
pub(crate) const CHUNK: usize = 1 << 12;

/// Largest number of operations in a chunk: positions in it are 32-bit numbers.
const MAX_CODES: usize = u32::MAX as usize;

/// One operation of a ray in a dump, in two bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The ray visits a node.
    Visit,
    /// The ray tests a triangle.
    Test,
    /// After a visit: the ray pushes a child. After a test: go on with the record's next row; last of all, take the
    /// hit.
    Mark,
    /// The ray takes the next entry from its stack: after a visit that hit nothing, or the last test of a leaf. A ray
    /// that ends otherwise is blocked.
    Pop,
}

impl Code {
    pub(crate) const ALL: [Self; 4] = [Self::Visit, Self::Test, Self::Mark, Self::Pop];
}

/// The operation codes of consecutive rays, one ray's after the other's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chunk {
    /// Operation codes, 32 in each word, the first in the lowest bits.
    words: Vec<u64>,
    /// Number of operation codes written so far.
    len: usize,
    /// Position at which the codes of each ray end.
    ends: Vec<u32>,
}

impl Chunk {
    fn push(&mut self, code: Code) {
        let bit = self.len % 32 * 2;
        if bit == 0 {
            self.words.push(0);
        }
        if let Some(last) = self.words.last_mut() {
            *last |= (code as u64) << bit;
        }
        self.len += 1;
    }

    #[inline]
    pub fn code(&self, at: u32) -> Code {
        Code::ALL[(self.words[at as usize / 32] >> (at % 32 * 2) & 3) as usize]
    }

    /// Returns the 32 operation codes from position `at` on, the first in the lowest bits, with zeros after the last.
    #[inline]
    pub fn codes(&self, at: u32) -> Codes {
        let (word, bit) = (at as usize / 32, at % 32 * 2);
        let [first, second] = [word, word + 1].map(|word| self.words.get(word).copied().unwrap_or(0));
        // Shifted twice: not by 64 bits where all are in the first.
        Codes(first >> bit | second << 1 << (63 - bit))
    }

    /// Returns the range of positions of a ray's operation codes.
    pub fn range(&self, ray: usize) -> std::ops::Range<u32> {
        let first = if ray == 0 { 0 } else { self.ends[ray - 1] };
        first..self.ends[ray]
    }
}

/// A window of operation codes: as many as one word holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Codes(u64);

impl Codes {
    /// Number of operation codes in the window.
    pub const COUNT: u32 = 32;

    /// Returns the number of marks with which the window begins, at most [`Codes::COUNT`].
    #[inline]
    pub fn marks(self) -> u32 {
        let differs = self.0 ^ (Code::Mark as u64 * LOW_BITS);
        ((differs | differs >> 1) & LOW_BITS).trailing_zeros() / 2
    }

    /// Returns the number of tests and marks with which the window begins, at most [`Codes::COUNT`], and how many of
    /// the first `limit` of them are tests.
    #[inline]
    pub fn leaf(self, limit: u32) -> (u32, u32) {
        // Only tests and marks have two different bits, and tests have the lower one.
        let length = (!(self.0 ^ self.0 >> 1) & LOW_BITS).trailing_zeros() / 2;
        let first = u64::MAX.checked_shr(64 - 2 * length.min(limit)).unwrap_or(0);
        (length, (self.0 & !(self.0 >> 1) & LOW_BITS & first).count_ones())
    }
}

impl Probe for Chunk {
    fn touches(&self) -> bool {
        false
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        let code = match event.block {
            Block::VisitNode => Code::Visit,
            Block::TestTriangle | Block::TestTriangleT => Code::Test,
            Block::VisitNodePush | Block::TestTriangleU | Block::TestTriangleV | Block::TestTriangleAccept => {
                Code::Mark
            }
            Block::Pop => Code::Pop,
            Block::StoreHit => return self.ends.push(self.len.min(MAX_CODES) as u32),
            _ => return,
        };
        self.push(code);
    }
}

/// Dump of the operations that each ray of a batch does in one tree, whatever other rays do; a
/// [`Replay`](crate::Replay) runs them again.
#[derive(Debug, Clone)]
pub struct RayDump {
    /// Kind of tree walk that was dumped ([`RayDump::walk_of`]); `None` where no ray does anything.
    pub(crate) walk: Option<Variant>,
    pub(crate) query: Query,
    pub(crate) stack_depth: usize,
    pub(crate) chunks: Vec<Chunk>,
    ray_count: usize,
}

impl RayDump {
    /// Traces each ray of a batch by itself through the tree of `kernel`, in parallel, and writes down its operations.
    /// `after` as in [`Batch::after`].
    ///
    /// The loop and the supply of the kernel's variant do not matter: each ray is traced by one lane.
    ///
    /// # Errors
    /// [`KernelError::NoDump`] for trees whose lanes share a ray or whose leaves come in groups, and for rays with more
    /// operations than can be numbered; [`KernelError::TooManyRays`].
    /// # Panics
    /// If `after` is neither empty nor as long as the rays.
    pub fn record(kernel: &Kernel, rays: &[Ray], after: &[HitKey], query: Query) -> Result<Self, KernelError> {
        assert!(after.is_empty() || after.len() == rays.len(), "one key a ray, or none");
        let walk = Self::walk_of(kernel.variant())?;
        if kernel.has_levels() {
            return Err(KernelError::NoDump { variant: *kernel.variant(), why: NoDumpReason::TwoLevels });
        }
        if rays.len() >= u32::MAX as usize {
            return Err(KernelError::TooManyRays { found: rays.len() });
        }
        let chunk = |(i, rays): (usize, &[Ray])| {
            let after = if after.is_empty() { &[][..] } else { &after[i * CHUNK..][..rays.len()] };
            let mut chunk = Chunk::default();
            kernel.run_each(&Batch { rays, after, query, resident: 1 }, &mut chunk);
            chunk
        };
        let chunks: Vec<Chunk> = rays.par_chunks(CHUNK).enumerate().map(chunk).collect();
        if chunks.iter().any(|chunk| chunk.len > MAX_CODES) {
            let why = NoDumpReason::ManyOperations;
            return Err(KernelError::NoDump { variant: *kernel.variant(), why });
        }
        Ok(Self { walk: Some(walk), query, stack_depth: kernel.stack_depth(), chunks, ray_count: rays.len() })
    }

    /// Makes a dump of `ray_count` rays without any operations, as in an empty scene. Any variant can replay it, as it
    /// would run them over an empty scene: what remains is what its supply does.
    ///
    /// # Errors
    /// [`KernelError::TooManyRays`].
    pub fn of_nothing(ray_count: usize, query: Query) -> Result<Self, KernelError> {
        if ray_count >= u32::MAX as usize {
            return Err(KernelError::TooManyRays { found: ray_count });
        }
        let chunk = |first: usize| Chunk { ends: vec![0; CHUNK.min(ray_count - first)], ..Chunk::default() };
        let chunks = (0..ray_count).step_by(CHUNK).map(chunk).collect();
        Ok(Self { walk: None, query, stack_depth: 0, chunks, ray_count })
    }

    /// Returns `variant` with defaults for all parts and options that do not change what a single ray does: variants of
    /// equal walks can replay each other's dumps.
    ///
    /// # Errors
    /// [`KernelError::NoDump`] for trees whose lanes share a ray or whose leaves come in groups.
    pub fn walk_of(variant: &Variant) -> Result<Variant, KernelError> {
        let why = if variant.tree().shares_rays() {
            Some(NoDumpReason::SharedRays)
        } else if variant.tree().groups_leaves() {
            Some(NoDumpReason::GroupedLeaves)
        } else {
            None
        };
        let keys = [Key::Box, Key::Collapse, Key::Fetch, Key::Occlusion, Key::Order, Key::Planes, Key::Triangle];
        let walk =
            Variant::new(Supply::Direct, TraversalLoop::WhileWhile, variant.tree()).ok().filter(|_| why.is_none());
        let with = |walk: Variant, &key: &Key| walk.with(key, variant.value(key)).unwrap_or(walk);
        let walk = walk.map(|walk| keys.iter().fold(walk, with));
        walk.ok_or(KernelError::NoDump { variant: *variant, why: why.unwrap_or(NoDumpReason::NoWhileWhile) })
    }

    /// Returns the kind of tree walk that was dumped ([`RayDump::walk_of`]); `None` where no ray does anything.
    pub fn walk(&self) -> Option<&Variant> {
        self.walk.as_ref()
    }

    /// Returns the query of the dumped rays: closest hit or any hit.
    pub fn query(&self) -> Query {
        self.query
    }

    /// Returns the number of dumped rays.
    pub fn ray_count(&self) -> usize {
        self.ray_count
    }

    /// Returns the operations of ray `ray`, in order; none for an index past the last ray.
    pub fn codes(&self, ray: usize) -> impl Iterator<Item = Code> + '_ {
        let chunk = self.chunks.get(ray / CHUNK).filter(|_| ray < self.ray_count);
        chunk.into_iter().flat_map(move |chunk| chunk.range(ray % CHUNK).map(|at| chunk.code(at)))
    }

    /// Returns the number of operations of one kind in all rays of the dump.
    pub fn count(&self, code: Code) -> u64 {
        // A place differs where either bit of the exclusive or with the code, repeated, is set.
        let repeated = code as u64 * LOW_BITS;
        let in_chunk = |chunk: &Chunk| {
            let same = |word: &u64| {
                let differs = word ^ repeated;
                u64::from((!(differs | differs >> 1) & LOW_BITS).count_ones())
            };
            let unused = chunk.words.len() * 32 - chunk.len;
            let all: u64 = chunk.words.iter().map(same).sum();
            // What is left of the last word reads as visits.
            all - if code == Code::Visit { unused as u64 } else { 0 }
        };
        self.chunks.iter().map(in_chunk).sum()
    }

    /// Returns the number of bytes that the dump takes in memory.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| 8 * chunk.words.len() + 4 * chunk.ends.len()).sum()
    }
}

/// Writer of a dump ray by ray, from operations that were written down elsewhere.
pub(crate) struct DumpWriter {
    dump: RayDump,
    last: Chunk,
    /// `true` if a chunk has more operations than can be numbered.
    is_full: bool,
}

impl DumpWriter {
    /// Begins a dump of rays that walk as `walk` does, which must be one ([`RayDump::walk_of`]).
    pub fn new(walk: Variant, query: Query) -> Self {
        let dump = RayDump { walk: Some(walk), query, stack_depth: 0, chunks: Vec::new(), ray_count: 0 };
        Self { dump, last: Chunk::default(), is_full: false }
    }

    /// Adds an operation of the current ray.
    pub fn push(&mut self, code: Code) {
        self.last.push(code);
        self.is_full |= self.last.len > MAX_CODES;
    }

    /// Ends the current ray, whose stack held at most `depth` entries.
    pub fn end_ray(&mut self, depth: usize) {
        self.last.ends.push(self.last.len.min(MAX_CODES) as u32);
        self.dump.stack_depth = self.dump.stack_depth.max(depth);
        self.dump.ray_count += 1;
        if self.last.ends.len() == CHUNK {
            self.dump.chunks.push(std::mem::take(&mut self.last));
        }
    }

    /// Returns the dump; `None` if it has more rays or operations than can be numbered.
    pub fn finish(mut self) -> Option<RayDump> {
        if !self.last.ends.is_empty() {
            self.dump.chunks.push(self.last);
        }
        (!self.is_full && self.dump.ray_count < u32::MAX as usize).then_some(self.dump)
    }
}

/// Mask with the lower of the two bits of each operation code of a word.
const LOW_BITS: u64 = 0x5555_5555_5555_5555;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_counted_in_words_as_one_by_one() {
        let mut numbers = raywarp_testing::Random::new(1);
        let mut random = || numbers.integer() as usize;
        let mut chunk = Chunk::default();
        while chunk.len < 5000 {
            // Runs of up to 100, and of tests with marks between.
            let (code, other) = (Code::ALL[random() % 4], [Code::Test, Code::Mark][random() % 2]);
            for i in 0..random() % [2, 5, 100][random() % 3] {
                chunk.push(if i % 3 == 0 { other } else { code });
            }
        }
        let len = chunk.len as u32;
        let one_by_one = |at: u32, is: &dyn Fn(Code) -> bool| {
            (at..len.min(at + Codes::COUNT)).map(|at| chunk.code(at)).take_while(|&code| is(code)).count() as u32
        };
        for at in 0..len {
            let codes = chunk.codes(at);
            assert_eq!(codes.marks(), one_by_one(at, &|code| code == Code::Mark), "at {at}");
            let length = one_by_one(at, &|code| matches!(code, Code::Test | Code::Mark));
            for limit in [0, 1, 7, 31, 32, 1000] {
                let first = at..at + length.min(limit);
                let tests = first.filter(|&at| chunk.code(at) == Code::Test).count() as u32;
                assert_eq!(codes.leaf(limit), (length, tests), "at {at}, {limit}");
            }
        }
        assert_eq!((chunk.codes(len + 64).marks(), chunk.codes(len + 64).leaf(9)), (0, (0, 0)));
    }
}
