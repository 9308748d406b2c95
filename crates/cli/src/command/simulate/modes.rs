//! The modes of `raywarp simulate`, and which options mean something in each: one that would be ignored is refused.

use super::SimulateArgs;
use super::experiment::ExperimentChoice;
use crate::exit::CliError;
use crate::usage::list;

/// Mode of the command `simulate`: what it simulates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// SIMD efficiencies of kernels (fractions of active lanes), as `--efficiency` shows.
    Efficiency,
    /// Upper bounds of ray rates on machines.
    Bounds,
    /// A profiler's counts beside predicted ones.
    Counters,
    /// Rates of a recorded run beside simulated bounds.
    Measured,
    /// Experiment with traversal kernels.
    Experiment,
    /// Experiment with the path tracer.
    Compaction,
}

use Mode::{Bounds, Compaction, Counters, Efficiency, Experiment, Measured};

/// Option that has no meaning in some modes.
struct Rule {
    flag: &'static str,
    /// Modes in which the option has a meaning.
    modes: &'static [Mode],
    is_given: fn(&SimulateArgs) -> bool,
}

const fn rule(flag: &'static str, modes: &'static [Mode], is_given: fn(&SimulateArgs) -> bool) -> Rule {
    Rule { flag, modes, is_given }
}

/// Modes that simulate a workload's rays.
const OF_RAYS: &[Mode] = &[Efficiency, Bounds, Counters, Measured, Experiment];
/// Modes in which the user chooses the kernels.
const OF_KERNELS: &[Mode] = &[Efficiency, Bounds, Counters, Measured];
/// Modes that simulate bounds on machines.
const OF_MACHINES: &[Mode] = &[Bounds, Counters, Measured];

const RULES: [Rule; 26] = [
    rule("--counters", &[Counters], |args| args.counters.counters.is_some()),
    rule("--measured", &[Measured], |args| args.measured.measured.is_some()),
    rule("--costs", &[Bounds], |args| args.bounds.costs.is_some()),
    rule("--what-if", &[Bounds, Measured], |args| args.bounds.what_if),
    rule("--operation-cost", &[Experiment], |args| args.experiment.has_operation_costs()),
    rule("--frames", &[Compaction], |args| args.compaction.frames.is_some()),
    rule("--max-depth", &[Compaction], |args| args.compaction.max_depth.is_some()),
    rule("--clay", &[Compaction], |args| args.compaction.clay.is_some()),
    rule("--lens-radius", &[Compaction], |args| args.compaction.lens_radius.is_some()),
    rule("--rays", &[Efficiency, Bounds], |args| !args.rays.rays.is_empty()),
    rule("--operations", &[Efficiency, Bounds], |args| args.operations.operations.is_some()),
    rule("--export-operations", &[Efficiency, Bounds], |args| args.operations.export_operations.is_some()),
    rule("--workload", OF_RAYS, |args| args.rays.workload.is_some()),
    rule("--kind", OF_RAYS, |args| !args.rays.kind.is_empty()),
    rule("--sample", OF_RAYS, |args| args.rays.sample.is_some()),
    rule("--rays-per-pixel", OF_RAYS, |args| args.rays.rays_per_pixel.is_some()),
    rule("--shuffle", &[Efficiency, Bounds, Experiment], |args| args.rays.shuffle),
    rule("--sort", &[Efficiency, Bounds, Experiment], |args| args.rays.sort.is_some()),
    rule("--variant", OF_KERNELS, |args| !args.kernels.variant.is_empty()),
    rule("--width", &[Efficiency, Bounds, Compaction], |args| !args.kernels.width.is_empty()),
    rule("--postpone", &[Efficiency, Bounds], |args| !args.kernels.postpone.is_empty()),
    rule("--set", &[Efficiency, Bounds, Measured], |args| !args.kernels.settings.is_empty()),
    rule("--leaf-size", &[Efficiency, Bounds, Experiment], |args| !args.kernels.leaf_size.is_empty()),
    rule("--machine", &[Bounds, Counters, Measured, Experiment], |args| !args.bounds.machine.is_empty()),
    rule("--report", &[Efficiency, Bounds, Measured, Experiment, Compaction], |args| args.report.page()),
    rule("--svg", &[Efficiency, Bounds, Measured, Experiment, Compaction], |args| args.report.pictures()),
];

impl Mode {
    /// Returns the option by which the user chooses this mode.
    fn flag(self) -> &'static str {
        match self {
            Self::Efficiency => "--efficiency",
            Self::Bounds => "--machine",
            Self::Counters => "--counters",
            Self::Measured => "--measured",
            Self::Experiment => "--experiment",
            Self::Compaction => "--experiment compaction",
        }
    }

    /// Returns [`Mode::flag`] for an error that refuses an option in the mode `refused`: beside the path tracer's
    /// experiment, `--experiment` means the others.
    fn flag_beside(self, refused: Self) -> &'static str {
        match (self, refused) {
            (Self::Experiment, Self::Compaction) => "the other experiments",
            _ => self.flag(),
        }
    }

    /// Returns the mode that the options choose, or an error for options that have no meaning in it.
    ///
    /// # Errors
    /// Wrong usage, with both names where two options do not fit together.
    pub fn of(args: &SimulateArgs) -> Result<Self, CliError> {
        let mode = Self::named(args)?;
        let refused = RULES.iter().find(|rule| (rule.is_given)(args) && !rule.modes.contains(&mode));
        if let Some(Rule { flag, modes, .. }) = refused {
            let mut others = flags(modes, mode);
            // An option is not said to go with itself.
            if others.len() > 1 {
                others.retain(|other| other != flag);
            }
            return Err(CliError::usage(format!(
                "{flag} goes with {}, not with {}",
                list(&others, "and"),
                mode.flag()
            )));
        }
        if let Some(flag) = args.tree.given().filter(|_| args.operations.operations.is_some()) {
            return Err(CliError::usage(format!("{flag} goes not with --operations: no tree is built for them")));
        }
        // Rows of recorded runs name their trees; a page also has bounds of the tree that is built here.
        let has_rows = mode == Counters || mode == Measured && !args.report.wanted();
        if let Some(flag) = args.tree.given().filter(|_| has_rows) {
            return Err(CliError::usage(format!("{flag} goes not with {}: its rows name their trees", mode.flag())));
        }
        Ok(mode)
    }

    /// Checks the rules on options that only one mode has.
    pub fn check(self, args: &SimulateArgs) -> Result<(), CliError> {
        let refused = match self {
            Experiment if args.bounds.machine.len() > 1 => "an experiment is of one --machine",
            Experiment if args.kernels.leaf_size.len() > 1 => "--leaf-size: an experiment is of one tree",
            Measured if args.bounds.what_if && !args.report.wanted() => {
                "--measured puts rates beside bounds; --what-if beside it needs --report"
            }
            _ => return Ok(()),
        };
        Err(CliError::usage(refused))
    }

    fn named(args: &SimulateArgs) -> Result<Self, CliError> {
        let experiment = args.experiment.experiment;
        let exclude =
            |a: &str, b: &str, why: &str| Err(CliError::usage(format!("{a} and {b} exclude each other: {why}")));
        match (args.efficiency.efficiency, experiment, !args.bounds.machine.is_empty()) {
            (true, Some(_), _) => exclude(
                "--efficiency",
                "--experiment",
                "an experiment of a paper has its own kernels and its own table",
            ),
            (true, None, true) => exclude(
                "--efficiency",
                "--machine",
                "one counts the busy lanes of warps, the other bounds rates on a GPU",
            ),
            (true, None, false) => Ok(Efficiency),
            (false, Some(ExperimentChoice::Compaction), _) => Ok(Compaction),
            (false, Some(_), _) => Ok(Experiment),
            (false, None, true) => match (&args.counters.counters, &args.measured.measured) {
                (Some(_), Some(_)) => {
                    exclude("--counters", "--measured", "each is put beside what is foretold; run it twice")
                }
                (Some(_), None) => Ok(Counters),
                (None, Some(_)) => Ok(Measured),
                (None, None) => Ok(Bounds),
            },
            (false, None, false) => {
                let of_machine =
                    |rule: &&Rule| (rule.is_given)(args) && rule.modes.iter().all(|mode| OF_MACHINES.contains(mode));
                Err(CliError::usage(match RULES.iter().find(of_machine) {
                    Some(rule) => format!("{} goes with --machine: give it a GPU such as h200", rule.flag),
                    None => {
                        "what is to be simulated? Give --efficiency, --experiment, or --machine with a GPU such as \
                             h200"
                            .to_string()
                    }
                }))
            }
        }
    }
}

/// Returns modes as the options that choose them, for an error about the mode `refused`.
fn flags(modes: &[Mode], refused: Mode) -> Vec<String> {
    if let [Counters | Measured] = modes {
        return vec![Bounds.flag().to_string()];
    }
    let all_machines = OF_MACHINES.iter().all(|mode| modes.contains(mode));
    let said_by_another = |mode: &Mode| match mode {
        Counters | Measured => all_machines,
        Compaction => modes.contains(&Experiment),
        _ => false,
    };
    let names = modes.iter().filter(|mode| !said_by_another(mode));
    names.map(|mode| mode.flag_beside(refused).to_string()).collect()
}
