//! Trees that kernels walk: one file a tree, [`boxes`] for what they have in common.

mod boxes;
mod bvh2;
mod byte_grid;
mod cwbvh8;
mod h8;
mod levels;
mod node_group;
mod order;
mod qbvh4;
mod wide4;
mod wide_n;

pub(crate) use boxes::{BoxTree, Boxes, Candidate, UNDECIDED, test_slot};
pub(crate) use levels::Placed;
pub(crate) use order::visit_four;

use crate::lane::Found;
use crate::warp::Answer;
use raywarp_family::{BoxTest, ChildOrder, Occlusion, Variant};
use raywarp_layout::{INDEX_MASK, NON_OPAQUE};
use std::fmt::Debug;

/// A tree as schedules see it: one of boxes and triangles, or the dump of a walk.
pub(crate) trait Tree: Sync {
    /// Reference to a node, or group of nodes, that is yet to be visited.
    type Inner: Copy + Debug + PartialEq;
    /// Triangle records of a leaf, or group of leaves, that are yet to be tested.
    type Leaf: Leaf;
    /// Values of its ray that a lane keeps for box and triangle tests.
    type Ray;
    /// `true` if the tree has two levels, so that lanes enter and leave instances.
    const LEVELS: bool = false;

    /// Returns the stack entry at which every walk starts; `None` for a tree without triangles.
    fn root(&self) -> Option<EntryOf<Self>>;
    /// Returns the number of stack entries that suffice for any ray in this tree.
    fn stack_depth(&self) -> usize;
    /// Returns `true` if each ray has a key after which hits count.
    fn has_keys(&self) -> bool;

    /// Sets up a ray: returns what the lane keeps of it, what it has found so far, and the entry where it starts.
    /// `None`: it ends at once.
    fn begin(&self, ray: u32, variant: &Variant) -> (Self::Ray, Found, Option<EntryOf<Self>>);

    /// Tests a ray against the boxes of the children of a node, up to `t_max`.
    fn visit(
        &self,
        inner: Self::Inner,
        ray: &Self::Ray,
        t_max: f32,
        rules: &VisitRules,
        out: &mut Visit<Self::Inner, Self::Leaf>,
    );

    /// Returns the child in `slot` of the node `node` that was visited.
    fn child(&self, ray: &Self::Ray, node: u32, slot: u32) -> EntryOf<Self>;

    /// Tests a triangle record, or both triangles of a pair, against a ray, and records a hit in `found`.
    fn test(&self, record: u32, ray: &Self::Ray, found: &mut Found, rules: &TestRules) -> RecordTest;

    /// Returns the entry at which a lane goes on after popping `entry` from its stack.
    #[inline]
    fn popped(&self, _ray: &Self::Ray, entry: EntryOf<Self>) -> EntryOf<Self> {
        entry
    }

    /// Takes a ray into the space of an instance; returns the entry at which its walk there starts, and the node
    /// records that are read for it.
    #[inline]
    fn enter(&self, _instance: u32, _ray: &mut Self::Ray, _variant: &Variant) -> Entered<EntryOf<Self>> {
        Entered { root: None, reads: [(0, 0); 2] }
    }

    /// Takes a ray back to the world from the instance that it is in.
    #[inline]
    fn leave(&self, _ray: &mut Self::Ray) {}

    /// Returns the node record that holds the map by which corners of the tree that the ray walks go to the world;
    /// `None` where they stand there already.
    #[inline]
    fn placed_by(&self, _ray: &Self::Ray) -> Option<u32> {
        None
    }

    /// Attaches a group of nodes to a group of leaves, in trees whose entries hold both, so that the nodes need no
    /// stack entry.
    #[inline]
    fn join(leaf: Self::Leaf, _nodes: &mut Option<Self::Inner>) -> Self::Leaf {
        leaf
    }

    /// Detaches and returns the group of nodes that [`Tree::join`] attached to leaves.
    #[inline]
    fn take_behind(_leaf: &mut Self::Leaf) -> Option<Self::Inner> {
        None
    }

    /// Returns the answer to store for a ray that has ended.
    fn answer(&self, ray: u32, found: &Found) -> Answer;
}

/// A stack entry: a node or a leaf, or what two levels have besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry<I, L> {
    Inner(I),
    Leaf(L),
    /// Leaf of the upper level: the instance of this index.
    Instance(u32),
    /// Mark on the stack: what lies below it is of the level above.
    Above,
}

/// Start of a ray's walk through an instance.
pub(crate) struct Entered<E> {
    /// Entry at which the walk starts; `None` if there is nothing to walk.
    pub root: Option<E>,
    /// Node records that are read, and how many bytes of each.
    pub reads: [(u32, u16); 2],
}

pub(crate) type EntryOf<T> = Entry<<T as Tree>::Inner, <T as Tree>::Leaf>;

/// Triangle records of a leaf, taken one after the other.
pub(crate) trait Leaf: Copy + Debug + PartialEq {
    /// Takes the next triangle record, if one is left.
    fn take(&mut self) -> Option<u32>;
    /// Returns `true` if no triangle record is left.
    fn is_empty(&self) -> bool;
}

/// A leaf of triangle records that follow each other in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RangeLeaf {
    pub next: u32,
    pub end: u32,
}

impl RangeLeaf {
    pub fn new(first: u32, count: u32) -> Self {
        Self { next: first, end: first + count }
    }
}

impl Leaf for RangeLeaf {
    #[inline]
    fn take(&mut self) -> Option<u32> {
        let record = self.next;
        (record < self.end).then(|| {
            self.next += 1;
            record
        })
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.next >= self.end
    }
}

/// Rules by which the variant visits a node, for one kind of query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisitRules {
    pub box_test: BoxTest,
    /// Order of the hit children; `None` leaves them unsorted.
    pub order: Option<ChildOrder>,
    /// `true` if the nodes of a group are visited from the farthest to the nearest.
    pub far: bool,
}

impl VisitRules {
    /// Makes the rules of `variant`, for any-hit or closest-hit rays.
    pub fn new(variant: &Variant, any_hit: bool) -> Self {
        let unsorted = any_hit && variant.occlusion() == Occlusion::Unsorted;
        let far = any_hit && variant.occlusion() == Occlusion::Far;
        Self { box_test: variant.box_test(), order: (!unsorted).then(|| variant.child_order()), far }
    }
}

impl VisitRules {
    /// Returns the octant by which a ray of direction octant `octant` takes the nodes of a group: the opposite one if
    /// the farthest come first.
    #[inline]
    pub fn octant(&self, octant: usize) -> usize {
        if self.far { 7 ^ octant } else { octant }
    }
}

/// Rules by which the variant tests a triangle record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestRules {
    pub any_hit: bool,
    /// `true` if a probe watches a kernel that fetches the rows of a triangle record one by one.
    pub by_rows: bool,
}

/// Result of the test of a triangle record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordTest {
    /// `true` for the second and for the third row if the test needed it.
    pub rows: [bool; 2],
    /// `true` if the test found a hit that the ray took.
    pub accepted: bool,
}

/// Largest number of children of a node.
const MOST_CHILDREN: usize = 32;

/// Result of the visit of a node: the hit children. Kept by the warp: it is large where few children are hit.
#[derive(Debug)]
pub(crate) struct Visit<I, L> {
    /// Index of the node's record that was fetched.
    pub node: u32,
    /// Number of children of the node.
    pub used: u32,
    /// Remainder of the group that led to this node, to be pushed below its children.
    pub rest: Option<Entry<I, L>>,
    /// Hit children with their entry distances, the first to be visited next.
    pub hits: Hits,
    /// Hit child nodes as one group, where the tree groups them.
    pub nodes: Option<I>,
    /// Triangles of all hit leaves as one group, where the tree groups them, to be tested before the nodes.
    pub group: Option<L>,
}

/// Hit children of a node: entry distance and slot of each.
#[derive(Debug)]
pub(crate) struct Hits {
    hits: [(f32, u32); MOST_CHILDREN],
    len: usize,
}

impl Hits {
    #[inline]
    pub fn push(&mut self, t: f32, slot: u32) {
        self.hits[self.len] = (t, slot);
        self.len += 1;
    }

    /// Sets the hit children of a node with two: whether each is hit, its distance, and whether the second comes first
    /// if both are hit.
    #[inline]
    pub fn set_two(&mut self, hit: [bool; 2], t: [f32; 2], swap: bool) {
        let second = hit[1] & (swap | !hit[0]);
        let [first, other] = [usize::from(second), usize::from(!second)];
        (self.hits[0], self.hits[1]) = ((t[first], first as u32), (t[other], other as u32));
        self.len = usize::from(hit[0]) + usize::from(hit[1]);
    }

    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    pub fn as_slice(&self) -> &[(f32, u32)] {
        &self.hits[..self.len]
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [(f32, u32)] {
        &mut self.hits[..self.len]
    }
}

impl<I, L> Default for Visit<I, L> {
    fn default() -> Self {
        let hits = Hits { hits: [(0.0, 0); MOST_CHILDREN], len: 0 };
        Self { node: 0, used: 0, rest: None, hits, nodes: None, group: None }
    }
}

impl<I, L> Visit<I, L> {
    pub fn clear(&mut self) {
        self.rest = None;
        self.nodes = None;
        self.group = None;
        self.hits.clear();
    }
}

/// Returns the triangle index in a slot's word, and `true` if the triangle is opaque.
#[inline]
pub(crate) fn slot_index(word: u32) -> (u32, bool) {
    (word & INDEX_MASK, word & NON_OPAQUE == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_family::Key;

    #[test]
    fn only_any_hit_rays_that_want_it_take_the_farthest_node_first() {
        let far: Variant = "replace/phased/h8?occlusion=far".parse().unwrap();
        let near = far.with(Key::Occlusion, "sorted").unwrap();
        let group = |variant: &Variant, any_hit| {
            let mut group = node_group::NodeGroup { first: 10, inner: 0b1001_0011, hits: 0b1000_0011 };
            // From octant 1 slot 1 is the nearest and slot 7 next to the farthest, 6.
            group.take_nearest(VisitRules::new(variant, any_hit).octant(1))
        };
        assert_eq!([group(&far, true), group(&far, false), group(&near, true), group(&near, false)], [13, 11, 11, 11]);
    }
}
