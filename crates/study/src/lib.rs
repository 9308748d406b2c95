//! Studies of kernels and paths on simulated GPUs, beside what was measured.
//!
//! The sequence that all of it shares stands in [`launch`]: what a launch takes of a machine, what its warps do, what
//! that costs, and what bounds follow. [`simulate`] counts how full warps are, [`bounds`] bounds rates, [`measured`]
//! and [`counters`] put what was measured and counted beside them, [`explain`] says it line by line of a kernel's
//! source, and [`compaction`] counts the warps of a path tracer.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod compaction;
pub mod counters;
pub mod explain;
mod kernel_then;
pub mod launch;
pub mod measured;
pub mod simulate;
mod table_fault;

pub use kernel_then::KernelThen;
pub use table_fault::TableFault;
