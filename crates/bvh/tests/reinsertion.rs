//! What reinsertion promises: a valid tree over the same primitives that costs no more.

use crate::common::{scenes, variants};
use raywarp_bvh::{BuildOptions, Builder, Bvh2, MAX_DEPTH, build, reinsert};
use raywarp_geom::FlatTriangles;

const PASSES: u32 = 10;

fn sorted_references(tree: &Bvh2) -> Vec<u32> {
    let mut references = tree.references.clone();
    references.sort_unstable();
    references
}

/// Reinserts into the trees of every variant.
#[track_caller]
fn check(name: &str, vertices: Vec<[[f32; 3]; 3]>) {
    let triangles = FlatTriangles::from_vertices(vertices);
    for (variant, options) in variants().into_iter().filter(|(_, options)| options.reinsertion == 0) {
        let before = build(&triangles, &options).unwrap();
        let options = BuildOptions { reinsertion: PASSES, ..options };
        let mut after = before.clone();
        let stats = reinsert(&mut after, &options);
        assert_eq!(after.validate(&triangles), Ok(()), "{name}, {variant}");
        assert!(after.depth() <= MAX_DEPTH, "{name}, {variant}");
        assert!(after.nodes.iter().all(|node| node.count <= options.max_leaf), "{name}, {variant}");
        let costs = if options.builder == Builder::BinnedBlocks {
            // Blocks count there, not triangles.
            (stats.cost_before, stats.cost_after)
        } else {
            (before.sah_cost(), after.sah_cost())
        };
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a;
        assert!(close(stats.cost_before, costs.0) && close(stats.cost_after, costs.1), "{name}, {variant}: {stats:?}");
        assert!(costs.1 <= costs.0, "{name}, {variant}: {stats:?}");
        assert!(stats.passes <= PASSES);
        if before.references.len() == triangles.len() {
            assert_eq!(sorted_references(&after), sorted_references(&before), "{name}, {variant}");
        }
        assert_eq!(build(&triangles, &options).unwrap(), after, "{name}, {variant}: the builder's option");
    }
}

#[test]
fn trees_over_ordinary_scenes_stay_valid_and_cost_no_more() {
    check("soup", scenes::soup(2000, 1.0));
    check("needles", scenes::needles(1000));
    check("floors", scenes::floors());
    check("sphere", scenes::sphere(20));
}

#[test]
fn trees_over_scenes_made_to_hurt_stay_valid_and_cost_no_more() {
    check("none", vec![]);
    check("one", scenes::soup(1, 1.0));
    check("three", scenes::soup(3, 1.0));
    check("identical", scenes::soup(1, 1.0).repeat(500));
    check("points", (0..200).map(|i| [[i as f32, 0.0, 0.0]; 3]).collect());
    check("one point", vec![[[1.0; 3]; 3]; 200]);
    check("smallest", scenes::soup(300, 1e-44));
    check("vast", scenes::soup(500, 1e30));
    let shrinking = |i: i32| {
        let s = (1e37 * 0.1f64.powi(i)) as f32;
        [[s, 0.0, 0.0], [s, s, 0.0], [s, 0.0, s]]
    };
    check("shrinking", (0..81).map(shrinking).collect());
}

#[test]
fn trees_of_long_thin_triangles_gain_a_share_of_their_cost() {
    let triangles = FlatTriangles::from_vertices(scenes::needles(3000));
    for (builder, least) in [(Builder::Lbvh, 0.08), (Builder::BinnedSah, 0.02), (Builder::SweepSah, 0.02)] {
        let mut tree = build(&triangles, &BuildOptions { builder, ..BuildOptions::default() }).unwrap();
        let stats = reinsert(&mut tree, &BuildOptions { reinsertion: PASSES, ..BuildOptions::default() });
        let gain = 1.0 - stats.cost_after / stats.cost_before;
        assert!(gain >= least, "{builder:?}: {gain:.3} of the cost");
        assert!(stats.moves > 0 && stats.passes > 1);
    }
}

#[test]
fn other_costs_than_one_are_what_is_lowered() {
    let triangles = FlatTriangles::from_vertices(scenes::needles(3000));
    let options = BuildOptions { intersection_cost: 0.25, traversal_cost: 2.0, ..BuildOptions::default() };
    // Built for other costs, so that joining its leaves lowers this cost and raises that of ones.
    let before = build(&triangles, &BuildOptions { max_leaf: 2, ..BuildOptions::default() }).unwrap();
    let mut after = before.clone();
    let stats = reinsert(&mut after, &BuildOptions { reinsertion: PASSES, ..options });
    assert_eq!(after.validate(&triangles), Ok(()));
    assert!(stats.cost_after < 0.7 * stats.cost_before, "{stats:?}");
    assert!(after.sah_cost() > before.sah_cost());
}

#[test]
fn no_pass_changes_nothing() {
    let triangles = FlatTriangles::from_vertices(scenes::needles(500));
    let before = build(&triangles, &BuildOptions::default()).unwrap();
    let mut after = before.clone();
    let stats = reinsert(&mut after, &BuildOptions::default());
    assert_eq!((stats.passes, stats.moves, after), (0, 0, before));
}
