//! Where the triangles of a tree's leaves are.

use raywarp_geom::{Affine, PrimitiveId};

/// Trees by the numbers of their placements; one tree has the number 0.
pub(crate) trait Leaves {
    /// Returns the corners of a placement's triangle in the world; the tree has them as `corners`.
    fn in_world(&self, placed: u32, corners: &[[f32; 3]; 3]) -> [[f32; 3]; 3];

    /// Returns the id of a placement's triangle in the scene.
    fn id(&self, placed: u32, index: u32) -> PrimitiveId;
}

/// Returns corners where a map takes them: the rule of flattening.
pub(super) fn mapped(map: &Affine, corners: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
    corners.map(|p| map.point(p))
}
