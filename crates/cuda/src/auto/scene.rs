//! Scene and rays that candidates trace: a made-up hall with columns, furniture, balls and sticks, the same for
//! everyone.
//!
//! It has what makes trees and lanes work in rooms: a few huge triangles around many small ones, slivers, dense spots
//! and free space, 160,000 triangles in all, most of them along the axes as what people build is. (With two thousand
//! sticks askew kernels ranked otherwise than in real rooms: four children a node fell behind two.) Rays are of the
//! kinds that the papers trace: a camera's in blocks of 8 x 4 pixels, and one occlusion and one diffuse ray from what
//! each of them hit.

use raywarp_geom::{FlatTriangles, Hit, Ray};

type Vec3 = [f32; 3];

/// Half the side lengths of the hall, the generated scene that kernels are timed on.
const HALL: Vec3 = [12.0, 4.0, 8.0];
/// Length of occlusion rays in the timing scene: a quarter of the hall's diagonal.
const OCCLUSION: f32 = 7.5;
/// Distance from the surface at which scattered rays start.
const OFFSET: f32 = 3e-3;

/// Pseudo-random numbers from 0 to 1 in a fixed order (PCG's output function over a counter).
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(1);
        let state = self.0.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        (((word >> 22) ^ word) >> 8) as f32 / (1 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }
}

/// Returns the triangles of the hall, the generated scene that kernels are timed on.
pub(super) fn hall() -> FlatTriangles {
    let mut numbers = Numbers(0);
    let mut all = Vec::new();
    block(&mut all, [0.0; 3], HALL);
    for column in 0..24 {
        let foot = [-10.5 + 3.0 * (column % 8) as f32, [-5.0, 0.5, 5.5][column / 8]];
        // Fluted, and thicker below.
        let radius = |angle: f32, height: f32| 0.4 + 0.03 * (8.0 * angle).cos() + 0.1 * (1.0 - height).powi(4);
        surface(&mut all, 48, 24, |angle, height| {
            let r = radius(angle, height);
            [foot[0] + r * angle.cos(), HALL[1] * (2.0 * height - 1.0), foot[1] + r * angle.sin()]
        });
    }
    for _ in 0..60 {
        // Many small ones and few large.
        let radius = 0.08 / (0.06 + numbers.next());
        let center = [numbers.between(-10.6, 10.6), radius - HALL[1], numbers.between(-6.6, 6.6)];
        surface(&mut all, 20, 14, |angle, height| {
            let (sin, cos) = (std::f32::consts::PI * height).sin_cos();
            let direction = [sin * angle.cos(), -cos, sin * angle.sin()];
            std::array::from_fn(|i| center[i] + radius * direction[i])
        });
    }
    for _ in 0..300 {
        let at: Vec3 = std::array::from_fn(|i| numbers.between(-1.0, 1.0) * (HALL[i] - 0.9));
        let axis = (3.0 * numbers.next()) as usize % 3;
        let (mut along, mut across) = ([0.0; 3], [0.0; 3]);
        (along[axis], across[(axis + 1) % 3]) = (numbers.between(-0.8, 0.8), numbers.between(-0.02, 0.02));
        let corner = |s: f32, t: f32| std::array::from_fn(|i| at[i] + s * along[i] + t * across[i]);
        quad(&mut all, [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)]);
    }
    for _ in 0..6000 {
        let at: Vec3 = std::array::from_fn(|i| numbers.between(-1.0, 1.0) * (HALL[i] - 0.9));
        let half: Vec3 = std::array::from_fn(|_| 0.02 / (0.03 + numbers.next()));
        // Most stand on the floor.
        let on_floor = [at[0], half[1] - HALL[1], at[2]];
        block(&mut all, if numbers.next() < 0.7 { on_floor } else { at }, half);
    }
    FlatTriangles::from_vertices(all)
}

/// Adds the six sides of an axis-aligned box to the hall.
fn block(all: &mut Vec<[Vec3; 3]>, center: Vec3, half: Vec3) {
    for (axis, side) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        let at = |a: f32, b: f32| {
            let mut p = [0.0; 3];
            (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, a, b);
            std::array::from_fn(|i| center[i] + p[i] * half[i])
        };
        quad(all, [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    }
}

fn quad(all: &mut Vec<[Vec3; 3]>, [a, b, c, d]: [Vec3; 4]) {
    all.extend([[a, b, c], [a, c, d]]);
}

/// Adds a curved surface given over an angle and a height from 0 to 1, without triangles that have no area, as at a
/// ball's poles.
fn surface(all: &mut Vec<[Vec3; 3]>, columns: usize, rows: usize, point: impl Fn(f32, f32) -> Vec3) {
    let angle = |i: usize| std::f32::consts::TAU * (i % columns) as f32 / columns as f32;
    let height = |j: usize| j as f32 / rows as f32;
    for (i, j) in (0..columns).flat_map(|i| (0..rows).map(move |j| (i, j))) {
        let corner = |i, j| point(angle(i), height(j));
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        let triangles = [[a, b, c], [a, c, d]];
        all.extend(triangles.into_iter().filter(|&[a, b, c]| length(cross(sub(b, a), sub(c, a))) > 1e-12));
    }
}

/// Returns at least `count` rays of a camera in the hall, in blocks of 8 x 4 pixels.
pub(super) fn camera_rays(count: usize) -> Vec<Ray> {
    // Four to three, in whole blocks.
    let blocks = ((count.div_ceil(32) as f64 * 2.0 / 3.0).sqrt().ceil() as usize).max(1);
    let rows = count.div_ceil(32).div_ceil(blocks);
    let (eye, toward) = ([-11.0f32, 1.0, -7.0], normalized([0.83, -0.2, 0.52]));
    let right = normalized(cross(toward, [0.0, 1.0, 0.0]));
    let up = cross(right, toward);
    let [width, height] = [8.0 * blocks as f32, 4.0 * rows as f32];
    let ray = |x: usize, y: usize| {
        // A field of view of 77 by 62 degrees.
        let (a, b) = (0.8 * (2.0 * (x as f32 + 0.5) / width - 1.0), 0.6 * (1.0 - 2.0 * (y as f32 + 0.5) / height));
        Ray::new(eye, std::array::from_fn(|i| toward[i] + a * right[i] + b * up[i]))
    };
    let blocks = (0..rows).flat_map(|row| (0..blocks).map(move |column| (column, row)));
    blocks.flat_map(|(column, row)| (0..32).map(move |i| ray(8 * column + i % 8, 4 * row + i / 8))).collect()
}

/// Returns rays that scatter from the hits of given rays: diffuse rays, and as many occlusion rays.
pub(super) fn scattered(triangles: &FlatTriangles, rays: &[Ray], hits: &[Hit]) -> [Vec<Ray>; 2] {
    let mut numbers = Numbers(1 << 20);
    let [mut diffuse, mut occlusion] = [Vec::with_capacity(rays.len()), Vec::with_capacity(rays.len())];
    for (ray, hit) in rays.iter().zip(hits) {
        let Some([a, b, c]) = triangles.vertices.get(hit.primitive as usize) else { continue };
        let normal = normalized(cross(sub(*b, *a), sub(*c, *a)));
        let side = if dot(normal, ray.direction) > 0.0 { -1.0 } else { 1.0 };
        let origin = std::array::from_fn(|i| ray.origin[i] + hit.t * ray.direction[i] + side * OFFSET * normal[i]);
        let mut around = || {
            // Cosine-weighted: a point of the sphere that touches the surface from above.
            let (z, angle) = (numbers.between(-1.0, 1.0), numbers.between(0.0, std::f32::consts::TAU));
            let r = (1.0 - z * z).max(0.0).sqrt();
            let on_sphere = [r * angle.cos(), r * angle.sin(), z];
            let sum: Vec3 = std::array::from_fn(|i| side * normal[i] + on_sphere[i]);
            if length(sum) > 1e-3 { normalized(sum) } else { normal.map(|n| side * n) }
        };
        diffuse.push(Ray::new(origin, around()));
        occlusion.push(Ray::new(origin, around()).with_interval(0.0, OCCLUSION));
    }
    [diffuse, occlusion]
}

fn sub(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

fn length(a: Vec3) -> f32 {
    dot(a, a).sqrt()
}

fn normalized(a: Vec3) -> Vec3 {
    let length = length(a);
    a.map(|x| x / length)
}
