//! A scene with its tree: what rendering and reporting start from.

use crate::cpu_tree::cpu_tree;
use crate::framing::frame_bounds;
use crate::gpu::{Gpu, OneOfGpus, Placed};
use crate::gpu_tree::{GpuTree, TreeEffort};
use crate::late_tracer::LateTracer;
use crate::lighting::{LightRequest, LightSource};
use crate::own_light::has_light;
use crate::path_work::PathWork;
use crate::paths_on_gpus::Encoding;
use crate::tracing::{ForPaths, Tracing};
use raywarp_bvh::{BuildError, BuildOptions, Bvh2, build};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::CudaError;
use raywarp_geom::{Aabb, FlatError, FlatTriangles, Tracer};
use raywarp_layout::LayoutError;
use raywarp_render::film::{Film, Window};
use raywarp_render::flat::MediumRecord;
use raywarp_render::{RenderError, RenderOptions, Rendered, ShadingScene, Watch};
use raywarp_render_cuda::RenderCudaError;
use raywarp_scene::{Camera, Scene, flatten};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How to prepare a scene.
#[derive(Debug, Clone, Default)]
pub struct PrepareOptions {
    /// The tree.
    pub build: BuildOptions,
    /// The GPU that traces, and by which kernels; the CPU where there is none. GPUs that take paths as a whole need no
    /// such one: [`Prepared::paths_on`].
    pub gpu: Option<Gpu>,
    /// What GPUs are to do that take paths as a whole, where that is known: then the canonical tree is one that they walk,
    /// of a builder that suits the work and not `build`; it is encoded for them beside what comes next, and for the CPU only
    /// when that is to trace. Not beside `gpu`.
    pub paths: Option<PathWork>,
    /// What the CPU is to render, where that is known: then the canonical tree is one that suits the work, and not `build`.
    /// Beside `gpu` and `paths` it has no effect.
    pub work: Option<PathWork>,
}

/// Bytes a triangle that flattening, building and encoding take at their peak: 176 were seen of 4.8 million triangles.
const PREPARE_BYTES: u64 = 176;
/// The same for GPUs that take whole paths, beside whose tree what shading reads is made, and after it a tracer of the CPU's:
/// 466 were seen of 0.9 million triangles (hairball_synthetic), 511 of 9.4 million (San Miguel).
const PATHS_BYTES: u64 = 512;
/// Scenes that need less than this are not held against what is free: what systems say is rough.
const SMALL_BYTES: u64 = 256 << 20;

/// Why a scene cannot be prepared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// Too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The memory is not there: a scene of few bytes can place its meshes any number of times.
    #[error("{triangles} triangles need about {} MB, but {} MB are free; place fewer", needed >> 20, free >> 20)]
    Memory {
        /// World-space triangles.
        triangles: u64,
        /// Bytes needed at the peak, about.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The builder refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The encoder refuses.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The GPU lacks something, or fails.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The kernels that render paths lack something.
    #[error(transparent)]
    Engine(#[from] RenderCudaError),
    /// A GPU cannot be given the scene.
    #[error("cuda:{ordinal}: {error}")]
    Gpu {
        /// Its number in the driver's order.
        ordinal: usize,
        /// Why.
        error: Box<RenderCudaError>,
    },
    /// One of several GPUs lacks something, or fails.
    #[error(transparent)]
    OneOfGpus(#[from] OneOfGpus),
    /// What shading reads cannot be made.
    #[error(transparent)]
    Shading(#[from] Box<RenderError>),
}

impl PrepareError {
    /// Whether kernels refuse the scene that take whole paths of it, which others may trace.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Cuda(error) | Self::Engine(RenderCudaError::Cuda(error)) => error.is_limit(),
            Self::Engine(RenderCudaError::Extent { .. } | RenderCudaError::Areas { .. }) => true,
            _ => false,
        }
    }
}

/// Wall time of each step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timings {
    /// World-space triangles.
    pub flatten: Duration,
    /// The canonical tree.
    pub build: Duration,
    /// The tree that the tracer walks; nothing where it is made when it is asked for.
    pub encode: Duration,
    /// What shading reads, where it was made beside the tree.
    pub shading: Duration,
}

/// A scene, its canonical tree and its tracer.
pub struct Prepared {
    scene: Scene,
    /// Made when it is first asked for: tracing needs none.
    shading: OnceLock<ShadingScene>,
    bvh: Arc<Bvh2>,
    tracing: Tracing,
    instead: Instead,
    /// What it was prepared with.
    options: PrepareOptions,
    /// What the canonical tree was built with.
    build: BuildOptions,
    bounds: Aabb,
    timings: Timings,
    triangle_count: usize,
}

impl Prepared {
    /// Flattens the scene, builds its tree and encodes it for what traces, in parallel on rayon's
    /// current pool.
    ///
    /// # Errors
    /// [`PrepareError`].
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn new(scene: Scene, options: &PrepareOptions) -> Result<Self, PrepareError> {
        let start = Instant::now();
        let work = options.paths.as_ref().filter(|_| options.gpu.is_none());
        let free = check_memory_for(scene.triangle_count(), if work.is_some() { PATHS_BYTES } else { PREPARE_BYTES })?;
        let flat = flatten(&scene)?;
        let flattened = Instant::now();
        if let Some(work) = work {
            let effort = TreeEffort::for_work(work, flat.len()).with_memory(flat.len(), free);
            return Self::new_for_paths(scene, flat, effort, (flattened - start, options.clone()));
        }
        let tree = match (&options.gpu, &options.work) {
            (Some(gpu), _) => gpu.closest_tree(&options.build),
            (None, Some(work)) => cpu_tree(work, flat.len(), rayon::current_num_threads()),
            (None, None) => options.build,
        };
        let bvh = build(&flat, &tree)?;
        let built = Instant::now();
        let Traced { tracer, bytes, instead } = tracer(options, &bvh, &flat)?;
        let (flatten, build) = (flattened - start, built - flattened);
        let timings = Timings { flatten, build, encode: built.elapsed(), shading: Duration::ZERO };
        let (bounds, triangle_count) = (flat.bounds(), flat.len());
        let (shading, bvh, tracing) = (OnceLock::new(), Arc::new(bvh), Tracing::Now(tracer, bytes));
        let options = options.clone();
        Ok(Self { scene, shading, bvh, tracing, instead, options, build: tree, bounds, timings, triangle_count })
    }

    /// For GPUs that take paths as a whole: the tree that they walk and what shading reads, side by side.
    fn new_for_paths(
        scene: Scene,
        triangles: FlatTriangles,
        effort: TreeEffort,
        (flatten, options): (Duration, PrepareOptions),
    ) -> Result<Self, PrepareError> {
        let (bounds, triangle_count) = (triangles.bounds(), triangles.len());
        let timed = || {
            let start = Instant::now();
            (ShadingScene::new(&scene, &bounds), start.elapsed())
        };
        let (built, (shading, time)) = rayon::join(|| effort.build(&triangles), timed);
        let (bvh, tree) = built?;
        // What is wrong with it is said when it is asked for.
        let shading = shading.map_or_else(|_| OnceLock::new(), OnceLock::from);
        let timings = Timings { flatten, build: tree.time, encode: Duration::ZERO, shading: time };
        let (bvh, triangles) = (Arc::new(bvh), Arc::new(triangles));
        let encoding = Encoding::begin(&scene, &bvh, &triangles);
        let tracer = LateTracer::new(bvh.clone(), triangles.clone());
        let tracing = Tracing::Late(Box::new(ForPaths { tree, triangles, encoding, tracer }));
        Ok(Self {
            scene,
            shading,
            bvh,
            tracing,
            instead: Instead::None,
            options,
            build: tree.build,
            bounds,
            timings,
            triangle_count,
        })
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The canonical tree.
    pub fn bvh(&self) -> &Bvh2 {
        &self.bvh
    }

    /// What the canonical tree was built with.
    pub fn build_options(&self) -> &BuildOptions {
        &self.build
    }

    /// The tracer, made now where it was not yet. One that cannot be made fails every batch.
    pub fn tracer(&self) -> &dyn Tracer {
        self.tracing.now()
    }

    /// The tracer, which is made when its first ray comes, where it was not yet.
    pub(crate) fn late_tracer(&self) -> &dyn Tracer {
        self.tracing.late()
    }

    /// Why another kernel of the GPU traces than the one that was chosen, or the CPU does, where that cannot hold the scene.
    pub fn instead(&self) -> Option<&str> {
        self.instead.line()
    }

    /// Whether the CPU traces although a GPU was to, since none of its kernels holds the scene that loses no ray.
    pub fn is_left_to_cpu(&self) -> bool {
        matches!(self.instead, Instead::Cpu(_))
    }

    /// Has `gpu` trace the rays of the scene, whatever did so before. For scenes that GPUs do not take whole paths of. Where no
    /// kernel holds it that loses no ray, the CPU traces: [`Prepared::instead`].
    ///
    /// # Errors
    /// [`PrepareError`]; what traced before then still does.
    pub fn trace_on(&mut self, gpu: &Gpu) -> Result<(), PrepareError> {
        check_memory(self.scene.triangle_count())?;
        let flat = match self.for_paths() {
            Some(paths) => paths.triangles.clone(),
            None => Arc::new(flatten(&self.scene)?),
        };
        let fits = gpu.closest_tree(&self.build);
        let own = if fits == self.build { None } else { Some(build(&flat, &fits)?) };
        let bvh = own.as_ref().unwrap_or(&self.bvh);
        let Traced { tracer, bytes, instead } = traced_by(gpu.tracer(bvh, &self.build, &flat)?, bvh, &flat)?;
        self.instead = instead;
        self.tracing = Tracing::Now(tracer, bytes);
        Ok(())
    }

    /// Bytes of what the tracer walks, in its device's memory; 0 as long as it is not made.
    pub fn tracer_bytes(&self) -> usize {
        self.tracing.bytes()
    }

    /// How long the CPU's tracer took that was made when somebody asked for it; `None` where none was.
    pub fn late_tracer_time(&self) -> Option<Duration> {
        self.for_paths()?.tracer.made().map(|(_, time)| time)
    }

    /// The tree that was built for GPUs that take paths as a whole: for [`PrepareOptions::paths`].
    pub fn gpu_tree(&self) -> Option<&GpuTree> {
        self.for_paths().map(|paths| &paths.tree)
    }

    pub(crate) fn for_paths(&self) -> Option<&ForPaths> {
        self.tracing.for_paths()
    }

    /// The canonical tree, for whoever keeps it.
    pub(crate) fn shared_bvh(&self) -> &Arc<Bvh2> {
        &self.bvh
    }

    /// Box around all triangles; empty for a scene without any.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Triangles in the tree: those with area that are not invisible.
    pub fn triangle_count(&self) -> usize {
        self.triangle_count
    }

    /// Wall time of the steps.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// The scene's own camera, or one that frames its box.
    pub fn camera(&self) -> Camera {
        self.scene.cameras.first().cloned().unwrap_or_else(|| frame_bounds(&self.bounds))
    }

    /// Whether the scene has lights, or surfaces that glow, however weak.
    pub fn has_light(&self) -> bool {
        has_light(&self.scene)
    }

    /// Adds light from `source`, turned and scaled as `request` says, as a picture from `camera` needs it. Nothing else
    /// of a prepared scene can change.
    pub fn add_light(&mut self, request: &LightRequest, source: &LightSource, camera: &Camera) {
        self.edit_lights(|scene| request.add(scene, source, camera));
    }

    /// Changes the scene's lights, and the images that come with them.
    pub(crate) fn edit_lights(&mut self, edit: impl FnOnce(&mut Scene)) {
        edit(&mut self.scene);
        if let Some(shading) = self.shading.get_mut() {
            shading.set_lights(&self.scene, &self.bounds);
        }
    }

    /// Changes what surfaces look like: nothing that rays meet.
    pub(crate) fn edit_materials(&mut self, edit: impl FnOnce(&mut Scene)) {
        edit(&mut self.scene);
        self.shading = OnceLock::new();
    }

    /// Changes the scene, and prepares it again as it was.
    ///
    /// # Errors
    /// [`PrepareError`]; nothing is left of the scene then.
    pub(crate) fn edit(&mut self, edit: impl FnOnce(&mut Scene)) -> Result<(), PrepareError> {
        let mut scene = std::mem::take(&mut self.scene);
        edit(&mut scene);
        let options = self.options.clone();
        // Memory may not hold two trees.
        *self = Self::new(Scene::default(), &PrepareOptions::default())?;
        *self = Self::new(scene, &options)?;
        Ok(())
    }

    /// What `ask` says of the scene with media that take nothing away; `None` where they are so, or shading was not yet
    /// asked for.
    pub(crate) fn without_absorption<T>(&mut self, ask: impl FnOnce(&Self) -> T) -> Option<T> {
        let media = self.shading.get_mut().map(|shading| shading.media.clone())?;
        if media.iter().all(|medium| medium.absorption == [0.0; 3]) {
            return None;
        }
        let clear = media.iter().map(|&medium| MediumRecord { absorption: [0.0; 3], ..medium }).collect();
        self.shading.get_mut()?.media = clear;
        let answer = ask(self);
        self.shading.get_mut()?.media = media;
        Some(answer)
    }

    /// The scene as shading reads it, made when it is first asked for.
    ///
    /// # Errors
    /// As [`ShadingScene::new`].
    pub fn shading(&self) -> Result<&ShadingScene, RenderError> {
        if let Some(shading) = self.shading.get() {
            return Ok(shading);
        }
        let shading = ShadingScene::new(&self.scene, &self.bounds)?;
        Ok(self.shading.get_or_init(|| shading))
    }

    /// Renders the scene; see [`raywarp_render::render`].
    ///
    /// # Errors
    /// [`RenderError`].
    pub fn render(&self, camera: &Camera, options: &RenderOptions, watch: &Watch) -> Result<Rendered, RenderError> {
        let film = Film::of(Window::new(options.size, options.crop)?, options.features)?;
        self.render_onto(camera, options, watch, film)
    }

    /// As [`render`](Self::render), telling `observer` which paths live at each bounce.
    ///
    /// # Errors
    /// [`RenderError`].
    pub fn render_observed<O: raywarp_render::PathObserver>(
        &self,
        camera: &Camera,
        options: &RenderOptions,
        watch: &Watch,
        observer: &O,
    ) -> Result<Rendered, RenderError> {
        raywarp_render::render_observed(self.shading()?, camera, self.tracer(), options, watch, observer)
    }

    /// Goes on with a film that holds earlier samples of the picture; see [`raywarp_render::render_onto`].
    ///
    /// # Errors
    /// [`RenderError`].
    pub fn render_onto(
        &self,
        camera: &Camera,
        options: &RenderOptions,
        watch: &Watch,
        film: Film,
    ) -> Result<Rendered, RenderError> {
        self.render_onto_observed(camera, options, watch, &raywarp_render::Unobserved, film)
    }

    /// As [`render_onto`](Self::render_onto), telling `observer` what paths do. The picture is the same.
    ///
    /// # Errors
    /// [`RenderError`].
    pub fn render_onto_observed<O: raywarp_render::PathObserver>(
        &self,
        camera: &Camera,
        options: &RenderOptions,
        watch: &Watch,
        observer: &O,
        film: Film,
    ) -> Result<Rendered, RenderError> {
        raywarp_render::render_onto(self.shading()?, camera, self.tracer(), options, watch, observer, film)
    }
}

/// What traces.
struct Traced {
    tracer: Box<dyn Tracer>,
    /// Of its tree.
    bytes: usize,
    instead: Instead,
}

/// What traces in the place of the kernel that was chosen, for people to read.
#[derive(Debug, Default)]
enum Instead {
    /// That kernel does, or the CPU was chosen.
    #[default]
    None,
    /// Another kernel.
    Kernel(String),
    /// The CPU.
    Cpu(String),
}

impl Instead {
    fn line(&self) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Kernel(line) | Self::Cpu(line) => Some(line),
        }
    }
}

/// What traces.
fn tracer(options: &PrepareOptions, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Traced, PrepareError> {
    let Some(gpu) = &options.gpu else {
        let tracer = CpuTracer::new(bvh, triangles)?;
        let bytes = tracer.bytes();
        return Ok(Traced { tracer: Box::new(tracer), bytes, instead: Instead::None });
    };
    traced_by(gpu.tracer(bvh, &options.build, triangles)?, bvh, triangles)
}

/// What was found to hold the scene: the GPUs' kernels, or else the CPU's tracer.
fn traced_by(placed: Placed, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Traced, PrepareError> {
    Ok(match placed {
        Placed::Gpus(made) => {
            let bytes = made.bytes();
            let instead = made.instead.map_or(Instead::None, Instead::Kernel);
            Traced { tracer: Box::new(made.tracer), bytes, instead }
        }
        Placed::Cpu(why) => {
            let tracer = CpuTracer::new(bvh, triangles)?;
            let bytes = tracer.bytes();
            Traced { tracer: Box::new(tracer), bytes, instead: Instead::Cpu(format!("the CPU traces: {why}")) }
        }
    })
}

/// Refuses triangles that can be counted but for which there is no memory.
pub(crate) fn check_memory(triangles: u64) -> Result<(), PrepareError> {
    check_memory_for(triangles, PREPARE_BYTES).map(|_| ())
}

/// Refuses what GPUs that take whole paths need more for.
pub(crate) fn check_memory_for_paths(triangles: u64) -> Result<(), PrepareError> {
    check_memory_for(triangles, PATHS_BYTES).map(|_| ())
}

/// The same for so many bytes a triangle; otherwise what is free, where the system tells.
fn check_memory_for(triangles: u64, bytes: u64) -> Result<u64, PrepareError> {
    let needed = triangles.saturating_mul(bytes);
    let countable = triangles <= u64::from(FlatTriangles::LIMIT);
    let free = raywarp_system::memory::available();
    match free {
        Some(free) if countable && needed > free.max(SMALL_BYTES) => {
            Err(PrepareError::Memory { triangles, needed, free })
        }
        free => Ok(free.unwrap_or(u64::MAX)),
    }
}

/// What there is memory for of `build`: of two trees one, where the second might not have room beside it
/// ([`MOST_BYTES`](crate::gpu_tree::MOST_BYTES)).
pub(crate) fn build_in_memory(build: &BuildOptions, triangles: usize) -> BuildOptions {
    let free = raywarp_system::memory::available().unwrap_or(u64::MAX);
    crate::gpu_tree::with_memory(build, triangles, free)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many samples of a picture of 1000 x 500 pixels.
    fn work(samples: u32) -> PathWork {
        PathWork::new(&RenderOptions { size: [1000, 500], samples: 0..samples, ..RenderOptions::default() }, 1)
    }

    #[test]
    fn a_scene_for_gpus_has_no_tracer_until_one_is_asked_for_and_then_the_same_pictures() {
        let scene = crate::default_scene;
        let usual = Prepared::new(scene(), &PrepareOptions::default()).unwrap();
        let options = RenderOptions { size: [24, 16], samples: 0..2, features: true, ..RenderOptions::default() };
        let picture = |prepared: &Prepared| {
            let film = prepared.render(&prepared.camera(), &options, &Watch::default()).unwrap().film;
            film.pixels().map(|p| (*film.sums(p), film.feature_sums(p).copied())).collect::<Vec<_>>()
        };
        let right = picture(&usual);
        assert!(usual.gpu_tree().is_none() && usual.late_tracer_time().is_none() && usual.tracer_bytes() > 0);
        let mut efforts = Vec::new();
        for samples in [0, 1, 1 << 20] {
            let paths = Some(work(samples));
            let prepared = Prepared::new(scene(), &PrepareOptions { paths, ..PrepareOptions::default() }).unwrap();
            efforts.push(prepared.gpu_tree().unwrap().effort);
            assert_eq!(prepared.build_options(), &prepared.gpu_tree().unwrap().build);
            assert_eq!((prepared.triangle_count(), prepared.bounds()), (usual.triangle_count(), usual.bounds()));
            // Neither what shading reads nor a camera needs it.
            prepared.shading().unwrap();
            assert_eq!((prepared.tracer_bytes(), prepared.late_tracer_time()), (0, None));
            assert!(picture(&prepared) == right, "{samples}");
            assert!(prepared.tracer_bytes() > 0 && prepared.late_tracer_time().is_some());
        }
        assert_eq!(efforts[0], TreeEffort::Quick);
        assert_eq!(efforts[2], TreeEffort::Most);
    }
}
