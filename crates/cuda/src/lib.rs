//! The traversal kernels of Raywarp on NVIDIA GPUs.
//!
//! Kernels are CUDA C++ in kernels/, with the stems and names of the crate `raywarp-traverse`, compiled ahead of time
//! for each architecture and embedded. The driver is loaded at run time: this crate builds and links without CUDA, and
//! without a driver [`Device::open`] says so.
//!
//! Kernels of others trace from inside by [`header`], with what [`DeviceScene::for_kernels`] puts into a device's
//! memory. Another crate may bring kernels that are compiled ahead of time too: a [`KernelSet`] as [`FAMILY`] is one,
//! whose [`Function`]s take [`Parameters`] of theirs.

mod aimed;
pub mod auto;
mod bounds;
mod buffer;
mod code_hash;
mod current;
mod device;
pub mod elf;
mod encoding;
mod entries;
mod error;
mod function;
mod graph;
mod headers;
mod kernel_set;
mod launch;
mod names;
mod pair;
mod peak;
mod pinned;
mod prebuilt;
mod resources;
mod scene;
mod several;
mod side_by_side;
mod stream;
mod texture;
mod tracer;

pub use aimed::{AimedRays, AimedTarget, LostRay, LostRays};
pub use bounds::LaunchBounds;
pub use buffer::{DeviceBuffer, DeviceSlice, DeviceSliceMut};
pub use code_hash::{CodeHash, NoCodeHash, code_hash};
pub use device::Device;
pub use encoding::Encoding;
pub use error::{BoundsFault, CudaError, DriverCall};
pub use function::{Function, Parameters};
pub use graph::Graph;
pub use headers::{HEADER_OPTIONS, header, with_header};
pub use kernel_set::{KernelImage, KernelSet};
pub use launch::{Launch, WARP_STACK_BYTES, stack_depth};
pub use names::{
    AIMED_KERNEL, AIMED_SOURCE, ASKED_VARIANT, BLOCK_THREADS, compiled, fallback_variant, kernel_for_few, kernel_name,
    options_text, other_sources, source_name, source_text, sources, sure_up_to,
};
pub use pair::{CudaPair, EncodedPair, OnTree};
pub use peak::PeakRates;
pub use pinned::PinnedBuffer;
pub use prebuilt::FAMILY;
/// Kind of hit that rays ask a kernel for: closest or any.
pub use raywarp_family::Query;
/// Blocks of code of micro-operations, by which costs of kernels are told.
pub use raywarp_family::{Block, Operation};
pub use resources::{KernelResources, cost_architectures, cost_table, kernel_resources, line_table, machine_code};
pub use scene::{DeviceScene, EncodedScene, TreeRecord};
pub use several::SharedTracer;
pub use side_by_side::side_by_side;
pub use stream::{Event, Mark, Stream};
pub use texture::{DeviceTexture, TexelFormat, TextureAddress, TextureSampler};
pub use tracer::{CudaTracer, DeviceHits, DeviceHitsMut, LaunchWork};
