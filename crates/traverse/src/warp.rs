//! Warps: lanes, the tree they walk, the rays they take and the probe that watches. The micro-operations in `ops` are a
//! warp's methods, and schedules are written in them.

use crate::lane::{IDLE, Lane};
use crate::lanes::{Is, Lanes, Mask};
use crate::ops::{Tested, Visited};
use crate::probe::{Event, Touch, Watch};
use crate::supply::Pool;
use crate::tree::{TestRules, Tree, Visit, VisitRules};
use raywarp_family::{Block, Fetch, Space, Variant};
use raywarp_geom::Hit;

/// Variant, tree and query of a launch: the same for all of its warps.
pub(crate) struct Launch<'a, T> {
    pub variant: &'a Variant,
    pub tree: &'a T,
    pub any_hit: bool,
}

impl<T> Clone for Launch<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

// Derived, it would ask for a tree that is Copy.
impl<T> Copy for Launch<'_, T> {}

/// The answer to one ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// Number of the ray in its batch.
    pub ray: u32,
    /// Closest hit, or for an any-hit ray that nothing opaque blocks its first candidate.
    pub hit: Hit,
    /// Instance of the hit.
    pub instance: u32,
    /// `true` if something opaque blocks an any-hit ray.
    pub blocked: bool,
    /// `true` if the ray could not hit anything.
    pub invalid: bool,
    /// `true` if the variant could not decide the ray: it was traced again, by one that takes any ray.
    pub by_fallback: bool,
}

/// Lanes in step.
pub(crate) struct Warp<'a, L: Lanes, T: Tree, P> {
    pub launch: Launch<'a, T>,
    pub rules: VisitRules,
    pub test_rules: TestRules,
    pub lanes: L,
    pub pool: Pool<'a>,
    pub answers: &'a mut Vec<Answer>,
    pub visit: Visit<T::Inner, T::Leaf>,
    number: u32,
    lanes_per_ray: u32,
    everyone: L::Mask,
    probe: &'a mut P,
    /// Ray of each lane of the warp.
    rays: Vec<u32>,
    touches: Vec<Touch>,
    /// Work space of the micro-operations: lanes with an index, with a stack and an index, visits, tests.
    pub noted: Vec<(u32, u32)>,
    pub stacked: Vec<(u32, u16, u32)>,
    pub visited: Vec<Visited>,
    pub tested: Vec<Tested>,
}

impl<'a, L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'a, L, T, P> {
    /// Makes warp `number` of a launch, idle.
    pub fn new(
        launch: Launch<'a, T>,
        number: u32,
        lanes: L,
        pool: Pool<'a>,
        answers: &'a mut Vec<Answer>,
        probe: &'a mut P,
    ) -> Self {
        let lanes_per_ray = launch.variant.lanes_per_ray();
        let rays = vec![IDLE; (lanes.count() * lanes_per_ray) as usize];
        let rules = VisitRules::new(launch.variant, launch.any_hit);
        let by_rows = P::ON && launch.variant.fetch() == Fetch::Needed;
        Self {
            launch,
            rules,
            everyone: lanes.all(),
            test_rules: TestRules { any_hit: launch.any_hit, by_rows },
            lanes,
            pool,
            answers,
            visit: Visit::default(),
            number,
            lanes_per_ray,
            probe,
            rays,
            touches: vec![],
            noted: vec![],
            stacked: vec![],
            visited: vec![],
            tested: vec![],
        }
    }

    /// Returns the number of lanes of the machine that hold the ray of one of our lanes.
    #[inline]
    pub fn lanes_per_ray(&self) -> u32 {
        self.lanes_per_ray
    }

    /// Returns the number of rays that the warp holds at once.
    pub fn width(&self) -> u32 {
        self.lanes.count()
    }

    /// Returns the lanes that could visit a node now.
    pub fn at_inner_node(&self) -> L::Mask {
        self.lanes.which(Is::AtInner)
    }

    /// Returns the lanes that could test a triangle now.
    pub fn has_leaf(&self) -> L::Mask {
        self.lanes.which(Is::HasLeaf)
    }

    /// Returns the lanes with triangles left of the leaf that they began.
    pub fn in_leaf(&self) -> L::Mask {
        self.lanes.which(Is::InLeaf)
    }

    /// Lets all lanes begin their next leaf together.
    pub fn begin_leaf(&mut self) {
        let mask = self.has_leaf();
        self.lanes.each(mask, |_, lane| lane.leaf_ended = false);
    }

    /// Returns the lanes that must pop before anything else.
    pub fn exhausted(&self) -> L::Mask {
        self.lanes.which(Is::Exhausted)
    }

    /// Returns the lanes whose ray has not ended.
    pub fn alive(&self) -> L::Mask {
        self.lanes.which(Is::Alive)
    }

    /// Returns the lanes without a ray.
    pub fn idle(&self) -> L::Mask {
        self.lanes.which(Is::Idle)
    }

    /// Returns the lanes that hold a ray, ended or not.
    pub fn holding(&self) -> L::Mask {
        self.everyone.without(self.idle())
    }

    /// Returns `true` if the probe asks for the memory that lanes touch.
    #[inline]
    pub fn wants_touches(&self) -> bool {
        P::ON && self.probe.touches()
    }

    /// Notes what `lane` touches, if anybody looks.
    #[inline]
    pub fn touch(&mut self, lane: u32, space: Space, index: u32, offset: u16, bytes: u16, write: bool) {
        if P::ON && self.probe.touches() {
            self.touches.push(Touch { lane: lane as u8, space, index, owner: 0, offset, bytes, write });
        }
    }

    /// Notes a touch as it is.
    #[inline]
    pub fn touch_by(&mut self, touch: Touch) {
        if P::ON && self.probe.touches() {
            self.touches.push(touch);
        }
    }

    /// Notes that our lane `lane` reads or writes entry `index` of stack `owner`.
    #[inline]
    pub fn touch_stack(&mut self, lane: u32, owner: u16, index: u32, write: bool) {
        if P::ON && self.probe.touches() {
            let (lane, bytes) = ((lane * self.lanes_per_ray()) as u8, self.launch.variant.stack().entry_bytes as u16);
            self.touches.push(Touch { lane, space: Space::Stack, index, owner, offset: 0, bytes, write });
        }
    }

    /// Tells the probe that `block` ran on `mask`, with what was noted since the last event.
    pub fn issue(&mut self, block: Block, mask: L::Mask) {
        if P::ON && mask.any() {
            let n = self.lanes_per_ray();
            self.tell(block, spread(mask.bits(), n, n));
        }
        self.touches.clear();
    }

    /// Issues a block as [`Warp::issue`], `times` times; nothing was noted before.
    pub fn issue_times(&mut self, block: Block, mask: L::Mask, times: u32) {
        if P::ON && mask.any() && times > 0 {
            let active = spread(mask.bits(), self.lanes_per_ray, self.lanes_per_ray);
            let event = Event { warp: self.number, block, active, rays: &self.rays, touches: &[] };
            self.probe.repeated(&event, times);
        }
    }

    /// Issues a block as [`Warp::issue`] with the machine's lanes given bit by bit.
    pub fn issue_bits(&mut self, block: Block, active: u64) {
        if P::ON && active != 0 {
            self.tell(block, active);
        }
        self.touches.clear();
    }

    fn tell(&mut self, block: Block, active: u64) {
        let event = Event { warp: self.number, block, active, rays: &self.rays, touches: &self.touches };
        self.probe.event(&event);
    }

    /// Issues a block as [`Warp::issue`] on every lane of the warp, with or without a ray.
    pub fn issue_everyone(&mut self, block: Block) {
        if P::ON {
            self.issue(block, self.everyone());
        }
    }

    /// Writes down which ray `lane` holds now.
    pub fn set_ray(&mut self, lane: u32, ray: u32) {
        let n = self.lanes_per_ray() as usize;
        self.rays[lane as usize * n..][..n].fill(ray);
    }

    /// Returns all lanes of the warp, with or without a ray.
    pub fn everyone(&self) -> L::Mask {
        self.everyone
    }
}

/// Spreads each bit of `mask` as `used` of `lanes` bits.
pub(crate) fn spread(mask: u64, lanes: u32, used: u32) -> u64 {
    if lanes == 1 {
        return mask;
    }
    let group = u64::MAX >> (64 - used.min(lanes)).min(63);
    let (mut left, mut bits) = (mask & u64::MAX >> (64 - 64 / lanes), 0);
    while left != 0 {
        bits |= group << (left.trailing_zeros() * lanes);
        left &= left - 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn a_ray_on_several_lanes_sets_as_many_bits() {
        assert_eq!(spread(0b101, 1, 1), 0b101);
        assert_eq!(spread(0b101, 4, 4), 0x0f0f);
        assert_eq!(spread(0b10, 8, 3), 0b111 << 8);
        assert_eq!(spread(0b11, 32, 32), u64::MAX);
    }
}
