//! What can go wrong when a picture is to be rendered on a GPU.

use raywarp_cuda::CudaError;

/// See the variants.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderCudaError {
    /// The GPU, its driver or its memory.
    #[error(transparent)]
    Cuda(#[from] CudaError),
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
    /// A source was left out when the kernels were compiled.
    #[error("the kernels of the path tracer are missing in this build")]
    NoKernels,
}
