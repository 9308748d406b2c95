//! The compressed eight-child node (Ylitie, Karras and Laine 2017): groups of nodes in octant order, and
//! groups of triangles.

use super::byte_grid::ByteGrid;
use super::node_group::NodeGroup;
use super::{BoxTree, Candidate, Entry, Leaf, Visit, VisitRules, test_slot};
use crate::ray::{LaneRay, span_float};
use crate::triangles::Triangles;
use raywarp_geom::fused_multiply_add;
use raywarp_layout::{Cwbvh8, Cwbvh8Node};

/// Triangles of the leaf children of one node that a ray hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TriangleGroup {
    base: u32,
    /// Mask of triangle records: bit `i` stands for record `base + i`.
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
        let boxes = grid_of(node, ray).hits(node, ray, t_max);
        for slot in (0..8).filter(|&slot| node.has_child(slot)) {
            out.used += 1;
            if boxes >> slot & 1 == 0 {
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

/// Two f32 rounding steps of the larger of two numbers, as a fraction of their sum.
const STEPS: f64 = 1.0 / (1 << 21) as f64;

fn grid_of(node: &Cwbvh8Node, ray: &LaneRay) -> ByteGrid {
    ByteGrid::new(&node.origin, std::array::from_fn(|axis| node.scale(axis)), ray)
}

impl ByteGrid {
    /// Returns the mask of child slots whose boxes the ray hits; bits of empty slots have no meaning.
    #[inline]
    fn hits(&self, node: &Cwbvh8Node, ray: &LaneRay, t_max: f32) -> u8 {
        let (hits, doubtful) = self.hits_but_for_doubts(node, ray, t_max);
        let asked = (0..8).filter(|slot| doubtful >> slot & 1 == 1);
        asked.fold(hits, |hits, slot| hits | u8::from(self.enter(node, slot, ray, t_max).is_some()) << slot)
    }

    /// Returns the mask of child slots that are surely hit, and the mask of those that [`ByteGrid::enter`] must decide.
    ///
    /// In f64 a plane's distance is rounded once, from an exact product; rounding it to f32 then keeps the order. So
    /// where the near end is less than the far one there, it is not more in f32; where it is more by two steps of f32
    /// it stays more.
    #[inline]
    fn hits_but_for_doubts(&self, node: &Cwbvh8Node, ray: &LaneRay, t_max: f32) -> (u8, u8) {
        if !self.step.iter().chain(self.corner.as_flattened()).all(|x| x.is_finite()) {
            return (0, u8::MAX);
        }
        let (less, more) = (|x: f64, y: f64| if x < y { x } else { y }, |x: f64, y: f64| if x > y { x } else { y });
        let (mut near, mut far) = ([f64::from(ray.box_low); 8], [f64::from(ray.box_distance(t_max)); 8]);
        for axis in 0..3 {
            let (step, corner) = (f64::from(self.step[axis]), self.corner.map(|corner| f64::from(corner[axis])));
            for slot in 0..8 {
                let a = f64::from(node.lo[axis][slot]) * step + corner[0];
                let b = f64::from(node.hi[axis][slot]) * step + corner[1];
                (near[slot], far[slot]) = (more(less(a, b), near[slot]), less(more(a, b), far[slot]));
            }
        }
        let (mut hits, mut misses) = (0, 0);
        for slot in 0..8 {
            let (near, far) = (near[slot], far[slot]);
            hits |= u8::from(near < far) << slot;
            misses |= u8::from(near - far > STEPS * (near.abs() + far.abs()) + f64::from(f32::MIN_POSITIVE)) << slot;
        }
        (hits, !(hits | misses))
    }

    /// Computes the box distance at which the ray enters the box of `slot`, with each plane's distance rounded as in
    /// f32.
    fn enter(&self, node: &Cwbvh8Node, slot: usize, ray: &LaneRay, t_max: f32) -> Option<f32> {
        let plane = |i: usize, q: u8, side: usize| fused_multiply_add(f32::from(q), self.step[i], self.corner[side][i]);
        let lo = std::array::from_fn(|i| plane(i, node.lo[i][slot], 0));
        let hi = std::array::from_fn(|i| plane(i, node.hi[i][slot], 1));
        span_float(lo, hi, ray.box_low, ray.box_distance(t_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_family::Variant;
    use raywarp_geom::{Aabb, FlatTriangles, HitKey, Ray};
    use raywarp_layout::encode_cwbvh8;

    #[test]
    fn boxes_are_hit_as_rounded_planes_say_and_few_need_to_be_asked() {
        let mut random = raywarp_testing::Random::new(1);
        let mut point = || random.point();
        // Some in a plane of their own, so that boxes are flat and rays run in their faces.
        let triangles = (0..300).map(|i| {
            let (place, offsets) = (point(), [point(), point(), point()]);
            offsets.map(|x| std::array::from_fn(|k| if k == i % 6 { 0.25 } else { place[k] + 0.2 * x[k] }))
        });
        let triangles = FlatTriangles::from_vertices(triangles.collect());
        let bvh = build(&triangles, &BuildOptions { max_leaf: 3, ..BuildOptions::default() }).unwrap();
        let (tree, bounds) = (encode_cwbvh8(&bvh, &triangles).unwrap(), Aabb { min: [-2.0; 3], max: [2.0; 3] });
        let (mut all, mut asked, mut hit) = (0, 0, 0);
        for round in 0..600 {
            let (mut from, mut along) = (point(), point());
            if round % 3 == 0 {
                (from[round % 2], along[round % 2]) = (0.25, [0.0, -0.0, 1e-30][round % 5 % 3]);
            }
            for planes in ["", "?planes=plain"] {
                let variant: Variant = format!("direct/if-while/cwbvh8{planes}").parse().unwrap();
                let ray = LaneRay::new(&Ray::new(from, along), &HitKey::START, &bounds, &variant);
                // A limit at which a box is entered is where rounding decides.
                let limits = |node: &Cwbvh8Node| {
                    let entry = |slot| grid_of(node, &ray).enter(node, slot, &ray, f32::INFINITY);
                    [f32::INFINITY, 0.7, entry(0).unwrap_or(0.3), entry(1).unwrap_or(0.3)]
                };
                for (node, t_max) in tree.nodes().iter().flat_map(|node| limits(node).map(|t_max| (node, t_max))) {
                    let grid = grid_of(node, &ray);
                    let (hits, doubtful) = grid.hits_but_for_doubts(node, &ray, t_max);
                    for slot in (0..8).filter(|&slot| node.has_child(slot)) {
                        all += 1;
                        asked += u32::from(doubtful >> slot & 1);
                        hit += u32::from(hits >> slot & 1);
                        let same = (hits >> slot & 1 == 1) == grid.enter(node, slot, &ray, t_max).is_some();
                        assert!(same || doubtful >> slot & 1 == 1, "{node:?} {slot} {from:?} {along:?} to {t_max}");
                    }
                }
            }
        }
        assert!(hit > all / 100 && asked < all / 10, "{hit} hit and {asked} asked of {all}");
    }
}
