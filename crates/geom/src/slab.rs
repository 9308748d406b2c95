//! The ray-box test: the slab method with conservative bounds.

use crate::{Aabb, Ray};

/// What a slab test needs of a ray, computed once.
#[derive(Debug, Clone, Copy)]
pub struct SlabRay {
    /// Origin as the planes where the ray enters a box see it.
    pub near_origin: [f32; 3],
    /// Origin as the planes where the ray leaves a box see it.
    pub far_origin: [f32; 3],
    /// Reciprocal direction, always finite.
    pub inverse: [f32; 3],
}

impl SlabRay {
    /// Direction components are moved away from zero by this, so that no reciprocal is infinite and
    /// a ray in the plane of a box face gives no 0 * inf = NaN (the papers' form misses such rays).
    pub const TINY: f32 = 1e-24;

    /// Prepares a valid ray.
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

/// Two more ulps on the far side make the test conservative: no box that the exact ray touches is
/// missed (Ize 2013, "Robust BVH ray traversal", section 3).
pub const FAR_SCALE: f32 = 1.0 + 2.0 * f32::EPSILON;

/// Where the ray enters `aabb` within `t_min ..= t_max`, or `None`. Conservative: may report a box
/// that the ray passes within rounding, never misses one that it touches (Ize 2013).
#[inline]
pub fn slab(ray: &SlabRay, aabb: &Aabb, t_min: f32, t_max: f32) -> Option<f32> {
    let (mut near, mut far) = (t_min, t_max);
    for i in 0..3 {
        let (enter, leave) =
            if ray.inverse[i] >= 0.0 { (aabb.min[i], aabb.max[i]) } else { (aabb.max[i], aabb.min[i]) };
        near = near.max((enter - ray.near_origin[i]) * ray.inverse[i]);
        far = far.min((leave - ray.far_origin[i]) * ray.inverse[i] * FAR_SCALE);
    }
    (near <= far).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };

    fn enters(origin: [f32; 3], direction: [f32; 3]) -> Option<f32> {
        slab(&SlabRay::new(&Ray::new(origin, direction)), &UNIT, 0.0, f32::INFINITY)
    }

    #[test]
    fn rays_enter_where_they_should() {
        assert_eq!(enters([0.5, 0.5, -1.0], [0.0, 0.0, 1.0]), Some(1.0));
        assert_eq!(enters([0.5, 0.5, 0.5], [0.0, 0.0, 1.0]), Some(0.0));
        assert_eq!(enters([0.5, 0.5, 2.0], [0.0, 0.0, 1.0]), None);
        assert_eq!(enters([1.5, 0.5, -1.0], [0.0, 0.0, 1.0]), None);
    }

    #[test]
    fn an_axis_parallel_ray_in_a_face_hits() {
        for x in [0.0, 1.0] {
            for d in [0.0, -0.0] {
                assert_eq!(enters([x, 0.5, -1.0], [d, 0.0, 1.0]), Some(1.0), "x {x}, d {d}");
            }
        }
    }

    #[test]
    fn no_ray_hits_the_empty_box() {
        let ray = SlabRay::new(&Ray::new([0.0; 3], [1.0, 2.0, 3.0]));
        assert_eq!(slab(&ray, &Aabb::EMPTY, 0.0, f32::INFINITY), None);
    }
}
