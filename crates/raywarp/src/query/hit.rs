//! What a ray hits.

use raywarp_geom::{Hit, Ray};

/// Hit of a ray on a surface of a [`Scene`](crate::Scene).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceHit {
    /// Ray parameter of the hit, in lengths of the ray's direction.
    pub t: f32,
    /// Barycentric weight of the triangle's second vertex, 0 to 1.
    pub u: f32,
    /// Barycentric weight of the triangle's third vertex, 0 to 1.
    pub v: f32,
    /// Number of the placement in the scene: placements of meshes are counted in the order in which they were added, a
    /// group's one after another. [`Scene::instance_id`](crate::Scene::instance_id) has what the builder returned.
    pub instance: u32,
    /// Index of the triangle in its mesh, as the caller gave it.
    pub primitive: u32,
    /// Number that the caller gave to the placement; 0 if none.
    pub user: u32,
}

impl SurfaceHit {
    /// Returns the hit that an engine reports.
    pub(super) fn new(&Hit { t, u, v, primitive }: &Hit, instance: u32, user: u32) -> Self {
        // On an edge a weight may come out as -0.
        Self { t, u: u + 0.0, v: v + 0.0, instance, primitive, user }
    }

    /// Returns where `ray`, whose hit this is, meets the surface: `origin + t * direction`.
    pub fn position(&self, ray: &Ray) -> [f32; 3] {
        ray.at(self.t)
    }
}
