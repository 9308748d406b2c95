//! The loops of W11's organisations: a launch a bounce, between which paths that go on are listed; and tiles.

use super::batch::ROUNDS_AT_ONCE;
use super::launches::Launches;
use super::{CudaRenderer, Picture};
use crate::counts::Stage;
use crate::kernels::{Compact, Step, Work};
use crate::launch::{RenderRecord, TileRecord};
use crate::sources::Organisation;
use crate::state::{Layout, State};
use raywarp_cuda::{BLOCK_THREADS, CudaError, Function, Mark};
use raywarp_render::RenderOptions;

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
        let stream = &self.stream;
        let (capacity, paths) = (render.capacity, render.batch.path_count);
        let lists = picture.state.records(stream).lists;
        let mut entries = capacity.min(paths);
        let mut marks: Vec<[Mark; 3]> = Vec::new();
        for bounce in 0.. {
            launches.blocks(Stage::BeginBounce, &compact.begin_bounce, 1, render)?;
            let mark = || self.options.timed.then(|| stream.mark()).transpose();
            let before = mark()?;
            launches.lanes(Stage::Bounce, &compact.bounce, entries, render)?;
            let between = mark()?;
            self.list_paths(launches, &compact.step, entries, render)?;
            marks.extend(before.zip(between).zip(mark()?).map(|((before, between), after)| [before, between, after]));
            if !matches!(compact.step, Step::Off) {
                render.places.list = lists[bounce as usize % 2];
                render.places.next_list = lists[(bounce as usize + 1) % 2];
            }
            if bounce >= max_depth && paths <= capacity {
                break;
            }
            let looks = self.options.host_counts || (bounce + 1).is_multiple_of(ROUNDS_AT_ONCE);
            if looks && !matches!(compact.step, Step::Off) {
                let counters = self.counters(picture)?;
                let waiting = paths - counters.begun;
                if counters.survivors == 0 && waiting == 0 {
                    break;
                }
                if self.options.host_counts {
                    entries = capacity.min(counters.survivors.saturating_add(waiting));
                }
            }
        }
        stream.synchronize()?;
        let bounces = picture.bounce_seconds.len().max(marks.len());
        picture.bounce_seconds.resize(bounces, BounceSeconds::default());
        for (sum, [before, between, after]) in picture.bounce_seconds.iter_mut().zip(&marks) {
            sum.bounce += before.seconds_until(between)?;
            sum.step += between.seconds_until(after)?;
        }
        Ok(())
    }

    fn list_paths(
        &self,
        launches: &mut Launches<'_>,
        step: &Step,
        entries: u32,
        render: &RenderRecord,
    ) -> Result<(), CudaError> {
        match step {
            Step::Off => Ok(()),
            Step::Scan { count_alive, list_alive } => {
                let warps = State::listing_warps(render.capacity as usize) as u32;
                let blocks = warps / (BLOCK_THREADS / WARP);
                launches.blocks(Stage::ListPaths, count_alive, blocks, render)?;
                launches.blocks(Stage::ListPaths, list_alive, blocks, render)
            }
            Step::Atomics(list) => launches.lanes(Stage::ListPaths, list, entries, render),
        }
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
