//! Errors of render jobs.

use crate::PrepareError;
use crate::device::DeviceChoice;
use crate::render::PictureError;
#[cfg(feature = "cuda")]
use raywarp_cuda::CudaError;
use raywarp_render::RenderError;
use raywarp_render::output::{OutputError, SettingDifference, ShareError};
use raywarp_scene::LoadError;
use std::ops::Range;
use std::path::PathBuf;

/// Error of a render job, with the stage at which it ended, and the scene or file concerned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A GPU that the device choice names is not there, or fails.
    #[cfg(feature = "cuda")]
    #[error("opening {choice}: {error}")]
    Device {
        /// Device choice that was asked for.
        choice: DeviceChoice,
        /// Error of the first GPU that cannot be used.
        error: CudaError,
    },
    /// GPUs are named, but this build of Raywarp lacks the feature `cuda`.
    #[error("opening {choice}: raywarp was built without its feature cuda")]
    BuiltWithoutCuda {
        /// Device choice that was asked for.
        choice: DeviceChoice,
    },
    /// Several GPUs are named for tracing the rays of a CPU render, which only one can do.
    #[error("opening {choice}: several GPUs only take whole paths; name one")]
    SeveralGpus {
        /// Device choice that was asked for.
        choice: DeviceChoice,
    },
    /// The caller's function that chooses ray-tracing kernels failed.
    #[error("choosing kernels: {0}")]
    Kernels(Box<dyn std::error::Error + Send + Sync>),
    /// The scene cannot be loaded; the error names the file.
    #[error("loading {error}")]
    Load {
        /// Error of loading the scene, with the warnings before it.
        #[from]
        error: LoadError,
    },
    /// The scene cannot be prepared for tracing, or put on a GPU.
    #[error("preparing {scene}: {error}")]
    Prepare {
        /// Name of the scene in messages.
        scene: String,
        /// Error of preparing the scene.
        error: PrepareError,
    },
    /// The camera that was asked for does not exist, or the scene's light cannot be tried.
    #[error("settling the picture of {scene}: {error}")]
    Settle {
        /// Name of the scene in messages.
        scene: String,
        /// Error of deciding the picture's settings.
        error: PictureError,
    },
    /// The file of the earlier render to continue cannot be read, or holds no sums; the error names it.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// The file of the earlier render to continue does not hold the same samples of each pixel, from 0 on.
    #[error("{}: holds samples {}..{} of each pixel; a render goes on with those from 0", path.display(), samples.start, samples.end)]
    EarlierSamples {
        /// File of the earlier render.
        path: PathBuf,
        /// Sample ranges that the file holds.
        samples: Range<u32>,
    },
    /// The file of the earlier render to continue is of another picture.
    #[error("{}: is of another picture ({})", path.display(), listed(.differences))]
    OtherPicture {
        /// File of the earlier render.
        path: PathBuf,
        /// Settings and parts of the scene that differ, at least one.
        differences: Vec<SettingDifference>,
    },
    /// Rendering a scene failed.
    #[error("rendering {scene}: {error}")]
    Render {
        /// Name of the scene in messages.
        scene: String,
        /// Error of rendering.
        error: RenderError,
    },
    /// A picture cannot be written; the error names its file.
    #[error(transparent)]
    Write(#[from] OutputError),
    /// The render stopped before all pixels had the same number of samples, so that no share of it (a file to merge
    /// with others) is written.
    #[error("{}: the render was stopped before the share was whole", path.display())]
    PartOfShare {
        /// File to which the share was to be written.
        path: PathBuf,
    },
}

/// Lists differences in one line.
fn listed(differences: &[SettingDifference]) -> String {
    differences.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
