//! What is to trace or render: this CPU, or GPUs.

use raywarp_cuda::{CudaError, Device, side_by_side};
use std::fmt;

/// What is to trace or render.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// This CPU.
    Cpu,
    /// The first GPU in the driver's order.
    FirstCuda,
    /// GPUs by their numbers in the driver's order, counted from 0; each once.
    Cuda(Vec<usize>),
    /// All GPUs that the driver shows.
    AllCuda,
    /// A GPU that is there and worth its start, else this CPU.
    #[default]
    Auto,
}

impl DeviceChoice {
    /// Whether it asks for GPUs, and is not to do without.
    pub fn names_gpus(&self) -> bool {
        matches!(self, Self::FirstCuda | Self::Cuda(_) | Self::AllCuda)
    }

    /// Opens the GPUs that are named, side by side; none where none is, `auto` being none here.
    ///
    /// # Errors
    /// The first one's that is not there or fails; of all, where there is none, that the first is missing.
    pub fn open(&self) -> Result<Vec<Device>, CudaError> {
        let ordinals = match self {
            Self::Cpu | Self::Auto => Vec::new(),
            Self::FirstCuda => vec![0],
            Self::Cuda(ordinals) => ordinals.clone(),
            // Of none the first is missing.
            Self::AllCuda => (0..Device::count()?.max(1)).collect(),
        };
        side_by_side(ordinals, Device::open).into_iter().collect()
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::FirstCuda => f.write_str("cuda"),
            Self::Cuda(ordinals) => {
                let numbers: Vec<String> = ordinals.iter().map(ToString::to_string).collect();
                write!(f, "cuda:{}", numbers.join(","))
            }
            Self::AllCuda => f.write_str("cuda:all"),
            Self::Auto => f.write_str("auto"),
        }
    }
}
