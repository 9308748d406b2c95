//! Early split clipping loses no part of a triangle and keeps within its bounds.

use crate::common::{check_cover, scenes};
use raywarp_bvh::{BuildOptions, Builder, build};
use raywarp_geom::FlatTriangles;

/// Every sampled point of every triangle lies in a leaf's box that holds the triangle.
#[track_caller]
fn check(name: &str, vertices: Vec<[[f32; 3]; 3]>) {
    let triangles = FlatTriangles::from_vertices(vertices);
    for builder in [Builder::BinnedSah, Builder::SweepSah] {
        for share in [0.1, 0.3, 1.0] {
            let options = BuildOptions { builder, split_clipping: Some(share), ..BuildOptions::default() };
            let tree = build(&triangles, &options).unwrap();
            assert_eq!(tree.validate(&triangles), Ok(()), "{name}");
            let limit = triangles.len() + (triangles.len() as f32 * share) as usize;
            assert!(tree.references.len() <= limit, "{name}: {} references", tree.references.len());
            check_cover(&format!("{name}, {builder:?}, share {share}"), &tree, &triangles);
        }
    }
}

#[test]
fn every_point_of_a_split_triangle_stays_in_a_leaf_that_holds_it() {
    check("soup", scenes::soup(500, 1.0));
    check("needles", scenes::needles(300));
    check("sphere", scenes::sphere(12));
    check("grid", scenes::grid(9));
}

#[test]
fn large_triangles_in_planes_that_are_no_round_numbers_stay_whole() {
    // A cut point that left such a plane by one rounding was once clipped away by the next cut.
    check("floors", scenes::floors());
}
