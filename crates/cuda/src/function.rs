//! Kernels that are loaded, whatever they do.

use crate::current::{Current, Quiet};
use crate::error::{DriverCall, driver};
use crate::{CudaError, Device, Stream};
use cudarc::driver::{CudaContext, CudaFunction, DeviceRepr, LaunchConfig, PushKernelArg, sys};
use std::sync::Arc;

/// Type whose bytes can be passed to a kernel as its one parameter.
///
/// # Safety
/// Plain words, at the places where the kernel looks for them.
pub unsafe trait Parameters: Copy {}

/// Capture status of a stream that runs its launches instead of recording them.
const NOT_RECORDED: sys::CUstreamCaptureStatus = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;

/// Largest handle of a default stream: `CU_STREAM_PER_THREAD`, after null and `CU_STREAM_LEGACY`.
const LAST_DEFAULT_STREAM: usize = 2;

/// First compute capability on which a kernel can start early and wait by itself for the launch before it.
const FIRST_TO_TAKE_PLACES: u32 = 90;

/// A kernel that is loaded on a device.
#[derive(Debug, Clone)]
pub struct Function {
    inner: Quiet<CudaFunction>,
    context: Quiet<Arc<CudaContext>>,
    block_threads: u32,
    /// Compute capability that its image was compiled for (90 for 9.0), 0 for PTX.
    capability: u32,
    /// `true` if the kernel was compiled for a GPU whose launches may start before the one before them is over (Hopper
    /// and later ones).
    takes_its_place: bool,
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Argument<P>(P);

// SAFETY: the same words as those of `P`, which keeps the promise.
unsafe impl<P: Parameters> DeviceRepr for Argument<P> {}

impl Function {
    /// Makes a kernel that was loaded from an image for compute capability `capability` (90 for 9.0), or from PTX (0).
    pub(crate) fn new(device: &Device, inner: CudaFunction, block_threads: u32, capability: u32) -> Self {
        let (inner, context) = (Quiet::new(inner), Quiet::new(device.context().clone()));
        Self { inner, context, block_threads, capability, takes_its_place: capability >= FIRST_TO_TAKE_PLACES }
    }

    /// Returns the number of threads per block that the kernel is compiled for: 128, or that of its
    /// [`LaunchBounds`](crate::LaunchBounds). Launches of more fail.
    pub fn block_threads(&self) -> u32 {
        self.block_threads
    }

    /// Returns the compute capability that the kernel's machine code was compiled for ahead of time (90 for 9.0);
    /// `None` if the driver compiled it.
    pub fn architecture(&self) -> Option<u32> {
        (self.capability > 0).then_some(self.capability)
    }

    /// Returns the number of blocks of `block_threads` threads that fill `device`: at least one a multiprocessor.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resident_blocks(&self, device: &Device, block_threads: u32) -> Result<u32, CudaError> {
        // The driver asks for the thread's own context; callers come from any thread.
        let _current = device.choose()?;
        let blocks = self
            .inner
            .occupancy_max_active_blocks_per_multiprocessor(block_threads, 0, None)
            .map_err(driver(DriverCall::Occupancy))?;
        Ok(blocks.max(1) * device.multiprocessors()?)
    }

    /// Returns the number of blocks of `block_threads` threads and that many shared bytes that fit on a multiprocessor
    /// at once; 0 where one is too large.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn blocks_per_multiprocessor(
        &self,
        device: &Device,
        block_threads: u32,
        shared_bytes: u32,
    ) -> Result<u32, CudaError> {
        let _current = device.choose()?;
        self.allow_sharing(shared_bytes)?;
        self.inner
            .occupancy_max_active_blocks_per_multiprocessor(block_threads, shared_bytes as usize, None)
            .map_err(driver(DriverCall::Occupancy))
    }

    /// Allows launches of the kernel with up to `shared_bytes` of shared memory a block.
    ///
    /// # Errors
    /// [`CudaError::Driver`]: the device has not as many.
    pub fn allow_sharing(&self, shared_bytes: u32) -> Result<(), CudaError> {
        let attribute = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let _current = Current::choose(&self.context)?;
        let set = self.inner.set_attribute(attribute, shared_bytes as i32);
        set.map_err(driver(DriverCall::SharedMemory))
    }

    /// Returns the number of registers, and of bytes of local memory, of each thread.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn resources(&self) -> Result<(u32, u32), CudaError> {
        let _current = Current::choose(&self.context)?;
        let attribute =
            |which| self.inner.get_attribute(which).map(|n| n as u32).map_err(driver(DriverCall::KernelAttribute));
        Ok((
            attribute(sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            attribute(sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        ))
    }

    /// Launches `blocks` blocks of `block_threads` threads on `stream`, and does not wait for them.
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

    /// Launches as [`launch`](Self::launch) does, but may start before the launch whose results it waits for is over.
    /// Its blocks may be there already when that ends, if both are compiled for it: that one lets it come, and this one
    /// waits by itself (`let_next_launch_start` and `wait_for_launch_before` in kernels/platform/cuda.h). Otherwise the
    /// stream keeps them apart as always.
    ///
    /// # Safety
    /// As [`launch`](Self::launch); and the kernel begins with `wait_for_launch_before`.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub(crate) unsafe fn launch_behind<P: Parameters>(
        &self,
        stream: &Stream,
        blocks: u32,
        block_threads: u32,
        parameters: &P,
    ) -> Result<(), CudaError> {
        let _current = stream.choose()?;
        // A graph keeps launches apart: drivers before CUDA 12.3 cannot record anything else. So do the default
        // streams, which wait for others besides; their handles are small numbers. What the driver does not tell is
        // taken for recorded.
        let comes_early = self.takes_its_place
            && stream.inner().cu_stream().addr() > LAST_DEFAULT_STREAM
            && stream.inner().capture_status() == Ok(NOT_RECORDED);
        if !comes_early {
            // SAFETY: the caller keeps the promise.
            return unsafe { self.launch(stream, blocks, block_threads, parameters) };
        }
        let mut attribute = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let config = sys::CUlaunchConfig {
            gridDimX: blocks,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: block_threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: stream.inner().cu_stream(),
            attrs: &raw mut attribute,
            numAttrs: 1,
        };
        let mut arguments = [std::ptr::from_ref(parameters).cast_mut().cast()];
        // SAFETY: the function and the stream are live; the driver copies all that is pointed at here. Of the rest the
        // caller keeps the promise.
        let result = unsafe {
            sys::cuLaunchKernelEx(&config, self.inner.cu_function(), arguments.as_mut_ptr(), std::ptr::null_mut())
        };
        result.result().map_err(driver(DriverCall::Launch))
    }

    /// Launches with extra shared bytes for each block, beside the arrays that the kernel declares; over 48 KiB need
    /// [`allow_sharing`](Self::allow_sharing).
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
        unsafe { builder.launch(config) }.map(|_| ()).map_err(driver(DriverCall::Launch))
    }
}
