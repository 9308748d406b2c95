//! Frames of a scene on a GPU, timed.

use crate::path_bench::Table;
use raywarp::PrepareError;
use raywarp::render::Prepared;
use raywarp_cuda::{CudaError, Device, DeviceScene};
use raywarp_experiments::{BounceSeconds, Compaction, KernelUse, PathExperiment, TileOccupancy, Walk, kernel_use};
use raywarp_render::film::Film;
use raywarp_render::{LensRecord, PathRecorder, RenderContext, RenderError, RenderOptions, Watch, render};
use raywarp_render_cuda::{
    CudaRenderer, EngineOptions, FeatureSet, PathCounts, RenderCudaError, SceneFeatures, StageSeconds, pixels_by_lane,
};
use raywarp_scene::Camera;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Error that ends a benchmark of path tracing organisations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchPathsError {
    /// The scene cannot be prepared for rendering.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The scene cannot be loaded on the GPU.
    #[error(transparent)]
    Device(#[from] RenderCudaError),
    /// A CUDA call failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A frame cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Ctrl-C came before a frame was done.
    #[error("interrupted")]
    Interrupted,
}

/// Settings of a benchmark of path tracing organisations.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Render options of the frames: size, bounces, sampler, light sampling, and samples, each of which is a frame of a
    /// run.
    pub options: RenderOptions,
    /// Number of timed runs, of which the median counts; one more before them is not timed.
    pub runs: u32,
}

/// A scene on a GPU, seen by a camera, whose frames are timed.
pub struct Bench<'a> {
    prepared: &'a Prepared,
    camera: Camera,
    device: Device,
    trees: RefCell<Vec<(Walk, Arc<DeviceScene>)>>,
    farthest_origin: f32,
    setup: Setup,
    cancel: Option<&'a AtomicBool>,
}

/// Measurements of the frames of one case: times, counts, and differing pixels.
#[derive(Debug, Clone)]
pub(super) struct Frames {
    /// Seconds per frame of each run.
    pub seconds: Vec<f64>,
    /// Path and launch counts of all frames of a run.
    pub counts: PathCounts,
    /// Seconds of each bounce of a frame, of the last run.
    pub bounces: Vec<BounceSeconds>,
    /// Seconds of each kernel stage, over all frames of the last run, by round of launches.
    pub stages: Vec<StageSeconds>,
    /// Number of pixels that differ from those of the first case.
    pub different: usize,
    /// Resources of the kernel that holds light paths in its lanes; `None` if there is no such kernel.
    pub kernel: Option<KernelUse>,
}

/// One case to measure: a name, an experiment, and the options of its pictures.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub name: String,
    pub engine: PathExperiment,
    pub options: RenderOptions,
}

impl Frames {
    /// Returns the median, smallest and largest seconds per frame of all runs.
    pub fn spread(&self) -> [f64; 3] {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        [sorted[sorted.len() / 2], sorted[0], sorted[sorted.len() - 1]]
    }

    pub fn median(&self) -> f64 {
        self.spread()[0]
    }
}

impl<'a> Bench<'a> {
    /// Makes a benchmark of a prepared scene, with its tree uploaded to a device.
    ///
    /// # Errors
    /// [`BenchPathsError`].
    pub fn new(
        prepared: &'a Prepared,
        camera: Camera,
        device: Device,
        setup: Setup,
        cancel: Option<&'a AtomicBool>,
    ) -> Result<Self, BenchPathsError> {
        let farthest_origin = LensRecord::new(&camera, setup.options.size).farthest_origin();
        let bench = Self { prepared, camera, device, trees: RefCell::default(), farthest_origin, setup, cancel };
        bench.tree(&PathExperiment::default())?;
        Ok(bench)
    }

    /// Returns the tree that an experiment's kernels walk, encoded and uploaded when it is first asked for.
    fn tree(&self, experiment: &PathExperiment) -> Result<Arc<DeviceScene>, BenchPathsError> {
        let walk = experiment.walk;
        if let Some((_, tree)) = self.trees.borrow().iter().find(|(known, _)| *known == walk) {
            return Ok(tree.clone());
        }
        let engine = self.engine(experiment);
        let encoded = self.prepared.encoded(&engine)?;
        let tree = Arc::new(CudaRenderer::tree(&self.device, &engine.variant(), &encoded)?);
        self.trees.borrow_mut().push((walk, tree.clone()));
        Ok(tree)
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    /// Returns `true` if the scene has diffuse surfaces alone, without textures, holes and media.
    pub(super) fn is_plain(&self) -> bool {
        self.prepared.shading().is_ok_and(|scene| FeatureSet::of(scene) == FeatureSet::Plain)
    }

    /// Returns the render options of the frames with `depth` bounces.
    pub(super) fn options(&self, max_depth: u32) -> RenderOptions {
        RenderOptions { max_depth, ..self.setup.options.clone() }
    }

    /// Returns the experiment with as many paths in flight as a frame has, so that it renders frame by frame.
    pub(super) fn a_frame(&self, engine: PathExperiment) -> PathExperiment {
        let [width, height] = self.setup.options.size;
        PathExperiment { paths: (width * height) as usize, queues_per_batch: 1, ..engine }
    }

    /// Returns the path tracing engine's options for an experiment's frames.
    fn engine(&self, experiment: &PathExperiment) -> EngineOptions {
        EngineOptions { farthest_origin: self.farthest_origin, ..(*experiment).into() }
    }

    /// Makes the GPU renderer of an experiment's frames.
    fn renderer(&self, experiment: &PathExperiment) -> Result<CudaRenderer, BenchPathsError> {
        let (tree, shading) = (self.tree(experiment)?, self.prepared.shading()?);
        Ok(CudaRenderer::new(&self.device, tree, shading, self.engine(experiment))?)
    }

    /// Returns the occupancy of the device by tiles of paths, with their shared memory, for pictures with these
    /// options.
    pub(super) fn tile_occupancy(
        &self,
        experiment: &PathExperiment,
        options: &RenderOptions,
    ) -> Result<Option<TileOccupancy>, BenchPathsError> {
        let features = SceneFeatures::of(self.prepared.shading()?);
        Ok(experiment.tile_occupancy(&self.device, &features, options)?)
    }

    /// Renders and times the frames of all cases in alternating runs, so that a GPU that gets faster or slower does so
    /// for all.
    pub(super) fn frames(&self, cases: &[Case]) -> Result<Vec<Frames>, BenchPathsError> {
        self.frames_of_runs(cases, self.setup.runs)
    }

    /// Renders and times the frames of all cases as [`Bench::frames`] does, in a given number of runs.
    pub(super) fn frames_of_runs(&self, cases: &[Case], runs: u32) -> Result<Vec<Frames>, BenchPathsError> {
        let (mut renderers, mut all) = (Vec::new(), Vec::new());
        for case in cases {
            // The driver may compile for a while.
            if self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                return Err(BenchPathsError::Interrupted);
            }
            let renderer = self.renderer(&case.engine)?;
            let kernel = kernel_use(&renderer)?;
            let (seconds, bounces, stages) = (Vec::new(), Vec::new(), Vec::new());
            all.push(Frames { seconds, counts: PathCounts::default(), bounces, stages, different: 0, kernel });
            renderers.push(renderer);
        }
        let mut first: Option<Film> = None;
        for run in 0..=runs {
            for ((case, renderer), frames) in cases.iter().zip(&mut renderers).zip(&mut all) {
                let film = self.render(&case.options, renderer)?;
                let samples = case.options.samples.len() as f64;
                let is_like = first.as_ref().is_some_and(|first| first.size() == film.size());
                if run == 0 && is_like {
                    let first = first.as_ref().expect("it is like the first");
                    frames.different = film.pixels().filter(|&pixel| film.sums(pixel) != first.sums(pixel)).count();
                } else if run == 0 {
                    first = Some(film);
                }
                if run > 0 {
                    frames.seconds.push(renderer.device_seconds() / samples);
                }
                frames.counts = renderer.counts();
                let each = |bounce: &BounceSeconds| BounceSeconds {
                    bounce: bounce.bounce / samples,
                    step: bounce.step / samples,
                };
                frames.stages = renderer.stage_seconds().to_vec();
                frames.bounces = case.engine.bounce_seconds(&frames.stages).iter().map(each).collect();
            }
        }
        Ok(all)
    }

    /// Renders a frame on the CPU and counts the segments of its paths, in the order in which GPU lanes are dealt
    /// pixels.
    pub(super) fn recorded(&self, options: &RenderOptions) -> Result<Vec<u16>, BenchPathsError> {
        let film = Film::new(options.size, false).map_err(RenderError::Film)?;
        let pixels = pixels_by_lane(&film);
        let watch = Watch { cancel: self.cancel, ..Watch::default() };
        let recorder = PathRecorder::new(options.size, options.samples.clone());
        let scene = self.prepared.shading()?;
        let context = RenderContext { watch, film: Some(film), observer: Some(&recorder), engine: None };
        render(scene, &self.camera, self.prepared.tracer(), options, context)?;
        if self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(BenchPathsError::Interrupted);
        }
        let segments = recorder.into_segments();
        Ok(pixels.into_iter().map(|pixel| segments[pixel]).collect())
    }

    fn render(&self, options: &RenderOptions, renderer: &mut CudaRenderer) -> Result<Film, BenchPathsError> {
        let watch = Watch { cancel: self.cancel, ..Watch::default() };
        let context = RenderContext { watch, ..RenderContext::by(renderer) };
        let shading = self.prepared.shading()?;
        let rendered = render(shading, &self.camera, self.prepared.tracer(), options, context)?;
        if rendered.film.sample_range()[0] < options.samples.len() as u32 {
            return Err(BenchPathsError::Interrupted);
        }
        Ok(rendered.film)
    }
}

/// Returns the name of an experiment's organisation, with the options that differ from its defaults.
pub(super) fn name_of(engine: &PathExperiment) -> String {
    let own = PathExperiment::of(engine.organisation);
    let mut name = engine.organisation.name().to_string();
    if engine.compaction != own.compaction {
        name += &format!(" {}", if engine.compaction == Compaction::Off { "off" } else { engine.compaction.name() });
    }
    if engine.walk != own.walk {
        name += &format!(" {}", engine.walk.name());
    }
    if engine.organisation.is_tiled() {
        name += &format!(" M={}", engine.paths_per_lane);
    }
    if engine.host_counts {
        name += " host";
    }
    if !engine.bounds.are_default() {
        name += &format!(", {}", engine.bounds);
    }
    name
}

/// Adds a note to the table for each case whose picture differs from the first case's.
pub(super) fn compare(table: &mut Table, cases: &[Case], frames: &[Frames]) {
    for (case, _) in cases.iter().zip(frames).filter(|(_, frames)| frames.different > 0) {
        table.passes = false;
        table.notes.push(format!("{}: another picture than {}", case.name, cases[0].name));
    }
}
