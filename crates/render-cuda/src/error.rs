//! What can go wrong when a picture is to be rendered on a GPU.

use raywarp_cuda::CudaError;

/// See the variants.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderCudaError {
    /// The GPU, its driver or its memory.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A source was left out when the kernels were compiled.
    #[error("the kernels of the path tracer are missing in this build")]
    NoKernels,
}
