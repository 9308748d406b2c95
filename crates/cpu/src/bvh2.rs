//! The walk of one ray through an [`EncodedBvh2`]: portable, plain, the reference beside the SIMD one.

use crate::batch::Job;
use crate::probe::Probe;
use crate::query::Query;
use crate::ray::WalkRay;
use crate::tracer::{CpuBoxTest, CpuTriangleTest};
use raywarp_geom::triangle::moeller_trumbore;
use raywarp_geom::{PlainSlab, Ray};
use raywarp_layout::{Bvh2Node, EncodedBvh2};

/// Traversal of a two-child tree with 64-byte nodes, one ray at a time.
pub(crate) struct Bvh2Walk<'a> {
    /// Tree that is walked.
    pub tree: &'a EncodedBvh2,
    /// Triangle vertices in the order of the leaf records; empty for Woop's test, which reads its own records.
    pub vertices: &'a [[[f32; 3]; 3]],
    /// Untransformed rays of the batch, which the papers' triangle and box tests take.
    pub rays: &'a [Ray],
    /// Triangle test that leaves use.
    pub test: CpuTriangleTest,
    /// Box test that nodes use.
    pub boxes: CpuBoxTest,
    /// Stack of postponed children: (entry distance, child, leaf size).
    pub stack: Vec<(f32, u32, u32)>,
}

impl Bvh2Walk<'_> {
    /// Traces every ray of `job`, one after the other.
    pub fn walk_all<J: Job>(&mut self, job: &mut J) {
        while let Some(mut task) = job.next(self.tree.bounds()) {
            let given = &self.rays[task.index];
            self.walk(given, &task.ray, &mut task.query);
            job.finish(task.index, &task.query);
        }
    }

    fn walk<Q: Query>(&mut self, given: &Ray, ray: &WalkRay, query: &mut Q) {
        if self.tree.nodes().is_empty() {
            return;
        }
        let plain = match self.boxes {
            CpuBoxTest::Padded => None,
            CpuBoxTest::Plain => Some(PlainSlab::new(given)),
        };
        let low = ray.box_low();
        // The plain test knows no scale.
        let high = |t: f32| if plain.is_some() { t } else { ray.box_high(t) };
        let mut limit = high(query.limit());
        self.stack.clear();
        self.stack.push((f32::NEG_INFINITY, 0, 0));
        while let Some((distance, child, count)) = self.stack.pop() {
            if distance > limit {
                continue;
            }
            if count > 0 {
                self.test_leaf(child as usize, count as usize, given, ray, query);
                if query.is_decided() {
                    return;
                }
                limit = high(query.limit());
                continue;
            }
            query.probe().node();
            let node = &self.tree.nodes()[child as usize];
            let entries = [0, 1].map(|side| match &plain {
                None => enter(ray, node, side, low, limit),
                // Ordered by size, an empty box's planes hold everything.
                Some(_) if node.children[side] == Bvh2Node::NO_CHILD => None,
                Some(plain) => plain.enter(&node.bounds(side), ray.t_low, query.limit()),
            });
            let first_is_far = matches!(entries, [Some(a), Some(b)] if a > b);
            // The nearer child last, so that it is popped first.
            for side in if first_is_far { [0, 1] } else { [1, 0] } {
                if let Some(entry) = entries[side] {
                    self.stack.push((entry, node.children[side], node.counts[side]));
                }
            }
        }
    }

    fn test_leaf<Q: Query>(&self, first: usize, count: usize, given: &Ray, ray: &WalkRay, query: &mut Q) {
        query.probe().triangles(|| count);
        for record in first..first + count {
            let found = match self.test {
                CpuTriangleTest::Watertight => ray.triangle.test(&self.vertices[record]),
                CpuTriangleTest::Woop => self.tree.records()[record].test(given),
                CpuTriangleTest::MoellerTrumbore => moeller_trumbore(given, &self.vertices[record]),
            };
            if let Some(tuv) = found {
                query.offer(tuv, self.tree.slots()[record]);
            }
        }
    }
}

/// Returns the distance at which the ray enters the box of child `side`, or `None` if it misses. The slab test with
/// padded origins; see [`WalkRay`].
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
