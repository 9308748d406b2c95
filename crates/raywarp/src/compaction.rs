//! W11's experiment on real paths of the renderer: active paths and warps a bounce, naive against compacted (Table 2), and what
//! shared memory for tiles costs in resident warps (figure 2).

use crate::Prepared;
use crate::picture::{Picture, PictureRequest};
use raywarp_render::{PathRecorder, RenderError, StopReason, Watch};
use raywarp_scene::{Camera, SamplerKind};
use raywarp_sim::compaction::{Bounce, PathLengths, W11_TABLE_2, bounces, occupancy_curve};
use raywarp_sim::machine::Machine;
use serde_json::json;
use std::fmt::Write;

/// Size of W11's pictures.
pub const W11_SIZE: [u32; 2] = [1280, 768];

/// Its bounces: paths of up to nine segments.
pub const W11_DEPTH: u32 = 8;

/// Reflectance of its diffuse materials, which nearly all are.
pub const W11_REFLECTANCE: f32 = 0.7;

/// Pixels of a thread block, across and down (W11, appendix B.1): a warp of 32 has 8 x 4 of them.
const BLOCK: [u32; 2] = [8, 8];

/// Paths a thread of a tile (W11's M); its tiles are of 64 threads.
const PATHS_PER_THREAD: [u32; 5] = [1, 2, 4, 8, 16];

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
    /// The renderer refuses.
    #[error(transparent)]
    Render(#[from] RenderError),
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
    /// For tiles of so many paths a thread, all bounces together.
    pub tiles: Vec<(u32, Bounce)>,
}

impl Counts {
    /// All bounces together.
    pub fn total(&self) -> Bounce {
        self.bounces.iter().fold(Bounce::default(), |sum, &bounce| sum.plus(bounce))
    }
}

/// Everything that was counted.
#[derive(Debug, Clone)]
pub struct CompactionReport {
    request: CompactionRequest,
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
    let mut segments = Vec::new();
    for camera in &request.cameras {
        let asked = PictureRequest {
            size: Some(request.size),
            samples: Some(0..request.frames),
            max_depth: Some(request.max_depth),
            sampler: Some(SamplerKind::PaddedHalton),
            camera: Some(camera.clone()),
            lens_radius: request.lens_radius,
            threads: request.threads,
            ..PictureRequest::default()
        };
        let picture = Picture::settle(prepared, &asked);
        let recorder = PathRecorder::new(request.size, 0..request.frames);
        let rendered = prepared.render_observed(&picture.camera, &picture.options, watch, &recorder)?;
        if rendered.stop == StopReason::Cancelled {
            return Err(CompactionError::Cancelled);
        }
        let pixels = request.size[0] as usize * request.size[1] as usize;
        for frame in recorder.into_segments().chunks(pixels.max(1)) {
            in_blocks(frame, request.size, &mut segments);
        }
    }
    let threads = in_grid(request.size);
    let frames = request.cameras.len() as u64 * u64::from(request.frames);
    let counts = PathLengths::new(&segments, threads).map_or_else(Vec::new, |paths| {
        let of = |&width: &u32| {
            let tiled = |paths_per_thread: u32| bounces(paths, width as usize, (64 * paths_per_thread) as usize);
            let sum = |all: Vec<Bounce>| all.into_iter().fold(Bounce::default(), Bounce::plus);
            Counts { width, bounces: tiled(8), tiles: PATHS_PER_THREAD.map(|m| (m, sum(tiled(m)))).to_vec() }
        };
        request.widths.iter().map(of).collect()
    });
    Ok(CompactionReport { request: request.clone(), counts, frames })
}

/// Threads of a launch for a picture: whole blocks.
fn in_grid(size: [u32; 2]) -> usize {
    let [columns, rows] = [0, 1].map(|axis| size[axis].next_multiple_of(BLOCK[axis]) as usize);
    columns * rows
}

/// Adds the paths of a frame (row by row) in the order of threads: block by block, row by row in each. A thread beside the
/// picture has none.
fn in_blocks(frame: &[u16], size: [u32; 2], order: &mut Vec<u16>) {
    order.reserve(in_grid(size));
    for top in (0..size[1]).step_by(BLOCK[1] as usize) {
        for left in (0..size[0]).step_by(BLOCK[0] as usize) {
            for y in top..top + BLOCK[1] {
                for x in left..left + BLOCK[0] {
                    let inside = x < size[0] && y < size[1];
                    order.push(if inside { frame[y as usize * size[0] as usize + x as usize] } else { 0 });
                }
            }
        }
    }
}

impl CompactionReport {
    /// Tables for people, W11's beside ours.
    pub fn text(&self) -> String {
        let request = &self.request;
        let [columns, rows] = request.size;
        let mut text = format!(
            "{}: {columns} x {rows}, {} frame{} of one path a pixel, up to {} bounces; per frame\n",
            request.scene,
            self.frames,
            if self.frames == 1 { "" } else { "s" },
            request.max_depth,
        );
        for counts in &self.counts {
            self.table(&mut text, counts);
        }
        text.push_str(
            "\npaths: extended at this bounce. paths/warp: of a naive warp that still runs. saved: naive warps over compacted \
             ones, this\nbounce and those before. theirs: W11 Table 2, the fairy scene at 1280 x 768, warps of 32.\n",
        );
        occupancy(&mut text);
        text
    }

    fn table(&self, text: &mut String, counts: &Counts) {
        let frames = self.frames.max(1) as f64;
        let theirs = counts.width == 32;
        let _ = writeln!(
            text,
            "\nwarps of {}\nbounce    paths      %  theirs   naive warps  paths/warp  theirs   compact warps  saved  theirs",
            counts.width
        );
        let first = counts.bounces.first().map_or(0, |bounce| bounce.paths);
        let mut sum = Bounce::default();
        for (index, bounce) in counts.bounces.iter().enumerate() {
            sum = sum.plus(*bounce);
            let printed = W11_TABLE_2.get(index).filter(|_| theirs).map(|row| {
                let share = 100.0 * row.kilo_paths / W11_TABLE_2[0].kilo_paths;
                [share, 1e3 * row.kilo_paths / row.naive_warps, row.saved]
            });
            let cell = |column: usize, digits: usize| {
                printed.map_or_else(String::new, |cells| format!("{:.digits$}", cells[column]))
            };
            let _ = writeln!(
                text,
                "{index:>6} {:>8.0} {:>6.1} {:>7} {:>13.0} {:>11.1} {:>7} {:>15.0} {:>6.2} {:>7}",
                bounce.paths as f64 / frames,
                100.0 * bounce.paths as f64 / first as f64,
                cell(0, 1),
                bounce.naive_warps as f64 / frames,
                bounce.naive_paths_per_warp(),
                cell(1, 1),
                bounce.compact_warps as f64 / frames,
                sum.saved(),
                cell(2, 1),
            );
        }
        let _ = writeln!(
            text,
            "   all {:>8.0} {:>6} {:>7} {:>13.0} {:>11.1} {:>7} {:>15.0} {:>6.2}",
            sum.paths as f64 / frames,
            "",
            "",
            sum.naive_warps as f64 / frames,
            sum.naive_paths_per_warp(),
            if theirs { "13.8" } else { "" },
            sum.compact_warps as f64 / frames,
            sum.saved(),
        );
        text.push_str("saved by tiles of 64 x M paths: ");
        let tiles: Vec<String> =
            counts.tiles.iter().map(|(m, sum)| format!("M {m}: {:.2}", sum.saved_by_tiles())).collect();
        let _ = writeln!(text, "{}", tiles.join(", "));
    }

    /// The same as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let request = &self.request;
        let bounce = |bounce: &Bounce| {
            json!({
                "paths": bounce.paths,
                "naive_warps": bounce.naive_warps,
                "compact_warps": bounce.compact_warps,
                "tiled_warps": bounce.tiled_warps,
            })
        };
        let counts = |counts: &Counts| {
            let tile = |(m, sum): &(u32, Bounce)| json!({ "paths_per_thread": m, "warps": sum.tiled_warps });
            json!({
                "width": counts.width,
                "bounces": counts.bounces.iter().map(bounce).collect::<Vec<_>>(),
                "all": bounce(&counts.total()),
                "tiles": counts.tiles.iter().map(tile).collect::<Vec<_>>(),
            })
        };
        let curve = |name: &str, curve: Vec<(u32, f64)>| json!({ "machine": name, "share_by_shared_bytes": curve });
        json!({
            "experiment": "compaction",
            "scene": request.scene,
            "size": request.size,
            "frames": self.frames,
            "max_depth": request.max_depth,
            "counts": self.counts.iter().map(counts).collect::<Vec<_>>(),
            "theirs": W11_TABLE_2.map(|row| json!({
                "paths": 1e3 * row.kilo_paths,
                "naive_warps": row.naive_warps,
                "compact_warps": 1e3 * row.kilo_compact_warps,
                "saved_so_far": row.saved,
            })),
            "occupancy": curves(1024).into_iter().map(|(machine, points)| curve(machine.name(), points)).collect::<Vec<_>>(),
        })
    }
}

/// W11's kernel on its GPU and on ours: share of the warps that stay resident, by shared memory of a block.
fn curves(step_bytes: u32) -> Vec<(Machine, Vec<(u32, f64)>)> {
    let curve = |name: &str| {
        let machine = Machine::find(name).ok()?;
        let points = occupancy_curve(&machine, KERNEL[0], KERNEL[1], step_bytes).ok()?;
        Some((machine, points.into_iter().map(|(bytes, occupancy)| (bytes, occupancy.share)).collect()))
    };
    ["gtx480", "h200"].into_iter().filter_map(curve).collect()
}

/// Figure 2, right, in steps of 4 KB up to what a block of the smaller machine may have.
fn occupancy(text: &mut String) {
    let _ = write!(
        text,
        "\nresident warps, % of the most (W11 figure 2): {} registers, blocks of {}\nKB of a block",
        KERNEL[0], KERNEL[1]
    );
    let curves = curves(4096);
    let steps = curves.iter().map(|(_, points)| points.len()).min().unwrap_or(0);
    for step in 0..steps {
        let _ = write!(text, " {:>4}", 4 * step);
    }
    for (machine, points) in &curves {
        let _ = write!(text, "\n{:<13.13}", machine.name().trim_start_matches("GeForce "));
        for (_, share) in &points[..steps] {
            let _ = write!(text, " {:>4.0}", 100.0 * share);
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PrepareOptions, default_scene, make_clay};

    #[test]
    fn threads_take_pixels_in_blocks_of_8_by_8() {
        // A pixel holds its own number.
        let size = [20, 10];
        let frame: Vec<u16> = (1..=200).collect();
        let mut order = Vec::new();
        in_blocks(&frame, size, &mut order);
        assert_eq!(order.len(), in_grid(size));
        assert_eq!(in_grid(size), 24 * 16);
        for (thread, &number) in order.iter().enumerate() {
            let (block, lane) = (thread / 64, thread % 64);
            let (x, y) = (block % 3 * 8 + lane % 8, block / 3 * 8 + lane / 8);
            let pixel = if x < 20 && y < 10 { y * 20 + x + 1 } else { 0 };
            assert_eq!(usize::from(number), pixel, "thread {thread}");
        }
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
            assert!(counts.total().saved() > 1.02, "{:?}", counts.total());
            // Larger tiles leave fewer warps part empty.
            assert!(counts.tiles.windows(2).all(|pair| pair[1].1.tiled_warps <= pair[0].1.tiled_warps));
        }
        // Narrower warps lose less.
        assert!(report.counts[1].total().saved() < report.counts[0].total().saved());
        assert!(report.text().contains("saved by tiles") && report.text().contains("H200"));
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
        let watch = Watch { cancel: Some(&cancel), progress: None };
        assert!(matches!(compaction(&mut prepared, &request, &watch), Err(CompactionError::Cancelled)));
    }
}
