//! The kernels of the family, compiled: the set that this crate embeds.

use crate::kernel_set::{KernelImage, KernelSet};

include!("../prebuilt/table.rs");

/// Compiled kernels of the traversal family; [`crate::source_name`] and [`crate::kernel_name`] say how a variant's are
/// called.
pub static FAMILY: KernelSet =
    KernelSet { images: PREBUILT, costs: COSTS, lines: LINES, resources: include_str!("../prebuilt/resources.csv") };
