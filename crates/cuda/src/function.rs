//! A kernel that is loaded, whatever it does.

use crate::current::{Current, Quiet};
use crate::error::driver;
use crate::{CudaError, Device, Stream};
use cudarc::driver::{CudaContext, CudaFunction, DeviceRepr, LaunchConfig, PushKernelArg, sys};
use std::sync::Arc;

/// What a kernel takes: one parameter, passed by value.
///
/// # Safety
/// Plain words, at the places where the kernel looks for them.
pub unsafe trait Parameters: Copy {}

/// A kernel on a device.
#[derive(Debug, Clone)]
pub struct Function {
    inner: Quiet<CudaFunction>,
    context: Quiet<Arc<CudaContext>>,
    block_threads: u32,
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Argument<P>(P);

// SAFETY: the same words as those of `P`, which keeps the promise.
unsafe impl<P: Parameters> DeviceRepr for Argument<P> {}

impl Function {
    pub(crate) fn new(device: &Device, inner: CudaFunction, block_threads: u32) -> Self {
        Self { inner: Quiet::new(inner), context: Quiet::new(device.context().clone()), block_threads }
    }

    /// Threads of the blocks that it is compiled for: 128, or those of its [`LaunchBounds`](crate::LaunchBounds). Launches
    /// of more fail.
    pub fn block_threads(&self) -> u32 {
        self.block_threads
    }

    /// Blocks of `block_threads` that fill `device`: at least one a multiprocessor.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resident_blocks(&self, device: &Device, block_threads: u32) -> Result<u32, CudaError> {
        // The driver asks for the thread's own context; callers come from any thread.
        let _current = device.choose()?;
        let blocks = self
            .inner
            .occupancy_max_active_blocks_per_multiprocessor(block_threads, 0, None)
            .map_err(driver("asking for a kernel's occupancy"))?;
        Ok(blocks.max(1) * device.multiprocessors()?)
    }

    /// Blocks of `block_threads` that share so many bytes and are on a multiprocessor at once: none where one is too large.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn blocks_a_multiprocessor(
        &self,
        device: &Device,
        block_threads: u32,
        shared_bytes: u32,
    ) -> Result<u32, CudaError> {
        let _current = device.choose()?;
        self.allow_sharing(shared_bytes)?;
        self.inner
            .occupancy_max_active_blocks_per_multiprocessor(block_threads, shared_bytes as usize, None)
            .map_err(driver("asking for a kernel's occupancy"))
    }

    /// Lets launches ask for so many shared bytes a block.
    ///
    /// # Errors
    /// [`CudaError::Driver`]: the device has not as many.
    pub fn allow_sharing(&self, shared_bytes: u32) -> Result<(), CudaError> {
        let attribute = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let _current = Current::choose(&self.context)?;
        let set = self.inner.set_attribute(attribute, shared_bytes as i32);
        set.map_err(driver("asking for shared memory"))
    }

    /// Registers of a thread, and bytes of its local memory.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resources(&self) -> Result<(u32, u32), CudaError> {
        let _current = Current::choose(&self.context)?;
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
        // SAFETY: the caller keeps the promise.
        unsafe { self.launch_sharing(stream, blocks, block_threads, 0, parameters) }
    }

    /// The same, with so many bytes that each block shares beside the arrays that the kernel declares; beyond 48 KiB only
    /// what [`allow_sharing`](Self::allow_sharing) has allowed.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    ///
    /// # Safety
    /// As [`launch`](Self::launch); the kernel uses no more of the shared bytes.
    pub unsafe fn launch_sharing<P: Parameters>(
        &self,
        stream: &Stream,
        blocks: u32,
        block_threads: u32,
        shared_bytes: u32,
        parameters: &P,
    ) -> Result<(), CudaError> {
        let config =
            LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (block_threads, 1, 1), shared_mem_bytes: shared_bytes };
        let argument = Argument(*parameters);
        let _current = stream.choose()?;
        let mut builder = stream.inner().launch_builder(&self.inner);
        builder.arg(&argument);
        // SAFETY: the caller keeps the promise.
        unsafe { builder.launch(config) }.map(|_| ()).map_err(driver("launching a kernel"))
    }
}
