//! Memory of a device: our own, and views of it or of memory that others own.
//!
//! Our own is taken and given back in the order of the stream that it was made on. Any other stream that it is used on
//! waits for the making first, and is waited for before the memory is given back: on the device, never by the host.

use crate::current::Current;
use crate::error::{DriverCall, driver};
use crate::pinned::is_pinned;
use crate::stream::Tail;
use crate::{CudaError, Stream};
use bytemuck::Pod;
use cudarc::driver::{CudaSlice, DevicePtr, result, sys};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// A buffer of values in a device's memory.
///
/// Dropping it waits for nothing, also while kernels and copies use it: its memory is given back once the streams that
/// it was used on have passed what was on them.
#[derive(Debug)]
pub struct DeviceBuffer<T> {
    memory: Memory,
    len: usize,
    of: PhantomData<T>,
}

/// Device memory with the stream that it was allocated on, and the other streams that have used it.
#[derive(Debug)]
struct Memory {
    bytes: ManuallyDrop<CudaSlice<u8>>,
    own: Stream,
    others: Mutex<Vec<Arc<Tail>>>,
}

impl Memory {
    /// Makes `stream` wait, before it first uses the buffer, for all that the buffer's own stream has queued, which
    /// allocated and filled it.
    fn used_on(&self, stream: &Stream) {
        if stream.inner() == self.own.inner() {
            return;
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if others.iter().any(|tail| Arc::ptr_eq(tail, stream.tail())) {
            return;
        }
        others.retain(|tail| !tail.is_over());
        others.push(stream.tail().clone());
        let context = stream.inner().context();
        let _current = Current::kept();
        // A failure is told by the next call on the stream: cudarc asks for it first.
        context.record_err(self.own.tail().precede(stream.inner()));
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let own = self.own.inner();
        let others = self.others.get_mut().unwrap_or_else(PoisonError::into_inner);
        // To give memory back on a stream of its own the driver asks for no context.
        let asks = !others.is_empty() || own.cu_stream().is_null() || !own.context().has_async_alloc();
        let _current = if asks { Current::at_the_end(own.context()) } else { Current::kept() };
        for tail in others.drain(..) {
            // Where no event can be had the host waits. A device that does not answer to that either is gone, and what
            // was on its streams with it.
            let passed = tail.precede(own).or_else(|_| tail.wait()).or_else(|_| tail.wait());
            own.context().record_err(passed);
        }
        // SAFETY: it is not used after this.
        unsafe { ManuallyDrop::drop(&mut self.bytes) };
    }
}

impl<T: Pod> DeviceBuffer<T> {
    /// Returns the number of values in the buffer.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the buffer holds no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device address of the buffer, for a kernel that reads it on `stream` until the buffer is dropped;
    /// the stream first waits for what filled it.
    pub fn address(&self, stream: &Stream) -> u64 {
        self.memory.used_on(stream);
        self.memory.bytes.device_ptr(stream.inner()).0
    }

    /// Returns the device address of the buffer, for a kernel that writes it on `stream`; otherwise as
    /// [`DeviceBuffer::address`].
    pub fn address_mut(&mut self, stream: &Stream) -> u64 {
        self.address(stream)
    }

    /// Returns a slice of all values in the buffer, to read.
    pub fn view(&self) -> DeviceSlice<'_, T> {
        let first = self.memory.bytes.device_ptr(self.memory.own.inner()).0;
        DeviceSlice { first, len: self.len, memory: Some(&self.memory), of: PhantomData }
    }

    /// Returns a slice of all values in the buffer, to write.
    pub fn view_mut(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut(self.view())
    }
}

/// Slice of values in a device's memory to read: a part of a [`DeviceBuffer`], or memory that another owner holds.
#[derive(Debug)]
pub struct DeviceSlice<'a, T> {
    first: u64,
    len: usize,
    memory: Option<&'a Memory>,
    of: PhantomData<&'a [T]>,
}

impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceSlice<'_, T> {}

/// Slice of values in a device's memory to write: a part of a [`DeviceBuffer`], or memory that another owner holds.
#[derive(Debug)]
pub struct DeviceSliceMut<'a, T>(DeviceSlice<'a, T>);

impl<'a, T: Pod> DeviceSlice<'a, T> {
    /// Slice without values, for launches that take none.
    pub const EMPTY: Self = Self { first: 0, len: 0, memory: None, of: PhantomData };

    /// Makes a slice of the `len` values at the device address `address`, which another owner keeps alive: a
    /// `CUdeviceptr`, or a pointer of a kernel.
    ///
    /// # Safety
    /// - There are as many values, in memory that the device of the streams can reach on which this is used: its own,
    ///   or pinned memory of the host, or another device's that it was given access to.
    /// - The owner keeps them, and nobody writes them, from when the first of these streams comes to what uses them
    ///   until all have passed it: an [`Event`](crate::Event) behind the call says so. Dropping this value says
    ///   nothing, and the lifetime is the caller's to choose.
    /// - What wrote them is before the call on the same stream, or the stream waits for it.
    ///
    /// # Panics
    /// If the address is not aligned for `T`.
    pub unsafe fn from_raw(address: u64, len: usize) -> Self {
        assert!(address.is_multiple_of(align_of::<T>() as u64), "an address of {address:#x} is not aligned");
        Self { first: address, len, memory: None, of: PhantomData }
    }

    /// Returns the number of values in the slice.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the slice holds no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device address of the first value, for a kernel that reads the slice on `stream`: see
    /// [`DeviceBuffer::address`].
    pub fn address(&self, stream: &Stream) -> u64 {
        if let Some(memory) = self.memory {
            memory.used_on(stream);
        }
        self.first
    }

    /// Returns the part of the slice with the indices `range`.
    ///
    /// # Panics
    /// If it ends behind the last.
    pub fn part(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {} values", self.len);
        Self { first: self.first + (range.start * size_of::<T>()) as u64, len: range.len(), ..self }
    }
}

impl<'a, T: Pod> DeviceSliceMut<'a, T> {
    /// Slice without values, for results that are not wanted.
    pub const EMPTY: Self = Self(DeviceSlice::EMPTY);

    /// Makes a slice to write of the `len` values at the device address `address`, which another owner keeps alive.
    ///
    /// # Safety
    /// As [`DeviceSlice::from_raw`]; nobody else writes or reads them meanwhile, on any stream.
    ///
    /// # Panics
    /// If the address is not aligned for `T`.
    pub unsafe fn from_raw(address: u64, len: usize) -> Self {
        // SAFETY: the caller keeps the promise.
        Self(unsafe { DeviceSlice::from_raw(address, len) })
    }

    /// Returns the number of values in the slice.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Returns `true` if the slice holds no values.
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// Returns the device address of the first value, for a kernel that writes the slice on `stream`: see
    /// [`DeviceBuffer::address`].
    pub fn address_mut(&mut self, stream: &Stream) -> u64 {
        self.0.address(stream)
    }

    /// Returns a slice of these values to read.
    pub fn view(&self) -> DeviceSlice<'_, T> {
        self.0
    }

    /// Returns the part of the slice with the indices `range`, to write.
    ///
    /// # Panics
    /// If it ends behind the last.
    pub fn part(self, range: Range<usize>) -> Self {
        Self(self.0.part(range))
    }

    /// Reborrows the slice: returns one of the same values with a shorter lifetime.
    pub fn reborrow(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut(self.0)
    }
}

impl<'a, T: Pod> From<&'a DeviceBuffer<T>> for DeviceSlice<'a, T> {
    fn from(buffer: &'a DeviceBuffer<T>) -> Self {
        buffer.view()
    }
}

impl<'a, T: Pod> From<&'a mut DeviceBuffer<T>> for DeviceSliceMut<'a, T> {
    fn from(buffer: &'a mut DeviceBuffer<T>) -> Self {
        buffer.view_mut()
    }
}

impl Stream {
    /// Allocates device memory for `len` values, with all bits zero.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], [`CudaError::Driver`].
    pub fn zeros<T: Pod>(&self, len: usize) -> Result<DeviceBuffer<T>, CudaError> {
        let _current = self.choose()?;
        let needed = (len * size_of::<T>()).max(16);
        let bytes = self.inner().alloc_zeros(needed).map_err(|error| {
            let full = error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY;
            match self.inner().context().mem_get_info() {
                Ok((free, _)) if full => CudaError::OutOfMemory { what: "a buffer", needed, free },
                _ => driver(DriverCall::Allocate)(error),
            }
        })?;
        let memory = Memory { bytes: ManuallyDrop::new(bytes), own: self.clone(), others: Mutex::default() };
        Ok(DeviceBuffer { memory, len, of: PhantomData })
    }

    /// Allocates device memory with a copy of `values`, which the caller may drop at once.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn upload<T: Pod>(&self, values: &[T]) -> Result<DeviceBuffer<T>, CudaError> {
        let mut buffer = self.zeros(values.len())?;
        self.write(&mut buffer, values)?;
        Ok(buffer)
    }

    /// Copies `values` to the start of `buffer`, as [`Stream::write_at`].
    ///
    /// # Panics
    /// If the buffer is shorter.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn write<T: Pod>(&self, buffer: &mut DeviceBuffer<T>, values: &[T]) -> Result<(), CudaError> {
        self.write_at(buffer, 0, values)
    }

    /// Copies `values` into `buffer`, starting at the index `first`. The values may change once this returns: it waits
    /// until the driver has read them. [`Stream::write_pinned`] waits for nothing.
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
        let to = buffer.view_mut().part(first..first + values.len());
        // SAFETY: as many values, which stay until this returns; the driver has read what is not pinned by then.
        unsafe { self.write_async(to, values.as_ptr()) }?;
        let _current = self.choose()?;
        if is_pinned(values) { self.synchronize() } else { Ok(()) }
    }

    /// Copies the start of `buffer` to the host and waits for it.
    ///
    /// # Panics
    /// If the buffer is shorter than `values`.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn read<T: Pod>(&self, buffer: &DeviceBuffer<T>, values: &mut [T]) -> Result<(), CudaError> {
        self.read_at(buffer, 0, values)
    }

    /// Copies values of `buffer`, starting at the index `first`, to the host and waits for them.
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
        // SAFETY: as many values, which are borrowed until the copy was waited for, whether it could be begun or not.
        let copied = unsafe { self.read_async(buffer.view().part(first..first + values.len()), values.as_mut_ptr()) };
        let waited = self.synchronize();
        copied.and(waited)
    }

    /// Sets all bits of a buffer to zero. Waits for nothing.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn clear<'a, T: Pod>(&self, buffer: impl Into<DeviceSliceMut<'a, T>>) -> Result<(), CudaError> {
        let mut to = buffer.into();
        if to.is_empty() {
            return Ok(());
        }
        let _current = self.choose()?;
        // SAFETY: the values are there, by the promise of whoever made the slice, or as a buffer's.
        unsafe { result::memset_d8_async(to.address_mut(self), 0, to.len() * size_of::<T>(), self.inner().cu_stream()) }
            .map_err(driver(DriverCall::Clear))
    }

    /// Queues a copy of as many values from the host as the device slice `to` has. From pinned memory it waits for
    /// nothing; other memory the driver has read when this returns, for which it may wait for the stream.
    ///
    /// # Safety
    /// There are as many values at `from`. If they are pinned, their owner keeps them, and nobody writes them, until
    /// the stream has passed the copy. [`Stream::write_pinned`] sees to that by itself.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub unsafe fn write_async<T: Pod>(&self, mut to: DeviceSliceMut<'_, T>, from: *const T) -> Result<(), CudaError> {
        if to.is_empty() {
            return Ok(());
        }
        let address = to.address_mut(self);
        let _current = self.choose()?;
        // SAFETY: the caller keeps the promise.
        unsafe { sys::cuMemcpyHtoDAsync_v2(address, from.cast(), to.len() * size_of::<T>(), self.inner().cu_stream()) }
            .result()
            .map_err(driver(DriverCall::Upload))
    }

    /// Queues a copy of all values of the device slice `from` to the host. To pinned memory it waits for nothing; in
    /// other memory they are when this returns, for which it waits for the stream.
    ///
    /// # Safety
    /// There is room for as many values at `to`. If it is pinned, its owner keeps it, and nobody reads or writes it,
    /// until the stream has passed the copy. [`Stream::read_pinned`] sees to that by itself.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub unsafe fn read_async<T: Pod>(&self, from: DeviceSlice<'_, T>, to: *mut T) -> Result<(), CudaError> {
        if from.is_empty() {
            return Ok(());
        }
        let address = from.address(self);
        let _current = self.choose()?;
        // SAFETY: the caller keeps the promise.
        unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), address, from.len() * size_of::<T>(), self.inner().cu_stream()) }
            .result()
            .map_err(driver(DriverCall::Download))
    }
}
