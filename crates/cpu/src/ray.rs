//! What the walks need of a ray, computed once.

use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Aabb, HitKey, Ray, SlabRay};

/// Boxes grow by this share of the distance to the farthest corner of the scene.
///
/// A box test must accept whatever the triangle test may hit, and both round: the slab's entry by
/// at most 1.5 ulp (Ize 2013), the sheared vertices of the watertight test by at most 4 ulp of a
/// vertex's distance from the origin (Woop, Benthin, Wald 2013, section 3.3, whose bound this
/// rounds up). Moving planes rather than scaling the far distance also serves `t_min < 0`.
const REACH_PAD: f32 = 8.0 * f32::EPSILON;

/// The same for the rounding of a padded origin.
const ORIGIN_PAD: f32 = 2.0 * f32::EPSILON;

/// Relative widening of the ray's interval for boxes: the `t` of the triangle test rounds on its
/// own, and a hit exactly at a limit must not be lost with its box.
const T_PAD: f32 = 32.0 * f32::EPSILON;

/// A ray as boxes and triangles see it.
pub(crate) struct WalkRay {
    /// Origin as the planes where the ray enters a box see it, padded.
    pub near_origin: [f32; 3],
    /// Origin as the planes where the ray leaves a box see it, padded.
    pub far_origin: [f32; 3],
    /// Reciprocal of the scaled direction, finite.
    pub inverse: [f32; 3],
    /// The triangle test.
    pub triangle: Watertight,
    /// Nearest `t` that a hit may have, finite.
    pub t_low: f32,
    /// Farthest `t` that a hit may have, finite.
    pub t_high: f32,
    /// Distances to boxes are `t * scale`: a power of two, 1 for all but very long or short directions.
    scale: f32,
}

impl WalkRay {
    /// Prepares a valid ray through a scene within `bounds`, for hits after `after`.
    #[inline(always)]
    pub fn new(ray: &Ray, after: &HitKey, bounds: &Aabb) -> Self {
        let d = ray.direction;
        let longest = d[0].abs().max(d[1].abs()).max(d[2].abs());
        let (scaled, scale) = if (1e-9..=1e9).contains(&longest) { (*ray, 1.0) } else { rescale(ray, longest) };
        let slab = SlabRay::new(&scaled);
        let o = &ray.origin;
        let reach = (0..3).fold(0.0f32, |r, i| r.max((bounds.min[i] - o[i]).abs()).max((bounds.max[i] - o[i]).abs()));
        let pad = REACH_PAD * reach.min(f32::MAX);
        let (mut near_origin, mut far_origin) = (slab.near_origin, slab.far_origin);
        for i in 0..3 {
            let pad = (pad + ORIGIN_PAD * o[i].abs()).copysign(slab.inverse[i]);
            // Kept finite: the empty box's infinity less an infinite origin would be NaN.
            near_origin[i] = (near_origin[i] + pad).clamp(f32::MIN, f32::MAX);
            far_origin[i] = (far_origin[i] - pad).clamp(f32::MIN, f32::MAX);
        }
        Self {
            near_origin,
            far_origin,
            inverse: slab.inverse,
            triangle: Watertight::new(ray),
            // Finite, so that comparing with them also refuses an infinite `t`.
            t_low: ray.t_min.max(after.t).max(f32::MIN),
            t_high: ray.t_max.min(f32::MAX),
            scale,
        }
    }

    /// The nearest distance at which a box matters.
    #[inline(always)]
    pub fn box_low(&self) -> f32 {
        let t = self.t_low * self.scale;
        t - t.abs() * T_PAD
    }

    /// The farthest distance at which a box matters when hits matter up to `t`.
    #[inline(always)]
    pub fn box_high(&self, t: f32) -> f32 {
        let t = t * self.scale;
        t + t.abs() * T_PAD
    }
}

/// Brings the direction's longest component to about 1 by a power of two, so that reciprocals are
/// neither infinite nor denormal; gives that power's reciprocal too.
#[cold]
fn rescale(ray: &Ray, longest: f32) -> (Ray, f32) {
    let power = f32::from_bits(longest.to_bits() & 0x7f80_0000).max(f32::MIN_POSITIVE);
    (Ray { direction: ray.direction.map(|x| x * (1.0 / power)), ..*ray }, power)
}
