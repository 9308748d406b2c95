//! Queries of rays of a batch, which tell what is hit by its placement and its index in that one's tree.

use super::Asking;
use super::walked::PlacedQuery;
use crate::blocked::Blocked;
use crate::custom::{GeometryHit, TakesCustom};
use crate::probe::Off;
use crate::query::{InLeaf, Query, Range, comes_after};
use raywarp_geom::triangle::has_no_area;
use raywarp_geom::{Hit, HitKey, PrimitiveId};
use raywarp_layout::{INDEX_MASK, NON_OPAQUE};
use std::hint::select_unpredictable;

/// Interval and key of a query; see [`Range`].
#[derive(Clone, Copy)]
struct Interval {
    low: f32,
    high: f32,
    after: HitKey,
}

impl Interval {
    #[inline(always)]
    fn of(range: &Range<'_>) -> Self {
        Self { low: range.low, high: range.high, after: range.after }
    }

    /// Returns `true` if a hit at `t` on `id` is within the interval and after the key.
    #[inline(always)]
    fn holds(&self, t: f32, id: impl FnOnce() -> PrimitiveId) -> bool {
        self.low <= t && t <= self.high && (t != self.after.t || comes_after(id(), &self.after))
    }
}

/// Closest-hit query: the nearest hit so far, told by its placement and its index in that one's tree.
#[derive(Clone, Copy)]
pub(crate) struct Closest<'a> {
    asking: Asking<'a>,
    interval: Interval,
    probe: Off,
    /// Placement whose triangles are offered.
    entered: u32,
    tuv: [f32; 3],
    /// Index of the triangle or primitive that is hit, [`Closest::NONE`] before one is, and its placement.
    index: u32,
    placement: u32,
    /// Slot of the triangle, and the address of its block; 0 for a primitive.
    slot: u32,
    block: usize,
}

impl<'a> Closest<'a> {
    const NONE: u32 = u32::MAX;

    #[inline(always)]
    pub fn new(asking: Asking<'a>, range: &Range<'_>) -> Self {
        Self {
            asking,
            interval: Interval::of(range),
            probe: Off,
            entered: 0,
            tuv: [range.high, 0.0, 0.0],
            index: Self::NONE,
            placement: 0,
            slot: 0,
            block: 0,
        }
    }

    /// Takes a hit if it is nearer, or as near with a lower id.
    fn take(&mut self, tuv: [f32; 3], index: u32, (block, slot): (usize, usize)) {
        let (asking, t) = (self.asking, tuv[0]);
        let id = || asking.id(self.entered, index);
        let is_nearer = || {
            t < self.tuv[0]
                || t == self.tuv[0] && (self.index == Self::NONE || id() < asking.id(self.placement, self.index))
        };
        if self.interval.holds(t, id) && is_nearer() {
            (self.tuv, self.index, self.placement) = (tuv, index, self.entered);
            (self.block, self.slot) = (block, slot as u32);
        }
    }

    /// Returns the closest hit and its instance.
    #[inline(always)]
    pub fn found(&self) -> Option<(Hit, u32)> {
        if self.index == Self::NONE {
            return None;
        }
        let ([t, u, v], id) = (self.tuv, self.asking.id(self.placement, self.index));
        Some((Hit { t, u, v, primitive: id.primitive }, id.instance))
    }

    /// Returns `true` if the hit is on a triangle that is not there for having no area. Any other may have been hidden
    /// by it.
    pub fn is_on_nothing(&self) -> bool {
        if self.index == Self::NONE || self.block == 0 {
            return false;
        }
        let map = self.asking.scene.placed[self.placement as usize].moved.as_ref().map(|moved| &moved.to_world);
        let Some(block) = self.asking.block(self.placement, self.block) else { return false };
        has_no_area(&InLeaf { block, slot: self.slot as usize, place: map }.corners())
    }
}

impl TakesCustom for Closest<'_> {
    fn offer_custom(&mut self, hit: &GeometryHit, t: f32, primitive: u32) -> bool {
        self.take([t, hit.u, hit.v], primitive, (0, 0));
        false
    }
}

impl PlacedQuery for Closest<'_> {
    #[inline(always)]
    fn enter(&mut self, placement: u32) {
        self.entered = placement;
    }
}

impl Query for Closest<'_> {
    const ORDERED: bool = true;
    const PACKETS: bool = false;
    type Probe = Off;

    #[inline(always)]
    fn probe(&mut self) -> &mut Off {
        &mut self.probe
    }

    #[inline(always)]
    fn low(&self) -> f32 {
        self.interval.low
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.tuv[0]
    }

    /// Not called: triangles are offered with their place.
    fn offer(&mut self, _: [f32; 3], _: u32) {}

    #[inline(always)]
    fn offer_with(&mut self, tuv: [f32; 3], slot: u32, triangle: InLeaf<'_>) {
        self.take(tuv, slot & INDEX_MASK, (std::ptr::from_ref(triangle.block).addr(), triangle.slot));
    }

    #[inline(always)]
    fn needs_id(&self, t: f32) -> bool {
        (t == self.tuv[0]) | (t == self.interval.after.t)
    }

    fn offer_plain(&mut self, _: [f32; 3], _: u32) {}

    #[inline(always)]
    fn offer_plain_with(&mut self, tuv: [f32; 3], slot: u32, triangle: InLeaf<'_>) {
        // As in the query of flat scenes.
        let is_taken = tuv[0] < self.tuv[0];
        for (old, new) in self.tuv.iter_mut().zip(tuv) {
            *old = f32::from_bits(select_unpredictable(is_taken, new.to_bits(), old.to_bits()));
        }
        self.index = select_unpredictable(is_taken, slot & INDEX_MASK, self.index);
        self.placement = select_unpredictable(is_taken, self.entered, self.placement);
        self.slot = select_unpredictable(is_taken, triangle.slot as u32, self.slot);
        self.block = select_unpredictable(is_taken, std::ptr::from_ref(triangle.block).addr(), self.block);
    }

    #[inline(always)]
    fn is_decided(&self) -> bool {
        false
    }
}

/// Any-hit query: `is_blocked` once something opaque was hit, and until then the first hit that is not opaque.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a> {
    asking: Asking<'a>,
    interval: Interval,
    probe: Off,
    entered: u32,
    is_blocked: bool,
    candidate: Option<([f32; 3], PrimitiveId)>,
}

impl<'a> Any<'a> {
    #[inline(always)]
    pub fn new(asking: Asking<'a>, range: &Range<'_>) -> Self {
        let interval = Interval::of(range);
        Self { asking, interval, probe: Off, entered: 0, is_blocked: false, candidate: None }
    }

    /// Returns the answer.
    #[inline(always)]
    pub fn found(&self) -> Blocked {
        match self.candidate {
            _ if self.is_blocked => Blocked::Yes,
            None => Blocked::No,
            Some(([t, u, v], id)) => Blocked::Perhaps(Hit { t, u, v, primitive: id.primitive }, id.instance),
        }
    }
}

impl TakesCustom for Any<'_> {
    fn offer_custom(&mut self, _: &GeometryHit, t: f32, primitive: u32) -> bool {
        self.is_blocked |= self.interval.holds(t, || self.asking.id(self.entered, primitive));
        false
    }
}

impl PlacedQuery for Any<'_> {
    #[inline(always)]
    fn enter(&mut self, placement: u32) {
        self.entered = placement;
    }
}

impl Query for Any<'_> {
    const ORDERED: bool = false;
    const PACKETS: bool = false;
    type Probe = Off;

    #[inline(always)]
    fn probe(&mut self) -> &mut Off {
        &mut self.probe
    }

    #[inline(always)]
    fn low(&self) -> f32 {
        self.interval.low
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.interval.high
    }

    /// Not called: triangles are offered with their place.
    fn offer(&mut self, _: [f32; 3], _: u32) {}

    fn offer_with(&mut self, tuv: [f32; 3], slot: u32, triangle: InLeaf<'_>) {
        let id = || self.asking.id(self.entered, slot & INDEX_MASK);
        if !self.interval.holds(tuv[0], id) || self.asking.is_solid && has_no_area(&triangle.corners()) {
            return;
        }
        if slot & NON_OPAQUE == 0 {
            self.is_blocked = true;
            return;
        }
        let id = id();
        if self.candidate.is_none_or(|(found, other)| (tuv[0], id) < (found[0], other)) {
            // Something opaque may still lie behind it, so that the interval stays as it is.
            self.candidate = Some((tuv, id));
        }
    }

    #[inline(always)]
    fn needs_id(&self, t: f32) -> bool {
        t <= self.interval.high
    }

    #[inline(always)]
    fn offer_plain(&mut self, _: [f32; 3], _: u32) {}

    #[inline(always)]
    fn is_decided(&self) -> bool {
        self.is_blocked
    }
}
