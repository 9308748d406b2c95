//! Reasons why a device traces or renders, as values: callers that show them to people find the words.

use std::error::Error;
use std::sync::Arc;

/// Error that kept a device, kernel or driver from being used.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// Amount of work that a plan is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Number of rays that the caller hands over.
    Rays(u64),
    /// Number of samples of a picture, as if no stopping rule ended it earlier.
    Samples(u64),
}

/// GPU that was tried but cannot be used.
#[derive(Debug, Clone)]
pub struct Unusable {
    /// Number of the GPU in the driver's order.
    pub ordinal: usize,
    /// Error that keeps the GPU from being used.
    pub cause: Cause,
}

/// Reason why a [`Plan`](super::Plan) chose its device.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum PlanReason {
    /// The user asked for this device.
    #[default]
    Asked,
    /// A GPU was chosen, since the work is worth its start.
    WorthAGpu {
        /// Amount of work that the plan is for.
        work: Amount,
        /// GPUs earlier in the driver's order that cannot be used.
        left_out: Vec<Unusable>,
    },
    /// The CPU was chosen, since the work is not worth a GPU's start.
    TooLittle {
        /// Amount of work that the plan is for.
        work: Amount,
        /// Smallest amount that would be worth a GPU's start, in the unit of `work`.
        least: u64,
    },
    /// The CPU was chosen, since it has enough threads that no amount of work would be faster on a GPU.
    NoGpuGains {
        /// Amount of work that the plan is for.
        work: Amount,
        /// Number of CPU threads.
        threads: usize,
    },
    /// Raywarp was built without its feature `cuda`.
    BuiltWithoutCuda,
    /// There is no NVIDIA driver on this machine.
    NoDriver(Cause),
    /// The driver is there but shows no GPU.
    NoGpu,
    /// The NVIDIA driver does not start.
    DriverFails(Cause),
    /// Only the CPU can render such a picture.
    CpuAlone(Cause),
    /// GPUs would only trace the picture's rays, which is no faster than the CPU.
    RaysOnly,
    /// Host memory does not suffice for what GPUs need besides what the CPU needs.
    NoMemory(Cause),
    /// No GPU can take the scene.
    Unplaceable(Cause),
    /// None of the GPUs that were tried can be used.
    NoneUsable(Vec<Unusable>),
    /// No GPU kernel can hold the scene without losing hits.
    NoKernelHolds(Cause),
    /// The scene has no triangles to trace.
    NoTriangles,
    /// The path-tracing kernels cannot take the scene, so that GPUs trace its rays and the CPU shades.
    NoWholePaths(Cause),
    /// Neither the path-tracing kernels nor the ray-tracing kernels can take the scene.
    NoPathsNorRays {
        /// Error that keeps GPUs from tracing whole paths.
        paths: Cause,
        /// Error that keeps GPUs from tracing rays.
        rays: Cause,
    },
    /// The GPU failed while tracing, and the CPU went on.
    Failed(Cause),
}

impl PlanReason {
    /// Returns `true` if the CPU is used only because a GPU or its driver fails, although a GPU would have been worth
    /// its start.
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

    /// Returns the error because of which no GPU kernel can trace the scene's rays, if that is the reason.
    pub fn no_kernel(&self) -> Option<&Cause> {
        match self {
            Self::NoKernelHolds(cause) | Self::NoPathsNorRays { rays: cause, .. } => Some(cause),
            _ => None,
        }
    }
}
