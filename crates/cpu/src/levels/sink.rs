//! What is done with the triangles that a ray hits, told by their ids: for scenes of two levels, and for filters.

use crate::probe::Probe;
use crate::query::{Query, Range};
use crate::touches::Receiver;
use crate::tracer::CpuTracer;
use raywarp_geom::{Hit, PrimitiveId};
use raywarp_layout::{INDEX_MASK, NON_OPAQUE};
use std::ops::ControlFlow;

/// Triangle that a ray hits.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub tuv: [f32; 3],
    /// Instance and primitive as they are reported.
    pub id: PrimitiveId,
    pub is_opaque: bool,
    /// `true` if its tree has it in several leaves.
    is_split: bool,
}

impl Found {
    fn hit(&self) -> Hit {
        let [t, u, v] = self.tuv;
        Hit { t, u, v, primitive: self.id.primitive }
    }
}

/// Receiver of triangles within a ray's interval.
pub(crate) trait Sink: Copy {
    /// `true` if the nearest is wanted.
    const ORDERED: bool;
    /// Returns the largest `t` that still counts, which is at most `high`.
    fn limit(&self, high: f32) -> f32;
    /// Takes a triangle; in any order, and those of several leaves more than once.
    fn take(&mut self, found: &Found);
    /// Returns `true` if nothing more is wanted.
    fn is_over(&self) -> bool;
}

/// Nearest hit so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Nearest(Option<Found>);

impl Nearest {
    /// Returns the hit and its instance.
    pub fn hit(&self) -> Option<(Hit, u32)> {
        self.0.map(|found| (found.hit(), found.id.instance))
    }
}

impl Sink for Nearest {
    const ORDERED: bool = true;

    #[inline(always)]
    fn limit(&self, high: f32) -> f32 {
        self.0.map_or(high, |found| found.tuv[0])
    }

    #[inline(always)]
    fn take(&mut self, found: &Found) {
        if self.0.is_none_or(|best| (found.tuv[0], found.id) < (best.tuv[0], best.id)) {
            self.0 = Some(*found);
        }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        false
    }
}

/// Anything opaque, and the first hit that is not.
#[derive(Clone, Copy, Default)]
pub(crate) struct Obstacle {
    pub is_blocked: bool,
    pub candidate: Nearest,
}

impl Sink for Obstacle {
    const ORDERED: bool = false;

    #[inline(always)]
    fn limit(&self, high: f32) -> f32 {
        high
    }

    #[inline(always)]
    fn take(&mut self, found: &Found) {
        if found.is_opaque {
            self.is_blocked = true;
        } else {
            // Something opaque may still lie behind it, so that the interval stays as it is.
            self.candidate.take(found);
        }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.is_blocked
    }
}

/// Every hit, passed on at once.
pub(crate) struct Each<'a, F> {
    receiver: &'a Receiver<F>,
    is_over: bool,
}

impl<'a, F> Each<'a, F> {
    pub fn new(receiver: &'a Receiver<F>) -> Self {
        Self { receiver, is_over: false }
    }
}

// Not derived: that would ask it of the closure.
impl<F> Clone for Each<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Each<'_, F> {}

impl<F: FnMut(&Hit, u32) -> ControlFlow<()>> Sink for Each<'_, F> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn limit(&self, high: f32) -> f32 {
        high
    }

    #[inline]
    fn take(&mut self, found: &Found) {
        if !self.is_over {
            self.is_over = self.receiver.take(found.tuv, found.id, found.is_split).is_break();
        }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.is_over
    }
}

/// Query that offers a sink what lies within an interval.
#[derive(Clone, Copy)]
pub(crate) struct Within<'a, K, P> {
    range: Range<'a>,
    /// What is added to the instances of the tree's ids.
    base: u32,
    tree: &'a CpuTracer,
    pub probe: P,
    pub sink: K,
}

impl<'a, K: Sink, P: Probe> Within<'a, K, P> {
    /// Returns the query over an interval, whose ids are of no tree yet ([`Within::enter`]).
    pub fn new(range: Range<'a>, tree: &'a CpuTracer, sink: K, probe: P) -> Self {
        Self { range, base: 0, tree, probe, sink }
    }

    /// Makes triangles from now on those of `tree`, whose ids' instances get `base` added.
    #[inline(always)]
    pub fn enter(&mut self, tree: &'a CpuTracer, base: u32) {
        self.range.ids = &tree.ids;
        (self.tree, self.base) = (tree, base);
    }
}

impl<K: Sink, P: Probe> Query for Within<'_, K, P> {
    const ORDERED: bool = K::ORDERED;
    const PACKETS: bool = false;
    type Probe = P;

    #[inline(always)]
    fn probe(&mut self) -> &mut P {
        &mut self.probe
    }

    #[inline(always)]
    fn low(&self) -> f32 {
        self.range.low
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.sink.limit(self.range.high)
    }

    #[inline]
    fn offer(&mut self, tuv: [f32; 3], slot: u32) {
        let index = slot & INDEX_MASK;
        let of_tree = self.range.ids[index as usize];
        let id = PrimitiveId { instance: self.base + of_tree.instance, ..of_tree };
        let (t, after) = (tuv[0], &self.range.after);
        let is_in = self.range.low <= t && t <= self.limit();
        if is_in && (t != after.t || (id.instance, id.primitive) > (after.instance, after.primitive)) {
            let is_split = self.tree.split.has(index);
            self.sink.take(&Found { tuv, id, is_opaque: slot & NON_OPAQUE == 0, is_split });
        }
    }

    #[inline(always)]
    fn needs_id(&self, _: f32) -> bool {
        true
    }

    #[inline(always)]
    fn offer_plain(&mut self, _: [f32; 3], _: u32) {}

    #[inline(always)]
    fn is_decided(&self) -> bool {
        self.sink.is_over()
    }
}
