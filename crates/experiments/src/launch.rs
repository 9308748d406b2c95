//! The parameters of the experiments' kernels: the same words as in kernels/measured_render.h.

use raywarp_cuda::Parameters;
use raywarp_render_cuda::RenderRecord;

/// Counters that kernels keep of the places that they list: `ListCounters` in kernels/measured_render.h.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct ListCounters {
    pub ended: u32,
    pub hit: u32,
    pub connecting: u32,
}

/// Addresses of path places and lists of them: `Places` in kernels/measured_render.h.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct PlacesRecord {
    pub counters: u64,
    pub alive: u64,
    pub list: u64,
    pub next_list: u64,
    pub sums: u64,
    pub count: u64,
    pub listed: u64,
    pub segments: u32,
    pub begun_before: u32,
    pub listed_marks: u32,
    pub in_parts: u32,
}

/// Size of a tile of paths, and of its lists: `Tile` in kernels/measured_render.h.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct TileRecord {
    pub paths_per_lane: u32,
    pub list_bytes: u32,
    pub shared_bytes: u32,
    pub has_sampler_states: u32,
}

/// Artificial extra shading work: `Burden` in kernels/measured_render.h.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct BurdenRecord {
    pub table: u64,
    pub search_steps: u32,
    pub multiply_adds: u32,
}

/// All parameters of an experiment's kernel: `MeasuredRender` in kernels/measured_render.h.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct MeasuredRecord {
    pub render: RenderRecord,
    pub places: PlacesRecord,
    pub tile: TileRecord,
    pub burden: BurdenRecord,
    pub unused: [u32; 2],
}

// SAFETY: plain words without padding at the places where the kernels look for them: the sizes below are those that
// kernels/measured_render.h asserts, and are the sums of their fields'.
unsafe impl Parameters for MeasuredRecord {}

const _: () = assert!(size_of::<PlacesRecord>() == 72 && size_of::<ListCounters>() == 12);
const _: () = assert!(size_of::<MeasuredRecord>() == size_of::<RenderRecord>() + 72 + 16 + 16 + 8);
