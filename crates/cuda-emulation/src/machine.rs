//! The machine that runs kernels, behind a safe face. Its other half is machine/machine.cpp.

use raywarp_cuda::Parameters;
use raywarp_family::{Block, Space};

/// Order in which the emulated machine runs lanes and warps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneOrder {
    /// Lowest lane first; warps run round robin.
    Up,
    /// Highest lane first; warps run round robin, in reverse.
    Down,
    /// Pseudo-random order with this seed.
    Seeded(u64),
}

impl LaneOrder {
    /// Four orders under which each test case is run.
    pub const FOUR: [Self; 4] = [Self::Up, Self::Down, Self::Seeded(1), Self::Seeded(2)];
}

/// Size of an emulated launch: its thread blocks, the warps of each, and the blocks that run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchGeometry {
    /// Number of thread blocks in the launch.
    pub blocks: u32,
    /// Number of warps in a thread block.
    pub warps_per_block: u32,
    /// Number of thread blocks that run at once, interleaved.
    pub resident_blocks: u32,
    /// Bytes of dynamic shared memory of each thread block, besides the arrays that the kernel declares.
    pub shared_bytes: u32,
}

/// Range of host memory that an emulated kernel may access through its platform functions.
#[derive(Debug)]
pub struct MemoryWindow<'a> {
    /// Memory that the window gives access to.
    bytes: Bytes<'a>,
    /// Name of the memory in logs, with the bytes of one of its records; `None` if accesses are not logged.
    space: Option<(Space, u32)>,
}

#[derive(Debug)]
enum Bytes<'a> {
    Read(&'a [u8]),
    Changed(&'a mut [u8]),
}

impl<'a> MemoryWindow<'a> {
    /// Makes a window of an array that the kernel only reads.
    pub fn read<T: bytemuck::NoUninit>(array: &'a [T]) -> Self {
        Self { bytes: Bytes::Read(bytemuck::cast_slice(array)), space: None }
    }

    /// Makes a window of a read-only array in which logs name records, of `record_bytes` bytes each, by their index.
    pub fn records<T: bytemuck::NoUninit>(array: &'a [T], space: Space, record_bytes: u32) -> Self {
        Self { bytes: Bytes::Read(bytemuck::cast_slice(array)), space: Some((space, record_bytes.max(1))) }
    }

    /// Makes a window of an array of words that the kernel reads and writes.
    pub fn changed(array: &'a mut [u32]) -> Self {
        Self { bytes: Bytes::Changed(bytemuck::cast_slice_mut(array)), space: None }
    }

    /// Returns the address of the window's memory, for a kernel's parameter; 0 if it is empty, as kernels expect.
    pub fn address(&self) -> u64 {
        match &self.bytes {
            Bytes::Read([]) | Bytes::Changed([]) => 0,
            Bytes::Read(bytes) => bytes.as_ptr().expose_provenance() as u64,
            Bytes::Changed(bytes) => bytes.as_ptr().expose_provenance() as u64,
        }
    }
}

/// Settings of one emulated run of a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Number of thread blocks and warps.
    pub geometry: LaunchGeometry,
    /// Order in which lanes and warps run.
    pub order: LaneOrder,
    /// `true` if the events of lanes and warps are to be logged.
    pub log: bool,
}

/// Error of an emulated launch: a line of the kernels' sources, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulationFault(pub String);

impl std::fmt::Display for EmulationFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EmulationFault {}

/// Logs of an emulated launch: what each lane and each warp did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Logs {
    /// Events of the 32 lanes of each warp.
    pub lanes: Vec<[Vec<u32>; 32]>,
    /// Votes and ballots of each warp: the block of kernel code, and the mask of the lanes that took part.
    pub votes: Vec<Vec<(Block, u32)>>,
}

impl Logs {
    /// Record index of an event that accesses no record.
    pub const NO_RECORD: u32 = 0x00ff_ffff;

    /// Encodes an event for a log: the block of kernel code, and the record that it reads or [`Self::NO_RECORD`].
    pub fn event(block: Block, record: u32) -> u32 {
        (block as u32) << 24 | record & Self::NO_RECORD
    }

    /// Decodes an event into its block of kernel code and its record.
    pub fn parts(event: u32) -> (Block, u32) {
        (Block::ALL[(event >> 24) as usize], event & Self::NO_RECORD)
    }
}

/// CUDA kernel that was compiled for the CPU.
#[derive(Debug, Clone, Copy)]
pub struct EmulatedKernel(#[cfg_attr(not(emulated), allow(dead_code))] sys::KernelFunction);

impl EmulatedKernel {
    /// Returns the kernel with this name ([`raywarp_cuda::kernel_name`]); `None` if it is not compiled.
    pub fn find(name: &str) -> Option<Self> {
        sys::find(name, false)
    }

    /// Returns a kernel of machine/misuse.cpp, whose faults the machine must find.
    pub fn misuse(name: &str) -> Option<Self> {
        sys::find(name, true)
    }
}

/// Runs `kernel` on the emulated machine, with access to the `windows`. What it may touch through its platform is in
/// `windows`; what it writes beside is the caller's business: see the safety text.
///
/// # Safety
/// `parameter` is what the kernel takes; addresses in it that are not null are those of live arrays, as long as the
/// kernel expects, and nobody else may touch those that are written.
///
/// # Errors
/// [`EmulationFault`] when lanes do what a GPU would not stand.
pub unsafe fn run<P: Parameters>(
    kernel: EmulatedKernel,
    parameter: &P,
    windows: &mut [MemoryWindow<'_>],
    request: &Request,
) -> Result<Logs, EmulationFault> {
    // SAFETY: the caller keeps the promise.
    unsafe { sys::run(kernel, std::ptr::from_ref(parameter).cast(), windows, request) }
}

#[cfg(not(emulated))]
mod sys {
    use super::{EmulatedKernel, EmulationFault, Logs, MemoryWindow, Request};
    use std::ffi::c_void;

    pub(super) type KernelFunction = ();

    pub fn find(_: &str, _: bool) -> Option<EmulatedKernel> {
        None
    }

    pub unsafe fn run(
        _: EmulatedKernel,
        _: *const c_void,
        _: &mut [MemoryWindow<'_>],
        _: &Request,
    ) -> Result<Logs, EmulationFault> {
        Err(EmulationFault(format!("skipped: {}", crate::not_emulated().unwrap_or_default())))
    }
}

#[cfg(emulated)]
mod sys {
    use super::{Block, Bytes, EmulatedKernel, EmulationFault, LaneOrder, Logs, MemoryWindow, Request};
    use std::ffi::{CStr, CString, c_char, c_void};

    pub(super) type KernelFunction = unsafe extern "C" fn(*const c_void);

    /// Limit of events and lane meetings per launch, beyond which it counts as endless; the largest test case takes
    /// some millions.
    const BUDGET: u64 = 20_000_000;

    /// Memory range as C sees it: the layout of `Range` in machine/machine.h.
    #[repr(C)]
    struct CRange {
        begin: *const u8,
        bytes: u64,
        record_bytes: u32,
        space: u32,
        writable: u32,
        unused: u32,
    }

    /// Run settings as C sees them: the layout of `Request` in machine/machine.h.
    #[repr(C)]
    struct CRequest {
        kernel: KernelFunction,
        parameter: *const c_void,
        ranges: *const CRange,
        range_count: u32,
        blocks: u32,
        warps_per_block: u32,
        resident_blocks: u32,
        order: u32,
        log: u32,
        seed: u64,
        budget: u64,
        shared_bytes: u64,
    }

    const _: () = assert!(size_of::<CRequest>() == 72 && size_of::<CRange>() == 32, "as machine/machine.h has them");

    /// Opaque result of a run, owned by the C++ side.
    #[repr(C)]
    struct COutcome {
        _private: [u8; 0],
    }

    unsafe extern "C" {
        fn raywarp_emulation_kernel(name: *const c_char) -> Option<KernelFunction>;
        fn raywarp_emulation_misuse(name: *const c_char) -> Option<KernelFunction>;
        fn raywarp_emulation_run(request: &CRequest) -> *mut COutcome;
        fn raywarp_emulation_free(outcome: *mut COutcome);
        fn raywarp_emulation_error(outcome: *const COutcome) -> *const c_char;
        fn raywarp_emulation_log(outcome: *const COutcome, warp: u32, lane: u32, count: &mut u64) -> *const u32;
        fn raywarp_emulation_votes(outcome: *const COutcome, warp: u32, count: &mut u64) -> *const u64;
    }

    /// Pointer to a run's result, which is freed when dropped.
    struct Outcome(*mut COutcome);

    impl Drop for Outcome {
        fn drop(&mut self) {
            // SAFETY: it came from raywarp_emulation_run and is freed once.
            unsafe { raywarp_emulation_free(self.0) };
        }
    }

    pub fn find(name: &str, misuse: bool) -> Option<EmulatedKernel> {
        let name = CString::new(name).ok()?;
        // SAFETY: a look into a table of constants, by a string that ends in zero.
        let found = unsafe {
            if misuse { raywarp_emulation_misuse(name.as_ptr()) } else { raywarp_emulation_kernel(name.as_ptr()) }
        };
        found.map(EmulatedKernel)
    }

    pub unsafe fn run(
        kernel: EmulatedKernel,
        parameter: *const c_void,
        windows: &mut [MemoryWindow<'_>],
        request: &Request,
    ) -> Result<Logs, EmulationFault> {
        let ranges: Vec<CRange> = windows.iter_mut().map(range).collect();
        let (order, seed) = match request.order {
            LaneOrder::Up => (0, 1),
            LaneOrder::Down => (1, 1),
            LaneOrder::Seeded(seed) => (2, seed),
        };
        let geometry = request.geometry;
        let c_request = CRequest {
            kernel: kernel.0,
            parameter,
            ranges: ranges.as_ptr(),
            range_count: ranges.len() as u32,
            blocks: geometry.blocks,
            warps_per_block: geometry.warps_per_block,
            resident_blocks: geometry.resident_blocks.max(1),
            order,
            log: u32::from(request.log),
            seed,
            budget: BUDGET,
            shared_bytes: geometry.shared_bytes.into(),
        };
        // SAFETY: pointers in the request live until the call returns, and ranges are as long as they say; that the
        // kernel may write where the launch points is the caller's promise.
        let outcome = Outcome(unsafe { raywarp_emulation_run(&c_request) });
        // SAFETY: the text ends in zero and lives as long as the outcome.
        let error = unsafe { CStr::from_ptr(raywarp_emulation_error(outcome.0)) }.to_string_lossy().into_owned();
        if !error.is_empty() {
            return Err(EmulationFault(error));
        }
        Ok(if request.log { logs(&outcome, geometry.blocks * geometry.warps_per_block) } else { Logs::default() })
    }

    fn range(window: &mut MemoryWindow<'_>) -> CRange {
        let (begin, bytes, writable) = match &mut window.bytes {
            Bytes::Read(bytes) => (bytes.as_ptr(), bytes.len(), false),
            Bytes::Changed(bytes) => (bytes.as_mut_ptr().cast_const(), bytes.len(), true),
        };
        let (space, record_bytes) = window.space.map_or((u32::MAX, 1), |(space, bytes)| (space as u32, bytes));
        CRange { begin, bytes: bytes as u64, record_bytes, space, writable: u32::from(writable), unused: 0 }
    }

    fn logs(outcome: &Outcome, warps: u32) -> Logs {
        let mut logs = Logs::default();
        for warp in 0..warps {
            logs.lanes.push(std::array::from_fn(|lane| {
                let mut count = 0;
                // SAFETY: warp and lane exist in the launch; the log is copied before the outcome goes.
                unsafe { copied(raywarp_emulation_log(outcome.0, warp, lane as u32, &mut count), count) }
            }));
            let mut count = 0;
            // SAFETY: as above.
            let votes: Vec<u64> = unsafe { copied(raywarp_emulation_votes(outcome.0, warp, &mut count), count) };
            logs.votes.push(votes.iter().map(|v| (Block::ALL[(v >> 32) as usize], *v as u32)).collect());
        }
        logs
    }

    /// Copies `count` values from `first`, which may be null if there are none.
    unsafe fn copied<T: Copy>(first: *const T, count: u64) -> Vec<T> {
        if count == 0 {
            return Vec::new();
        }
        // SAFETY: the caller's.
        unsafe { std::slice::from_raw_parts(first, count as usize) }.to_vec()
    }
}
