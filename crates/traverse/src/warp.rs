//! Warps: lanes, the tree they walk, the rays they take and the probe that watches. The micro-operations in `ops` are a
//! warp's methods, and schedules are written in them.

use crate::lane::{IDLE, Lane, Work};
use crate::lanes::{Is, Lanes, Mask};
use crate::ops::{Tested, Visited};
use crate::probe::{Touch, WarpEvent, Watch};
use crate::supply::Pool;
use crate::tree::{Entry, TestRules, Tree, Visit, VisitRules};
use raywarp_family::{Block, Fetch, Space, Variant};
use raywarp_geom::Hit;

/// Facts that all warps of a launch share: variant, tree and query.
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

/// Result of a ray that a warp traced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// Index of the ray in its batch.
    pub ray: u32,
    /// Closest hit; of an any-hit ray that nothing opaque blocks, the nearest hit that is not opaque.
    pub hit: Hit,
    /// Index of the instance that was hit.
    pub instance: u32,
    /// `true` if something opaque blocks an any-hit ray.
    pub blocked: bool,
    /// `true` if the ray was invalid and so could not hit anything.
    pub invalid: bool,
    /// `true` if the variant could not decide the ray, and another one that takes any ray traced it.
    pub by_fallback: bool,
}

/// A warp that runs in lockstep: its lanes, its pool of rays and its probe.
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
    /// Index of the ray of each lane.
    rays: Vec<u32>,
    touches: Vec<Touch>,
    /// Scratch lists of the micro-operations, kept between calls: lanes with an index, with a stack and an index,
    /// visits, tests.
    pub noted: Vec<(u32, u32)>,
    pub stacked: Vec<(u32, u16, u32)>,
    pub visited: Vec<Visited>,
    pub tested: Vec<Tested>,
}

impl<'a, L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'a, L, T, P> {
    /// Makes warp `number` of a launch, with idle lanes.
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

    /// Returns the number of the machine's lanes that share one ray; these count as one lane of this warp.
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

    /// Makes all lanes that have a leaf begin it together.
    pub fn begin_leaf(&mut self) {
        let mask = self.has_leaf();
        self.lanes.each(mask, |_, lane| lane.leaf_ended = false);
    }

    /// Returns the lanes that must pop from their stacks before anything else.
    pub fn exhausted(&self) -> L::Mask {
        self.lanes.which(Is::Exhausted)
    }

    /// Returns the lanes that stand at an instance, which they must enter to go on; none in trees of one level.
    pub fn at_instance(&self) -> L::Mask {
        self.changing_level(|work| matches!(work, Work::At(Entry::Instance(_))))
    }

    /// Returns the lanes that have walked the placed tree that they are in, and must leave it to go on.
    pub fn above(&self) -> L::Mask {
        self.changing_level(|work| matches!(work, Work::At(Entry::Above)))
    }

    fn changing_level(&self, is: impl Fn(&Work<T::Inner, T::Leaf>) -> bool) -> L::Mask {
        if T::LEVELS { self.lanes.among(self.alive(), |lane| is(&lane.work)) } else { L::Mask::NONE }
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

    /// Returns `true` if the probe wants the memory that lanes touch.
    #[inline]
    pub fn wants_touches(&self) -> bool {
        P::ON && self.probe.touches()
    }

    /// Notes memory that `lane` touches, if the probe wants it.
    #[inline]
    pub fn touch(&mut self, lane: u32, space: Space, index: u32, offset: u16, bytes: u16, write: bool) {
        if P::ON && self.probe.touches() {
            self.touches.push(Touch { lane: lane as u8, space, index, owner: 0, offset, bytes, write });
        }
    }

    /// Notes a memory access of the machine's lanes, if the probe wants it.
    #[inline]
    pub fn touch_by(&mut self, touch: Touch) {
        if P::ON && self.probe.touches() {
            self.touches.push(touch);
        }
    }

    /// Notes that lane `lane` reads or writes entry `index` of stack `owner`.
    #[inline]
    pub fn touch_stack(&mut self, lane: u32, owner: u16, index: u32, write: bool) {
        if P::ON && self.probe.touches() {
            let (lane, bytes) = ((lane * self.lanes_per_ray()) as u8, self.launch.variant.stack().entry_bytes as u16);
            self.touches.push(Touch { lane, space: Space::Stack, index, owner, offset: 0, bytes, write });
        }
    }

    /// Tells the probe that the block of code ran on the lanes of `mask`, with the touches noted since the last event.
    pub fn issue(&mut self, block: Block, mask: L::Mask) {
        if P::ON && mask.any() {
            let n = self.lanes_per_ray();
            self.tell(block, spread(mask.bits(), n, n));
        }
        self.touches.clear();
    }

    /// Tells the probe of a block of code as [`Warp::issue`] does, `times` times, without touches.
    pub fn issue_times(&mut self, block: Block, mask: L::Mask, times: u32) {
        if P::ON && mask.any() && times > 0 {
            let active = spread(mask.bits(), self.lanes_per_ray, self.lanes_per_ray);
            let event = WarpEvent { warp: self.number, block, active, rays: &self.rays, touches: &[] };
            self.probe.repeated(&event, times);
        }
    }

    /// Tells the probe of a block of code as [`Warp::issue`] does, with the active lanes as a bit mask over the
    /// machine's lanes, of which several may share a ray.
    pub fn issue_bits(&mut self, block: Block, active: u64) {
        if P::ON && active != 0 {
            self.tell(block, active);
        }
        self.touches.clear();
    }

    fn tell(&mut self, block: Block, active: u64) {
        let event = WarpEvent { warp: self.number, block, active, rays: &self.rays, touches: &self.touches };
        self.probe.event(&event);
    }

    /// Tells the probe of a block of code as [`Warp::issue`] does, on every lane of the warp, with or without a ray.
    pub fn issue_everyone(&mut self, block: Block) {
        if P::ON {
            self.issue(block, self.everyone());
        }
    }

    /// Sets the ray index that events tell of `lane`.
    pub fn set_ray(&mut self, lane: u32, ray: u32) {
        let n = self.lanes_per_ray() as usize;
        self.rays[lane as usize * n..][..n].fill(ray);
    }

    /// Returns all lanes of the warp, with or without a ray.
    pub fn everyone(&self) -> L::Mask {
        self.everyone
    }
}

/// Spreads the bits of `mask` to groups of `lanes` bits, of which the first `used` become equal to it.
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
