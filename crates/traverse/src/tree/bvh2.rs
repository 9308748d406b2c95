//! The two-child node of the papers: both boxes fetched and tested together, the closer child first.

use super::{BoxTree, Candidate, Entry, RangeLeaf, Visit, VisitRules, order_children, test_slot};
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use raywarp_family::ChildOrder;
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

    #[inline]
    fn visit(&self, inner: u32, ray: &LaneRay, t_max: f32, rules: &VisitRules, out: &mut Visit<u32, RangeLeaf>) {
        let node = &self.nodes()[inner as usize];
        (out.node, out.used) = (inner, 2);
        for side in 0..2 {
            if node.children[side] != Bvh2Node::NO_CHILD
                && let Some(t) = ray.enter(&node.bounds(side), t_max, rules.box_test)
            {
                out.hits.push((t, side as u32));
            }
        }
        if rules.order.is_some() {
            order_children(&mut out.hits, ChildOrder::Nearest);
        }
        out.children.extend(out.hits.iter().map(|&(_, side)| child(node, side as usize)));
    }
}

/// A child as a stack holds it.
fn child(node: &Bvh2Node, side: usize) -> Entry<u32, RangeLeaf> {
    match (node.children[side], node.counts[side]) {
        (inner, 0) => Entry::Inner(inner),
        (first, count) => Entry::Leaf(RangeLeaf::new(first, count)),
    }
}
