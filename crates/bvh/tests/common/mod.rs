//! Scenes, rays and the oracle that the tests of this crate share.

pub mod scenes;

use raywarp_bvh::{BuildOptions, Builder, Bvh2, presets};
use raywarp_geom::{Aabb, FlatTriangles, Ray, SlabRay, slab};
use raywarp_testing::Random;

/// A generator of test numbers.
pub fn random(seed: u64) -> Random {
    Random::new(seed ^ 0x9e37_79b9_7f4a_7c15)
}

/// All builders with small and large leaves, with and without splitting.
pub fn variants() -> Vec<(String, BuildOptions)> {
    let mut variants = Vec::new();
    for builder in [Builder::BinnedSah, Builder::SweepSah, Builder::Lbvh, Builder::Ploc] {
        for max_leaf in [8, 4, 1] {
            for split_clipping in [None, Some(0.3), Some(1.0)] {
                let options = BuildOptions { builder, max_leaf, split_clipping, ..BuildOptions::default() };
                variants.push((format!("{builder:?}, leaf {max_leaf}, splits {split_clipping:?}"), options));
            }
        }
    }
    for (max_leaf, reinsertion) in [(8, 0), (4, 0), (3, 0), (8, 2)] {
        let options = BuildOptions { max_leaf, reinsertion, ..presets::BLOCKS };
        variants.push((format!("blocks, leaf {max_leaf}, {reinsertion} passes"), options));
    }
    for (max_leaf, split_alpha, split_budget) in
        [(8, 1e-5, 1.0), (8, 0.0, 0.1), (4, 0.0, 4.0), (4, 1e-3, 1.0), (4, 1.0, 1.0), (1, 0.0, 0.5), (1, 0.0, 4.0)]
    {
        let plain = BuildOptions { builder: Builder::Sbvh, max_leaf, ..BuildOptions::default() };
        let options = BuildOptions { split_alpha, split_budget, ..plain };
        variants.push((format!("SBVH, leaf {max_leaf}, alpha {split_alpha}, budget {split_budget}"), options));
    }
    let both = BuildOptions { builder: Builder::Sbvh, split_clipping: Some(0.3), ..BuildOptions::default() };
    variants.push(("SBVH after early split clipping".to_owned(), both));
    for builder in [Builder::BinnedSah, Builder::SweepSah, Builder::Lbvh, Builder::Ploc, Builder::Sbvh] {
        for max_leaf in [8, 1] {
            let options = BuildOptions { builder, max_leaf, reinsertion: 8, ..BuildOptions::default() };
            variants.push((format!("{builder:?}, leaf {max_leaf}, reinsertion"), options));
        }
    }
    variants
}

/// Rays from around the scene to points on triangles and beside them, some along the axes.
pub fn rays(triangles: &FlatTriangles, count: usize) -> Vec<Ray> {
    let bounds = triangles.bounds();
    let (center, size) = if triangles.is_empty() { ([0.0; 3], 1.0) } else { (bounds.center(), extent(&bounds)) };
    let mut rng = random(77);
    (0..count)
        .map(|i| {
            let away = rng.point();
            let origin: [f32; 3] = std::array::from_fn(|k| center[k] + 1.5 * size * away[k]);
            let target = match triangles.vertices.get(i * 7919 % triangles.len().max(1)) {
                Some(triangle) if i % 3 > 0 => {
                    let triangle = triangle.map(|v| v.map(f64::from));
                    triangle_point(&triangle, rng.unit().into(), rng.unit().into()).map(|x| x as f32)
                }
                _ => std::array::from_fn(|k| center[k] + size * (rng.unit() - 0.5)),
            };
            let mut direction: [f32; 3] = std::array::from_fn(|k| (target[k] - origin[k]) / size);
            if i % 5 == 0 {
                direction[i % 3] = 0.0;
            }
            if direction == [0.0; 3] { Ray::new(origin, [1.0, 0.0, 0.0]) } else { Ray::new(origin, direction) }
        })
        .collect()
}

fn extent(bounds: &Aabb) -> f32 {
    bounds.extent().into_iter().fold(f32::MIN_POSITIVE, f32::max)
}

/// A point inside a triangle; `u` and `v` from 0 to 1.
pub fn triangle_point(t: &[[f64; 3]; 3], u: f64, v: f64) -> [f64; 3] {
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    std::array::from_fn(|k| (1.0 - u - v) * t[0][k] + u * t[1][k] + v * t[2][k])
}

/// Sampled points of every triangle, its corners among them, each lie in a leaf's box that holds it.
#[track_caller]
pub fn check_cover(name: &str, tree: &Bvh2, triangles: &FlatTriangles) {
    let mut boxes = vec![Vec::new(); triangles.len()];
    for leaf in tree.nodes.iter().filter(|node| node.is_leaf()) {
        for &primitive in &tree.references[leaf.first as usize..][..leaf.count as usize] {
            boxes[primitive as usize].push(leaf.bounds);
        }
    }
    let mut rng = random(9);
    for (i, triangle) in triangles.vertices.iter().enumerate() {
        // Only the rounding of the f64 point is forgiven.
        let slack = 1e-14 * triangle.iter().flatten().fold(0.0f32, |max, x| max.max(x.abs())) as f64;
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)].into_iter();
        let inside = (0..40).map(|_| (f64::from(rng.unit()), f64::from(rng.unit())));
        for (u, v) in corners.chain(inside) {
            let p = triangle_point(&triangle.map(|v| v.map(f64::from)), u, v);
            let within =
                |b: &Aabb, k: usize| f64::from(b.min[k]) - slack <= p[k] && p[k] <= f64::from(b.max[k]) + slack;
            let held = boxes[i].iter().any(|b| (0..3).all(|k| within(b, k)));
            assert!(held, "{name}: {p:?} of triangle {i}, {triangle:?}, is not in {:?}", boxes[i]);
        }
    }
}

/// `(t, primitive)` of the nearest hit, of equal ones the lowest primitive; Moeller and Trumbore in f64.
pub type Found = Option<(f64, u32)>;

pub fn closest_brute_force(triangles: &FlatTriangles, ray: &Ray) -> Found {
    (0..triangles.len() as u32).fold(None, |best, primitive| nearer(triangles, ray, primitive, best))
}

/// The same by way of the tree: a stack of nodes, and the library's box test.
pub fn closest_in_tree(tree: &Bvh2, triangles: &FlatTriangles, ray: &Ray) -> Found {
    let slab_ray = SlabRay::new(ray);
    let mut best: Found = None;
    let mut stack: Vec<u32> = (0..tree.nodes.len().min(1) as u32).collect();
    let limit = tree.stack_depth() as usize;
    while let Some(i) = stack.pop() {
        assert!(stack.len() <= limit, "the stack holds more than stack_depth says");
        let node = &tree.nodes[i as usize];
        let t_max = best.map_or(f32::INFINITY, |(t, _)| (t as f32).next_up());
        if slab(&slab_ray, &node.bounds, 0.0, t_max).is_none() {
            continue;
        }
        if node.is_leaf() {
            for &primitive in &tree.references[node.first as usize..][..node.count as usize] {
                best = nearer(triangles, ray, primitive, best);
            }
        } else {
            stack.extend([node.first + 1, node.first]);
        }
    }
    best
}

fn nearer(triangles: &FlatTriangles, ray: &Ray, primitive: u32, best: Found) -> Found {
    let hit = test(&triangles.vertices[primitive as usize], ray).map(|t| (t, primitive));
    match (hit, best) {
        (Some(new), Some(old)) if new < old => hit,
        (Some(_), None) => hit,
        _ => best,
    }
}

fn test(triangle: &[[f32; 3]; 3], ray: &Ray) -> Option<f64> {
    let [v0, v1, v2] = triangle.map(|v| v.map(f64::from));
    let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
    let (e1, e2) = (sub(v1, v0), sub(v2, v0));
    let p = cross(direction, e2);
    let det = dot(e1, p);
    if det == 0.0 {
        return None;
    }
    let s = sub(origin, v0);
    let q = cross(s, e1);
    let (u, v, t) = (dot(s, p) / det, dot(direction, q) / det, dot(e2, q) / det);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
