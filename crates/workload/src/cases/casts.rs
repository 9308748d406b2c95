//! Casts: rays for the cases' triangles.

use super::random::{Point, Random};
use super::shapes::Triangle;
use raywarp_geom::Ray;

pub(super) fn from_to(origin: Point, target: Point) -> Ray {
    Ray::new(origin, std::array::from_fn(|i| target[i] - origin[i]))
}

/// Makes rays from random points in the cube from -2 to 2 to random points in the cube from -1 to 1, with directions of
/// any length.
pub(super) fn across(count: usize, seed: u32) -> Vec<Ray> {
    // Not the numbers of a soup of that seed: rays would pass exactly through its corners.
    let mut random = Random::new(1000 + seed);
    (0..count)
        .map(|_| {
            let (origin, target) = (random.point().map(|x| 2.0 * x), random.point());
            from_to(origin, target)
        })
        .collect()
}

/// Returns the rays scaled by `scale` and then moved by `shift`, as `shapes::placed` does with triangles.
pub(super) fn placed(rays: Vec<Ray>, scale: f32, shift: Point) -> Vec<Ray> {
    let place = |ray: Ray| Ray {
        origin: std::array::from_fn(|i| ray.origin[i] * scale + shift[i]),
        direction: ray.direction.map(|x| x * scale),
        ..ray
    };
    rays.into_iter().map(place).collect()
}

/// Returns a random point of a triangle, not near its border, and its unit normal, turned to a random side.
pub(super) fn on_triangle(random: &mut Random, [a, b, c]: &Triangle) -> (Point, Point) {
    let (mut u, mut v) = (random.unit(), random.unit());
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    let (u, v) = (0.05 + 0.85 * u, 0.05 + 0.85 * v);
    let point = std::array::from_fn(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]));
    let e: [f64; 3] = std::array::from_fn(|i| f64::from(b[i]) - f64::from(a[i]));
    let f: [f64; 3] = std::array::from_fn(|i| f64::from(c[i]) - f64::from(a[i]));
    let n = crate::vector::normalized(crate::vector::cross(e, f)).unwrap_or([0.0, 0.0, 1.0]);
    let side = if random.unit() < 0.5 { -1.0 } else { 1.0 };
    (point, n.map(|x| (side * x) as f32))
}

/// Makes rays from random triangles, `lift` off their surface, with cosine-weighted directions as diffuse reflection
/// has them.
pub(super) fn diffuse(count: usize, triangles: &[Triangle], lift: f32, seed: u32) -> Vec<Ray> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let triangle = &triangles[random.below(triangles.len())];
            let (point, normal) = on_triangle(&mut random, triangle);
            let origin = std::array::from_fn(|i| point[i] + lift * normal[i]);
            Ray::new(origin, random.diffuse(normal))
        })
        .collect()
}

/// Makes rays from points near `center` to points on edges and corners of random triangles.
pub(super) fn at_edges(count: usize, triangles: &[Triangle], center: Point, seed: u32) -> Vec<Ray> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|i| {
            let corners = triangles[random.below(triangles.len())];
            let (from, to) = (corners[i % 3], corners[(i + 1) % 3]);
            let along = [0.0, 1.0, 0.5, random.unit()][i % 4];
            let target = std::array::from_fn(|k| from[k] + along * (to[k] - from[k]));
            let off = random.point();
            from_to(std::array::from_fn(|k| center[k] + 0.3 * off[k]), target)
        })
        .collect()
}
