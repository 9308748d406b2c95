//! `raywarp simulate SCENE`: how full warps are under the papers' kernels (`--efficiency`), what bounds their rates on
//! a machine (`--machine`), or one of the papers' experiments (`--experiment`).

mod asked;
mod bounds;
mod compaction;
mod counters;
mod efficiency;
mod experiment;
mod kernels;
mod measured;
pub mod measured_bounds;
mod modes;
mod operations;
pub(super) mod progress;
mod rays;
mod report_args;
mod setting;

use crate::command::simulate::bounds::BoundsArgs;
use crate::command::simulate::compaction::CompactionArgs;
use crate::command::simulate::counters::CountersArgs;
use crate::command::simulate::efficiency::EfficiencyArgs;
use crate::command::simulate::experiment::ExperimentArgs;
use crate::command::simulate::kernels::KernelArgs;
use crate::command::simulate::measured::MeasuredArgs;
use crate::command::simulate::modes::Mode;
use crate::command::simulate::operations::OperationsArgs;
use crate::common::{Common, Replacing, Scenes, Tables, Threads};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::options::tree::TreeArgs;
use crate::options::values;
use crate::options::views::name_inputs;
use clap::Args;
pub(super) use rays::{RayArgs, own_rays};
use raywarp::scene::Prefer;
use raywarp_lab::sim::ProfileError;
use raywarp_lab::study::simulate::SimulateError;
use raywarp_lab::workload::rays::RaysError;
pub(super) use report_args::ReportArgs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Says what bounds kernels on a GPU, and how full their warps are.
///
/// The papers' kernels run on the papers' rays in simulation; no GPU is needed. There are three modes: --machine bounds
/// the rates on GPUs, --efficiency counts the busy lanes of warps, --experiment repeats an experiment of a paper.
#[derive(Debug, Args)]
#[command(override_usage = "raywarp simulate SCENE (--machine LIST | --efficiency | --experiment NAME) [OPTIONS]")]
pub struct SimulateArgs {
    /// Scene file, a name in --scenes, or - for standard input.
    #[arg(value_name = "SCENE", required_unless_present_any = ["named", "operations"])]
    positional: Option<PathBuf>,
    /// The same as SCENE.
    #[arg(long = "scene", value_name = "SCENE", conflicts_with = "positional", help_heading = heading::SCENE)]
    named: Option<PathBuf>,
    #[command(flatten)]
    efficiency: EfficiencyArgs,
    #[command(flatten)]
    counters: CountersArgs,
    #[command(flatten)]
    measured: MeasuredArgs,
    #[command(flatten)]
    bounds: BoundsArgs,
    #[command(flatten)]
    experiment: ExperimentArgs,
    #[command(flatten)]
    compaction: CompactionArgs,
    #[command(flatten)]
    rays: RayArgs,
    #[command(flatten)]
    operations: OperationsArgs,
    #[command(flatten)]
    kernels: KernelArgs,
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
    #[command(flatten)]
    pub scenes: Scenes,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub replacing: Replacing,
    #[command(flatten)]
    pub tables: Tables,
}

/// Runs the command `simulate`.
pub fn run(args: &SimulateArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let mode = Mode::of(args)?;
    mode.check(args)?;
    if let Some(file) = &args.operations.operations {
        args.name_files(None, common)?;
        return operations::run(mode, file, args, common, out);
    }
    let name = args.positional.as_ref().or(args.named.as_ref()).ok_or_else(|| CliError::usage("no scene is named"))?;
    args.name_files(Some(name), common)?;
    let run = match mode {
        Mode::Efficiency => efficiency::run,
        Mode::Bounds => bounds::run,
        Mode::Counters => counters::run,
        Mode::Measured => measured::run,
        Mode::Experiment => experiment::run,
        Mode::Compaction => compaction::run,
    };
    run(args, name, common, out)
}

impl SimulateArgs {
    /// Checks that the given options make sense together.
    #[cfg(test)]
    pub fn check_mode(&self) -> Result<(), CliError> {
        Mode::of(self).map(drop)
    }

    /// Records the input files, and refuses outputs that would overwrite them or cannot be written.
    fn name_files(&self, scene: Option<&Path>, common: &Common) -> Result<(), CliError> {
        let operations = &self.operations.operations;
        let tables = [&self.bounds.costs, &self.measured.measured, &self.counters.counters, operations];
        let tables = tables.into_iter().flatten().map(PathBuf::as_path);
        let machines = self.bounds.machine.iter().map(Path::new);
        tables.chain(machines).try_for_each(|file| common.files.reads(file))?;
        if let Some(scene) = scene {
            // A name that is wrong is told when it is loaded, after what is wrong with the options.
            if let Ok(path) = common.find(scene, Prefer::Geometry) {
                common.files.reads(&path)?;
            }
            self.rays.check(scene, common)?;
        }
        self.operations.check(common)?;
        name_inputs(common, self.view.as_deref())?;
        self.report.check(common)
    }
}

/// Returns the error, with its exit status, for a simulation that cannot run.
pub(super) fn refusal(error: SimulateError, path: &Path) -> CliError {
    match error {
        error if error.is_cancelled() => {
            CliError::Stop(Status::Interrupted, "interrupted before the first row; nothing was printed".to_string())
        }
        SimulateError::Rays(error @ RaysError::Size { .. }) => CliError::usage(format!("--size: {error}")),
        error if error.is_of_scene() => CliError::input(format!("{}: {error}", path.display())),
        SimulateError::Build(error) => CliError::usage(error),
        SimulateError::Kernel(error) | SimulateError::Profile(ProfileError::Kernel(error)) => CliError::usage(error),
        SimulateError::Profile(error @ ProfileError::Threads { .. }) => {
            CliError::machine(format!("{error} (--sample)"))
        }
        error @ (SimulateError::NotThere { .. } | SimulateError::Replay(_)) => CliError::usage(error),
        error @ SimulateError::Cost { .. } => CliError::usage(format!("--set {error}")),
        other => CliError::input(format!("{}: {other}", path.display())),
    }
}
