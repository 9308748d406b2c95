//! What the walks need of a ray, computed once.

use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Aabb, HitKey, Ray, SlabRay};

/// Boxes grow by this share of the distance to the farthest corner of the scene.
///
/// A box test must accept whatever the triangle test may hit, and both round: the slab's entry by
/// at most 1.5 ulp (Ize 2013), the sheared vertices of the watertight test by at most 4 ulp of a
/// vertex's distance from the origin (Woop, Benthin, Wald 2013, section 3.3, whose bound this
/// rounds up). This also covers the rounding of `t`, so that a hit at the very end of an interval is
/// not lost with its box, and `t_min < 0`, which scaling the far distance (Ize) would not.
const REACH_PAD: f32 = 8.0 * f32::EPSILON;

/// The same for the rounding of a padded origin.
const ORIGIN_PAD: f32 = 2.0 * f32::EPSILON;

/// A ray as boxes and triangles see it.
#[derive(Clone, Copy)]
pub(crate) struct WalkRay {
    /// Origin as the planes where the ray enters a box see it, padded.
    pub near_origin: [f32; 3],
    /// Origin as the planes where the ray leaves a box see it, padded.
    pub far_origin: [f32; 3],
    /// Reciprocal of the scaled direction, finite.
    pub inverse: [f32; 3],
    /// The triangle test.
    pub triangle: Watertight,
    /// Origin along the axes that the triangle test calls x, y and z.
    pub axis_origin: [f32; 3],
    /// Nearest `t` that a hit may have, not minus infinity.
    pub t_low: f32,
    /// Farthest `t` that a hit may have, not infinity.
    pub t_high: f32,
    /// Distances to boxes are `t * scale`: a power of two, 1 for all but very long or short directions.
    scale: f32,
}

impl WalkRay {
    /// Prepares a ray through a scene within `bounds`, for hits after `after`; `None` if it is not
    /// valid ([`Ray::is_valid`]).
    #[inline(always)]
    pub fn new(ray: &Ray, after: &HitKey, bounds: &Aabb) -> Option<Self> {
        let (o, d) = (&ray.origin, &ray.direction);
        let abs = d.map(f32::abs);
        let longest = larger(larger(abs[0], abs[1]), abs[2]);
        let shortest = smaller(smaller(abs[0], abs[1]), abs[2]);
        // Zero, or NaN if something is infinite or NaN.
        let excess = 0.0 * o[0] + 0.0 * o[1] + 0.0 * o[2] + 0.0 * d[0] + 0.0 * d[1] + 0.0 * d[2];
        let interval_is_nan = ray.t_min.is_nan() | ray.t_max.is_nan();
        if (excess != 0.0) | (longest == 0.0) | interval_is_nan {
            return None;
        }
        // Almost all rays. In the others a component is near zero, or the whole direction is far
        // from unit length.
        let plain = (shortest >= SlabRay::TINY) & (1e-9..=1e9).contains(&longest);
        let (mut near, mut far, mut inverse, mut scale) = (*o, *o, d.map(|x| 1.0 / x), 1.0);
        if !plain {
            let slab;
            (slab, scale) = prepare_unusual(ray, longest);
            (near, far, inverse) = (slab.near_origin, slab.far_origin, slab.inverse);
        }
        let corners = |i: usize| larger((bounds.min[i] - o[i]).abs(), (bounds.max[i] - o[i]).abs());
        let pad = REACH_PAD * smaller(larger(larger(corners(0), corners(1)), corners(2)), f32::MAX);
        let pads: [f32; 3] = std::array::from_fn(|i| (pad + ORIGIN_PAD * o[i].abs()).copysign(inverse[i]));
        let triangle = Watertight::new(ray);
        Some(Self {
            // Kept finite: the empty box's infinity less an infinite origin would be NaN.
            near_origin: std::array::from_fn(|i| finite(near[i] + pads[i])),
            far_origin: std::array::from_fn(|i| finite(far[i] - pads[i])),
            inverse,
            axis_origin: triangle.k.map(|k| o[k]),
            triangle,
            // Finite, so that comparing with them also refuses an infinite `t`.
            t_low: larger(larger(ray.t_min, after.t), f32::MIN),
            t_high: smaller(ray.t_max, f32::MAX),
            scale,
        })
    }

    /// The nearest distance at which a box matters. No NaN.
    #[inline(always)]
    pub fn box_low(&self) -> f32 {
        finite(self.t_low * self.scale)
    }

    /// The farthest distance at which a box matters when hits matter up to `t`. No NaN.
    #[inline(always)]
    pub fn box_high(&self, t: f32) -> f32 {
        finite(t * self.scale)
    }
}

/// Infinity to the largest number.
#[inline(always)]
fn finite(x: f32) -> f32 {
    larger(smaller(x, f32::MAX), f32::MIN)
}

/// One instruction, where `f32::max` also looks after NaN: `b` if either is.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// One instruction, where `f32::min` also looks after NaN: `b` if either is.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The slab side of a ray with a component near zero or a very long or short direction, and the
/// power of two that its direction was divided by: reciprocals are then neither infinite nor denormal.
#[cold]
#[inline(never)]
fn prepare_unusual(ray: &Ray, longest: f32) -> (SlabRay, f32) {
    if (1e-9..=1e9).contains(&longest) {
        return (SlabRay::new(ray), 1.0);
    }
    let power = f32::from_bits(longest.to_bits() & 0x7f80_0000).max(f32::MIN_POSITIVE);
    let scaled = Ray { direction: ray.direction.map(|x| x * (1.0 / power)), ..*ray };
    (SlabRay::new(&scaled), power)
}
