//! Numbers of a ray that the walks need, computed once.

use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Aabb, HitKey, PaddedRay, Ray};

/// Largest coordinate distance from a ray's origin (reach) up to which the watertight test cannot overflow: its sums of
/// products are at most 24 times the square.
pub(crate) const OVERFLOWING_REACH: f32 = 1e18;

/// Largest product of an origin and a reciprocal direction for boxes in fused form: 2^126.
const MOST_OVER: f32 = (1u128 << 126) as f32;

/// Axes that become x, y and z of the triangle test, by the axis of the direction's largest component.
pub(crate) const AXES: [[usize; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];

/// Ray in the form that box tests and triangle tests take.
#[derive(Clone, Copy)]
pub(crate) struct WalkRay {
    /// Ray origin for the planes through which the ray enters a box, padded; see [`PaddedRay`].
    pub near_origin: [f32; 3],
    /// Ray origin for the planes through which the ray leaves a box, padded.
    pub far_origin: [f32; 3],
    /// Reciprocal of the scaled direction, finite on each axis.
    pub inverse: [f32; 3],
    /// Parameters of the watertight triangle test: axes and shears.
    pub triangle: Watertight,
    /// Ray origin along the axes that the triangle test calls x, y and z.
    pub axis_origin: [f32; 3],
    /// Smallest `t` that a hit may have; not minus infinity.
    pub t_low: f32,
    /// Largest `t` that a hit may have; not infinity.
    pub t_high: f32,
    /// `true` if the triangle test may overflow f32 for this ray.
    pub may_overflow: bool,
    /// Scale of box distances, which are `t * scale`; see [`PaddedRay::scale`].
    pub scale: f32,
}

impl WalkRay {
    /// Prepares a ray through a scene within `bounds`, for hits after `after`; `None` if it is not
    /// valid ([`Ray::is_valid`]).
    #[inline(always)]
    pub fn new(ray: &Ray, after: &HitKey, bounds: &Aabb) -> Option<Self> {
        let (o, d) = (&ray.origin, &ray.direction);
        // Zero, or NaN if something is infinite or NaN.
        let excess = 0.0 * o[0] + 0.0 * o[1] + 0.0 * o[2] + 0.0 * d[0] + 0.0 * d[1] + 0.0 * d[2];
        let is_zero = (d[0] == 0.0) & (d[1] == 0.0) & (d[2] == 0.0);
        let interval_is_nan = ray.t_min.is_nan() | ray.t_max.is_nan();
        if (excess != 0.0) | is_zero | interval_is_nan {
            return None;
        }
        let padded = PaddedRay::new(ray, bounds);
        let triangle = Watertight::new(ray);
        let [near_origin, far_origin] = origins(&padded);
        Some(Self {
            near_origin,
            far_origin,
            inverse: padded.inverse,
            axis_origin: triangle.k.map(|k| o[k]),
            triangle,
            // Finite, so that comparing with them also refuses an infinite `t`.
            t_low: larger(larger(ray.t_min, after.t), f32::MIN),
            t_high: smaller(ray.t_max, f32::MAX),
            may_overflow: padded.reach >= OVERFLOWING_REACH,
            scale: padded.scale,
        })
    }

    /// Returns this ray with boxes tested as `padded` says, which is the same ray in another space.
    #[inline(always)]
    pub fn with_boxes_of(&self, padded: &PaddedRay) -> Self {
        let [near_origin, far_origin] = origins(padded);
        Self { near_origin, far_origin, inverse: padded.inverse, scale: padded.scale, ..*self }
    }

    /// Returns this ray with tests of boxes that every box passes but an empty one, which is infinite; the triangle
    /// test stays. Distances to boxes are `t * 0`, so that no interval leaves one out.
    pub fn through_all(&self) -> Self {
        Self { near_origin: [f32::MAX; 3], far_origin: [f32::MIN; 3], inverse: [1.0; 3], scale: 0.0, ..*self }
    }

    /// Returns the origins for the planes through which the ray enters and leaves boxes, each times the reciprocal of
    /// the direction: what a fused box test subtracts.
    #[inline(always)]
    pub fn over(&self) -> [[f32; 3]; 2] {
        [self.near_origin, self.far_origin].map(|origin| std::array::from_fn(|i| origin[i] * self.inverse[i]))
    }

    /// Returns `true` if boxes may be tested in fused form: no product of [`WalkRay::over`] is near the end of f32.
    #[inline(always)]
    pub fn fuses(&self) -> bool {
        self.over().as_flattened().iter().all(|x| x.abs() <= MOST_OVER)
    }

    /// Returns the smallest distance, on the scale of boxes, at which a box can hold a hit. No NaN.
    #[inline(always)]
    pub fn box_low(&self) -> f32 {
        finite(self.t_low * self.scale)
    }

    /// Returns the largest distance, on the scale of boxes, at which a box can hold a hit up to `t`. No NaN.
    #[inline(always)]
    pub fn box_high(&self, t: f32) -> f32 {
        finite(t * self.scale)
    }
}

/// Returns the origins for the planes through which the ray enters boxes, and for those through which it leaves.
#[inline(always)]
pub(crate) fn origins(&PaddedRay { lo_origin, hi_origin, inverse, .. }: &PaddedRay) -> [[f32; 3]; 2] {
    let either = |i: usize, a: [f32; 3], b: [f32; 3]| if inverse[i] < 0.0 { b[i] } else { a[i] };
    [std::array::from_fn(|i| either(i, lo_origin, hi_origin)), std::array::from_fn(|i| either(i, hi_origin, lo_origin))]
}

/// Replaces an infinity by the largest finite number of its sign.
#[inline(always)]
fn finite(x: f32) -> f32 {
    larger(smaller(x, f32::MAX), f32::MIN)
}

/// Returns the larger number in one instruction (`f32::max` takes more, for NaN): `b` if either is NaN.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the smaller number in one instruction (`f32::min` takes more, for NaN): `b` if either is NaN.
#[inline(always)]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
