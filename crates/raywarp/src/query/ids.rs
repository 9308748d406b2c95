//! Names of what is in a scene, and members of groups.

use raywarp_geom::Affine64;
use std::sync::Arc;

/// Mesh or group of a scene, as the builder returned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GeometryId(pub(super) u32);

/// Placement of a mesh or a group in a scene, as the builder returned it. It stays what it is in every edit of the
/// scene, and is never given to another placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub(super) u32);

/// Member of a group: a mesh or a group that was added before, and where it stands in the group's space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// What is placed.
    pub mesh: GeometryId,
    /// Map from its space to the group's.
    pub transform: Affine64,
    /// Bits that a ray's mask must share with it; all by default.
    pub mask: u32,
}

impl Placement {
    /// Places `mesh` by `transform`, for rays of every mask.
    pub fn new(mesh: GeometryId, transform: Affine64) -> Self {
        Self { mesh, transform, mask: u32::MAX }
    }
}

/// Members of each part of a scene that is a group; `None` for others.
pub(super) type Groups = [Option<Arc<[Placement]>>];
