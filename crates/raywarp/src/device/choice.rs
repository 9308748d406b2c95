//! The choice of a device, as somebody asks for it.

use std::fmt;

/// A device that is asked for: this CPU, or GPUs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// This CPU, whatever GPUs there are.
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
    /// Returns `true` if the choice asks for GPUs, and is not to do without them.
    pub fn names_gpus(&self) -> bool {
        matches!(self, Self::FirstCuda | Self::Cuda(_) | Self::AllCuda)
    }

    /// Returns the number of the first GPU that the choice means: 0 where it names none.
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
