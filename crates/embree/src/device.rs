//! Devices of Embree: their options, how they are opened, and the errors they report.

use crate::api::{Api, Handle, NATIVE_RAY8, NATIVE_RAY16, VERSION_PARTS, error_name};
use crate::{EmbreeError, Library, queries, scene};
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;

/// Options of an Embree device: instruction set and number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceOptions<'a> {
    /// Highest instruction set that Embree may use, by Embree's name: `sse2`, `avx2`, `avx512`. Without one, all that
    /// the CPU has.
    pub isa: Option<&'a str>,
    /// Number of threads that build trees; one for each processor if `None`. Queries run on the caller's threads.
    pub threads: Option<usize>,
}

impl DeviceOptions<'_> {
    /// Returns the options as the configuration string that Embree takes.
    pub fn config(&self) -> String {
        let mut parts = Vec::new();
        if let Some(isa) = self.isa {
            parts.push(format!("isa={isa}"));
        }
        if self.isa == Some("avx512") {
            // Its documentation lets it avoid such instructions for the sake of clocks, unless it is told not to.
            parts.push("frequency_level=simd512".to_string());
        }
        if let Some(threads) = self.threads {
            parts.push(format!("threads={threads}"));
        }
        parts.join(",")
    }
}

/// Open Embree device; clones share it.
#[derive(Debug, Clone)]
pub struct EmbreeDevice(pub(crate) Arc<OpenDevice>);

pub(crate) struct OpenDevice {
    pub api: &'static Api,
    pub handle: Handle,
    version: [isize; 3],
    config: String,
}

// SAFETY: Embree's devices may be used by several threads at a time; what they point to is released once, with the
// last.
unsafe impl Send for OpenDevice {}
// SAFETY: as above.
unsafe impl Sync for OpenDevice {}

impl std::fmt::Debug for OpenDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenDevice")
            .field("version", &self.version)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl Drop for OpenDevice {
    fn drop(&mut self) {
        // SAFETY: the handle is a device's, and nobody has it after this.
        unsafe { (self.api.release_device)(self.handle) }
    }
}

impl OpenDevice {
    /// Returns the error, if any, that Embree recorded on this thread since the last check.
    pub fn check(&self, what: &'static str) -> Result<(), EmbreeError> {
        // SAFETY: the handle is an open device's.
        match unsafe { (self.api.device_error)(self.handle) } {
            0 => Ok(()),
            code => Err(EmbreeError::Failed { what, reason: reason(self.api, self.handle, code) }),
        }
    }

    fn property(&self, property: c_int) -> isize {
        // SAFETY: the handle is an open device's.
        unsafe { (self.api.device_property)(self.handle, property) }
    }
}

/// Returns Embree's own message for an error, else the name of its code.
fn reason(api: &Api, device: Handle, code: c_int) -> String {
    // SAFETY: the handle is an open device's or null, which the function takes.
    let message = api.last_message.map_or(std::ptr::null(), |message| unsafe { message(device) });
    if message.is_null() {
        return error_name(code);
    }
    // SAFETY: Embree returns a text that ends with 0 and lives until its next error.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    if text.is_empty() { error_name(code) } else { format!("{}: {text}", error_name(code)) }
}

impl EmbreeDevice {
    /// Opens a device, and checks that this crate declares rays and hits with the memory layout that the library uses.
    ///
    /// # Errors
    /// [`EmbreeError`] if Embree refuses, is of another version than 4, or has other structures.
    pub fn new(library: Library, options: &DeviceOptions<'_>) -> Result<Self, EmbreeError> {
        let (api, config) = (library.api, options.config());
        let what = "opening a device";
        let text = CString::new(config.clone());
        let text = text.map_err(|_| EmbreeError::Failed { what, reason: "its options hold a 0".to_string() })?;
        // SAFETY: the text ends with 0 and outlives the call.
        let handle = unsafe { (api.new_device)(text.as_ptr()) };
        if handle.is_null() {
            // SAFETY: without a device the error of this thread is asked for.
            let code = unsafe { (api.device_error)(std::ptr::null_mut()) };
            return Err(EmbreeError::Failed { what, reason: reason(api, handle, code) });
        }
        let mut device = OpenDevice { api, handle, version: [0; 3], config };
        device.version = VERSION_PARTS.map(|part| device.property(part));
        device.check(what)?;
        let device = Self(Arc::new(device));
        if device.0.version[0] != 4 {
            return Err(EmbreeError::Version { found: device.version() });
        }
        queries::check_layout(&device, &scene::one_triangle(&device)?)?;
        Ok(device)
    }

    /// Returns Embree's version, such as `4.4.0`.
    pub fn version(&self) -> String {
        self.0.version.map(|part| part.to_string()).join(".")
    }

    /// Returns the configuration string with which the device was opened.
    pub fn config(&self) -> &str {
        &self.0.config
    }

    /// Returns for packets of 8 and of 16 rays whether Embree traces them with code of its own, not ray by ray.
    pub fn native_packets(&self) -> [bool; 2] {
        [NATIVE_RAY8, NATIVE_RAY16].map(|property| self.0.property(property) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_in_embrees_words() {
        assert_eq!(DeviceOptions::default().config(), "");
        assert_eq!(DeviceOptions { isa: Some("avx2"), threads: Some(2) }.config(), "isa=avx2,threads=2");
        assert_eq!(DeviceOptions { isa: Some("avx512"), threads: None }.config(), "isa=avx512,frequency_level=simd512");
    }
}
