//! The choice of a device, as somebody asks for it.

use std::fmt;

/// Device that the user asks for: the CPU, or GPUs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// This machine's CPU, even if there are GPUs.
    Cpu,
    /// The first GPU in the driver's order.
    FirstCuda,
    /// GPUs by their numbers in the driver's order, counted from 0; each once.
    Cuda(Vec<usize>),
    /// All GPUs that the driver shows.
    AllCuda,
    /// The first usable GPU if the work is worth its start, else the CPU.
    #[default]
    Auto,
}

impl DeviceChoice {
    /// Returns `true` if the choice insists on GPUs, so that doing without them is an error.
    pub fn names_gpus(&self) -> bool {
        matches!(self, Self::FirstCuda | Self::Cuda(_) | Self::AllCuda)
    }

    /// Returns the driver's number of the first GPU that the choice means; 0 if it names none.
    pub fn first_ordinal(&self) -> usize {
        match self {
            Self::Cuda(ordinals) => ordinals.first().copied().unwrap_or(0),
            Self::Cpu | Self::FirstCuda | Self::AllCuda | Self::Auto => 0,
        }
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
