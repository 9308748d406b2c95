//! The kernels, compiled: the set that this crate embeds.

use raywarp_cuda::{Image, KernelSet};

include!("../prebuilt/table.rs");

/// The kernels of the path tracer.
pub static KERNELS: KernelSet =
    KernelSet { images: PREBUILT, costs: COSTS, resources: include_str!("../prebuilt/resources.csv") };
