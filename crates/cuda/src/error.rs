//! Errors of GPUs: no driver, no device, no kernel, limits, failed calls.

use crate::names::sure_up_to;
use raywarp_family::Variant;

/// Error of a GPU that cannot be used, or of a CUDA call that failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The machine has no NVIDIA driver library.
    #[error("there is no NVIDIA driver on this machine (libcuda was not found)")]
    NoDriver,
    /// The NVIDIA driver is too old for the kernels.
    #[error("the NVIDIA driver is too old: it speaks CUDA {}.{}, {} is needed", .version / 1000, .version % 1000 / 10, Self::NEEDED_TEXT)]
    OldDriver {
        /// CUDA version of the driver: 1000 times the major version and 10 times the minor.
        version: i32,
    },
    /// There is no CUDA device of that index.
    #[error("there is no CUDA device {ordinal}; {count} found")]
    NoDevice {
        /// Index of the device that was asked for.
        ordinal: usize,
        /// Number of CUDA devices of the machine.
        count: usize,
    },
    /// The GPU's architecture is older than all prebuilt kernels.
    #[error("{name} has compute capability {}.{}; 7.5 or newer is needed", .capability.0, .capability.1)]
    OldDevice {
        /// Name of the GPU.
        name: String,
        /// Compute capability of the GPU, major and minor.
        capability: (i32, i32),
    },
    /// No kernel was compiled for the variant.
    #[error("{variant} is not among the compiled kernels")]
    NoKernel {
        /// Variant that has no kernel.
        variant: Box<Variant>,
    },
    /// The kernel, which is not of a variant, is missing in the embedded images: they are older than its source.
    #[error("the kernel {kernel} is not embedded; cargo xtask kernels compiles it")]
    NotEmbedded {
        /// Name of the missing kernel.
        kernel: &'static str,
    },
    /// An embedded kernel image cannot be unpacked.
    #[error("an embedded kernel is damaged ({message}); build again, or take another copy of the program")]
    DamagedImage {
        /// Message of the decompressor.
        message: String,
    },
    /// The tree needs a deeper stack than the kernels have.
    #[error("the tree needs a stack of {needed} entries; the kernel has {found}")]
    StackTooShallow {
        /// Number of stack entries that the tree needs.
        needed: usize,
        /// Number of stack entries that the kernels have.
        found: usize,
    },
    /// The scene's coordinates are too large: a kernel that loses no ray elsewhere may lose some.
    #[error("the scene reaches {farthest:e} from its origin, and {variant} may lose rays beyond {limit:e}")]
    Unsure {
        /// Variant that may lose rays in the scene.
        variant: Box<Variant>,
        /// Largest coordinate of the scene.
        farthest: f32,
        /// Largest coordinate up to which the kernel loses no ray.
        limit: f32,
    },
    /// A leaf of the tree has too many triangle records for the kernels' one-word entries.
    #[error(
        "a leaf of {count} records from record {first} on: kernels take at most 16 records a leaf, and 2^27 in all"
    )]
    LeafTooLarge {
        /// Number of triangle records in the leaf.
        count: u32,
        /// Index of the leaf's first triangle record.
        first: u32,
    },
    /// A kernel cannot have this block size or register limit.
    #[error("{kernel} cannot run with {bounds}: {why}")]
    Bounds {
        /// Name of the kernel: its variant if it is of the family, else what the kernels belong to.
        kernel: String,
        /// Launch bounds that were asked for.
        bounds: crate::LaunchBounds,
        /// Reason why the kernel cannot have the bounds.
        why: BoundsFault,
    },
    /// The device has not enough free memory.
    #[error("{what} needs {} MiB of device memory, {} MiB are free", .needed.div_ceil(1 << 20), .free >> 20)]
    OutOfMemory {
        /// Name of the data that did not fit.
        what: &'static str,
        /// Number of bytes that are needed.
        needed: usize,
        /// Number of bytes that are free.
        free: usize,
    },
    /// None of the kernels to choose from can run on the device.
    #[error("none of the kernels that \"auto\" chooses from runs on this device")]
    NoCandidate,
    /// The tree of the generated scene that kernels are timed on cannot be built.
    #[error(transparent)]
    Build(#[from] raywarp_bvh::BuildError),
    /// The scene's tree cannot be encoded for the variant.
    #[error(transparent)]
    Layout(#[from] raywarp_layout::LayoutError),
    /// The CUDA driver reports an error, of this call or an earlier launch.
    #[error("the CUDA driver failed while {doing}: {message}")]
    Driver {
        /// Operation that failed.
        doing: DriverCall,
        /// Name and text of the driver's error.
        message: String,
    },
}

/// Reason why a kernel cannot have the block size or register limit that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum BoundsFault {
    #[error("a block has a multiple of 32 threads, at most 1024")]
    Threads,
    #[error("a thread has 16 to 255 registers")]
    Registers,
    #[error("its shared memory is for at most 128 threads")]
    SharedMemory,
    #[error("a tile is for a block of 64 threads")]
    Tile,
    #[error("only kernels that take paths from vertex to vertex in a lane can have others than their own")]
    OwnAlone,
    #[error("the kernels of a bounce in parts have their own")]
    BounceInParts,
}

/// Operation of the CUDA driver that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the words of each variant say what it is")]
pub enum DriverCall {
    #[error("counting devices")]
    CountDevices,
    #[error("asking its version")]
    Version,
    #[error("opening the device")]
    OpenDevice,
    #[error("taking a context")]
    TakeContext,
    #[error("choosing the device")]
    ChooseDevice,
    #[error("reading the device's name")]
    DeviceName,
    #[error("reading the device's capability")]
    DeviceCapability,
    #[error("reading an attribute")]
    DeviceAttribute,
    #[error("asking for free memory")]
    FreeMemory,
    #[error("making a stream")]
    MakeStream,
    #[error("waiting for the device")]
    Synchronize,
    #[error("recording an event")]
    RecordEvent,
    #[error("waiting for an event")]
    WaitEvent,
    #[error("asking for an event")]
    QueryEvent,
    #[error("reading an event")]
    ElapsedTime,
    #[error("allocating memory for an image")]
    AllocateImage,
    #[error("allocating memory")]
    Allocate,
    #[error("allocating pinned memory")]
    AllocatePinned,
    #[error("clearing memory")]
    Clear,
    #[error("copying to the device")]
    Upload,
    #[error("copying from the device")]
    Download,
    #[error("copying an image to the device")]
    UploadImage,
    #[error("making a texture object")]
    MakeTexture,
    #[error("loading kernels")]
    LoadKernels,
    #[error("loading a kernel")]
    LoadKernel,
    #[error("looking for a kernel")]
    FindKernel,
    #[error("compiling a kernel's PTX")]
    CompilePtx,
    #[error("asking for a kernel's occupancy")]
    Occupancy,
    #[error("asking for shared memory")]
    SharedMemory,
    #[error("reading a kernel's attribute")]
    KernelAttribute,
    #[error("launching a kernel")]
    Launch,
    #[error("recording a graph")]
    RecordGraph,
    #[error("making a graph")]
    MakeGraph,
    #[error("launching a graph")]
    LaunchGraph,
}

impl CudaError {
    /// Least CUDA version of the driver: 12.0, which the driver 525 supports.
    pub(crate) const NEEDED: i32 = 12000;
    const NEEDED_TEXT: &'static str = "12.0 (driver 525 or newer)";

    /// Returns `true` if the scene is beyond a limit of this kernel's tree that another kernel's tree may not have.
    pub fn is_limit(&self) -> bool {
        let of_scene = matches!(self, Self::Unsure { .. });
        of_scene || matches!(self, Self::Layout(_) | Self::LeafTooLarge { .. } | Self::StackTooShallow { .. })
    }

    /// Checks that `variant`, which promises to lose no ray, keeps the promise in a scene whose largest coordinate is
    /// `farthest`.
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

/// Returns a function that converts the driver's error to a `CudaError`, for the operation `doing`.
pub(crate) fn driver(doing: DriverCall) -> impl Fn(cudarc::driver::DriverError) -> CudaError {
    move |error| {
        let text = |text: Result<&std::ffi::CStr, _>| {
            text.map_or("unknown".into(), |text| text.to_string_lossy().into_owned())
        };
        CudaError::Driver { doing, message: format!("{}: {}", text(error.error_name()), text(error.error_string())) }
    }
}
