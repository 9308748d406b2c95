//! The papers' numbers beside ours; `sheet.rs` has the columns of the tables.

use super::ExperimentRequest;
use super::pricing::is_al09;
use crate::simulate::{RayCounts, traced};
use raywarp_bench::table::{Hidden, Room, wrapped};
use std::fmt::Write;

/// The paper's finding, if it gives one, and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedCell {
    /// The finding in the paper's words or digits; empty where it says nothing.
    pub theirs: String,
    /// Our numbers as printed.
    pub ours: String,
    /// Our numbers, of which `ours` is the text.
    pub numbers: Vec<f64>,
}

/// Returns a number as text; a dash for what never ran or costs nothing.
fn printed(number: f64, digits: usize) -> String {
    if number.is_finite() { format!("{number:.digits$}") } else { "-".to_string() }
}

impl ComparedCell {
    pub(super) fn number(theirs: &str, number: f64, digits: usize) -> Self {
        Self { theirs: theirs.into(), ours: printed(number, digits), numbers: vec![number] }
    }

    pub(super) fn pair(theirs: &str, [a, b]: [f64; 2]) -> Self {
        Self { theirs: theirs.into(), ours: format!("{}/{}", printed(a, 0), printed(b, 0)), numbers: vec![a, b] }
    }
}

/// A line of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentRow {
    /// The kernel or setting that was tried.
    pub name: String,
    /// A cell for each column.
    pub cells: Vec<ComparedCell>,
}

/// A table of the papers' findings beside ours.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentTable {
    /// The subject of the table, and its unit.
    pub title: String,
    /// Names of the columns: kinds of rays.
    pub columns: Vec<String>,
    /// The lines of the table.
    pub rows: Vec<ExperimentRow>,
    /// Reasons why ours differ, a line each.
    pub why: Vec<String>,
}

/// The findings of an experiment.
#[derive(Debug, Clone)]
pub struct ExperimentReport {
    pub(crate) request: ExperimentRequest,
    /// Rays of each kind that were traced, and that there are in all.
    pub rays: RayCounts,
    /// The tables of findings.
    pub tables: Vec<ExperimentTable>,
}

impl ExperimentReport {
    /// Returns the report as text.
    pub fn text(&self, room: Room) -> String {
        let request = &self.request;
        let head = format!(
            "{}: {}, workload {}, views: {}, {}x{}, leaves of at most {}; rays traced: {}\n\
             {}; prices: {}",
            request.experiment.name(),
            request.rays.scene,
            request.rays.workload.name(),
            request.rays.views.len(),
            request.rays.size[0],
            request.rays.size[1],
            request.rays.leaf_sizes.first().copied().unwrap_or(8),
            traced(&self.rays),
            request.machine.name(),
            request.priced(),
        );
        let (mut text, mut hidden) = (wrapped(&head), Hidden::default());
        text.push_str("\n\nBelow the kind of rays ours; theirs: the paper's, where it says.\n");
        for table in &self.tables {
            table.write(&mut text, room, &mut hidden);
        }
        hidden.finish(&mut text);
        text
    }

    /// Returns the report as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let (rays, costs) = (&self.request.rays, &self.request.costs);
        serde_json::json!({
            "experiment": self.request.experiment.name(),
            "scene": rays.scene,
            "workload": rays.workload.name(),
            "views": rays.views.len(),
            "size": rays.size,
            "leaf_size": rays.leaf_sizes.first(),
            "machine": self.request.machine.name(),
            "rays": self.rays.iter().map(|(kind, traced, all)| serde_json::json!({
                "kind": kind.name(), "traced": traced, "all": all,
            })).collect::<Vec<_>>(),
            "prices": is_al09(&self.request.machine).then(|| serde_json::json!({
                "visit_node": costs.visit_node,
                "test_triangle": costs.test_triangle,
                "loop": costs.iteration,
                "postpone": costs.postpone,
                "fetch_ray": costs.fetch,
                "shuffle": costs.shuffle,
            })),
            "tables": self.tables.iter().map(ExperimentTable::json).collect::<Vec<_>>(),
        })
    }
}

impl ExperimentTable {
    fn write(&self, text: &mut String, room: Room, hidden: &mut Hidden) {
        let _ = writeln!(text, "\n{}", wrapped(&self.title));
        self.sheet().table(&self.rows).write(text, room, hidden);
        for why in &self.why {
            let _ = writeln!(text, "{}", wrapped(&format!("- {why}")));
        }
    }
}
