//! `raywarp simulate --operations FILE`: kernels that replay what rays of any program did, and `--export-operations`,
//! which writes down what ours do.

use crate::command::simulate::asked::{Asked, Setup, print_report};
use crate::command::simulate::bounds::read_cost_table;
use crate::command::simulate::modes::Mode;
use crate::command::simulate::setting::Setting;
use crate::command::simulate::{SimulateArgs, progress, refusal};
use crate::common::{Common, Scenes, read_table};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::replace::{self, Kind};
use clap::{Args, ValueHint};
use raywarp::Builder;
use raywarp::scene::scene_name;
use raywarp::system::write_atomic_with;
use raywarp_lab::study::bounds::{BoundsRequest, bound_operations};
use raywarp_lab::study::simulate::{
    DumpedRays, EfficiencyRequest, efficiency_of_operations, record_operations, that_replay,
};
use raywarp_lab::traverse::{read_operations, write_operations};
use raywarp_lab::workload::rays::{Order, RESOLUTION, Workload};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Largest size in bytes of a file of operations.
const MOST_BYTES: u64 = 1 << 30;

/// File of operations as an output file.
const OPERATIONS: Kind = Kind { name: "a file of operations", starts: &[b"raywarp-operations"] };

/// Files of operations.
#[derive(Debug, Args)]
pub struct OperationsArgs {
    /// Replay the operations of rays in a file, in place of a scene's rays.
    ///
    /// As --export-operations or another program writes them (docs/reference/operations.md). Kernels are those of
    /// --variant, or all rows that can replay them. Bounds are by what instructions cost: of memory nothing is known.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["positional", "named", "rays", "workload", "kind", "view", "size", "rays_per_pixel", "sample", "shuffle", "sort", "leaf_size", "allow_missing", "export_operations"], help_heading = heading::RAYS)]
    pub operations: Option<PathBuf>,
    /// Write what each ray does to a file, for --operations.
    ///
    /// A letter for each visit, test and pop, in each kind of walk that the kernels have.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub export_operations: Option<PathBuf>,
}

impl OperationsArgs {
    /// Checks that the file to write can be written.
    pub fn check(&self, common: &Common) -> Result<(), CliError> {
        let Some(path) = &self.export_operations else { return Ok(()) };
        common.files.writes(path)?;
        replace::can_write(path, &OPERATIONS)
    }
}

/// Writes what the rays of a simulation do, if that is asked for.
pub(super) fn export(setup: &Setup<'_>) -> Result<(), CliError> {
    let Some(path) = &setup.args.operations.export_operations else { return Ok(()) };
    let request = setup.request();
    if request.leaf_sizes.len() > 1 {
        return Err(CliError::usage("--export-operations is of one tree; give one --leaf-size"));
    }
    let steps = ("walks", 1);
    let (_kept, launches) =
        progress::steps(setup.common, steps, |control| record_operations(setup.scene(), &request, control));
    let launches = launches.map_err(|error| setup.refusal(error))?;
    write_atomic_with(path, |file| {
        let mut file = std::io::BufWriter::new(file);
        let written = write_operations(&launches, &mut file).and_then(|()| file.flush());
        written.map_err(|error| CliError::from(raywarp::system::FileError::from_io(path, error)))
    })
}

/// Runs a mode on operations of a file.
pub(super) fn run(
    mode: Mode,
    path: &Path,
    args: &SimulateArgs,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    common.refuse(&Scenes::OPTIONS, "--operations needs no scene")?;
    let mut asked = Asked::check(args)?;
    let costs = args.bounds.costs.as_ref().map(|path| read_cost_table(path, &asked.variants)).transpose()?;
    let fault = |error| CliError::input(format!("{}: {error}", path.display()));
    let reading = common.activity(format!("reading operations from {}", path.display()));
    let groups = DumpedRays::group(read_operations(&read_table(path, MOST_BYTES)?).map_err(fault)?);
    drop(reading);
    let (groups, empty): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.ray_count() > 0);
    for group in empty {
        common.note(format!("{}: launch {} has no rays, so no row", path.display(), group.rays.name));
    }
    if args.kernels.variant.is_empty() {
        asked.variants = that_replay(asked.variants, &groups);
        if asked.variants.is_empty() {
            return Err(CliError::usage(format!(
                "{}: no row of `raywarp variants` can replay all of its launches; name kernels by --variant",
                path.display()
            )));
        }
    }
    let rays = EfficiencyRequest {
        workload: Workload::Raywarp,
        kinds: Vec::new(),
        own: Vec::new(),
        views: Vec::new(),
        size: RESOLUTION,
        sample: usize::MAX,
        order: Order::Workload,
        rays_per_pixel: None,
        variants: asked.variants,
        widths: asked.widths,
        draw: 0,
        leaf_sizes: Vec::new(),
        build: args.tree.options_or(Builder::SweepSah),
        scene: scene_name(path),
    };
    let steps = ("kernels", rays.variants.len() * rays.widths.len());
    let refused = |error| refusal(error, path);
    if mode == Mode::Efficiency {
        let (_kept, report) =
            progress::steps(common, steps, |control| efficiency_of_operations(&groups, &rays, control));
        let report = report.map_err(refused)?;
        return print_report((args, common), path, &report.document(), report.interrupted, out);
    }
    let (machines, what_if) = (asked.machines, args.bounds.what_if);
    let changes = args.kernels.settings.iter().filter_map(Setting::cost).collect();
    let request = BoundsRequest { rays, machines, changes, costs, what_if };
    let (_kept, report) = progress::steps(common, steps, |control| bound_operations(&groups, &request, control));
    let report = report.map_err(refused)?;
    print_report((args, common), path, &report.document(None, what_if), report.interrupted, out)
}
