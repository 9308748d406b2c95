//! Memory of the host that a device reads and writes by itself: copies of it run beside everything else.

use crate::buffer::{DeviceSlice, DeviceSliceMut};
use crate::current::{Current, Quiet};
use crate::error::{DriverCall, driver};
use crate::stream::{Event, Tail};
use crate::{CudaError, Device, Stream};
use bytemuck::Pod;
use cudarc::driver::{CudaContext, sys};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Buffer of values in pinned host memory, for copies that run asynchronously ([`Stream::write_pinned`],
/// [`Stream::read_pinned`]). [`PinnedBuffer::get`] waits until the copies that use it are done.
#[derive(Debug)]
pub struct PinnedBuffer<T> {
    first: NonNull<T>,
    len: usize,
    context: Quiet<Arc<CudaContext>>,
    /// Last copy on each stream that uses the buffer.
    copies: Mutex<Vec<(Arc<Tail>, Event)>>,
}

// SAFETY: it owns plain values. The driver's part of it may be used by all threads.
unsafe impl<T: Pod + Send> Send for PinnedBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Pod + Sync> Sync for PinnedBuffer<T> {}

impl Device {
    /// Allocates pinned host memory for `len` values, with all bits zero. It takes the system some milliseconds a
    /// megabyte: keep it.
    ///
    /// # Errors
    /// [`CudaError::Driver`]: there is no such memory left.
    pub fn pinned<T: Pod>(&self, len: usize) -> Result<PinnedBuffer<T>, CudaError> {
        let _current = self.choose()?;
        let bytes = len.checked_mul(size_of::<T>()).expect("so much memory is nowhere").max(16);
        let mut memory = std::ptr::null_mut();
        // SAFETY: writes an address. Other contexts of the process may use the memory too.
        unsafe { sys::cuMemHostAlloc(&raw mut memory, bytes, sys::CU_MEMHOSTALLOC_PORTABLE) }
            .result()
            .map_err(driver(DriverCall::AllocatePinned))?;
        // SAFETY: it has as many bytes.
        unsafe { memory.cast::<u8>().write_bytes(0, bytes) };
        let first = NonNull::new(memory.cast()).expect("the driver gives memory or an error");
        Ok(PinnedBuffer { first, len, context: Quiet::new(self.context().clone()), copies: Mutex::default() })
    }

    /// Returns `true` if `values` are in pinned host memory, which the device can copy directly.
    pub(crate) fn is_pinned<T>(&self, values: &[T]) -> Result<bool, CudaError> {
        let _current = self.choose()?;
        Ok(is_pinned(values))
    }
}

impl<T: Pod> PinnedBuffer<T> {
    /// Returns the number of values in the buffer.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the buffer holds no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Waits until no copy uses the buffer any more.
    ///
    /// # Errors
    /// [`CudaError::Driver`], also for what an earlier launch did.
    pub fn wait(&self) -> Result<(), CudaError> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((_, event)) = copies.last() {
            event.synchronize()?;
            copies.pop();
        }
        Ok(())
    }

    /// Waits until no copy uses the buffer, and returns its values.
    ///
    /// # Errors
    /// As [`PinnedBuffer::wait`].
    pub fn get(&self) -> Result<&[T], CudaError> {
        self.wait()?;
        // SAFETY: as many values, all of them set; nothing writes them while this borrow lasts, since a copy to here
        // needs another one.
        Ok(unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) })
    }

    /// Waits until no copy uses the buffer, and returns its values to change.
    ///
    /// # Errors
    /// As [`PinnedBuffer::wait`].
    pub fn get_mut(&mut self) -> Result<&mut [T], CudaError> {
        self.wait()?;
        // SAFETY: as above; the borrow is the only one.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) })
    }

    /// Returns the address of the first value, for copies whose completion the caller tracks itself.
    pub(crate) fn pointer(&self) -> *mut T {
        self.first.as_ptr()
    }

    /// Notes that a copy which uses the buffer was put on `stream`, or may have been.
    fn note(&self, stream: &Stream) -> Result<(), CudaError> {
        // Where no event can be had the copy is waited for here.
        let event = stream.event().or_else(|error| {
            stream.synchronize()?;
            Err(error)
        })?;
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.retain(|(tail, _)| !Arc::ptr_eq(tail, stream.tail()));
        copies.push((stream.tail().clone(), event));
        Ok(())
    }
}

impl<T> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        let _current = Current::at_the_end(&self.context);
        for (_, event) in self.copies.get_mut().unwrap_or_else(PoisonError::into_inner) {
            // Of a device that no longer answers nothing writes it any more.
            let _ = event.synchronize().or_else(|_| event.synchronize());
        }
        // SAFETY: memory of the driver's, which is given back once.
        let _ = unsafe { sys::cuMemFreeHost(self.first.as_ptr().cast()) };
    }
}

impl Stream {
    /// Queues a copy of the values of `from` with the indices `range` to the device slice `to`. Waits for nothing:
    /// `from` may be copied from again, or be dropped, which waits for the copy.
    ///
    /// # Panics
    /// If `range` does not lie in `from`, or `to` has another number of values.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn write_pinned<'a, T: Pod>(
        &self,
        to: impl Into<DeviceSliceMut<'a, T>>,
        from: &PinnedBuffer<T>,
        range: Range<usize>,
    ) -> Result<(), CudaError> {
        let to = to.into();
        assert!(range.start <= range.end && range.end <= from.len, "{range:?} of {} values", from.len);
        assert_eq!(to.len(), range.len(), "as many values as there is room for");
        // SAFETY: as many values; they are neither changed nor given back before the copy that is noted is done.
        let copied = unsafe { self.write_async(to, from.pointer().add(range.start)) };
        from.note(self).and(copied)
    }

    /// Queues a copy of the device slice `from` into the pinned buffer `to`, starting at the index `first`. Waits for
    /// nothing: who looks at them waits.
    ///
    /// # Panics
    /// If `to` ends before.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn read_pinned<'a, T: Pod>(
        &self,
        from: impl Into<DeviceSlice<'a, T>>,
        to: &mut PinnedBuffer<T>,
        first: usize,
    ) -> Result<(), CudaError> {
        let from = from.into();
        assert!(first <= to.len && from.len() <= to.len - first, "there is less room than what is read");
        // SAFETY: as many values; nobody looks at them before the copy that is noted is done.
        let copied = unsafe { self.read_async(from, to.pointer().add(first)) };
        to.note(self).and(copied)
    }
}

/// Returns `true` if all of `values` lie in one allocation of pinned memory, of any owner, so that a device can copy
/// them directly.
pub(crate) fn is_pinned<T>(values: &[T]) -> bool {
    let Some(last) = size_of_val(values).checked_sub(1) else { return false };
    let first = values.as_ptr().addr() as u64;
    pinned_piece(first).is_some_and(|piece| pinned_piece(first + last as u64) == Some(piece))
}

/// Returns the driver's identifier of the pinned allocation that an address lies in.
fn pinned_piece(address: u64) -> Option<u64> {
    let (mut kind, mut piece) = (0u32, 0u64);
    let kind_of = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    let piece_of = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID;
    // SAFETY: writes a word of 32 bits; the address is not looked at. It is an error for memory that the driver has
    // never heard of.
    unsafe { sys::cuPointerGetAttribute((&raw mut kind).cast(), kind_of, address) }.result().ok()?;
    // SAFETY: as above, with 64 bits.
    unsafe { sys::cuPointerGetAttribute((&raw mut piece).cast(), piece_of, address) }.result().ok()?;
    (kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32).then_some(piece)
}
