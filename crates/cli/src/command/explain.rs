//! `raywarp explain VARIANT SCENE`: a kernel's CUDA source, line by line, with what its warps do and wait for there.

use crate::command::simulate::measured_bounds;
use crate::command::simulate::{RayArgs, ReportArgs, own_rays, progress, refusal};
use crate::common::{Common, Replacing, Scenes, Tables, Threads, read_table};
use crate::exit::{CliError, Status};
use crate::flags;
use crate::heading;
use crate::interrupted_table;
use crate::options::levels;
use crate::options::tree::TreeArgs;
use crate::options::values;
use crate::options::views::{name_inputs, views};
use crate::replace;
use crate::whole_number::whole_from;
use clap::{Args, ValueHint};
use raywarp::scene::{Prefer, scene_name};
use raywarp::system::write_atomic;
use raywarp::{BuildOptions, Builder};
use raywarp_lab::family::Variant;
use raywarp_lab::sim::machine::{Machine, keys};
use raywarp_lab::study::counters::{Counted, read_counters};
use raywarp_lab::study::explain::{ExplainError, ExplainReport, ExplainRequest, OwnKernel, explain};
use raywarp_lab::study::simulate::EfficiencyRequest;
use raywarp_lab::workload::rays::RESOLUTION;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Largest size in bytes of a table of samples; usual ones have a few per cent of it.
const MOST_BYTES: u64 = 1 << 24;

/// Says what each line of a kernel's source costs on a GPU.
///
/// The hottest lines come first: how often warps issue their instructions, on which pipeline and with how many lanes,
/// and how long they stand there and wait for what. The kernel runs on the papers' rays in simulation; no GPU is
/// needed.
#[derive(Debug, Args)]
#[command(override_usage = "raywarp explain VARIANT SCENE [OPTIONS]")]
pub struct ExplainArgs {
    /// Kernel: a variant, or the name of a row of `raywarp variants`.
    #[arg(value_name = "VARIANT", value_parser = values::variant(), hide_possible_values = true)]
    variant: Variant,
    /// Scene file, a name in --scenes, or - for standard input.
    #[arg(value_name = "SCENE")]
    scene: PathBuf,
    /// GPU on which the kernel runs: a name or a file.
    ///
    /// Source lines are known of code for compute capability 9.0: h100, h200, and files of such machines.
    #[arg(long, value_name = "NAME", default_value = "h200", value_parser = values::machine(), hide_possible_values = true, value_hint = ValueHint::AnyPath, help_heading = heading::MACHINE)]
    machine: String,
    #[command(flatten)]
    rays: RayArgs,
    /// Columns and rows of each view [default: 1024x768].
    #[arg(long, value_name = "WxH", value_parser = values::size, help_heading = heading::CAMERA)]
    size: Option<[u32; 2]>,
    /// A viewpoint of a TOML file, from 1 [default: all in views.toml of --scenes].
    #[arg(long, value_name = "FILE:SCENE:INDEX", help_heading = heading::CAMERA)]
    view: Option<String>,
    /// Go on without files that the scene names and that are missing.
    #[arg(long, help_heading = heading::SCENE)]
    allow_missing: bool,
    /// The tree; by default a greedy SAH sweep, as in Aila and Laine 2009.
    #[command(flatten)]
    tree: TreeArgs,
    /// Explain a kernel of one's own in place of ours.
    ///
    /// A folder that `cargo xtask kernels --source FILE.cu FOLDER` wrote. Rays' operations are those of VARIANT's
    /// schedule.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = heading::KERNELS)]
    own: Option<PathBuf>,
    /// Put samples of a profiler on this GPU beside the shares of the time.
    ///
    /// A table of peers/nsight/sampled.py. Its rows have the tree; of views the first counts, with one ray of each kind
    /// a pixel.
    #[arg(long, value_name = "FILE", help_heading = heading::MACHINE)]
    sampled: Option<PathBuf>,
    /// Print so many lines of each kind of rays.
    #[arg(long, value_name = "LINES", default_value = "10", value_parser = whole_from::<u32>(1), help_heading = heading::OUTPUT)]
    top: u32,
    /// Write all lines as a table, too.
    #[arg(long, value_name = "FILE.csv", help_heading = heading::OUTPUT)]
    csv: Option<PathBuf>,
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

/// Runs the command `explain`.
pub fn run(args: &ExplainArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let machine = measured_bounds::machine(&args.machine)?;
    let own = args.own.as_deref().map(own_kernel).transpose()?;
    check(args, &machine, common)?;
    args.rays.check(&args.scene, common)?;
    let files = args.rays.read(common)?;
    let (loaded, path, _) = common.load(&args.scene, args.allow_missing)?;
    levels::say_flattened(&loaded.scene, common);
    let name = scene_name(&path);
    let views = views(common, &loaded.scene, &name, args.view.as_deref())?;
    let build = args.tree.options_or(Builder::SweepSah);
    let sampled = args.sampled.as_deref().map_or(Ok(vec![]), |table| samples(table, &name, args))?;
    let mut rays = EfficiencyRequest {
        workload: args.rays.workload(),
        kinds: args.rays.kinds(),
        views: views.into_iter().map(|(_, view)| view).collect(),
        size: args.size.unwrap_or(RESOLUTION),
        sample: args.rays.sample.unwrap_or(16_384) as usize,
        rays_per_pixel: args.rays.rays_per_pixel,
        order: args.rays.order(),
        variants: vec![args.variant],
        widths: vec![machine.count(keys::SM_WARP_WIDTH)],
        draw: 0,
        leaf_sizes: vec![build.max_leaf],
        build,
        scene: name,
        own: own_rays(files, loaded.scene.origin),
    };
    if let Some(row) = sampled.first() {
        let (builder, reinsertion, max_leaf) = row.tree;
        rays.build = BuildOptions { builder, reinsertion, max_leaf, ..rays.build };
        rays.views.truncate(1);
        rays.rays_per_pixel = rays.rays_per_pixel.or(Some(1));
        rays.kinds.retain(|kind| sampled.iter().any(|row| row.kind == *kind));
    }
    let steps = ("kinds of rays", if rays.own.is_empty() { rays.kinds.len() } else { rays.own.len() });
    let request = ExplainRequest { rays, machine, sampled, own };
    let (_kept, report) = progress::steps(common, steps, |control| explain(&loaded.scene, &request, control));
    let report = report.map_err(|error| match error {
        ExplainError::Simulate(error) => refusal(error, &path),
        other => CliError::usage(other),
    })?;
    print(args, &report, &path, common, out)
}

/// Reads the folder of a kernel of one's own.
fn own_kernel(folder: &Path) -> Result<OwnKernel, CliError> {
    OwnKernel::read(folder).map_err(|error| CliError::input(format!("{}: {error}", folder.display())))
}

/// Reads those rows of a table of samples that are of `scene`, the kernel and the chosen kinds of rays.
fn samples(path: &Path, scene: &str, args: &ExplainArgs) -> Result<Vec<Counted>, CliError> {
    let fault = |what: String| CliError::input(format!("{}: {what}", path.display()));
    let rows = read_counters(&read_table(path, MOST_BYTES)?).map_err(|error| fault(error.to_string()))?;
    let is_wanted = |row: &Counted| {
        let is_of_run = row.scene == scene && row.variant == args.variant && args.rays.kinds().contains(&row.kind);
        is_of_run && row.sampled.is_some()
    };
    let mut rows: Vec<Counted> = rows.into_iter().filter(is_wanted).collect();
    let Some(tree) = rows.first().map(|row| row.tree) else {
        return Err(fault(format!("warps of no such kernel were sampled on {scene}")));
    };
    rows.retain(|row| row.tree == tree);
    Ok(rows)
}

/// Checks the options before the scene is loaded: that files can be written and are not read, and the kernel runs.
fn check(args: &ExplainArgs, machine: &Machine, common: &Common) -> Result<(), CliError> {
    crate::options::variant::check_machine(&[args.variant.voted()], &[machine.count(keys::SM_WARP_WIDTH)])?;
    common.files.reads(Path::new(&args.machine))?;
    args.sampled.iter().try_for_each(|table| common.files.reads(table))?;
    let own = args.own.iter().flat_map(|folder| OwnKernel::FILES.map(|name| folder.join(name)));
    own.into_iter().try_for_each(|file| common.files.reads(&file))?;
    if let Ok(path) = common.find(&args.scene, Prefer::Geometry) {
        common.files.reads(&path)?;
    }
    name_inputs(common, args.view.as_deref())?;
    if let Some(file) = &args.csv {
        common.files.writes(file)?;
        replace::can_write_table(file, &ExplainReport::csv_head())?;
    }
    args.report.check(common)
}

/// Prints a report, even if it was interrupted, and writes its files if it is complete.
fn print(
    args: &ExplainArgs,
    report: &ExplainReport,
    path: &Path,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    let document = report.document(args.top as usize);
    match report.interrupted {
        true if args.report.wanted() || args.csv.is_some() => interrupted_table::no_page(common),
        true => {}
        false => {
            args.report.write(path, &document)?;
            if let Some(file) = &args.csv {
                let document = flags::in_report(&document);
                write_atomic(file, (document.csv_head() + &document.csv()).as_bytes())?;
            }
        }
    }
    interrupted_table::print(report.interrupted, &document, common, out)
}
