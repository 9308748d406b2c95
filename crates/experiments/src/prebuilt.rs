//! The kernels, compiled: the set that this crate embeds.

use crate::sources::KERNEL_TABLE;
use raywarp_cuda::{Image, KernelSet};
use raywarp_render_cuda::PathKernels;

include!("../prebuilt/table.rs");

/// The kernels of the experiments.
pub static KERNELS: KernelSet =
    KernelSet { images: PREBUILT, costs: COSTS, resources: include_str!("../prebuilt/resources.csv") };

/// Kernels of the experiments, by stage.
pub static PATH_KERNELS: PathKernels = PathKernels { table: KERNEL_TABLE, set: &KERNELS };
