//! The exact box around placed triangles, without looking at each of them in each placement.

use raywarp_bvh::Bvh2;
use raywarp_geom::triangle::has_no_area;
use raywarp_geom::{Aabb, Affine, FlatTriangles};

/// Extends `bounds` by the world-space corners of the triangles that `tree` holds, where they have an area: the box
/// that the flattened triangles have, bit for bit.
///
/// Rounding keeps order, in each operation of a corner's way to the world, so that the images of a box's corners reach
/// as far as those of all points in it. What lies within `bounds` already is left out by that: in a forest nearly all.
pub(super) fn extend(bounds: &mut Aabb, tree: &Bvh2, triangles: &FlatTriangles, map: &Affine) {
    let mut left: Vec<u32> = if tree.nodes.is_empty() { Vec::new() } else { vec![0] };
    while let Some(index) = left.pop() {
        let node = &tree.nodes[index as usize];
        if holds(bounds, &map.aabb(&node.bounds)) {
            continue;
        }
        if !node.is_leaf() {
            left.extend([node.first, node.first + 1]);
            continue;
        }
        let references = &tree.references[node.first as usize..][..node.count as usize];
        for &triangle in references {
            let corners = triangles.vertices[triangle as usize].map(|corner| map.point(corner));
            if !has_no_area(&corners) {
                *bounds = bounds.union(&Aabb::of_points(&corners));
            }
        }
    }
}

fn holds(bounds: &Aabb, inner: &Aabb) -> bool {
    (0..3).all(|i| bounds.min[i] <= inner.min[i] && inner.max[i] <= bounds.max[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, build};

    #[test]
    fn the_box_is_that_of_all_corners_of_triangles_with_area() {
        let number = |i: u32| ((i.wrapping_mul(2_654_435_761) >> 8) as f32) / (1 << 23) as f32 - 1.0;
        let point = |i: u32| [number(3 * i), number(3 * i + 1), number(3 * i + 2)];
        let mut vertices: Vec<[[f32; 3]; 3]> = (0..300).map(|i| [point(i), point(i + 7), point(2 * i + 1)]).collect();
        // One that reaches farthest, and has none.
        vertices.push([[9.0; 3], [9.0; 3], [-9.0, 0.0, 0.0]]);
        let triangles = FlatTriangles::from_vertices(vertices);
        let tree = build(&triangles, &BuildOptions::default()).unwrap();
        let (mut bounds, mut all) = (Aabb::EMPTY, Aabb::EMPTY);
        for placement in 0..200 {
            let row = |i: u32| std::array::from_fn(|j| number(1000 + 12 * placement + 4 * i + j as u32));
            let map = Affine { rows: [row(0), row(1), row(2)] };
            extend(&mut bounds, &tree, &triangles, &map);
            for corners in &triangles.vertices[..300] {
                all = all.union(&Aabb::of_points(&corners.map(|corner| map.point(corner))));
            }
            assert_eq!(bounds, all, "{placement}");
        }
    }
}
