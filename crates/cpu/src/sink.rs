//! What is done with the triangles that a ray hits, told by their ids: for scenes of two levels, and for filters.

use crate::blocked::Blocked;
use crate::probe::{Off, Probe};
use crate::query::{Corners, Query, Range};
use crate::touches::{Receiver, Split};
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

/// Hit that a filter decides about.
pub struct Contact<'a> {
    /// The hit, whose `t` is within the ray's interval.
    pub hit: Hit,
    /// Instance of the triangle that is hit.
    pub instance: u32,
    pub(crate) corners: &'a dyn Fn() -> Corners,
}

impl Contact<'_> {
    /// Returns the triangle's corners in the world.
    pub fn corners(&self) -> [[f32; 3]; 3] {
        (self.corners)()
    }
}

impl std::fmt::Debug for Contact<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contact").field("hit", &self.hit).field("instance", &self.instance).finish()
    }
}

/// Filter: returns whether a hit counts.
pub type Accept<'a> = dyn Fn(&Contact<'_>) -> bool + 'a;

/// Receiver of triangles within a ray's interval.
pub(crate) trait Sink: Copy {
    /// `true` if the nearest is wanted.
    const ORDERED: bool;
    /// Returns the largest `t` that still counts, which is at most `high`.
    fn limit(&self, high: f32) -> f32;
    /// Takes a triangle, whose corners in the world `corners` returns; in any order, and those of several leaves more
    /// than once.
    fn take(&mut self, found: &Found, corners: impl Fn() -> Corners);
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
    fn take(&mut self, found: &Found, _: impl Fn() -> Corners) {
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
    is_blocked: bool,
    candidate: Nearest,
}

impl Obstacle {
    /// Returns the answer.
    pub fn verdict(&self) -> Blocked {
        match self.candidate.hit() {
            _ if self.is_blocked => Blocked::Yes,
            None => Blocked::No,
            Some((hit, instance)) => Blocked::Perhaps(hit, instance),
        }
    }
}

impl Sink for Obstacle {
    const ORDERED: bool = false;

    #[inline(always)]
    fn limit(&self, high: f32) -> f32 {
        high
    }

    #[inline(always)]
    fn take(&mut self, found: &Found, corners: impl Fn() -> Corners) {
        if found.is_opaque {
            self.is_blocked = true;
        } else {
            // Something opaque may still lie behind it, so that the interval stays as it is.
            self.candidate.take(found, corners);
        }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.is_blocked
    }
}

/// What is told of a hit at once, until it breaks.
pub(crate) type Told<'a> = &'a mut dyn FnMut(&Contact<'_>) -> ControlFlow<()>;

/// Every hit, passed on at once.
#[derive(Clone, Copy)]
pub(crate) struct Each<'r, 't> {
    receiver: &'r Receiver<Told<'t>>,
    is_over: bool,
}

impl<'r, 't> Each<'r, 't> {
    pub fn new(receiver: &'r Receiver<Told<'t>>) -> Self {
        Self { receiver, is_over: false }
    }
}

impl Sink for Each<'_, '_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn limit(&self, high: f32) -> f32 {
        high
    }

    #[inline]
    fn take(&mut self, found: &Found, corners: impl Fn() -> Corners) {
        if !self.is_over {
            let touch = Contact { hit: found.hit(), instance: found.id.instance, corners: &corners };
            let flow = self.receiver.take_once(found.id, found.is_split, |told| told(&touch));
            self.is_over = flow.is_break();
        }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.is_over
    }
}

/// What a query asks: which hits, for whom, and who counts.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a, K, P> {
    pub accept: Option<&'a Accept<'a>>,
    pub sink: K,
    pub probe: P,
}

impl<K> Asked<'_, K, Off> {
    /// Asks for all hits.
    pub fn all(sink: K) -> Self {
        Self { accept: None, sink, probe: Off }
    }
}

/// Query that offers a sink what lies within an interval.
#[derive(Clone, Copy)]
pub(crate) struct Within<'a, K, P> {
    range: Range<'a>,
    /// What is added to the instances of the tree's ids.
    base: u32,
    /// Triangles of the tree that stand in several leaves.
    split: &'a Split,
    accept: Option<&'a Accept<'a>>,
    pub probe: P,
    pub sink: K,
}

impl<'a, K: Sink, P: Probe> Within<'a, K, P> {
    /// Returns the query over an interval, whose ids are of no tree yet ([`Within::enter`]).
    pub fn new(range: Range<'a>, split: &'a Split, asked: Asked<'a, K, P>) -> Self {
        Self { range, base: 0, split, accept: asked.accept, probe: asked.probe, sink: asked.sink }
    }

    /// Makes triangles from now on those of another tree, with its ids, whose instances get `base` added.
    #[inline(always)]
    pub fn enter(&mut self, ids: &'a [PrimitiveId], split: &'a Split, base: u32) {
        self.range.ids = ids;
        (self.split, self.base) = (split, base);
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

    /// Not called: what is offered by itself comes from packets and from plain trees, which have none of these.
    #[inline(always)]
    fn offer(&mut self, _: [f32; 3], _: u32) {}

    #[inline]
    fn offer_with(&mut self, tuv: [f32; 3], slot: u32, corners: impl Fn() -> Corners) {
        let index = slot & INDEX_MASK;
        let of_tree = self.range.ids[index as usize];
        let id = PrimitiveId { instance: self.base + of_tree.instance, ..of_tree };
        let (t, after) = (tuv[0], &self.range.after);
        let is_in = self.range.low <= t && t <= self.limit();
        if is_in && (t != after.t || (id.instance, id.primitive) > (after.instance, after.primitive)) {
            if let Some(accept) = self.accept {
                let hit = Hit { t, u: tuv[1], v: tuv[2], primitive: id.primitive };
                if !accept(&Contact { hit, instance: id.instance, corners: &corners }) {
                    return;
                }
            }
            let is_split = self.split.has(index);
            self.sink.take(&Found { tuv, id, is_opaque: slot & NON_OPAQUE == 0, is_split }, corners);
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
