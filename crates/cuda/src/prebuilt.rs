//! The compiled kernels: for each source and architecture a cubin, and PTX for what comes after, compressed.

use crate::CudaError;
use cudarc::driver::{CudaFunction, CudaModule};
use cudarc::nvrtc::Ptx;
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock};

use crate::Device;
use crate::error::driver;

/// Compute capability, 0 for PTX, and the compressed image.
type Image = (u32, &'static [u8]);

include!("../prebuilt/table.rs");

/// Compute capability and index of the context's device: what a loaded module belongs to.
type Loaded = Mutex<HashMap<(usize, &'static str), Arc<CudaModule>>>;

/// The kernel `name` of `source` on `device`; modules are loaded once a device.
pub(crate) fn kernel(device: &Device, source: &str, name: &str) -> Result<Option<CudaFunction>, CudaError> {
    static LOADED: OnceLock<Loaded> = OnceLock::new();
    let Some(&(source, images)) = PREBUILT.iter().find(|(known, _)| *known == source) else { return Ok(None) };
    let mut loaded = LOADED.get_or_init(Mutex::default).lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let key = (device.context().ordinal(), source);
    let module = match loaded.get(&key) {
        Some(module) => module.clone(),
        None => {
            let module = load(device, images)?;
            loaded.insert(key, module.clone());
            module
        }
    };
    // Of a file that holds all kernels of an organisation a missing name is a variant that was not compiled.
    Ok(module.load_function(name).ok())
}

/// A hash of the images that run on `device` (FNV-1a over them and their names): other kernels, another hash.
pub(crate) fn hash(device: &Device) -> Result<u64, CudaError> {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for (source, images) in PREBUILT {
        let (_, packed) = best(device, images)?;
        for &byte in source.as_bytes().iter().chain(packed) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
    Ok(hash)
}

/// The PTX of all kernels of `source`.
pub(crate) fn ptx(source: &str) -> Result<Option<String>, CudaError> {
    let Some((_, images)) = PREBUILT.iter().find(|(known, _)| *known == source) else { return Ok(None) };
    let Some((_, packed)) = images.iter().find(|image| image.0 == 0) else { return Ok(None) };
    let image = unpack(packed)?;
    Ok(Some(String::from_utf8_lossy(&image).into_owned()))
}

/// The machine code of all kernels of `source` for an architecture.
pub(crate) fn cubin(source: &str, architecture: u32) -> Option<&'static [u8]> {
    let (_, images) = PREBUILT.iter().find(|(known, _)| *known == source)?;
    let (_, packed) = images.iter().find(|image| image.0 == architecture)?;
    unpacked_once(packed)
}

/// What a file of the table holds, a megabyte or so: unpacked when it is first asked for, and kept until the process ends, since
/// there are a handful.
pub(crate) fn unpacked_once(packed: &'static [u8]) -> Option<&'static [u8]> {
    static KEPT: Mutex<Vec<(&'static [u8], &'static [u8])>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, unpacked)) = kept.iter().find(|(known, _)| std::ptr::eq(*known, packed)) {
        return Some(unpacked);
    }
    let unpacked: &'static [u8] = unpack(packed).ok()?.leak();
    kept.push((packed, unpacked));
    Some(unpacked)
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, CudaError> {
    let mut image = Vec::new();
    GzDecoder::new(packed)
        .read_to_end(&mut image)
        .map_err(|error| CudaError::Driver { doing: "unpacking a kernel", message: error.to_string() })?;
    Ok(image)
}

/// An image for a compute capability runs on the same major version from the same minor on; PTX, of capability 0
/// here, on all that the driver can compile it for.
fn best(device: &Device, images: &[Image]) -> Result<Image, CudaError> {
    let (major, minor) = device.capability();
    let found = (10 * major + minor) as u32;
    let fits = |&&(image, _): &&Image| image / 10 == found / 10 && image <= found;
    let best = images.iter().filter(fits).max_by_key(|image| image.0).or_else(|| images.iter().find(|i| i.0 == 0));
    best.copied()
        .ok_or_else(|| CudaError::OldDevice { name: device.name().to_string(), capability: device.capability() })
}

fn load(device: &Device, images: &[Image]) -> Result<Arc<CudaModule>, CudaError> {
    let (capability, packed) = best(device, images)?;
    let image = unpack(packed)?;
    let image = if capability == 0 {
        Ptx::from_src(String::from_utf8_lossy(&image).into_owned())
    } else {
        Ptx::from_binary(image)
    };
    device.context().load_module(image).map_err(driver("loading kernels"))
}
