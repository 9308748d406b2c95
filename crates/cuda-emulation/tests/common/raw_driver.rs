//! Calls of the pretended driver as another program makes them, with contexts, streams and memory of its own.

use raywarp_cuda::Device;
use raywarp_geom::Hit;
use std::ffi::c_void;
use std::ptr::null_mut;

use super::pretended::Driver;

pub type Handle = *mut c_void;

/// Calls of the driver, as others make them.
pub struct Raw {
    pub set_current: extern "C" fn(Handle) -> i32,
    pub get_current: extern "C" fn(*mut Handle) -> i32,
    pub stream: extern "C" fn(*mut Handle, u32) -> i32,
    pub end_stream: extern "C" fn(Handle) -> i32,
    pub wait: extern "C" fn(Handle) -> i32,
    pub stream_waits: extern "C" fn(Handle, Handle, u32) -> i32,
    pub event: extern "C" fn(*mut Handle, u32) -> i32,
    pub record: extern "C" fn(Handle, Handle) -> i32,
    pub alloc: extern "C" fn(*mut u64, usize) -> i32,
    pub free: extern "C" fn(u64) -> i32,
    pub to_device: extern "C" fn(u64, *const c_void, usize, Handle) -> i32,
    pub from_device: extern "C" fn(*mut c_void, u64, usize, Handle) -> i32,
    pub register: extern "C" fn(*mut c_void, usize, u32) -> i32,
    pub unregister: extern "C" fn(*mut c_void) -> i32,
}

impl Raw {
    pub fn new(driver: &Driver) -> Self {
        // SAFETY: the functions have these types in driver/driver.cpp, as in NVIDIA's.
        unsafe {
            Self {
                set_current: driver.function("cuCtxSetCurrent"),
                get_current: driver.function("cuCtxGetCurrent"),
                stream: driver.function("cuStreamCreate"),
                end_stream: driver.function("cuStreamDestroy_v2"),
                wait: driver.function("cuStreamSynchronize"),
                stream_waits: driver.function("cuStreamWaitEvent"),
                event: driver.function("cuEventCreate"),
                record: driver.function("cuEventRecord"),
                alloc: driver.function("cuMemAlloc_v2"),
                free: driver.function("cuMemFree_v2"),
                to_device: driver.function("cuMemcpyHtoDAsync_v2"),
                from_device: driver.function("cuMemcpyDtoHAsync_v2"),
                register: driver.function("cuMemHostRegister_v2"),
                unregister: driver.function("cuMemHostUnregister"),
            }
        }
    }

    pub fn current(&self) -> Handle {
        let mut context = null_mut();
        assert_eq!((self.get_current)(&raw mut context), 0);
        context
    }

    pub fn new_stream(&self) -> Handle {
        let mut stream = null_mut();
        assert_eq!((self.stream)(&raw mut stream, 1), 0);
        stream
    }

    pub fn new_event(&self) -> Handle {
        let mut event = null_mut();
        assert_eq!((self.event)(&raw mut event, 2), 0);
        event
    }

    pub fn new_memory(&self, bytes: usize) -> u64 {
        let mut address = 0;
        assert_eq!((self.alloc)(&raw mut address, bytes), 0);
        address
    }
}

/// A stream of somebody else's, destroyed when it is dropped.
pub struct TheirStream<'a>(pub &'a Raw, pub Handle);

impl Drop for TheirStream<'_> {
    fn drop(&mut self) {
        assert_eq!((self.0.end_stream)(self.1), 0);
    }
}

/// Memory of somebody else's.
pub struct TheirMemory<'a>(pub &'a Raw, pub u64, pub usize);

impl<'a> TheirMemory<'a> {
    pub fn new<T>(raw: &'a Raw, len: usize) -> Self {
        Self(raw, raw.new_memory(len * size_of::<T>()), len)
    }
}

impl Drop for TheirMemory<'_> {
    fn drop(&mut self) {
        assert_eq!((self.0.free)(self.1), 0);
    }
}

pub fn words(hits: &[Hit]) -> Vec<[u32; 4]> {
    hits.iter().map(|hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive]).collect()
}

/// A device in a context of somebody else's, which is current.
pub fn their_device(driver: &Driver, raw: &Raw) -> (Device, Handle) {
    // SAFETY: the function has this type.
    let context = unsafe { driver.function::<extern "C" fn(u64) -> u64>("raywarp_pretend_context") }(0) as Handle;
    assert_eq!((raw.set_current)(context), 0);
    // SAFETY: the context stays until the process ends.
    (unsafe { Device::from_context(context) }.unwrap(), context)
}
