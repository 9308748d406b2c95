//! The papers' numbers beside ours; `sheet.rs` has the columns of the tables.

use super::agreement::{agreement, farthest};
use super::charts::{bars, histograms};
use super::costs::is_al09;
use super::{Experiment, ExperimentRequest};
use crate::simulate::fullness::capital;
use crate::simulate::run::{facts, in_a_line};
use crate::simulate::{RayCounts, TracedRays, traced};
use raywarp_papers::Printed;
use raywarp_report::{Document, number};
use serde_json::json;

/// A table cell with the paper's finding, if it gives one, and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedCell {
    /// Finding in the paper's words or digits; empty where it gives none.
    pub theirs: Printed,
    /// Our numbers as they are printed.
    pub ours: String,
    /// Our numbers, whose text is `ours`.
    pub numbers: Vec<f64>,
}

impl ComparedCell {
    pub(super) fn number(theirs: &Printed, ours: f64, digits: usize) -> Self {
        Self { theirs: theirs.clone(), ours: number(ours, digits), numbers: vec![ours] }
    }

    pub(super) fn pair(theirs: &Printed, [a, b]: [f64; 2]) -> Self {
        Self { theirs: theirs.clone(), ours: format!("{}/{}", number(a, 0), number(b, 0)), numbers: vec![a, b] }
    }
}

/// A row of a table of findings.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentRow {
    /// Name of the kernel or setting that was tried.
    pub name: String,
    /// Cells of the row, one for each column.
    pub cells: Vec<ComparedCell>,
}

/// A table of a paper's findings beside ours.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentTable {
    /// Title of the table with the unit of its numbers.
    pub title: String,
    /// Names of the columns, which are kinds of rays.
    pub columns: Vec<String>,
    /// Rows of the table.
    pub rows: Vec<ExperimentRow>,
    /// Reasons why our numbers differ from the paper's, one line each.
    pub why: Vec<String>,
}

/// The findings of an experiment.
#[derive(Debug, Clone)]
pub struct ExperimentReport {
    pub(crate) request: ExperimentRequest,
    /// Number of rays of each kind that were traced, and that there are in all.
    pub rays: RayCounts,
    /// Tables of the findings.
    pub tables: Vec<ExperimentTable>,
}

/// Text on an HTML page that explains the papers' numbers.
const THEIRS: &str = "Theirs: the paper's. Only Sibenik has the papers' scene and viewpoints; in other scenes theirs are shown for orientation.";

impl ExperimentReport {
    /// Returns the report as a document: the papers' tables with our numbers, and on an HTML page how near these are.
    pub fn document(&self) -> Document {
        let request = &self.request;
        let mut document =
            Document::new(format!("The papers' experiments: {}, {}", request.experiment.name(), request.rays.scene));
        self.data(&mut document);
        document.line(self.head());
        document.paragraph("Below the kind of rays ours; theirs: the paper's, where it says.");
        document.note(in_a_line(&request.rays, &self.rays));
        document.heading("In short");
        document.list(self.tables.iter().filter_map(agreement).collect());
        document.table(farthest(&self.tables));
        document.note(THEIRS);
        for (number, table) in self.tables.iter().enumerate() {
            document.heading(capital(&table.title));
            // Of pairs, only the times of warps are a distribution.
            let pairs = table.rows.iter().flat_map(|row| &row.cells).all(|cell| cell.numbers.len() == 2);
            if pairs && request.experiment == Experiment::Distribution {
                histograms(&mut document, table);
            } else {
                bars(&mut document, request.experiment, number, table);
            }
            document.item("tables", |document| table.describe(document));
        }
        // Widths and kernels are the experiment's own.
        let mut rows = facts(&request.rays, &self.rays, None);
        rows.push(("multiprocessors of", request.machine.name().to_string()));
        rows.push(("costs", request.costs_in_words()));
        document.run(rows);
        document
    }

    /// Returns the first lines of the report in text.
    fn head(&self) -> String {
        let request = &self.request;
        format!(
            "{}: {}, workload {}, views: {}, {}x{}, leaves of at most {}; rays traced: {}\n\
             {}; costs: {}",
            request.experiment.name(),
            request.rays.scene,
            request.rays.workload.name(),
            request.rays.views.len(),
            request.rays.size[0],
            request.rays.size[1],
            request.rays.leaf_sizes.first().copied().unwrap_or(8),
            traced(&self.rays),
            request.machine.name(),
            request.costs_in_words(),
        )
    }

    /// Adds the run's settings, for programs that read the report.
    fn data(&self, document: &mut Document) {
        let (rays, costs) = (&self.request.rays, &self.request.costs);
        let counts =
            |(kind, traced, all): &(TracedRays, u64, u64)| json!({ "kind": kind.name(), "traced": traced, "all": all });
        let costs_of_operations = json!({
            "visit_node": costs.visit_node,
            "test_triangle": costs.test_triangle,
            "loop": costs.iteration,
            "postpone": costs.postpone,
            "fetch_ray": costs.fetch,
            "shuffle": costs.shuffle,
        });
        document.data("experiment", self.request.experiment.name());
        document.data("scene", rays.scene.clone());
        document.data("workload", rays.workload.name());
        document.data("views", rays.views.len());
        document.data("size", rays.size.to_vec());
        document.data("leaf_size", rays.leaf_sizes.first().copied());
        document.data("machine", self.request.machine.name());
        document.data("rays", self.rays.iter().map(counts).collect::<Vec<_>>());
        document.data("costs", is_al09(&self.request.machine).then_some(costs_of_operations));
    }
}

impl ExperimentTable {
    /// Adds the table to a document, with the reasons why our numbers differ.
    fn describe(&self, document: &mut Document) {
        let table = self.sheet().table(&self.rows);
        let caption = "Theirs, where the paper says, beside ours";
        document.table(table.in_text(self.title.clone()).on_page(caption).key("rows"));
        document.lines(self.why.iter().map(|why| format!("- {why}")));
        document.fold("Why ours differ", |document| document.list(self.why.clone()));
        document.data("title", self.title.clone());
        document.data("why", self.why.clone());
    }
}
