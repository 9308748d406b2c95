//! `raywarp simulate SCENE --efficiency`: how full warps are under the papers' kernels; or one of their experiments.

use super::render_args::parse_size;
use super::simulate_compaction::{self, CompactionArgs};
use super::simulate_experiment::{ExperimentArgs, ExperimentChoice};
use super::tree_args::TreeArgs;
use super::views::{scene_name, views};
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::interrupt;
use crate::progress::StepBar;
use clap::Args;
use raywarp::family::{Key, Variant};
use raywarp::simulate::{EfficiencyRequest, SimulateError, efficiency};
use raywarp::workload::rays::{Order, RESOLUTION, RayKind, Workload};
use raywarp::{Builder, Control};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Simulates the papers' kernels on the papers' rays: how many of a warp's lanes are busy.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// Scene file, or a name in --scenes.
    #[arg(value_name = "SCENE", required_unless_present = "named")]
    positional: Option<PathBuf>,
    /// The same as SCENE.
    #[arg(long = "scene", value_name = "SCENE", conflicts_with = "positional")]
    named: Option<PathBuf>,
    /// SIMD efficiency of traversal and intersection, as in Table 1 of Aila and Laine 2009.
    #[arg(long, required_unless_present = "experiment")]
    efficiency: bool,
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Whose rays: raywarp, al09 or g14.
    #[arg(long, value_name = "NAME", default_value = "raywarp", value_parser = parse_workload)]
    workload: Workload,
    /// Kinds of rays, comma-separated: primary, ao, diffuse.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "primary,ao,diffuse", value_parser = parse_kind)]
    kind: Vec<RayKind>,
    /// Kernels: variants or names of rows (see `raywarp variants`), comma-separated; all rows by default.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    variant: Vec<Variant>,
    /// Lanes of a warp, 1 to 64, comma-separated; 32 by default.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=64))]
    width: Vec<u32>,
    /// Most triangles of a leaf, comma-separated; in place of --max-leaf.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "8", value_parser = clap::value_parser!(u32).range(1..=255))]
    leaf_size: Vec<u32>,
    /// Sizes of the postpone buffer, 0 to 4, comma-separated: each speculative kernel runs with each.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..=4))]
    postpone: Vec<u32>,
    /// An option of the family for every kernel that knows it.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_setting)]
    settings: Vec<(Key, String)>,
    /// About how many rays of each kind and view are traced, in evenly spaced runs; 16384, or what an experiment needs.
    #[arg(long, value_name = "RAYS", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// AO and diffuse rays of a pixel; the workload's by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    rays_per_pixel: Option<u32>,
    /// Shuffle the rays (Aila and Laine 2009, section 6).
    #[arg(long, conflicts_with = "sort")]
    shuffle: bool,
    /// Sort batches of rays: morton.
    #[arg(long, value_name = "ORDER", value_parser = ["morton"])]
    sort: Option<String>,
    /// Columns and rows of each view.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<[u32; 2]>,
    /// A viewpoint of a TOML file, counted from 1; all five of the scene in views.toml of --scenes by default.
    #[arg(long, value_name = "FILE:SCENE:INDEX")]
    view: Option<String>,
    /// Go on without files that the scene names and that are missing.
    #[arg(long)]
    allow_missing: bool,
    /// The tree; by default a greedy SAH sweep, as in Aila and Laine 2009.
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    compaction: CompactionArgs,
}

pub(super) fn parse_workload(name: &str) -> Result<Workload, String> {
    Workload::parse(name).ok_or_else(|| format!("known are {}", Workload::ALL.map(Workload::name).join(", ")))
}

pub(super) fn parse_kind(name: &str) -> Result<RayKind, String> {
    RayKind::parse(name).ok_or_else(|| format!("known are {}", RayKind::ALL.map(RayKind::name).join(", ")))
}

fn parse_setting(text: &str) -> Result<(Key, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be KEY=VALUE, such as leaves=nested")?;
    let key = Key::parse(name).ok_or_else(|| format!("known are {}", Key::NAMES.join(", ")))?;
    if !key.values().contains(&value) {
        return Err(format!("{name} takes {}", key.values().join(", ")));
    }
    Ok((key, value.to_string()))
}

/// Runs the command.
pub fn run(args: &SimulateArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let name = args.positional.as_ref().or(args.named.as_ref()).ok_or_else(|| CliError::usage("no scene is named"))?;
    let widths = if args.width.is_empty() { vec![32] } else { args.width.clone() };
    if let Some(ExperimentChoice::Compaction) = args.experiment.experiment {
        let shared = simulate_compaction::Shared {
            scene: name,
            view: args.view.as_deref(),
            size: args.size,
            widths: &widths,
            build: args.tree.options(),
            allow_missing: args.allow_missing,
        };
        return simulate_compaction::run(&args.compaction, &shared, common, out);
    }
    if args.experiment.experiment.is_some() && !args.width.is_empty() {
        return Err(CliError::usage("--width: this experiment has its own"));
    }
    if let Some(flag) = args.compaction.given() {
        return Err(CliError::usage(format!("{flag} goes with --experiment compaction")));
    }
    let variants = args.variants();
    super::check_machine(&variants, &widths)?;
    for (key, value) in &args.settings {
        if !variants.iter().any(|variant| variant.value(*key) == value && variant.with(*key, value).is_ok()) {
            return Err(CliError::usage(format!("--set {key}={value}: it applies to none of these kernels")));
        }
    }
    let (loaded, path, _) = common.load(name, args.allow_missing)?;
    let scene_name = scene_name(&path);
    let views =
        views(common, &loaded.scene, &scene_name, args.view.as_deref())?.into_iter().map(|(_, view)| view).collect();
    let build = args.tree.options_or(Builder::SweepSah);
    let request = EfficiencyRequest {
        workload: args.workload,
        kinds: args.kind.clone(),
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
        leaf_sizes: args.leaf_size.clone(),
        build,
        scene: scene_name,
    };
    if let Some(ExperimentChoice::Simulated(which)) = args.experiment.experiment {
        return args.experiment.run(which, (&loaded.scene, &path), request, args.sample, common, out);
    }
    let steps = request.variants.len() * request.widths.len() * request.leaf_sizes.len();
    let bar = StepBar::new(common.quiet, steps as u64);
    let progress = |steps: usize| bar.advance(steps as u64);
    let control = Control { cancel: Some(interrupt::flag()), progress: Some(&progress) };
    let report = efficiency(&loaded.scene, &request, &control);
    bar.finish();
    let report = report.map_err(|error| refusal(error, &path))?;
    if common.json {
        writeln!(out, "{:#}", report.json())?;
    } else {
        write!(out, "{}", report.text())?;
    }
    Ok(Status::Done)
}

/// Why nothing was simulated, with the exit status of each cause.
pub(super) fn refusal(error: SimulateError, path: &Path) -> CliError {
    match error {
        SimulateError::Trace(_) => CliError::Stop(Status::Interrupted, "interrupted; nothing was printed".to_string()),
        SimulateError::Build(error) => CliError::usage(error),
        SimulateError::Kernel(error) => CliError::usage(error),
        other => CliError::input(format!("{}: {other}", path.display())),
    }
}

impl SimulateArgs {
    /// The kernels, with the options that were set, each once.
    fn variants(&self) -> Vec<Variant> {
        let rows = || Variant::papers().iter().map(|row| row.variant).collect();
        let chosen: Vec<Variant> = if self.variant.is_empty() { rows() } else { self.variant.clone() };
        let mut variants: Vec<Variant> = Vec::new();
        for variant in chosen {
            let set = |variant: Variant, (key, value): &(Key, String)| variant.with(*key, value).unwrap_or(variant);
            let variant = self.settings.iter().fold(variant, set);
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
