//! The kernels, compiled: the set that this crate embeds.

use crate::sources::KERNEL_TABLE;
use raywarp_cuda::{KernelImage, KernelSet};
use raywarp_render_cuda::PathKernels;

include!("../prebuilt/table.rs");

/// The compiled kernels of the experiments, with their costs and resources.
pub static KERNELS: KernelSet =
    KernelSet { images: PREBUILT, costs: COSTS, lines: LINES, resources: include_str!("../prebuilt/resources.csv") };

/// The experiments' path tracing kernels, which are looked up by stage.
pub static PATH_KERNELS: PathKernels = PathKernels { table: KERNEL_TABLE, set: &KERNELS };
