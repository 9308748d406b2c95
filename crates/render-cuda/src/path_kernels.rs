//! Kernels of the path tracer, by the stages that they do.

use crate::RenderCudaError;
use crate::sources::{FeatureSet, KernelTable, plain_name};
use raywarp_cuda::{CudaError, Device, Function, KernelSet, LaunchBounds};

/// Path-tracing kernels embedded in a crate: a table of what there is, and the compiled code.
#[derive(Debug, Clone, Copy)]
pub struct PathKernels {
    /// Table of the available kernels.
    pub table: KernelTable,
    /// Compiled code of the kernels.
    pub set: &'static KernelSet,
}

impl PathKernels {
    /// Loads the kernel called `name` of a stage.
    ///
    /// # Errors
    /// [`RenderCudaError::NoKernels`] where it is not compiled; [`RenderCudaError::Cuda`].
    pub fn function(&self, device: &Device, stage: &str, name: &str) -> Result<Function, RenderCudaError> {
        self.bounded(device, stage, name, &LaunchBounds::AS_COMPILED)
    }

    /// Loads a kernel with launch bounds other than those it was compiled with.
    ///
    /// # Errors
    /// As [`function`](Self::function).
    pub fn bounded(
        &self,
        device: &Device,
        stage: &str,
        name: &str,
        bounds: &LaunchBounds,
    ) -> Result<Function, RenderCudaError> {
        let source = self.table.source_of(stage).ok_or(RenderCudaError::NoKernels)?;
        self.set.bounded_function(device, source, name, bounds)?.ok_or(RenderCudaError::NoKernels)
    }

    /// Loads a stage's kernel for a set of scene features.
    ///
    /// # Errors
    /// As [`function`](Self::function).
    pub fn of_features(&self, device: &Device, stage: &str, set: FeatureSet) -> Result<Function, RenderCudaError> {
        self.function(device, stage, &self.table.kernel_name(stage, set))
    }

    /// Loads the kernel of a stage that is the same for all scene features.
    ///
    /// # Errors
    /// As [`function`](Self::function).
    pub fn plain(&self, device: &Device, stage: &str) -> Result<Function, RenderCudaError> {
        self.function(device, stage, &plain_name(stage))
    }
}

/// Kernel whose warps take work until none is left, launched with as many thread blocks as the device holds at once.
#[derive(Debug)]
pub struct ResidentKernel {
    /// Kernel function to launch.
    pub function: Function,
    /// Number of thread blocks that the device holds at once.
    resident: u32,
}

impl ResidentKernel {
    /// Makes a resident kernel after asking the device how many of its thread blocks are resident.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn new(device: &Device, function: Function) -> Result<Self, CudaError> {
        let resident = function.resident_blocks(device, function.block_threads())?.max(1);
        Ok(Self { function, resident })
    }

    /// Returns the number of thread blocks to launch: those resident, but no more than one lane per entry needs, and at
    /// least one.
    pub fn blocks(&self, entries: u32) -> u32 {
        entries.div_ceil(self.function.block_threads()).max(1).min(self.resident)
    }
}
