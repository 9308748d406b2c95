//! The four-child node (G14 4.1, L9): four boxes tested together, which do not depend on each other.

use super::{BoxTree, Candidate, Entry, RangeLeaf, Visit, VisitRules, order_children, test_slot};
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use raywarp_layout::{NO_CHILD, Wide4Node, Wide4Tree};

impl BoxTree for Wide4Tree {
    type Inner = u32;
    type Leaf = RangeLeaf;

    fn root(&self) -> Option<Entry<u32, RangeLeaf>> {
        (!self.nodes().is_empty()).then_some(Entry::Inner(0))
    }

    fn stack_depth(&self) -> usize {
        Wide4Tree::stack_depth(self)
    }

    #[inline]
    fn test(&self, record: u32, ray: &LaneRay, limit: f32, triangles: &Triangles) -> [Option<Candidate>; 2] {
        test_slot(Wide4Tree::slots(self), record, ray, limit, triangles)
    }

    #[inline]
    fn visit(&self, inner: u32, ray: &LaneRay, t_max: f32, rules: &VisitRules, out: &mut Visit<u32, RangeLeaf>) {
        let node = &self.nodes()[inner as usize];
        (out.node, out.used) = (inner, 0);
        for slot in 0..Wide4Node::BRANCHING {
            // Unused children cannot be told by their box: ordered by size, infinities hold everything.
            if node.children[slot] == NO_CHILD {
                continue;
            }
            out.used += 1;
            if let Some(t) = ray.enter(&node.bounds(slot), t_max, rules.box_test) {
                out.hits.push((t, slot as u32));
            }
        }
        if let Some(order) = rules.order {
            order_children(&mut out.hits, order);
        }
        out.children.extend(out.hits.iter().map(|&(_, slot)| {
            match (node.children[slot as usize], node.counts[slot as usize]) {
                (inner, 0) => Entry::Inner(inner),
                (first, count) => Entry::Leaf(RangeLeaf::new(first, count)),
            }
        }));
    }
}
