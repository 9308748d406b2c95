//! How a picture is rendered on a device, and how much at once.

use crate::film::PixelOrder;
use crate::sources::{Compaction, ListedAt, Organisation, Walk};
use crate::textures::TextureFilter;
use raywarp_cuda::LaunchBounds;
use raywarp_render::RenderOptions;

/// Paths of a wavefront in flight at most: the last of a round's rays, and of a batch's rounds, leave most of a GPU idle,
/// and are a smaller part of more. And how many times as many a batch has, of which some begin where others have ended.
const MOST_PATHS: usize = 1 << 24;
const QUEUES_A_BATCH: usize = 4;
/// Paths of a launch that takes each to its end, which must not take seconds.
const LAUNCHED_PATHS: usize = 1 << 21;
/// Paths of a wavefront in flight for each multiprocessor, at most: on GPUs of all sizes a batch, which is finished whatever
/// happens, takes about as long.
const PATHS_A_MULTIPROCESSOR: usize = 1 << 17;
/// Paths of a batch whose paths keep their places, or are in tiles: all are in flight.
const KEPT_PATHS: usize = 1 << 22;
/// Paths of each lane of a tile, and the most: their numbers in it have 16 bits.
const PATHS_A_LANE: u32 = 8;
const MOST_PATHS_A_LANE: u32 = 512;
/// A table of so many steps has 1 GB.
const MOST_SEARCH_STEPS: u32 = 28;
/// Rounds of a batch of which the lengths are kept each.
const MOST_ROUNDS: usize = 1 << 12;

/// How a picture is rendered; all ways that can give the same one, but for [`TextureFilter::Hardware`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EngineOptions {
    /// Which kernels, in which order.
    pub organisation: Organisation,
    /// Paths in flight; of queues at most 131,072 for each multiprocessor of a device.
    pub paths: usize,
    /// Paths of a batch, in lengths of a wavefront's queue: with more than one the queue is filled up again from those that
    /// have not begun. At least 1.
    pub queues_a_batch: usize,
    /// How far from zero rays of the cameras start along any axis: [`raywarp_render::LensRecord::farthest_origin`]. The
    /// tree's boxes are padded for it where that is beyond twice the scene's own largest coordinate.
    pub farthest_origin: f32,
    /// What filters textures.
    pub texture_filter: TextureFilter,
    /// What lists the paths that go on; of [`Organisation::Compact`] and [`Organisation::Regenerate`].
    pub compaction: Compaction,
    /// Whether the host asks after each bounce, or round, how many paths go on, launches as many lanes, and stops when there is
    /// none (W11 3.4; L9); else as many as began, of which the device sends those away that are too many. Of the same two, and
    /// of [`Organisation::Wavefront`] and [`Organisation::WavefrontSorted`].
    pub host_counts: bool,
    /// Paths of each of a tile's 64 lanes, 1 to 512: W11's M.
    pub paths_a_lane: u32,
    /// Multiply-adds that each vertex of a path takes beside its own, where lanes hold paths: shading that is heavier, and a
    /// picture that is the same (W11 4.2.5).
    pub longer_shading: u32,
    /// Threads of a block and registers of the kernel that holds paths in its lanes, which the driver compiles where they are
    /// not its own (W11 4): of [`Organisation::Megakernel`], [`Organisation::Compact`], [`Organisation::Regenerate`] and
    /// [`Organisation::Split`], and of tiles the registers. Others take none.
    pub bounds: LaunchBounds,
    /// Steps of a search in a table of 2^steps numbers that each vertex makes beside its own work, 0 to 28: as though it looked
    /// for a texel of an environment of so many (W11 4.2.5). Where lanes hold paths, as before.
    pub search_steps: u32,
    /// Where paths are listed in a bounce, of [`Organisation::Compact`]. Other than behind all of it in scenes of diffuse
    /// surfaces alone, without textures, holes and media.
    pub listed_at: ListedAt,
    /// How hits are found, of [`Organisation::Megakernel`] and of [`Organisation::Compact`] with bounces of one kernel. Other
    /// than phased in the same scenes alone, and with a tree of their own.
    pub walk: Walk,
    /// Whether each launch is timed: [`CudaRenderer::stage_seconds`](crate::CudaRenderer::stage_seconds). The two events that
    /// each takes then make a picture slower.
    pub timed: bool,
}

impl EngineOptions {
    /// How it renders fastest.
    pub const fn of(organisation: Organisation) -> Self {
        let (paths, queues_a_batch) = match organisation {
            Organisation::Megakernel | Organisation::FirstHits => (LAUNCHED_PATHS, 1),
            Organisation::Compact | Organisation::TiledGlobal | Organisation::TiledShared | Organisation::Split => {
                (KEPT_PATHS, 1)
            }
            Organisation::Regenerate => (KEPT_PATHS, QUEUES_A_BATCH),
            Organisation::Wavefront | Organisation::WavefrontSorted | Organisation::Graph => {
                (MOST_PATHS, QUEUES_A_BATCH)
            }
        };
        Self {
            organisation,
            paths,
            queues_a_batch,
            farthest_origin: 0.0,
            texture_filter: TextureFilter::Exact,
            compaction: if matches!(organisation, Organisation::Regenerate) {
                Compaction::Off
            } else {
                Compaction::Scan
            },
            host_counts: false,
            paths_a_lane: PATHS_A_LANE,
            longer_shading: 0,
            search_steps: 0,
            listed_at: ListedAt::END,
            walk: Walk::Phased,
            bounds: LaunchBounds::AS_COMPILED,
            timed: false,
        }
    }
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self::of(Organisation::WavefrontSorted)
    }
}

/// Paths in flight, lengths of a queue in a batch, and rounds of which the lengths are kept, that are wanted for a picture.
pub(super) struct Wanted {
    pub paths: usize,
    pub batch: usize,
    pub rounds: usize,
}

impl EngineOptions {
    /// For a device of so many multiprocessors.
    pub(super) fn of_device(self, multiprocessors: u32) -> Self {
        match self.organisation {
            organisation if organisation.is_wavefront() => {
                let most = PATHS_A_MULTIPROCESSOR * multiprocessors.max(1) as usize;
                Self { paths: self.paths.min(most), ..self }
            }
            _ => self,
        }
    }

    /// Whether paths begin where others have ended.
    fn refills(&self) -> bool {
        self.organisation.is_wavefront() || self.organisation == Organisation::Regenerate
    }

    /// Whether a bounce is three launches.
    pub(crate) fn is_in_parts(&self) -> bool {
        self.organisation == Organisation::Compact && self.listed_at.splits()
    }

    /// How lanes are dealt a tile's pixels: in blocks, as W11 does (B), where a lane keeps a path. Queues, and first hits, take
    /// them row by row: no slower on an H200, and nothing to sort for the host.
    pub(super) fn pixel_order(&self) -> PixelOrder {
        let in_rows = self.organisation.is_wavefront() || self.organisation == Organisation::FirstHits;
        if in_rows { PixelOrder::Rows } else { PixelOrder::Blocks }
    }

    /// Steps of the search at each vertex.
    pub(super) fn search_steps(&self) -> u32 {
        self.search_steps.min(MOST_SEARCH_STEPS)
    }

    /// Paths of a tile's lane.
    pub(super) fn tile_paths_a_lane(&self) -> u32 {
        self.paths_a_lane.clamp(1, MOST_PATHS_A_LANE)
    }

    pub(super) fn wanted(&self, options: &RenderOptions, pixels: usize) -> Wanted {
        let all = pixels.saturating_mul(options.samples.len()).max(1);
        let paths = self.paths.clamp(1, all);
        // No more results than there are paths.
        let batch = if self.refills() { self.queues_a_batch.clamp(1, all.div_ceil(paths)) } else { 1 };
        // A place of a queue is free again after as many rounds as a path may have vertices: no batch has more rounds.
        let rounds = batch.saturating_mul(options.max_depth as usize + 1).min(MOST_ROUNDS);
        Wanted { paths, batch, rounds }
    }
}
