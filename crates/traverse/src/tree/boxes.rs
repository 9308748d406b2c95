//! Encoded trees of boxes and triangles with the rays that walk them.

use super::{Entry, EntryOf, Leaf, RecordTest, TestRules, Tree, Visit, VisitRules};
use crate::lane::Found;
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use crate::warp::Answer;
use raywarp_family::Variant;
use raywarp_geom::{Aabb, HitKey, Ray};
use std::fmt::Debug;

/// An encoded tree.
pub(crate) trait BoxTree: Sync {
    /// Name of a node that is yet to be visited.
    type Inner: Copy + Debug + PartialEq;
    /// Triangles that are yet to be tested.
    type Leaf: Leaf;

    /// Returns the entry at which a walk starts; `None` for a tree without triangles.
    fn root(&self) -> Option<Entry<Self::Inner, Self::Leaf>>;
    /// Returns the number of stack entries that suffice for any ray.
    fn stack_depth(&self) -> usize;
    /// Returns `t u v` where the line of `ray` meets the triangle of `record`, or both of a pair, but perhaps for what
    /// is out of its interval up to `limit`; each with the index of the triangle, with the bit of one that is not
    /// opaque.
    fn test(&self, record: u32, ray: &LaneRay, limit: f32, triangles: &Triangles) -> [Option<Candidate>; 2];

    /// Returns `true` if the tree may lose what a valid ray hits; such a ray is traced by another variant.
    #[inline]
    fn is_beyond(&self, _ray: &LaneRay) -> bool {
        false
    }

    /// Puts a group of nodes behind a leaf: [`Tree::join`].
    #[inline]
    fn join(leaf: Self::Leaf, _nodes: &mut Option<Self::Inner>) -> Self::Leaf {
        leaf
    }

    /// Takes the group of nodes behind a leaf: [`Tree::take_behind`].
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

    /// Returns the child of `node` in `slot`; only a tree whose children are no groups is asked.
    fn child(&self, node: u32, slot: u32) -> Entry<Self::Inner, Self::Leaf>;
}

/// A triangle that a ray's line meets: `t u v` and the slot's word.
pub(crate) type Candidate = ([f32; 3], u32);

/// Mark in place of `t u v` of a triangle that the ray may meet, which this test cannot tell.
pub(crate) const UNDECIDED: [f32; 3] = [f32::NAN; 3];

/// Tests the triangle of a record, for a tree with a slot for each of the records of `triangles`.
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

/// A tree with its triangle records and a batch of rays.
pub(crate) struct Boxes<'a, B> {
    pub tree: &'a B,
    pub triangles: &'a Triangles,
    pub bounds: &'a Aabb,
    pub rays: &'a [Ray],
    /// Empty, or a key a ray.
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
            result.accepted |= found.offer(ray, tuv, word, &self.triangles.ids, rules.any_hit);
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
        let (hit, instance) = found.hit(t_max, &self.triangles.ids);
        let by_fallback = found.beyond && !found.blocked;
        Answer { ray, hit, instance, blocked: found.blocked, invalid: found.invalid, by_fallback }
    }
}
