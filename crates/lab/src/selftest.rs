//! The conformance suite: every engine that this machine has on cases chosen to hurt, against brute
//! force in f64.

mod aimed;
mod pictures;
mod report;

pub use aimed::{AimedResult, aimed};
pub use pictures::PictureResult;

use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, Bvh2, Node, build};
use raywarp_cpu::{CpuOptions, CpuTracer, CpuTree, CpuTriangleTest as CpuTest, Isa};
use raywarp_cuda::{CudaTracer, Device, compiled};
use raywarp_family::{BoxPlanes, Key, Supply, TraversalLoop, Tree, TriangleTest, Variant, legal, rows};
use raywarp_geom::{Control, FlatTriangles, Hit, TraceError, Tracer};
use raywarp_study::simulate::name_of;
use raywarp_traverse::{Execution, FamilyTracer, Kernel};
use raywarp_workload::cases::{Case, cases};
use raywarp_workload::conformance::{Expectations, check};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Scope of a self-test: the tracers that are tested.
#[derive(Debug, Clone)]
pub struct SelfTestRequest {
    /// Variants of the family that are emulated on this CPU and tested.
    pub variants: Vec<Variant>,
    /// Numbers of lanes of the warps that are emulated, besides the single-lane reference.
    pub widths: Vec<u32>,
    /// `true` if the CPU's tracer is tested, with every instruction set of this machine.
    pub cpu: bool,
    /// GPU kernels that are tested; `None` for no GPU.
    pub gpu: Option<GpuSelfTest>,
}

/// Scope of a self-test on a GPU: the device and its kernels.
#[derive(Debug, Clone)]
pub struct GpuSelfTest {
    /// GPU whose kernels are tested.
    pub device: Device,
    /// Variants of the family whose compiled kernels are tested.
    pub variants: Vec<Variant>,
    /// Number of rays that the GPU aims at the edges and vertices of closed meshes, through the tree that its path
    /// tracer walks; 0 for none.
    pub aimed: u64,
    /// Number of samples of each pixel of the pictures that the GPU renders beside the CPU; 0 for no pictures.
    pub picture_samples: u32,
}

/// Default number of samples of [`GpuSelfTest::picture_samples`].
pub const PICTURE_SAMPLES: u32 = 8;

/// Default number of rays of [`GpuSelfTest::aimed`], which take a fraction of a second.
pub const AIMED_RAYS: u64 = 10_000_000;

impl SelfTestRequest {
    /// Requests all kernels that have a name on warps of 1, 8, 16, 32 and 64 lanes, the CPU tracer, and `legal_sample`
    /// random legal variants.
    pub fn all(legal_sample: u64) -> Self {
        // Plain boxes promise nothing, and implicit lanes need a GPU.
        let keeps_promises = |v: &Variant| v.box_planes() == BoxPlanes::Padded && !v.needs().gpu;
        let sample = (0..).map(legal::sample).filter(keeps_promises).take(legal_sample as usize);
        let mut variants: Vec<Variant> = rows().map(|row| row.variant).collect();
        variants.extend(sample);
        Self { variants, widths: vec![1, 8, 16, 32, 64], cpu: true, gpu: None }
    }

    /// Requests every compiled kernel on a GPU, and no other tracer.
    pub fn gpu(device: Device) -> Self {
        // Plain boxes promise nothing.
        let variants = compiled().into_iter().filter(|v| v.box_planes() == BoxPlanes::Padded).collect();
        Self {
            variants: vec![],
            widths: vec![],
            cpu: false,
            gpu: Some(GpuSelfTest { device, variants, aimed: AIMED_RAYS, picture_samples: PICTURE_SAMPLES }),
        }
    }
}

/// Name of a tracer: its variant, where it is of the family, and the machine that it ran on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EngineName {
    /// Variant of the family; `None` for the CPU's own tracers.
    pub variant: Option<Variant>,
    /// Name of the machine, or of the CPU's tracer.
    pub on: String,
}

impl EngineName {
    /// Makes the name of a variant on a machine.
    fn of(variant: &Variant, on: impl std::fmt::Display) -> Self {
        Self { variant: Some(*variant), on: on.to_string() }
    }

    /// Returns the name with that of a paper's kernel in place of its variant, if it is one.
    fn short(&self) -> String {
        self.variant.map_or_else(|| self.on.clone(), |variant| format!("{}, {}", name_of(&variant), self.on))
    }
}

impl std::fmt::Display for EngineName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.variant {
            Some(variant) => write!(f, "{variant}, {}", self.on),
            None => f.write_str(&self.on),
        }
    }
}

/// Self-test result of one tracer over all cases.
#[derive(Debug, Clone, Default)]
pub struct EngineResult {
    /// Name of the tracer and of the machine that it ran on.
    pub engine: EngineName,
    /// `true` if the tracer's triangle test lets no ray slip through a shared edge.
    pub watertight: bool,
    /// Number of rays traced, over all cases and queries.
    pub rays: u64,
    /// Number of answers that differ from the exact reference's only within what rounding explains.
    pub excused: u64,
    /// Number of test cases that the tracer was given.
    pub cases: usize,
    /// Number of rays whose answer differs from the brute force of the same triangle test, which tries every triangle.
    pub unlike_brute_force: u64,
    /// Descriptions of the faults that were found, case by case.
    pub faults: Vec<String>,
}

/// Report of a self-test: the results of all tracers.
#[derive(Debug, Clone)]
pub struct SelfTestReport {
    /// Results of the tracers that were tested.
    pub engines: Vec<EngineResult>,
    /// Results of the GPU path tracer's organisations, where a GPU was asked for.
    pub pictures: Vec<PictureResult>,
    /// Result of the rays aimed at edges and vertices of closed meshes, where a GPU was asked for.
    pub aimed: Option<AimedResult>,
    /// Number of test cases that each tracer was given.
    pub cases: usize,
    /// Wall-clock time that the cases and pictures took.
    pub elapsed: Duration,
}

/// Error that keeps a self-test from being run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfTestError {
    /// The self-test was stopped, or a device failed.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A tracer could not be made for a case, which is a bug.
    #[error("{engine} on case {case}: {message}")]
    CpuTree {
        /// Name of the tracer that could not be made.
        engine: String,
        /// Name of the test case.
        case: &'static str,
        /// Message of the tracer's error.
        message: String,
    },
}

/// Runs every requested tracer on every test case, in parallel over the cases.
///
/// # Errors
/// [`SelfTestError`].
pub fn selftest(request: &SelfTestRequest, control: &Control<'_>) -> Result<SelfTestReport, SelfTestError> {
    let start = Instant::now();
    let cases = cases();
    let run = |case: &Case| {
        let results = run_case(case, request, control);
        control.advance(1);
        results
    };
    // One by one where they are large, so that the longest does not come last.
    let by_case: Vec<Vec<EngineResult>> =
        cases.par_iter().with_max_len(1).map(run).collect::<Result<_, SelfTestError>>()?;
    let mut engines: Vec<EngineResult> = Vec::new();
    for result in by_case.into_iter().flatten() {
        match engines.iter_mut().find(|known| known.engine == result.engine) {
            Some(known) => {
                known.rays += result.rays;
                known.excused += result.excused;
                known.cases += result.cases;
                known.unlike_brute_force += result.unlike_brute_force;
                known.faults.extend(result.faults);
            }
            None => engines.push(result),
        }
    }
    for engine in &mut engines {
        // Boxes are padded by more than any of the tests rounds: a tree loses nothing, bit for bit.
        if engine.unlike_brute_force > 0 {
            let differ = engine.unlike_brute_force;
            engine.faults.push(format!("{differ} rays of {} are answered otherwise without the tree", engine.rays));
        }
    }
    let elapsed = start.elapsed();
    let gpu = request.gpu.as_ref().filter(|gpu| gpu.picture_samples > 0);
    let pictures = gpu.map_or(Ok(vec![]), pictures::pictures)?;
    let gpu = request.gpu.as_ref().filter(|gpu| gpu.aimed > 0);
    let aimed = gpu.map(|gpu| aimed(&gpu.device, gpu.aimed, control)).transpose()?;
    Ok(SelfTestReport { engines, pictures, aimed, cases: cases.len(), elapsed })
}

fn run_case(case: &Case, request: &SelfTestRequest, control: &Control<'_>) -> Result<Vec<EngineResult>, SelfTestError> {
    let failed = |engine: &dyn std::fmt::Display, error: &dyn std::fmt::Display| SelfTestError::CpuTree {
        engine: engine.to_string(),
        case: case.name,
        message: error.to_string(),
    };
    let tree = |max_leaf: u32| {
        let options = BuildOptions { max_leaf, ..BuildOptions::default() };
        build(&case.triangles, &options).map_err(|error| failed(&"the builder", &error))
    };
    let trees = [tree(8)?, tree(3)?, tree(1)?];
    let plain = &trees[0];
    let mut results = Vec::new();
    let brute_force = |test: TriangleTest| brute_force(case, test).map_err(|e| failed(&"brute force", &e));
    // By those tests that some kernel takes.
    let brute_force = [TriangleTest::Woop, TriangleTest::MoellerTrumbore, TriangleTest::Watertight]
        .into_iter()
        .filter(|test| request.variants.iter().any(|variant| apart(variant.triangle()) == *test))
        .map(|test| Ok((test, brute_force(test)?)))
        .collect::<Result<Vec<_>, SelfTestError>>()?;
    if request.cpu {
        for (name, watertight, tracer) in cpu_engines(plain, &case.triangles).map_err(|e| failed(&"cpu", &e))? {
            let name = EngineName { variant: None, on: name };
            results.push(judge(case, name, &tracer, watertight, None)?);
        }
    }
    for variant in &request.variants {
        if control.is_cancelled() {
            return Err(TraceError::Cancelled.into());
        }
        if variant.needs().t_min_not_negative && case.has_negative_t_min() {
            continue;
        }
        let bvh = tree_for(variant, &trees);
        let kernel = Kernel::new(variant, bvh, &case.triangles).map_err(|e| failed(variant, &e))?;
        let kernel = Arc::new(kernel);
        let widths = request.widths.iter().filter(|&&width| width % variant.lanes_per_ray() == 0);
        let machines = widths.map(|&width| Execution::Lockstep { width });
        for machine in std::iter::once(Execution::Scalar).chain(machines) {
            let tracer = FamilyTracer::new(kernel.clone(), machine).map_err(|e| failed(variant, &e))?;
            let watertight = variant.triangle().is_watertight();
            let brute_force =
                brute_force.iter().find(|(test, _)| *test == apart(variant.triangle())).map(|(_, found)| found);
            results.push(judge(case, EngineName::of(variant, machine), &tracer, watertight, brute_force)?);
        }
    }
    if let Some(gpu) = &request.gpu {
        results.extend(gpu_engines(case, gpu, &trees, control)?);
    }
    Ok(results)
}

/// Returns the test of single triangles that finds the same hits as a test that may take pairs.
fn apart(test: TriangleTest) -> TriangleTest {
    if test == TriangleTest::Pair { TriangleTest::Watertight } else { test }
}

/// Chooses, from trees with leaves of at most 8, 3 and 1 triangles, the one that the variant's nodes can hold.
fn tree_for<'a>(variant: &Variant, [plain, small, single]: &'a [Bvh2; 3]) -> &'a Bvh2 {
    match variant.tree().max_leaf() {
        1 => single,
        2..8 => small,
        _ => plain,
    }
}

/// Tests GPU kernels on a case, also against brute force with the same triangle test on that GPU, as a CPU may round
/// otherwise.
fn gpu_engines(
    case: &Case,
    gpu: &GpuSelfTest,
    trees: &[Bvh2; 3],
    control: &Control<'_>,
) -> Result<Vec<EngineResult>, SelfTestError> {
    let mut results = Vec::new();
    let mut known: Vec<(TriangleTest, Found)> = Vec::new();
    for variant in &gpu.variants {
        if control.is_cancelled() {
            return Err(TraceError::Cancelled.into());
        }
        if variant.needs().t_min_not_negative && case.has_negative_t_min() {
            continue;
        }
        let failed = |error: &dyn std::fmt::Display| SelfTestError::CpuTree {
            engine: EngineName::of(variant, gpu.device.name()).to_string(),
            case: case.name,
            message: error.to_string(),
        };
        let test = apart(variant.triangle());
        let make = |bvh: &Bvh2| CudaTracer::new(&gpu.device, variant, bvh, &case.triangles).map_err(|e| failed(&e));
        if !known.iter().any(|(of, _)| *of == test) && variant.tree() == Tree::Bvh2 {
            known.push((test, find(case, &make(&without_boxes(&case.triangles))?)?));
        }
        let tracer = make(tree_for(variant, trees))?;
        let brute_force = known.iter().find(|(of, _)| *of == test).map(|(_, found)| found);
        let engine = EngineName::of(variant, gpu.device.name());
        results.push(judge(case, engine, &tracer, test.is_watertight(), brute_force)?);
    }
    Ok(results)
}

/// Makes the CPU tracers with every instruction set of this machine, and the CPU's reference traversals.
fn cpu_engines(
    bvh: &Bvh2,
    triangles: &FlatTriangles,
) -> Result<Vec<(String, bool, CpuTracer)>, raywarp_layout::LayoutError> {
    let mut engines = Vec::new();
    for isa in Isa::all() {
        let options = CpuOptions { engine: CpuTree::Wide8, isa, ..CpuOptions::default() };
        engines.push((format!("cpu wide8, {isa}"), true, CpuTracer::with_options(bvh, triangles, &options)?));
    }
    for (test, watertight) in [(CpuTest::Watertight, true), (CpuTest::Woop, false)] {
        let options = CpuOptions { engine: CpuTree::Bvh2(test), ..CpuOptions::default() };
        engines.push((format!("cpu bvh2, {test:?}"), watertight, CpuTracer::with_options(bvh, triangles, &options)?));
    }
    Ok(engines)
}

/// A tracer's answers to the rays of a case: closest hits with their instances, and the any-hit query's bits.
struct Found {
    hits: Vec<Hit>,
    instances: Vec<u32>,
    blocked: Vec<u32>,
}

fn find(case: &Case, tracer: &dyn Tracer) -> Result<Found, TraceError> {
    let (rays, control) = (&case.rays, Control::default());
    let mut found = Found {
        hits: vec![Hit::default(); rays.len()],
        instances: vec![Hit::MISS; rays.len()],
        blocked: vec![0; rays.len().div_ceil(32)],
    };
    tracer.closest(rays, &[], &mut found.hits, &mut found.instances, &control)?;
    tracer.any(rays, &[], &mut found.blocked, &mut Vec::new(), &control)?;
    Ok(found)
}

/// Makes a tree whose boxes all equal the scene's bounds, so that every ray that meets them tests every triangle.
fn without_boxes(triangles: &FlatTriangles) -> Bvh2 {
    let (bounds, count) = (triangles.bounds(), triangles.len() as u32);
    let mut nodes = if count == 0 { vec![] } else { vec![Node { bounds, first: 0, count }] };
    // Pairs of children depth first, the left one's descendants before the right one's.
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        let Node { first, count, .. }: Node = nodes.get(at).copied().unwrap_or(Node { bounds, first: 0, count: 0 });
        if count <= 8 {
            continue;
        }
        let children = nodes.len();
        nodes[at] = Node { bounds, first: children as u32, count: 0 };
        nodes.push(Node { bounds, first, count: count / 2 });
        nodes.push(Node { bounds, first: first + count / 2, count: count - count / 2 });
        open.extend([children + 1, children]);
    }
    Bvh2 { nodes, references: (0..count).collect(), primitive_count: count }
}

/// Finds the answers to a case's rays by testing every triangle, without a tree.
fn brute_force(case: &Case, test: TriangleTest) -> Result<Found, Box<dyn std::error::Error>> {
    let bvh = without_boxes(&case.triangles);
    let variant =
        Variant::new(Supply::Direct, TraversalLoop::WhileWhile, Tree::Bvh2)?.with(Key::Triangle, test.name())?;
    let kernel = Kernel::new(&variant, &bvh, &case.triangles)?;
    Ok(find(case, &FamilyTracer::new(kernel, Execution::Scalar)?)?)
}

/// Returns the number of rays whose answers differ.
fn differences(a: &Found, b: &Found) -> u64 {
    let closest = a.hits.iter().zip(&b.hits).zip(a.instances.iter().zip(&b.instances));
    // By value, so that the zeros are equal.
    let differs = |((x, y), (i, j)): &((&Hit, &Hit), (&u32, &u32))| {
        x.is_hit() != y.is_hit() || (x.is_hit() && (x.t, x.primitive, i) != (y.t, y.primitive, j))
    };
    let any = a.blocked.iter().zip(&b.blocked).map(|(x, y)| u64::from((x ^ y).count_ones()));
    closest.filter(differs).count() as u64 + any.sum::<u64>()
}

fn judge(
    case: &Case,
    engine: EngineName,
    tracer: &dyn Tracer,
    watertight: bool,
    brute_force: Option<&Found>,
) -> Result<EngineResult, SelfTestError> {
    let expectations =
        if watertight { Expectations::LIBRARY } else { Expectations { after: true, ..Expectations::FAST } };
    let report = check(case, case.oracle(), tracer, expectations)?;
    let verdicts = [Some(&report.closest), Some(&report.any), report.after.as_ref()];
    let mut result = EngineResult { engine, watertight, cases: 1, ..EngineResult::default() };
    if let Some(brute_force) = brute_force {
        result.unlike_brute_force = differences(&find(case, tracer)?, brute_force);
    }
    for verdict in verdicts.into_iter().flatten() {
        result.rays += verdict.rays;
        result.excused += verdict.excused.len() as u64;
    }
    if !report.passed() {
        result.faults.push(report.to_string());
    }
    Ok(result)
}
