//! The watertight test: Woop, Benthin and Wald 2013, with edge functions that cancel nothing away.
//!
//! # Why nothing slips through
//! A vertex is sheared by a function of the ray and the vertex alone, so that triangles which share
//! it see the same point. For the sheared points the decision is exact: an edge function
//! `a b - c d` is `fma(a, b, -w) + fma(-c, d, w)` with `w = c d` rounded (Kahan's difference of
//! products), and since rounding keeps order, its sign is never the wrong one; it is a wrong zero at
//! most, where everything underflows. Zero counts as inside. So a closed mesh stays closed: its
//! vertices move a little, and the ray meets the moved mesh exactly.
//!
//! # Why `t` can be trusted
//! The paper subtracts rounded products. On a sliver they cancel, the weights become noise, and `t`
//! may lie anywhere along the sliver: outside its box, which some walks then cull and some do not.
//! Kahan's difference is within 2 half-ulps however much cancels (Jeannerod, Louvet and Muller 2013,
//! "Further analysis of Kahan's algorithm for the accurate computation of 2x2 determinants").
//!
//! In half-ulps `u = 2^-24` of `D`, the largest coordinate difference to a vertex: sheared x and y are
//! off by at most 6 u D (two differences, the shear, whose two factors round, the multiply-add), z by 1 u D,
//! weights by 8 u of themselves, and `t` by 9 u of the triangle's z range and 4 u D, which is 22 u D at
//! most. Below a doubled projected area of 2^-123, where parts underflow, weights may be 24 u off more; below
//! 2^-128 the f64 path takes over. `slab::padded` adds this up.

use super::Tuv;
use crate::{Ray, fused_multiply_add};

/// Ray prepared for the watertight test of Woop, Benthin and Wald 2013: the axis permutation and shear that turn it
/// into the z axis.
#[derive(Debug, Clone, Copy)]
pub struct Watertight {
    /// Origin of the ray.
    pub origin: [f32; 3],
    /// Axes that are permuted to x, y and z; `k[2]` is the one along which the direction is largest.
    pub k: [usize; 3],
    /// Shear along x and y that turns the direction into the z axis.
    pub shear: [f32; 2],
    /// Reciprocal of the direction's largest component, infinite for one below 3e-39.
    pub inverse: f32,
    /// Largest component of the direction by magnitude, with its sign.
    pub largest: f32,
}

/// Result of [`Watertight::test_middling`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Middling {
    /// The quick test is sure that the ray's line does not meet the triangle, or at no finite distance.
    Miss,
    /// The ray's line meets the triangle at this `t u v`.
    Hit(Tuv),
    /// The quick test cannot decide; only [`Watertight::test`] can.
    Undecided,
}

impl Watertight {
    /// Prepares a valid ray for triangle tests.
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
        let (kx, ky) = ((kz + 1) % 3, (kz + 2) % 3);
        // Scaled to 1..2 (but for the ends of f32's range), so that trees which scale rays shear alike; with one
        // quotient.
        let scale = power_of_two_under(abs[kz]);
        let inverse = 1.0 / (d[kz] * scale);
        let shear = [d[kx] * scale * inverse, d[ky] * scale * inverse];
        Self { origin: ray.origin, k: [kx, ky, kz], shear, inverse: inverse * scale, largest: d[kz] }
    }

    /// Tests the ray against one triangle and returns the hit's `t u v`; both sides count, and intervals are not looked
    /// at. The caller compares `t` with the ray's interval.
    ///
    /// A triangle that is a line or a point as the ray sees it is missed. Never panics, also for NaN
    /// vertices, which are missed. Every engine computes these operations in this order, so that
    /// `t u v` have the same bits everywhere.
    #[inline]
    pub fn test(&self, vertices: &[[f32; 3]; 3]) -> Option<Tuv> {
        match self.test_narrow(vertices)? {
            // Zero after the sum overflowed, which may leave `t` finite.
            (tuv, area) if tuv[0].is_finite() && 1.0 / area != 0.0 => Some(tuv),
            _ => self.test_wide(vertices),
        }
    }

    /// Tests a triangle quickly, with the results of [`Watertight::test`], where its doubled area seen along the ray is
    /// 2^-120 to 2^120; else may return undecided.
    #[inline]
    pub fn test_middling(&self, vertices: &[[f32; 3]; 3]) -> Middling {
        const AREAS: std::ops::RangeInclusive<f32> = 7.523_163_8e-37..=1.329_228e36;
        match self.test_narrow(vertices) {
            None => Middling::Miss,
            Some((_, area)) if !AREAS.contains(&area.abs()) => Middling::Undecided,
            Some((tuv, _)) if tuv[0].is_finite() => Middling::Hit(tuv),
            Some(_) => Middling::Miss,
        }
    }

    /// Tests a triangle in f32: returns `t u v`, which may be NaN or infinite, and its signed doubled area.
    #[inline(always)]
    fn test_narrow(&self, vertices: &[[f32; 3]; 3]) -> Option<(Tuv, f32)> {
        let [a, b, c] = vertices.map(|v| self.local(&v, 1.0));
        let u = difference_of_products(c[0], b[1], c[1], b[0]);
        let v = difference_of_products(a[0], c[1], a[1], c[0]);
        let w = difference_of_products(b[0], a[1], b[1], a[0]);
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let area = u + v + w;
        let inverse = 1.0 / area;
        // Here u, v, w weigh v0, v1, v2; hits store the weights of v1 and v2.
        let (v, w) = (v * inverse, w * inverse);
        let z = fused_multiply_add(v, b[2] - a[2], fused_multiply_add(w, c[2] - a[2], a[2]));
        Some(([z * self.inverse, v, w], area))
    }

    /// Returns a vertex, times a power of two, in the coordinates in which the ray is the z axis.
    #[inline(always)]
    fn local(&self, vertex: &[f32; 3], factor: f32) -> [f32; 3] {
        let p: [f32; 3] = std::array::from_fn(|i| factor * vertex[self.k[i]] - factor * self.origin[self.k[i]]);
        let sheared = |i: usize| fused_multiply_add(-self.shear[i], p[2], p[i]);
        [sheared(0), sheared(1), p[2]]
    }

    /// Tests a triangle in f64, for cases in which the exponents of f32 overflow or underflow. For triangles that are
    /// very small or large, for directions near the least float, and for those without area as the ray sees them, which
    /// it misses.
    #[cold]
    #[inline(never)]
    fn test_wide(&self, vertices: &[[f32; 3]; 3]) -> Option<Tuv> {
        let [a, b, c] = self.across(vertices);
        let along = vertices
            .map(|vertex| (f64::from(vertex[self.k[2]]) - f64::from(self.origin[self.k[2]])) / f64::from(self.largest));
        let (u, v, w) = (c[0] * b[1] - c[1] * b[0], a[0] * c[1] - a[1] * c[0], b[0] * a[1] - b[1] * a[0]);
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let det = u + v + w;
        let (v, w) = (v / det, w / det);
        let t = (along[0] + (v * (along[1] - along[0]) + w * (along[2] - along[0]))) as f32;
        // A NaN of 0 / 0 fails: a line or a point.
        t.is_finite().then_some([t, v as f32, w as f32])
    }
}

impl Watertight {
    /// Returns the sheared corners of a triangle in the plane across the ray, which the ray crosses at zero: the same x
    /// and y as in f32, so that a neighbour which took the other path agrees, unless the vertex overflows, and then it
    /// does for both.
    pub(super) fn across(&self, vertices: &[[f32; 3]; 3]) -> [[f64; 2]; 3] {
        vertices.map(|vertex| {
            let local = self.local(&vertex, 1.0);
            let (local, factor) = if local[0].is_finite() && local[1].is_finite() {
                (local, 1.0)
            } else {
                (self.local(&vertex, 0.125), 8.0)
            };
            [f64::from(local[0]) * factor, f64::from(local[1]) * factor]
        })
    }
}

/// Returns `a b - c d`, with the right sign and an error of at most 2 half-ulps.
#[inline(always)]
fn difference_of_products(a: f32, b: f32, c: f32, d: f32) -> f32 {
    let w = c * d;
    fused_multiply_add(a, b, -w) + fused_multiply_add(-c, d, w)
}

/// Returns a power of two `s` so that `s x` is in 1..2, for a normal `x` below 2^127, the longest component of a
/// direction. It is within 2^-126 to 2^126, and so is its inverse.
#[inline(always)]
pub fn power_of_two_under(x: f32) -> f32 {
    f32::from_bits(0x7f00_0000 - ((x.to_bits() >> 23).clamp(1, 253) << 23))
}
