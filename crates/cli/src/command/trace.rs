//! `raywarp trace SCENE RAYS -o HITS`: rays in, hits out.

use crate::common::{Common, Replacing, Scenes, Threads, is_standard_stream};
use crate::device::{self, DeviceChoice, open};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupt;
use crate::named_values::named_values;
use crate::options::ray_input::{self, Rays, input_name};
use crate::options::tree::{TreeArgs, builder_name};
use crate::options::variant::{VariantChoice, auto_needs_gpu, variant_or_auto};
use crate::plan_words;
use crate::progress::Steps;
use crate::replace;
use clap::Args;
use raywarp::cuda::auto::{BatchKind, Promise};
use raywarp::cuda::{CudaError, Device};
use raywarp::device::{BackendError, Plan, PlannedKernels, RayKernels};
use raywarp::system::{FileError, write_atomic_with};
use raywarp::trace::{Field, HitFormat, StreamError, StreamOptions, StreamTotals, TraceScene, TraceSceneError};
use raywarp::{BuildOptions, Control, KernelName, PrepareError, are_coherent};
use raywarp_lab::ImitatedKernel;
use raywarp_lab::family::Variant;
use raywarp_lab::traverse::{Execution, KernelError, Query};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Text of `trace --help` about ray and hit files; docs/guide/trace.md has the rest.
const FILES: &str = "RAYS: a NumPy array (.npy) of float32 or float64, a ray a row. (N, 8): ox oy oz t_min dx dy dz t_max. \
    (N, 6): ox oy oz dx dy dz, with t from 0 to infinity. Numbers are rounded to float32; where the scene has an origin (raywarp info shows it), it is subtracted in float64 \
    before that, so give float64 there, and positions are written as float64. A hit counts when \
    t_min <= t <= t_max, t in lengths of the direction.\n\n\
    HITS: one record a ray, in their order. NAME.csv is text, NAME.npy and a name without an ending a NumPy array: t:f4 u:f4 v:f4 primitive:u4 \
    instance:u4. u is the weight of the triangle's second vertex, v that of the third: the point hit is \
    (1 - u - v) v0 + u v1 + v v2. primitive counts the triangles of a mesh, instance the placed meshes, both from 0 in \
    the file's order. A miss has t = t_max, u = v = 0 and 4294967295 for both ids (-1 in CSV). A ray with a NaN, an \
    infinite origin or direction, or a direction of 0 is invalid: a miss, and counted. \
    With --any: one u1 a ray, 1 where anything is on it (in CSV the column blocked).\n\n\
    Rays see geometry: every triangle is opaque, whatever its material says; what is invisible or has no area \
    is not there. The tracer without --variant is watertight; most of the papers' kernels are not.";

/// Traces a file of rays through a scene, and writes what they hit.
#[derive(Debug, Args)]
#[command(override_usage = "raywarp trace [OPTIONS] SCENE RAYS -o HITS", after_long_help = FILES)]
pub struct TraceArgs {
    /// Scene file, or a name in --scenes; then the rays, an .npy file. - is standard input, for one of both.
    #[arg(required = true, num_args = 1..=2, value_names = ["SCENE", "RAYS"])]
    inputs: Vec<PathBuf>,
    /// The same as SCENE.
    #[arg(long, value_name = "SCENE", help_heading = heading::SCENE)]
    scene: Option<PathBuf>,
    /// File of hits to write, .csv or .npy, or - for an .npy file on standard output.
    #[arg(short, long, value_name = "HITS", help_heading = heading::OUTPUT)]
    output: PathBuf,
    /// Ask only whether anything is on the ray.
    #[arg(long, help_heading = heading::RAYS)]
    any: bool,
    /// Fields that HITS holds too, comma-separated: position, normal [default: neither].
    ///
    /// The position of the hit, and the normal of length 1 on the triangle's front: three numbers each in world space,
    /// NaN for a miss.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', value_parser = named_values(["position", "normal"], Field::from_str), hide_possible_values = true, conflicts_with = "any", help_heading = heading::OUTPUT)]
    with: Vec<Field>,
    /// A kernel of the family: a variant or a row of `raywarp variants`.
    ///
    /// Without it the CPU's own tracer runs, and on a GPU the fastest kernel with the CPU's bits, which loses no ray;
    /// with --device cuda, auto says the same.
    #[arg(long, value_name = "VARIANT", value_parser = variant_or_auto(), hide_possible_values = true, help_heading = heading::KERNELS)]
    variant: Option<VariantChoice>,
    /// Lanes of the warp that runs --variant on this CPU, 1 to 64, or scalar.
    ///
    /// scalar is one lane without masks.
    #[arg(long, value_name = "LANES", default_value = "32", value_parser = named_values(["scalar"], parse_machine), hide_possible_values = true, requires = "variant", help_heading = heading::KERNELS)]
    width: Execution,
    /// Go on without files that the scene names and that are missing.
    #[arg(long, help_heading = heading::SCENE)]
    allow_missing: bool,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    pub scenes: Scenes,
    /// Device that traces: cpu, cuda (the first GPU), cuda:N, cuda:0,1, cuda:all, auto.
    ///
    /// auto takes a GPU where there is one and the rays are worth its start: from 16 million beside one thread of the
    /// CPU on, more beside several and in large scenes (docs/guide/gpu.md). It says so, and goes on with the CPU
    /// otherwise; --variant is then imitated there. Several GPUs share the rays. On a GPU the kernel is the fastest
    /// that gives the bits of the CPU, unless --variant names one.
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device::parser_of_several(), hide_possible_values = true, help_heading = heading::MACHINE)]
    pub device: DeviceChoice,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub replacing: Replacing,
}

fn parse_machine(text: &str) -> Result<Execution, String> {
    let width = text.parse().ok().filter(|width| (1..=64).contains(width));
    match (text, width) {
        ("scalar", _) => Ok(Execution::Scalar),
        (_, Some(width)) => Ok(Execution::Lockstep { width }),
        _ => Err("must be scalar or 1 to 64".to_string()),
    }
}

/// Runs the command `trace`.
pub fn run(args: &TraceArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let (scene_name, rays_name) = args.inputs()?;
    if is_standard_stream(scene_name) && is_standard_stream(rays_name) {
        return Err(CliError::usage("SCENE and RAYS cannot both be standard input; name a file for one of them"));
    }
    let piped = is_standard_stream(&args.output);
    if piped && common.json {
        return Err(CliError::usage("-o - and --json both want standard output; write the hits to a file"));
    }
    common.files.reads(rays_name)?;
    common.files.reads(&common.find(scene_name, raywarp::scene::Prefer::Geometry)?)?;
    common.files.writes(&args.output)?;
    let Some(format) = HitFormat::of(&args.output) else {
        let name = args.output.display();
        return Err(CliError::usage(format!("-o {name}: hits are written to .npy files and .csv files")));
    };
    if !piped {
        let kind = match format {
            HitFormat::Csv => &replace::HITS_CSV,
            HitFormat::Npy => &replace::NPY,
        };
        replace::can_write(&args.output, kind)?;
    }
    // The rays first: what is wrong with them shows before a large scene is loaded.
    let input = input_name(rays_name);
    let reading = common.activity(format!("reading rays from {input}"));
    let mut rays = ray_input::open(rays_name, &input)?;
    drop(reading);
    let mut notes = Vec::new();
    if !rays.layout().is_native() {
        notes.push(format!("{input}: {}", rays.layout()));
        common.note(&notes[0]);
    }
    let query = if args.any { Query::Any } else { Query::Closest };
    // Whether auto takes a GPU depends on the scene too.
    let is_auto = common.device == DeviceChoice::Auto && args.variant.is_none();
    let asked = args.tree.given().map(|_| args.tree.options());
    let plan = if is_auto { None } else { Some(args.plan(common, &rays, asked)?) };
    let (loaded, path, load) = common.load(scene_name, args.allow_missing)?;
    if let Some(note) = rays.origin_note(loaded.scene.origin) {
        let note = format!("{input}: {note}");
        common.note(&note);
        notes.push(note);
    }
    rays.relative_to(loaded.scene.origin);
    let fail = |error, rays: &Rays<'_>| failure(error, &path, rays, &input);
    let building = common.building(&loaded.scene);
    let scene = match plan {
        Some(plan) => TraceScene::new(&loaded.scene, &plan).map_err(|error| fail(error, &rays))?,
        None => {
            common.can_choose()?;
            let kernels = |device: &Device| args.fastest(common, device, &rays);
            let scene = TraceScene::auto(&loaded.scene, rays.layout().count(), asked, kernels);
            let scene = scene.map_err(|error| fail(error, &rays))?;
            let plan = scene.plan();
            let line = format!("--device auto: {}", plan_words::of_trace(&plan));
            if plan.reason.is_loss() || !plan.gpus().is_empty() {
                common.note(line);
            } else {
                common.detail(line);
            }
            scene
        }
    };
    drop(building);
    if let Some(instead) = plan_words::instead(&scene.plan()) {
        common.note(instead);
    }
    if scene.non_opaque_count() > 0 {
        let [all, some] = [scene.triangle_count(), scene.non_opaque_count()];
        common.note(format!("{some} of {all} triangles have an alpha mask or blend; rays take them as opaque"));
    }

    let _doing = interrupt::doing("tracing");
    let steps = Steps::new(common.quiet, "tracing", "rays", rays.layout().count());
    let progress = |rays: usize| steps.advance(rays as u64);
    // Hits are worth something together only: an interrupt ends the process.
    let control = Control { cancel: None, progress: Some(&progress) };
    let options = StreamOptions { query, format, fields: &args.with };
    let mut totals = StreamTotals::default();
    let mut trace = |out: &mut dyn Write| -> Result<(), CliError> {
        totals = rays.trace(&scene, &loaded.scene, &options, &control, out).map_err(|error| match error {
            StreamError::Rays(error) => ray_input::failure(error),
            StreamError::Trace(error) => fail(error, &rays),
            StreamError::Write(error) if piped => error.into(),
            StreamError::Write(error) => CliError::output(FileError::from_io(&args.output, error)),
            other => CliError::machine(other),
        })?;
        Ok(())
    };
    if piped { trace(out) } else { write_atomic_with(&args.output, trace) }?;
    drop(steps);

    let report = TraceReport { args, query, scene: &path, traced: totals, prepared: &scene, load, notes };
    common.detail(format!("answered by {}", totals.stats.kernels));
    if common.json {
        let mut document = report.json();
        common.describe_scenes(&mut document);
        writeln!(out, "{document:#}")?;
    } else if piped {
        common.note(report.line());
    } else if !common.quiet {
        writeln!(out, "{}", report.line())?;
    }
    Ok(Status::Done)
}

/// Returns the error, with its exit status, for a scene that cannot be traced.
fn failure(error: TraceSceneError, scene: &Path, rays: &Rays<'_>, input: &str) -> CliError {
    match error {
        TraceSceneError::Prepare(PrepareError::Backend(BackendError::Own(error))) => match error.downcast_ref() {
            Some(KernelError::Width { .. }) => CliError::usage(error),
            Some(KernelError::NeedsGpu { .. }) => CliError::machine(error),
            _ => CliError::input(format!("{}: {error}", scene.display())),
        },
        TraceSceneError::Prepare(error) => CliError::prepare(scene.display(), error),
        TraceSceneError::NegativeTMin { ray, .. } => {
            CliError::input(format!("{input}: byte {}: {error}", rays.byte_of_t_min(ray)))
        }
        TraceSceneError::Trace(error) => CliError::machine(error),
        other => CliError::input(format!("{}: {other}", scene.display())),
    }
}

impl TraceArgs {
    /// Returns `true` if the hits go to standard output as bytes.
    pub fn is_piped(&self) -> bool {
        is_standard_stream(&self.output)
    }

    /// Returns the plan of the device and kernels that trace `rays`, if the user chose the device; `build` are the
    /// options of the tree, if given.
    fn plan(&self, common: &Common, rays: &Rays<'_>, build: Option<BuildOptions>) -> Result<Plan, CliError> {
        let devices = open(&common.device)?;
        let Some(first) = devices.first() else {
            return match self.variant {
                Some(VariantChoice::One(variant)) => {
                    let imitated = ImitatedKernel { variant, machine: self.width };
                    Ok(Plan::own(Arc::new(imitated), build.unwrap_or_default()))
                }
                Some(VariantChoice::Auto) => Err(auto_needs_gpu()),
                None => Ok(Plan::cpu(build.unwrap_or_default())),
            };
        };
        let kernels = match self.variant {
            Some(VariantChoice::One(variant)) => RayKernels::named(variant),
            None | Some(VariantChoice::Auto) => {
                common.can_choose()?;
                let failed = |error| CliError::machine(format!("--device {}: {error}", common.device));
                self.fastest(common, first, rays).map_err(failed)?
            }
        };
        Ok(Plan::rays_on(devices, kernels, build))
    }

    /// Returns the fastest kernels of a GPU for `rays` whose hits have the same bits as the CPU's.
    fn fastest(&self, common: &Common, device: &Device, rays: &Rays<'_>) -> Result<RayKernels, CudaError> {
        let kind = if are_coherent(rays.first()) { BatchKind::Coherent } else { BatchKind::Incoherent };
        Ok(RayKernels::chosen(&common.try_choose(device, Promise::Bits)?, kind))
    }

    /// Returns the paths of the scene and of the rays from the positional arguments.
    fn inputs(&self) -> Result<(&Path, &Path), CliError> {
        match (&self.scene, &self.inputs[..]) {
            (None, [scene, rays]) => Ok((scene, rays)),
            (Some(scene), [rays]) => Ok((scene, rays)),
            (None, _) => Err(CliError::usage("no rays are named: raywarp trace SCENE RAYS -o HITS")),
            (Some(_), _) => Err(CliError::usage("two scenes are named; give SCENE or --scene")),
        }
    }
}

/// Report that the command `trace` prints at its end.
struct TraceReport<'a> {
    args: &'a TraceArgs,
    query: Query,
    scene: &'a Path,
    traced: StreamTotals,
    prepared: &'a TraceScene,
    load: Duration,
    /// Notes about the rays, for people to read.
    notes: Vec<String>,
}

impl TraceReport<'_> {
    /// Returns the name of the device that traced.
    fn machine(&self) -> String {
        let plan = self.prepared.plan();
        let ordinals: Vec<usize> = plan.gpus().iter().map(Device::ordinal).collect();
        match &plan.kernels {
            PlannedKernels::Own(factory) => factory.machine(),
            _ if ordinals.is_empty() => raywarp::cpu::Isa::preferred().to_string(),
            _ => DeviceChoice::Cuda(ordinals).to_string(),
        }
    }

    /// Returns the name of the kernel that answered the first rays (not counting fallbacks); without rays, that would
    /// have.
    fn kernel(&self) -> KernelName {
        let first = self.traced.stats.kernels.first();
        first.unwrap_or_else(|| self.prepared.kernel(self.query, 0))
    }

    fn line(&self) -> String {
        let stats = &self.traced.stats;
        let (kernel, machine) = (self.kernel(), self.machine());
        let build = self.prepared.build_options();
        let passes = match build.reinsertion {
            0 => String::new(),
            passes => format!(" and {passes} passes of reinsertion"),
        };
        let tree = format!("{} tree with leaves of at most {}{passes}", builder_name(build.builder), build.max_leaf);
        format!(
            "wrote {}: {} rays, {} hits, {} invalid{}; {:.3} s, {:.3} Mrays/s; {kernel} ({machine}), {tree}",
            if is_standard_stream(&self.args.output) {
                "standard output".into()
            } else {
                self.args.output.display().to_string()
            },
            stats.rays,
            self.traced.hits,
            stats.invalid,
            if stats.by_fallback == 0 {
                String::new()
            } else {
                format!(", {} traced again by a slower kernel", stats.by_fallback)
            },
            self.traced.elapsed.as_secs_f64(),
            self.traced.rays_per_s() / 1e6,
        )
    }

    fn json(&self) -> serde_json::Value {
        let stats = &self.traced.stats;
        let (build, timings) = (self.prepared.build_options(), self.prepared.timings());
        let kernels =
            stats.kernels.iter().map(|(kernel, rays)| serde_json::json!({ "kernel": kernel.as_str(), "rays": rays }));
        // The CPU's own tracer is no variant.
        let variant = Some(self.kernel().as_str()).filter(|name| name.parse::<Variant>().is_ok());
        serde_json::json!({
            "output": self.args.output.display().to_string(),
            "scene": self.scene.display().to_string(),
            "query": if self.args.any { "any" } else { "closest" },
            "rays": stats.rays,
            "hits": self.traced.hits,
            "invalid": stats.invalid,
            "again": stats.by_fallback,
            "seconds": self.traced.elapsed.as_secs_f64(),
            "rays_per_s": self.traced.rays_per_s(),
            "kernels": kernels.collect::<Vec<_>>(),
            "variant": variant,
            "machine": self.machine(),
            "builder": builder_name(build.builder),
            "reinsertion": build.reinsertion,
            "max_leaf": build.max_leaf,
            "triangles": self.prepared.triangle_count(),
            "non_opaque_triangles": self.prepared.non_opaque_count(),
            "notes": self.notes,
            "load_ms": self.load.as_secs_f64() * 1e3,
            "build_ms": (timings.flatten + timings.build + timings.encode).as_secs_f64() * 1e3,
        })
    }
}
