//! As many children as lanes that share a ray (AL09 5.3; Wald, Benthin and Boulos 2008): each lane
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
        for slot in 0..self.branching() {
            let child = self.child(inner as usize, slot);
            if !child.is_used() {
                break;
            }
            out.used += 1;
            if let Some(t) = ray.enter(&child.bounds(), t_max, rules.box_test) {
                out.hits.push((t, slot as u32));
            }
        }
        if rules.order.is_some() {
            // Each lane counts those before it: nearer ones, and of equals lower slots.
            out.hits.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        }
        out.children.extend(out.hits.iter().map(|&(_, slot)| entry(self.child(inner as usize, slot as usize))));
    }
}

/// A child as a stack holds it.
fn entry(child: &WideNChild) -> Entry<u32, RangeLeaf> {
    match child.count {
        0 => Entry::Inner(child.child),
        count => Entry::Leaf(RangeLeaf::new(child.child, count)),
    }
}
