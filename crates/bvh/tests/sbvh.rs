//! Spatial splits lose no part of a triangle, keep within their budget and pay.

use crate::common::{check_cover, scenes, variants};
use raywarp_bvh::{BuildError, BuildOptions, Builder, Bvh2, build, build_with_choice, presets};
use raywarp_geom::FlatTriangles;
use std::collections::BTreeSet;

fn options() -> BuildOptions {
    BuildOptions { builder: Builder::Sbvh, split_alpha: 0.0, ..BuildOptions::default() }
}

fn sbvh_variants() -> impl Iterator<Item = (String, BuildOptions)> {
    variants().into_iter().filter(|(_, options)| options.builder == Builder::Sbvh)
}

fn extra(tree: &Bvh2) -> usize {
    tree.references.len() - tree.primitive_count as usize
}

/// Every variant's tree over `vertices` holds all of every triangle, and no more references than it may.
#[track_caller]
fn check(name: &str, vertices: Vec<[[f32; 3]; 3]>) {
    let triangles = FlatTriangles::from_vertices(vertices);
    for (variant, options) in sbvh_variants() {
        let name = format!("{name}, {variant}");
        let tree = build(&triangles, &options).unwrap();
        assert_eq!(tree.validate(&triangles), Ok(()), "{name}");
        let found: BTreeSet<u32> = tree.references.iter().copied().collect();
        assert_eq!(found, (0..triangles.len() as u32).collect(), "{name}");
        check_cover(&name, &tree, &triangles);
        for node in tree.nodes.iter().filter(|node| !node.is_leaf()) {
            let [left, right] = [0, 1].map(|child| tree.nodes[node.first as usize + child].bounds);
            assert_eq!(node.bounds, left.union(&right), "{name}: a box with room in it");
        }
        let share = options.split_budget + options.split_clipping.unwrap_or(0.0);
        let limit = (triangles.len() as f32 * share) as usize;
        assert!(extra(&tree) <= limit, "{name}: {} references more, {limit} allowed", extra(&tree));
    }
}

#[test]
fn no_triangle_and_no_part_of_one_is_lost() {
    check("soup", scenes::soup(1500, 1.0));
    check("needles", scenes::needles(400));
    check("sphere", scenes::sphere(20));
    check("grid", scenes::grid(20));
    // Long enough for arrays of their own in the upper part of the tree.
    check("many needles", scenes::needles(6000));
}

#[test]
fn large_triangles_in_planes_that_are_no_round_numbers_stay_whole() {
    check("floors", scenes::floors());
}

#[test]
fn identical_degenerate_and_huge_triangles_are_kept() {
    check("identical", vec![[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.2]]; 700]);
    check("points", vec![[[1.0; 3]; 3]; 200]);
    check("lines", (0..300).map(|i| [[0.0; 3], [1.0, i as f32, 2.0], [0.5, 0.5 * i as f32, 1.0]]).collect());
    check("vast", scenes::needles(300).iter().map(|t| t.map(|v| v.map(|x| x * 1e37))).collect());
    check("largest", scenes::needles(300).iter().map(|t| t.map(|v| v.map(|x| x * f32::MAX))).collect());
    check("smallest", scenes::needles(300).iter().map(|t| t.map(|v| v.map(|x| x * 1e-44))).collect());
}

#[test]
fn without_a_budget_or_with_alpha_one_or_nodes_small_enough_the_tree_is_the_binned_one() {
    let triangles = FlatTriangles::from_vertices(scenes::needles(3000));
    let binned = build(&triangles, &BuildOptions::default()).unwrap();
    let uncut = [
        BuildOptions { split_budget: 0.0, ..options() },
        BuildOptions { split_alpha: 1.0, ..options() },
        BuildOptions { split_below: 0.0, ..options() },
    ];
    for uncut in uncut {
        let tree = build(&triangles, &uncut).unwrap();
        assert_eq!(extra(&tree), 0);
        assert!((tree.sah_cost() / binned.sah_cost() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn nodes_above_the_largest_that_may_be_cut_divide_their_triangles() {
    let triangles = FlatTriangles::from_vertices(scenes::needles(3000));
    let of_nodes = |split_below: f32| {
        let tree = build(&triangles, &BuildOptions { split_below, ..options() }).unwrap();
        assert_eq!(tree.validate(&triangles), Ok(()));
        tree
    };
    let all = of_nodes(1.0);
    for split_below in [0.5, 0.1] {
        let tree = of_nodes(split_below);
        assert!(extra(&tree) > 0 && extra(&tree) < extra(&all), "{split_below}: {}", extra(&tree));
        let most = split_below * tree.nodes[0].bounds.half_area();
        for node in tree.nodes.iter().filter(|node| !node.is_leaf() && node.bounds.half_area() > most) {
            let held = [0, 1].map(|side| primitives(&tree, node.first as usize + side));
            assert!(held[0].is_disjoint(&held[1]), "a large node was cut");
        }
    }
}

/// The triangles below a node.
fn primitives(tree: &Bvh2, node: usize) -> std::collections::BTreeSet<u32> {
    let n = &tree.nodes[node];
    let first = n.first as usize;
    if n.is_leaf() {
        return tree.references[first..first + n.count as usize].iter().copied().collect();
    }
    [first, first + 1].into_iter().flat_map(|child| primitives(tree, child)).collect()
}

#[test]
fn a_larger_budget_makes_a_better_tree_of_crossing_needles() {
    let triangles = FlatTriangles::from_vertices(scenes::needles(2000));
    let cost = |split_budget| build(&triangles, &BuildOptions { split_budget, ..options() }).unwrap().sah_cost();
    let costs = [0.0, 0.3, 1.0, 4.0].map(cost);
    assert!(costs.is_sorted_by(|a, b| *b < 0.995 * a), "{costs:?}");
}

#[test]
fn a_grid_that_object_splits_divide_well_is_not_cut() {
    let triangles = FlatTriangles::from_vertices(scenes::grid(64));
    let tree = build(&triangles, &BuildOptions { split_alpha: 1e-5, ..options() }).unwrap();
    assert!(extra(&tree) < triangles.len() / 50, "{} references more", extra(&tree));
}

#[test]
fn where_cuts_do_not_pay_the_tree_without_them_is_taken() {
    let [needles, grid] = [scenes::needles(2000), scenes::grid(64)].map(FlatTriangles::from_vertices);
    for (triangles, share, builder) in [
        (&needles, 0.985, Builder::Sbvh),
        // It would have to be much cheaper.
        (&needles, 0.1, Builder::BinnedSah),
        (&grid, 0.985, Builder::BinnedSah),
        (&FlatTriangles::default(), 0.985, Builder::BinnedSah),
    ] {
        let (tree, taken) = build_with_choice(triangles, &BuildOptions { split_worth: share, ..presets::GPU }).unwrap();
        assert_eq!(taken, BuildOptions { builder, ..presets::SINGLE_SPLIT_INNER }, "{share}");
        assert!(tree == build(triangles, &taken).unwrap(), "{share}");
    }
    // Other builders make no cuts.
    let options = BuildOptions { split_worth: 2.0, ..presets::BALANCED };
    assert_eq!(build_with_choice(&grid, &options).unwrap().1, options);
    // Whatever is asked for is checked before one tree is built.
    let broken = BuildOptions { split_below: 2.0, ..presets::GPU };
    assert!(matches!(build(&grid, &broken), Err(BuildError::Option { option: "split_below", .. })));
}

#[test]
fn every_preset_makes_a_valid_tree_and_the_slower_ones_cheaper_trees() {
    let mut vertices = scenes::floors();
    vertices.extend(scenes::soup(3000, 300.0));
    let triangles = FlatTriangles::from_vertices(vertices);
    let cost = |(name, options): (&str, BuildOptions)| {
        let tree = build(&triangles, &options).unwrap();
        assert_eq!(tree.validate(&triangles), Ok(()), "{name}");
        tree.sah_cost()
    };
    let [fastest, blocks, fast, balanced, good, best] = presets::ALL.map(cost);
    assert!(fastest > fast && fastest > balanced && balanced > good && good > best);
    // Its costs count blocks, but no tree of it is as bad as the fastest.
    assert!(fastest > blocks);
}
