//! Errors of rendering a picture on a GPU.

use crate::memory::LeastMemory;
use raywarp_cuda::CudaError;

/// Error of rendering a picture on a GPU.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderCudaError {
    /// The GPU or its driver fails, or its memory is too small.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// Device memory is too small for a picture of the scene.
    #[error(
        "the scene and its picture need {} MiB of device memory ({needed}), {} MiB are free", .needed.total().div_ceil(1 << 20),
        .free >> 20
    )]
    Memory {
        /// Least device memory that the scene and its picture take.
        needed: LeastMemory,
        /// Bytes of device memory that are free.
        free: usize,
    },
    /// Triangles or cameras lie where f32 has too few exponents for the GPU triangle test.
    #[error(
        "coordinates reach {farthest:e} in a scene that is {extent:e} large; the GPU's path tracer takes scenes of 1e-12 to \
         3e17 units"
    )]
    Extent {
        /// Largest absolute coordinate of triangles and cameras.
        farthest: f32,
        /// Longest side of the scene's bounding box.
        extent: f32,
    },
    /// Triangles are so small, thin or large that the GPU triangle test cannot decide every ray, and no other test
    /// follows.
    #[error(
        "{count} of its triangles, one of which has a doubled area of {area:.1e}, are beyond what the GPU's path tracer decides (1e-29 to \
         7e35)"
    )]
    Areas {
        /// Number of triangles outside the test's range.
        count: usize,
        /// Doubled area of one of those triangles.
        area: f64,
    },
    /// The organisation cannot render this scene, or its options contradict each other.
    #[error("{why}")]
    Refused {
        /// Reason that the organisation gives.
        why: String,
    },
    /// A kernel source was left out when the kernels were compiled.
    #[error("the kernels of the path tracer are missing in this build")]
    NoKernels,
}
