//! What is done with the triangles that a ray hits, told by their ids: for scenes of two levels, and for filters.

use crate::blocked::Blocked;
use crate::custom::{GeometryHit, TakesCustom};
use crate::ids::LentIds;
use crate::probe::{Off, Probe};
use crate::query::{InLeaf, OfRange, Query, Range, comes_after};
use crate::touches::{Receiver, Split};
use raywarp_geom::{Affine64, Hit, PrimitiveId};
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
    pub(crate) surface: Surface<'a>,
}

/// What a hit is on.
#[derive(Clone, Copy)]
pub(crate) enum Surface<'a> {
    /// Triangle in a leaf.
    Triangle(InLeaf<'a>),
    /// Primitive of custom geometry.
    Custom { is_front: bool },
}

impl Contact<'_> {
    /// Returns the triangle's corners in the world; `None` for custom geometry.
    pub fn corners(&self) -> Option<[[f32; 3]; 3]> {
        match self.surface {
            Surface::Triangle(triangle) => Some(triangle.corners()),
            Surface::Custom { .. } => None,
        }
    }

    /// Returns `true` if a triangle is placed by a map that mirrors; that of the ray's time, if it moves.
    pub fn is_mirrored(&self) -> bool {
        let Surface::Triangle(InLeaf { place: Some(place), .. }) = self.surface else { return false };
        Affine64::from(place).determinant() < 0.0
    }

    /// Returns `true` if custom geometry says that the ray comes from its front, in its own space; `false` for
    /// triangles, whose corners tell.
    pub fn is_custom_front(&self) -> bool {
        matches!(self.surface, Surface::Custom { is_front: true })
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
    /// Takes a hit on a surface; in any order, and triangles of several leaves more than once.
    fn take(&mut self, found: &Found, surface: Surface<'_>);
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
    fn take(&mut self, found: &Found, _: Surface<'_>) {
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
    fn take(&mut self, found: &Found, surface: Surface<'_>) {
        if found.is_opaque {
            self.is_blocked = true;
        } else {
            // Something opaque may still lie behind it, so that the interval stays as it is.
            self.candidate.take(found, surface);
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
    fn take(&mut self, found: &Found, surface: Surface<'_>) {
        if !self.is_over {
            let touch = Contact { hit: found.hit(), instance: found.id.instance, surface };
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

/// Question of a tree by itself, some of whose triangles stand in several leaves.
pub(crate) struct OfTree<'a, K, P> {
    pub split: &'a Split,
    pub asked: Asked<'a, K, P>,
}

/// What a query leaves: whom it told, and who counted.
pub(crate) struct Reply<K, P> {
    pub sink: K,
    pub probe: P,
}

impl<'a, K: Sink, P: Probe> OfRange<'a> for OfTree<'a, K, P> {
    type Query = Within<'a, K, P>;
    type Answer = Reply<K, P>;

    #[inline(always)]
    fn of_range(self, range: Range<'a>) -> Self::Query {
        Within::new(range, self.split, self.asked)
    }

    #[inline(always)]
    fn answer(query: &Self::Query) -> Option<Reply<K, P>> {
        Some(query.reply())
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
    probe: P,
    sink: K,
}

impl<'a, K: Sink, P: Probe> Within<'a, K, P> {
    /// Returns the query over an interval, whose ids are of no tree yet ([`Within::enter`]).
    pub fn new(range: Range<'a>, split: &'a Split, asked: Asked<'a, K, P>) -> Self {
        Self { range, base: 0, split, accept: asked.accept, probe: asked.probe, sink: asked.sink }
    }

    /// Returns what the query leaves.
    #[inline(always)]
    pub fn reply(&self) -> Reply<K, P> {
        Reply { sink: self.sink, probe: self.probe }
    }

    /// Makes triangles from now on those of another tree, with its ids, whose instances get `base` added.
    #[inline(always)]
    pub fn enter(&mut self, ids: LentIds<'a>, split: &'a Split, base: u32) {
        self.range.ids = ids;
        (self.split, self.base) = (split, base);
    }

    /// Makes what is offered from now on custom geometry, which is instance `instance`.
    pub fn enter_custom(&mut self, instance: u32) {
        self.base = instance;
    }

    /// Passes a hit on to the sink if it is within the interval and accepted; returns `true` if it is within and not
    /// accepted.
    #[inline(always)]
    fn take(&mut self, found: &Found, surface: Surface<'_>) -> bool {
        let (t, id, after) = (found.tuv[0], found.id, &self.range.after);
        let is_in = self.range.low <= t && t <= self.sink.limit(self.range.high);
        if is_in && (t != after.t || comes_after(id, after)) {
            if let Some(accept) = self.accept
                && !accept(&Contact { hit: found.hit(), instance: id.instance, surface })
            {
                return true;
            }
            self.sink.take(found, surface);
        }
        false
    }
}

impl<K: Sink, P: Probe> TakesCustom for Within<'_, K, P> {
    #[inline]
    fn offer_custom(&mut self, hit: &GeometryHit, t: f32, primitive: u32) -> bool {
        let found = Found {
            tuv: [t, hit.u, hit.v],
            id: PrimitiveId { instance: self.base, primitive },
            is_opaque: true,
            is_split: false,
        };
        self.take(&found, Surface::Custom { is_front: hit.is_front })
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
    fn offer_with(&mut self, tuv: [f32; 3], slot: u32, triangle: InLeaf<'_>) {
        let index = slot & INDEX_MASK;
        let of_tree = self.range.ids.get(index);
        let id = PrimitiveId { instance: self.base + of_tree.instance, ..of_tree };
        let is_split = self.split.has(index);
        self.take(&Found { tuv, id, is_opaque: slot & NON_OPAQUE == 0, is_split }, Surface::Triangle(triangle));
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
