//! Errors of GPUs: no driver, no device, no kernel, limits, failed calls.

use crate::names::sure_up_to;
use raywarp_family::Variant;

/// Error of a GPU: it cannot be used, or a call failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The machine has no driver library.
    #[error("there is no NVIDIA driver on this machine (libcuda was not found)")]
    NoDriver,
    /// The driver lacks what the kernels need.
    #[error("the NVIDIA driver is too old: it speaks CUDA {}.{}, {} is needed", .version / 1000, .version % 1000 / 10, Self::NEEDED_TEXT)]
    OldDriver {
        /// Version as the driver says it: 1000 times the major version and 10 times the minor.
        version: i32,
    },
    /// There is no device of that number.
    #[error("there is no CUDA device {ordinal}; {count} found")]
    NoDevice {
        /// Number of the device that was asked for.
        ordinal: usize,
        /// Number of devices that there are.
        count: usize,
    },
    /// The device's architecture is older than all prebuilt kernels.
    #[error("{name} has compute capability {}.{}; 7.5 or newer is needed", .capability.0, .capability.1)]
    OldDevice {
        /// The device's name.
        name: String,
        /// Major and minor.
        capability: (i32, i32),
    },
    /// The variant was not compiled.
    #[error("{variant} is not among the compiled kernels")]
    NoKernel {
        /// Variant that has no kernel.
        variant: Box<Variant>,
    },
    /// The kernel, which is no variant, is not among the embedded images: they are older than its source.
    #[error("the kernel {kernel} is not embedded; cargo xtask kernels compiles it")]
    NotEmbedded {
        /// Name of the kernel.
        kernel: &'static str,
    },
    /// An embedded image cannot be unpacked.
    #[error("an embedded kernel is damaged ({message}); build again, or take another copy of the program")]
    DamagedImage {
        /// Message of the unpacker.
        message: String,
    },
    /// The tree needs a deeper stack than the kernels have.
    #[error("the tree needs a stack of {needed} entries; the kernel has {found}")]
    StackTooShallow {
        /// Entries that the tree needs.
        needed: usize,
        /// Entries that the kernel's stack has.
        found: usize,
    },
    /// A kernel that loses no ray elsewhere may lose some in this scene.
    #[error("the scene reaches {farthest:e} from its origin, and {variant} may lose rays beyond {limit:e}")]
    Unsure {
        /// Variant that may lose rays.
        variant: Box<Variant>,
        /// The scene's largest coordinate.
        farthest: f32,
        /// Largest coordinate up to which the kernel is sure.
        limit: f32,
    },
    /// A leaf does not fit the kernels' one-word entries.
    #[error(
        "a leaf of {count} records from record {first} on: kernels take at most 16 records a leaf, and 2^27 in all"
    )]
    LeafTooLarge {
        /// Records of the leaf.
        count: u32,
        /// First record of the leaf.
        first: u32,
    },
    /// A kernel cannot have this block size or register limit.
    #[error("{kernel} cannot run with {bounds}: {why}")]
    Bounds {
        /// Name of the kernel: its variant where it is of the family, else the owner of the kernels.
        kernel: String,
        /// Bounds that were asked for.
        bounds: crate::LaunchBounds,
        /// Reason why the kernel cannot have them.
        why: &'static str,
    },
    /// The device has not enough free memory.
    #[error("{what} needs {} MiB of device memory, {} MiB are free", .needed.div_ceil(1 << 20), .free >> 20)]
    OutOfMemory {
        /// Data that did not fit.
        what: &'static str,
        /// Bytes that are needed.
        needed: usize,
        /// Bytes that are free.
        free: usize,
    },
    /// No kernel of those to choose from can be run.
    #[error("none of the kernels that \"auto\" chooses from runs on this device")]
    NoCandidate,
    /// The tree of the scene that kernels are timed on cannot be built.
    #[error(transparent)]
    Build(#[from] raywarp_bvh::BuildError),
    /// The tree cannot be encoded.
    #[error(transparent)]
    Layout(#[from] raywarp_layout::LayoutError),
    /// The driver reports an error, from this call or an earlier launch.
    #[error("the CUDA driver failed while {doing}: {message}")]
    Driver {
        /// Operation that failed.
        doing: &'static str,
        /// The driver's name and text of the error.
        message: String,
    },
}

impl CudaError {
    /// CUDA 12.0: the driver of R525.
    pub(crate) const NEEDED: i32 = 12000;
    const NEEDED_TEXT: &'static str = "12.0 (driver 525 or newer)";

    /// Returns `true` if a kernel's tree cannot hold a scene that the tree of another kernel may hold.
    pub fn is_limit(&self) -> bool {
        let of_scene = matches!(self, Self::Unsure { .. });
        of_scene || matches!(self, Self::Layout(_) | Self::LeafTooLarge { .. } | Self::StackTooShallow { .. })
    }

    /// Refuses `variant`, one that loses no ray, where a scene whose largest coordinate is `farthest` is beyond that
    /// promise.
    ///
    /// # Errors
    /// [`CudaError::Unsure`].
    pub fn check_reach(variant: &Variant, farthest: f32) -> Result<(), Self> {
        let limit = sure_up_to(variant);
        // A coordinate that is no number is beyond, too.
        let is_near = farthest <= limit;
        if is_near { Ok(()) } else { Err(Self::Unsure { variant: Box::new(*variant), farthest, limit }) }
    }
}

/// Makes the driver's error while `doing` something.
pub(crate) fn driver(doing: &'static str) -> impl Fn(cudarc::driver::DriverError) -> CudaError {
    move |error| {
        let text = |text: Result<&std::ffi::CStr, _>| {
            text.map_or("unknown".into(), |text| text.to_string_lossy().into_owned())
        };
        CudaError::Driver { doing, message: format!("{}: {}", text(error.error_name()), text(error.error_string())) }
    }
}
