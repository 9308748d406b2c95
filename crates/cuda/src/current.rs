//! The context that a thread has current, which is the caller's: calls choose ours while they run and put back what was
//! there.
//!
//! The driver keeps one context a thread, and so does everything else in the process that uses it (the CUDA runtime,
//! another library). Whoever calls us finds it as it was.

use crate::CudaError;
use crate::error::{DriverCall, driver};
use cudarc::driver::{CudaContext, DriverError, result, sys};
use std::ops::{Deref, DerefMut};
use std::ptr::null_mut;

/// Guard that restores the thread's current CUDA context when it is dropped.
#[derive(Debug)]
pub(crate) struct Current {
    /// CUDA context that was current before; `None` where the driver does not tell.
    before: Option<sys::CUcontext>,
}

impl Current {
    /// Makes a guard that restores the context which is current now, and changes nothing yet.
    pub fn kept() -> Self {
        Self { before: current().ok() }
    }

    /// Makes `context` current until the guard is dropped.
    pub fn of(context: &CudaContext) -> Result<Self, DriverError> {
        let kept = Self::kept();
        context.bind_to_thread()?;
        Ok(kept)
    }

    /// Makes `context` current until the guard is dropped, with a `CudaError` on failure.
    pub fn choose(context: &CudaContext) -> Result<Self, CudaError> {
        Self::of(context).map_err(driver(DriverCall::ChooseDevice))
    }

    /// Makes `context` current until the guard is dropped, for destructors, which cannot report errors; tries twice, as
    /// the first call may only report an earlier failure.
    pub fn at_the_end(context: &CudaContext) -> Self {
        let kept = Self::kept();
        let _ = context.bind_to_thread().or_else(|_| context.bind_to_thread());
        kept
    }
}

fn current() -> Result<sys::CUcontext, DriverError> {
    Ok(result::ctx::get_current()?.unwrap_or(null_mut()))
}

impl Drop for Current {
    fn drop(&mut self) {
        if let Some(before) = self.before
            && current() != Ok(before)
        {
            // SAFETY: the caller had it current, and keeps it alive while it has; null chooses none.
            let choose = || unsafe { result::ctx::set_current(before) };
            // What fails here has nobody to be told. The first call may only tell of an earlier failure.
            let _ = choose().or_else(|_| choose());
        }
    }
}

/// Holder of a cudarc object whose destructor makes its own context current: the holder restores the caller's.
#[derive(Debug, Clone)]
pub(crate) struct Quiet<T>(Option<T>);

impl<T> Quiet<T> {
    pub fn new(inner: T) -> Self {
        Self(Some(inner))
    }
}

impl<T> Deref for Quiet<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl<T> DerefMut for Quiet<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is there until it is dropped")
    }
}

impl<T> Drop for Quiet<T> {
    fn drop(&mut self) {
        let _current = Current::kept();
        drop(self.0.take());
    }
}
