//! Reasons why a device traces or renders, as values: callers that show them to people find the words.

use std::error::Error;
use std::sync::Arc;

/// An error that kept something from being used, as it was found.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// Amount of work that a plan is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Rays that the caller hands over.
    Rays(u64),
    /// Samples of a picture, counted as if no stopping rule ended them before.
    Samples(u64),
}

/// A GPU that was tried and cannot be used.
#[derive(Debug, Clone)]
pub struct Unusable {
    /// Number of the GPU in the driver's order.
    pub ordinal: usize,
    /// Error that keeps it from being used.
    pub cause: Cause,
}

/// Reason why a [`Plan`](super::Plan) takes the device that it takes.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Reason {
    /// The device was asked for.
    #[default]
    Asked,
    /// The work is enough to be worth a GPU's start.
    WorthAGpu {
        /// Amount of work that the plan is for.
        work: Amount,
        /// GPUs that come before in the driver's order and cannot be used.
        left_out: Vec<Unusable>,
    },
    /// The work is too little to be worth a GPU's start.
    TooLittle {
        /// Amount of work that the plan is for.
        work: Amount,
        /// Least amount that would be worth it, in the same unit.
        least: u64,
    },
    /// The CPU has so many threads that no GPU would be faster, however much there is to do.
    NoGpuGains {
        /// Amount of work that the plan is for.
        work: Amount,
        /// Number of the CPU's threads.
        threads: usize,
    },
    /// Raywarp was built without its feature `cuda`.
    BuiltWithoutCuda,
    /// There is no NVIDIA driver on this machine.
    NoDriver(Cause),
    /// There is a driver, and no GPU.
    NoGpu,
    /// The driver does not start.
    DriverFails(Cause),
    /// The CPU alone renders such pictures.
    CpuAlone(Cause),
    /// GPUs would only trace a picture's rays, which is no faster.
    RaysOnly,
    /// This machine's memory has no room for what GPUs need beside what the CPU does.
    NoMemory(Cause),
    /// No GPU can be given the scene.
    Unplaceable(Cause),
    /// No GPU that was tried can be used.
    NoneUsable(Vec<Unusable>),
    /// No kernel of a GPU holds the scene that loses no ray.
    NoKernelHolds(Cause),
    /// The scene has no triangle to trace.
    NoTriangles,
    /// The scene does not suit the kernels that take whole paths, so that GPUs trace its rays, and the CPU shades.
    NoWholePaths(Cause),
    /// The scene suits neither the kernels that take whole paths nor those that trace rays.
    NoPathsNorRays {
        /// Error that keeps GPUs from taking whole paths.
        paths: Cause,
        /// Error that keeps GPUs from tracing rays.
        rays: Cause,
    },
    /// The GPU failed while it traced, and the CPU went on.
    Failed(Cause),
}

impl Reason {
    /// Returns `true` if the CPU works although there is a GPU that would have been worth its start: the GPU or its
    /// driver cannot be used.
    pub fn is_loss(&self) -> bool {
        match self {
            Self::DriverFails(_) | Self::NoMemory(_) | Self::Unplaceable(_) | Self::NoneUsable(_) | Self::Failed(_) => {
                true
            }
            Self::Asked
            | Self::WorthAGpu { .. }
            | Self::TooLittle { .. }
            | Self::NoGpuGains { .. }
            | Self::BuiltWithoutCuda
            | Self::NoDriver(_)
            | Self::NoGpu
            | Self::CpuAlone(_)
            | Self::RaysOnly
            | Self::NoKernelHolds(_)
            | Self::NoTriangles
            | Self::NoWholePaths(_)
            | Self::NoPathsNorRays { .. } => false,
        }
    }

    /// Returns the error that keeps every kernel of a GPU from tracing the rays of a scene, if that is the reason.
    pub fn no_kernel(&self) -> Option<&Cause> {
        match self {
            Self::NoKernelHolds(cause) | Self::NoPathsNorRays { rays: cause, .. } => Some(cause),
            _ => None,
        }
    }
}
