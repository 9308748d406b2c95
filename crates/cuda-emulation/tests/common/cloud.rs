//! A small scene with rays, and all that a tracer says of them.
#![allow(dead_code)] // Each test file uses a part.

use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cuda::{CudaError, CudaTracer, Device};
use raywarp_family::Variant;
use raywarp_geom::{BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, TraceError, Tracer};
use raywarp_testing::Random;
use raywarp_traverse::{Execution, FamilyTracer, Kernel};

/// Triangles, their tree, rays, and a hit of each ray that others come after.
pub struct Scene {
    pub triangles: FlatTriangles,
    pub bvh: Bvh2,
    pub rays: Vec<Ray>,
    pub after: Vec<HitKey>,
}

/// A cloud of triangles, a third of which may let rays through, and rays from all sides, some of which are invalid.
pub fn scene(rays: usize) -> Scene {
    let mut random = Random::new(7);
    let mut point = |scale: f32| random.point().map(|x| scale * x);
    let mut vertices = Vec::new();
    for _ in 0..300 {
        let at = point(1.0);
        vertices.push([point(0.3), point(0.3), point(0.3)].map(|d| std::array::from_fn(|i| at[i] + d[i])));
    }
    let mut triangles = FlatTriangles::from_vertices(vertices);
    triangles.opaque.iter_mut().step_by(3).for_each(|opaque| *opaque = false);
    let bvh = build(&triangles, &BuildOptions::default()).unwrap();
    let mut rays: Vec<Ray> = (0..rays).map(|_| Ray::new(point(2.0), point(1.0))).collect();
    rays.iter_mut().step_by(97).for_each(|ray| ray.origin[0] = f32::NAN);
    let after = (0..rays.len() as u32).map(|i| HitKey { t: 0.1 * (i % 7) as f32, instance: 0, primitive: i % 300 });
    Scene { triangles, bvh, after: after.collect(), rays }
}

/// All that a tracer says of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    pub hits: Vec<[u32; 4]>,
    pub instances: Vec<u32>,
    pub blocked: Vec<u32>,
    pub undecided: Vec<Candidate>,
    pub stats: [BatchStats; 2],
}

/// A query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ask {
    Closest,
    Any,
}

/// What a tracer says.
pub fn ask(
    tracer: &dyn Tracer,
    scene: &Scene,
    ask: Ask,
    after: bool,
    control: &Control<'_>,
) -> Result<Answers, TraceError> {
    let (rays, count) = (&scene.rays, scene.rays.len());
    let after: &[HitKey] = if after { &scene.after } else { &[] };
    let (mut hits, mut instances) = (vec![Hit::default(); count], vec![0; count]);
    let (mut blocked, mut undecided) = (vec![0; count.div_ceil(32)], Vec::new());
    let mut stats = [BatchStats::default(); 2];
    match ask {
        Ask::Closest => stats[0] = tracer.closest(rays, after, &mut hits, &mut instances, control)?,
        Ask::Any => stats[1] = tracer.any(rays, after, &mut blocked, &mut undecided, control)?,
    }
    let hits = hits.iter().map(|hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive]).collect();
    Ok(Answers { hits, instances, blocked, undecided, stats })
}

/// The kernel.
pub fn watertight() -> Variant {
    "watertight".parse().unwrap()
}

/// What one lane on the CPU says.
pub fn expected(scene: &Scene, question: Ask, after: bool) -> Answers {
    let kernel = Kernel::new(&watertight(), &scene.bvh, &scene.triangles).unwrap();
    let tracer = FamilyTracer::new(kernel, Execution::Scalar).unwrap();
    ask(&tracer, scene, question, after, &Control::default()).unwrap()
}

/// The tracer for GPUs.
pub fn tracer(scene: &Scene) -> Result<CudaTracer, CudaError> {
    CudaTracer::new(&Device::open(0)?, &watertight(), &scene.bvh, &scene.triangles)
}

/// Both queries, from the start and after a hit of each ray.
pub const QUESTIONS: [(Ask, bool); 4] =
    [(Ask::Closest, false), (Ask::Closest, true), (Ask::Any, false), (Ask::Any, true)];
