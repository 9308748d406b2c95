//! `raywarp simulate SCENE --machine h200 --counters FILE`: what a profiler counted beside what is foretold.

use crate::command::simulate::{SimulateArgs, refusal};
use crate::common::{Common, read_table};
use crate::exit::{CliError, Status};
use crate::interrupt;
use crate::interrupted_table;
use crate::progress::Steps;
use raywarp::Control;
use raywarp::scene::Description;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::counters::{Counted, CountersError, CountersRequest, beside_counters, read_counters};
use raywarp_lab::study::simulate::EfficiencyRequest;
use std::io::Write;
use std::path::Path;

/// A table may have this many bytes; ours have a few per cent of it.
const MOST_BYTES: u64 = 1 << 24;

/// Returns the rows of a table that are of `scene`, and of the kernels and kinds that were asked for.
pub(super) fn read(path: &Path, scene: &str, args: &SimulateArgs) -> Result<Vec<Counted>, CliError> {
    let fault = |what: String| CliError::input(format!("{}: {what}", path.display()));
    let text = read_table(path, MOST_BYTES)?;
    let wanted = |row: &Counted| {
        let variant = args.variant.is_empty() || args.variant.contains(&row.variant);
        row.scene == scene && variant && args.kinds().contains(&row.kind)
    };
    let rows: Vec<Counted> =
        read_counters(&text).map_err(|error| fault(error.to_string()))?.into_iter().filter(wanted).collect();
    if rows.is_empty() {
        return Err(fault(format!("no such kernel was counted on {scene}")));
    }
    Ok(rows)
}

/// Runs the command.
pub(super) fn run(
    rows: Vec<Counted>,
    (scene, path): (&Description, &Path),
    mut rays: EfficiencyRequest,
    machines: Vec<Machine>,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    let Ok([machine]) = <[Machine; 1]>::try_from(machines) else {
        return Err(CliError::usage("--counters are of one GPU: give one --machine"));
    };
    rays.views.truncate(1);
    rays.rays_per_pixel = rays.rays_per_pixel.or(Some(1));
    rays.kinds.retain(|kind| rows.iter().any(|row| row.kind == *kind));
    let _doing = interrupt::doing("simulating");
    let bar = Steps::new(common.quiet, "simulating", "rows", rows.len() as u64);
    let keep = interrupt::Keep::later(interrupted_table::KEEPS);
    let progress = |steps: usize| {
        keep.begin();
        bar.advance(steps as u64);
    };
    let control = Control { cancel: Some(interrupt::flag()), progress: Some(&progress) };
    let report = beside_counters(scene, &CountersRequest { rays, machine, rows, changes: vec![] }, &control);
    drop(bar);
    let report = report.map_err(|error| match error {
        CountersError::Simulate(error) => refusal(error, path),
        other => CliError::input(other),
    })?;
    let document = report.document();
    interrupted_table::print(report.interrupted, (|| document.text(common.room()), || document.json()), common, out)
}
