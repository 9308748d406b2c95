//! Replaying what rays did by themselves under another loop, supply and width (AL09 2.1).
//!
//! A replay runs the very schedules of a kernel: only what a lane finds when it visits, tests and pops is read from the
//! dump instead of from a tree. That is the same where a ray does the same whoever its neighbours are: not under a
//! packet nor with a postpone buffer.

use crate::dump::{CHUNK, Chunk, Code, Codes, RayDump};
use crate::kernel::{Execution, KernelError};
use crate::lane::Found;
use crate::launch::{self, Place};
use crate::probe::{Probe, Watched};
use crate::tree::{Entry, Leaf, RecordTest, TestRules, Tree, Visit, VisitRules};
use crate::warp::{Answer, Launch};
use raywarp_family::{Query, TraversalLoop, Variant};
use raywarp_geom::Hit;
use std::cell::Cell;

/// A variant that replays the dumped operations of rays.
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    variant: Variant,
    dump: &'a RayDump,
}

/// Reason why a variant cannot replay a dump.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The walk of a ray under this variant depends on the other rays of its warp.
    #[error("{variant} cannot be replayed from a dump but must be run: {why}")]
    Dependent {
        /// Variant that must trace the rays instead.
        variant: Variant,
        /// Reason why the walk of a ray depends on others.
        why: DependentReason,
    },
    /// The dump is of another kind of walk: of another tree, box test, order or the like.
    #[error("{variant} walks as {walk} does, but the dump is of {dumped}")]
    OtherWalk {
        /// Variant that does not walk as the dump does.
        variant: Variant,
        /// Kind of walk of the variant (`RayDump::walk_of`).
        walk: Variant,
        /// Kind of walk of the dump (`RayDump::walk_of`).
        dumped: Variant,
    },
    /// The variant's rays cannot be dumped.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

/// Reason why the walk of a ray depends on the rays of other lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum DependentReason {
    #[error("the rays of a packet go where any of them wants to")]
    Packet,
    #[error("while a leaf is put aside the ray walks on, how far depends on the other lanes")]
    Postponed,
}

impl<'a> Replay<'a> {
    /// Returns the kind of [walk](RayDump::walk_of) whose dumps `variant` can replay.
    ///
    /// # Errors
    /// [`ReplayError::Dependent`]; [`ReplayError::Kernel`] with [`KernelError::NoDump`] or [`KernelError::NeedsGpu`].
    pub fn walk_of(variant: &Variant) -> Result<Variant, ReplayError> {
        let walk = RayDump::walk_of(variant)?;
        if variant.needs().gpu {
            return Err(KernelError::NeedsGpu { variant: *variant }.into());
        }
        let why = if variant.traversal_loop() == TraversalLoop::Packet {
            DependentReason::Packet
        } else if variant.postpone() > 0 {
            DependentReason::Postponed
        } else {
            return Ok(walk);
        };
        Err(ReplayError::Dependent { variant: *variant, why })
    }

    /// Makes a replay by `variant` of the rays in `dump`. Any variant takes one [of nothing](RayDump::of_nothing).
    ///
    /// # Errors
    /// Those of [`Replay::walk_of`], and [`ReplayError::OtherWalk`].
    pub fn new(variant: &Variant, dump: &'a RayDump) -> Result<Self, ReplayError> {
        if variant.needs().gpu {
            return Err(KernelError::NeedsGpu { variant: *variant }.into());
        }
        if let Some(dumped) = dump.walk {
            let walk = Self::walk_of(variant)?;
            if walk != dumped {
                return Err(ReplayError::OtherWalk { variant: *variant, walk, dumped });
            }
        }
        Ok(Self { variant: *variant, dump })
    }

    /// Returns the variant that replays the dump.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Returns the dump that is replayed.
    pub fn dump(&self) -> &'a RayDump {
        self.dump
    }

    /// Returns the number of warps by which `machine` replays the rays; `resident` as in
    /// [`Batch::resident`](crate::Batch::resident).
    ///
    /// # Errors
    /// [`KernelError::Width`].
    pub fn warp_count(&self, machine: Execution, resident: u32) -> Result<u32, KernelError> {
        launch::warp_count(&self.variant, machine, self.dump.ray_count(), resident)
    }

    /// Replays warp `number` and tells `probe` every event, without touches. Returns how many rays ended in it: none
    /// past the last warp.
    ///
    /// # Errors
    /// [`KernelError::Width`].
    pub fn run_warp(
        &self,
        machine: Execution,
        resident: u32,
        number: u32,
        probe: &mut dyn Probe,
    ) -> Result<u64, KernelError> {
        let rays = self.dump.ray_count();
        let Some(place) = Place::new(&self.variant, machine, number, rays, resident)? else { return Ok(0) };
        let launch = Launch { variant: &self.variant, tree: self.dump, any_hit: self.dump.query == Query::Any };
        let mut answers = Vec::new();
        launch::run_warp(launch, place, &mut answers, &mut Watched::untouched(probe));
        Ok(answers.len() as u64)
    }
}

/// Position of a ray in its dumped operation codes.
pub(crate) struct Position {
    chunk: u32,
    /// Range of the ray's operation codes that are still to come.
    next: Cell<u32>,
    end: u32,
}

impl Position {
    /// Returns the ray's next operation code.
    #[inline]
    fn code(&self, chunk: &Chunk) -> Option<Code> {
        (self.next.get() < self.end).then(|| chunk.code(self.next.get()))
    }

    /// Skips the next operation code if it is `code`, and returns `true` if it was.
    #[inline]
    fn take(&self, chunk: &Chunk, code: Code) -> bool {
        let is = self.code(chunk) == Some(code);
        if is {
            self.next.set(self.next.get() + 1);
        }
        is
    }

    /// Skips all marks that come next, and returns their number.
    #[inline]
    fn marks(&self, chunk: &Chunk) -> u32 {
        let mut count = 0;
        loop {
            let at = self.next.get();
            let marks = chunk.codes(at).marks().min(self.end - at);
            self.next.set(at + marks);
            count += marks;
            if marks < Codes::COUNT {
                return count;
            }
        }
    }

    /// Returns the stack entry that the ray stands at by its next codes: a node, or a leaf with its remaining tests.
    #[inline]
    fn here(&self, chunk: &Chunk) -> Entry<(), Tests> {
        if self.code(chunk) != Some(Code::Test) {
            return Entry::Inner(());
        }
        let (mut at, mut left) = (self.next.get(), 0);
        loop {
            let (length, tests) = chunk.codes(at).leaf(self.end - at);
            (at, left) = (at + length, left + tests);
            if length < Codes::COUNT || at >= self.end {
                return Entry::Leaf(Tests { left });
            }
        }
    }
}

/// The triangle tests of a leaf that are left in the dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tests {
    left: u32,
}

impl Leaf for Tests {
    #[inline]
    fn take(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        Some(0)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.left == 0
    }
}

/// Stands in for a tree: lanes find again what was dumped. Entries on the stack are only counted, since a lane goes on
/// after a pop with the next code.
impl Tree for RayDump {
    type Inner = ();
    type Leaf = Tests;
    type Ray = Position;

    /// Returns `None`: only packets ask for a root, and they cannot be replayed.
    fn root(&self) -> Option<Entry<(), Tests>> {
        None
    }

    fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    fn has_keys(&self) -> bool {
        false
    }

    fn begin(&self, ray: u32, _: &Variant) -> (Position, Found, Option<Entry<(), Tests>>) {
        let number = ray as usize / CHUNK;
        let chunk = &self.chunks[number];
        let codes = chunk.range(ray as usize % CHUNK);
        let position = Position { chunk: number as u32, next: Cell::new(codes.start), end: codes.end };
        let start = (!codes.is_empty()).then(|| position.here(chunk));
        (position, Found::nothing(f32::INFINITY), start)
    }

    #[inline]
    fn visit(&self, (): (), ray: &Position, _: f32, _: &VisitRules, out: &mut Visit<(), Tests>) {
        let chunk = &self.chunks[ray.chunk as usize];
        ray.take(chunk, Code::Visit);
        let pushed = ray.marks(chunk);
        if !ray.take(chunk, Code::Pop) {
            (0..=pushed).for_each(|slot| out.hits.push(0.0, slot));
        }
    }

    /// Returns the child that the ray found by its next codes. The first is where the ray goes on; others are only
    /// counted.
    #[inline]
    fn child(&self, ray: &Position, _: u32, slot: u32) -> Entry<(), Tests> {
        if slot == 0 { ray.here(&self.chunks[ray.chunk as usize]) } else { Entry::Inner(()) }
    }

    #[inline]
    fn test(&self, _: u32, ray: &Position, found: &mut Found, rules: &TestRules) -> RecordTest {
        let chunk = &self.chunks[ray.chunk as usize];
        ray.take(chunk, Code::Test);
        let marks = ray.marks(chunk);
        let rows = if rules.by_rows { [marks >= 1, marks >= 2] } else { [true; 2] };
        // Whoever ends otherwise than by a pop is blocked.
        found.blocked = !ray.take(chunk, Code::Pop) && ray.next.get() == ray.end;
        RecordTest { rows, accepted: marks > if rules.by_rows { 2 } else { 0 } }
    }

    #[inline]
    fn popped(&self, ray: &Position, _: Entry<(), Tests>) -> Entry<(), Tests> {
        ray.here(&self.chunks[ray.chunk as usize])
    }

    fn answer(&self, ray: u32, found: &Found) -> Answer {
        Answer {
            ray,
            hit: Hit::miss(f32::INFINITY),
            instance: Hit::MISS,
            blocked: found.blocked,
            invalid: false,
            by_fallback: false,
        }
    }
}
