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

/// Need of memory in bytes below which a scene is never refused: figures of free memory are rough.
const SMALL_BYTES: u64 = 256 << 20;

/// An error that keeps a scene from being prepared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The scene has more triangles than can be numbered.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The memory is not there: a small file can place its meshes any number of times.
    #[error("{triangles} triangles need about {} MB, but {} MB are free; place fewer", needed >> 20, free >> 20)]
    Memory {
        /// Number of triangles in world space, each placement of a mesh counted.
        triangles: u64,
        /// Bytes that preparing needs at its peak, about.
        needed: u64,
        /// Bytes that the system says are free.
        free: u64,
    },
    /// The builder of the tree refuses the triangles.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The encoder of the CPU's tracer refuses the tree.
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
        /// Number of the GPU in the driver's order.
        ordinal: usize,
        /// The error of that GPU.
        error: Box<RenderCudaError>,
    },
    /// One of several GPUs lacks something, or fails.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    OneOfGpus(#[from] OneOfGpus),
    /// The tables that shading reads cannot be made.
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
    /// Returns `true` if the kernels that take whole paths refuse the scene, whose rays other kernels may still trace.
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
    /// Time to flatten the scene into triangles in world space.
    pub flatten: Duration,
    /// Time to build the canonical tree.
    pub build: Duration,
    /// Time to encode the tree that the tracer walks; zero where that is made when it is asked for.
    pub encode: Duration,
    /// Time to make the tables that shading reads; zero unless they were made beside the tree.
    pub shading: Duration,
}

/// Refuses triangles that can be counted but for which there is no memory.
pub(crate) fn check_memory(triangles: u64) -> Result<(), PrepareError> {
    check_memory_for(triangles, PREPARE_BYTES).map(|_| ())
}

/// Refuses triangles for which GPUs that take whole paths, which need more memory, have too little of it on the host.
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) fn check_memory_for_paths(triangles: u64) -> Result<(), PrepareError> {
    check_memory_for(triangles, PATHS_BYTES).map(|_| ())
}

/// Returns the free bytes, or refuses triangles that need `bytes` each where these are not free. Where the system does
/// not tell, all is taken to be free.
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
