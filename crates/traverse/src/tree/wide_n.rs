//! Trees of as many children a node as lanes that share a ray (AL09 5.3; Wald, Benthin and Boulos 2008): each lane
//! tests one child, and finds its place among the hits by looking at all others.

use super::{BoxTree, Candidate, Entry, RangeLeaf, Visit, VisitRules, test_slot};
use crate::ray::LaneRay;
use crate::triangles::Triangles;
use raywarp_layout::{WideN, WideNChild};
use std::cmp::Ordering;

impl BoxTree for WideN {
    type Inner = u32;
    type Leaf = RangeLeaf;

    fn root(&self) -> Option<Entry<u32, RangeLeaf>> {
        (self.node_count() > 0).then_some(Entry::Inner(0))
    }

    fn stack_depth(&self) -> usize {
        WideN::stack_depth(self)
    }

    #[inline]
    fn test(&self, record: u32, ray: &LaneRay, limit: f32, triangles: &Triangles) -> [Option<Candidate>; 2] {
        test_slot(WideN::slots(self), record, ray, limit, triangles)
    }

    #[inline]
    fn visit(&self, inner: u32, ray: &LaneRay, t_max: f32, rules: &VisitRules, out: &mut Visit<u32, RangeLeaf>) {
        (out.node, out.used) = (inner, 0);
        // Four at a time: a node has a multiple of them.
        for first in (0..self.branching()).step_by(4) {
            let four: [&WideNChild; 4] = std::array::from_fn(|i| self.child(inner as usize, first + i));
            let lo = std::array::from_fn(|axis| four.map(|child| child.min[axis]));
            let hi = std::array::from_fn(|axis| four.map(|child| child.max[axis]));
            let (t, hit) = ray.enter(lo, hi, t_max, rules.box_test);
            for i in (0..4).filter(|&i| four[i].is_used()) {
                out.used += 1;
                if hit[i] {
                    out.hits.push(t[i], (first + i) as u32);
                }
            }
            // Used children come first.
            if !four[3].is_used() {
                break;
            }
        }
        if rules.order.is_some() {
            // Each lane counts those before it: nearer ones, and of equals lower slots.
            out.hits.as_mut_slice().sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        }
    }

    #[inline]
    fn child(&self, node: u32, slot: u32) -> Entry<u32, RangeLeaf> {
        let child = self.child(node as usize, slot as usize);
        match child.count {
            0 => Entry::Inner(child.child),
            count => Entry::Leaf(RangeLeaf::new(child.child, count)),
        }
    }
}
