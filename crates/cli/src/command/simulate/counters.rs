//! `raywarp simulate SCENE --machine h200 --counters FILE`: what a profiler counted beside what is foretold.

use crate::command::simulate::asked::Asked;
use crate::command::simulate::{SimulateArgs, measured_bounds, progress};
use crate::common::{Common, read_table};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupted_table;
use clap::Args;
use raywarp_lab::study::counters::{Counted, CountersError, CountersRequest, beside_counters, read_counters};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Largest size in bytes of a table of profiler counts; usual ones have a few per cent of it.
const MOST_BYTES: u64 = 1 << 24;

/// The mode's option.
#[derive(Debug, Args)]
pub struct CountersArgs {
    /// Counts of a profiler on this GPU, put beside what is foretold.
    ///
    /// A table of peers/nsight/counters.py. Its rows have kernels and trees; of views the first counts, with one ray of
    /// each kind a pixel. The first lines say which kernels have changed since.
    #[arg(long, value_name = "FILE", help_heading = heading::WITH_MACHINE)]
    pub counters: Option<PathBuf>,
}

/// Reads those rows of a table of profiler counts that are of `scene` and of the chosen kernels and ray kinds.
fn read(path: &Path, scene: &str, args: &SimulateArgs) -> Result<Vec<Counted>, CliError> {
    let fault = |what: String| CliError::input(format!("{}: {what}", path.display()));
    let text = read_table(path, MOST_BYTES)?;
    let wanted = |row: &Counted| {
        let variant = args.kernels.variant.is_empty() || args.kernels.variant.contains(&row.variant);
        row.scene == scene && variant && args.rays.kinds().contains(&row.kind)
    };
    let mut rows: Vec<Counted> =
        read_counters(&text).map_err(|error| fault(error.to_string()))?.into_iter().filter(wanted).collect();
    if let Some((run, file)) = measured_bounds::run_of(path)? {
        rows.iter_mut().for_each(|row| row.take_code(&run, &file));
    }
    if rows.is_empty() {
        return Err(fault(format!("no such kernel was counted on {scene}")));
    }
    Ok(rows)
}

/// Runs the mode that compares predicted with profiled counts.
pub(super) fn run(args: &SimulateArgs, name: &Path, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let setup = Asked::check(args)?.load(name, args, common)?;
    let table = args.counters.counters.as_deref().unwrap_or(Path::new(""));
    let rows = read(table, &setup.name, args)?;
    let [machine] = &setup.machines[..] else {
        return Err(CliError::usage("--counters are of one GPU: give one --machine"));
    };
    let machine = machine.clone();
    let mut rays = setup.request();
    rays.views.truncate(1);
    rays.rays_per_pixel = rays.rays_per_pixel.or(Some(1));
    rays.kinds.retain(|kind| rows.iter().any(|row| row.kind == *kind));
    let steps = ("rows", rows.len());
    let request = CountersRequest { rays, machine, rows, changes: vec![] };
    let (_kept, report) = progress::steps(common, steps, |control| beside_counters(setup.scene(), &request, control));
    let report = report.map_err(|error| match error {
        CountersError::Simulate(error) => setup.refusal(error),
        other => CliError::input(other),
    })?;
    interrupted_table::print(report.interrupted, &report.document(), common, out)
}
