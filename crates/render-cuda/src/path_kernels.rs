//! Kernels of the path tracer, by the stages that they do.

use crate::RenderCudaError;
use crate::sources::{FeatureSet, KernelTable, plain_name};
use raywarp_cuda::{CudaError, Device, Function, KernelSet, LaunchBounds};

/// The path tracer's kernels that a crate embeds: which there are, and their code.
#[derive(Debug, Clone, Copy)]
pub struct PathKernels {
    /// Table of the kernels that there are.
    pub table: KernelTable,
    /// Compiled code of the kernels.
    pub set: &'static KernelSet,
}

impl PathKernels {
    /// Loads the kernel `name` of a stage.
    ///
    /// # Errors
    /// [`RenderCudaError::NoKernels`] where it is not compiled; [`RenderCudaError::Cuda`].
    pub fn function(&self, device: &Device, stage: &str, name: &str) -> Result<Function, RenderCudaError> {
        self.bounded(device, stage, name, &LaunchBounds::AS_COMPILED)
    }

    /// Loads a kernel under other bounds than it was compiled with.
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

    /// Loads the kernel of a stage for a set of features.
    ///
    /// # Errors
    /// As [`function`](Self::function).
    pub fn of_features(&self, device: &Device, stage: &str, set: FeatureSet) -> Result<Function, RenderCudaError> {
        self.function(device, stage, &self.table.kernel_name(stage, set))
    }

    /// Loads the kernel of a stage that no feature changes.
    ///
    /// # Errors
    /// As [`function`](Self::function).
    pub fn plain(&self, device: &Device, stage: &str) -> Result<Function, RenderCudaError> {
        self.function(device, stage, &plain_name(stage))
    }
}

/// A kernel whose warps take work until none is left: as many blocks as are resident do.
#[derive(Debug)]
pub struct ResidentKernel {
    /// Kernel that is launched.
    pub function: Function,
    /// Blocks that a device holds at once.
    resident: u32,
}

impl ResidentKernel {
    /// Asks the device how many blocks it holds.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn new(device: &Device, function: Function) -> Result<Self, CudaError> {
        let resident = function.resident_blocks(device, function.block_threads())?.max(1);
        Ok(Self { function, resident })
    }

    /// Returns the number of blocks that are resident, at most one lane for each of so many entries; at least one.
    pub fn blocks(&self, entries: u32) -> u32 {
        entries.div_ceil(self.function.block_threads()).max(1).min(self.resident)
    }
}
