//! A scene with its tree: what rendering and reporting start from.

#[cfg(feature = "cuda")]
use crate::device::cost_model::PATHS_BYTES;
use crate::device::cost_model::cpu_tree;
#[cfg(feature = "cuda")]
use crate::device::paths::{Encoding, ForPaths};
use crate::device::{Backend, Plan, PlannedTree, SceneTree};
#[cfg(feature = "cuda")]
use crate::device::{Cause, GpuTree, PlanReason, PlannedDevice, PlannedKernels, RayKernels, TreeEffort};
use crate::placed::{Sight, TwoLevels, chosen, placed_trees};
#[cfg(feature = "cuda")]
use crate::prepare::check_memory;
#[cfg(feature = "cuda")]
use crate::prepare::check_memory_for;
use crate::prepare::{PrepareError, Timings};
use crate::query::Levels;
use crate::render::framing::frame_bounds;
use crate::render::lighting::{LightRequest, LightSource};
use crate::render::own_light::has_light;
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cpu::CpuTracer;
#[cfg(feature = "cuda")]
use raywarp_geom::FlatTriangles;
use raywarp_geom::{Aabb, Tracer};
use raywarp_render::flat::MediumRecord;
use raywarp_render::{RenderContext, RenderError, RenderOptions, Rendered, ShadingScene};
use raywarp_scene::{Camera, Description, flatten};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Scene prepared for tracing and rendering: its triangles, canonical tree and tracer.
pub struct Prepared {
    scene: Description,
    /// Shading tables, made when first needed, since tracing rays needs none.
    shading: OnceLock<ShadingScene>,
    trees: Trees,
    pub(crate) backend: Backend,
    /// Data of the scene kept for GPUs that trace whole paths, if these are planned.
    #[cfg(feature = "cuda")]
    paths: Option<Box<ForPaths>>,
    /// Plan for which the scene was prepared, and the levels of its trees.
    asked: (Plan, Levels),
    /// Options with which the canonical tree was built.
    build: BuildOptions,
    bounds: Aabb,
    timings: Timings,
    triangle_count: usize,
}

/// Trees of a scene before they are encoded.
enum Trees {
    One(Arc<Bvh2>),
    Two(TwoLevels),
}

impl Prepared {
    /// Flattens the scene, builds its tree and encodes it for the planned tracer, in parallel on rayon's current pool.
    ///
    /// Where GPUs are planned that take paths as a whole, and their work is known ([`PlannedTree::ForWork`]), the
    /// canonical tree is one that they walk; it is encoded for them beside what comes next, and for the CPU only when
    /// that is to trace. [`Prepared::place`] puts it there.
    ///
    /// # Errors
    /// [`PrepareError`].
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn new(scene: Description, plan: &Plan) -> Result<Self, PrepareError> {
        Self::with_levels(scene, plan, Levels::One)
    }

    /// Prepares the scene as [`Prepared::new`] does, with one level of trees or with two, as `levels` says: pictures
    /// are the same.
    ///
    /// In two levels each mesh that is placed several times is kept once, with a tree of its own, to trace and to
    /// shade; all others are flattened into one tree. [`Levels::Auto`] takes two where the CPU traces and the flattened
    /// scene does not fit into memory; and where two levels take at most half of what the flattened scene does, and
    /// that is more than half of the free memory, or 4 GiB, or takes longer to build than the planned picture's rays
    /// take longer in two levels ([`PlannedTree::ForWork`]). GPUs and tracers of the caller's always get one.
    ///
    /// # Errors
    /// [`PrepareError`]; [`PrepareError::TwoLevels`] if two are asked for where the CPU's own tracer does not trace.
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn with_levels(scene: Description, plan: &Plan, levels: Levels) -> Result<Self, PrepareError> {
        let start = Instant::now();
        #[cfg(feature = "cuda")]
        if levels == Levels::Two && matches!(plan.kernels, PlannedKernels::Paths(_)) {
            return Err(PrepareError::TwoLevels);
        }
        #[cfg(feature = "cuda")]
        if let (PlannedKernels::Paths(_), PlannedTree::ForWork(work)) = (&plan.kernels, &plan.tree) {
            let free = check_memory_for(scene.triangle_count(), PATHS_BYTES)?;
            let flat = flatten(&scene)?;
            let threads = rayon::current_num_threads();
            let effort = TreeEffort::for_render(work.seconds(), flat.len(), threads).with_memory(flat.len(), free);
            return Self::new_for_paths(scene, flat, effort, start.elapsed(), plan);
        }
        let options = |triangles: usize| match &plan.tree {
            PlannedTree::Given(build) => *build,
            PlannedTree::ForWork(work) => {
                let threads = rayon::current_num_threads();
                cpu_tree(work.cpu_seconds(threads), triangles, threads)
            }
        };
        if chosen(&scene, levels, plan)? {
            let build = options(scene.meshes.iter().map(|mesh| mesh.triangles.indices.len()).sum());
            let placed = placed_trees(&scene, &build, Sight::Materials)?;
            return Ok(Self {
                scene,
                shading: OnceLock::new(),
                trees: Trees::Two(placed.sizes),
                backend: Backend::levels(placed.tracer, plan.clone()),
                #[cfg(feature = "cuda")]
                paths: None,
                asked: (plan.clone(), levels),
                build,
                bounds: placed.bounds,
                timings: placed.timings,
                triangle_count: placed.triangles as usize,
            });
        }
        let flat = flatten(&scene)?;
        let flattened = Instant::now();
        let asked = options(flat.len());
        let tree = plan.kernels.fitting(&asked);
        let bvh = build(&flat, &tree)?;
        let built = Instant::now();
        let cpu = || Ok(Arc::new(CpuTracer::new(&bvh, &flat)?));
        let backend = Backend::new(plan.clone(), &SceneTree { bvh: &bvh, asked: &asked, triangles: &flat }, cpu)?;
        let (flatten, build) = (flattened - start, built - flattened);
        let timings = Timings { flatten, build, encode: built.elapsed(), shading: Duration::ZERO };
        let (bounds, triangle_count) = (flat.bounds(), flat.len());
        Ok(Self {
            scene,
            shading: OnceLock::new(),
            trees: Trees::One(Arc::new(bvh)),
            backend,
            #[cfg(feature = "cuda")]
            paths: None,
            asked: (plan.clone(), levels),
            build: tree,
            bounds,
            timings,
            triangle_count,
        })
    }

    /// Prepares a scene for GPUs that trace whole paths: builds their tree and the shading tables at the same time.
    #[cfg(feature = "cuda")]
    fn new_for_paths(
        scene: Description,
        triangles: FlatTriangles,
        effort: TreeEffort,
        flatten: Duration,
        plan: &Plan,
    ) -> Result<Self, PrepareError> {
        let (bounds, triangle_count) = (triangles.bounds(), triangles.len());
        let timed = || {
            let start = Instant::now();
            (ShadingScene::new(&scene, &bounds), start.elapsed())
        };
        let (built, (shading, time)) = rayon::join(|| GpuTree::build(effort, &triangles), timed);
        let (bvh, tree) = built?;
        // What is wrong with it is said when it is asked for.
        let shading = shading.map_or_else(|_| OnceLock::new(), OnceLock::from);
        let timings = Timings { flatten, build: tree.time, encode: Duration::ZERO, shading: time };
        let (bvh, triangles) = (Arc::new(bvh), Arc::new(triangles));
        let encoding = Encoding::begin(&scene, &bvh, &triangles);
        let backend = Backend::late(bvh.clone(), triangles.clone(), plan.clone());
        Ok(Self {
            scene,
            shading,
            trees: Trees::One(bvh),
            backend,
            paths: Some(Box::new(ForPaths { tree, triangles, encoding })),
            asked: (plan.clone(), Levels::One),
            build: tree.build,
            bounds,
            timings,
            triangle_count,
        })
    }

    /// Returns the scene's description.
    pub fn scene(&self) -> &Description {
        &self.scene
    }

    /// Returns the canonical (not encoded) tree; `None` where there are two levels of them.
    pub fn bvh(&self) -> Option<&Bvh2> {
        match &self.trees {
            Trees::One(bvh) => Some(bvh),
            Trees::Two(_) => None,
        }
    }

    /// Returns the sizes of the two levels of trees, where there are two.
    pub fn two_levels(&self) -> Option<&TwoLevels> {
        match &self.trees {
            Trees::One(_) => None,
            Trees::Two(sizes) => Some(sizes),
        }
    }

    /// Returns the options with which the canonical tree was built.
    pub fn build_options(&self) -> &BuildOptions {
        &self.build
    }

    /// Returns the plan as it stands: device, kernels and tree, and why.
    pub fn plan(&self) -> Plan {
        Plan { tree: PlannedTree::Given(self.build), ..self.backend.plan() }
    }

    /// Returns the tracer, which is made now if it does not exist yet. One that cannot be made fails every batch.
    pub fn tracer(&self) -> &dyn Tracer {
        self.backend.tracer()
    }

    /// Makes GPUs trace the scene's rays by `kernels`, since the path-tracing kernels cannot take the scene (`why`).
    /// Where no kernel holds it that loses no ray, the CPU traces.
    ///
    /// # Errors
    /// [`PrepareError`]; what traced before then still does.
    #[cfg(feature = "cuda")]
    pub(crate) fn trace_on(
        &mut self,
        devices: Vec<raywarp_cuda::Device>,
        kernels: RayKernels,
        why: Cause,
    ) -> Result<(), PrepareError> {
        let Trees::One(bvh) = &self.trees else { return Err(PrepareError::TwoLevels) };
        check_memory(self.scene.triangle_count())?;
        let flat = match &self.paths {
            Some(paths) => paths.triangles.clone(),
            None => Arc::new(flatten(&self.scene)?),
        };
        let fits = kernels.fitting(&self.build);
        let own = if fits == self.build { None } else { Some(build(&flat, &fits)?) };
        let bvh = own.as_ref().unwrap_or(bvh);
        let plan = Plan {
            device: PlannedDevice::Gpus(devices),
            kernels: PlannedKernels::Rays(kernels),
            tree: PlannedTree::Given(self.build),
            reason: PlanReason::NoWholePaths(why.clone()),
        };
        let cpu = || Ok(Arc::new(CpuTracer::new(bvh, &flat)?));
        let mut backend = Backend::new(plan, &SceneTree { bvh, asked: &self.build, triangles: &flat }, cpu)?;
        if let Some(rays) = backend.planned().reason.no_kernel().cloned() {
            backend.planned_mut().reason = PlanReason::NoPathsNorRays { paths: why, rays };
        }
        (self.backend, self.paths) = (backend, None);
        Ok(())
    }

    /// Returns the bytes of the tracer's encoded tree in its device's memory; 0 if it is not made yet.
    pub fn tracer_bytes(&self) -> usize {
        self.backend.bytes()
    }

    /// Returns the time that making the CPU tracer took if that happened only when it was first needed; else `None`.
    #[cfg(feature = "cuda")]
    pub fn late_tracer_time(&self) -> Option<Duration> {
        self.backend.late_time()
    }

    /// Returns the report on the tree built for GPU path tracing, if that is planned.
    #[cfg(feature = "cuda")]
    pub fn gpu_tree(&self) -> Option<&GpuTree> {
        self.for_paths().map(|paths| &paths.tree)
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn for_paths(&self) -> Option<&ForPaths> {
        self.paths.as_deref()
    }

    /// Returns the bounding box of all triangles; empty if the scene has none.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns the number of triangles in the tree: those that have area and are not invisible. In two levels, of the
    /// trees of all placements together, where some may have no area.
    pub fn triangle_count(&self) -> usize {
        self.triangle_count
    }

    /// Returns the wall time of each step of preparing the scene.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// Returns the scene's own camera, or one that frames its bounding box.
    pub fn camera(&self) -> Camera {
        self.scene.cameras.first().cloned().unwrap_or_else(|| frame_bounds(&self.bounds))
    }

    /// Returns `true` if the scene has lights or emissive surfaces, however weak.
    pub fn has_light(&self) -> bool {
        has_light(&self.scene)
    }

    /// Adds light from `source`, rotated and scaled as `request` says, oriented for a picture from `camera`. Nothing
    /// else of a prepared scene can change.
    pub fn add_light(&mut self, request: &LightRequest, source: &LightSource, camera: &Camera) {
        self.edit_lights(|scene| request.add(scene, source, camera));
    }

    /// Changes the scene's lights and their images by `edit`, and updates the shading tables.
    pub(crate) fn edit_lights(&mut self, edit: impl FnOnce(&mut Description)) {
        edit(&mut self.scene);
        if let Some(shading) = self.shading.get_mut() {
            shading.set_lights(&self.scene, &self.bounds);
        }
    }

    /// Changes the scene's materials by `edit`: how surfaces look, but nothing that rays hit.
    pub(crate) fn edit_materials(&mut self, edit: impl FnOnce(&mut Description)) {
        edit(&mut self.scene);
        self.shading = OnceLock::new();
    }

    /// Changes the scene by `edit`, and prepares it again for the same plan.
    ///
    /// # Errors
    /// [`PrepareError`]; nothing is left of the scene then.
    pub(crate) fn edit(&mut self, edit: impl FnOnce(&mut Description)) -> Result<(), PrepareError> {
        let mut scene = std::mem::take(&mut self.scene);
        edit(&mut scene);
        let (plan, levels) = self.asked.clone();
        // Memory may not hold two trees.
        *self = Self::new(Description::default(), &Plan::default())?;
        *self = Self::with_levels(scene, &plan, levels)?;
        Ok(())
    }

    /// Returns what `ask` returns for the scene with media that absorb nothing; `None` if none absorbs, or if there are
    /// no shading tables yet.
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

    /// Returns the scene's shading tables, which are made when first needed.
    ///
    /// # Errors
    /// As [`ShadingScene::new`].
    pub fn shading(&self) -> Result<&ShadingScene, RenderError> {
        if let Some(shading) = self.shading.get() {
            return Ok(shading);
        }
        let shading = match &self.trees {
            Trees::One(_) => ShadingScene::new(&self.scene, &self.bounds)?,
            Trees::Two(_) => ShadingScene::with_shared_meshes(&self.scene, &self.bounds)?,
        };
        Ok(self.shading.get_or_init(|| shading))
    }

    /// Renders the scene from `camera`, with what `context` gives beside it: a watch, a film to go on with, an
    /// observer, an engine that [`place`](Self::place) or [`paths_on`](Self::paths_on) has made of this scene.
    ///
    /// The picture depends on the scene, the camera and the options (but for `threads` and the stopping rules), and on
    /// nothing else: not on the device, on threads, passes or speed.
    ///
    /// # Errors
    /// [`RenderError`].
    pub fn render(
        &self,
        camera: &Camera,
        options: &RenderOptions,
        context: RenderContext<'_>,
    ) -> Result<Rendered, RenderError> {
        // An engine asks for hits where the camera is inside of something, if at all.
        #[cfg(feature = "cuda")]
        let tracer = if context.engine.is_some() { self.backend.late_tracer() } else { self.tracer() };
        #[cfg(not(feature = "cuda"))]
        let tracer = self.tracer();
        raywarp_render::render(self.shading()?, camera, tracer, options, context)
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use crate::device::PathWork;
    use raywarp_render_cuda::EngineOptions;

    /// Returns the plan for a GPU render with so many samples of each of 1000 x 500 pixels.
    fn plan(samples: u32) -> Plan {
        let options = RenderOptions { size: [1000, 500], samples: 0..samples, ..RenderOptions::default() };
        Plan {
            device: PlannedDevice::FirstUsable { wanted: 1, count: 1 },
            kernels: PlannedKernels::Paths(EngineOptions::default()),
            tree: PlannedTree::ForWork(PathWork::new(&options, 1)),
            reason: PlanReason::Asked,
        }
    }

    #[test]
    fn a_scene_for_gpus_has_no_tracer_until_one_is_asked_for_and_then_the_same_pictures() {
        let scene = crate::scene::default_scene;
        let usual = Prepared::new(scene(), &Plan::default()).unwrap();
        let options = RenderOptions { size: [24, 16], samples: 0..2, features: true, ..RenderOptions::default() };
        let picture = |prepared: &Prepared| {
            let film = prepared.render(&prepared.camera(), &options, RenderContext::default()).unwrap().film;
            film.pixels().map(|p| (*film.sums(p), film.feature_sums(p).copied())).collect::<Vec<_>>()
        };
        let right = picture(&usual);
        assert!(usual.gpu_tree().is_none() && usual.late_tracer_time().is_none() && usual.tracer_bytes() > 0);
        let mut efforts = Vec::new();
        for samples in [0, 1, 1 << 20] {
            let prepared = Prepared::new(scene(), &plan(samples)).unwrap();
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
