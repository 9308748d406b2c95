//! Trees of every builder against all triangles in f64, on scenes made to hurt.

use crate::common::{closest_brute_force, closest_in_tree, random, scenes, variants};
use raywarp_bvh::{BuildOptions, Builder, Bvh2, MAX_DEPTH, build};
use raywarp_geom::FlatTriangles;

/// Every variant's tree over `vertices` is valid and finds what a loop over all triangles finds.
#[track_caller]
fn check(name: &str, vertices: Vec<[[f32; 3]; 3]>) {
    let triangles = FlatTriangles::from_vertices(vertices);
    let rays = crate::common::rays(&triangles, 300);
    let expected: Vec<_> = rays.iter().map(|ray| closest_brute_force(&triangles, ray)).collect();
    for (variant, options) in variants() {
        let tree = build(&triangles, &options).unwrap();
        assert_eq!(tree.validate(&triangles), Ok(()), "{name}, {variant}");
        assert!(tree.depth() <= MAX_DEPTH, "{name}, {variant}: depth {}", tree.depth());
        check_leaves(&tree, options.max_leaf);
        for (i, (ray, want)) in rays.iter().zip(&expected).enumerate() {
            let got = closest_in_tree(&tree, &triangles, ray);
            assert_eq!(got, *want, "{name}, {variant}, ray {i}: {ray:?}");
        }
    }
}

/// What builders promise beyond validity.
#[track_caller]
fn check_leaves(tree: &Bvh2, max_leaf: u32) {
    for leaf in tree.nodes.iter().filter(|node| node.is_leaf()) {
        let held = &tree.references[leaf.first as usize..][..leaf.count as usize];
        assert!(leaf.count <= max_leaf && held.is_sorted_by(|a, b| a < b), "leaf of {held:?}");
    }
}

#[test]
fn a_random_soup_is_hit_as_without_a_tree() {
    check("soup", scenes::soup(1500, 1.0));
}

#[test]
fn a_sphere_is_hit_as_without_a_tree() {
    check("sphere", scenes::sphere(24));
}

#[test]
fn long_thin_triangles_are_hit_as_without_a_tree() {
    check("needles", scenes::needles(400));
}

#[test]
fn large_walls_are_hit_as_without_a_tree() {
    check("floors", scenes::floors());
}

#[test]
fn a_grid_in_an_axis_plane_is_hit_as_without_a_tree() {
    check("grid", scenes::grid(20));
}

#[test]
fn identical_triangles_end_in_full_leaves_and_the_lowest_is_hit() {
    check("identical", vec![[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.2]]; 700]);
}

#[test]
fn concentric_triangles_are_hit_as_without_a_tree() {
    let triangle = |i: u32| [[-1.0f32, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]].map(|v| v.map(|x| x * i as f32));
    check("concentric", (1..300).map(triangle).collect());
}

#[test]
fn degenerate_triangles_are_kept_and_never_hit() {
    let mut vertices = scenes::soup(100, 1.0);
    vertices.extend([[[0.5; 3]; 3]; 50]);
    vertices.extend((0..50).map(|i| [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.01 * i as f32; 3]]));
    check("degenerate", vertices);
}

#[test]
fn only_points_and_only_lines_make_a_tree() {
    check("points", (0..200).map(|i| [[i as f32, 0.0, 0.0]; 3]).collect());
    check("one point", vec![[[1.0; 3]; 3]; 200]);
    check("lines", (0..200).map(|i| [[i as f32, 0.0, 0.0], [i as f32 + 0.5, 0.0, 0.0], [i as f32; 3]]).collect());
}

#[test]
fn no_triangle_and_one_triangle_make_the_smallest_trees() {
    check("none", vec![]);
    check("one", scenes::soup(1, 1.0));
    check("two", scenes::soup(2, 1.0));
}

#[test]
fn coordinates_of_1e30_make_a_good_tree() {
    check("huge", scenes::soup(500, 1e12));
    // At 1e30 products of three coordinates overflow a test in f32, but not the oracle's.
    check("vast", scenes::soup(500, 1e30));
    let plain = build(&FlatTriangles::from_vertices(scenes::soup(500, 1.0)), &variants()[0].1).unwrap();
    let vast = build(&FlatTriangles::from_vertices(scenes::soup(500, 2f32.powi(100))), &variants()[0].1).unwrap();
    assert_eq!(plain.references, vast.references, "a scale by a power of two changes nothing");
}

#[test]
fn the_largest_and_smallest_floats_make_a_tree() {
    check("smallest", scenes::soup(300, 1e-44));
    let mut rng = random(5);
    let mut corner = || std::array::from_fn(|_| if rng.unit() < 0.5 { f32::MIN } else { f32::MAX });
    let vertices = (0..300).map(|_| [corner(), corner(), corner()]).collect();
    let triangles = FlatTriangles::from_vertices(vertices);
    for (variant, options) in variants() {
        assert_eq!(build(&triangles, &options).unwrap().validate(&triangles), Ok(()), "{variant}");
    }
}

#[test]
fn sizes_that_shrink_by_a_constant_factor_stay_within_the_greatest_depth() {
    // Greedy splits peel off one triangle at a time here, down to the least float.
    let triangle = |i: i32| {
        let s = (1e37 * 0.1f64.powi(i)) as f32;
        [[s, 0.0, 0.0], [s, s, 0.0], [s, 0.0, s]]
    };
    let triangles = FlatTriangles::from_vertices((0..81).map(triangle).collect());
    let mut deepest = 0;
    for (variant, options) in variants() {
        let tree = build(&triangles, &options).unwrap();
        assert_eq!(tree.validate(&triangles), Ok(()), "{variant}");
        assert!(tree.depth() <= MAX_DEPTH, "{variant}: depth {}", tree.depth());
        check_leaves(&tree, options.max_leaf);
        deepest = deepest.max(tree.depth());
    }
    assert_eq!(deepest, MAX_DEPTH, "the scene does not put the limit to the test");
}

#[test]
fn triangles_that_no_plane_separates_are_halved_again_and_again() {
    let line = (0..1024).map(|i| [[i as f32, 0.0, 0.0]; 3]).collect();
    for vertices in [scenes::soup(1, 1.0).repeat(1024), line] {
        let triangles = FlatTriangles::from_vertices(vertices);
        let whole = |options: &BuildOptions| {
            options.split_clipping.is_none() && (options.builder != Builder::Sbvh || options.split_alpha == 1.0)
        };
        for (variant, options) in variants().iter().filter(|(_, options)| whole(options)) {
            let depth = build(&triangles, options).unwrap().depth();
            assert_eq!(depth, 10 - options.max_leaf.ilog2(), "{variant}");
        }
    }
}
