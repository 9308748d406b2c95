//! W11's experiment on real paths of the renderer: active paths and warps a bounce, naive against compacted (Table 2), what
//! their warps have to do (Table 3), and what shared memory for tiles costs in resident warps (figure 2).

mod record;
pub(crate) mod report;

use crate::lighting::{BuiltInLight, LightRequest};
use crate::picture::{Picture, PictureError, PictureRequest};
use crate::{CameraRequest, Prepared};
use raywarp_family::{IllegalVariant, Variant};
use raywarp_geom::FlatError;
use raywarp_render::{RenderError, StopReason, Watch};
use raywarp_scene::{Camera, SamplerKind, flatten};
use raywarp_sim::compaction::{Bounce, PathLengths, Work, bounces, work};
use raywarp_traverse::{Kernel, KernelError};
use record::{Recorder, in_grid};
use std::sync::atomic::Ordering;

/// Size of W11's pictures.
pub const W11_SIZE: [u32; 2] = [1280, 768];

/// Its bounces: paths of up to nine segments.
pub const W11_DEPTH: u32 = 8;

/// Reflectance of its diffuse materials, which nearly all are.
pub const W11_REFLECTANCE: f32 = 0.7;

/// Paths a thread of a tile (W11's M); its tiles are of 64 threads.
const PATHS_PER_THREAD: [u32; 5] = [1, 2, 4, 8, 16];

/// W11's traversal kernel is like it (3.2).
const WHILE_WHILE: &str = "direct/while-while/bvh2";

/// The most paths; each takes 4 bytes for a while.
const MAX_PATHS: u128 = 1 << 28;

/// Registers of W11's kernel, and threads of its blocks.
const KERNEL: [u32; 2] = [64, 64];

/// What to render.
#[derive(Debug, Clone)]
pub struct CompactionRequest {
    /// Name of the scene, for the reader.
    pub scene: String,
    /// Viewpoints; the counts are over all of them.
    pub cameras: Vec<Camera>,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Frames of each viewpoint, each of one path a pixel.
    pub frames: u32,
    /// Bounces: a path has one segment more at most.
    pub max_depth: u32,
    /// Radius of the lens in scene units; the camera's own if not given.
    pub lens_radius: Option<f32>,
    /// Lanes of a warp, powers of two up to 64.
    pub widths: Vec<u32>,
    /// Worker threads; 0 takes one for each processor.
    pub threads: usize,
}

/// Why there are no counts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompactionError {
    /// A warp of this many lanes does not fill blocks.
    #[error("warps of {0} lanes do not fill blocks of 64 threads; take a power of two up to 64")]
    Width(u32),
    /// A path may have more segments than are counted.
    #[error("{0} bounces are more than the 65,534 that are counted")]
    Depth(u32),
    /// So many paths are not counted at once.
    #[error("{paths} paths are more than the {MAX_PATHS} that are counted; take fewer frames or pixels")]
    Paths {
        /// Of all frames and viewpoints.
        paths: u128,
    },
    /// Too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// No kernel of that name.
    #[error(transparent)]
    Variant(#[from] IllegalVariant),
    /// The kernel refuses the tree.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The renderer refuses.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// There is no camera.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The caller asked to stop.
    #[error("stopped")]
    Cancelled,
}

/// The counts of one width.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Lanes of a warp.
    pub width: u32,
    /// Bounce by bounce, over all frames; tiles are of 64 x 8 paths.
    pub bounces: Vec<Bounce>,
    /// Work of warps that trace rays with while-while (W11's kernel), bounce by bounce, naive and compacted; of part of the first
    /// frame of each viewpoint.
    pub work: Vec<[Work; 2]>,
    /// For tiles of so many paths a thread, all bounces together.
    pub tiles: Vec<(u32, Bounce)>,
}

impl Counts {
    fn new(width: u32) -> Self {
        Self { width, bounces: Vec::new(), work: Vec::new(), tiles: Vec::new() }
    }

    /// Traversal steps of all warps, naive over compacted: what compaction of whole frames saves of them, above 0.
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

    /// All bounces together.
    pub fn total(&self) -> Bounce {
        self.bounces.iter().fold(Bounce::default(), |sum, &bounce| sum.plus(bounce))
    }
}

/// Everything that was counted.
#[derive(Debug, Clone)]
pub struct CompactionReport {
    pub(crate) request: CompactionRequest,
    /// In the order of the widths.
    pub counts: Vec<Counts>,
    /// Frames, over all viewpoints.
    pub frames: u64,
}

/// Renders frames with the sampler of W11 and counts their paths and warps. Light changes no path's length, so that any does.
///
/// # Errors
/// [`CompactionError`].
pub fn compaction(
    prepared: &mut Prepared,
    request: &CompactionRequest,
    watch: &Watch,
) -> Result<CompactionReport, CompactionError> {
    if let Some(&width) = request.widths.iter().find(|&&width| !(width.is_power_of_two() && width <= 64)) {
        return Err(CompactionError::Width(width));
    }
    if request.max_depth > u32::from(u16::MAX) - 1 {
        return Err(CompactionError::Depth(request.max_depth));
    }
    let views = request.cameras.len() as u128 * u128::from(request.frames);
    let paths = views * u128::from(request.size[0]) * u128::from(request.size[1]);
    if paths > MAX_PATHS {
        return Err(CompactionError::Paths { paths });
    }
    let mut triangles = flatten(prepared.scene())?;
    triangles.opaque.fill(true);
    let kernel = Kernel::new(&WHILE_WHILE.parse::<Variant>()?, prepared.bvh(), &triangles)?;
    let mut segments = Vec::new();
    let mut counts: Vec<Counts> = request.widths.iter().map(|&width| Counts::new(width)).collect();
    for camera in &request.cameras {
        let asked = PictureRequest {
            size: Some(request.size),
            samples: Some(0..request.frames),
            max_depth: Some(request.max_depth),
            sampler: Some(SamplerKind::PaddedHalton),
            camera: CameraRequest { camera: Some(camera.clone()), ..CameraRequest::default() },
            // W11's table counts paths that leave into even light.
            light: if prepared.has_light() {
                LightRequest::built_in(BuiltInLight::None)
            } else {
                LightRequest::built_in(BuiltInLight::White)
            },
            lens_radius: request.lens_radius,
            threads: request.threads,
            ..PictureRequest::default()
        };
        let picture = Picture::settle(prepared, &asked)?;
        let recorder = Recorder::new(request.size, request.frames, request.max_depth);
        let rendered = prepared.render_observed(&picture.camera, &picture.options, watch, &recorder)?;
        if rendered.stop == StopReason::Cancelled {
            return Err(CompactionError::Cancelled);
        }
        let rays = recorder.finish(&mut segments);
        for counts in &mut counts {
            for (bounce, rays) in rays.iter().enumerate().take_while(|(_, rays)| rays.iter().any(Option::is_some)) {
                if watch.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                    return Err(CompactionError::Cancelled);
                }
                counts.add_work(bounce, work(&kernel, counts.width, rays)?);
            }
        }
    }
    let frames = request.cameras.len() as u64 * u64::from(request.frames);
    if let Some(paths) = PathLengths::new(&segments, in_grid(request.size)) {
        for counts in &mut counts {
            let tiled = |m: u32| bounces(paths, counts.width as usize, (64 * m) as usize);
            counts.tiles =
                PATHS_PER_THREAD.map(|m| (m, tiled(m).into_iter().fold(Bounce::default(), Bounce::plus))).to_vec();
            counts.bounces = tiled(8);
        }
    }
    Ok(CompactionReport { request: request.clone(), counts, frames })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PrepareOptions, default_scene, make_clay};
    use raywarp_bench::table::Room;

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

    #[test]
    fn the_built_in_scene_loses_paths_and_compaction_saves_warps() {
        let mut scene = default_scene();
        make_clay(&mut scene, 0.7);
        let mut prepared = Prepared::new(scene, &PrepareOptions::default()).unwrap();
        let request = CompactionRequest {
            scene: "built-in".into(),
            cameras: vec![prepared.camera()],
            size: [100, 60],
            frames: 2,
            max_depth: 8,
            lens_radius: None,
            widths: vec![32, 8],
            threads: 0,
        };
        let report = compaction(&mut prepared, &request, &Watch::default()).unwrap();
        for counts in &report.counts {
            assert_eq!(counts.bounces[0].paths, 2 * 6000);
            assert!(counts.bounces.len() <= 9);
            for pair in counts.bounces.windows(2) {
                assert!(pair[1].paths <= pair[0].paths && pair[1].naive_warps <= pair[0].naive_warps);
            }
            for bounce in &counts.bounces {
                assert!(bounce.compact_warps <= bounce.tiled_warps && bounce.tiled_warps <= bounce.naive_warps);
            }
            // A fuller warp does more, so that fewer steps are saved than warps.
            assert!((1.0..counts.total().saved()).contains(&counts.saved_steps()), "{}", counts.saved_steps());
            assert!(counts.total().saved() > 1.02, "{:?}", counts.total());
            // Larger tiles leave fewer warps part empty.
            assert!(counts.tiles.windows(2).all(|pair| pair[1].1.tiled_warps <= pair[0].1.tiled_warps));
        }
        for counts in &report.counts {
            assert_eq!(counts.work.len(), counts.bounces.len());
            for (bounce, [naive, compact]) in counts.bounces.iter().zip(&counts.work) {
                // The picture is small enough to be kept whole; two frames were rendered, and one traced.
                assert!(naive.rays.abs_diff(bounce.paths / 2) < 100, "{naive:?} {bounce:?}");
                assert_eq!((naive.rays, naive.active), (compact.rays, compact.active));
                assert!(compact.warps <= naive.warps);
                assert!(naive.steps_per_warp() <= 1.0001 * compact.steps_per_warp());
            }
        }
        // Narrower warps lose less.
        assert!(report.counts[1].total().saved() < report.counts[0].total().saved());
        assert!(report.text(Room::Any).contains("saved by tiles") && report.text(Room::Any).contains("H200"));
        assert_eq!(report.json()["counts"][0]["bounces"][0]["paths"], 12_000);

        let refused = |request: CompactionRequest| {
            compaction(
                &mut Prepared::new(default_scene(), &PrepareOptions::default()).unwrap(),
                &request,
                &Watch::default(),
            )
            .unwrap_err()
        };
        assert!(matches!(
            refused(CompactionRequest { widths: vec![32, 24], ..request.clone() }),
            CompactionError::Width(24)
        ));
        assert!(matches!(
            refused(CompactionRequest { max_depth: 65_535, ..request.clone() }),
            CompactionError::Depth(_)
        ));
        let huge = CompactionRequest { size: [1 << 20; 2], frames: 1 << 30, ..request.clone() };
        assert!(matches!(refused(huge), CompactionError::Paths { paths } if paths == 1 << 70));
        let cancel = std::sync::atomic::AtomicBool::new(true);
        let watch = Watch { cancel: Some(&cancel), ..Watch::default() };
        assert!(matches!(compaction(&mut prepared, &request, &watch), Err(CompactionError::Cancelled)));
    }
}
