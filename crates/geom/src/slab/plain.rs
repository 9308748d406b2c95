//! The papers' box test, as published.

use crate::{Aabb, Ray, fused_multiply_add};

/// Ray as the kernels of AL09 (Aila and Laine 2009) prepare it: reciprocal direction, and origin times it.
///
/// Fast, and not conservative: nothing covers the rounding, so that a box may be missed whose triangle
/// is hit, and an axis-parallel ray in a face of a box misses it or not as rounding and the sign of zero
/// will have it. [`super::PaddedSlab`] costs three registers more and misses nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlainSlab {
    /// Reciprocals of the direction's components, after these are clamped away from zero by [`PlainSlab::TINY`].
    pub inverse: [f32; 3],
    /// Origin times `inverse`, on each axis.
    pub ood: [f32; 3],
}

impl PlainSlab {
    /// Least magnitude of direction components, 2^-80: smaller ones are replaced by it with their sign, as AL09's
    /// kernels do.
    pub const TINY: f32 = 8.271_806e-25;

    /// Prepares a ray for box tests.
    #[inline(always)]
    pub fn new(ray: &Ray) -> Self {
        let inverse = ray.direction.map(|d| 1.0 / if d.abs() > Self::TINY { d } else { Self::TINY.copysign(d) });
        Self { inverse, ood: std::array::from_fn(|i| ray.origin[i] * inverse[i]) }
    }

    /// Returns the `t` at which the ray enters the nonempty box `aabb` within `t_min ..= t_max`, or `None` if it misses
    /// the box.
    ///
    /// `plane * inverse - ood` in one rounding, as a GPU contracts it.
    #[inline]
    pub fn enter(&self, aabb: &Aabb, t_min: f32, t_max: f32) -> Option<f32> {
        let (mut near, mut far) = (t_min, t_max);
        for i in 0..3 {
            let x0 = fused_multiply_add(aabb.min[i], self.inverse[i], -self.ood[i]);
            let x1 = fused_multiply_add(aabb.max[i], self.inverse[i], -self.ood[i]);
            near = near.max(x0.min(x1));
            far = far.min(x0.max(x1));
        }
        (near <= far).then_some(near)
    }
}
