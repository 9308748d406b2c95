//! Queries that a walk answers: the nearest hit, or anything opaque.

use crate::blocked::Blocked;
use crate::ids::LentIds;
use crate::probe::{Off, Probe};
use raywarp_geom::{Affine, Hit, HitKey, PrimitiveId};
use raywarp_lanes::InstructionSet;
use raywarp_layout::{INDEX_MASK, NON_OPAQUE, TriangleBlock};
use std::hint::select_unpredictable;

/// Triangle in a leaf of a tree, and how that is placed.
#[derive(Clone, Copy)]
pub(crate) struct InLeaf<'a> {
    pub block: &'a TriangleBlock,
    pub slot: usize,
    /// Map of the tree's corners to the world; `None` if they are there already.
    pub place: Option<&'a Affine>,
}

impl InLeaf<'_> {
    /// Returns the corners in the world.
    pub fn corners(&self) -> [[f32; 3]; 3] {
        let corners = self.block.vertices(self.slot);
        self.place.map_or(corners, |place| [place.point(corners[0]), place.point(corners[1]), place.point(corners[2])])
    }
}

/// Query of a ray (closest hit, any hit), which receives the triangles that the traversal finds.
pub(crate) trait Query: Copy {
    /// `true` if the nearest hit is wanted, so that visiting near nodes first pays.
    const ORDERED: bool;
    /// `true` if coherent rays may be traced together as packets.
    const PACKETS: bool;
    /// Returns the smallest `t` of the query's interval.
    fn low(&self) -> f32;
    /// Returns the largest `t` at which a hit still counts.
    fn limit(&self) -> f32;
    /// Offers the query a triangle that the ray hits, given as `t u v` and the word of its slot in the leaf.
    fn offer(&mut self, tuv: [f32; 3], slot: u32);
    /// Offers a triangle as [`Query::offer`] does, with the place where it is for those who want its corners.
    #[inline(always)]
    fn offer_with(&mut self, tuv: [f32; 3], slot: u32, _: InLeaf<'_>) {
        self.offer(tuv, slot);
    }
    /// Returns `true` if a hit at `t` needs its primitive id compared, which only [`Query::offer`] does.
    fn needs_id(&self, t: f32) -> bool;
    /// Offers a triangle as [`Query::offer`] does but without a branch, for a `t` that needs no comparison of ids or
    /// lies beyond all limits.
    fn offer_plain(&mut self, tuv: [f32; 3], slot: u32);
    /// Offers a triangle as [`Query::offer_plain`] does, with the place where it is.
    #[inline(always)]
    fn offer_plain_with(&mut self, tuv: [f32; 3], slot: u32, _: InLeaf<'_>) {
        self.offer_plain(tuv, slot);
    }
    /// Returns `true` if the answer is known, so that the traversal may end.
    fn is_decided(&self) -> bool;
    /// Prefetches what the answer will read, some time before it is needed.
    #[inline(always)]
    fn fetch<S: InstructionSet>(&self, _set: S) {}
    /// Type of the observer that counts the ray's visits.
    type Probe: Probe;
    /// Returns the observer that counts the ray's visits.
    fn probe(&mut self) -> &mut Self::Probe;
}

/// Interval of a query, with the hit key that its hits must come after.
#[derive(Clone, Copy)]
pub(crate) struct Range<'a> {
    /// Smallest `t` of a hit, at least `after.t`.
    pub low: f32,
    /// Largest `t` of a hit.
    pub high: f32,
    /// Hit key: hits must come strictly after it in the order of distance and id.
    pub after: HitKey,
    /// Ids of the tree's triangles.
    pub ids: LentIds<'a>,
}

impl Range<'_> {
    /// Returns `true` if a hit at `t` on triangle `index` is within the interval and after the hit key.
    #[inline(always)]
    pub fn holds(&self, t: f32, index: u32) -> bool {
        self.low <= t && t <= self.high && self.follows(t, index)
    }

    /// Returns `true` if a hit at `t >= low` on triangle `index` comes after the hit key. Only at the very `t` of the
    /// key ids matter.
    #[inline(always)]
    fn follows(&self, t: f32, index: u32) -> bool {
        t != self.after.t || comes_after(self.ids.get(index), &self.after)
    }
}

/// Returns `true` if a hit on `id` at the very `t` of a hit key comes after it.
#[inline(always)]
pub(crate) fn comes_after(id: PrimitiveId, key: &HitKey) -> bool {
    (id.instance, id.primitive) > (key.instance, key.primitive)
}

/// Question that becomes a query once its ray's interval is known.
pub(crate) trait OfRange<'a> {
    /// Query of a ray whose interval is known.
    type Query: Query;
    /// What it finds.
    type Answer;
    /// Returns the query with nothing found yet.
    fn of_range(self, range: Range<'a>) -> Self::Query;
    /// Returns what was found, if anything was.
    fn answer(query: &Self::Query) -> Option<Self::Answer>;
}

/// Question for the nearest hit.
pub(crate) struct ForClosest;

impl<'a> OfRange<'a> for ForClosest {
    type Query = Closest<'a, Off>;
    type Answer = (Hit, u32);

    #[inline(always)]
    fn of_range(self, range: Range<'a>) -> Self::Query {
        Closest::new(range, Off)
    }

    #[inline(always)]
    fn answer(query: &Self::Query) -> Option<(Hit, u32)> {
        query.found()
    }
}

/// Question for anything that is hit.
pub(crate) struct ForAny;

impl<'a> OfRange<'a> for ForAny {
    type Query = Any<'a>;
    type Answer = Blocked;

    #[inline(always)]
    fn of_range(self, range: Range<'a>) -> Self::Query {
        Any::new(range)
    }

    #[inline(always)]
    fn answer(query: &Self::Query) -> Option<Blocked> {
        Some(query.finish())
    }
}

/// Closest-hit query: the nearest hit so far. Flat triangles are ordered by id, so that of equal `t` the lower index
/// wins.
#[derive(Clone, Copy)]
pub(crate) struct Closest<'a, P> {
    range: Range<'a>,
    /// Observer (probe) that counts the nodes and triangles which the ray's traversal tests.
    pub probe: P,
    tuv: [f32; 3],
    index: u32,
}

impl<'a, P> Closest<'a, P> {
    /// Returns a closest-hit query that has found nothing yet.
    #[inline(always)]
    pub fn new(range: Range<'a>, probe: P) -> Self {
        // A hit exactly at the far limit still counts: any index is lower than this one.
        Self { tuv: [range.high, 0.0, 0.0], range, probe, index: u32::MAX }
    }

    /// Returns the closest hit and its instance, if there was one.
    #[inline(always)]
    fn found(&self) -> Option<(Hit, u32)> {
        if self.index == u32::MAX {
            return None;
        }
        let ([t, u, v], id) = (self.tuv, self.range.ids.get(self.index));
        Some((Hit { t, u, v, primitive: id.primitive }, id.instance))
    }

    /// Returns the closest hit and its instance; a miss at `t_max` if there was none.
    #[inline(always)]
    pub fn finish(&self, t_max: f32) -> (Hit, u32) {
        self.found().unwrap_or((Hit::miss(t_max), Hit::MISS))
    }
}

impl<P: Probe> Query for Closest<'_, P> {
    const ORDERED: bool = true;
    const PACKETS: bool = !P::COUNTS;
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
        self.tuv[0]
    }

    #[inline(always)]
    fn offer(&mut self, tuv: [f32; 3], slot: u32) {
        let (t, index) = (tuv[0], slot & INDEX_MASK);
        let nearer = t < self.tuv[0] || (t == self.tuv[0] && index < self.index);
        let taken = nearer && t >= self.range.low && self.range.follows(t, index);
        if taken {
            (self.tuv, self.index) = (tuv, index);
        }
    }

    #[inline(always)]
    fn needs_id(&self, t: f32) -> bool {
        (t == self.tuv[0]) | (t == self.range.after.t)
    }

    #[inline(always)]
    fn offer_plain(&mut self, tuv: [f32; 3], slot: u32) {
        // Said to be no branch, which no processor guesses well here: of a choice by bits a compiler makes one again.
        let taken = tuv[0] < self.tuv[0];
        for (old, new) in self.tuv.iter_mut().zip(tuv) {
            *old = f32::from_bits(select_unpredictable(taken, new.to_bits(), old.to_bits()));
        }
        self.index = select_unpredictable(taken, slot & INDEX_MASK, self.index);
    }

    #[inline(always)]
    fn is_decided(&self) -> bool {
        false
    }

    #[inline(always)]
    fn fetch<S: InstructionSet>(&self, set: S) {
        // A miss has no id; where it would stand is asked for in vain, which does no harm.
        if let Some(address) = self.range.ids.address(self.index) {
            set.prefetch(address.cast());
        }
    }
}

/// Any-hit query: `blocked` once something opaque was hit, and until then the first hit that is not opaque.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a> {
    range: Range<'a>,
    probe: Off,
    blocked: bool,
    candidate: Option<([f32; 3], u32)>,
}

impl<'a> Any<'a> {
    /// Returns an any-hit query that has found nothing yet.
    #[inline(always)]
    pub fn new(range: Range<'a>) -> Self {
        Self { range, probe: Off, blocked: false, candidate: None }
    }

    /// Returns the answer of the any-hit query.
    #[inline(always)]
    pub fn finish(&self) -> Blocked {
        match self.candidate {
            _ if self.blocked => Blocked::Yes,
            None => Blocked::No,
            Some(([t, u, v], index)) => {
                let id = self.range.ids.get(index);
                Blocked::Perhaps(Hit { t, u, v, primitive: id.primitive }, id.instance)
            }
        }
    }
}

impl Query for Any<'_> {
    const ORDERED: bool = false;
    const PACKETS: bool = true;
    type Probe = Off;

    #[inline(always)]
    fn probe(&mut self) -> &mut Off {
        &mut self.probe
    }

    #[inline(always)]
    fn low(&self) -> f32 {
        self.range.low
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.range.high
    }

    #[inline(always)]
    fn offer(&mut self, tuv: [f32; 3], slot: u32) {
        let (t, index) = (tuv[0], slot & INDEX_MASK);
        if !self.range.holds(t, index) {
            return;
        }
        if slot & NON_OPAQUE == 0 {
            self.blocked = true;
        } else if self.candidate.is_none_or(|(found, other)| (t, index) < (found[0], other)) {
            // Something opaque may still lie behind it, so that the interval stays as it is.
            self.candidate = Some((tuv, index));
        }
    }

    #[inline(always)]
    fn needs_id(&self, t: f32) -> bool {
        t <= self.range.high
    }

    #[inline(always)]
    fn offer_plain(&mut self, _: [f32; 3], _: u32) {}

    #[inline(always)]
    fn is_decided(&self) -> bool {
        self.blocked
    }
}
