//! Errors of making a scene ready for rays, and the time that each step of it takes.

use crate::device::BackendError;
#[cfg(feature = "cuda")]
use crate::device::OneOfGpus;
#[cfg(all(feature = "cuda", feature = "render"))]
use crate::device::cost_model::PATHS_BYTES;
use crate::device::cost_model::PREPARE_BYTES;
use raywarp_bvh::BuildError;
#[cfg(feature = "cuda")]
use raywarp_cuda::CudaError;
use raywarp_geom::{FlatError, FlatTriangles};
use raywarp_layout::LayoutError;
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
    /// The builder of the tree refuses the triangles.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The encoder of the CPU's tracer refuses the tree.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The caller's tracer factory ([`PlannedKernels::Own`](crate::device::PlannedKernels::Own)) refuses the tree.
    #[error(transparent)]
    Own(Box<dyn std::error::Error + Send + Sync>),
    /// The plan names GPU kernels but no GPU.
    #[cfg(feature = "cuda")]
    #[error("no GPU is given")]
    NoGpu,
    /// The GPU lacks something, or fails.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Cuda(#[from] CudaError),
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
    /// One of several GPUs lacks something, or fails; says which.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    OneOfGpus(#[from] OneOfGpus),
    /// The shading tables cannot be made.
    #[cfg(feature = "render")]
    #[error(transparent)]
    Shading(#[from] Box<RenderError>),
}

impl From<BackendError> for PrepareError {
    fn from(error: BackendError) -> Self {
        match error {
            BackendError::Build(error) => Self::Build(error),
            BackendError::Layout(error) => Self::Layout(error),
            BackendError::Own(error) => Self::Own(error),
            #[cfg(feature = "cuda")]
            BackendError::NoGpu => Self::NoGpu,
            #[cfg(feature = "cuda")]
            BackendError::Cuda(error) => Self::Cuda(error),
            #[cfg(feature = "cuda")]
            BackendError::OneOfGpus(error) => Self::OneOfGpus(error),
        }
    }
}

#[cfg(all(feature = "cuda", feature = "render"))]
impl PrepareError {
    /// Returns `true` if only the path-tracing kernels refuse the scene, so that other GPU kernels may still trace its
    /// rays.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Cuda(error) | Self::Engine(RenderCudaError::Cuda(error)) => error.is_limit(),
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

/// Checks that memory suffices to prepare `triangles` triangles.
pub(crate) fn check_memory(triangles: u64) -> Result<(), PrepareError> {
    check_memory_for(triangles, PREPARE_BYTES).map(|_| ())
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
    let needed = triangles.saturating_mul(bytes);
    let countable = triangles <= u64::from(FlatTriangles::LIMIT);
    let free = raywarp_system::memory::available();
    match free {
        Some(free) if countable && needed > free.max(SMALL_BYTES) => {
            Err(PrepareError::Memory { triangles, needed, free })
        }
        free => Ok(free.unwrap_or(u64::MAX)),
    }
}
