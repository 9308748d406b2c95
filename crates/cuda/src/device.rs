//! Devices: a GPU each, in a context of the driver's.

use crate::current::{Current, Quiet};
use crate::error::{DriverCall, driver};
use crate::kernel_set::Modules;
use crate::{CudaError, Stream};
use cudarc::driver::{CudaContext, DriverError, result, sys};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

/// An NVIDIA GPU whose driver was found at run time.
///
/// Calls of this crate choose its context for the calling thread while they run, and leave the thread as it was.
#[derive(Debug, Clone)]
pub struct Device {
    /// Kernels loaded into the context; declared before it, as they must be dropped first.
    modules: Quiet<Option<Arc<Modules>>>,
    context: Quiet<Arc<CudaContext>>,
    name: String,
    capability: (i32, i32),
}

impl Device {
    /// Opens the CUDA device `ordinal`, counted from 0 in the driver's order.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`], [`CudaError::OldDriver`], [`CudaError::NoDevice`], [`CudaError::OldDevice`],
    /// [`CudaError::Driver`].
    pub fn open(ordinal: usize) -> Result<Self, CudaError> {
        let count = Self::count()?;
        if ordinal >= count {
            return Err(CudaError::NoDevice { ordinal, count });
        }
        let _current = Current::kept();
        Self::of(CudaContext::new(ordinal).map_err(driver(DriverCall::OpenDevice))?, None)
    }

    /// Makes a device of a CUDA context that the caller has created: `raw` is a `CUcontext`. What is made of the device
    /// lives in this context, so that memory, streams and events of its owner go with it. [`Device::open`] takes the
    /// primary context, which is also the CUDA runtime's.
    ///
    /// # Safety
    /// `raw` is a context that is alive. Its owner keeps it until the value returned, its clones and all that was made
    /// of them are dropped: streams, buffers, scenes, tracers.
    ///
    /// # Errors
    /// As [`Device::open`].
    pub unsafe fn from_context(raw: *mut c_void) -> Result<Self, CudaError> {
        let count = Self::count()?;
        let _current = Current::kept();
        // SAFETY: the caller keeps the promise.
        let context = unsafe { borrowed(raw.cast(), count) }.map_err(driver(DriverCall::TakeContext))?;
        Self::of(context, Some(Arc::default()))
    }

    fn of(context: Arc<CudaContext>, modules: Option<Arc<Modules>>) -> Result<Self, CudaError> {
        let (modules, context) = (Quiet::new(modules), Quiet::new(context));
        // SAFETY: a buffer knows the streams that it is used on, and orders them (see `buffer.rs`).
        unsafe { context.disable_event_tracking() };
        let name = context.name().map_err(driver(DriverCall::DeviceName))?;
        let capability = context.compute_capability().map_err(driver(DriverCall::DeviceCapability))?;
        if capability < (7, 5) {
            return Err(CudaError::OldDevice { name, capability });
        }
        Ok(Self { modules, context, name, capability })
    }

    /// Returns the number of CUDA devices that the driver shows.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`], [`CudaError::OldDriver`], [`CudaError::Driver`].
    pub fn count() -> Result<usize, CudaError> {
        // SAFETY: only looks for the library.
        if !unsafe { sys::is_culib_present() } {
            return Err(CudaError::NoDriver);
        }
        let mut version = 0;
        // SAFETY: writes one int. The function exists in every driver library.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(driver(DriverCall::Version))?;
        if version < CudaError::NEEDED {
            return Err(CudaError::OldDriver { version });
        }
        match CudaContext::device_count() {
            Ok(count) => Ok(count.max(0) as usize),
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => Ok(0),
            Err(error) => Err(driver(DriverCall::CountDevices)(error)),
        }
    }

    /// Returns the device's index in the driver's order, from 0.
    pub fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    /// Returns the name of the GPU.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the GPU's compute capability, major and minor.
    pub fn capability(&self) -> (i32, i32) {
        self.capability
    }

    /// Returns the driver's version: that of CUDA which it supports, and its own where the system tells it.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn driver_version(&self) -> Result<String, CudaError> {
        let mut version = 0;
        // SAFETY: writes one int.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(driver(DriverCall::Version))?;
        let own = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
        let is_version = |word: &&str| word.contains('.') && word.split('.').all(|n| n.parse::<u32>().is_ok());
        let own = own.lines().next().and_then(|line| line.split_whitespace().find(is_version));
        Ok(format!("{}.{} {}", version / 1000, version % 1000 / 10, own.unwrap_or("-")))
    }

    /// Returns the number of the GPU's multiprocessors.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn multiprocessors(&self) -> Result<u32, CudaError> {
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        self.context.attribute(attribute).map(|n| n as u32).map_err(driver(DriverCall::DeviceAttribute))
    }

    /// Returns the largest number of warps that a multiprocessor holds at once.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn warps_per_multiprocessor(&self) -> Result<u32, CudaError> {
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
        self.context.attribute(attribute).map(|n| (n as u32 / 32).max(1)).map_err(driver(DriverCall::DeviceAttribute))
    }

    /// Returns the largest number of bytes of shared memory that a block may have, if the kernel is allowed to by
    /// [`Function::allow_sharing`](crate::Function).
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn shared_bytes_per_block(&self) -> Result<u32, CudaError> {
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        self.context.attribute(attribute).map(|n| n as u32).map_err(driver(DriverCall::DeviceAttribute))
    }

    /// Returns the number of free bytes of device memory.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn free_memory(&self) -> Result<usize, CudaError> {
        let _current = self.choose()?;
        self.context.mem_get_info().map(|(free, _)| free).map_err(driver(DriverCall::FreeMemory))
    }

    /// Makes a new stream on the device: its work runs in order, concurrently with other streams.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn stream(&self) -> Result<Stream, CudaError> {
        let _current = self.choose()?;
        self.context.new_stream().map(Stream::new).map_err(driver(DriverCall::MakeStream))
    }

    /// Returns the device's `CUcontext`, for driver calls and other libraries. It stays whose it was.
    pub fn raw_context(&self) -> *mut c_void {
        self.context.cu_ctx().cast()
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Makes the device's context current until the returned guard is dropped.
    pub(crate) fn choose(&self) -> Result<Current, CudaError> {
        Current::choose(&self.context)
    }

    /// Returns the cache of kernels loaded into a context that the caller created; `None` for the primary context.
    pub(crate) fn modules(&self) -> Option<&Arc<Modules>> {
        self.modules.as_ref()
    }

    /// Checks that `bytes` of device memory are free for `what`.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn check_room(&self, what: &'static str, bytes: usize) -> Result<(), CudaError> {
        let free = self.free_memory()?;
        if bytes > free { Err(CudaError::OutOfMemory { what, needed: bytes, free }) } else { Ok(()) }
    }
}

/// Wraps a CUDA context of the caller, which must not be destroyed, in cudarc's type, on one of `count` devices.
///
/// # Safety
/// The context is alive.
unsafe fn borrowed(raw: sys::CUcontext, count: usize) -> Result<Arc<CudaContext>, DriverError> {
    // cudarc destroys what it was given, once nobody has its part of it. So one of each is kept here.
    static KEPT: Mutex<Vec<Arc<CudaContext>>> = Mutex::new(Vec::new());
    let mut device = 0;
    // SAFETY: the caller keeps the promise; writes a number.
    unsafe {
        result::ctx::set_current(raw)?;
        sys::cuCtxGetDevice(&raw mut device).result()?;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    // Another context in the place of one that is gone may be another device's.
    if let Some(known) = kept.iter().find(|known| known.cu_ctx() == raw && known.cu_device() == device) {
        return Ok(known.clone());
    }
    let ordinal = (0..count).find(|&ordinal| result::device::get(ordinal as i32) == Ok(device)).unwrap_or_default();
    // SAFETY: the caller keeps the promise; it is never dropped, and so not destroyed.
    let context = unsafe { CudaContext::from_raw_context(ordinal, device, raw) }?;
    kept.push(context.clone());
    Ok(context)
}
