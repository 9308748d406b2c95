//! Simulated rates of Table 1 (AL09).

use super::super::theirs_column;
use super::{ComparedCell, ExperimentRow, ExperimentTable, Lab, SimulateError, WARP, row, theirs_of};
use raywarp_papers::{Printed, al09};
use raywarp_sim::machine::{Machine, keys};

/// Names of AL09's kernels in Table 1 without packets.
const TRIED: [&str; 5] = [
    "al09-while-while",
    "al09-if-if",
    "al09-spec-if-if",
    "al09-persistent-while-while",
    "al09-persistent-spec-while-while",
];

pub(super) const STEPS: usize = TRIED.len();

/// Returns the number of lanes that a machine issues for in a second, with one warp instruction at a time.
pub(super) fn lane_slots_per_s(machine: &Machine) -> f64 {
    let per_scheduler = machine.get(keys::ISSUE_SINGLE).unwrap_or_else(|| machine.need(keys::ISSUE_PER_SCHEDULER));
    machine.issue_per_s() / machine.need(keys::ISSUE_PER_SCHEDULER) * per_scheduler * f64::from(WARP)
}

pub(super) fn tables(lab: &mut Lab<'_>) -> Result<Vec<ExperimentTable>, SimulateError> {
    let kinds = lab.kinds();
    let columns: Vec<String> = kinds.iter().map(|kind| kind.name().to_string()).collect();
    let per_s = lane_slots_per_s(&lab.request.machine);
    let mut rows = Vec::new();
    for name in TRIED {
        let simulated = al09().table_1.simulated(&lab.request.rays.scene, name);
        let theirs = simulated.map_or_else(Default::default, |rates| rates.map(|rate| Printed::number(rate, 1)));
        let slots = lab.slots(&row(name), WARP)?;
        let cell = |(&kind, slots): (&_, &f64)| {
            let (theirs, rate) = (theirs_of(kind, &theirs), per_s / slots / 1e6);
            let printed = simulated.zip(theirs_column(kind)).map(|(rates, column)| rates[column]);
            let off =
                printed.map_or_else(String::new, |printed| format!(" ({:+.0} %)", 100.0 * (rate / printed - 1.0)));
            let cell = ComparedCell::number(theirs, rate, 1);
            ComparedCell { ours: cell.ours.clone() + &off, ..cell }
        };
        rows.push(ExperimentRow { name: name.into(), cells: kinds.iter().zip(&slots).map(cell).collect() });
    }
    Ok(vec![ExperimentTable {
        title: format!("{} with memory for free (AL09 Table 1, simulated): Mrays/s", lab.request.machine.name()),
        columns,
        rows,
        why: vec![
            "four of the costs are fitted to twelve of theirs on sibenik, at the tree and the rays of docs/papers/al09-experiments.md."
                .into(),
        ],
    }])
}
