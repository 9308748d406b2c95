//! W11's experiment on real paths of the renderer: active paths and warps a bounce, naive against compacted (Table 2),
//! what their warps have to do (Table 3), and what shared memory for tiles costs in resident warps (figure 2).

mod occupancy;
mod record;
mod report;
mod sheet;

use raywarp_bvh::Bvh2;
use raywarp_family::{IllegalVariant, Variant};
use raywarp_geom::FlatError;
use raywarp_scene::{Camera, Description, flatten};
use raywarp_sim::compaction::{Bounce, PathLengths, Work, bounces, work};
use raywarp_traverse::{Kernel, KernelError};
use record::in_grid;
use std::sync::atomic::{AtomicBool, Ordering};

pub use record::FrameRecorder;

/// Width and height of W11's pictures in pixels.
pub const W11_SIZE: [u32; 2] = [1280, 768];

/// Number of bounces in W11's pictures, whose paths have up to nine segments.
pub const W11_DEPTH: u32 = 8;

/// Reflectance of W11's diffuse materials, which nearly all are.
pub const W11_REFLECTANCE: f32 = 0.7;

/// Number of paths of each thread of a tile (W11's M), whose blocks have 64 threads.
const PATHS_PER_THREAD: [u32; 5] = [1, 2, 4, 8, 16];

/// Name of the kernel of the family that is like W11's traversal kernel (3.2).
const WHILE_WHILE: &str = "direct/while-while/bvh2";

/// Largest number of light paths that are counted; each takes 4 bytes for a while.
const MAX_PATHS: u128 = 1 << 28;

/// Settings for counting light paths and warps: the pictures to render.
#[derive(Debug, Clone)]
pub struct CompactionRequest {
    /// Name of the scene, which the report shows.
    pub scene: String,
    /// Viewpoints of the pictures; the counts are summed over all of them.
    pub cameras: Vec<Camera>,
    /// Columns and rows of the picture in pixels.
    pub size: [u32; 2],
    /// Number of frames of each viewpoint, with one light path a pixel each.
    pub frames: u32,
    /// Largest number of bounces; a path has at most one segment more.
    pub max_depth: u32,
    /// Radius of the lens in scene units; `None` for the camera's own.
    pub lens_radius: Option<f32>,
    /// Numbers of lanes of the warps to count, powers of two up to 64.
    pub widths: Vec<u32>,
    /// Number of worker threads; 0 for one on each processor.
    pub threads: usize,
}

/// Reason why light paths cannot be counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// Warps of this many lanes do not fill W11's thread blocks.
    #[error("warps of {0} lanes do not fill blocks of 64 threads; take a power of two up to 64")]
    Width(u32),
    /// The largest number of bounces is too high for the counts of segments.
    #[error("{0} bounces are more than the 65,534 that are counted")]
    Depth(u32),
    /// There are too many paths to count at once.
    #[error("{paths} paths are more than the {MAX_PATHS} that are counted; take fewer frames or pixels")]
    Paths {
        /// Number of paths of all frames and viewpoints.
        paths: u128,
    },
    /// The scene has too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// There is no kernel with the name of W11's traversal loop.
    #[error(transparent)]
    Variant(#[from] IllegalVariant),
    /// The kernel cannot be made for the scene's tree, or cannot trace its rays.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The caller asked to stop the counting.
    #[error("stopped")]
    Cancelled,
}

/// Path and warp counts for warps of one width.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Number of lanes of a warp.
    pub width: u32,
    /// Counts of each bounce, over all frames; tiles have 64 x 8 paths.
    pub bounces: Vec<Bounce>,
    /// Work of warps that trace the rays of each bounce with while-while (W11's kernel), without and with compaction;
    /// of part of the first frame of each viewpoint.
    pub work: Vec<[Work; 2]>,
    /// Counts summed over all bounces, for tiles of each number of paths a thread.
    pub tiles: Vec<(u32, Bounce)>,
}

impl Counts {
    fn new(width: u32) -> Self {
        Self { width, bounces: Vec::new(), work: Vec::new(), tiles: Vec::new() }
    }

    /// Returns the traversal steps of all warps without compaction over those with compaction of whole frames, above 0.
    pub fn saved_steps(&self) -> f64 {
        let (mut naive, mut compact) = (0.0, 0.0);
        for (bounce, work) in self.bounces.iter().zip(&self.work) {
            naive += bounce.naive_warps as f64 * work[0].steps_per_warp();
            compact += bounce.compact_warps as f64 * work[1].steps_per_warp();
        }
        naive / compact
    }

    fn add_work(&mut self, bounce: usize, more: [Work; 2]) {
        if self.work.len() <= bounce {
            self.work.resize(bounce + 1, Default::default());
        }
        let [naive, compact] = &mut self.work[bounce];
        (*naive, *compact) = (naive.plus(more[0]), compact.plus(more[1]));
    }

    /// Returns the counts summed over all bounces.
    pub fn total(&self) -> Bounce {
        self.bounces.iter().fold(Bounce::default(), |sum, &bounce| sum.plus(bounce))
    }
}

/// Counts of all viewpoints of a request.
#[derive(Debug, Clone)]
pub struct CompactionReport {
    pub(crate) request: CompactionRequest,
    /// Counts for each warp width, in the order of the request.
    pub counts: Vec<Counts>,
    /// Number of frames over all viewpoints.
    pub frames: u64,
}

/// Counts light paths and warps of frames that the caller renders, viewpoint by viewpoint.
pub struct PathCounter {
    request: CompactionRequest,
    kernel: Kernel,
    /// Number of segments of each path of all frames, in the order of threads.
    segments: Vec<u16>,
    counts: Vec<Counts>,
}

impl PathCounter {
    /// Returns a counter for a scene and its tree. All triangles count as opaque.
    ///
    /// # Errors
    /// [`CountError`], but for [`CountError::Cancelled`].
    pub fn new(scene: &Description, bvh: &Bvh2, request: &CompactionRequest) -> Result<Self, CountError> {
        if let Some(&width) = request.widths.iter().find(|&&width| !(width.is_power_of_two() && width <= 64)) {
            return Err(CountError::Width(width));
        }
        if request.max_depth > u32::from(u16::MAX) - 1 {
            return Err(CountError::Depth(request.max_depth));
        }
        let views = request.cameras.len() as u128 * u128::from(request.frames);
        let paths = views * u128::from(request.size[0]) * u128::from(request.size[1]);
        if paths > MAX_PATHS {
            return Err(CountError::Paths { paths });
        }
        let mut triangles = flatten(scene)?;
        triangles.opaque.fill(true);
        Ok(Self {
            request: request.clone(),
            kernel: Kernel::new(&WHILE_WHILE.parse::<Variant>()?, bvh, &triangles)?,
            segments: Vec::new(),
            counts: request.widths.iter().map(|&width| Counts::new(width)).collect(),
        })
    }

    /// Returns an observer of the render of a viewpoint's frames, which records their paths.
    pub fn recorder(&self) -> FrameRecorder {
        FrameRecorder::new(self.request.size, self.request.frames, self.request.max_depth)
    }

    /// Adds the paths that a recorder saw in all frames of a viewpoint.
    ///
    /// # Errors
    /// [`CountError::Cancelled`] where `cancel` says so, and [`CountError::Kernel`].
    pub fn add(&mut self, recorder: FrameRecorder, cancel: Option<&AtomicBool>) -> Result<(), CountError> {
        let rays = recorder.finish(&mut self.segments);
        for counts in &mut self.counts {
            for (bounce, rays) in rays.iter().enumerate().take_while(|(_, rays)| rays.iter().any(Option::is_some)) {
                if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                    return Err(CountError::Cancelled);
                }
                counts.add_work(bounce, work(&self.kernel, counts.width, rays)?);
            }
        }
        Ok(())
    }

    /// Returns the counts summed over all viewpoints.
    pub fn finish(self) -> CompactionReport {
        let Self { request, segments, mut counts, .. } = self;
        if let Some(paths) = PathLengths::new(&segments, in_grid(request.size)) {
            for counts in &mut counts {
                let tiled = |m: u32| bounces(paths, counts.width as usize, (64 * m) as usize);
                counts.tiles =
                    PATHS_PER_THREAD.map(|m| (m, tiled(m).into_iter().fold(Bounce::default(), Bounce::plus))).to_vec();
                counts.bounces = tiled(8);
            }
        }
        let frames = request.cameras.len() as u64 * u64::from(request.frames);
        CompactionReport { request, counts, frames }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_are_saved_are_those_of_all_warps() {
        let bounce = |naive_warps, compact_warps| Bounce { naive_warps, compact_warps, ..Bounce::default() };
        let work = |warps, visits, tests| Work { warps, visits, tests, ..Work::default() };
        let mut counts = Counts::new(32);
        counts.bounces = vec![bounce(100, 100), bounce(80, 20)];
        // Of half of the warps: 7 steps each at bounce 0; then 5 steps of a naive warp and 9 of a full one.
        counts.add_work(0, [work(50, 200, 150), work(50, 200, 150)]);
        counts.add_work(1, [work(30, 100, 50), work(10, 50, 40)]);
        counts.add_work(1, [work(10, 20, 30), Work::default()]);
        assert_eq!(counts.saved_steps(), (700.0 + 400.0) / (700.0 + 180.0));
    }
}
