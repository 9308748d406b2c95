//! Why something traces or renders, as values: the words for people are made by who shows them.

use std::error::Error;
use std::sync::Arc;

/// An error that kept something from being used, as it was found.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// How much there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Rays of the host.
    Rays(u64),
    /// Samples of a picture, counted as if no stopping rule ended them before.
    Samples(u64),
}

/// A GPU that was tried and cannot be used.
#[derive(Debug, Clone)]
pub struct Unusable {
    /// Its number in the driver's order.
    pub ordinal: usize,
    /// Why not.
    pub cause: Cause,
}

/// Why a [`Plan`](super::Plan) takes the device that it takes.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Reason {
    /// The device was asked for.
    #[default]
    Asked,
    /// What there is to do is worth a GPU's start.
    WorthAGpu {
        /// What there is to do.
        work: Amount,
        /// GPUs that come before in the driver's order and cannot be used.
        left_out: Vec<Unusable>,
    },
    /// What there is to do is not worth a GPU's start.
    TooLittle {
        /// What there is to do.
        work: Amount,
        /// From how much on it would be.
        least: u64,
    },
    /// The CPU has so many threads that no GPU would be faster, whatever there is to do.
    NoGpuGains {
        /// What there is to do.
        work: Amount,
        /// Of the CPU.
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
    /// None of the GPUs can be used.
    NoneUsable(Vec<Unusable>),
    /// No kernel of a GPU holds the scene that loses no ray.
    NoKernelHolds(Cause),
    /// The scene has no triangle to trace.
    NoTriangles,
    /// The scene does not suit the kernels that take whole paths, so that GPUs trace its rays, and the CPU shades.
    NoWholePaths(Cause),
    /// The scene suits neither the kernels that take whole paths nor those that trace rays.
    NoPathsNorRays {
        /// Why whole paths are not taken.
        paths: Cause,
        /// Why rays are not traced.
        rays: Cause,
    },
    /// The GPU failed while it traced, and the CPU went on.
    Failed(Cause),
}

impl Reason {
    /// Says whether the CPU works although there is a GPU that would have been worth its start: it or its driver
    /// cannot be used.
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

    /// Why no kernel of a GPU traces the rays of a scene, where that is so.
    pub fn no_kernel(&self) -> Option<&Cause> {
        match self {
            Self::NoKernelHolds(cause) | Self::NoPathsNorRays { rays: cause, .. } => Some(cause),
            _ => None,
        }
    }
}
