//! End-point overlap: how much surface a node's box holds that is not below the node.
//!
//! Source: Aila, Karras and Laine 2013, "On quality metrics of bounding volume hierarchies". A ray
//! that ends on such a surface must visit the node though its hit is elsewhere, which the surface
//! area heuristic does not see: it knows rays that pass through, not rays that end. The paper predicts
//! speed by a mixture of both, with a weight that depends on the scene.

use crate::parallel;
use crate::polygon::Polygon;
use crate::watch::Watch;
use crate::{Bvh2, Node};
use raywarp_geom::{Aabb, FlatTriangles};

/// Number of triangles that one task works on. Fixed, so that sums have the same order with any number of threads.
const CHUNK: usize = 1 << 10;

impl Bvh2 {
    /// Returns the end-point overlap: the expected wasted work of a ray that ends on a random point of the triangles.
    /// It counts inner nodes and triangles of leaves, each of cost 1 as in [`Bvh2::sah_cost`], whose box holds the
    /// point though the triangle is not below the node. Zero where the triangles have no area.
    ///
    /// Exact but for rounding in f64: each triangle is clipped to the box of every node that it meets.
    /// That takes many times as long as the build; runs on the current rayon pool, and the
    /// result does not depend on the number of threads. Of a triangle with several references, the
    /// paper's rule is taken by its letter: it is below a node that holds any of them.
    ///
    /// # Panics
    /// May panic if the tree does not pass [`Bvh2::validate`] for these triangles.
    pub fn epo_cost(&self, triangles: &FlatTriangles) -> f64 {
        let overlap = Overlap { tree: self, triangles: &triangles.vertices, ..Overlap::of_leaves(self) };
        let tasks = triangles.len().div_ceil(CHUNK);
        // Nobody can stop it.
        let sums = parallel::tasks(&Watch::nothing(), tasks, &|task| overlap.chunk(task)).unwrap_or_default();
        let [cost, area] = sums.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]]);
        if area > 0.0 { cost / area } else { 0.0 }
    }
}

/// Input of the end-point overlap that every task reads.
struct Overlap<'a> {
    tree: &'a Bvh2,
    triangles: &'a [[[f32; 3]; 3]],
    /// Range of references below each node, first and one past the last, in the order of leaves from left to right. A
    /// child's are a part of its parent's.
    below: Vec<[u32; 2]>,
    /// Start of each primitive's range in `places`, its positions in the order of leaves.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl<'a> Overlap<'a> {
    /// Prepares everything but the triangles from the leaves of `tree`.
    fn of_leaves(tree: &'a Bvh2) -> Self {
        let mut below = vec![[0; 2]; tree.nodes.len()];
        let mut order = Vec::with_capacity(tree.references.len());
        let mut stack: Vec<u32> = (0..tree.nodes.len().min(1) as u32).collect();
        while let Some(i) = stack.pop() {
            let node = &tree.nodes[i as usize];
            if node.is_leaf() {
                let start = order.len() as u32;
                order.extend_from_slice(&tree.references[node.first as usize..][..node.count as usize]);
                below[i as usize] = [start, order.len() as u32];
            } else {
                stack.extend([node.first + 1, node.first]);
            }
        }
        // A child stands after its parent.
        for (i, node) in tree.nodes.iter().enumerate().rev().filter(|(_, node)| !node.is_leaf()) {
            let left = node.first as usize;
            below[i] = [below[left][0], below[left + 1][1]];
        }
        // A counting sort of the places by primitive.
        let mut starts = vec![0u32; tree.primitive_count as usize + 1];
        for &primitive in &order {
            starts[primitive as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![0; order.len()];
        for (place, &primitive) in order.iter().enumerate() {
            let next = &mut next[primitive as usize];
            places[*next as usize] = place as u32;
            *next += 1;
        }
        Self { tree, triangles: &[], below, starts, places }
    }

    /// Returns the cost times area, and the area, summed over the triangles of one task.
    fn chunk(&self, task: usize) -> [f64; 2] {
        let mut sum = [0.0; 2];
        let mut stack = Vec::new();
        for (i, triangle) in self.triangles.iter().enumerate().skip(task * CHUNK).take(CHUNK) {
            let places = &self.places[self.starts[i] as usize..self.starts[i + 1] as usize];
            let polygon = Polygon::of(triangle);
            let area = polygon.area();
            // Nothing ends on a triangle without area.
            if area > 0.0 {
                sum[0] += self.cost(&polygon, area, places, &mut stack);
                sum[1] += area;
            }
        }
        sum
    }

    /// Returns cost times area of one triangle, whose references are at the positions `places` in the order of leaves.
    fn cost(&self, triangle: &Polygon, area: f64, places: &[u32], stack: &mut Vec<(u32, Polygon, f64)>) -> f64 {
        let mut cost = 0.0;
        if !self.tree.nodes.is_empty() {
            stack.push((0, *triangle, area));
        }
        while let Some((i, polygon, area)) = stack.pop() {
            let node = &self.tree.nodes[i as usize];
            let [first, end] = self.below[i as usize];
            let next = places.partition_point(|&place| place < first);
            let is_below = places.get(next).is_some_and(|&place| place < end);
            if !is_below {
                cost += area * if node.is_leaf() { f64::from(node.count) } else { 1.0 };
            }
            if node.is_leaf() {
                continue;
            }
            for child in node.first..node.first + 2 {
                let Node { bounds, .. } = &self.tree.nodes[child as usize];
                match part(&polygon, bounds) {
                    Part::Nothing => {}
                    Part::All => stack.push((child, polygon, area)),
                    Part::Some(polygon) => {
                        let area = polygon.area();
                        if area > 0.0 {
                            stack.push((child, polygon, area));
                        }
                    }
                }
            }
        }
        cost
    }
}

/// Result of clipping a polygon to a box: nothing, the whole polygon, or a part of it.
// Lives on the stack for a moment; a box would cost more than its bytes.
#[allow(clippy::large_enum_variant)]
enum Part {
    Nothing,
    All,
    Some(Polygon),
}

fn part(polygon: &Polygon, bounds: &Aabb) -> Part {
    let (min, max) = polygon.extent();
    let mut part = Part::All;
    for axis in 0..3 {
        let (low, high) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
        if max[axis] < low || min[axis] > high {
            return Part::Nothing;
        }
        for (plane, below, crosses) in [(low, false, min[axis] < low), (high, true, max[axis] > high)] {
            if crosses {
                let whole = if let Part::Some(polygon) = &part { polygon } else { polygon };
                part = Part::Some(whole.clipped(axis, plane, below));
            }
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a unit square in the plane x = `x`, as two triangles.
    fn wall(x: f32) -> [[[f32; 3]; 3]; 2] {
        [[[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]], [[x, 1.0, 1.0], [x, 1.0, 0.0], [x, 0.0, 1.0]]]
    }

    fn tree(left: [f32; 2], right: [f32; 2], references: [u32; 4]) -> Bvh2 {
        let slab = |[x0, x1]: [f32; 2]| Aabb { min: [x0, 0.0, 0.0], max: [x1, 1.0, 1.0] };
        let node = |x, first, count| Node { bounds: slab(x), first, count };
        let nodes = vec![node([0.0, 4.0], 1, 0), node(left, 0, 2), node(right, 2, 2)];
        Bvh2 { nodes, references: references.to_vec(), primitive_count: 4 }
    }

    #[test]
    fn leaves_apart_overlap_nothing() {
        let triangles = FlatTriangles::from_vertices([wall(0.0), wall(4.0)].concat());
        assert_eq!(tree([0.0, 0.0], [4.0, 4.0], [0, 1, 2, 3]).epo_cost(&triangles), 0.0);
    }

    #[test]
    fn a_leaf_that_holds_the_other_ones_triangles_is_visited_for_nothing() {
        let triangles = FlatTriangles::from_vertices([wall(1.0), wall(4.0)].concat());
        // Half of all surface lies in the right leaf's box without being its own: two triangles tested.
        assert_eq!(tree([1.0, 1.0], [0.0, 4.0], [0, 1, 2, 3]).epo_cost(&triangles), 0.5 * 2.0);
        // In pairs across: each leaf's box holds all.
        let crossed = tree([1.0, 4.0], [1.0, 4.0], [0, 2, 1, 3]);
        assert!((crossed.epo_cost(&triangles) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn no_triangles_and_no_area_cost_nothing() {
        let empty = Bvh2 { nodes: vec![], references: vec![], primitive_count: 0 };
        assert_eq!(empty.epo_cost(&FlatTriangles::default()), 0.0);
        let points = FlatTriangles::from_vertices(vec![[[1.0; 3]; 3]; 9]);
        let tree = crate::build(&points, &crate::BuildOptions::default()).unwrap();
        assert_eq!(tree.epo_cost(&points), 0.0);
    }
}
