//! What can go wrong while a scene is made ready for rays, and how long it takes.

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

/// Scenes that need less than this are not held against what is free: what systems say is rough.
const SMALL_BYTES: u64 = 256 << 20;

/// Why a scene cannot be prepared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// Too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The memory is not there: a scene of few bytes can place its meshes any number of times.
    #[error("{triangles} triangles need about {} MB, but {} MB are free; place fewer", needed >> 20, free >> 20)]
    Memory {
        /// World-space triangles.
        triangles: u64,
        /// Bytes needed at the peak, about.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The builder refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The encoder refuses.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The factory of [`PlannedKernels::Own`](crate::device::PlannedKernels::Own) refuses the tree.
    #[error(transparent)]
    Own(Box<dyn std::error::Error + Send + Sync>),
    /// Kernels of a GPU are planned without one.
    #[cfg(feature = "cuda")]
    #[error("no GPU is given")]
    NoGpu,
    /// The GPU lacks something, or fails.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The kernels that render paths lack something.
    #[cfg(all(feature = "cuda", feature = "render"))]
    #[error(transparent)]
    Engine(#[from] RenderCudaError),
    /// A GPU cannot be given the scene.
    #[cfg(all(feature = "cuda", feature = "render"))]
    #[error("cuda:{ordinal}: {error}")]
    Gpu {
        /// Its number in the driver's order.
        ordinal: usize,
        /// Why.
        error: Box<RenderCudaError>,
    },
    /// One of several GPUs lacks something, or fails.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    OneOfGpus(#[from] OneOfGpus),
    /// What shading reads cannot be made.
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
    /// Says whether kernels refuse the scene that take whole paths of it, which others may trace.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Cuda(error) | Self::Engine(RenderCudaError::Cuda(error)) => error.is_limit(),
            Self::Engine(RenderCudaError::Extent { .. } | RenderCudaError::Areas { .. }) => true,
            _ => false,
        }
    }
}

/// Wall time of each step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timings {
    /// World-space triangles.
    pub flatten: Duration,
    /// The canonical tree.
    pub build: Duration,
    /// The tree that the tracer walks; nothing where it is made when it is asked for.
    pub encode: Duration,
    /// What shading reads, where it was made beside the tree.
    pub shading: Duration,
}

/// Refuses triangles that can be counted but for which there is no memory.
pub(crate) fn check_memory(triangles: u64) -> Result<(), PrepareError> {
    check_memory_for(triangles, PREPARE_BYTES).map(|_| ())
}

/// Refuses what GPUs that take whole paths need more for.
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) fn check_memory_for_paths(triangles: u64) -> Result<(), PrepareError> {
    check_memory_for(triangles, PATHS_BYTES).map(|_| ())
}

/// The same for so many bytes a triangle; otherwise what is free, where the system tells.
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
