//! `raywarp simulate SCENE --machine h200 --measured bench.csv`: a recorded run beside what was possible.

use crate::command::simulate::SimulateArgs;
use crate::command::simulate::measured_bounds;
use crate::common::Common;
use crate::exit::{CliError, Status, after_printing};
use crate::interrupted_table;
use raywarp::scene::{Description, View};
use raywarp_lab::bench::Subject;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::measured::{MeasuredRate, MeasuredReport, MeasuredRequest, set_clock};
use raywarp_lab::workload::rays::RESOLUTION;
use std::io::Write;
use std::path::Path;

/// Returns the rates of a table that are of the workload, kernels and kinds that were asked for.
pub(super) fn read(path: &Path, args: &SimulateArgs) -> Result<Vec<MeasuredRate>, CliError> {
    if args.sets_kernels() {
        return Err(CliError::usage(
            "--measured: kernels and their costs are those of the run; --set numbers of the machine",
        ));
    }
    let wanted = |rate: &MeasuredRate| {
        let kernel = args.variant.is_empty()
            || matches!(&rate.subject, Subject::Kernel(variant) if args.variant.contains(variant));
        kernel && rate.workload == args.workload() && args.kinds().contains(&rate.kind)
    };
    let rates: Vec<MeasuredRate> = measured_bounds::read(path)?.into_iter().filter(wanted).collect();
    if rates.is_empty() {
        let workload = args.workload().name();
        return Err(CliError::input(format!("{}: it has no such rates of workload {workload}", path.display())));
    }
    Ok(rates)
}

/// Rates of a recorded run, and the scene, views and machines that they are put beside.
pub(super) struct Settings<'a> {
    pub rates: Vec<MeasuredRate>,
    pub scene: &'a str,
    pub views: &'a [(usize, View)],
    pub machines: &'a [Machine],
}

/// Simulates the rates that are of the scene and machine.
pub(super) fn run(
    settings: Settings<'_>,
    (scene, path): (&Description, &Path),
    args: &SimulateArgs,
    common: &Common,
) -> Result<MeasuredReport, CliError> {
    let Settings { rates, scene: name, views, machines } = settings;
    let [machine] = machines else {
        return Err(CliError::usage("--measured rates are of one GPU: give one --machine"));
    };
    let mut targets: Vec<&str> = rates.iter().map(|rate| rate.target.as_str()).collect();
    targets.dedup();
    let others = targets.join(", ");
    let is_of = |rate: &&MeasuredRate| rate.scene == name && rate.ran_on(machine);
    let rates: Vec<MeasuredRate> = rates.iter().filter(is_of).cloned().collect();
    let Some(first) = rates.first() else {
        let machine = machine.name();
        return Err(CliError::input(format!("--measured: no such rates of {name} on {machine}; they are of {others}")));
    };
    let mut machine = machine.clone();
    let clock = if args.sets_clock() {
        format!("{:.0} MHz, as it was set", machine.clock_hz() / 1e6)
    } else {
        set_clock(&mut machine, first.clocks).to_string()
    };
    let request = MeasuredRequest {
        scene: name.to_string(),
        views: measured_bounds::views_of(&rates, views.to_vec()),
        size: args.size.unwrap_or(RESOLUTION),
        rays_per_pixel: args.rays_per_pixel,
        sample: args.sample.unwrap_or(measured_bounds::SAMPLE) as usize,
        machine,
        clock,
        rates,
    };
    measured_bounds::run(scene, path, &request, common)
}

/// Prints the table alone.
pub(super) fn print(report: &MeasuredReport, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let document = report.document();
    let table = (|| document.text(common.room()), || document.json());
    let printed = interrupted_table::print(report.interrupted, table, common, out);
    after_printing(printed.map(drop), if report.interrupted { Status::Interrupted } else { status(report) })
}

/// Returns the exit status of a report: a run above a strict bound is an error of somebody.
pub(super) fn status(report: &MeasuredReport) -> Status {
    if report.passes() { Status::Done } else { Status::Failed }
}
