//! World-space triangles of a whole scene, flattened: what tree builders and encoders take.

use crate::Aabb;

/// Ids of a triangle as hits report them: its instance, and its index within the instance's mesh.
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
    /// Corners of each triangle in world space, all finite.
    pub vertices: Vec<[[f32; 3]; 3]>,
    /// Ids of each triangle, as hits report them.
    pub ids: Vec<PrimitiveId>,
    /// `true` for each triangle that is opaque; `false` where the caller of an any-hit query must decide (alpha mask or
    /// blend).
    pub opaque: Vec<bool>,
}

/// Errors of flattening a scene into one list of world-space triangles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlatError {
    /// The scene has more triangles than [`FlatTriangles::LIMIT`].
    #[error("the scene has {found} triangles when flattened, but at most {limit} can be indexed; drop some instances")]
    TooMany {
        /// Number of triangles that the scene has when flattened.
        found: u64,
        /// Largest number of triangles that a tree can hold.
        limit: u32,
    },
}

/// Triangles in world space that trees are built over and made of, wherever they are: in one list, or in meshes that
/// are placed.
pub trait TriangleSource: Sync {
    /// Returns the number of triangles.
    fn count(&self) -> usize;

    /// Returns the corners of a triangle.
    fn corners(&self, index: usize) -> [[f32; 3]; 3];

    /// Writes the corners of some triangles to `corners`, as many as there are `indices`: cheaper than to ask for each
    /// where this is called through a pointer.
    fn gather(&self, indices: &[u32], corners: &mut [[[f32; 3]; 3]]) {
        for (corners, &index) in corners.iter_mut().zip(indices) {
            *corners = self.corners(index as usize);
        }
    }

    /// Returns `true` if a triangle is opaque.
    fn is_opaque(&self, index: usize) -> bool;

    /// Returns the corners of all triangles, if they lie side by side.
    fn list(&self) -> Option<&[[[f32; 3]; 3]]>;
}

impl TriangleSource for FlatTriangles {
    fn count(&self) -> usize {
        self.vertices.len()
    }

    #[inline]
    fn corners(&self, index: usize) -> [[f32; 3]; 3] {
        self.vertices[index]
    }

    #[inline]
    fn is_opaque(&self, index: usize) -> bool {
        self.opaque[index]
    }

    fn list(&self) -> Option<&[[[f32; 3]; 3]]> {
        Some(&self.vertices)
    }
}

impl FlatTriangles {
    /// Largest number of triangles that a tree may hold. Early splits and leaf padding need room above it.
    pub const LIMIT: u32 = 1 << 30;

    /// Makes the list of one opaque mesh, whose triangles all belong to instance 0.
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

    /// Returns the bounding box of triangle `index`.
    #[inline]
    pub fn aabb(&self, index: usize) -> Aabb {
        Aabb::of_points(&self.vertices[index])
    }

    /// Returns the bounding box of all triangles.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.vertices.iter().flatten())
    }
}
