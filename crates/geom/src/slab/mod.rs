//! Ray-box tests: where a ray enters a box, by the slab method.
//!
//! | name | form | misses |
//! |---|---|---|
//! | [`PaddedRay`] | `(plane - o) * inverse`, padded | nothing that the watertight test may hit: the default |
//! | [`PaddedSlab`] | `fma(plane, inverse, -ood)`, padded | as above, for GPU kernels |
//! | [`SlabRay`] with [`slab`] | Ize 2013 | nothing that the exact ray touches |
//! | [`PlainSlab`] | AL09, as published | boxes that rays graze or lie in a face of |

mod padded;
mod plain;

use crate::{Aabb, Ray};
pub use padded::{PaddedRay, PaddedSlab};
pub use plain::PlainSlab;

/// Ray prepared for the conservative slab test of Ize 2013, without knowledge of the scene's bounds.
#[derive(Debug, Clone, Copy)]
pub struct SlabRay {
    /// Ray origin for the planes where the ray enters a box, moved outward along axes in which the direction is zero.
    pub near_origin: [f32; 3],
    /// Ray origin for the planes where the ray leaves a box, moved outward along axes in which the direction is zero.
    pub far_origin: [f32; 3],
    /// Reciprocals of the direction's components, always finite.
    pub inverse: [f32; 3],
}

impl SlabRay {
    /// Value that replaces direction components nearer to zero, so that no reciprocal is infinite. A ray in the plane
    /// of a box face then gives no 0 * inf = NaN (the papers' form misses such rays).
    pub const TINY: f32 = 1e-24;

    /// Prepares a valid ray, whose direction should be far longer than [`SlabRay::TINY`].
    ///
    /// Along an axis in which the ray does not move, whether it is between two planes must not
    /// depend on the sign of the clamped zero: there the origin is moved outward by an ulp (or
    /// 1e-12 near zero), which keeps a ray in a face inside for t up to 1e12.
    #[inline]
    pub fn new(ray: &Ray) -> Self {
        let (mut near_origin, mut far_origin) = (ray.origin, ray.origin);
        let inverse = std::array::from_fn(|i| {
            let d = ray.direction[i];
            if d.abs() >= Self::TINY {
                return 1.0 / d;
            }
            let o = ray.origin[i];
            near_origin[i] = o.next_up().max(o + 1e-12);
            far_origin[i] = o.next_down().min(o - 1e-12);
            1.0 / Self::TINY
        });
        Self { near_origin, far_origin, inverse }
    }
}

/// Factor on the distance to a box's planes that makes up for rounding. Each distance rounds three times by half an ulp
/// (Ize 2013, "Robust BVH ray traversal", section 3), and a product with this factor rounds once more.
pub const FAR_SCALE: f32 = 1.0 + 2.0 * f32::EPSILON;

/// Returns the `t` at which the ray enters `aabb` within `t_min ..= t_max`, or `None`. Conservative: may report a box
/// that the ray passes within rounding, never misses one that it touches (Ize 2013). That is the exact ray; what the
/// watertight test may hit besides needs [`PaddedRay`].
///
/// A departure: Ize scales only the far distance, and up, which is right for `t >= 0`. Here both move
/// outward whatever their sign, so that `t_min` may be negative.
#[inline]
pub fn slab(ray: &SlabRay, aabb: &Aabb, t_min: f32, t_max: f32) -> Option<f32> {
    const SHRINK: f32 = 1.0 - 2.0 * f32::EPSILON;
    let (mut near, mut far) = (t_min, t_max);
    for i in 0..3 {
        let (enter, leave) =
            if ray.inverse[i] >= 0.0 { (aabb.min[i], aabb.max[i]) } else { (aabb.max[i], aabb.min[i]) };
        let t = (enter - ray.near_origin[i]) * ray.inverse[i];
        near = near.max(t * if t < 0.0 { FAR_SCALE } else { SHRINK });
        let t = (leave - ray.far_origin[i]) * ray.inverse[i];
        far = far.min(t * if t < 0.0 { SHRINK } else { FAR_SCALE });
    }
    (near <= far).then_some(near)
}

#[cfg(test)]
mod tests;
