//! What can be wrong with a scene.

use crate::device::BackendError;
use raywarp_cpu::{GeometryError, LevelsError};
use raywarp_geom::{FlatError, MeshError, TraceError};

/// Error of building a [`Scene`](crate::Scene).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A mesh that is placed somewhere is not valid.
    #[error("mesh {mesh}: {source}")]
    Mesh {
        /// Index of the mesh, in the order in which they were added.
        mesh: usize,
        /// Fault that was found in the mesh.
        source: MeshError,
    },
    /// A placement names a mesh or a group that the builder does not have, or a group one that was added after it.
    #[error("placement {placement}: there is no mesh or group {mesh} before it")]
    NoMesh {
        /// Index of the placement in its group, or in the scene.
        placement: usize,
        /// Index of what it names.
        mesh: usize,
    },
    /// A placement's transform maps space to a plane, a line or a point.
    #[error("instance {instance}: its transform is singular: it flattens space")]
    Singular {
        /// Number of the placement in the scene, as hits would have it.
        instance: usize,
    },
    /// A placement's transform is not finite, or takes its mesh beyond f32.
    #[error("instance {instance}: its transform is not finite, or takes the mesh beyond the range of f32")]
    NotFinite {
        /// Number of the placement in the scene, as hits would have it.
        instance: usize,
    },
    /// A placement's scales differ so much by direction, or are so large or small, that it cannot be walked in its own
    /// space, which custom geometry and what moves have to be.
    #[error(
        "instance {instance}: its transform's scales are beyond 2^40, or differ too much for what moves or is custom"
    )]
    IllConditioned {
        /// Number of the placement in the scene, as hits would have it.
        instance: usize,
    },
    /// Custom geometry is not valid.
    #[error("custom geometry {mesh}: {source}")]
    Geometry {
        /// Index of the geometry, in the order in which meshes and groups were added.
        mesh: usize,
        /// Fault that was found.
        source: GeometryError,
    },
    /// Custom geometry is placed in a scene for GPUs, which trace triangles alone.
    #[error("custom geometry {mesh} is intersected by the program, on the CPU alone; build with DeviceChoice::Cpu")]
    CustomOnGpu {
        /// Index of the geometry, in the order in which meshes and groups were added.
        mesh: usize,
    },
    /// What moves is placed in a scene for GPUs, which trace triangles that stand still.
    #[error("instance {instance} moves, which is traced on the CPU alone; build with DeviceChoice::Cpu")]
    MovingOnGpu {
        /// Number of the placement in the scene, as hits would have it.
        instance: usize,
    },
    /// There are more placements of meshes than can be numbered, 2^32 - 1, or 2^28 in two levels and after an edit; or
    /// more than free memory has room for, where a build or an edit adds more than 2^20.
    #[error("the scene has {found} placements of meshes, but there are numbers and free memory for {limit} only")]
    TooManyPlacements {
        /// Number of placements, groups resolved.
        found: u64,
        /// Largest number of them, the lesser of both limits.
        limit: u64,
    },
    /// Groups stand in groups more than four deep.
    #[error("group {group} is nested more than {limit} deep", limit = super::builder::MOST_LEVELS)]
    TooDeep {
        /// Index of the outermost group.
        group: usize,
    },
    /// The meshes have more triangles than can be numbered.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The tree over the placements cannot be made.
    #[error(transparent)]
    Levels(#[from] LevelsError),
    /// The tree cannot be built or put on the device that is to trace it; a GPU that was named is not there, lacks
    /// something, or fails.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The caller cancelled the build.
    #[error("the build was cancelled")]
    Cancelled,
    /// The device choice is [`DeviceChoice::Cuda`](crate::device::DeviceChoice::Cuda) with an empty list of GPUs.
    #[error("no GPU is named; name one, or take DeviceChoice::AllCuda")]
    NoGpuNamed,
    /// GPUs are named, but this build of Raywarp has no GPU kernels.
    #[cfg(not(feature = "cuda"))]
    #[error("GPUs are named, but raywarp was built without its feature cuda; take DeviceChoice::Cpu or Auto")]
    BuiltWithoutCuda,
}

/// A mesh is not closed, so that nothing is inside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("instance {instance} is not closed: {open_edges} of its edges lack a neighbour that runs the other way")]
pub struct NotClosed {
    /// Number of the first placement that is not closed.
    pub instance: u32,
    /// Number of its edges, counted by the triangle, without a partner: an edge from one place to another is closed by
    /// one that runs back between places of the same bits.
    pub open_edges: u64,
}

/// Error of a batch of queries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A slice for answers has another length than there are questions.
    #[error("{found} places for the answers to {asked} questions")]
    Length {
        /// Number of questions.
        asked: usize,
        /// Length of the slice.
        found: usize,
    },
    /// A slice for answers of a bit a ray has another length than the rays need words.
    #[error("{found} words of 32 bits for the answers to {rays} rays; give {}", rays.div_ceil(32))]
    Words {
        /// Number of rays.
        rays: usize,
        /// Length of the slice.
        found: usize,
    },
    /// A slice for masks and times of rays has another length than there are rays.
    #[error("{found} masks and times for {asked} rays; give one a ray, or none")]
    Extras {
        /// Number of rays.
        asked: usize,
        /// Length of the slice.
        found: usize,
    },
    /// Filters, and masks and times of rays, are of the CPU, and the scene's batches on GPUs that were named.
    #[error(
        "GPUs know no filters, masks or times of rays; ask Filtered::closest for each, or build with DeviceChoice::Cpu"
    )]
    FilterOnGpu,
    /// Rays in f64 are traced on the CPU, and the scene's batches on GPUs that were named.
    #[error("GPUs trace no rays in f64; ask Scene::closest or any for each, or build with DeviceChoice::Cpu")]
    DoublesOnGpu,
    /// Nothing is inside of a mesh that is not closed.
    #[error(transparent)]
    NotClosed(#[from] NotClosed),
    /// The batch did not finish.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl BatchError {
    /// Checks that there is a place for each answer.
    pub(super) fn check(asked: usize, found: usize) -> Result<(), Self> {
        if asked == found { Ok(()) } else { Err(Self::Length { asked, found }) }
    }

    /// Checks that there is a word for the answers of every 32 rays.
    pub(super) fn check_words(rays: usize, found: usize) -> Result<(), Self> {
        if rays.div_ceil(32) == found { Ok(()) } else { Err(Self::Words { rays, found }) }
    }
}
