//! Queues of work on a device, ours and others', and how they wait for each other.

use crate::current::{Current, Quiet};
use crate::error::{DriverCall, driver};
use crate::{CudaError, Device};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result, sys};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A CUDA stream: queue of copies and launches on a device that run in order, concurrently with other streams.
///
/// It is ours ([`Device::stream`]), or another's ([`Stream::from_raw`]). No call assumes that it is idle; those that
/// wait for it say so.
#[derive(Debug, Clone)]
pub struct Stream {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    inner: Quiet<Arc<CudaStream>>,
    tail: Arc<Tail>,
}

/// The end of a stream's queue, which buffers used on the stream wait for when they are freed or used elsewhere. It
/// outlives the stream.
#[derive(Debug)]
pub(crate) struct Tail {
    stream: Weak<CudaStream>,
    context: Quiet<Arc<CudaContext>>,
    /// Event recorded at the queue's end when the stream's last owner is gone; `Some(None)` if all was waited for,
    /// `None` while the stream has owners.
    closed: Mutex<Option<Option<CudaEvent>>>,
}

impl Tail {
    fn state(&self) -> MutexGuard<'_, Option<Option<CudaEvent>>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes `other` wait for all that is queued on this stream now.
    pub fn precede(&self, other: &CudaStream) -> Result<(), DriverError> {
        let state = self.state();
        match (&*state, self.stream.upgrade()) {
            (Some(Some(event)), _) => other.wait(event),
            (None, Some(stream)) if *stream == *other => Ok(()),
            (None, Some(stream)) => other.wait(&stream.record_event(None)?),
            (Some(None), _) | (None, None) => Ok(()),
        }
    }

    /// Makes the host wait for all that is queued on this stream now.
    pub fn wait(&self) -> Result<(), DriverError> {
        let state = self.state();
        match (&*state, self.stream.upgrade()) {
            (Some(Some(event)), _) => event.synchronize(),
            (None, Some(stream)) => stream.synchronize(),
            (Some(None), _) | (None, None) => Ok(()),
        }
    }

    /// Returns `true` if the stream has no owner left and all its work is done.
    pub fn is_over(&self) -> bool {
        match &*self.state() {
            Some(Some(event)) => event.try_is_complete().unwrap_or(false),
            Some(None) => true,
            None => false,
        }
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _current = Current::kept();
        drop(self.state().take());
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Buffers were used here, and wait for it when they are dropped.
        if Arc::strong_count(&self.tail) > 1 {
            let _current = Current::at_the_end(&self.tail.context);
            let mut state = self.tail.state();
            let event = self.inner.record_event(None);
            if event.is_err() {
                self.tail.context.record_err(self.inner.synchronize());
            }
            *state = Some(event.ok());
        }
    }
}

impl Stream {
    pub(crate) fn new(inner: Arc<CudaStream>) -> Self {
        let (stream, context) = (Arc::downgrade(&inner), Quiet::new(inner.context().clone()));
        let tail = Arc::new(Tail { stream, context, closed: Mutex::default() });
        Self { shared: Arc::new(Shared { inner: Quiet::new(inner), tail }) }
    }

    /// Makes a stream of one that the caller created in the context of `device`: `raw` is a `CUstream`, or a
    /// `cudaStream_t`, which is the same. Null is the context's default stream. Dropping it leaves the stream alone.
    ///
    /// # Safety
    /// - `raw` is null or a stream of the context of `device` ([`Device::raw_context`]).
    /// - Its owner keeps it until this value is dropped, its clones are, and the buffers that were made on it are
    ///   ([`Stream::zeros`], [`Stream::upload`]): those give their memory back on it. What was only *used* on it
    ///   (scenes, tracers, buffers of other streams) does not need it any longer.
    pub unsafe fn from_raw(device: &Device, raw: *mut c_void) -> Self {
        // SAFETY: the caller keeps the promise.
        Self::new(unsafe { device.context().wrap_borrowed_stream(raw.cast()) })
    }

    /// Returns the stream's `CUstream`, for driver calls and other libraries. It stays ours.
    pub fn raw(&self) -> *mut c_void {
        self.inner().cu_stream().cast()
    }

    pub(crate) fn inner(&self) -> &Arc<CudaStream> {
        &self.shared.inner
    }

    pub(crate) fn tail(&self) -> &Arc<Tail> {
        &self.shared.tail
    }

    /// Makes the stream's context current until the returned guard is dropped.
    pub(crate) fn choose(&self) -> Result<Current, CudaError> {
        Current::choose(self.inner().context())
    }

    /// Waits on the host until everything queued on the stream is done.
    ///
    /// # Errors
    /// [`CudaError::Driver`], also for what an earlier launch did.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        let _current = self.choose()?;
        self.inner().synchronize().map_err(driver(DriverCall::Synchronize))
    }

    /// Records a timestamp at this point of the stream's queue.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn mark(&self) -> Result<Mark, CudaError> {
        let _current = self.choose()?;
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        self.inner().record_event(flags).map(|event| Mark(Quiet::new(event))).map_err(driver(DriverCall::RecordEvent))
    }

    /// Records an event that completes when all that is queued on the stream now is done. Waits for nothing.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn event(&self) -> Result<Event, CudaError> {
        let _current = self.choose()?;
        self.inner().record_event(None).map(|event| Event(Quiet::new(event))).map_err(driver(DriverCall::RecordEvent))
    }

    /// Makes all that is queued on this stream from now on wait for `event`, on the device; the host does not wait. The
    /// event may be of another stream, context or device, and may be dropped.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn wait_for(&self, event: &Event) -> Result<(), CudaError> {
        let _current = self.choose()?;
        self.inner().wait(&event.0).map_err(driver(DriverCall::WaitEvent))
    }

    /// Makes the stream wait as [`Stream::wait_for`] does, for a `CUevent` (or `cudaEvent_t`) that the caller has
    /// recorded. One that was never recorded is not waited for.
    ///
    /// # Safety
    /// `event` is an event that its owner has not destroyed. It may be destroyed, or recorded anew, once this returns.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub unsafe fn wait_for_raw(&self, event: *mut c_void) -> Result<(), CudaError> {
        let _current = self.choose()?;
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: the caller keeps the promise.
        unsafe { result::stream::wait_event(self.inner().cu_stream(), event.cast(), flags) }
            .map_err(driver(DriverCall::WaitEvent))
    }

    /// Records a `CUevent` (or `cudaEvent_t`) of the caller on the stream: it completes when all that is queued now is
    /// done.
    ///
    /// # Safety
    /// `event` is an event of this stream's context that its owner has not destroyed.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub unsafe fn record_raw(&self, event: *mut c_void) -> Result<(), CudaError> {
        let _current = self.choose()?;
        // SAFETY: the caller keeps the promise.
        unsafe { result::event::record(event.cast(), self.inner().cu_stream()) }
            .map_err(driver(DriverCall::RecordEvent))
    }
}

/// A point in a stream's queue that other streams or the host can wait for.
#[derive(Debug)]
pub struct Event(pub(crate) Quiet<CudaEvent>);

impl Event {
    /// Waits on the host until the stream has reached the event.
    ///
    /// # Errors
    /// [`CudaError::Driver`], also for what an earlier launch did.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        let _current = Current::choose(self.0.context())?;
        self.0.synchronize().map_err(driver(DriverCall::Synchronize))
    }

    /// Returns `true` if the stream has reached the event. Waits for nothing.
    ///
    /// # Errors
    /// [`CudaError::Driver`], also for what an earlier launch did.
    pub fn is_complete(&self) -> Result<bool, CudaError> {
        let _current = Current::choose(self.0.context())?;
        self.0.try_is_complete().map_err(driver(DriverCall::QueryEvent))
    }

    /// Returns the event's `CUevent`, for driver calls and other libraries. It stays ours, and lives as long as this
    /// value.
    pub fn raw(&self) -> *mut c_void {
        self.0.cu_event().cast()
    }
}

/// A timestamp in a stream's queue, for measuring time on the device.
#[derive(Debug)]
pub struct Mark(Quiet<CudaEvent>);

impl Mark {
    /// Returns the seconds on the device from this timestamp to `later`, both of which the stream has reached.
    ///
    /// # Errors
    /// [`CudaError::Driver`], also where it has not.
    pub fn seconds_until(&self, later: &Self) -> Result<f64, CudaError> {
        let _current = Current::choose(self.0.context())?;
        self.0.elapsed_ms(&later.0).map(|ms| f64::from(ms) / 1e3).map_err(driver(DriverCall::ElapsedTime))
    }
}
