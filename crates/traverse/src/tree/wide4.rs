//! The four-child node (G14 4.1, L9): four boxes tested together, which do not depend on each other.

use super::{BoxTree, Candidate, Entry, RangeLeaf, Visit, VisitRules, test_slot, visit_four};
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use raywarp_layout::Wide4Tree;

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
        let [x0, x1, y0, y1, z0, z1] = node.planes;
        let (t, hit) = ray.enter([x0, y0, z0], [x1, y1, z1], t_max, rules.box_test);
        visit_four(&node.children, &t, &hit, rules, out);
    }

    #[inline]
    fn child(&self, node: u32, slot: u32) -> Entry<u32, RangeLeaf> {
        let (node, slot) = (&self.nodes()[node as usize], slot as usize & 3);
        match (node.children[slot], node.counts[slot]) {
            (inner, 0) => Entry::Inner(inner),
            (first, count) => Entry::Leaf(RangeLeaf::new(first, count)),
        }
    }
}
