//! What can be wrong with an edit.

use crate::query::{GeometryId, InstanceId, SceneError};
use raywarp_cpu::LevelsError;

/// Error of an [`Edit`](crate::Edit) of a scene.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The scene has no such placement, or no longer.
    #[error("there is no {instance:?} in the scene")]
    NoInstance {
        /// Id that was given.
        instance: InstanceId,
    },
    /// The scene has no such mesh or group, or no longer.
    #[error("there is no {geometry:?} in the scene")]
    NoGeometry {
        /// Id that was given.
        geometry: GeometryId,
    },
    /// A group or custom geometry was given new triangles.
    #[error("{geometry:?} is a group or custom geometry, which has no triangles")]
    NotAMesh {
        /// Id that was given.
        geometry: GeometryId,
    },
    /// A mesh or a group is to be removed that a placement or a group still needs.
    #[error("{geometry:?} is still placed, or is in a group; remove that first")]
    InUse {
        /// Id that was given.
        geometry: GeometryId,
    },
    /// A mesh is to be placed or moved that the scene has not kept: it was flattened into another tree, nowhere by the
    /// identity, or was placed nowhere.
    #[error("the scene has not kept {geometry:?} as it was given; build it with Levels::Two, or give the mesh again")]
    NotKept {
        /// Id of the mesh.
        geometry: GeometryId,
    },
    /// The scene has so often got new placements that there are no ids left for them.
    #[error("the scene has given out all 2^32 ids of placements")]
    NoIdsLeft,
    /// The scene was built for GPUs, which trace one tree that no edit changes.
    #[error("the scene traces batches on GPUs; build it for this CPU to edit it")]
    OnGpu,
    /// The scene that the edit asks for cannot be made. Its errors name meshes by the numbers of their ids, and
    /// placements as the new scene would number them.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

impl From<LevelsError> for EditError {
    fn from(error: LevelsError) -> Self {
        Self::Scene(error.into())
    }
}
