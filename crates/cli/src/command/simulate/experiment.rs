//! `raywarp simulate --experiment NAME SCENE`: the papers' simulated experiments, theirs beside ours.

use crate::command::simulate::SimulateArgs;
use crate::command::simulate::asked::{Asked, Setup};
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupt;
use crate::named_values::named_values;
use crate::progress::Steps;
use clap::Args;
use clap::builder::TypedValueParser;
use raywarp::Control;
use raywarp_lab::study::simulate::{
    Al09Costs, EfficiencyRequest, Experiment, ExperimentReport, ExperimentRequest, Machine, experiment,
};
use std::io::Write;
use std::path::Path;

/// What an experiment takes beside rays and a tree.
#[derive(Debug, Args)]
pub struct ExperimentArgs {
    /// An experiment of a paper, theirs beside ours.
    ///
    /// Of Aila and Laine: rates, distribution, speculation, replacement, queue, width. Of Wald: compaction, the active
    /// paths and warps of a path tracer at each bounce.
    #[arg(long, value_name = "NAME", value_parser = experiments(), hide_possible_values = true, help_heading = heading::MODE)]
    pub experiment: Option<ExperimentChoice>,
    /// Cost of an operation on a GTX 285, in times of an instruction.
    ///
    /// Operations are visit_node, test_triangle, loop, postpone, fetch_ray and shuffle.
    #[arg(long = "operation-cost", alias = "price", value_name = "OPERATION=SLOTS", value_delimiter = ',', value_parser = parse_operation_cost, help_heading = heading::WITH_EXPERIMENT)]
    operation_costs: Vec<(Operation, f64)>,
}

/// Value of `--experiment`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExperimentChoice {
    /// Experiment with traversal kernels, simulated.
    Simulated(Experiment),
    /// Experiment with the path tracer ([`crate::command::simulate::compaction`]).
    Compaction,
}

/// Accessor of one operation's cost in the table of costs.
type Operation = fn(&mut Al09Costs) -> &mut f64;

const OPERATIONS: [(&str, Operation); 6] = [
    ("visit_node", |costs| &mut costs.visit_node),
    ("test_triangle", |costs| &mut costs.test_triangle),
    ("loop", |costs| &mut costs.iteration),
    ("postpone", |costs| &mut costs.postpone),
    ("fetch_ray", |costs| &mut costs.fetch),
    ("shuffle", |costs| &mut costs.shuffle),
];

/// Returns the parser of the experiments' names: those of Aila and Laine 2009, and the path tracer's.
fn experiments() -> impl TypedValueParser<Value = ExperimentChoice> {
    named_values(Experiment::ALL.map(Experiment::name).into_iter().chain(["compaction"]), parse_experiment)
}

fn parse_experiment(name: &str) -> Result<ExperimentChoice, String> {
    if name == "compaction" {
        return Ok(ExperimentChoice::Compaction);
    }
    let known = || format!("known are {}, compaction", Experiment::ALL.map(Experiment::name).join(", "));
    Experiment::parse(name).map(ExperimentChoice::Simulated).ok_or_else(known)
}

fn parse_operation_cost(text: &str) -> Result<(Operation, f64), String> {
    let (name, cost) = text.split_once('=').ok_or("must be OPERATION=SLOTS, such as fetch_ray=100")?;
    let known = || format!("known are {}", OPERATIONS.map(|(name, _)| name).join(", "));
    let (_, operation) = OPERATIONS.iter().find(|(known, _)| *known == name).ok_or_else(known)?;
    let cost = cost.parse::<f64>().ok().filter(|cost| (0.0..=1e6).contains(cost));
    Ok((*operation, cost.ok_or("a cost is a number from 0 to 1000000")?))
}

impl ExperimentArgs {
    /// Returns `true` if any operation is given a cost.
    pub(super) fn has_operation_costs(&self) -> bool {
        !self.operation_costs.is_empty()
    }

    /// Returns the costs of operations, with those that the user gave.
    fn costs(&self) -> Al09Costs {
        let mut costs = Al09Costs::default();
        for (operation, cost) in &self.operation_costs {
            *operation(&mut costs) = *cost;
        }
        costs
    }
}

/// Runs the experiment that the user named.
pub(super) fn run(args: &SimulateArgs, name: &Path, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let Some(ExperimentChoice::Simulated(which)) = args.experiment.experiment else {
        return Err(CliError::usage("no experiment is named"));
    };
    let setup = Asked::check(args)?.load(name, args, common)?;
    let machine = match setup.machines.first() {
        Some(machine) => machine.clone(),
        None => Machine::find("gtx285").map_err(CliError::usage)?,
    };
    if machine.capability().0 != 1 && args.experiment.has_operation_costs() {
        return Err(CliError::usage(
            "--operation-cost is of the GTX 285: other machines have what the kernels' machine code says",
        ));
    }
    let sample = args.rays.sample.map_or_else(|| which.sample(), |sample| sample as usize);
    let rays = EfficiencyRequest { sample, ..setup.request() };
    let request = ExperimentRequest { rays, experiment: which, costs: args.experiment.costs(), machine };
    let report = simulate(&setup, &request)?;
    let document = report.document();
    args.report.write(&setup.path, &document)?;
    common.print(&document, out)?;
    Ok(Status::Done)
}

/// Runs the experiment's repetitions, with a progress display.
fn simulate(setup: &Setup<'_>, request: &ExperimentRequest) -> Result<ExperimentReport, CliError> {
    let which = request.experiment;
    let _doing = interrupt::doing(&format!("running experiment {}", which.name()));
    // Each line holds one kernel against another, so that half an experiment says nothing.
    interrupt::leave(String::new(), "an experiment has no partial results, so nothing was printed");
    let bar = Steps::new(setup.common.quiet, "experiment", "steps", which.steps() as u64);
    let progress = |steps: usize| bar.advance(steps as u64);
    let control = Control { cancel: None, progress: Some(&progress) };
    experiment(setup.scene(), request, &control).map_err(|error| setup.refusal(error))
}
