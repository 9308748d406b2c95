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
    /// Map at time 1 if it moves ([`SceneBuilder::moving`](crate::SceneBuilder::moving)); `transform` is that of time 0
    /// then.
    pub end: Option<Affine64>,
    /// Bits that a ray's mask must share with it; all by default.
    pub mask: u32,
}

impl Placement {
    /// Places `mesh` by `transform`, for rays of every mask.
    pub fn new(mesh: GeometryId, transform: Affine64) -> Self {
        Self { mesh, transform, end: None, mask: u32::MAX }
    }

    /// Places `mesh` so that it moves, from the first transform at time 0 to the second at time 1, for rays of every
    /// mask.
    pub fn moving(mesh: GeometryId, transforms: [Affine64; 2]) -> Self {
        let [transform, end] = transforms;
        Self { end: Some(end), ..Self::new(mesh, transform) }
    }
}

/// Members of each part of a scene that is a group; `None` for others.
pub(super) type Groups = [Option<Arc<[Placement]>>];
