//! The traversal kernels of Raywarp on NVIDIA GPUs.
//!
//! Kernels are CUDA C++ in kernels/, with the stems and names of the crate `raywarp-traverse`, compiled ahead of time for
//! each architecture and embedded. The driver is loaded at run time: this crate builds and links without CUDA, and
//! without a driver [`Device::open`] says so.

pub mod auto;
mod bounds;
mod costs;
mod device;
mod encoding;
mod entries;
mod error;
mod launch;
mod names;
mod pair;
mod pipe;
mod prebuilt;
mod scene;
mod tally;
mod tracer;

pub use bounds::LaunchBounds;
pub use costs::{BlockCost, COST_COLUMNS, Issued, KernelCosts, Known, costs, read_costs, write_costs};
pub use device::{Device, DeviceBuffer, Stream};
pub use encoding::Encoding;
pub use error::CudaError;
pub use launch::{Launch, WARP_STACK_BYTES, stack_depth};
pub use names::{Query, compiled, kernel_name, options_text, source_name, source_text, sources};
pub use pair::{CudaPair, OnTree};
pub use pipe::Pipe;
/// The blocks of micro-operations that costs are told by.
pub use raywarp_family::{Block, Operation};
pub use scene::{DeviceScene, EncodedScene};
pub use tally::{Count, Tally, within};
pub use tracer::{CudaTracer, DeviceHits};
