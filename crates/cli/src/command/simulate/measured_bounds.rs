//! Measured rates beside bounds: what `bench --simulate` and `simulate --measured` share.

use crate::command::simulate::refusal;
use crate::common::{Common, read_table};
use crate::exit::CliError;
use crate::interrupt;
use crate::interrupted_table;
use crate::progress::Steps;
use raywarp::Control;
use raywarp::scene::{Description, View};
use raywarp_lab::bench::corpus::RecordedRun;
use raywarp_lab::sim::machine::{Machine, MachineError};
use raywarp_lab::study::measured::{
    MeasuredError, MeasuredRate, MeasuredReport, MeasuredRequest, beside_bounds, read_measured,
};
use std::path::Path;

/// Largest size in bytes of a recorded bench; usual ones have a few per cent of it.
const MOST_BYTES: u64 = 1 << 26;

/// Approximate number of rays per kind and view that are simulated, so that a row takes a second or less.
pub const SAMPLE: u32 = 16_384;

/// Reads the rates of a recorded run.
pub fn read(path: &Path) -> Result<Vec<MeasuredRate>, CliError> {
    let fault = |what: String| CliError::input(format!("{}: {what}", path.display()));
    let mut rates = read_measured(&read_table(path, MOST_BYTES)?).map_err(|error| fault(error.to_string()))?;
    if let Some((run, file)) = run_of(path)? {
        rates.iter_mut().for_each(|rate| rate.take_code(&run, &file));
    }
    if rates.is_empty() { Err(fault("it has no rows".into())) } else { Ok(rates) }
}

/// Returns the facts of the run that a table stands in, from the `run.toml` beside it, with the table's name; `None`
/// where there is none.
pub fn run_of(table: &Path) -> Result<Option<(RecordedRun, String)>, CliError> {
    let name = table.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let run = RecordedRun::beside(table).map_err(CliError::input)?;
    Ok(run.map(|run| (run, name)))
}

/// Returns the machine with this name, or the one that a file describes.
pub fn machine(name: &str) -> Result<Machine, CliError> {
    Machine::find(name).map_err(|error| match error {
        MachineError::Unknown { .. } => CliError::usage(error),
        other => CliError::input(other),
    })
}

/// Returns the viewpoints that the recorded rates are of: by their numbers, or all if one launch had them all.
pub fn views_of(rates: &[MeasuredRate], all: Vec<(usize, View)>) -> Vec<(usize, View)> {
    let has = |number: usize| rates.iter().any(|rate| rate.view == Some(number));
    let named = rates.iter().any(|rate| rate.view.is_some());
    all.into_iter().filter(|(number, _)| !named || has(*number)).collect()
}

/// Simulates the bounds for recorded rates.
pub fn run(
    scene: &Description,
    path: &Path,
    request: &MeasuredRequest,
    common: &Common,
) -> Result<MeasuredReport, CliError> {
    let launches = request.rates.iter().filter(|rate| rate.view.is_some()).count();
    let _doing = interrupt::doing("simulating what was measured");
    let all = if launches > 0 { launches } else { request.rates.len() };
    let bar = Steps::new(common.quiet, "simulating", "rows", all as u64);
    let keep = interrupt::Keep::later(interrupted_table::KEEPS);
    let progress = |steps: usize| {
        keep.begin();
        bar.advance(steps as u64);
    };
    let control = Control { cancel: Some(interrupt::flag()), progress: Some(&progress) };
    let report = beside_bounds(scene, request, &control);
    drop(bar);
    report.map_err(|error| match error {
        MeasuredError::Simulate(error) => refusal(error, path),
        other => CliError::input(other),
    })
}
