//! The compressed four-child node: visits are those of the four-child node of floats (wide4.rs), with planes on a grid
//! of bytes.

use super::byte_grid::ByteGrid;
use super::{BoxTree, Candidate, Entry, RangeLeaf, Visit, VisitRules, test_slot, visit_four};
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use raywarp_layout::Qbvh4;

impl BoxTree for Qbvh4 {
    type Inner = u32;
    type Leaf = RangeLeaf;

    fn root(&self) -> Option<Entry<u32, RangeLeaf>> {
        (!self.nodes().is_empty()).then_some(Entry::Inner(0))
    }

    fn stack_depth(&self) -> usize {
        Qbvh4::stack_depth(self)
    }

    #[inline]
    fn test(&self, record: u32, ray: &LaneRay, limit: f32, triangles: &Triangles) -> [Option<Candidate>; 2] {
        test_slot(Qbvh4::slots(self), record, ray, limit, triangles)
    }

    #[inline]
    fn visit(&self, inner: u32, ray: &LaneRay, t_max: f32, rules: &VisitRules, out: &mut Visit<u32, RangeLeaf>) {
        let node = &self.nodes()[inner as usize];
        (out.node, out.used) = (inner, 0);
        let ByteGrid { step, corner } = ByteGrid::new(&node.origin, node.scale(), ray);
        let [x0, x1, y0, y1, z0, z1] = node.planes.map(|row| row.map(f32::from));
        let (t, hit) = ray.in_steps(step, corner).enter([x0, y0, z0], [x1, y1, z1], t_max, rules.box_test);
        visit_four(&node.children, &t, &hit, rules, out);
    }

    #[inline]
    fn child(&self, node: u32, slot: u32) -> Entry<u32, RangeLeaf> {
        let (node, slot) = (&self.nodes()[node as usize], slot as usize & 3);
        match node.leaf(slot) {
            Some((first, count)) => Entry::Leaf(RangeLeaf::new(first, count)),
            None => Entry::Inner(node.children[slot]),
        }
    }
}
