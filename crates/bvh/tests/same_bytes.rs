//! The same input gives the same bytes, whatever the number of threads.

use crate::common::{scenes, variants};
use raywarp_bvh::{BuildOptions, Bvh2, Node, build};
use raywarp_geom::{Aabb, FlatTriangles};

fn bytes(tree: &Bvh2) -> Vec<u32> {
    let node = |node: &Node| {
        let Aabb { min, max } = node.bounds;
        let bounds = min.into_iter().chain(max).map(f32::to_bits);
        bounds.chain([node.first, node.count]).collect::<Vec<_>>()
    };
    tree.nodes.iter().flat_map(node).chain(tree.references.iter().copied()).collect()
}

fn check(triangles: &FlatTriangles, options: &BuildOptions, name: &str) {
    let built: Vec<Vec<u32>> = [1, 2, 3]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            bytes(&pool.install(|| build(triangles, options)).unwrap())
        })
        .into();
    assert!(built[0] == built[1], "{name}: 1 and 2 threads differ");
    assert!(built[0] == built[2], "{name}: 1 and 3 threads differ");
}

#[test]
fn trees_have_the_same_bytes_with_one_two_and_three_threads() {
    // Large enough for the parallel partition, with zeros of both signs and many equal centroids.
    let mut vertices = scenes::soup(60_000, 1.0);
    vertices.extend(scenes::grid(80));
    vertices.extend(scenes::grid(60).iter().map(|t| t.map(|v| v.map(|x| -x))));
    let triangles = FlatTriangles::from_vertices(vertices);
    for (name, options) in variants() {
        if options.max_leaf != 8 || options.split_clipping == Some(1.0) {
            continue;
        }
        check(&triangles, &options, &name);
    }
}

#[test]
fn identical_triangles_have_the_same_bytes_with_one_two_and_three_threads() {
    let triangles = FlatTriangles::from_vertices(vec![[[0.0, -0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 2.0, 3.0]]; 70_000]);
    for (name, options) in
        variants().into_iter().filter(|(_, options)| options.split_clipping.is_none() && options.max_leaf == 8)
    {
        check(&triangles, &options, &name);
    }
}
