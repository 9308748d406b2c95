//! Shapes: triangles for the cases.

use super::random::{Point, Random};
use raywarp_geom::{FlatTriangles, PrimitiveId};

pub(super) type Triangle = [Point; 3];

/// Returns `count` random triangles of extent `size` whose centres lie in the cube from -1 to 1.
pub(super) fn soup(count: usize, size: f32, seed: u32) -> Vec<Triangle> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let place = random.point();
            [0; 3].map(|_| {
                let offset = random.point();
                std::array::from_fn(|i| place[i] + size * offset[i])
            })
        })
        .collect()
}

/// Returns a closed ball of radius 1: an octahedron whose 8 triangles are split `levels` times, sharing corners bit for
/// bit.
pub(super) fn ball(levels: u32) -> Vec<Triangle> {
    let corner = |axis: usize, sign: f32| -> Point { std::array::from_fn(|i| if i == axis { sign } else { 0.0 }) };
    let middle = |a: Point, b: Point| -> Point {
        // Symmetric in a and b: neighbours get the same corner.
        let m: Point = std::array::from_fn(|i| 0.5 * (a[i] + b[i]));
        let length = (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]).sqrt();
        m.map(|x| x / length)
    };
    let octant = |signs: usize| {
        let sign = |axis: usize| if signs >> axis & 1 == 0 { 1.0 } else { -1.0 };
        [corner(0, sign(0)), corner(1, sign(1)), corner(2, sign(2))]
    };
    let split = |[a, b, c]: Triangle| {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    };
    let octahedron: Vec<Triangle> = (0..8).map(octant).collect();
    (0..levels).fold(octahedron, |triangles, _| triangles.into_iter().flat_map(split).collect())
}

/// Returns the parallelogram with `corner` and the sides `u` and `v` as two triangles.
pub(super) fn quad(corner: Point, u: Point, v: Point) -> [Triangle; 2] {
    let add = |p: Point, q: Point| -> Point { std::array::from_fn(|i| p[i] + q[i]) };
    let (b, c) = (add(corner, u), add(corner, v));
    [[corner, b, c], [b, add(b, v), c]]
}

/// Returns the twelve triangles of the box with the lower corner `low` and side lengths `size`. Corners are shared bit
/// for bit when sums of `low` and `size` are exact.
pub(super) fn cuboid(low: Point, size: Point) -> Vec<Triangle> {
    let high: Point = std::array::from_fn(|i| low[i] + size[i]);
    let side = |axis: usize| -> Point { std::array::from_fn(|i| if i == axis { size[i] } else { 0.0 }) };
    let back = |axis: usize| side(axis).map(|x| -x);
    let pairs = [(0, 1), (1, 2), (2, 0)];
    let faces = pairs.into_iter().flat_map(|(a, b)| [quad(low, side(a), side(b)), quad(high, back(a), back(b))]);
    faces.flatten().collect()
}

/// Returns a floor of 2 n^2 triangles over 0 to n in x and y at height z.
pub(super) fn floor(n: usize, z: f32) -> Vec<Triangle> {
    let cell = |i: usize| quad([(i % n) as f32, (i / n) as f32, z], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    (0..n * n).flat_map(cell).collect()
}

/// Returns the inside of a box, 4 x 3 x 5, with boxes on its floor and a ball in the air.
pub(super) fn room() -> Vec<Triangle> {
    let mut triangles = cuboid([0.0; 3], [4.0, 3.0, 5.0]);
    for [x, z, width, height] in [[0.5, 0.5, 1.0, 0.75], [2.5, 1.0, 0.75, 2.0], [1.0, 3.0, 2.0, 0.5]] {
        triangles.extend(cuboid([x, 0.0, z], [width, height, 1.0]));
    }
    let place = |p: Point| [2.0 + 0.5 * p[0], 2.2 + 0.5 * p[1], 2.5 + 0.5 * p[2]];
    triangles.extend(ball(2).into_iter().map(|triangle| triangle.map(place)));
    triangles
}

/// Divides opaque triangles among `instances` instances of about as many triangles each.
pub(super) fn in_instances(vertices: Vec<Triangle>, instances: usize) -> FlatTriangles {
    let count = vertices.len();
    let mut triangles = FlatTriangles::from_vertices(vertices);
    for (i, id) in triangles.ids.iter_mut().enumerate() {
        let instance = i * instances / count;
        let first = (instance * count).div_ceil(instances);
        *id = PrimitiveId { instance: instance as u32, primitive: (i - first) as u32 };
    }
    triangles
}

/// Returns the triangles scaled by `scale` about the origin and then moved by `shift`.
pub(super) fn placed(triangles: Vec<Triangle>, scale: f32, shift: Point) -> Vec<Triangle> {
    let place = |p: Point| -> Point { std::array::from_fn(|i| p[i] * scale + shift[i]) };
    triangles.into_iter().map(|triangle| triangle.map(place)).collect()
}
