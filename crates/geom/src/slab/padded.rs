//! The box test that a watertight walk needs: it accepts every box that the triangle test may hit.
//!
//! Ize 2013 widens the far distance of a box by the rounding of the box test alone. A walk needs
//! more. The watertight test rounds as well, its hits lie beside the exact ray, and their `t` beside
//! the exact one; a box test that is exact would cull some of them, and which ones would depend on
//! the tree. So boxes grow here by all of it, in world units, before anything is divided.
//!
//! # Why no box is missed
//! With `u = 2^-24` (half an ulp of 1), `D` the largest coordinate difference between the origin and a
//! corner of the scene (`reach`), and errors given as world distances along an axis:
//! - *The triangle test* decides exactly for its sheared vertices, and these are at most `6 u D` off in
//!   x and y and `u D` in z ([`crate::triangle::Watertight`] counts them). Its `t` adds at most
//!   `22 u D`, when a triangle reaches as far before the origin as behind it, and `24 u D` where its
//!   products nearly vanish. So the ray at the `t` that it reports is within `53 u D` of a point of
//!   the triangle, and of every box around it; within `13 u D` if all is small beside `D`.
//! - *The subtract-multiply form* `(plane - origin) * inverse` rounds three times, `inverse` included:
//!   `3 u D`.
//! - *The fused form* `fma(plane, inverse, -ood)` rounds once in `inverse` and once at the end, `2 u D`,
//!   and once in `ood`, which is a rounding of the origin: `u |o|`.
//! - *Padding* rounds the padded origin, `u |o|`, and the pad itself, which the margin takes.
//! - *A direction component below `2^-40` of the longest* is replaced by that: over the whole scene
//!   this moves the ray by at most `2^-39 D`, and by nothing where the ray has left the scene.
//! - *Underflow* costs `2^-149` lengths of the direction, far below `u D` unless the direction is
//!   longer than `2^86 D`; then, and for a scene below `2^-100`, the pad grows by that too.
//!
//! Together at most `57 u D + 2 u |o|`. The pads are `64 u D` and `4 u |o|`. A `t` within the ray's
//! interval is then also within every box that holds the triangle, so that a hit exactly at an end
//! of the interval, or at the `t` of an earlier hit, is not lost with its box.

use crate::{Aabb, Ray, fused_multiply_add};

/// Ray prepared for the conservative box test of a watertight traversal, in the form `(plane - origin) * inverse`.
///
/// Along each axis the ray meets a box's lower plane at `(min - lo_origin) * inverse` and the upper
/// one at `(max - hi_origin) * inverse`; which comes first is the sign of `inverse`. All is finite, so
/// that only an infinite plane gives an infinite distance, and nothing gives NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaddedRay {
    /// Ray origin for the lower planes of boxes: moved up by the pad, which in effect moves the planes down.
    pub lo_origin: [f32; 3],
    /// Ray origin for the upper planes of boxes: moved down by the pad, which in effect moves the planes up.
    pub hi_origin: [f32; 3],
    /// Reciprocals of the direction's components (times `scale`), finite and not zero.
    pub inverse: [f32; 3],
    /// Factor of box distances, which are `t * scale`: 1 for almost all rays, else a power of two that avoids overflow.
    /// It is not 1 if the direction is longer than 1e36, shorter than 1e-24, or out of proportion to the scene by a
    /// factor of 1e25.
    pub scale: f32,
    /// Largest coordinate difference between the ray's origin and a corner of the scene's bounding box.
    pub reach: f32,
}

impl PaddedRay {
    /// Relative pad of boxes, as a fraction of the ray's `reach`, the distance to the farthest corner of the scene.
    pub const REACH_PAD: f32 = 32.0 * f32::EPSILON;

    /// Relative pad of boxes, as a fraction of the origin's coordinate on the axis; added to
    /// [`PaddedRay::REACH_PAD`]'s.
    pub const ORIGIN_PAD: f32 = 2.0 * f32::EPSILON;

    /// Smallest direction component, as a fraction of the longest one; smaller ones are replaced by this, so that no
    /// reciprocal overflows. A power of two, so small that the pads cover the difference.
    pub const LEAST_SHARE: f32 = 1.0 / (1u64 << 40) as f32;

    /// Lengths of the longest direction component, 2^-80 to 2^120, that need no scaling: no reciprocal is infinite or
    /// denormal.
    pub const PLAIN_LENGTHS: std::ops::RangeInclusive<f32> = 8.271_806e-25..=1.329_228e36;

    /// Largest ratio of the ray's coordinates to its direction that needs no scaling, 2^86: products with reciprocals
    /// stay below 2^127.
    pub const FARTHEST: f32 = 7.737_125_2e25;

    /// Extent of a scene below which pads would be denormal numbers: 2^-100.
    pub const LEAST_REACH: f32 = 7.888_609e-31;

    /// Prepares a valid ray ([`Ray::is_valid`]) for tests of boxes within `bounds`, the box of the whole scene. The
    /// result for another ray means nothing, but is not unsafe.
    #[inline(always)]
    pub fn new(ray: &Ray, bounds: &Aabb) -> Self {
        Self::with(ray, bounds, |_, pad| pad)
    }

    /// Prepares a ray as [`PaddedRay::new`] does, with boxes that grow by `extra` more along each axis.
    #[inline(always)]
    pub fn grown(ray: &Ray, bounds: &Aabb, extra: [f32; 3]) -> Self {
        Self::with(ray, bounds, |axis, pad| pad + extra[axis])
    }

    #[inline(always)]
    fn with(ray: &Ray, bounds: &Aabb, grow: impl Fn(usize, f32) -> f32) -> Self {
        let (o, d) = (&ray.origin, &ray.direction);
        let abs = d.map(f32::abs);
        let longest = larger(larger(abs[0], abs[1]), abs[2]);
        let shortest = smaller(smaller(abs[0], abs[1]), abs[2]);
        let corner = |i: usize| larger((bounds.min[i] - o[i]).abs(), (bounds.max[i] - o[i]).abs());
        let reach = smaller(larger(larger(corner(0), corner(1)), corner(2)), f32::MAX);
        let farthest = reach + larger(larger(o[0].abs(), o[1].abs()), o[2].abs());
        // Almost all rays.
        let plain = Self::PLAIN_LENGTHS.contains(&longest)
            & (shortest >= Self::LEAST_SHARE * longest)
            & (farthest <= Self::FARTHEST * longest)
            & (longest + Self::LEAST_REACH * Self::FARTHEST <= Self::FARTHEST * reach);
        let (mut inverse, mut scale, mut pad) = (d.map(|x| 1.0 / x), 1.0, Self::REACH_PAD * reach);
        if !plain {
            let underflow;
            (inverse, scale, underflow) = unusual_direction(d, longest);
            pad += underflow;
        }
        let pads: [f32; 3] = std::array::from_fn(|i| grow(i, pad + Self::ORIGIN_PAD * o[i].abs()));
        Self {
            // Kept finite: the empty box's infinity less an infinite origin would be NaN.
            lo_origin: std::array::from_fn(|i| finite(o[i] + pads[i])),
            hi_origin: std::array::from_fn(|i| finite(o[i] - pads[i])),
            inverse,
            scale,
            reach,
        }
    }

    /// Returns the distance (`t * scale`) at which the ray enters `aabb` within `t_min ..= t_max`; `None` if it misses
    /// the box. Never `None` for a box around a triangle that the watertight test hits within the interval, unless
    /// a plane is farther than `f32::MAX` from the origin.
    #[inline]
    pub fn enter(&self, aabb: &Aabb, t_min: f32, t_max: f32) -> Option<f32> {
        let (mut near, mut far) = (finite(t_min * self.scale), finite(t_max * self.scale));
        for i in 0..3 {
            let x0 = (aabb.min[i] - self.lo_origin[i]) * self.inverse[i];
            let x1 = (aabb.max[i] - self.hi_origin[i]) * self.inverse[i];
            // By the sign and not by size: the empty box, from infinity to minus infinity, stays empty.
            let (enter, leave) = if self.inverse[i] < 0.0 { (x1, x0) } else { (x0, x1) };
            near = near.max(enter);
            far = far.min(leave);
        }
        (near <= far).then_some(near)
    }
}

/// Ray prepared for the conservative box test in fused multiply-add form, as the GPU kernels compute it; see
/// [`PaddedRay`].
///
/// Along each axis `x0 = fma(min, inverse, -ood_lo)` and `x1 = fma(max, inverse, -ood_hi)`; the ray is
/// between the planes from `min(x0, x1)` to `max(x0, x1)`, whatever the sign of `inverse`.
///
/// - The pads keep `x0` and `x1` in order for every box with `min <= max`, but not for [`Aabb::EMPTY`]:
///   ordered by size, its infinities hold everything. A kernel with unused slots must tell them by
///   their child, or fill them with a box at infinity (all six planes `+inf`) and compare with a
///   finite `t_max`: then the entry is `+inf` or the exit `-inf`.
/// - `inverse` is finite and not zero; `ood_lo` and `ood_hi` are finite for origins and scenes up to
///   1e25 (beyond, use [`PaddedRay`]). No NaN for finite planes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaddedSlab {
    /// Reciprocals of the direction's components (times `scale`), finite and not zero.
    pub inverse: [f32; 3],
    /// Padded origin divided by direction, for the lower planes of boxes.
    pub ood_lo: [f32; 3],
    /// Padded origin divided by direction, for the upper planes of boxes.
    pub ood_hi: [f32; 3],
    /// Factor of box distances, which are `t * scale`; see [`PaddedRay::scale`].
    pub scale: f32,
}

impl PaddedSlab {
    /// Prepares a valid ray for tests of boxes within `bounds`, the box of the whole scene, as [`PaddedRay::new`] does.
    #[inline(always)]
    pub fn new(ray: &Ray, bounds: &Aabb) -> Self {
        Self::of(&PaddedRay::new(ray, bounds))
    }

    /// Prepares a ray as [`PaddedSlab::new`] does, with boxes that grow by `extra` more along each axis.
    #[inline(always)]
    pub fn grown(ray: &Ray, bounds: &Aabb, extra: [f32; 3]) -> Self {
        Self::of(&PaddedRay::grown(ray, bounds, extra))
    }

    #[inline(always)]
    fn of(&PaddedRay { lo_origin, hi_origin, inverse, scale, .. }: &PaddedRay) -> Self {
        let over = |origin: [f32; 3]| std::array::from_fn(|i| finite(origin[i] * inverse[i]));
        Self { inverse, ood_lo: over(lo_origin), ood_hi: over(hi_origin), scale }
    }

    /// Returns the distance (`t * scale`) at which the ray enters the nonempty box `aabb` within `t_min ..= t_max`;
    /// `None` if it misses the box. Conservative as [`PaddedRay::enter`].
    #[inline]
    pub fn enter(&self, aabb: &Aabb, t_min: f32, t_max: f32) -> Option<f32> {
        let (mut near, mut far) = (finite(t_min * self.scale), finite(t_max * self.scale));
        for i in 0..3 {
            let x0 = fused_multiply_add(aabb.min[i], self.inverse[i], -self.ood_lo[i]);
            let x1 = fused_multiply_add(aabb.max[i], self.inverse[i], -self.ood_hi[i]);
            near = near.max(x0.min(x1));
            far = far.min(x0.max(x1));
        }
        (near <= far).then_some(near)
    }
}

/// Returns the reciprocals, scale and extra pad for underflow of a direction that is very long, very short, or nearly
/// parallel to an axis.
#[cold]
#[inline(never)]
fn unusual_direction(d: &[f32; 3], longest: f32) -> ([f32; 3], f32, f32) {
    // The power of two below, or the least normal one: both it and its reciprocal are finite.
    let power = f32::from_bits(longest.to_bits() & 0x7f80_0000).max(f32::MIN_POSITIVE);
    let least = PaddedRay::LEAST_SHARE * (longest / power);
    let inverse = d.map(|x| {
        let scaled = x / power;
        1.0 / if scaled.abs() < least { least.copysign(scaled) } else { scaled }
    });
    let underflow = (longest + 16.0) * f32::from_bits(1);
    (inverse, power, underflow)
}

/// Replaces infinity by the largest finite number of its sign.
#[inline(always)]
fn finite(x: f32) -> f32 {
    larger(smaller(x, f32::MAX), f32::MIN)
}

/// Returns the larger of two numbers in one instruction; unlike `f32::max` it returns `b` if either is NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the smaller of two numbers in one instruction; unlike `f32::min` it returns `b` if either is NaN.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
