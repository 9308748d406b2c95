//! The report of measured rates beside bounds; `sheet.rs` has the columns.

use super::sheet::sheet;
use super::{MeasuredReport, MeasuredRow, OtherTree, TimeShare};
use crate::kernel_then;
use crate::launch::is_implicit;
use crate::simulate::traced;
use raywarp_bench::{RayColumn, Subject};
use raywarp_report::Document;
use raywarp_sim::bounds::{Bound, Class};

/// Text that explains the columns of the table of measured rates.
const LEGEND: &str = "Rates in Mrays/s. bound: the lowest on the same rays and tree; a star marks a strict one, which no run passes. ratio: measured over that. \
    expected: by a model of a multiprocessor's schedulers and pipelines, clock by clock, without start and tail, times what kernels reached of it on four or five scenes; \
    nine of ten rates should lie in its interval. undecided: it tells too little; ?: nothing was measured on that machine. Then where the measured time went, %, by \
    the model: work with all lanes busy, idle lanes, pipelines slower than the schedulers, L1 passes, and what none of these explains: latency that is not \
    hidden. Start and tail are measured: what two launches of half the rays took more than one; where there is no number, they are part of latency.";

/// Letters that mark rows, each with its explanation.
const MARKS: [(&str, &str); 3] = [
    ("?", "?: more than a fifth of the costs is assumed, mostly too high"),
    ("!", "!: a run passed a modelled bound: something in the model is too dear"),
    ("X", "X: a run passed a STRICT bound"),
];

/// Reason why some rows split the time into work and the rest only.
const IMPLICIT: &str =
    "Lanes that are left to the hardware have the bound of full lanes; the rest of their time is not told apart.";

impl MeasuredRow {
    /// Returns the name of the row: the kernel or tracer, and its launch bounds where they are not its own.
    pub(super) fn name(&self) -> String {
        let mut name = self.rate.subject.name();
        if !self.rate.bounds.are_default() {
            name += &format!(" {}", self.rate.bounds);
        }
        name
    }

    pub(super) fn kind(&self) -> String {
        RayColumn::of(self.rate.kind, self.rate.order).name()
    }

    pub(super) fn view(&self) -> String {
        self.rate.view.map_or_else(|| "all".into(), |view| view.to_string())
    }

    fn is_implicit(&self) -> bool {
        matches!(&self.rate.subject, Subject::Kernel(variant) if is_implicit(variant))
    }

    /// Returns the lowest strict bound of the row.
    pub(super) fn strict(&self) -> Option<&Bound> {
        raywarp_sim::bounds::lowest(self.bounds.iter().filter(|bound| bound.class == Class::Strict))
    }

    /// Returns a part of the measured time as a fraction; `None` where it is not known separately.
    pub fn share(&self, wanted: TimeShare) -> Option<f64> {
        let shares = self.shares.as_ref()?;
        shares.iter().find(|(share, _)| *share == wanted).map(|(_, share)| *share)
    }
}

pub(super) fn mrays(rays_per_s: f64) -> String {
    let rate = rays_per_s / 1e6;
    // An imitated GPU makes thousands of rays a second.
    if rate < 0.095 { format!("{rate:.1e}") } else { format!("{rate:.1}") }
}

impl MeasuredReport {
    /// Returns the report as a document: a line for each kernel, tree and kind of rays, in JSON and CSV also for single
    /// viewpoints; rates above a strict bound are named at the end.
    pub fn document(&self) -> Document {
        let request = &self.request;
        let mut document = Document::new(format!("{} beside what {} could do", request.scene, request.machine.name()));
        document.lines(self.not_todays());
        self.describe(&mut document);
        document
    }

    /// Returns a line for each kernel that has changed since the run, and for those of which nobody knows.
    pub(crate) fn not_todays(&self) -> Vec<String> {
        kernel_then::warnings(&self.kernels_then())
    }

    /// Returns the header line for the rows of [`Document::csv`], the same for all reports.
    pub fn csv_head() -> String {
        let mut document = Document::new("");
        document.table(sheet(false).table([]).in_csv());
        document.csv_head()
    }

    /// Adds the tables and texts of the report to a document.
    pub(crate) fn describe(&self, document: &mut Document) {
        let request = &self.request;
        document.data("scene", request.scene.clone());
        document.data("machine", request.machine.name());
        document.data("clock_mhz", request.machine.clock_hz() / 1e6);
        document.data("clock_is", request.clock.clone());
        document.data("sample", request.sample);
        document.data("pass", self.passes());
        document.data("trees_not_rebuilt", self.not_rebuilt());
        document.data("kernels_then", kernel_then::json(&self.kernels_then()));
        document.line(self.title());
        document.paragraph(LEGEND);
        let marks = MARKS.iter().filter(|(mark, _)| self.rows.iter().any(|row| row.mark() == *mark));
        document.lines(marks.map(|(_, meaning)| format!("{meaning}.")));
        document.line("");
        let caption = format!(
            "Measured beside the lowest bound of the same rays and tree, Mrays/s, at {}; a star marks a strict bound. Tree: its name and the most triangles of a leaf. Then where the measured time went by the model. Latency is what no \
             other part explains; the tail, with the start, is what two launches of half the rays took more than one.",
            request.clock
        );
        let lines: Vec<&MeasuredRow> = self.rows.iter().filter(|row| !row.is_part).collect();
        let sheet = sheet(lines.iter().any(|row| row.rate.view.is_some()));
        document.table(sheet.table(lines.iter().copied()).in_text_untitled().on_page(caption));
        document.table(sheet.table(&self.rows).key("rows").in_csv());
        if lines.iter().any(|row| row.is_implicit() && row.shares.is_some()) {
            document.line(IMPLICIT);
        }
        document.lines(self.not_rebuilt());
        document.lines(self.wrong().into_iter().map(|line| format!("WRONG: {line}")));
    }

    /// Returns the first line of the report in text.
    fn title(&self) -> String {
        let request = &self.request;
        let numbers: Vec<String> = request.views.iter().map(|(number, _)| number.to_string()).collect();
        format!(
            "{}, view{} {}: measured beside what {} could do at {}; rays simulated: {}",
            request.scene,
            if numbers.len() == 1 { "" } else { "s" },
            numbers.join(" "),
            request.machine.name(),
            request.clock,
            traced(&self.rays)
        )
    }

    /// Returns a line for each measured rate that is above a strict bound.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let line = |row: &MeasuredRow| {
            let bound = row.above_strict()?;
            Some(format!(
                "{} {}, {} of {}, view {}: {} Mrays/s is above the strict bound of {} ({}: {})",
                self.request.scene,
                row.name(),
                row.kind(),
                row.rate.tree,
                row.view(),
                mrays(row.rate.most_rays_per_s),
                mrays(bound.rays_per_s),
                bound.limit.name(),
                bound.why
            ))
        };
        self.rows.iter().filter_map(line).collect()
    }

    /// Returns a line for each tree that could not be built again.
    pub(crate) fn not_rebuilt(&self) -> Vec<String> {
        let line = |OtherTree { tree, max_leaf, measured, found }: &OtherTree| {
            let how = if measured == found {
                format!("it has {found} nodes, too, but not the same")
            } else {
                format!("it had {measured} nodes when it was measured and has {found} here")
            };
            format!("No bounds on {tree}/{max_leaf}: {how}, by another version of the scene or of this program.")
        };
        self.other_trees.iter().map(line).collect()
    }
}

impl MeasuredRow {
    /// Returns a one-letter mark for what is doubtful about a row.
    pub(super) fn mark(&self) -> &'static str {
        match () {
            () if self.above_strict().is_some() => "X",
            () if self.is_guess() => "?",
            () if self.ratio().is_some_and(|ratio| ratio > 1.0) => "!",
            () => "",
        }
    }
}

pub(super) fn ratio(ratio: f64) -> String {
    if ratio < 0.005 { format!("{ratio:.0e}") } else { format!("{ratio:.2}") }
}
