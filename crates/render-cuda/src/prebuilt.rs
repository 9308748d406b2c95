//! The kernels, compiled: the set that this crate embeds.

use crate::path_kernels::PathKernels;
use crate::sources::KERNEL_TABLE;
use raywarp_cuda::{KernelImage, KernelSet};

include!("../prebuilt/table.rs");

/// Compiled kernels of the product's organisations, and the one that adds results to the film.
pub static KERNELS: KernelSet =
    KernelSet { images: PREBUILT, costs: COSTS, lines: LINES, resources: include_str!("../prebuilt/resources.csv") };

/// The product's path-tracing kernels: table and compiled code.
pub static PATH_KERNELS: PathKernels = PathKernels { table: KERNEL_TABLE, set: &KERNELS };
