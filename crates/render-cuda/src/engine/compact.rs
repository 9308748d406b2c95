//! The loops of W11's organisations: a launch a bounce, between which paths that go on are listed; and tiles.

use super::batch::ROUNDS_AT_ONCE;
use super::launches::Launches;
use super::{CudaRenderer, Picture};
use crate::counts::Stage;
use crate::kernels::{BounceKernels, Compact, Step, Work};
use crate::launch::{Counters, RenderRecord, TileRecord};
use crate::sources::Organisation;
use crate::state::{Layout, State, mark};
use raywarp_cuda::{BLOCK_THREADS, CudaError, Function};
use raywarp_render::RenderOptions;
use std::mem::offset_of;

/// Threads of a block that takes a tile: kernels/organisation/tiled.h.
pub(crate) const TILE_LANES: u32 = 64;
const WARP: u32 = 32;

/// What a block that takes a tile shares, and how many such blocks are on a multiprocessor at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileOccupancy {
    /// Bytes: lists, and the paths of [`Organisation::TiledShared`].
    pub shared_bytes: u32,
    /// Blocks of 64 threads; none where one is too large.
    pub blocks: u32,
}

/// Two lists of places, of which one is read and the other written.
struct Lists {
    both: [u64; 2],
    next: usize,
}

impl Lists {
    fn new(both: [u64; 2]) -> Self {
        Self { both, next: 0 }
    }

    /// Which one is written next.
    fn free(&self) -> u64 {
        self.both[self.next]
    }

    fn swap(&mut self) {
        self.next = 1 - self.next;
    }
}

/// What the bounces of a picture took, all batches together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BounceSeconds {
    /// The kernel that extends paths, in seconds of the device.
    pub bounce: f64,
    /// The kernels that list those that go on.
    pub step: f64,
}

impl CudaRenderer {
    /// Bounces of paths that keep their places.
    pub(super) fn trace_bounces(
        &self,
        launches: &mut Launches<'_>,
        compact: &Compact,
        picture: &mut Picture,
        render: &mut RenderRecord,
        max_depth: u32,
    ) -> Result<(), CudaError> {
        let (capacity, paths) = (render.capacity, render.batch.path_count);
        let mut lists = Lists::new(picture.state.records(&self.stream).lists);
        let mut entries = capacity.min(paths);
        // Of who takes part in it alone, not of whatever the options say.
        let at = picture.state.layout().listed_at;
        let (count, listed) = (render.places.count, render.places.listed);
        let lists_paths = !matches!(compact.step, Step::Off) && (at.start || at.end);
        for bounce in 0.. {
            launches.round = bounce as usize;
            render.places.next_list = if lists_paths { lists.free() } else { 0 };
            launches.blocks(Stage::BeginBounce, &compact.begin_bounce, 1, render)?;
            match &compact.bounce {
                BounceKernels::One(kernel) => launches.lanes(Stage::Bounce, kernel, entries, render)?,
                BounceKernels::Parts(kernels) => {
                    self.trace_parts(launches, (kernels, &compact.step), entries, &mut lists, render)?;
                }
            }
            if at.end {
                self.list_paths(launches, &compact.step, entries, &mut lists, render)?;
            }
            // All that follows is of those that are listed now, the next bounce's.
            (render.places.count, render.places.listed) = (count, listed);
            if bounce >= max_depth && paths <= capacity {
                break;
            }
            let looks = self.options.host_counts || (bounce + 1).is_multiple_of(ROUNDS_AT_ONCE);
            if looks && lists_paths {
                let Some(left) = self.left(launches, picture, paths)? else { break };
                if self.options.host_counts {
                    entries = capacity.min(left.all);
                }
            }
        }
        Ok(())
    }

    /// Lists those whose marks are asked for, into the list that is free; kernels after it take them from there.
    fn list_paths(
        &self,
        launches: &mut Launches<'_>,
        step: &Step,
        entries: u32,
        lists: &mut Lists,
        render: &mut RenderRecord,
    ) -> Result<(), CudaError> {
        render.places.next_list = lists.free();
        match step {
            Step::Off => return Ok(()),
            Step::Scan { count_alive, list_alive } => {
                let warps = State::listing_warps(render.capacity as usize) as u32;
                let blocks = warps / (BLOCK_THREADS / WARP);
                launches.blocks(Stage::ListPaths, count_alive, blocks, render)?;
                launches.blocks(Stage::ListPaths, list_alive, blocks, render)?;
            }
            Step::Atomics(list) => launches.lanes(Stage::ListPaths, list, entries, render)?,
        }
        (render.places.list, render.places.count) = (render.places.next_list, render.places.listed);
        lists.swap();
        Ok(())
    }

    /// A bounce in parts, with what is listed between them.
    fn trace_parts(
        &self,
        launches: &mut Launches<'_>,
        ([extend, shade, connect], step): (&[Function; 3], &Step),
        entries: u32,
        lists: &mut Lists,
        render: &mut RenderRecord,
    ) -> Result<(), CudaError> {
        let at = self.options.listed_at;
        let lists_at = |wanted: bool| wanted && !matches!(step, Step::Off);
        let survivors = render.places.listed;
        let counter = |offset: usize| render.counters + offset as u64;
        let [hit, connecting] = [offset_of!(Counters, hit), offset_of!(Counters, connecting)].map(counter);
        launches.lanes(Stage::Extend, extend, entries, render)?;
        if lists_at(at.start) {
            // The next bounce takes them from here, unless they are listed again.
            render.places.listed = if at.end { hit } else { survivors };
            render.places.listed_marks = mark::HAS_HIT;
            self.list_paths(launches, step, entries, lists, render)?;
        }
        launches.lanes(Stage::Shade, shade, entries, render)?;
        let of_shaded = render.places;
        if lists_at(at.shadow) {
            (render.places.listed, render.places.listed_marks) = (connecting, mark::CONNECTS);
            self.list_paths(launches, step, entries, lists, render)?;
            launches.lanes(Stage::Connect, connect, entries, render)?;
            lists.swap();
        } else {
            launches.lanes(Stage::Connect, connect, entries, render)?;
        }
        render.places = of_shaded;
        (render.places.listed, render.places.listed_marks) = (survivors, mark::GOES_ON);
        Ok(())
    }

    /// All tiles of a batch.
    pub(super) fn trace_tiles(
        &self,
        launches: &mut Launches<'_>,
        kernel: &Function,
        picture: &Picture,
        render: &mut RenderRecord,
    ) -> Result<(), CudaError> {
        render.tile = self.tile(picture.state.layout());
        let tile = TILE_LANES * render.tile.paths_a_lane;
        let blocks = render.batch.path_count.div_ceil(tile);
        let shared = render.tile.shared_bytes;
        kernel.allow_sharing(shared)?;
        launches.sharing(Stage::Tiled, kernel, (blocks, TILE_LANES, shared), render)
    }

    /// The blocks of [`Organisation::TiledGlobal`] and [`Organisation::TiledShared`] for a picture with these options; `None` for
    /// other organisations.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn tile_occupancy(&self, options: &RenderOptions) -> Result<Option<TileOccupancy>, CudaError> {
        let Work::Tiled(kernel) = &self.kernels.work else { return Ok(None) };
        let shared_bytes = self.tile(&self.layout(options)).shared_bytes;
        let fits = shared_bytes <= self.device.shared_bytes_a_block()?;
        let blocks = if fits { kernel.blocks_a_multiprocessor(&self.device, TILE_LANES, shared_bytes)? } else { 0 };
        Ok(Some(TileOccupancy { shared_bytes, blocks }))
    }

    /// How large tiles are, and what their blocks share.
    pub(super) fn tile(&self, layout: &Layout) -> TileRecord {
        let paths_a_lane = self.options.tile_paths_a_lane();
        let paths = TILE_LANES * paths_a_lane;
        // Two lists of 16-bit numbers.
        let list_bytes = 2 * 2 * paths;
        let in_shared = layout.organisation == Organisation::TiledShared;
        let path_bytes = if in_shared { paths * layout.shared() as u32 } else { 0 };
        TileRecord {
            paths_a_lane,
            list_bytes,
            shared_bytes: list_bytes + path_bytes,
            has_sampler_states: u32::from(layout.sampler_states),
        }
    }
}
