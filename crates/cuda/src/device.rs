//! A GPU, its streams and its memory.

use crate::CudaError;
use crate::error::driver;
use bytemuck::Pod;
use cudarc::driver::{CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, sys};
use std::marker::PhantomData;
use std::sync::Arc;

/// An NVIDIA GPU whose driver was found at run time.
#[derive(Debug, Clone)]
pub struct Device {
    context: Arc<CudaContext>,
    name: String,
    capability: (i32, i32),
}

impl Device {
    /// Opens device `ordinal`, counted from 0 in the driver's order.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`], [`CudaError::OldDriver`], [`CudaError::NoDevice`], [`CudaError::OldDevice`],
    /// [`CudaError::Driver`].
    pub fn open(ordinal: usize) -> Result<Self, CudaError> {
        let count = Self::count()?;
        if ordinal >= count {
            return Err(CudaError::NoDevice { ordinal, count });
        }
        let context = CudaContext::new(ordinal).map_err(driver("opening the device"))?;
        // SAFETY: buffers are used on one stream at a time, or their users order the streams (see `Stream`).
        unsafe { context.disable_event_tracking() };
        let name = context.name().map_err(driver("reading the device's name"))?;
        let capability = context.compute_capability().map_err(driver("reading the device's capability"))?;
        if capability < (7, 5) {
            return Err(CudaError::OldDevice { name, capability });
        }
        Ok(Self { context, name, capability })
    }

    /// How many devices the driver shows.
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
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(driver("asking its version"))?;
        if version < CudaError::NEEDED {
            return Err(CudaError::OldDriver { version });
        }
        match CudaContext::device_count() {
            Ok(count) => Ok(count.max(0) as usize),
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => Ok(0),
            Err(error) => Err(driver("counting devices")(error)),
        }
    }

    /// Its number in the driver's order, from 0.
    pub fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Compute capability, major and minor.
    pub fn capability(&self) -> (i32, i32) {
        self.capability
    }

    /// What the driver is called: the version of CUDA that it speaks, and its own where the system tells it.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn driver_version(&self) -> Result<String, CudaError> {
        let mut version = 0;
        // SAFETY: writes one int.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(driver("asking its version"))?;
        let own = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
        let is_version = |word: &&str| word.contains('.') && word.split('.').all(|n| n.parse::<u32>().is_ok());
        let own = own.lines().next().and_then(|line| line.split_whitespace().find(is_version));
        Ok(format!("{}.{} {}", version / 1000, version % 1000 / 10, own.unwrap_or("-")))
    }

    /// Multiprocessors.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn multiprocessors(&self) -> Result<u32, CudaError> {
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        self.context.attribute(attribute).map(|n| n as u32).map_err(driver("reading an attribute"))
    }

    /// Warps that a multiprocessor has at once, at most.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn warps_a_multiprocessor(&self) -> Result<u32, CudaError> {
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
        self.context.attribute(attribute).map(|n| (n as u32 / 32).max(1)).map_err(driver("reading an attribute"))
    }

    /// Bytes that a block may share at most, with what a kernel is allowed by [`Function::allow_sharing`](crate::Function).
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn shared_bytes_a_block(&self) -> Result<u32, CudaError> {
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        self.context.attribute(attribute).map(|n| n as u32).map_err(driver("reading an attribute"))
    }

    /// Bytes that are free.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn free_memory(&self) -> Result<usize, CudaError> {
        self.context.mem_get_info().map(|(free, _)| free).map_err(driver("asking for free memory"))
    }

    /// A new stream: what is put on it runs in order, beside other streams.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn stream(&self) -> Result<Stream, CudaError> {
        self.context.new_stream().map(|inner| Stream { inner }).map_err(driver("making a stream"))
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Whether `bytes` are free for `what`.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn check_room(&self, what: &'static str, bytes: usize) -> Result<(), CudaError> {
        let free = self.free_memory()?;
        if bytes > free { Err(CudaError::OutOfMemory { what, needed: bytes, free }) } else { Ok(()) }
    }
}

/// A queue of copies and launches on a device.
#[derive(Debug, Clone)]
pub struct Stream {
    pub(crate) inner: Arc<CudaStream>,
}

impl Stream {
    /// Waits until everything on the stream is done.
    ///
    /// # Errors
    /// [`CudaError::Driver`], also for what an earlier launch did.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.inner.synchronize().map_err(driver("waiting for the device"))
    }

    /// Marks this place in the queue.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn mark(&self) -> Result<Mark, CudaError> {
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        self.inner.record_event(flags).map(Mark).map_err(driver("recording an event"))
    }

    /// Device memory for `len` values, all bits zero.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn zeros<T: Pod>(&self, len: usize) -> Result<DeviceBuffer<T>, CudaError> {
        let needed = (len * size_of::<T>()).max(16);
        let bytes = self.inner.alloc_zeros(needed).map_err(|error| {
            let full = error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY;
            match self.inner.context().mem_get_info() {
                Ok((free, _)) if full => CudaError::OutOfMemory { what: "a buffer", needed, free },
                _ => driver("allocating memory")(error),
            }
        })?;
        Ok(DeviceBuffer { bytes, len, of: PhantomData })
    }

    /// Device memory with a copy of `values`, which may be dropped at once.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn upload<T: Pod>(&self, values: &[T]) -> Result<DeviceBuffer<T>, CudaError> {
        let mut buffer = self.zeros(values.len())?;
        self.write(&mut buffer, values)?;
        Ok(buffer)
    }

    /// Copies `values` to the front of `buffer`.
    ///
    /// # Panics
    /// If the buffer is shorter.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn write<T: Pod>(&self, buffer: &mut DeviceBuffer<T>, values: &[T]) -> Result<(), CudaError> {
        self.write_at(buffer, 0, values)
    }

    /// Copies `values` to those of `buffer` from the one numbered `first` on.
    ///
    /// # Panics
    /// If the buffer ends before.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn write_at<T: Pod>(&self, buffer: &mut DeviceBuffer<T>, first: usize, values: &[T]) -> Result<(), CudaError> {
        assert!(
            first <= buffer.len && values.len() <= buffer.len - first,
            "the buffer is shorter than what is written"
        );
        if values.is_empty() {
            return Ok(());
        }
        let (bytes, first): (&[u8], usize) = (bytemuck::cast_slice(values), first * size_of::<T>());
        let mut view = buffer.bytes.slice_mut(first..first + bytes.len());
        self.inner.memcpy_htod(bytes, &mut view).map_err(driver("copying to the device"))
    }

    /// Copies the front of `buffer` back and waits for it.
    ///
    /// # Panics
    /// If the buffer is shorter than `values`.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn read<T: Pod>(&self, buffer: &DeviceBuffer<T>, values: &mut [T]) -> Result<(), CudaError> {
        self.read_at(buffer, 0, values)
    }

    /// Copies back what `buffer` holds from the value numbered `first` on, and waits for it.
    ///
    /// # Panics
    /// If the buffer ends before `values` are full.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn read_at<T: Pod>(&self, buffer: &DeviceBuffer<T>, first: usize, values: &mut [T]) -> Result<(), CudaError> {
        assert!(first <= buffer.len && values.len() <= buffer.len - first, "the buffer is shorter than what is read");
        if values.is_empty() {
            return self.synchronize();
        }
        let (bytes, first): (&mut [u8], usize) = (bytemuck::cast_slice_mut(values), first * size_of::<T>());
        let view = buffer.bytes.slice(first..first + bytes.len());
        self.inner.memcpy_dtoh(&view, bytes).map_err(driver("copying from the device"))?;
        self.synchronize()
    }

    /// Sets all bits of `buffer` to zero.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn clear<T: Pod>(&self, buffer: &mut DeviceBuffer<T>) -> Result<(), CudaError> {
        self.inner.memset_zeros(&mut buffer.bytes).map_err(driver("clearing memory"))
    }
}

/// A place in a stream's queue, for the device's own time.
#[derive(Debug)]
pub struct Mark(CudaEvent);

impl Mark {
    /// Seconds that the device took from here to `later`, both of which it has come to.
    ///
    /// # Errors
    /// [`CudaError::Driver`], also where it has not.
    pub fn seconds_until(&self, later: &Self) -> Result<f64, CudaError> {
        self.0.elapsed_ms(&later.0).map(|ms| f64::from(ms) / 1e3).map_err(driver("reading an event"))
    }
}

/// Values in a device's memory.
#[derive(Debug)]
pub struct DeviceBuffer<T> {
    bytes: CudaSlice<u8>,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> DeviceBuffer<T> {
    /// How many values it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its address, for a kernel that reads it on `stream`.
    pub fn address(&self, stream: &Stream) -> u64 {
        self.bytes.device_ptr(&stream.inner).0
    }

    /// Its address, for a kernel that writes it on `stream`.
    pub fn address_mut(&mut self, stream: &Stream) -> u64 {
        self.bytes.device_ptr_mut(&stream.inner).0
    }
}
