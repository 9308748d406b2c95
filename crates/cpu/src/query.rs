//! Queries that a walk answers: the nearest hit, or anything opaque.

use crate::probe::{Off, Probe};
use raywarp_geom::{Hit, HitKey, PrimitiveId};
use raywarp_lanes::InstructionSet;
use raywarp_layout::{INDEX_MASK, NON_OPAQUE};
use std::hint::select_unpredictable;

/// Takes the triangles that a walk finds on the ray's line.
pub(crate) trait Query: Copy {
    /// `true` if the nearest hit is looked for, so that visiting near nodes first pays.
    const ORDERED: bool;
    /// `true` if coherent rays may go as packets.
    const PACKETS: bool;
    /// Returns the nearest `t` that counts.
    fn low(&self) -> f32;
    /// Returns the farthest `t` that still counts.
    fn limit(&self) -> f32;
    /// Looks at a triangle, given as `t u v` and its slot's word.
    fn offer(&mut self, tuv: [f32; 3], slot: u32);
    /// Returns `true` if a triangle at `t` needs a look at its id, which only [`Query::offer`] takes.
    fn needs_id(&self, t: f32) -> bool;
    /// Offers as [`Query::offer`] does, for a `t` within the limits that needs no look at its id, or beyond them all;
    /// without a branch.
    fn offer_plain(&mut self, tuv: [f32; 3], slot: u32);
    /// Returns `true` if the walk may end.
    fn is_decided(&self) -> bool;
    /// Asks the cache for what the answer takes, some time before it is asked for.
    #[inline(always)]
    fn fetch<S: InstructionSet>(&self, _set: S) {}
    /// Probe that counts the ray's visits.
    type Probe: Probe;
    /// Returns the probe that counts the ray's visits.
    fn probe(&mut self) -> &mut Self::Probe;
}

/// The interval of a query and the key that its hits must come after.
#[derive(Clone, Copy)]
pub(crate) struct Range<'a> {
    /// Nearest `t`, at least `after.t`.
    pub low: f32,
    /// Farthest `t` of a hit.
    pub high: f32,
    /// Hits come strictly after it.
    pub after: HitKey,
    /// Ids of the flat triangles.
    pub ids: &'a [PrimitiveId],
}

impl Range<'_> {
    /// Returns `true` if a hit at `t >= low` comes after the key. Only at the very `t` of the key ids matter.
    #[inline(always)]
    fn follows(&self, t: f32, index: u32) -> bool {
        t != self.after.t || {
            let id = self.ids[index as usize];
            (id.instance, id.primitive) > (self.after.instance, self.after.primitive)
        }
    }
}

/// The nearest hit so far. Flat triangles are ordered by id, so that of equal `t` the lower index wins.
#[derive(Clone, Copy)]
pub(crate) struct Closest<'a, P> {
    range: Range<'a>,
    /// Probe that counts the ray's visits.
    pub probe: P,
    tuv: [f32; 3],
    index: u32,
}

impl<'a, P> Closest<'a, P> {
    /// Returns a query that has found nothing yet.
    #[inline(always)]
    pub fn new(range: Range<'a>, probe: P) -> Self {
        // A hit exactly at the far limit still counts: any index is lower than this one.
        Self { tuv: [range.high, 0.0, 0.0], range, probe, index: u32::MAX }
    }

    /// Returns the hit and its instance; a miss at `t_max`.
    #[inline(always)]
    pub fn finish(&self, t_max: f32) -> (Hit, u32) {
        if self.index == u32::MAX {
            return (Hit::miss(t_max), Hit::MISS);
        }
        let ([t, u, v], id) = (self.tuv, self.range.ids[self.index as usize]);
        (Hit { t, u, v, primitive: id.primitive }, id.instance)
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
        set.prefetch(self.range.ids.as_ptr().wrapping_add(self.index as usize).cast());
    }
}

/// Any-hit query: `blocked` once anything opaque was found, and the first candidate that is not opaque.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a> {
    range: Range<'a>,
    probe: Off,
    blocked: bool,
    candidate: Option<([f32; 3], u32)>,
}

/// Answer of an any-hit query.
pub(crate) enum Verdict {
    /// Nothing was hit at all.
    Free,
    /// Something opaque was hit.
    Blocked,
    /// Nothing opaque was hit; this is the first of the others, with its instance.
    Undecided(Hit, u32),
}

impl<'a> Any<'a> {
    /// Returns a query that has found nothing yet.
    #[inline(always)]
    pub fn new(range: Range<'a>) -> Self {
        Self { range, probe: Off, blocked: false, candidate: None }
    }

    /// Returns the answer of the query.
    #[inline(always)]
    pub fn finish(&self) -> Verdict {
        match self.candidate {
            _ if self.blocked => Verdict::Blocked,
            None => Verdict::Free,
            Some(([t, u, v], index)) => {
                let id = self.range.ids[index as usize];
                Verdict::Undecided(Hit { t, u, v, primitive: id.primitive }, id.instance)
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
        if t < self.range.low || t > self.range.high || !self.range.follows(t, index) {
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
