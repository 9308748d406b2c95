//! World-space triangles of a whole scene, flattened: what tree builders and encoders take.

use crate::Aabb;

/// Ids that hits report: the instance, and the triangle within its mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct PrimitiveId {
    /// Index in `Description::instances`.
    pub instance: u32,
    /// Index of the triangle in its mesh.
    pub primitive: u32,
}

/// Triangles in world space, each with the ids that hits report and whether it is opaque.
///
/// The arrays have one entry a triangle, ordered by [`PrimitiveId`], so that the lower index of two
/// triangles also has the lower (instance, primitive) pair.
#[derive(Debug, Clone, Default)]
pub struct FlatTriangles {
    /// Three corners of each triangle, finite.
    pub vertices: Vec<[[f32; 3]; 3]>,
    /// Ids that a hit reports.
    pub ids: Vec<PrimitiveId>,
    /// `true` if the triangle is opaque; `false` where a query must stop and ask (alpha mask or blend).
    pub opaque: Vec<bool>,
}

/// Reasons why triangles cannot be flattened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlatError {
    /// More triangles than 32-bit counts hold.
    #[error("the scene has {found} triangles when flattened, but at most {limit} can be indexed; drop some instances")]
    TooMany {
        /// Number of triangles when flattened.
        found: u64,
        /// Most triangles that fit.
        limit: u32,
    },
}

impl FlatTriangles {
    /// The most triangles a tree may hold. Early splits and leaf padding need room above it.
    pub const LIMIT: u32 = 1 << 30;

    /// Flattens one opaque mesh, as instance 0.
    pub fn from_vertices(vertices: Vec<[[f32; 3]; 3]>) -> Self {
        let count = vertices.len() as u32;
        let ids = (0..count).map(|primitive| PrimitiveId { instance: 0, primitive }).collect();
        Self { opaque: vec![true; vertices.len()], ids, vertices }
    }

    /// Returns the number of triangles.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Returns `true` if there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Returns the box around one triangle.
    #[inline]
    pub fn aabb(&self, index: usize) -> Aabb {
        Aabb::of_points(&self.vertices[index])
    }

    /// Returns the box around all triangles.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.vertices.iter().flatten())
    }
}
