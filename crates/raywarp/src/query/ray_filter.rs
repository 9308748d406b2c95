//! What of a scene counts for one ray, and when.

use super::SurfaceHit;
use raywarp_geom::Ray;

/// Side of surfaces that rays do not see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Culling {
    /// Both sides are seen.
    #[default]
    None,
    /// Fronts are not seen: where corners turn counter-clockwise in the mesh's own space, or would without a mirroring
    /// transform.
    Fronts,
    /// Backs are not seen.
    Backs,
}

/// What counts for a ray, as a [`Filter`](crate::Filter) says, with the ray's own mask and time.
#[derive(Clone, Copy)]
pub struct RayFilter<'f> {
    pub mask: u32,
    pub culling: Culling,
    pub skip: Option<(u32, u32)>,
    /// When what moves is seen.
    pub time: f32,
    pub accept: Option<&'f dyn Fn(&SurfaceHit) -> bool>,
}

impl RayFilter<'_> {
    /// Returns `true` if nothing is left out.
    pub fn is_all(&self) -> bool {
        self.mask == u32::MAX && self.culling == Culling::None && self.skip.is_none() && self.accept.is_none()
    }

    /// Returns `true` if a triangle is neither masked nor skipped.
    pub fn sees(&self, mask: u32, instance: u32, primitive: u32) -> bool {
        (self.mask == u32::MAX || self.mask & mask != 0) && self.skip != Some((instance, primitive))
    }

    /// Returns `true` if a side, which `is_front` tells, is not culled.
    pub fn shows(&self, is_front: impl FnOnce() -> bool) -> bool {
        self.culling == Culling::None || is_front() != (self.culling == Culling::Fronts)
    }

    /// Returns `true` if the closure takes a hit, or there is none.
    pub fn takes(&self, hit: impl FnOnce() -> SurfaceHit) -> bool {
        self.accept.is_none_or(|accept| accept(&hit()))
    }
}

/// Returns `true` if a ray looks at the side of a triangle where its corners turn counter-clockwise. In f64.
pub(super) fn faces(ray: &Ray, [a, b, c]: &[[f32; 3]; 3]) -> bool {
    let edge = |p: &[f32; 3]| -> [f64; 3] { std::array::from_fn(|i| f64::from(p[i]) - f64::from(a[i])) };
    let (u, v) = (edge(b), edge(c));
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    normal.iter().zip(ray.direction).map(|(n, d)| n * f64::from(d)).sum::<f64>() < 0.0
}
