//! The resources of a multiprocessor that kernels take, as the driver says.

use crate::PATH_KERNELS;
use raywarp_cuda::{CudaError, Device, Function};
use raywarp_render_cuda::{CudaRenderer, PathKernels, RenderCudaError};

/// Resources of a GPU's multiprocessor that a kernel takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelUse {
    /// Name of the kernel.
    pub name: String,
    /// Number of registers of each thread.
    pub registers: u32,
    /// Bytes of local memory of each thread: spilled registers, and arrays.
    pub local_bytes: u32,
    /// Number of threads of each of the kernel's blocks.
    pub block_threads: u32,
    /// Number of the kernel's blocks that fit on a multiprocessor at once.
    pub blocks: u32,
}

impl KernelUse {
    fn of(device: &Device, name: String, function: &Function) -> Result<Self, CudaError> {
        let (registers, local_bytes) = function.resources()?;
        let block_threads = function.block_threads();
        let blocks = function.blocks_per_multiprocessor(device, block_threads, 0)?;
        Ok(Self { name, registers, local_bytes, block_threads, blocks })
    }
}

/// Returns the resources that each of the product's and the experiments' kernels takes of a device's multiprocessors.
///
/// # Errors
/// [`RenderCudaError`].
pub fn kernel_resources(device: &Device) -> Result<Vec<KernelUse>, RenderCudaError> {
    let of = |(kernels, name): (&PathKernels, String)| -> Result<KernelUse, RenderCudaError> {
        let stage = name.strip_prefix("render_").unwrap_or(&name);
        let stage = stage.split("__").next().unwrap_or(stage);
        let function = kernels.function(device, stage, &name)?;
        Ok(KernelUse::of(device, name, &function)?)
    };
    let names =
        |kernels: &'static PathKernels| kernels.table.kernel_names().into_iter().map(move |name| (kernels, name));
    names(&raywarp_render_cuda::PATH_KERNELS).chain(names(&PATH_KERNELS)).map(of).collect()
}

/// Returns the resources of the renderer's kernel that holds light paths in its lanes; `None` where there is none, and
/// for tiles ([`PathExperiment::tile_occupancy`](crate::PathExperiment::tile_occupancy)).
///
/// # Errors
/// [`CudaError::Driver`].
pub fn kernel_use(renderer: &CudaRenderer) -> Result<Option<KernelUse>, CudaError> {
    let of = |(name, function): (String, &Function)| KernelUse::of(renderer.device(), name, function);
    renderer.lane_kernel().map(of).transpose()
}
