//! Errors of rendering a picture on a GPU.

use crate::memory::LeastMemory;
use raywarp_cuda::CudaError;

/// An error that keeps a picture from being rendered on a GPU.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderCudaError {
    /// The GPU, its driver or its memory fails.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The device has too little memory for a picture of the scene.
    #[error(
        "the scene and its picture need {} MiB of device memory ({needed}), {} MiB are free", .needed.total().div_ceil(1 << 20),
        .free >> 20
    )]
    Memory {
        /// Memory that they take at least.
        needed: LeastMemory,
        /// Bytes that are free.
        free: usize,
    },
    /// Triangles or cameras lie where f32 has too few exponents for the kernels' triangle test.
    #[error(
        "coordinates reach {farthest:e} in a scene that is {extent:e} large; the GPU's path tracer takes scenes of 1e-12 to \
         3e17 units"
    )]
    Extent {
        /// The largest coordinate.
        farthest: f32,
        /// The longest side of the scene's box.
        extent: f32,
    },
    /// Triangles are so small, thin or large that the kernels' test of pairs cannot decide them, and the kernels trace
    /// no ray again.
    #[error(
        "{count} of its triangles, one of which has a doubled area of {area:.1e}, are beyond what the GPU's path tracer decides (1e-29 to \
         7e35)"
    )]
    Areas {
        /// Number of such triangles.
        count: usize,
        /// Doubled area of one of them.
        area: f64,
    },
    /// The organisation does not know such a scene, or its options do not go together.
    #[error("{why}")]
    Refused {
        /// Reason in the organisation's own words.
        why: String,
    },
    /// A source was left out when the kernels were compiled.
    #[error("the kernels of the path tracer are missing in this build")]
    NoKernels,
}
