//! Kernels that are compiled ahead of time and embedded: each crate that brings kernels of its own has one set of
//! them, which `cargo xtask kernels` writes. It knows them by the names of their sources and entry points, whatever
//! they do.

use crate::error::{DriverCall, driver};
use crate::names::BLOCK_THREADS;
use crate::resources::KernelResources;
use crate::{CudaError, Device, Function, elf};
use cudarc::driver::{CudaModule, sys};
use cudarc::nvrtc::Ptx;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use xz4rust::{XzDecoder, XzNextBlockResult};

/// A compressed kernel file: compute capability (90 for 9.0, 0 for PTX), and its bytes packed as xz.
pub type KernelImage = (u32, &'static [u8]);

/// The compiled kernels that a crate embeds, with tables of their costs and resources. The fields are those of its
/// `prebuilt/table.rs`, and `resources.csv`.
#[derive(Debug, Clone, Copy)]
pub struct KernelSet {
    /// Compiled images of each source, by architecture (0 for PTX).
    pub images: &'static [(&'static str, &'static [KernelImage])],
    /// Tables of the costs of all kernels, by architecture.
    pub costs: &'static [KernelImage],
    /// Tables of the source lines of all kernels' instructions, by architecture.
    pub lines: &'static [KernelImage],
    /// Table of the resources of a multiprocessor that each kernel takes, as CSV.
    pub resources: &'static str,
}

/// A loaded CUDA module, and the compute capability that it was compiled for (0 for PTX).
type Loaded = (Arc<CudaModule>, u32);

/// Modules loaded in a context, by the index of the device and the address of the source's list of images. Each has a
/// lock of its own, so that devices load theirs side by side.
pub(crate) type Modules = Mutex<HashMap<(usize, usize), Arc<Mutex<Option<Loaded>>>>>;

impl KernelSet {
    fn images(&self, source: &str) -> Option<&'static [KernelImage]> {
        self.images.iter().find(|(known, _)| *known == source).map(|(_, images)| *images)
    }

    /// Loads the kernel `name` of `source` on `device`, whose modules are loaded once; `None` if the set has no such
    /// kernel.
    ///
    /// # Errors
    /// [`CudaError`]: the driver refuses the code, or no image is for this device.
    pub fn function(&self, device: &Device, source: &str, name: &str) -> Result<Option<Function>, CudaError> {
        // Of primary contexts, which are there until the process ends.
        static LOADED: OnceLock<Modules> = OnceLock::new();
        let Some(images) = self.images(source) else { return Ok(None) };
        // Looking for a kernel asks for the thread's own context, and this thread may have used another device last.
        let _current = device.choose()?;
        let key = (device.context().ordinal(), images.as_ptr().addr());
        let loaded = device.modules().map_or_else(|| LOADED.get_or_init(Mutex::default), |modules| &**modules);
        let mut all = loaded.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let own = all.entry(key).or_default().clone();
        drop(all);
        let mut own = own.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (module, capability) = match &*own {
            Some(loaded) => loaded.clone(),
            None => own.insert(load(device, images)?).clone(),
        };
        // Of a file that holds all kernels of a loop a missing name is a variant that was not compiled.
        match module.load_function(name) {
            Ok(function) => Ok(Some(Function::new(device, function, BLOCK_THREADS, capability))),
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NOT_FOUND => Ok(None),
            Err(error) => Err(driver(DriverCall::FindKernel)(error)),
        }
    }

    /// Returns an FNV-1a hash of the kernel images that run on `device`, with their names: it changes when kernels do.
    ///
    /// # Errors
    /// [`CudaError::OldDevice`].
    pub fn hash(&self, device: &Device) -> Result<u64, CudaError> {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for (source, images) in self.images {
            let (_, packed) = best(device, images)?;
            for &byte in source.as_bytes().iter().chain(packed) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
            }
        }
        Ok(hash)
    }

    /// Returns the PTX text of all kernels of `source`.
    pub(crate) fn ptx(&self, source: &str) -> Result<Option<String>, CudaError> {
        let Some(images) = self.images(source) else { return Ok(None) };
        let Some((_, packed)) = images.iter().find(|image| image.0 == 0) else { return Ok(None) };
        let image = unpack(packed)?;
        Ok(Some(String::from_utf8_lossy(&image).into_owned()))
    }

    /// Returns the machine code (cubin) of all kernels of `source` for an architecture.
    pub fn cubin(&self, source: &str, architecture: u32) -> Option<&'static [u8]> {
        let images = self.images(source)?;
        let (_, packed) = images.iter().find(|image| image.0 == architecture)?;
        unpacked_once(packed)
    }

    /// Returns the architecture whose machine code runs on a GPU of a compute capability, major and minor (90 on 9.0);
    /// `None` if the driver has to compile PTX for it.
    pub fn architecture_for(&self, capability: (i32, i32)) -> Option<u32> {
        self.images.iter().find_map(|(_, images)| fitting(capability, images)).map(|image| image.0)
    }

    /// Returns the architectures that costs and resources are known for, oldest first (90 for compute capability 9.0).
    pub fn cost_architectures(&self) -> impl Iterator<Item = u32> {
        let mut known: Vec<u32> = self.costs.iter().map(|(architecture, _)| *architecture).collect();
        known.sort_unstable();
        known.into_iter()
    }

    /// Returns the table of kernel costs for an architecture; `None` where there is none.
    pub fn cost_table(&self, architecture: u32) -> Option<&'static str> {
        let (_, packed) = self.costs.iter().find(|(known, _)| *known == architecture)?;
        std::str::from_utf8(unpacked_once(packed)?).ok()
    }

    /// Returns the table of the source lines of all kernels' instructions for an architecture; `None` where there is
    /// none.
    pub fn line_table(&self, architecture: u32) -> Option<&'static str> {
        let (_, packed) = self.lines.iter().find(|(known, _)| *known == architecture)?;
        std::str::from_utf8(unpacked_once(packed)?).ok()
    }

    /// Returns the machine code of the kernel `name` of `source` for an architecture; `None` where it is not compiled
    /// for it.
    pub fn machine_code(&self, source: &str, name: &str, architecture: u32) -> Option<&'static [u8]> {
        let sections = elf::code(self.cubin(source, architecture)?).ok()?;
        sections.into_iter().find(|(known, _)| *known == name).map(|(_, code)| code)
    }

    /// Returns the resources that the kernel `name` takes on an architecture in blocks of `block_threads` threads;
    /// `None` where it is not compiled for it.
    pub fn resources(&self, name: &str, architecture: u32, block_threads: u32) -> Option<KernelResources> {
        let start = format!("{name},{architecture},");
        let rest = self.resources.lines().find_map(|line| line.strip_prefix(&start))?;
        let numbers: Vec<u32> = rest.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
        let &[registers, _, _, local_bytes, shared_bytes] = &numbers[..] else { return None };
        Some(KernelResources { registers, local_bytes, shared_bytes, block_threads })
    }
}

/// Returns an embedded file unpacked: a megabyte or so, which is kept from the first use until the process ends.
fn unpacked_once(packed: &'static [u8]) -> Option<&'static [u8]> {
    static KEPT: Mutex<Vec<(&'static [u8], &'static [u8])>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, unpacked)) = kept.iter().find(|(known, _)| std::ptr::eq(*known, packed)) {
        return Some(unpacked);
    }
    let unpacked: &'static [u8] = unpack(packed).ok()?.leak();
    kept.push((packed, unpacked));
    Some(unpacked)
}

/// Largest memory in bytes that unpacking may take beside its result, against damaged files: embedded ones need at most
/// twice their size.
const MAX_DICTIONARY: usize = 1 << 26;

fn unpack(packed: &[u8]) -> Result<Vec<u8>, CudaError> {
    let damaged = |message: String| CudaError::DamagedImage { message };
    let mut decoder = XzDecoder::in_heap_with_alloc_dict_size(1 << 12, MAX_DICTIONARY);
    let mut part = vec![0; 1 << 16];
    let (mut image, mut rest) = (Vec::new(), packed);
    loop {
        let step = decoder.decode(rest, &mut part).map_err(|error| damaged(error.to_string()))?;
        rest = &rest[step.input_consumed()..];
        image.extend_from_slice(&part[..step.output_produced()]);
        match step {
            XzNextBlockResult::EndOfStream(..) if rest.is_empty() => return Ok(image),
            XzNextBlockResult::EndOfStream(..) => return Err(damaged(format!("{} bytes too many", rest.len()))),
            XzNextBlockResult::NeedMoreData(0, 0) => return Err(damaged("it is cut off".to_string())),
            XzNextBlockResult::NeedMoreData(..) => {}
        }
    }
}

/// Returns the best image for the device: one for a compute capability runs on its major version from its minor version
/// on; PTX runs wherever the driver can compile it.
fn best(device: &Device, images: &[KernelImage]) -> Result<KernelImage, CudaError> {
    let best = fitting(device.capability(), images).or_else(|| images.iter().find(|image| image.0 == 0));
    best.copied()
        .ok_or_else(|| CudaError::OldDevice { name: device.name().to_string(), capability: device.capability() })
}

/// Returns the best machine code among the images for a compute capability.
fn fitting((major, minor): (i32, i32), images: &[KernelImage]) -> Option<&KernelImage> {
    let found = u32::try_from(10 * major + minor).ok()?;
    let fits = |&&(image, _): &&KernelImage| image > 0 && image / 10 == found / 10 && image <= found;
    images.iter().filter(fits).max_by_key(|image| image.0)
}

fn load(device: &Device, images: &[KernelImage]) -> Result<Loaded, CudaError> {
    let (capability, packed) = best(device, images)?;
    let image = unpack(packed)?;
    let image = if capability == 0 {
        Ptx::from_src(String::from_utf8_lossy(&image).into_owned())
    } else {
        Ptx::from_binary(image)
    };
    let module = device.context().load_module(image).map_err(driver(DriverCall::LoadKernels))?;
    Ok((module, capability))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FAMILY;

    #[test]
    fn a_set_knows_its_own_kernels_and_no_others() {
        let name = "direct_packet_bvh2__any";
        let images: Vec<_> = FAMILY.images.iter().copied().filter(|(source, _)| *source == "packet").collect();
        let resources = FAMILY.resources.lines().find(|line| line.starts_with(&format!("{name},90,"))).unwrap();
        let own = KernelSet { images: images.leak(), costs: &[], lines: &[], resources };
        assert_eq!(own.machine_code("packet", name, 90), FAMILY.machine_code("packet", name, 90));
        assert!(own.machine_code("packet", name, 90).is_some());
        assert_eq!(own.machine_code("phased", "direct_phased_h8__any", 90), None);
        assert_eq!(own.resources(name, 90, 128), FAMILY.resources(name, 90, 128));
        assert!(own.resources(name, 90, 128).is_some() && own.resources(name, 80, 128).is_none());
        assert_eq!((own.cost_table(90), own.cost_architectures().count()), (None, 0));
        assert!(own.ptx("packet").unwrap().is_some() && own.ptx("phased").unwrap().is_none());
    }

    #[test]
    fn a_gpu_runs_the_newest_machine_code_of_its_generation() {
        for (capability, architecture) in [
            ((9, 0), Some(90)),
            ((8, 7), Some(86)),
            ((8, 9), Some(89)),
            ((12, 1), Some(120)),
            ((11, 0), None),
            ((0, 0), None),
        ] {
            assert_eq!(FAMILY.architecture_for(capability), architecture, "{capability:?}");
        }
    }

    #[test]
    fn a_damaged_image_is_an_error() {
        let set = |packed: Vec<u8>| {
            let images: &[KernelImage] = vec![(0, &*packed.leak()), (90, b"nor is this one")].leak();
            KernelSet { images: vec![("packet", images)].leak(), costs: images, lines: images, resources: "" }
        };
        let (_, images) = FAMILY.images.iter().find(|(source, _)| *source == "packet").unwrap();
        let (_, packed) = images.iter().find(|(architecture, _)| *architecture == 0).unwrap();
        assert_eq!(set(packed.to_vec()).ptx("packet"), FAMILY.ptx("packet"));
        let check = |damage: &str, packed: Vec<u8>| {
            let found = set(packed).ptx("packet");
            assert!(matches!(found, Err(CudaError::DamagedImage { .. })), "{damage}: {found:?}");
        };
        for length in (0..packed.len()).step_by(101).chain([packed.len() - 1]) {
            check(&format!("cut to {length} bytes"), packed[..length].to_vec());
        }
        for at in (0..packed.len()).step_by(97).chain(0..24).chain(packed.len() - 24..packed.len()) {
            let mut changed = packed.to_vec();
            changed[at] ^= 1 << (at % 8);
            check(&format!("another byte {at}"), changed);
        }
        check("a byte too many", [packed, &b"."[..]].concat());
        let damaged = set(Vec::new());
        assert_eq!(damaged.machine_code("packet", "direct_packet_bvh2__any", 90), None);
        assert_eq!((damaged.cost_table(0), damaged.line_table(90)), (None, None));
    }
}
