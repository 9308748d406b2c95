//! Ray-triangle tests.
//!
//! [`Watertight`] (Woop, Benthin and Wald 2013) is what library queries use: no ray slips through a
//! shared edge or vertex. [`moeller_trumbore`] is the textbook test, for comparison.

use crate::Ray;

/// The ray side of the watertight test: the axis permutation and shear that turn the ray into +z.
#[derive(Debug, Clone, Copy)]
pub struct Watertight {
    /// Ray origin.
    pub origin: [f32; 3],
    /// The axes that become x, y and z; `k[2]` is where the direction is largest.
    pub k: [usize; 3],
    /// Shear in x and y, and scale in z.
    pub shear: [f32; 3],
}

/// `t u v` of a hit.
pub type Tuv = [f32; 3];

impl Watertight {
    /// Prepares a valid ray.
    #[inline]
    pub fn new(ray: &Ray) -> Self {
        let d = ray.direction;
        let abs = d.map(f32::abs);
        let kz = if abs[0] >= abs[1] && abs[0] >= abs[2] {
            0
        } else if abs[1] >= abs[2] {
            1
        } else {
            2
        };
        let (mut kx, mut ky) = ((kz + 1) % 3, (kz + 2) % 3);
        // Keeps the winding, so that the sign of the determinant tells the side.
        if d[kz] < 0.0 {
            std::mem::swap(&mut kx, &mut ky);
        }
        Self { origin: ray.origin, k: [kx, ky, kz], shear: [d[kx] / d[kz], d[ky] / d[kz], 1.0 / d[kz]] }
    }

    /// Tests one triangle; both sides count. The caller compares `t` with the ray's interval.
    ///
    /// The edge functions are plain products and a difference on purpose: contracted to fused
    /// multiply-adds, two triangles that share an edge no longer compute opposite values for it.
    #[inline]
    pub fn test(&self, [v0, v1, v2]: &[[f32; 3]; 3]) -> Option<Tuv> {
        let local = |v: &[f32; 3]| -> [f32; 3] {
            let p: [f32; 3] = std::array::from_fn(|i| v[self.k[i]] - self.origin[self.k[i]]);
            [p[0] - self.shear[0] * p[2], p[1] - self.shear[1] * p[2], self.shear[2] * p[2]]
        };
        let (a, b, c) = (local(v0), local(v1), local(v2));
        let mut u = c[0] * b[1] - c[1] * b[0];
        let mut v = a[0] * c[1] - a[1] * c[0];
        let mut w = b[0] * a[1] - b[1] * a[0];
        // Exactly on an edge in f32: decide in f64, where the products are exact.
        if u == 0.0 || v == 0.0 || w == 0.0 {
            let edge = |p: &[f32; 3], q: &[f32; 3]| {
                (f64::from(p[0]) * f64::from(q[1]) - f64::from(p[1]) * f64::from(q[0])) as f32
            };
            (u, v, w) = (edge(&c, &b), edge(&a, &c), edge(&b, &a));
        }
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let det = u + v + w;
        if det == 0.0 {
            return None;
        }
        let inverse = 1.0 / det;
        let t = (u * a[2] + v * b[2] + w * c[2]) * inverse;
        // Here u, v, w weigh v0, v1, v2; hits store the weights of v1 and v2.
        t.is_finite().then_some([t, v * inverse, w * inverse])
    }
}

/// The test of Moeller and Trumbore 1997, both sides, in f32. Fast, but rays may slip through edges.
#[inline]
pub fn moeller_trumbore(ray: &Ray, [v0, v1, v2]: &[[f32; 3]; 3]) -> Option<Tuv> {
    let sub = |a: &[f32; 3], b: &[f32; 3]| -> [f32; 3] { std::array::from_fn(|i| a[i] - b[i]) };
    let (e1, e2) = (sub(v1, v0), sub(v2, v0));
    let p = cross(&ray.direction, &e2);
    let det = dot(&e1, &p);
    if det == 0.0 {
        return None;
    }
    let inverse = 1.0 / det;
    let s = sub(&ray.origin, v0);
    let u = dot(&s, &p) * inverse;
    let q = cross(&s, &e1);
    let v = dot(&ray.direction, &q) * inverse;
    let t = dot(&e2, &q) * inverse;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t.is_finite()).then_some([t, u, v])
}

fn cross(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]];

    #[test]
    fn both_tests_give_t_and_barycentrics() {
        for direction in [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]] {
            let ray = Ray::new([0.25, 0.5, 0.0], direction);
            let expected = [2.0 / direction[2], 0.25, 0.5];
            assert_eq!(Watertight::new(&ray).test(&TRIANGLE), Some(expected));
            assert_eq!(moeller_trumbore(&ray, &TRIANGLE), Some(expected));
        }
        let beside = Ray::new([0.75, 0.5, 0.0], [0.0, 0.0, 1.0]);
        assert_eq!(Watertight::new(&beside).test(&TRIANGLE), None);
        assert_eq!(moeller_trumbore(&beside, &TRIANGLE), None);
    }

    #[test]
    fn a_hit_behind_has_negative_t() {
        let ray = Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, 1.0]);
        assert_eq!(Watertight::new(&ray).test(&TRIANGLE).unwrap()[0], -1.0);
    }

    #[test]
    fn rays_through_shared_edges_and_vertices_hit_a_neighbour() {
        // A fan of eight triangles around an irrational point, seen from many places.
        let center = [0.1f32, 0.2, 0.3];
        let rim: Vec<[f32; 3]> = (0..8)
            .map(|i| {
                let a = i as f32 * std::f32::consts::TAU / 8.0 + 0.05;
                [center[0] + a.cos(), center[1] + a.sin(), 0.3 + 0.11 * (i % 3) as f32]
            })
            .collect();
        for step in 0..2000 {
            let s = step as f32;
            let origin = [0.3 * (0.37 * s).sin(), 0.3 * (0.73 * s).cos(), -2.0 - 0.001 * s];
            let corner = rim[step % 8];
            let along = (step % 101) as f32 / 125.0;
            let target: [f32; 3] = std::array::from_fn(|i| center[i] + along * (corner[i] - center[i]));
            let ray = Ray::new(origin, std::array::from_fn(|i| target[i] - origin[i]));
            let test = Watertight::new(&ray);
            let hits = (0..8).filter(|&i| test.test(&[center, rim[i], rim[(i + 1) % 8]]).is_some()).count();
            assert!(hits >= 1, "ray {step} slipped through");
        }
    }

    #[test]
    fn degenerate_triangles_are_missed() {
        let ray = Ray::new([0.25, 0.0, 0.0], [0.0, 0.0, 1.0]);
        let flat = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.5, 0.0, 2.0]];
        assert_eq!(Watertight::new(&ray).test(&flat), None);
        assert_eq!(Watertight::new(&ray).test(&[[0.25, 0.0, 2.0]; 3]), None);
    }
}
