//! The walk of one ray through an [`EncodedBvh2`]: portable, plain, the reference beside the SIMD one.

use crate::batch::Walk;
use crate::probe::Probe;
use crate::query::Query;
use crate::ray::WalkRay;
use crate::tracer::TriangleTest;
use raywarp_geom::{Aabb, Ray};
use raywarp_layout::{Bvh2Node, EncodedBvh2};

/// Walks a tree of 64-byte nodes.
pub(crate) struct Bvh2Walk<'a> {
    /// The tree.
    pub tree: &'a EncodedBvh2,
    /// Vertices in the order of the records, for the watertight test; empty for Woop's.
    pub vertices: &'a [[[f32; 3]; 3]],
    /// Which test leaves use.
    pub test: TriangleTest,
    /// Postponed children: entry distance, child, leaf size.
    pub stack: Vec<(f32, u32, u32)>,
}

impl Walk for Bvh2Walk<'_> {
    fn bounds(&self) -> &Aabb {
        self.tree.bounds()
    }

    fn walk<Q: Query, P: Probe>(&mut self, given: &Ray, ray: &WalkRay, query: &mut Q, probe: &mut P) {
        if self.tree.nodes().is_empty() {
            return;
        }
        let low = ray.box_low();
        let mut limit = ray.box_high(query.limit());
        self.stack.clear();
        self.stack.push((f32::NEG_INFINITY, 0, 0));
        while let Some((distance, child, count)) = self.stack.pop() {
            if distance > limit {
                continue;
            }
            if count > 0 {
                if self.test_leaf(child as usize, count as usize, given, ray, query, probe) {
                    if query.is_decided() {
                        return;
                    }
                    limit = ray.box_high(query.limit());
                }
                continue;
            }
            probe.node();
            let node = &self.tree.nodes()[child as usize];
            let entries = [0, 1].map(|side| enter(ray, node, side, low, limit));
            let first_is_far = matches!(entries, [Some(a), Some(b)] if a > b);
            // The nearer child last, so that it is popped first.
            for side in if first_is_far { [0, 1] } else { [1, 0] } {
                if let Some(entry) = entries[side] {
                    self.stack.push((entry, node.children[side], node.counts[side]));
                }
            }
        }
    }
}

impl Bvh2Walk<'_> {
    fn test_leaf<Q: Query, P: Probe>(
        &self,
        first: usize,
        count: usize,
        given: &Ray,
        ray: &WalkRay,
        query: &mut Q,
        probe: &mut P,
    ) -> bool {
        probe.triangles(|| count);
        let mut taken = false;
        for record in first..first + count {
            let found = match self.test {
                TriangleTest::Watertight => ray.triangle.test(&self.vertices[record]),
                TriangleTest::Woop => self.tree.records()[record].test(given),
            };
            if let Some(tuv) = found {
                taken |= query.offer(tuv, self.tree.slots()[record]);
            }
        }
        taken
    }
}

/// Where the ray enters child `side`, or `None`. The slab test with padded origins; see [`WalkRay`].
#[inline(always)]
fn enter(ray: &WalkRay, node: &Bvh2Node, side: usize, low: f32, limit: f32) -> Option<f32> {
    let bounds = node.bounds(side);
    let (mut near, mut far) = (low, limit);
    for i in 0..3 {
        let inverse = ray.inverse[i];
        let (enter, leave) =
            if inverse >= 0.0 { (bounds.min[i], bounds.max[i]) } else { (bounds.max[i], bounds.min[i]) };
        near = near.max((enter - ray.near_origin[i]) * inverse);
        far = far.min((leave - ray.far_origin[i]) * inverse);
    }
    (near <= far).then_some(near)
}
