//! A kernel that is loaded, whatever it does.

use crate::error::driver;
use crate::{CudaError, Device, Stream};
use cudarc::driver::{CudaFunction, DeviceRepr, LaunchConfig, PushKernelArg, sys};

/// What a kernel takes: one parameter, passed by value.
///
/// # Safety
/// Plain words, at the places where the kernel looks for them.
pub unsafe trait Parameters: Copy {}

/// A kernel on a device.
#[derive(Debug, Clone)]
pub struct Function {
    inner: CudaFunction,
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Argument<P>(P);

// SAFETY: the same words as those of `P`, which keeps the promise.
unsafe impl<P: Parameters> DeviceRepr for Argument<P> {}

impl Function {
    pub(crate) fn new(inner: CudaFunction) -> Self {
        Self { inner }
    }

    /// Blocks of `block_threads` that fill `device`: at least one a multiprocessor.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resident_blocks(&self, device: &Device, block_threads: u32) -> Result<u32, CudaError> {
        // The driver asks for the thread's own context; callers come from any thread.
        device.context().bind_to_thread().map_err(driver("choosing the device"))?;
        let blocks = self
            .inner
            .occupancy_max_active_blocks_per_multiprocessor(block_threads, 0, None)
            .map_err(driver("asking for a kernel's occupancy"))?;
        Ok(blocks.max(1) * device.multiprocessors()?)
    }

    /// Registers of a thread, and bytes of its local memory.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resources(&self) -> Result<(u32, u32), CudaError> {
        let attribute =
            |which| self.inner.get_attribute(which).map(|n| n as u32).map_err(driver("reading a kernel's attribute"));
        Ok((
            attribute(sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            attribute(sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        ))
    }

    /// Launches `blocks` of `block_threads` on `stream`, and does not wait.
    ///
    /// # Safety
    /// The kernel takes `parameters` alone, and their addresses are those of live buffers that hold what it expects.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub unsafe fn launch<P: Parameters>(
        &self,
        stream: &Stream,
        blocks: u32,
        block_threads: u32,
        parameters: &P,
    ) -> Result<(), CudaError> {
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (block_threads, 1, 1), shared_mem_bytes: 0 };
        let argument = Argument(*parameters);
        let mut builder = stream.inner.launch_builder(&self.inner);
        builder.arg(&argument);
        // SAFETY: the caller keeps the promise.
        unsafe { builder.launch(config) }.map(|_| ()).map_err(driver("launching a kernel"))
    }
}
