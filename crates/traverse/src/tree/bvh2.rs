//! The two-child node of the papers: both boxes fetched and tested together, the closer child first.

use super::{BoxTree, Candidate, Entry, RangeLeaf, Visit, VisitRules, test_slot};
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use raywarp_layout::{Bvh2Node, EncodedBvh2};

impl BoxTree for EncodedBvh2 {
    type Inner = u32;
    type Leaf = RangeLeaf;

    fn root(&self) -> Option<Entry<u32, RangeLeaf>> {
        (!self.nodes().is_empty()).then_some(Entry::Inner(0))
    }

    fn stack_depth(&self) -> usize {
        EncodedBvh2::stack_depth(self)
    }

    #[inline]
    fn test(&self, record: u32, ray: &LaneRay, limit: f32, triangles: &Triangles) -> [Option<Candidate>; 2] {
        test_slot(EncodedBvh2::slots(self), record, ray, limit, triangles)
    }

    // In place: a packet's lanes all visit the same node.
    #[inline(always)]
    fn visit(&self, inner: u32, ray: &LaneRay, t_max: f32, rules: &VisitRules, out: &mut Visit<u32, RangeLeaf>) {
        let node = &self.nodes()[inner as usize];
        (out.node, out.used) = (inner, 2);
        let ([a, b], z) = (&node.xy, &node.z);
        let (lo, hi) = ([[a[0], b[0]], [a[2], b[2]], [z[0], z[2]]], [[a[1], b[1]], [a[3], b[3]], [z[1], z[3]]]);
        let (t, hit) = ray.enter(lo, hi, t_max, rules.box_test);
        let hit = [0, 1].map(|side| hit[side] & (node.children[side] != Bvh2Node::NO_CHILD));
        out.hits.set_two(hit, t, rules.order.is_some() & (t[1] < t[0]));
    }

    #[inline]
    fn child(&self, node: u32, slot: u32) -> Entry<u32, RangeLeaf> {
        let (node, side) = (&self.nodes()[node as usize], slot as usize & 1);
        match (node.children[side], node.counts[side]) {
            (inner, 0) => Entry::Inner(inner),
            (first, count) => Entry::Leaf(RangeLeaf::new(first, count)),
        }
    }
}
