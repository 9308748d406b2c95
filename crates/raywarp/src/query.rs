//! Ray queries for library users: a tree over meshes, one ray or millions.

use raywarp_bvh::{BuildError, BuildOptions, build};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{
    BatchStats, Control, FlatError, FlatTriangles, Hit, HitKey, MeshError, PrimitiveId, Ray, TraceError, Tracer,
    TriangleMesh,
};

/// A hit, with the ids of what was hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryHit {
    /// Ray parameter in lengths of the direction.
    pub t: f32,
    /// Weight of the triangle's second vertex.
    pub u: f32,
    /// Weight of the triangle's third vertex.
    pub v: f32,
    /// Index of the mesh in the slice given to [`TriangleBvh::build`].
    pub mesh: u32,
    /// Index of the triangle in its mesh.
    pub triangle: u32,
}

/// Why a tree over meshes cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A mesh is not valid.
    #[error("mesh {mesh}: {source}")]
    Mesh {
        /// Its index.
        mesh: usize,
        /// What is wrong.
        source: MeshError,
    },
    /// Too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The builder refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The encoder refuses.
    #[error(transparent)]
    Layout(#[from] raywarp_layout::LayoutError),
}

/// A bounding volume hierarchy over triangle meshes, ready to trace on this CPU.
///
/// Hits are watertight: no ray slips between two triangles that share an edge. Of hits at the same
/// `t` the lower (mesh, triangle) is reported.
pub struct TriangleBvh {
    tracer: CpuTracer,
}

impl TriangleBvh {
    /// Builds with the default options, in parallel.
    ///
    /// # Errors
    /// [`QueryError`]: a mesh with NaN positions or indices out of range, or too many triangles.
    pub fn build(meshes: &[TriangleMesh]) -> Result<Self, QueryError> {
        Self::build_with(meshes, &BuildOptions::default())
    }

    /// Builds with a builder of one's choice.
    ///
    /// # Errors
    /// As [`TriangleBvh::build`].
    pub fn build_with(meshes: &[TriangleMesh], options: &BuildOptions) -> Result<Self, QueryError> {
        let mut flat = FlatTriangles::default();
        let found: u64 = meshes.iter().map(|m| m.indices.len() as u64).sum();
        if found > u64::from(FlatTriangles::LIMIT) {
            return Err(FlatError::TooMany { found, limit: FlatTriangles::LIMIT }.into());
        }
        for (mesh, triangles) in meshes.iter().enumerate() {
            triangles.validate().map_err(|source| QueryError::Mesh { mesh, source })?;
            for primitive in 0..triangles.indices.len() {
                flat.vertices.push(triangles.corners(primitive));
                flat.ids.push(PrimitiveId { instance: mesh as u32, primitive: primitive as u32 });
                flat.opaque.push(true);
            }
        }
        let bvh = build(&flat, options)?;
        Ok(Self { tracer: CpuTracer::new(&bvh, &flat)? })
    }

    /// The nearest hit of a ray.
    pub fn closest(&self, ray: &Ray) -> Option<QueryHit> {
        self.closest_after(ray, HitKey::START)
    }

    /// Whether anything lies on a ray.
    pub fn any(&self, ray: &Ray) -> bool {
        let mut blocked = [0];
        self.tracer
            .any(std::slice::from_ref(ray), &[], &mut blocked, &mut Vec::new(), &Control::default())
            .expect("a CPU batch that nobody cancels finishes");
        blocked[0] != 0
    }

    /// All hits of a ray, nearest first.
    pub fn all<'a>(&'a self, ray: &'a Ray) -> impl Iterator<Item = QueryHit> + 'a {
        let mut after = Some(HitKey::START);
        std::iter::from_fn(move || {
            let hit = self.closest_after(ray, after?);
            after = hit.map(|h| HitKey { t: h.t, instance: h.mesh, primitive: h.triangle });
            hit
        })
    }

    /// The nearest hit of each ray, in parallel: `hits` and `meshes` have one entry a ray
    /// ([`Hit::is_hit`] tells a miss).
    ///
    /// # Errors
    /// [`TraceError::Cancelled`] when `control` says so.
    /// # Panics
    /// If the slices differ in length.
    pub fn closest_batch(
        &self,
        rays: &[Ray],
        hits: &mut [Hit],
        meshes: &mut [u32],
        control: &Control,
    ) -> Result<BatchStats, TraceError> {
        self.tracer.closest(rays, &[], hits, meshes, control)
    }

    /// Whether anything lies on each ray, in parallel: bit `i % 32` of word `i / 32` of `blocked`.
    ///
    /// # Errors
    /// [`TraceError::Cancelled`] when `control` says so.
    /// # Panics
    /// If `blocked` has fewer than `ceil(rays / 32)` words.
    pub fn any_batch(&self, rays: &[Ray], blocked: &mut [u32], control: &Control) -> Result<BatchStats, TraceError> {
        self.tracer.any(rays, &[], blocked, &mut Vec::new(), control)
    }

    /// The tracer, for the renderer's interface.
    pub fn tracer(&self) -> &dyn Tracer {
        &self.tracer
    }

    fn closest_after(&self, ray: &Ray, after: HitKey) -> Option<QueryHit> {
        let (mut hit, mut mesh) = ([Hit::default()], [0]);
        let rays = std::slice::from_ref(ray);
        self.tracer
            .closest(rays, &[after], &mut hit, &mut mesh, &Control::default())
            .expect("a CPU batch that nobody cancels finishes");
        let [Hit { t, u, v, primitive }] = hit;
        hit[0].is_hit().then_some(QueryHit { t, u, v, mesh: mesh[0], triangle: primitive })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(z: f32) -> TriangleMesh {
        TriangleMesh {
            positions: vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z], [1.0, 1.0, z]],
            indices: vec![[0, 1, 2], [1, 3, 2]],
            ..Default::default()
        }
    }

    #[test]
    fn closest_any_and_all_agree_on_a_stack_of_sheets() {
        let bvh = TriangleBvh::build(&[sheet(3.0), sheet(1.0), sheet(2.0), sheet(1.0)]).unwrap();
        let ray = Ray::new([0.2, 0.2, 0.0], [0.0, 0.0, 1.0]);
        let first = bvh.closest(&ray).unwrap();
        assert_eq!((first.t, first.mesh, first.triangle), (1.0, 1, 0));
        let all: Vec<_> = bvh.all(&ray).map(|h| ((h.t * 1e3).round(), h.mesh)).collect();
        assert_eq!(all, [(1e3, 1), (1e3, 3), (2e3, 2), (3e3, 0)]);
        assert!(bvh.any(&ray) && !bvh.any(&ray.with_interval(1.5, 1.75)));
        assert!(bvh.closest(&Ray::new([0.2, 0.2, 0.0], [0.0, 0.0, -1.0])).is_none());
    }

    #[test]
    fn meshes_are_checked_and_none_is_no_hit() {
        let broken = TriangleMesh { indices: vec![[0, 1, 9]], ..sheet(0.0) };
        let error = TriangleBvh::build(&[sheet(1.0), broken]).err().unwrap();
        assert_eq!(error.to_string(), "mesh 1: triangle 0 uses vertex 9, but there are only 4");
        let empty = TriangleBvh::build(&[]).unwrap();
        assert!(empty.closest(&Ray::new([0.0; 3], [1.0, 0.0, 0.0])).is_none());
    }
}
