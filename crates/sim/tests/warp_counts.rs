//! Efficiencies that can be known beforehand.

use raywarp_bvh::{BuildOptions, build};
use raywarp_family::{Block, Operation, Variant, papers};
use raywarp_geom::{FlatTriangles, Ray};
use raywarp_sim::{WarpCounts, measure};
use raywarp_traverse::{Kernel, Query};

/// A row of triangles that look towards -z.
fn row(count: usize) -> FlatTriangles {
    let triangle = |i: usize| {
        let x = i as f32;
        [[x, 0.0, 0.0], [x + 0.9, 0.0, 0.0], [x, 0.9, 0.0]]
    };
    FlatTriangles::from_vertices((0..count).map(triangle).collect())
}

fn towards(x: f32) -> Ray {
    Ray::new([x, 0.2, -5.0], [0.0, 0.0, 1.0])
}

fn run(text: &str, width: u32, triangles: &FlatTriangles, rays: &[Ray]) -> WarpCounts {
    let variant: Variant = text.parse().unwrap();
    let max_leaf = if text.ends_with("cwbvh8") { 3 } else { 1 };
    let bvh = build(triangles, &BuildOptions { max_leaf, ..BuildOptions::default() }).unwrap();
    let kernel = Kernel::new(&variant, &bvh, triangles).unwrap();
    measure(&kernel, width, rays, &[], Query::Closest).unwrap()
}

#[test]
fn equal_rays_fill_every_warp_under_every_row() {
    let triangles = row(64);
    let rays = vec![towards(20.2); 64 * 6];
    for paper in papers() {
        let text = paper.variant.to_string();
        for width in [1, 8, 32, 64].into_iter().filter(|w| w % paper.variant.lanes_per_ray() == 0) {
            let counts = run(&text, width, &triangles, &rays);
            assert_eq!(counts.rays, rays.len() as u64, "{text}");
            if paper.variant.lanes_per_ray() == 1 {
                assert_eq!(counts.simd_efficiency(Operation::VisitNode), 1.0, "{text} at {width}");
                assert_eq!(counts.simd_efficiency(Operation::TestTriangle), 1.0, "{text} at {width}");
            }
        }
    }
}

#[test]
fn one_ray_in_a_warp_fills_one_lane() {
    let triangles = row(64);
    for width in [1, 2, 32, 64] {
        let counts = run("direct/while-while/bvh2", width, &triangles, &[towards(20.2)]);
        assert_eq!(counts.simd_efficiency(Operation::VisitNode), 1.0 / f64::from(width));
        assert_eq!(counts.block(Block::FetchRay).active, 1);
    }
}

#[test]
fn rays_that_miss_idle_while_the_others_walk() {
    let triangles = row(64);
    // Every other ray misses the scene's box: it visits the root alone.
    let rays: Vec<Ray> = (0..64).map(|i| if i % 2 == 0 { towards(20.2) } else { towards(-9.0) }).collect();
    let counts = run("direct/while-while/bvh2", 32, &triangles, &rays);
    let steps = counts.block(Block::VisitNode).issued / 2;
    let expected = (32 + 16 * (steps - 1)) as f64 / (32 * steps) as f64;
    assert!(steps > 2);
    assert_eq!(counts.simd_efficiency(Operation::VisitNode), expected);
    assert_eq!(counts.simd_efficiency(Operation::TestTriangle), 0.5);
}

#[test]
fn a_lane_for_each_child_counts_a_node_once() {
    let triangles = row(64);
    let counts = run("direct/while-while/wideN?branching=8", 32, &triangles, &[towards(20.2); 4]);
    // 64 leaves in nodes of eight: two levels, each with eight used lanes a ray.
    assert_eq!(counts.nodes_per_ray(), 2.0);
    assert_eq!(counts.lane_visits_per_ray(), 16.0);
    assert_eq!(counts.simd_efficiency(Operation::VisitNode), 1.0);
    // Seven of eight lanes only follow when rays are set up, pushed, popped and stored.
    assert!((0.1..0.9).contains(&counts.replicated(8)), "{}", counts.replicated(8));
    assert_eq!(run("direct/while-while/bvh2", 32, &triangles, &[towards(20.2); 4]).replicated(1), 0.0);
}

#[test]
fn a_lane_that_ends_one_leaf_an_iteration_does_the_same_in_more_iterations() {
    // Triangles behind one another. Even rays pass all of them in a corner of their boxes, odd ones hit the next.
    let triangle = |i: usize| {
        let x = i as f32;
        [[x, 0.0, 0.0], [x, 0.9, 0.0], [x, 0.0, 0.9]]
    };
    let triangles = FlatTriangles::from_vertices((0..64).map(triangle).collect());
    let ray = |i: usize| {
        let place = if i.is_multiple_of(2) { [-1.0, 0.8, 0.8] } else { [i as f32 - 0.5, 0.1, 0.1] };
        Ray::new(place, [1.0, 0.0, 0.0])
    };
    let rays: Vec<Ray> = (0..32).map(ray).collect();
    let counts = |leaves| run(&format!("direct/while-while/bvh2?leaves={leaves}"), 32, &triangles, &rays);
    let (flat, one) = (counts("flat"), counts("one"));
    for operation in [Operation::VisitNode, Operation::TestTriangle] {
        assert_eq!(flat.operation(operation).active, one.operation(operation).active, "{operation:?}");
    }
    let iterations = |counts: &WarpCounts| counts.operation(Operation::Loop).issued;
    assert!(iterations(&one) > iterations(&flat), "{} for {}", iterations(&one), iterations(&flat));
}
