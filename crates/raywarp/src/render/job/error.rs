//! Errors of render jobs.

use crate::PrepareError;
use crate::device::DeviceChoice;
use crate::render::PictureError;
#[cfg(feature = "cuda")]
use raywarp_cuda::CudaError;
use raywarp_render::RenderError;
use raywarp_render::output::{OutputError, ShareError};
use raywarp_scene::LoadError;
use std::ops::Range;
use std::path::PathBuf;

/// An error that ends a render job: its stage, and the scene or the file that it is about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A GPU that was named is not there, or fails.
    #[cfg(feature = "cuda")]
    #[error("opening {choice}: {error}")]
    Device {
        /// Device that was asked for.
        choice: DeviceChoice,
        /// Error of the first GPU that cannot be used.
        error: CudaError,
    },
    /// GPUs are named, and Raywarp was built without its feature `cuda`.
    #[error("opening {choice}: raywarp was built without its feature cuda")]
    BuiltWithoutCuda {
        /// Device that was asked for.
        choice: DeviceChoice,
    },
    /// Several GPUs are to trace rays for the CPU, which one does.
    #[error("opening {choice}: several GPUs only take whole paths; name one")]
    SeveralGpus {
        /// Device that was asked for.
        choice: DeviceChoice,
    },
    /// The caller's choice of kernels that trace rays failed.
    #[error("choosing kernels: {0}")]
    Kernels(Box<dyn std::error::Error + Send + Sync>),
    /// The scene cannot be loaded; the error names the file.
    #[error("loading {error}")]
    Load {
        /// Error, with the warnings before it.
        #[from]
        error: LoadError,
    },
    /// The scene cannot be made ready for rays, or be put on a GPU.
    #[error("preparing {scene}: {error}")]
    Prepare {
        /// Name of the scene.
        scene: String,
        /// Error of that stage.
        error: PrepareError,
    },
    /// There is no camera as asked for, or the light cannot be tried.
    #[error("settling the picture of {scene}: {error}")]
    Settle {
        /// Name of the scene.
        scene: String,
        /// Error of that stage.
        error: PictureError,
    },
    /// The file to go on with cannot be read, or holds no sums; the error names it.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// The file to go on with does not hold the same samples of each pixel, from 0 on.
    #[error("{}: holds samples {}..{} of each pixel; a render goes on with those from 0", path.display(), samples.start, samples.end)]
    EarlierSamples {
        /// File with the samples.
        path: PathBuf,
        /// Samples that it holds.
        samples: Range<u32>,
    },
    /// The file to go on with is of another picture.
    #[error("{}: is of another picture ({differences})", path.display())]
    OtherPicture {
        /// File with the samples.
        path: PathBuf,
        /// Settings and parts of the scene that differ.
        differences: String,
    },
    /// The render failed.
    #[error("rendering {scene}: {error}")]
    Render {
        /// Name of the scene.
        scene: String,
        /// Error of that stage.
        error: RenderError,
    },
    /// A picture cannot be written; the error names its file.
    #[error(transparent)]
    Write(#[from] OutputError),
    /// A share was to be written of a render that was stopped before all pixels had the same samples.
    #[error("{}: the render was stopped before the share was whole", path.display())]
    PartOfShare {
        /// File that was to be written.
        path: PathBuf,
    },
}
