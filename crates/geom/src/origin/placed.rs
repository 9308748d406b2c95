//! Meshes and their placements, as what looks at rounding sees them.

use crate::{Affine, TriangleMesh};

/// Scene of meshes in object space and their placements (instances) in the world.
pub trait PlacedMeshes: Sync {
    /// Returns the number of meshes.
    fn mesh_count(&self) -> usize;

    /// Returns the mesh of index `index`, in object space.
    fn mesh(&self, index: usize) -> &TriangleMesh;

    /// Returns the number of placements.
    fn placement_count(&self) -> usize;

    /// Returns placement `index`: the index of its mesh, and the transform from object to world space.
    fn placement(&self, index: usize) -> (usize, Affine);
}

/// List of meshes, each of which is placed once, with its positions in world space.
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

/// Returns the number of triangles of the mesh that a placement shows.
pub(super) fn triangles_of(scene: &dyn PlacedMeshes, placement: usize) -> u64 {
    scene.mesh(scene.placement(placement).0).indices.len() as u64
}
