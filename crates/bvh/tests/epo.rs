//! The end-point overlap against every node and every triangle.

use crate::common::{scenes, variants};
use raywarp_bvh::{Builder, Bvh2, build};
use raywarp_geom::{Aabb, FlatTriangles};
use std::collections::BTreeSet;

/// Every triangle clipped to the box of every node that it is not below; one plane after the other,
/// from the whole triangle each time.
fn oracle(tree: &Bvh2, triangles: &FlatTriangles) -> f64 {
    let total: f64 = triangles.vertices.iter().map(|t| area(&t.map(|v| v.map(f64::from)))).sum();
    let mut cost = 0.0;
    for (i, node) in tree.nodes.iter().enumerate() {
        let own = below(tree, i);
        for (primitive, triangle) in triangles.vertices.iter().enumerate() {
            if !own.contains(&(primitive as u32)) {
                let weight = if node.is_leaf() { f64::from(node.count) } else { 1.0 };
                cost += weight * area(&clip(triangle, &node.bounds));
            }
        }
    }
    cost / total
}

fn below(tree: &Bvh2, i: usize) -> BTreeSet<u32> {
    let node = &tree.nodes[i];
    if node.is_leaf() {
        return tree.references[node.first as usize..][..node.count as usize].iter().copied().collect();
    }
    let mut all = below(tree, node.first as usize);
    all.extend(below(tree, node.first as usize + 1));
    all
}

fn clip(triangle: &[[f32; 3]; 3], bounds: &Aabb) -> Vec<[f64; 3]> {
    let mut points: Vec<[f64; 3]> = triangle.iter().map(|v| v.map(f64::from)).collect();
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        let plane = f64::from(if sign > 0.0 { bounds.min[axis] } else { bounds.max[axis] });
        let height = |p: &[f64; 3]| sign * (p[axis] - plane);
        let mut kept = Vec::new();
        for (i, p) in points.iter().enumerate() {
            let q = &points[(i + 1) % points.len()];
            if height(p) >= 0.0 {
                kept.push(*p);
            }
            if height(p) * height(q) < 0.0 {
                let t = height(p) / (height(p) - height(q));
                kept.push(std::array::from_fn(|k| p[k] + t * (q[k] - p[k])));
            }
        }
        points = kept;
    }
    points
}

fn area(points: &[[f64; 3]]) -> f64 {
    let mut sum = [0.0; 3];
    for pair in points.get(1..).unwrap_or_default().windows(2) {
        let [a, b]: [[f64; 3]; 2] = std::array::from_fn(|i| std::array::from_fn(|k| pair[i][k] - points[0][k]));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            sum[k] += a[i] * b[j] - a[j] * b[i];
        }
    }
    0.5 * sum.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[track_caller]
fn check(name: &str, vertices: Vec<[[f32; 3]; 3]>) {
    let triangles = FlatTriangles::from_vertices(vertices);
    for (variant, options) in variants().into_iter().filter(|(_, options)| options.max_leaf >= 4) {
        let tree = build(&triangles, &options).unwrap();
        let (found, expected) = (tree.epo_cost(&triangles), oracle(&tree, &triangles));
        assert!((found - expected).abs() <= 1e-9 * (1.0 + expected), "{name}, {variant}: {found}, oracle {expected}");
    }
}

#[test]
fn the_overlap_is_that_of_every_node_with_every_triangle() {
    check("soup", scenes::soup(150, 1.0));
    check("needles", scenes::needles(60));
    check("sphere", scenes::sphere(8));
    check("grid", scenes::grid(8));
}

#[test]
fn spatial_splits_lower_the_overlap_of_crossing_needles() {
    let triangles = FlatTriangles::from_vertices(scenes::needles(2000));
    let cost = |wanted: Builder| {
        let of = |(_, options): &(String, raywarp_bvh::BuildOptions)| options.builder == wanted;
        let (_, options) = variants().into_iter().find(of).unwrap();
        build(&triangles, &options).unwrap().epo_cost(&triangles)
    };
    let (binned, split) = (cost(Builder::BinnedSah), cost(Builder::Sbvh));
    assert!(split < 0.95 * binned, "{split} with splits, {binned} without");
}

#[test]
fn the_overlap_has_the_same_bits_with_one_two_and_three_threads() {
    let triangles = FlatTriangles::from_vertices(scenes::soup(5000, 1.0));
    let tree = build(&triangles, &raywarp_bvh::BuildOptions::default()).unwrap();
    let bits = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| tree.epo_cost(&triangles)).to_bits()
    });
    assert_eq!([bits[0]; 3], bits);
}
