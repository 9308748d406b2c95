//! A usual ray prepared by itself: [`WalkRay::new`], three axes at a time, bit for bit.

use crate::ray::{AXES, OVERFLOWING_REACH, WalkRay, larger, smaller};
use bytemuck::cast_ref;
use raywarp_geom::triangle::{Watertight, power_of_two_under};
use raywarp_geom::{Aabb, HitKey, PaddedRay, Ray};
use raywarp_lanes::{Mask, Vector};
use std::hint::select_unpredictable;

/// Range of the components of a usual ray's direction, whose ratio is [`PaddedRay::LEAST_SHARE`].
const LENGTHS: [f32; 2] = [1.0 / (1 << 24) as f32, (1 << 16) as f32];

/// Range of a usual ray's reach, the upper end also that of its origin: nothing overflows, and with these directions
/// nothing underflows.
const REACH: [f32; 2] = [1.0 / (1u64 << 60) as f32, OVERFLOWING_REACH / 4.0];

/// What is known of a usual ray, axes in lanes; the fourth means nothing.
#[derive(Clone, Copy)]
pub(super) struct Usual<V> {
    /// Ray origin for the planes through which the ray enters and leaves boxes, padded.
    pub near_origin: V,
    pub far_origin: V,
    /// Reciprocal of the direction.
    pub inverse: V,
    /// Lengths of the direction's components.
    lengths: V,
    /// A bit for each axis along which the direction is negative.
    pub negative: u32,
}

impl<V: Vector<4>> Usual<V> {
    /// Returns what is known of a ray through a scene within `bounds`; `None` if it is not valid, or unusual.
    #[inline(always)]
    pub fn new(set: V::Set, ray: &Ray, bounds: &Aabb) -> Option<Self> {
        let [origin, direction]: &[[f32; 4]; 2] = cast_ref(ray);
        let (o, d) = (V::load(set, origin), V::load(set, direction));
        let (lengths, away) = (d.abs(), o.abs());
        let ([a, b, c], [x, y, z]) = (bounds.min, bounds.max);
        let (min, max) = (V::load(set, &[a, b, c, 0.0]), V::load(set, &[x, y, z, 0.0]));
        let corner = (min - o).abs().max((max - o).abs());
        let is_usual = V::splat(set, LENGTHS[0]).le(lengths)
            & lengths.le(V::splat(set, LENGTHS[1]))
            & away.max(corner).le(V::splat(set, REACH[1]));
        let [x, y, z, _] = corner.store();
        let reach = larger(larger(x, y), z);
        if is_usual.bits() & 7 != 7 || reach < REACH[0] || ray.t_min.is_nan() | ray.t_max.is_nan() {
            return None;
        }
        let pads = V::splat(set, PaddedRay::REACH_PAD * reach) + V::splat(set, PaddedRay::ORIGIN_PAD) * away;
        let (low, high) = (o + pads, o - pads);
        let is_negative = d.lt(V::splat(set, 0.0));
        Some(Self {
            near_origin: V::select(is_negative, high, low),
            far_origin: V::select(is_negative, low, high),
            inverse: V::splat(set, 1.0) / d,
            lengths,
            negative: is_negative.bits() & 7,
        })
    }

    /// Returns the ray prepared for hits after `after`.
    #[inline(always)]
    pub fn prepared(self, ray: &Ray, after: &HitKey) -> WalkRay {
        let [x, y, z, _] = self.lengths.store();
        let z_or_y = select_unpredictable(y >= z, 1, 2);
        let k = AXES[select_unpredictable((x >= y) & (x >= z), 0, z_or_y)];
        let largest = ray.direction[k[2]];
        let scale = power_of_two_under(largest.abs());
        let inverse = 1.0 / (largest * scale);
        let shear = [ray.direction[k[0]] * scale * inverse, ray.direction[k[1]] * scale * inverse];
        WalkRay {
            near_origin: three(self.near_origin),
            far_origin: three(self.far_origin),
            inverse: three(self.inverse),
            triangle: Watertight { origin: ray.origin, k, shear, inverse: inverse * scale, largest },
            axis_origin: [ray.origin[k[0]], ray.origin[k[1]], ray.origin[k[2]]],
            t_low: larger(larger(ray.t_min, after.t), f32::MIN),
            t_high: smaller(ray.t_max, f32::MAX),
            may_overflow: false,
            scale: 1.0,
        }
    }
}

/// Returns the first three lanes.
#[inline(always)]
pub(super) fn three<V: Vector<4>>(lanes: V) -> [f32; 3] {
    let [x, y, z, _] = lanes.store();
    [x, y, z]
}
