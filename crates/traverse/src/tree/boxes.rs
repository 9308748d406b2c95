//! Encoded trees of boxes and triangles with the rays that walk them.

use super::{Entry, EntryOf, Leaf, RecordTest, TestRules, Tree, Visit, VisitRules};
use crate::lane::Found;
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use crate::warp::Answer;
use raywarp_family::Variant;
use raywarp_geom::{Aabb, HitKey, Ray};
use std::fmt::Debug;

/// An encoded bounding volume hierarchy, as kernels test its boxes and triangles.
pub(crate) trait BoxTree: Sync {
    /// Reference to a node, or group of nodes, that is yet to be visited.
    type Inner: Copy + Debug + PartialEq;
    /// Triangle records of a leaf, or group of leaves, that are yet to be tested.
    type Leaf: Leaf;

    /// Returns the stack entry at which a walk starts; `None` for a tree without triangles.
    fn root(&self) -> Option<Entry<Self::Inner, Self::Leaf>>;
    /// Returns the number of stack entries that suffice for any ray in this tree.
    fn stack_depth(&self) -> usize;
    /// Returns the hits of the ray's line with the triangle of `record`, or both of a pair, as `t u v` and the word
    /// with the triangle's index. Hits outside the ray's interval up to `limit` may be missing.
    fn test(&self, record: u32, ray: &LaneRay, limit: f32, triangles: &Triangles) -> [Option<Candidate>; 2];

    /// Returns `true` if the tree may miss hits of a valid ray, which another variant then traces.
    #[inline]
    fn is_beyond(&self, _ray: &LaneRay) -> bool {
        false
    }

    /// Attaches a group of nodes to a group of leaves: [`Tree::join`].
    #[inline]
    fn join(leaf: Self::Leaf, _nodes: &mut Option<Self::Inner>) -> Self::Leaf {
        leaf
    }

    /// Detaches the group of nodes from a group of leaves: [`Tree::take_behind`].
    #[inline]
    fn take_behind(_leaf: &mut Self::Leaf) -> Option<Self::Inner> {
        None
    }

    /// Tests `ray` against the boxes of the children of a node, within `ray.t_min ..= t_max`.
    fn visit(
        &self,
        inner: Self::Inner,
        ray: &LaneRay,
        t_max: f32,
        rules: &VisitRules,
        out: &mut Visit<Self::Inner, Self::Leaf>,
    );

    /// Returns the child of `node` in `slot`; only called on trees whose children do not come as groups.
    fn child(&self, node: u32, slot: u32) -> Entry<Self::Inner, Self::Leaf>;
}

/// A hit of a ray's line with a triangle: `t u v`, and the word with the triangle's index and opaqueness.
pub(crate) type Candidate = ([f32; 3], u32);

/// Value of `t u v` for a triangle that the ray may or may not meet, which the test leaves undecided.
pub(crate) const UNDECIDED: [f32; 3] = [f32::NAN; 3];

/// Tests the triangle of a record, for trees that have a word in `slots` for each of the records of `triangles`.
#[inline]
pub(crate) fn test_slot(
    slots: &[u32],
    record: u32,
    ray: &LaneRay,
    limit: f32,
    triangles: &Triangles,
) -> [Option<Candidate>; 2] {
    [triangles.test(record, ray, limit).map(|tuv| (tuv, slots[record as usize])), None]
}

/// An encoded tree with its triangle records and the batch of rays that walk it.
pub(crate) struct Boxes<'a, B> {
    pub tree: &'a B,
    pub triangles: &'a Triangles,
    pub bounds: &'a Aabb,
    pub rays: &'a [Ray],
    /// Key of each ray after which hits count; empty if all hits count.
    pub after: &'a [HitKey],
}

impl<B: BoxTree> Tree for Boxes<'_, B> {
    type Inner = B::Inner;
    type Leaf = B::Leaf;
    type Ray = LaneRay;

    fn root(&self) -> Option<EntryOf<Self>> {
        self.tree.root()
    }

    fn stack_depth(&self) -> usize {
        self.tree.stack_depth()
    }

    fn has_keys(&self) -> bool {
        !self.after.is_empty()
    }

    fn begin(&self, number: u32, variant: &Variant) -> (LaneRay, Found, Option<EntryOf<Self>>) {
        let ray = &self.rays[number as usize];
        let after = self.after.get(number as usize).copied().unwrap_or(HitKey::START);
        let mut found = Found::nothing(ray.t_max);
        found.invalid = !ray.is_valid();
        let ray = LaneRay::new(ray, &after, self.bounds, variant);
        found.beyond = !found.invalid && self.tree.is_beyond(&ray);
        let root = if found.invalid || found.beyond { None } else { self.tree.root() };
        (ray, found, root)
    }

    #[inline(always)]
    fn visit(
        &self,
        inner: B::Inner,
        ray: &LaneRay,
        t_max: f32,
        rules: &VisitRules,
        out: &mut Visit<B::Inner, B::Leaf>,
    ) {
        self.tree.visit(inner, ray, t_max, rules, out);
    }

    #[inline]
    fn child(&self, _: &LaneRay, node: u32, slot: u32) -> EntryOf<Self> {
        self.tree.child(node, slot)
    }

    #[inline]
    fn test(&self, record: u32, ray: &LaneRay, found: &mut Found, rules: &TestRules) -> RecordTest {
        let mut result = RecordTest { rows: [true; 2], accepted: false };
        if rules.by_rows {
            result.rows = self.triangles.rows_needed(record, ray, found.limit);
        }
        for (tuv, word) in self.tree.test(record, ray, found.limit, self.triangles).into_iter().flatten() {
            if tuv[0].is_nan() && ray.may_leave_undecided {
                (found.beyond, result.accepted) = (true, true);
                break;
            }
            result.accepted |= found.offer(ray, tuv, word, |index| self.triangles.ids[index as usize], rules.any_hit);
        }
        result
    }

    #[inline]
    fn join(leaf: B::Leaf, nodes: &mut Option<B::Inner>) -> B::Leaf {
        B::join(leaf, nodes)
    }

    #[inline]
    fn take_behind(leaf: &mut B::Leaf) -> Option<B::Inner> {
        B::take_behind(leaf)
    }

    fn answer(&self, ray: u32, found: &Found) -> Answer {
        let t_max = self.rays[ray as usize].t_max;
        let (hit, instance) = found.hit(t_max, |index| self.triangles.ids[index as usize]);
        let by_fallback = found.beyond && !found.blocked;
        Answer { ray, hit, instance, blocked: found.blocked, invalid: found.invalid, by_fallback }
    }
}
