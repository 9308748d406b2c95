//! The context that a thread has current, which is the caller's: calls choose ours while they run and put back what was
//! there.
//!
//! The driver keeps one context a thread, and so does everything else in the process that uses it (the CUDA runtime,
//! another library). Whoever calls us finds it as it was.

use crate::CudaError;
use crate::error::driver;
use cudarc::driver::{CudaContext, DriverError, result, sys};
use std::ops::{Deref, DerefMut};
use std::ptr::null_mut;

/// Puts back the thread's context when it is dropped.
#[derive(Debug)]
pub(crate) struct Current {
    /// Context that was current before; `None` where the driver does not tell.
    before: Option<sys::CUcontext>,
}

impl Current {
    /// Chooses nothing: what is current now is current again later.
    pub fn kept() -> Self {
        Self { before: current().ok() }
    }

    /// Chooses `context` until this is dropped.
    pub fn of(context: &CudaContext) -> Result<Self, DriverError> {
        let kept = Self::kept();
        context.bind_to_thread()?;
        Ok(kept)
    }

    /// Chooses `context` until this is dropped, with our error.
    pub fn choose(context: &CudaContext) -> Result<Self, CudaError> {
        Self::of(context).map_err(driver("choosing the device"))
    }

    /// Chooses `context` until this is dropped, where errors have nobody to be told: a second time, since the first
    /// call may only tell of an earlier failure.
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

/// Holder of an object of cudarc's which, when it is dropped, makes its own context current: here the context that was
/// current stays.
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
