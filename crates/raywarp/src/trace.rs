//! Rays in, hits out: a scene under an engine that answers batches of rays.

use crate::gpu::{Gpu, fitting};
use crate::npy;
use crate::prepared::{PrepareError, Timings, check_memory};
use raywarp_bvh::{BuildOptions, build};
use raywarp_cpu::CpuTracer;
use raywarp_family::Variant;
use raywarp_geom::{BatchStats, Control, Hit, Ray, TraceError, Tracer};
use raywarp_scene::{Scene, flatten};
use raywarp_traverse::{FamilyTracer, Kernel, KernelError, Machine, Query};
use std::time::{Duration, Instant};

/// Rays that are traced at once: the kernels keep more than a hit for each meanwhile.
const BATCH: usize = 1 << 18;

/// What answers rays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// The tracer for this CPU, watertight: the fastest here.
    #[default]
    Cpu,
    /// A kernel of the papers as it would run on `machine`. Its time is that of imitating a warp.
    Family {
        /// The kernel.
        variant: Variant,
        /// Who runs it.
        machine: Machine,
    },
    /// The kernels of [`TraceOptions::gpu`].
    Gpu,
}

/// How a scene is made ready for rays.
#[derive(Debug, Clone, Default)]
pub struct TraceOptions {
    /// The tree. Kernels on compressed trees get leaves of at most three triangles whatever it says.
    pub build: BuildOptions,
    /// What answers.
    pub engine: Engine,
    /// The GPU of [`Engine::Gpu`].
    pub gpu: Option<Gpu>,
}

/// Why a scene cannot be made ready, or rays not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceSceneError {
    /// No tree over the scene.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The kernel does not take the tree or the machine.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// [`Engine::Gpu`] without one.
    #[error("no GPU is given")]
    NoGpu,
    /// A ray that the kernel would answer wrongly.
    #[error(
        "ray {ray} has t_min {t_min}, but {variant} compares boxes as integers, which takes t_min >= 0; use box=float"
    )]
    NegativeTMin {
        /// Its index.
        ray: usize,
        /// Its nearest `t`.
        t_min: f32,
        /// The kernel.
        variant: Variant,
    },
    /// The batch did not finish.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// A scene that answers rays.
///
/// Rays see geometry: every triangle counts as opaque in both queries, whatever its material's alpha
/// says, so that the any-hit answer of a ray is 1 exactly when its closest hit is one. Triangles of
/// no area and of invisible materials are not there. Hits report an instance as its index in
/// [`Scene::instances`], a primitive as its index in the instance's mesh.
pub struct TraceScene {
    tracer: Box<dyn Tracer>,
    engine: Engine,
    /// Kernels for closest-hit and any-hit rays, where kernels answer.
    kernels: Option<[Variant; 2]>,
    build: BuildOptions,
    triangles: usize,
    non_opaque: usize,
    timings: Timings,
}

impl TraceScene {
    /// Flattens `scene`, builds its tree and encodes it for the engine, in parallel on rayon's current pool.
    ///
    /// # Errors
    /// [`TraceSceneError`].
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn new(scene: &Scene, options: &TraceOptions) -> Result<Self, TraceSceneError> {
        let start = Instant::now();
        check_memory(scene.triangle_count())?;
        let mut flat = flatten(scene).map_err(PrepareError::from)?;
        let non_opaque = flat.opaque.iter().filter(|&&opaque| !opaque).count();
        flat.opaque.fill(true);
        let flattened = Instant::now();
        let mut options = options.clone();
        let kernels = match (options.engine, &options.gpu) {
            (Engine::Cpu, _) => None,
            (Engine::Family { variant, .. }, _) => Some([variant; 2]),
            (Engine::Gpu, Some(gpu)) => Some([gpu.closest, gpu.any]),
            (Engine::Gpu, None) => return Err(TraceSceneError::NoGpu),
        };
        let asked = options.build;
        if let Some([variant, _]) = kernels {
            options.build = fitting(&asked, &variant);
        }
        let bvh = build(&flat, &options.build).map_err(PrepareError::from)?;
        let built = Instant::now();
        let tracer: Box<dyn Tracer> = match (options.engine, &options.gpu) {
            (Engine::Family { variant, machine }, _) => {
                Box::new(FamilyTracer::new(Kernel::new(&variant, &bvh, &flat)?, machine)?)
            }
            (Engine::Gpu, Some(gpu)) => Box::new(gpu.tracer(&bvh, &asked, &flat)?),
            (Engine::Cpu | Engine::Gpu, _) => Box::new(CpuTracer::new(&bvh, &flat).map_err(PrepareError::from)?),
        };
        let timings = Timings { flatten: flattened - start, build: built - flattened, encode: built.elapsed() };
        let TraceOptions { engine, build, .. } = options;
        Ok(Self { tracer, engine, kernels, build, triangles: flat.len(), non_opaque, timings })
    }

    /// What answers.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The kernel that answers `query`, where a kernel does.
    pub fn kernel(&self, query: Query) -> Option<Variant> {
        self.kernels.map(|kernels| kernels[usize::from(query == Query::Any)])
    }

    /// How the tree was built.
    pub fn build_options(&self) -> &BuildOptions {
        &self.build
    }

    /// Triangles in the tree.
    pub fn triangle_count(&self) -> usize {
        self.triangles
    }

    /// Those of them that are taken as opaque although their material has holes or lets light through.
    pub fn non_opaque_count(&self) -> usize {
        self.non_opaque
    }

    /// Wall time of the steps.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// Answers all rays, in parallel; the answers do not depend on the number of threads.
    ///
    /// # Errors
    /// [`TraceSceneError::NegativeTMin`], [`TraceSceneError::Trace`].
    pub fn trace(&self, rays: &[Ray], query: Query, control: &Control<'_>) -> Result<Traced, TraceSceneError> {
        self.check(rays, query)?;
        let start = Instant::now();
        let (answers, stats) = match query {
            Query::Closest => self.closest(rays, control)?,
            Query::Any => self.any(rays, control)?,
        };
        Ok(Traced { answers, stats, elapsed: start.elapsed() })
    }

    fn check(&self, rays: &[Ray], query: Query) -> Result<(), TraceSceneError> {
        let Some(variant) = self.kernel(query) else { return Ok(()) };
        // An invalid ray misses, whatever its interval.
        let negative = |ray: &Ray| ray.is_valid() && ray.t_min < 0.0;
        match rays.iter().position(negative).filter(|_| variant.needs().t_min_not_negative) {
            Some(ray) => Err(TraceSceneError::NegativeTMin { ray, t_min: rays[ray].t_min, variant }),
            None => Ok(()),
        }
    }

    /// Rays that are traced at once. A GPU splits by itself what its memory does not hold.
    fn batch(&self) -> usize {
        if self.engine == Engine::Gpu { self.tracer.preferred_batch().max(BATCH) } else { BATCH }
    }

    fn closest(&self, rays: &[Ray], control: &Control<'_>) -> Result<(Answers, BatchStats), TraceError> {
        let mut stats = BatchStats::default();
        let (mut hits, mut instances) = (vec![Hit::default(); rays.len()], vec![Hit::MISS; rays.len()]);
        let batch = self.batch();
        let batches = rays.chunks(batch).zip(hits.chunks_mut(batch)).zip(instances.chunks_mut(batch));
        for ((rays, hits), instances) in batches {
            stats += self.tracer.closest(rays, &[], hits, instances, control)?;
        }
        Ok((Answers::Closest { hits, instances }, stats))
    }

    fn any(&self, rays: &[Ray], control: &Control<'_>) -> Result<(Answers, BatchStats), TraceError> {
        let mut stats = BatchStats::default();
        let mut blocked = Vec::with_capacity(rays.len());
        let (mut bits, mut undecided) = (vec![0; self.batch().min(rays.len()).div_ceil(32)], Vec::new());
        for rays in rays.chunks(self.batch()) {
            stats += self.tracer.any(rays, &[], &mut bits, &mut undecided, control)?;
            blocked.extend((0..rays.len()).map(|i| bits[i / 32] >> (i % 32) & 1 == 1));
        }
        Ok((Answers::Any { blocked }, stats))
    }
}

/// What rays found, in their order.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// Of [`Query::Closest`].
    Closest {
        /// The nearest hit of each ray; a miss has [`Hit::MISS`] and the ray's `t_max`.
        hits: Vec<Hit>,
        /// Instance of each; [`Hit::MISS`] for a miss.
        instances: Vec<u32>,
    },
    /// Of [`Query::Any`].
    Any {
        /// Whether anything is on the ray.
        blocked: Vec<bool>,
    },
}

impl Answers {
    /// Rays that hit something.
    pub fn hit_count(&self) -> usize {
        match self {
            Self::Closest { hits, .. } => hits.iter().filter(|hit| hit.is_hit()).count(),
            Self::Any { blocked } => blocked.iter().filter(|&&blocked| blocked).count(),
        }
    }

    /// The bytes of a hit file ([`npy::write_hits`], [`npy::write_flags`]).
    pub fn npy(&self) -> Vec<u8> {
        match self {
            Self::Closest { hits, instances } => npy::write_hits(hits, instances),
            Self::Any { blocked } => npy::write_flags(blocked),
        }
    }
}

/// A batch that has been traced.
#[derive(Debug, Clone, PartialEq)]
pub struct Traced {
    /// What was found.
    pub answers: Answers,
    /// Rays, and those that could not hit anything.
    pub stats: BatchStats,
    /// Wall time of the tracing alone.
    pub elapsed: Duration,
}

impl Traced {
    /// Rays a second; 0 for none.
    pub fn rays_per_s(&self) -> f64 {
        self.stats.rays as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_family::papers;
    use raywarp_geom::{Affine, TriangleMesh};
    use raywarp_scene::{Alpha, FaceMaterials, Instance, Material, Mesh, ScalarInput};

    /// Two placements of a square of two triangles, the first at z = 2, the second at z = 1; full of holes.
    fn two_squares() -> Scene {
        let mut scene = Scene::default();
        let mut holes = Material::diffuse("holes", [0.5; 3]);
        holes.alpha = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
        let materials = FaceMaterials::Uniform(scene.add_material(holes));
        let triangles = TriangleMesh {
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
            indices: vec![[0, 1, 2], [1, 3, 2]],
            ..Default::default()
        };
        let mesh = scene.add_mesh(Mesh { name: String::new(), triangles, materials });
        for z in [2.0, 1.0] {
            scene.instances.push(Instance { mesh, transform: Affine::translation([0.0, 0.0, z]), material: None });
        }
        scene
    }

    /// t, primitive, instance.
    type Found = Option<(f32, u32, u32)>;

    /// A ray along z from (x, x, 0), and what it must find.
    fn rays() -> Vec<(Ray, Found)> {
        let ray = |x: f32, dz: f32| Ray::new([x, x, 0.0], [0.0, 0.0, dz]);
        vec![
            (ray(0.25, 1.0), Some((1.0, 0, 1))),
            (ray(0.75, 0.5), Some((2.0, 1, 1))),
            (ray(0.25, 1.0).with_interval(1.25, 9.0), Some((2.0, 0, 0))),
            (ray(0.75, 1.0).with_interval(1.25, 1.75), None),
            (ray(0.25, -1.0), None),
            (ray(1.25, 1.0), None),
            (ray(f32::NAN, 1.0), None),
        ]
    }

    fn engines() -> Vec<Engine> {
        let on = |machine| papers().iter().map(move |row| Engine::Family { variant: row.variant, machine });
        let lockstep = on(Machine::Lockstep { width: 32 });
        std::iter::once(Engine::Cpu).chain(lockstep).chain(on(Machine::Scalar)).collect()
    }

    fn prepare(engine: Engine) -> TraceScene {
        TraceScene::new(&two_squares(), &TraceOptions { engine, ..TraceOptions::default() }).unwrap()
    }

    #[test]
    fn every_engine_finds_the_right_triangle_of_the_right_instance_holes_or_not() {
        let (rays, expected): (Vec<Ray>, Vec<_>) = rays().into_iter().unzip();
        for engine in engines() {
            let scene = prepare(engine);
            assert_eq!((scene.triangle_count(), scene.non_opaque_count()), (4, 4));
            let closest = scene.trace(&rays, Query::Closest, &Control::default()).unwrap();
            assert_eq!(closest.stats, BatchStats { rays: 7, invalid: 1 }, "{engine:?}");
            assert_eq!(closest.answers.hit_count(), 3);
            let Answers::Closest { hits, instances } = &closest.answers else { panic!("{closest:?}") };
            for (i, want) in expected.iter().enumerate() {
                let got = hits[i].is_hit().then_some((hits[i].t, hits[i].primitive, instances[i]));
                let near = |(a, b): (f32, f32)| (a - b).abs() < 1e-5;
                let same = got.map(|g| (g.1, g.2)) == want.map(|w| (w.1, w.2));
                assert!(same && got.zip(*want).is_none_or(|(g, w)| near((g.0, w.0))), "{engine:?}, ray {i}: {got:?}");
                if want.is_none() {
                    assert_eq!((hits[i].t.to_bits(), instances[i]), (rays[i].t_max.to_bits(), Hit::MISS), "{engine:?}");
                }
            }
            let any = scene.trace(&rays, Query::Any, &Control::default()).unwrap();
            let blocked = expected.iter().map(Option::is_some).collect();
            assert_eq!(any.answers, Answers::Any { blocked }, "{engine:?}");
            assert_eq!((any.stats, any.answers.hit_count()), (closest.stats, 3));
        }
    }

    #[test]
    fn more_rays_than_a_batch_stay_in_order() {
        let scene = prepare(Engine::Cpu);
        // Every third one hits.
        let rays: Vec<Ray> = (0..2 * BATCH + 77)
            .map(|i| Ray::new([if i % 3 == 0 { 0.25 } else { 2.0 }, 0.5, 0.0], [0.0, 0.0, 1.0]))
            .collect();
        let any = scene.trace(&rays, Query::Any, &Control::default()).unwrap();
        assert_eq!(any.answers, Answers::Any { blocked: (0..rays.len()).map(|i| i % 3 == 0).collect() });
        let closest = scene.trace(&rays, Query::Closest, &Control::default()).unwrap();
        let Answers::Closest { hits, instances } = closest.answers else { panic!("not closest") };
        assert!((0..rays.len()).all(|i| hits[i].is_hit() == (i % 3 == 0) && (instances[i] == 1) == (i % 3 == 0)));
        let none = scene.trace(&[], Query::Any, &Control::default()).unwrap();
        assert_eq!((none.answers, none.stats), (Answers::Any { blocked: vec![] }, BatchStats::default()));
    }

    #[test]
    fn rays_that_a_kernel_would_answer_wrongly_are_refused() {
        let mut rays: Vec<Ray> = rays().into_iter().map(|(ray, _)| ray).collect();
        // One that looks back, behind one that is invalid and may have any interval.
        rays[6].t_min = -1.0;
        rays.push(Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, 1.0]).with_interval(-1.5, 1.0));
        for engine in engines() {
            let traced = prepare(engine).trace(&rays, Query::Any, &Control::default());
            let integers = matches!(engine, Engine::Family { variant, .. } if variant.needs().t_min_not_negative);
            match traced {
                Ok(traced) => {
                    let Answers::Any { blocked } = traced.answers else { panic!("not any") };
                    assert!(!integers && blocked[7], "{engine:?}");
                }
                Err(error) => {
                    assert!(matches!(error, TraceSceneError::NegativeTMin { ray: 7, .. }) && integers, "{error}");
                }
            }
        }
    }

    #[test]
    fn compressed_trees_get_small_leaves_and_others_what_was_asked() {
        for engine in engines() {
            let most = if let Engine::Family { variant, .. } = engine { variant.tree().max_leaf() } else { 8 };
            assert_eq!(prepare(engine).build_options().max_leaf, most.min(8));
        }
    }

    #[test]
    fn a_scene_without_triangles_is_missed_and_machines_that_do_not_fit_are_refused() {
        for engine in engines() {
            let options = TraceOptions { engine, ..TraceOptions::default() };
            let scene = TraceScene::new(&Scene::default(), &options).unwrap();
            let ray = [Ray::new([0.0; 3], [1.0; 3])];
            assert_eq!(scene.trace(&ray, Query::Any, &Control::default()).unwrap().answers.hit_count(), 0);
        }
        let refused = |text: &str, machine| {
            let engine = Engine::Family { variant: text.parse().unwrap(), machine };
            TraceScene::new(&two_squares(), &TraceOptions { engine, ..TraceOptions::default() }).err()
        };
        let narrow = refused("al09-wide32", Machine::Lockstep { width: 16 });
        assert!(matches!(narrow, Some(TraceSceneError::Kernel(KernelError::Width { .. }))));
        let gpu = refused("direct/while-while/bvh2?sync=implicit", Machine::Scalar);
        assert!(matches!(gpu, Some(TraceSceneError::Kernel(KernelError::NeedsGpu { .. }))));
    }

    #[test]
    fn kernels_of_a_gpu_need_one() {
        let options = TraceOptions { engine: Engine::Gpu, ..TraceOptions::default() };
        assert!(matches!(TraceScene::new(&two_squares(), &options), Err(TraceSceneError::NoGpu)));
    }

    #[test]
    fn a_cancelled_batch_says_so() {
        let cancel = std::sync::atomic::AtomicBool::new(true);
        let control = Control { cancel: Some(&cancel), ..Control::default() };
        let result = prepare(Engine::Cpu).trace(&[Ray::new([0.0; 3], [1.0; 3])], Query::Closest, &control);
        assert!(matches!(result, Err(TraceSceneError::Trace(TraceError::Cancelled))));
    }
}
