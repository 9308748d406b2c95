//! `raywarp simulate SCENE --machine LIST`: what bounds the rates of kernels on GPUs.

use crate::command::simulate::asked::{Asked, Setup};
use crate::command::simulate::setting::Setting;
use crate::command::simulate::{SimulateArgs, measured, measured_bounds, operations, progress};
use crate::common::{Common, read_table};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::options::values;
use clap::{Args, ValueHint};
use raywarp_lab::family::Variant;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::bounds::{BoundsRequest, bound_rates};
use raywarp_lab::study::measured::MeasuredReport;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Largest size in bytes of a cost table; usual ones have a few per cent of it.
const MOST_COST_BYTES: u64 = 1 << 26;

/// Options about the machines whose rates are bounded.
#[derive(Debug, Args)]
pub struct BoundsArgs {
    /// Bound the rates on these GPUs, comma-separated, such as h200.
    ///
    /// Names such as h200 or gtx285, or files (docs/reference/machines.md). With --experiment the GPU that it is about
    /// [default: gtx285].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::machine(), hide_possible_values = true, value_hint = ValueHint::AnyPath, help_heading = heading::MODE)]
    pub machine: Vec<String>,
    /// Costs of kernels, in place of our tables.
    ///
    /// As `xz -dc crates/cuda/prebuilt/costs.sm_90.csv.xz` prints it.
    #[arg(long, value_name = "FILE", help_heading = heading::WITH_MACHINE)]
    pub costs: Option<PathBuf>,
    /// Rank what would raise the rates most.
    ///
    /// By expected rates with intervals where they are told (H100, H200), which takes a second or two for each kernel
    /// and kind of rays; else by lowest bounds. Tried are each number of the machine doubled, each operation a quarter
    /// cheaper, and, where no --width is given, warps of 64 lanes.
    #[arg(long, help_heading = heading::WITH_MACHINE)]
    pub what_if: bool,
}

impl BoundsArgs {
    /// Returns the machines to simulate, with the numbers that the user changed.
    pub fn machines(&self, settings: &[Setting]) -> Result<Vec<Machine>, CliError> {
        let mut machines = Vec::new();
        for name in &self.machine {
            let mut machine = measured_bounds::machine(name)?;
            for (key, value) in settings.iter().filter_map(Setting::number) {
                machine.set(key, value).map_err(|error| CliError::usage(format!("--set {key}={value}: {error}")))?;
            }
            machines.push(machine);
        }
        let needs_machine = settings.iter().any(|setting| !matches!(setting, Setting::Option(..)));
        if machines.is_empty() && needs_machine {
            return Err(CliError::usage("--set with a dot changes a machine or a cost: give --machine"));
        }
        Ok(machines)
    }
}

/// Reads a cost table, and checks that it has costs for each of `variants`.
pub(super) fn read_cost_table(path: &Path, variants: &[Variant]) -> Result<String, CliError> {
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

/// Runs the mode that simulates bounds of rates.
pub(super) fn run(args: &SimulateArgs, name: &Path, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let asked = Asked::check(args)?;
    let costs = args.bounds.costs.as_ref().map(|path| read_cost_table(path, &asked.variants)).transpose()?;
    let setup = asked.load(name, args, common)?;
    operations::export(&setup)?;
    print(&setup, costs, None, out)
}

/// Prints bounds of rates, from built-in cost tables or `costs`, beside rates that were `measured`, if given.
pub(super) fn print(
    setup: &Setup<'_>,
    costs: Option<String>,
    measured: Option<&MeasuredReport>,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    let (args, common) = (setup.args, setup.common);
    let rays = setup.request();
    let steps = setup.kernel_steps(&rays);
    let changes = args.kernels.settings.iter().filter_map(Setting::cost).collect();
    let (machines, what_if) = (setup.machines.clone(), args.bounds.what_if);
    let request = BoundsRequest { rays, machines, changes, costs, what_if };
    let (_kept, report) = progress::steps(common, steps, |control| bound_rates(setup.scene(), &request, control));
    let report = report.map_err(|error| setup.refusal(error))?;
    let status = setup.print(&report.document(measured, what_if), report.interrupted, out)?;
    Ok(if report.interrupted { status } else { measured.map_or(Status::Done, measured::status) })
}
