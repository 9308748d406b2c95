//! The compressed eight-child node (Ylitie, Karras and Laine 2017): groups of nodes in octant order, and
//! groups of triangles.

use super::node_group::NodeGroup;
use super::{BoxTree, Candidate, Entry, Leaf, Visit, VisitRules, test_slot};
use crate::ray::{LaneRay, span_float};
use crate::triangles::Triangles;
use raywarp_geom::fused_multiply_add;
use raywarp_layout::{Cwbvh8, Cwbvh8Node};

/// Triangles of the hit leaves of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TriangleGroup {
    base: u32,
    /// Bit `i` stands for record `base + i`.
    records: u32,
}

impl Leaf for TriangleGroup {
    #[inline]
    fn take(&mut self) -> Option<u32> {
        let first = self.records.trailing_zeros();
        (self.records != 0).then(|| {
            self.records &= self.records - 1;
            self.base + first
        })
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.records == 0
    }
}

impl BoxTree for Cwbvh8 {
    type Inner = NodeGroup;
    type Leaf = TriangleGroup;

    fn root(&self) -> Option<Entry<NodeGroup, TriangleGroup>> {
        (!self.nodes().is_empty()).then_some(Entry::Inner(NodeGroup::ROOT))
    }

    fn stack_depth(&self) -> usize {
        Cwbvh8::stack_depth(self)
    }

    #[inline]
    fn test(&self, record: u32, ray: &LaneRay, limit: f32, triangles: &Triangles) -> [Option<Candidate>; 2] {
        test_slot(Cwbvh8::slots(self), record, ray, limit, triangles)
    }

    #[inline]
    fn visit(
        &self,
        mut group: NodeGroup,
        ray: &LaneRay,
        t_max: f32,
        rules: &VisitRules,
        out: &mut Visit<NodeGroup, TriangleGroup>,
    ) {
        // By the reciprocal, whose sign says which planes are near.
        out.node = group.take_nearest(rules.octant(Cwbvh8Node::octant(&ray.inverse)));
        out.rest = (group.hits != 0).then_some(Entry::Inner(group));
        let node = &self.nodes()[out.node as usize];
        let (mut hits, mut records) = (0u8, 0u32);
        out.used = 0;
        let grid = Grid::new(node, ray);
        for slot in (0..8).filter(|&slot| node.has_child(slot)) {
            out.used += 1;
            if !grid.is_hit(node, slot, ray, t_max) {
                continue;
            }
            if node.is_inner(slot) {
                hits |= 1 << slot;
            } else {
                records |= node.leaf_records(slot).fold(0, |bits, r| bits | 1 << (r - node.record_base));
            }
        }
        if hits != 0 {
            out.nodes = Some(NodeGroup { first: node.child_base, inner: node.imask, hits });
        }
        out.group = (records != 0).then_some(TriangleGroup { base: node.record_base, records });
    }

    fn child(&self, _: u32, _: u32) -> Entry<NodeGroup, TriangleGroup> {
        unreachable!("children are in groups")
    }
}

/// The ray in steps of a node's grid: a plane is one multiply-add from its byte (YKL17 3.3).
struct Grid {
    step: [f32; 3],
    /// Where the ray meets the grid's corner, as lower and as upper planes see it.
    corner: [[f32; 3]; 2],
}

impl Grid {
    fn new(node: &Cwbvh8Node, ray: &LaneRay) -> Self {
        let corner = |side: usize| {
            std::array::from_fn(|i| fused_multiply_add(node.origin[i], ray.inverse[i], -ray.ood[side][i]))
        };
        // A step is a power of two: the product is exact.
        Self { step: std::array::from_fn(|i| node.scale(i) * ray.inverse[i]), corner: [corner(0), corner(1)] }
    }

    #[inline]
    fn is_hit(&self, node: &Cwbvh8Node, slot: usize, ray: &LaneRay, t_max: f32) -> bool {
        let plane = |i: usize, q: u8, side: usize| fused_multiply_add(f32::from(q), self.step[i], self.corner[side][i]);
        let lo = std::array::from_fn(|i| plane(i, node.lo[i][slot], 0));
        let hi = std::array::from_fn(|i| plane(i, node.hi[i][slot], 1));
        span_float(lo, hi, ray.box_low, ray.box_distance(t_max)).is_some()
    }
}
