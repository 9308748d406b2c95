//! `raywarp simulate SCENE`: how full warps are under the papers' kernels (`--efficiency`), what bounds their rates on
//! a machine (`--machine`), or one of the papers' experiments (`--experiment`).

mod compaction;
mod counters;
mod experiment;
mod measured;
pub mod measured_bounds;

mod modes;
mod report_args;
mod setting;

use crate::command::simulate::compaction::CompactionArgs;
use crate::command::simulate::experiment::{ExperimentArgs, ExperimentChoice};
use crate::common::{Common, Replacing, Scenes, Tables, Threads, read_table};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupt;
use crate::interrupted_table;
use crate::options::tree::TreeArgs;
use crate::options::values;
use crate::options::views::{name_inputs, views};
use crate::progress::Steps;
use clap::{Args, ValueHint};
use modes::Mode;
use raywarp::{Builder, Control};
use raywarp_lab::family::{Key, Variant};
use raywarp_lab::sim::ProfileError;
use raywarp_lab::sim::machine::{Machine, keys};
use raywarp_lab::study::bounds::{BoundsRequest, bound_rates};
use raywarp_lab::study::report::Document;
use raywarp_lab::study::simulate::{EfficiencyRequest, SimulateError, efficiency};
use raywarp_lab::workload::rays::{Order, RESOLUTION, RayKind, RaysError, Workload};
pub(super) use report_args::ReportArgs;
use setting::Setting;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A table of costs may have this many bytes; ours have a few per cent of it.
const MOST_COST_BYTES: u64 = 1 << 26;

/// Says what bounds kernels on a GPU, and how full their warps are.
///
/// The papers' kernels run on the papers' rays in simulation; no GPU is needed. There are three modes: --machine bounds
/// the rates on GPUs, --efficiency counts the busy lanes of warps, --experiment repeats an experiment of a paper.
#[derive(Debug, Args)]
#[command(override_usage = "raywarp simulate SCENE (--machine LIST | --efficiency | --experiment NAME) [OPTIONS]")]
pub struct SimulateArgs {
    /// Scene file, a name in --scenes, or - for standard input.
    #[arg(value_name = "SCENE", required_unless_present = "named")]
    positional: Option<PathBuf>,
    /// The same as SCENE.
    #[arg(long = "scene", value_name = "SCENE", conflicts_with = "positional", help_heading = heading::SCENE)]
    named: Option<PathBuf>,
    /// How full warps are.
    ///
    /// SIMD efficiency of traversal and intersection, as in Table 1 of Aila and Laine 2009.
    #[arg(long, help_heading = heading::MODE)]
    efficiency: bool,
    /// What bounds the rates on these GPUs, comma-separated, such as h200.
    ///
    /// Names such as h200 or gtx285, or files (docs/reference/machines.md). With --experiment the GPU that it is about
    /// [default: gtx285].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::machine(), hide_possible_values = true, value_hint = ValueHint::AnyPath, help_heading = heading::MODE)]
    machine: Vec<String>,
    /// What a profiler counted on this GPU, beside what is foretold.
    ///
    /// A table of peers/nsight/counters.py. Its rows have kernels and trees; of views the first counts, with one ray of
    /// each kind a pixel.
    #[arg(long, value_name = "FILE", help_heading = heading::WITH_MACHINE)]
    counters: Option<PathBuf>,
    /// What was measured on this GPU, beside what is possible.
    ///
    /// The bench.csv of `raywarp bench --record`. Its rows have kernels, trees and viewpoints; size and rays a pixel
    /// must be that run's. Exit status 1 if a run passed a strict bound.
    #[arg(long, value_name = "FILE.csv", help_heading = heading::WITH_MACHINE)]
    measured: Option<PathBuf>,
    /// What kernels cost, in place of our tables.
    ///
    /// As `xz -dc crates/cuda/prebuilt/costs.sm_90.csv.xz` prints it.
    #[arg(long, value_name = "FILE", help_heading = heading::WITH_MACHINE)]
    costs: Option<PathBuf>,
    #[command(flatten)]
    experiment: ExperimentArgs,
    #[command(flatten)]
    compaction: CompactionArgs,
    /// Whose rays: raywarp, al09, g14 or alk12 [default: raywarp].
    #[arg(long, value_name = "NAME", value_parser = values::workload(), hide_possible_values = true, help_heading = heading::RAYS)]
    workload: Option<Workload>,
    /// Kinds of rays, comma-separated [default: primary,ao,diffuse].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::kind(), hide_possible_values = true, help_heading = heading::RAYS)]
    kind: Vec<RayKind>,
    /// Kernels, comma-separated [default: all rows of `raywarp variants`].
    ///
    /// Variants or names of rows.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::variant(), hide_possible_values = true, help_heading = heading::KERNELS)]
    pub(super) variant: Vec<Variant>,
    /// Lanes of a warp, 1 to 64, comma-separated [default: 32].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=64), help_heading = heading::KERNELS)]
    width: Vec<u32>,
    /// Most triangles of a leaf, comma-separated: a tree each [default: --max-leaf].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=255), help_heading = heading::TREE)]
    leaf_size: Vec<u32>,
    /// Sizes of the postpone buffer, 0 to 4 [default: the kernel's].
    ///
    /// Comma-separated: each speculative kernel runs with each.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..=4), help_heading = heading::KERNELS)]
    postpone: Vec<u32>,
    /// Change an option of kernels, a number of machines or a cost.
    ///
    /// An option of the family, such as leaves=nested, for every kernel that knows it; with a dot a number of the
    /// machines (l2.bytes=2x) or the cost of an operation in instructions (cost.visit_node=-30).
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting::parse, help_heading = heading::KERNELS)]
    settings: Vec<Setting>,
    /// About how many rays of each kind and view to trace [default: 16384].
    ///
    /// In evenly spaced runs. An experiment has its own default.
    #[arg(long, value_name = "RAYS", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::RAYS)]
    pub(super) sample: Option<u32>,
    /// AO and diffuse rays of a pixel [default: the workload's].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = heading::RAYS)]
    pub(super) rays_per_pixel: Option<u32>,
    /// Shuffle the rays (Aila and Laine 2009, section 6).
    #[arg(long, conflicts_with = "sort", help_heading = heading::RAYS)]
    shuffle: bool,
    /// Sort batches of rays.
    #[arg(long, value_name = "ORDER", value_parser = ["morton"], help_heading = heading::RAYS)]
    sort: Option<String>,
    /// Columns and rows of each view [default: 1024x768].
    #[arg(long, value_name = "WxH", value_parser = values::size, help_heading = heading::CAMERA)]
    pub(super) size: Option<[u32; 2]>,
    /// A viewpoint of a TOML file, from 1 [default: all in views.toml of --scenes].
    #[arg(long, value_name = "FILE:SCENE:INDEX", help_heading = heading::CAMERA)]
    view: Option<String>,
    /// Go on without files that the scene names and that are missing.
    #[arg(long, help_heading = heading::SCENE)]
    allow_missing: bool,
    /// The tree; by default a greedy SAH sweep, as in Aila and Laine 2009.
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    report: ReportArgs,
    /// Rank what would raise the rates most.
    ///
    /// By expected rates with intervals where they are told (H200), which takes a second or two for each kernel and
    /// kind of rays; else by lowest bounds. Tried are each number of the machine doubled, each operation a quarter
    /// cheaper, and, where no --width is given, warps of 64 lanes.
    #[arg(long, help_heading = heading::WITH_MACHINE)]
    what_if: bool,
    #[command(flatten)]
    pub scenes: Scenes,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub replacing: Replacing,
    #[command(flatten)]
    pub tables: Tables,
}

/// Runs the command.
pub fn run(args: &SimulateArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let name = args.positional.as_ref().or(args.named.as_ref()).ok_or_else(|| CliError::usage("no scene is named"))?;
    let widths = match (&args.width[..], args.what_if) {
        ([], false) => vec![32],
        ([], true) => vec![32, 64],
        (widths, _) => widths.to_vec(),
    };
    let mode = Mode::of(args)?;
    if mode == Mode::Experiment && args.machine.len() > 1 {
        return Err(CliError::usage("an experiment is of one --machine"));
    }
    if mode == Mode::Experiment && args.leaf_size.len() > 1 {
        return Err(CliError::usage("--leaf-size: an experiment is of one tree"));
    }
    if mode == Mode::Measured && args.what_if && !args.report.wanted() {
        return Err(CliError::usage("--measured puts rates beside bounds; --what-if beside it needs --report"));
    }
    let tables = [&args.costs, &args.measured, &args.counters].into_iter().flatten().map(PathBuf::as_path);
    let machines = args.machine.iter().map(Path::new);
    tables.chain(machines).try_for_each(|file| common.files.reads(file))?;
    // A name that is wrong is told when it is loaded, after what is wrong with the options.
    if let Ok(path) = common.find(name, raywarp::scene::Prefer::Geometry) {
        common.files.reads(&path)?;
    }
    name_inputs(common, args.view.as_deref())?;
    args.report.check(common)?;
    if mode == Mode::Compaction {
        let shared = compaction::Shared {
            scene: name,
            view: args.view.as_deref(),
            size: args.size,
            widths: &widths,
            build: args.tree.options(),
            allow_missing: args.allow_missing,
        };
        return compaction::run(&args.compaction, &args.report, &shared, common, out);
    }
    let variants = args.variants();
    // Bounds are known of lanes that are left to a GPU, too.
    let checked =
        if args.machine.is_empty() { variants.clone() } else { variants.iter().map(Variant::voted).collect() };
    crate::options::variant::check_machine(&checked, &widths)?;
    let machines = args.machines()?;
    for (key, value) in args.options() {
        if !variants.iter().any(|variant| variant.value(key) == value && variant.with(key, value).is_ok()) {
            return Err(CliError::usage(format!("--set {key}={value}: it applies to none of these kernels")));
        }
    }
    let measured = args.measured.as_ref().map(|path| measured::read(path, args)).transpose()?;
    let costs = args.costs.as_ref().map(|path| read_cost_table(path, &variants)).transpose()?;
    let (loaded, path, _) = common.load(name, args.allow_missing)?;
    let scene_name = raywarp::scene::scene_name(&path);
    let views = views(common, &loaded.scene, &scene_name, args.view.as_deref())?;
    let measured = match measured {
        Some(rates) => {
            let settings = measured::Settings { rates, scene: &scene_name, views: &views, machines: &machines };
            Some(measured::run(settings, (&loaded.scene, &path), args, common)?)
        }
        None => None,
    };
    if let Some(report) = measured.as_ref().filter(|report| !args.report.wanted() || report.interrupted) {
        if args.report.wanted() {
            interrupted_table::no_page(common);
        }
        return measured::print(report, common, out);
    }
    if let Some(report) = &measured {
        let document = report.document();
        interrupted_table::leave((document.text(common.room()), document.json()), common);
    }
    let views = views.into_iter().map(|(_, view)| view).collect();
    let build = args.tree.options_or(Builder::SweepSah);
    let counted = args.counters.as_ref().map(|path| counters::read(path, &scene_name, args)).transpose()?;
    let request = EfficiencyRequest {
        workload: args.workload(),
        kinds: args.kinds(),
        views,
        size: args.size.unwrap_or(RESOLUTION),
        sample: args.sample.unwrap_or(16_384) as usize,
        rays_per_pixel: args.rays_per_pixel,
        order: match (args.shuffle, &args.sort) {
            (true, _) => Order::Shuffled(0),
            (false, Some(_)) => Order::Morton,
            (false, None) => Order::Workload,
        },
        variants,
        widths,
        leaf_sizes: if args.leaf_size.is_empty() { vec![build.max_leaf] } else { args.leaf_size.clone() },
        build,
        scene: scene_name,
    };
    if let Some(rows) = counted {
        return counters::run(rows, (&loaded.scene, &path), request, machines, common, out);
    }
    if let Some(ExperimentChoice::Simulated(which)) = args.experiment.experiment {
        return args.experiment.run(
            which,
            (&loaded.scene, &path),
            (request, machines),
            args.sample,
            (&args.report, common),
            out,
        );
    }
    let steps = request.variants.len() * request.widths.len() * request.leaf_sizes.len();
    let _doing = interrupt::doing("simulating");
    let bar = Steps::new(common.quiet, "simulating", "kernels", steps as u64);
    let keep = interrupt::Keep::later(interrupted_table::KEEPS);
    let progress = |steps: usize| {
        keep.begin();
        bar.advance(steps as u64);
    };
    let control = Control { cancel: Some(interrupt::flag()), progress: Some(&progress) };
    let failed = |error| refusal(error, &path);
    let (document, interrupted): (Document, bool) = if machines.is_empty() {
        let report = efficiency(&loaded.scene, &request, &control).map_err(failed)?;
        drop(bar);
        (report.document(), report.interrupted)
    } else {
        let changes = args.settings.iter().filter_map(Setting::cost).collect();
        let request = BoundsRequest { rays: request, machines, changes, costs, what_if: args.what_if };
        let report = bound_rates(&loaded.scene, &request, &control).map_err(failed)?;
        drop(bar);
        (report.document(measured.as_ref(), args.what_if), report.interrupted)
    };
    if interrupted && args.report.wanted() {
        interrupted_table::no_page(common);
    } else {
        args.report.write(&path, &document)?;
    }
    let table = (|| document.text(common.room()), || document.json());
    let status = interrupted_table::print(interrupted, table, common, out)?;
    Ok(if interrupted { status } else { measured.as_ref().map_or(Status::Done, measured::status) })
}

/// Returns the error for a simulation that was refused, with the exit status of each cause.
pub(super) fn refusal(error: SimulateError, path: &Path) -> CliError {
    match error {
        error if error.is_cancelled() => {
            CliError::Stop(Status::Interrupted, "interrupted before the first row; nothing was printed".to_string())
        }
        SimulateError::Rays(error @ RaysError::Size { .. }) => CliError::usage(format!("--size: {error}")),
        error if error.is_of_scene() => CliError::input(format!("{}: {error}", path.display())),
        SimulateError::Build(error) => CliError::usage(error),
        SimulateError::Kernel(error) | SimulateError::Profile(ProfileError::Kernel(error)) => CliError::usage(error),
        SimulateError::Profile(error @ ProfileError::Threads { .. }) => CliError::machine(error),
        error @ SimulateError::NotThere { .. } => CliError::usage(error),
        error @ SimulateError::Cost { .. } => CliError::usage(format!("--set {error}")),
        other => CliError::input(format!("{}: {other}", path.display())),
    }
}

/// Returns a table of costs that can be read for each of `variants`.
fn read_cost_table(path: &Path, variants: &[Variant]) -> Result<String, CliError> {
    let fault = |what: String| CliError::input(format!("{}: {what}", path.display()));
    let text = read_table(path, MOST_COST_BYTES)?;
    let mut found = false;
    for variant in variants {
        for query in raywarp::Query::ALL {
            let kernel = raywarp_lab::cuda::kernel_name(variant, query);
            found |= raywarp_lab::sim::costs::read_costs(&text, &kernel).map_err(fault)?.is_some();
        }
    }
    if found { Ok(text) } else { Err(fault("it has the costs of none of these kernels".to_string())) }
}

impl SimulateArgs {
    /// Checks that the options fit together.
    #[cfg(test)]
    pub fn check_mode(&self) -> Result<(), CliError> {
        Mode::of(self).map(drop)
    }

    /// Returns the workload whose rays are simulated.
    pub(super) fn workload(&self) -> Workload {
        self.workload.unwrap_or(Workload::Raywarp)
    }

    /// Kinds of rays.
    pub(super) fn kinds(&self) -> Vec<RayKind> {
        if self.kind.is_empty() { RayKind::ALL.to_vec() } else { self.kind.clone() }
    }

    /// Returns the machines, with the numbers that were set.
    fn machines(&self) -> Result<Vec<Machine>, CliError> {
        let mut machines = Vec::new();
        for name in &self.machine {
            let mut machine = measured_bounds::machine(name)?;
            for (key, value) in self.settings.iter().filter_map(Setting::number) {
                machine.set(key, value).map_err(|error| CliError::usage(format!("--set {key}={value}: {error}")))?;
            }
            machines.push(machine);
        }
        let needs_machine = self.settings.iter().any(|setting| !matches!(setting, Setting::Option(..)));
        if machines.is_empty() && needs_machine {
            return Err(CliError::usage("--set with a dot changes a machine or a cost: give --machine"));
        }
        Ok(machines)
    }

    /// Returns `true` if the machines' clock was set.
    pub(super) fn sets_clock(&self) -> bool {
        self.settings.iter().filter_map(Setting::number).any(|(key, _)| key == keys::CLOCK_MHZ.path)
    }

    /// Returns `true` if an option of the family or a cost was set.
    pub(super) fn sets_kernels(&self) -> bool {
        self.settings.iter().any(|setting| setting.number().is_none())
    }

    /// Options of the family that were set.
    fn options(&self) -> impl Iterator<Item = (Key, &str)> {
        self.settings.iter().filter_map(Setting::option)
    }

    /// Returns the kernels, with the options that were set, each once.
    fn variants(&self) -> Vec<Variant> {
        let rows = || Variant::papers().iter().map(|row| row.variant).collect();
        let chosen: Vec<Variant> = if self.variant.is_empty() { rows() } else { self.variant.clone() };
        let mut variants: Vec<Variant> = Vec::new();
        for variant in chosen {
            let set = |variant: Variant, (key, value): (Key, &str)| variant.with(key, value).unwrap_or(variant);
            let variant = self.options().fold(variant, set);
            if self.postpone.is_empty() || !variant.organisation().is_speculative() {
                variants.push(variant);
            } else {
                let postpone = |size: &u32| variant.with(Key::Postpone, &size.to_string()).ok();
                variants.extend(self.postpone.iter().filter_map(postpone));
            }
        }
        let mut kept: Vec<Variant> = Vec::new();
        for variant in variants {
            if !kept.contains(&variant) {
                kept.push(variant);
            }
        }
        kept
    }
}
