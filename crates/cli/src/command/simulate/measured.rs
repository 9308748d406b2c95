//! `raywarp simulate SCENE --machine h200 --measured bench.csv`: a recorded run beside what was possible.

use crate::command::simulate::asked::{Asked, Setup};
use crate::command::simulate::{SimulateArgs, bounds, measured_bounds};
use crate::common::Common;
use crate::exit::{CliError, Status, after_printing};
use crate::heading;
use crate::interrupted_table;
use clap::Args;
use raywarp_lab::bench::Subject;
use raywarp_lab::study::measured::{MeasuredRate, MeasuredReport, MeasuredRequest, set_clock};
use raywarp_lab::workload::rays::RESOLUTION;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The mode's option.
#[derive(Debug, Args)]
pub struct MeasuredArgs {
    /// Rates measured on this GPU, put beside what is possible.
    ///
    /// The bench.csv of `raywarp bench --record`. Its rows have kernels, trees and viewpoints; size and rays a pixel
    /// must be that run's. The first lines say which kernels have changed since. Exit status 1 if a run passed a strict
    /// bound.
    #[arg(long, value_name = "FILE.csv", help_heading = heading::WITH_MACHINE)]
    pub measured: Option<PathBuf>,
}

/// Runs the mode that compares recorded rates with bounds.
pub(super) fn run(args: &SimulateArgs, name: &Path, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let asked = Asked::check(args)?;
    let table = args.measured.measured.as_deref().unwrap_or(Path::new(""));
    let rates = read(table, args)?;
    let setup = asked.load(name, args, common)?;
    let report = simulate(&rates, &setup)?;
    if report.interrupted && args.report.wanted() {
        interrupted_table::no_page(common);
    }
    if report.interrupted || !args.report.wanted() {
        return print(&report, common, out);
    }
    let document = report.document();
    interrupted_table::leave(&document, common);
    bounds::print(&setup, None, Some(&report), out)
}

/// Reads the recorded rates of a table that are of the chosen workload, kernels and ray kinds.
fn read(path: &Path, args: &SimulateArgs) -> Result<Vec<MeasuredRate>, CliError> {
    if args.kernels.sets_kernels() {
        return Err(CliError::usage(
            "--measured: kernels and their costs are those of the run; --set numbers of the machine",
        ));
    }
    let (workload, kinds, kernels) = (args.rays.workload(), args.rays.kinds(), &args.kernels.variant);
    let of_kernel = |rate: &MeasuredRate| {
        kernels.is_empty() || matches!(&rate.subject, Subject::Kernel(variant) if kernels.contains(variant))
    };
    let kernel_names = kernels.iter().map(|variant| Subject::Kernel(*variant).name());
    let rates = measured_bounds::read(path)?;
    let rates = kept(
        rates,
        path,
        &format!("workload {}", workload.name()),
        |rate| rate.workload.name().to_string(),
        |rate| rate.workload == workload,
    )?;
    let rates = kept(rates, path, &joined(kernel_names), |rate| rate.subject.name(), of_kernel)?;
    let missing = format!("{} rays", joined(kinds.iter().map(|kind| kind.name().to_string())));
    kept(rates, path, &missing, |rate| rate.kind.name().to_string(), |rate| kinds.contains(&rate.kind))
}

/// Returns the rates of the table at `path` that are wanted. If none is, the error says what is missing, and by its
/// name what is there in its place.
fn kept(
    mut rates: Vec<MeasuredRate>,
    path: &Path,
    missing: &str,
    name: impl Fn(&MeasuredRate) -> String,
    is_wanted: impl Fn(&MeasuredRate) -> bool,
) -> Result<Vec<MeasuredRate>, CliError> {
    let there = joined(rates.iter().map(name));
    rates.retain(is_wanted);
    if rates.is_empty() {
        return Err(CliError::input(format!("{}: it has no rates of {missing}; it has {there}", path.display())));
    }
    Ok(rates)
}

/// Returns names in their order, each once.
fn joined(names: impl Iterator<Item = String>) -> String {
    let mut list: Vec<String> = Vec::new();
    for name in names {
        if !list.contains(&name) {
            list.push(name);
        }
    }
    list.join(", ")
}

/// Runs `simulate --measured`: simulates bounds for the recorded rates of this scene and machine.
fn simulate(all: &[MeasuredRate], setup: &Setup<'_>) -> Result<MeasuredReport, CliError> {
    let (args, name) = (setup.args, &setup.name);
    let [machine] = &setup.machines[..] else {
        return Err(CliError::usage("--measured rates are of one GPU: give one --machine"));
    };
    let of_scene: Vec<&MeasuredRate> = all.iter().filter(|rate| rate.scene == *name).collect();
    if of_scene.is_empty() {
        let scenes = joined(all.iter().map(|rate| rate.scene.clone()));
        return Err(CliError::input(format!("--measured: no such rates of the scene {name}; they are of {scenes}")));
    }
    let rates: Vec<MeasuredRate> =
        of_scene.iter().filter(|rate| rate.ran_on(machine)).map(|&rate| rate.clone()).collect();
    let Some(first) = rates.first() else {
        let gpus = joined(of_scene.iter().map(|rate| rate.target.clone()));
        let machine = machine.name();
        return Err(CliError::input(format!("--measured: no such rates of {name} on {machine}; they are of {gpus}")));
    };
    let mut machine = machine.clone();
    let clock = if args.kernels.sets_clock() {
        format!("{:.0} MHz, as it was set", machine.clock_hz() / 1e6)
    } else {
        set_clock(&mut machine, first.clocks).to_string()
    };
    let request = MeasuredRequest {
        scene: name.clone(),
        views: measured_bounds::views_of(&rates, setup.views.clone()),
        size: args.size.unwrap_or(RESOLUTION),
        rays_per_pixel: args.rays.rays_per_pixel,
        sample: args.rays.sample.unwrap_or(measured_bounds::SAMPLE) as usize,
        machine,
        clock,
        rates,
    };
    // Before the progress, which would stand above the table's own lines where both go to one place.
    if request.has_older_kernels() {
        setup.common.note("warning: not all of these rates are of today's kernels; the table's first lines say which");
    }
    measured_bounds::run(setup.scene(), &setup.path, &request, setup.common)
}

/// Prints the table of recorded rates and bounds.
fn print(report: &MeasuredReport, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let printed = interrupted_table::print(report.interrupted, &report.document(), common, out);
    after_printing(printed.map(drop), if report.interrupted { Status::Interrupted } else { status(report) })
}

/// Returns the exit status of a report: a rate above a strict bound means that one of the two is wrong.
pub(super) fn status(report: &MeasuredReport) -> Status {
    if report.passes() { Status::Done } else { Status::Failed }
}
