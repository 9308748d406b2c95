//! The pretended CUDA driver in this process.
#![allow(dead_code)] // Each test file uses a part.

use raywarp_cuda_emulation::driver_for_test;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// No call.
pub const NEVER: u64 = u64::MAX;

/// The pretended driver in this process, for one test at a time.
pub struct Driver(libloading::Library);

impl Driver {
    /// Where there is none, the test is noted as skipped.
    #[track_caller]
    pub fn get() -> Option<MutexGuard<'static, Driver>> {
        static DRIVER: OnceLock<Mutex<Driver>> = OnceLock::new();
        let folder = driver_for_test()?;
        let driver = DRIVER.get_or_init(|| {
            // SAFETY: our own library, which does nothing when it is loaded.
            let library = unsafe { libloading::Library::new(format!("{folder}/libcuda.so")) };
            Mutex::new(Driver(library.unwrap_or_else(|error| panic!("{folder}: {error}"))))
        });
        let driver = driver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        driver.fails_at(NEVER, false);
        driver.devices(1);
        driver.memory(1 << 30);
        driver.order(0);
        driver.ticks(false);
        driver.late(false);
        Some(driver)
    }

    /// The call from now on that fails: it alone, or all that follow too.
    pub fn fails_at(&self, call: u64, once: bool) {
        // SAFETY: the function has this type in driver/driver.cpp.
        unsafe {
            let set = self.0.get::<extern "C" fn(u64, i32)>(b"raywarp_pretend_fails_at").unwrap();
            set(call, i32::from(once));
        }
    }

    /// How many devices there are from now on, at most 8.
    pub fn devices(&self, count: u64) {
        // SAFETY: as above.
        unsafe { self.0.get::<extern "C" fn(u64)>(b"raywarp_pretend_devices").unwrap()(count) };
    }

    /// The call on a device from now on that fails, after [`Driver::fails_at`], which forgets this.
    pub fn device_fails_at(&self, device: u64, call: u64, once: bool) {
        // SAFETY: as above.
        unsafe {
            let set = self.0.get::<extern "C" fn(u64, u64, i32)>(b"raywarp_pretend_device_fails_at").unwrap();
            set(device, call, i32::from(once));
        }
    }

    /// Calls on a device that might have failed since then.
    pub fn device_calls(&self, device: u64) -> u64 {
        // SAFETY: as above.
        unsafe { self.0.get::<extern "C" fn(u64) -> u64>(b"raywarp_pretend_device_calls").unwrap()(device) }
    }

    /// Bytes of a device beside what is taken.
    pub fn device_memory(&self, device: u64, bytes: u64) {
        // SAFETY: as above.
        unsafe { self.0.get::<extern "C" fn(u64, u64)>(b"raywarp_pretend_device_memory").unwrap()(device, bytes) };
    }

    /// Bytes of each device beside what is taken.
    pub fn memory(&self, bytes: u64) {
        // SAFETY: as above.
        unsafe { self.0.get::<extern "C" fn(u64)>(b"raywarp_pretend_memory").unwrap()(bytes) };
    }

    /// The order in which lanes and warps run from now on: 0 upwards, 1 downwards, any other number a seed.
    pub fn order(&self, order: u64) {
        // SAFETY: as above.
        unsafe { self.0.get::<extern "C" fn(u64)>(b"raywarp_pretend_order").unwrap()(order) };
    }

    /// Whether events tell the time by a clock of the device on which a launch takes a millisecond, and a copy or a setting of
    /// memory a second; else they tell the host's.
    pub fn ticks(&self, ticks: bool) {
        // SAFETY: as above.
        unsafe { self.0.get::<extern "C" fn(u64)>(b"raywarp_pretend_ticks").unwrap()(u64::from(ticks)) };
    }

    /// Whether streams do everything as late as they may from now on, or at once. Memory that is given back runs ahead.
    pub fn late(&self, late: bool) {
        self.lateness(u64::from(late));
    }

    /// As [`Driver::late`], and memory that is given back is late too.
    pub fn later(&self) {
        self.lateness(2);
    }

    fn lateness(&self, late: u64) {
        // SAFETY: as above.
        unsafe { self.0.get::<extern "C" fn(u64)>(b"raywarp_pretend_late").unwrap()(late) };
    }

    /// A function of the driver's, for a test that uses it as others do.
    ///
    /// # Safety
    /// `F` is the type of the function.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the caller keeps the promise; the library stays loaded.
        unsafe { *self.0.get::<F>(name.as_bytes()).unwrap() }
    }

    /// One of its numbers.
    pub fn ask(&self, what: &str) -> u64 {
        // SAFETY: as above; all of them have this type.
        unsafe { self.0.get::<extern "C" fn() -> u64>(format!("raywarp_pretend_{what}").as_bytes()).unwrap()() }
    }
}
