//! Errors of making a scene ready for rays, and the time that each step of it takes.

use crate::device::BackendError;
#[cfg(all(feature = "cuda", feature = "render"))]
use crate::device::cost_model::PATHS_BYTES;
use crate::device::cost_model::PREPARE_BYTES;
use raywarp_bvh::BuildError;
use raywarp_geom::{FlatError, FlatTriangles};
#[cfg(feature = "render")]
use raywarp_render::RenderError;
#[cfg(all(feature = "cuda", feature = "render"))]
use raywarp_render_cuda::RenderCudaError;
use std::time::Duration;

/// Need of memory in bytes up to which a scene is never refused, since figures of free memory are rough.
const SMALL_BYTES: u64 = 256 << 20;

/// Error of preparing a scene for tracing or rendering.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The scene has more triangles than can be numbered.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// Memory does not suffice: even a small file can place its meshes any number of times.
    #[error("{triangles} triangles need about {} MB, but {} MB are free; place fewer", needed >> 20, free >> 20)]
    Memory {
        /// Number of triangles in world space, with each placement of a mesh counted.
        triangles: u64,
        /// Estimated bytes that preparing takes at its peak.
        needed: u64,
        /// Bytes of memory that the system reports as free.
        free: u64,
    },
    /// Two levels of trees are asked for where the CPU's own tracer does not trace.
    #[error("two levels of trees are walked by the CPU's own tracer alone, and not by GPUs or kernels that are named")]
    TwoLevels,
    /// The trees of two levels cannot be put together.
    #[error(transparent)]
    Levels(#[from] raywarp_cpu::LevelsError),
    /// The tree cannot be built, or put on the device that is to trace it.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The GPU path tracer cannot be set up for the scene.
    #[cfg(all(feature = "cuda", feature = "render"))]
    #[error(transparent)]
    Engine(#[from] RenderCudaError),
    /// One GPU of several cannot take the scene for path tracing.
    #[cfg(all(feature = "cuda", feature = "render"))]
    #[error("cuda:{ordinal}: {error}")]
    Gpu {
        /// Number of the GPU in the driver's order.
        ordinal: usize,
        /// The error of that GPU.
        error: Box<RenderCudaError>,
    },
    /// The shading tables cannot be made.
    #[cfg(feature = "render")]
    #[error(transparent)]
    Shading(#[from] Box<RenderError>),
}

impl From<BuildError> for PrepareError {
    fn from(error: BuildError) -> Self {
        Self::Backend(error.into())
    }
}

#[cfg(all(feature = "cuda", feature = "render"))]
impl PrepareError {
    /// Returns `true` if only the path-tracing kernels refuse the scene, so that other GPU kernels may still trace its
    /// rays.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Backend(BackendError::Cuda(error)) | Self::Engine(RenderCudaError::Cuda(error)) => error.is_limit(),
            Self::Engine(RenderCudaError::Extent { .. } | RenderCudaError::Areas { .. }) => true,
            _ => false,
        }
    }
}

/// Wall time of each step of preparing a scene.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timings {
    /// Time of flattening the scene into world-space triangles.
    pub flatten: Duration,
    /// Time of building the canonical (not yet encoded) tree.
    pub build: Duration,
    /// Time of encoding the tree for the tracer; zero if that happens only when the first ray comes.
    pub encode: Duration,
    /// Time of making the shading tables; zero unless they were made at the same time as the tree.
    pub shading: Duration,
}

/// Checks that memory suffices to prepare `triangles` triangles, and returns the free bytes.
pub(crate) fn check_memory(triangles: u64) -> Result<u64, PrepareError> {
    check_memory_for(triangles, PREPARE_BYTES)
}

/// Checks that host memory suffices to prepare `triangles` triangles for GPU path tracing, which takes more than
/// tracing rays.
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) fn check_memory_for_paths(triangles: u64) -> Result<(), PrepareError> {
    check_memory_for(triangles, PATHS_BYTES).map(|_| ())
}

/// Checks that memory suffices for `triangles` triangles of `bytes` bytes each, and returns the free bytes. Where the
/// system does not tell, all is taken to be free.
pub(crate) fn check_memory_for(triangles: u64, bytes: u64) -> Result<u64, PrepareError> {
    // More are counted beyond their limit, which says it better.
    let countable = triangles <= u64::from(FlatTriangles::LIMIT);
    check_bytes(triangles, if countable { triangles.saturating_mul(bytes) } else { 0 })
}

/// Checks that memory suffices for `needed` bytes of a scene of `triangles` triangles, and returns the free bytes.
pub(crate) fn check_bytes(triangles: u64, needed: u64) -> Result<u64, PrepareError> {
    match raywarp_system::memory::available() {
        Some(free) if needed > free.max(SMALL_BYTES) => Err(PrepareError::Memory { triangles, needed, free }),
        free => Ok(free.unwrap_or(u64::MAX)),
    }
}
