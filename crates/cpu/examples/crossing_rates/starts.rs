//! Points from which rays start, how often they are inside, and rays from them.

use crate::closed::aim::distance;
use crate::closed::exact::winding;
use crate::closed::meshes::SplitMix64;
use crate::scenes::{CUBES, Kind, Scene};
use raywarp_geom::Ray;

type P = [f32; 3];

/// Part of a point's largest coordinate difference to the scene within which nothing is promised: 64 half-ulps.
const TOO_NEAR: f64 = 64.0 / (1u64 << 24) as f64;

/// Point from which rays start.
pub struct Start {
    pub point: P,
    /// How often it is inside; `None` if it is too near to a surface for anything to be promised.
    pub inside: Option<i32>,
    /// Direction along an edge whose line passes the point, or nearly so.
    along: Option<P>,
}

impl Start {
    pub fn new(scene: &Scene, random: &mut SplitMix64) -> Self {
        let (point, along) = place(scene, random);
        let bound = TOO_NEAR * reach(scene, &point);
        let is_near = scene.triangles.iter().any(|triangle| is_within(&point, triangle, bound));
        let inside = || winding(&scene.triangles, &point).expect("of many rays some pass no edge");
        Self { point, inside: (!is_near).then(inside), along }
    }

    /// A ray from it.
    pub fn ray(&self, scene: &Scene, random: &mut SplitMix64) -> Ray {
        let choice = random.below(8);
        let direction = match (scene.kind, choice) {
            (Kind::Lattice, 0..=5) | (_, 0) => {
                // Along an axis; fewer along a diagonal of two or three.
                let parts = [1, 1, 1, 2, 3][random.below(5)];
                let first = random.below(3);
                let mut direction = [0.0; 3];
                for i in 0..parts {
                    direction[(first + i) % 3] = if random.below(2) == 0 { 1.0 } else { -1.0 };
                }
                direction
            }
            (_, 1) => self.along.unwrap_or_else(|| random.point()),
            (_, 2) => random.point(),
            _ => {
                let target = target(scene, choice, random);
                std::array::from_fn(|i| target[i] - self.point[i])
            }
        };
        // Its own place is no direction.
        let direction = if direction == [0.0; 3] { [0.3, 0.5, 0.7] } else { direction };
        Ray::new(self.point, direction)
    }
}

/// Where a start is, and the direction of an edge in line with it.
fn place(scene: &Scene, random: &mut SplitMix64) -> (P, Option<P>) {
    let [a, b, c] = scene.triangles[random.below(scene.triangles.len())];
    if let Some(lattice) = scene.lattice.filter(|_| random.below(8) > 0) {
        // Mostly level with corners in one or two axes, and seldom on a surface.
        let mut halves = [(); 3].map(|()| random.below((2 * CUBES + 5) as usize) as i32 - 2);
        let axis = random.below(3);
        halves[axis] |= 1;
        return (lattice.at(halves), None);
    }
    match random.below(8) {
        // In line with an edge, beyond its end or, as edges are of the surface, seldom on it.
        0 | 1 => {
            let s = -0.1 - 2.0 * random.unit();
            (std::array::from_fn(|i| a[i] + s * (b[i] - a[i])), Some(std::array::from_fn(|i| b[i] - a[i])))
        }
        // So near to a face that some are too near.
        2 => {
            let (s, r) = (0.5 * random.unit(), 0.5 * random.unit());
            let on: P = std::array::from_fn(|i| a[i] + s * (b[i] - a[i]) + r * (c[i] - a[i]));
            let off = (TOO_NEAR * reach(scene, &on)) as f32 * 16.0 * random.unit() * random.unit();
            let shift = random.point();
            (std::array::from_fn(|i| on[i] + off * shift[i]), None)
        }
        // Level with corners.
        3 => ([a[0], b[1], c[2]], None),
        _ => {
            let p = random.point();
            let wide = if random.below(4) == 0 { 4.0 } else { 1.1 };
            (std::array::from_fn(|i| scene.middle[i] + wide * scene.size * p[i]), None)
        }
    }
}

/// A corner, a point of an edge, or one of a face.
fn target(scene: &Scene, choice: usize, random: &mut SplitMix64) -> P {
    let [a, b, c] = scene.triangles[random.below(scene.triangles.len())];
    let s = if random.below(4) == 0 { 0.5 } else { random.unit() };
    match choice {
        3 | 4 => a,
        5 | 6 => std::array::from_fn(|i| a[i] + s * (b[i] - a[i])),
        _ => {
            let r = random.unit() * (1.0 - s);
            std::array::from_fn(|i| a[i] + s * (b[i] - a[i]) + r * (c[i] - a[i]))
        }
    }
}

/// The largest coordinate difference of a point to the scene.
fn reach(scene: &Scene, point: &P) -> f64 {
    let differences = |p: &P| [0, 1, 2].map(|i| (f64::from(p[i]) - f64::from(point[i])).abs());
    scene.triangles.iter().flatten().flat_map(differences).fold(0.0, f64::max)
}

/// Whether a point is within `bound` of a triangle.
fn is_within(point: &P, triangle: &[P; 3], bound: f64) -> bool {
    let p = point.map(f64::from);
    // Most triangles are farther off by one coordinate alone.
    let is_beside = |i: usize| {
        let of = triangle.map(|corner| f64::from(corner[i]) - p[i]);
        of.iter().all(|&x| x > bound) || of.iter().all(|&x| x < -bound)
    };
    !(0..3).any(is_beside) && distance(&p, triangle) <= bound
}
