//! Meshes and their placements, as what looks at rounding sees them.

use crate::{Affine, TriangleMesh};

/// Meshes in object space, and where they are placed.
pub trait PlacedMeshes: Sync {
    /// Returns the number of meshes.
    fn mesh_count(&self) -> usize;

    /// Returns a mesh.
    fn mesh(&self, index: usize) -> &TriangleMesh;

    /// Returns the number of placements.
    fn placement_count(&self) -> usize;

    /// Returns a placement: the index of its mesh, and the transform from object to world space.
    fn placement(&self, index: usize) -> (usize, Affine);
}

/// Each mesh stands once, where it is.
impl PlacedMeshes for Vec<TriangleMesh> {
    fn mesh_count(&self) -> usize {
        self.len()
    }

    fn mesh(&self, index: usize) -> &TriangleMesh {
        &self[index]
    }

    fn placement_count(&self) -> usize {
        self.len()
    }

    fn placement(&self, index: usize) -> (usize, Affine) {
        (index, Affine::IDENTITY)
    }
}

/// Returns the number of triangles of a placement.
pub(super) fn triangles_of(scene: &dyn PlacedMeshes, placement: usize) -> u64 {
    scene.mesh(scene.placement(placement).0).indices.len() as u64
}
