//! What a kernel is given: the same fields in the same order as `Launch` in kernels/launch.h.

use cudarc::driver::DeviceRepr;

/// Entries of a kernel's stack, as `STACK_DEPTH` in kernels/launch.h.
pub const STACK_DEPTH: usize = 96;

/// Threads of a block.
pub(crate) const BLOCK_THREADS: u32 = 128;

/// A kernel's parameters; addresses are the device's. kernels/launch.h says what each is.
#[allow(missing_docs)] // There, once.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Launch {
    pub nodes: u64,
    pub triangles: u64,
    pub slots: u64,
    pub ids: u64,
    pub rays: u64,
    pub after: u64,
    pub hits: u64,
    pub instances: u64,
    pub blocked: u64,
    pub undecided: u64,
    pub counter: u64,
    pub invalid: u64,
    pub stacks: u64,
    pub ray_count: u32,
    pub node_count: u32,
    pub bounds: [f32; 6],
}

// SAFETY: plain words without padding at the places where the kernels look for them (asserted below).
unsafe impl DeviceRepr for Launch {}

const _: () = assert!(size_of::<Launch>() == 13 * 8 + 8 * 4);
