//! The measured rates and their checks as columns, for programs: a row for each subject, tree and kind of rays.

use super::{Row, SceneReport, ViewTimes, builder_name};
use crate::engine::Resources;
use crate::{Check, DataHash, Quartiles, RaySet, TreeFacts};
use raywarp_report::{Column, Document, ReportTable, Sheet, Value};
use serde_json::{Value as Json, json};

/// Cell of the column `code` for kernels that the driver compiled, from PTX for a GPU of its own or for other launch
/// bounds: nobody sees their machine code.
pub const CODE_BY_DRIVER: &str = "driver";

/// A row over all views, or over one of them.
struct Measurement<'a> {
    report: &'a SceneReport,
    row: &'a Row,
    /// Number of the view; `None` for all.
    view: Option<usize>,
    rays: u64,
    seconds: Quartiles,
    sort_seconds: f64,
    start_and_tail: Option<f64>,
    rays_hash: DataHash,
    check: Check,
}

impl<'a> Measurement<'a> {
    fn of(report: &'a SceneReport, row: &'a Row) -> Self {
        let (rays, seconds, start_and_tail) = (row.rays(), row.seconds(), row.start_and_tail());
        let sort_seconds = row.views.iter().map(|view| view.sort_seconds).sum();
        let rays_hash = row.rays_hash();
        Self { report, row, view: None, rays, seconds, sort_seconds, start_and_tail, rays_hash, check: row.check }
    }

    fn of_view(&self, times: &ViewTimes) -> Self {
        let ViewTimes { view, rays, seconds, sort_seconds, rays_hash, check, start_and_tail } = *times;
        let view = view.and_then(|index| self.report.views.get(index)).copied();
        Self { view, rays, seconds, sort_seconds, start_and_tail, rays_hash, check, ..*self }
    }

    /// Returns the row for each view or launch.
    fn views(&self) -> impl Iterator<Item = Self> {
        self.row.views.iter().map(|times| self.of_view(times))
    }

    /// Returns the row, and the row for each view that was launched alone.
    fn with_views(self) -> impl Iterator<Item = Self> {
        let views: Vec<Self> = self.views().filter(|one| one.view.is_some()).collect();
        std::iter::once(self).chain(views)
    }

    fn rates(&self) -> Quartiles {
        self.seconds.mega_rates(self.rays)
    }

    fn column(&self) -> &crate::RayColumn {
        &self.report.columns[self.row.column].column
    }

    fn tree(&self) -> &TreeFacts {
        &self.report.trees[self.row.tree]
    }

    fn clock(&self, of: fn(&crate::Clocks) -> f64) -> String {
        self.report.clocks.map(|clocks| of(&clocks).to_string()).unwrap_or_default()
    }

    fn resource(&self, of: fn(&Resources) -> u32) -> Option<u32> {
        self.row.resources.as_ref().map(of)
    }
}

type Figure<'a> = Column<'a, Measurement<'a>>;

/// Returns a column of one of the rate's quartiles.
fn rate<'a>(key: &str, place: usize, of: fn(&Quartiles) -> f64) -> Figure<'a> {
    Column::number(0, move |one: &Measurement| of(&one.rates())).key_in("mrays", key).csv(place, format!("mrays_{key}"))
}

/// Returns a column of the check of hits.
fn check<'a, Data: Into<Json>>(key: &str, of: impl Fn(&Check) -> Data + 'a) -> Figure<'a> {
    Column::data(move |one: &Measurement| of(&one.check)).key_in("check", key)
}

/// Returns the columns of a row over all views that one over a single view has too.
fn figures<'a>() -> Vec<Figure<'a>> {
    vec![
        Column::count(|one: &Measurement| one.rays).key_in("mrays", "rays").csv(13, "rays"),
        rate("median", 15, |rates| rates.median),
        rate("q1", 16, |rates| rates.q1),
        rate("q3", 17, |rates| rates.q3),
        rate("min", 18, |rates| rates.min),
        rate("max", 19, |rates| rates.max),
        Column::number(0, |one: &Measurement| one.seconds.median).key_in("mrays", "seconds"),
        check("hits", |check| check.hits).csv(22, "hits"),
        check("checked", |check| check.checked).csv(23, "checked"),
        check("differ", |check| check.differ).csv(24, "differ"),
        check("explained", |check| check.explained).csv(25, "explained"),
        check("stray", |check| check.stray).csv(26, "stray"),
        check("pass", Check::passes).csv(27, "pass"),
        check("allowed", Check::allowed),
        check("rays", |check| check.rays),
        Column::words(|one: &Measurement| one.rays_hash.to_string()).key("rays_hash").csv(37, "rays_hash"),
        check("example", |check| check.example.map(|example| example.to_string())),
    ]
}

/// Returns the columns of a row's kernel.
fn subject<'a>() -> Vec<Figure<'a>> {
    vec![
        Column::words(|one: &Measurement| one.row.subject.name()).key("name").csv(5, "name"),
        Column::words(|one: &Measurement| one.row.subject.to_string()).key("variant").csv(6, "variant"),
        Column::data(|one: &Measurement| one.row.bounds.block_threads).key("block_threads").csv(11, "block_threads"),
        Column::data(|one: &Measurement| one.row.bounds.max_registers).key("max_registers").csv(12, "max_registers"),
        Column::data(|one: &Measurement| one.resource(|of| of.registers)).key("registers").csv(28, "registers"),
        Column::data(|one: &Measurement| one.resource(|of| of.local_bytes)).key("local_bytes").csv(29, "local_bytes"),
        Column::data(code).key("code").csv(36, "code"),
    ]
}

/// Returns the hash of the machine code that ran, or that the driver compiled it; nothing on a CPU.
fn code(one: &Measurement) -> Option<String> {
    let resources = one.row.resources.as_ref()?;
    Some(resources.code.map_or_else(|| CODE_BY_DRIVER.to_string(), |code| code.to_string()))
}

/// Returns the columns that only spreadsheets have: what documents say of the scene, its trees and its rays.
fn for_spreadsheets<'a>() -> Vec<Figure<'a>> {
    let view = |one: &Measurement| one.view.map_or_else(|| "all".to_string(), |view| view.to_string());
    let milliseconds = |seconds: Option<f64>| Value::known(seconds.map(|seconds| 1e3 * seconds));
    vec![
        Column::words(|one: &Measurement| &one.report.scene).csv(0, "scene"),
        Column::words(|one: &Measurement| one.report.workload_name()).csv(1, "workload"),
        Column::words(|one: &Measurement| one.column().rays.name().to_string()).csv(2, "kind"),
        Column::words(|one: &Measurement| one.column().order_name()).csv(3, "order"),
        Column::words(view).csv(4, "view"),
        Column::words(|one: &Measurement| one.tree().name()).csv(7, "tree"),
        Column::words(|one: &Measurement| builder_name(one.tree().builder)).csv(8, "builder"),
        Column::data(|one: &Measurement| one.tree().options.reinsertion).csv(9, "reinsertion"),
        Column::data(|one: &Measurement| one.tree().options.max_leaf).csv(10, "max_leaf"),
        Column::data(|one: &Measurement| one.report.runs[1]).csv(14, "runs"),
        Column::plain(move |one: &Measurement| milliseconds(Some(one.seconds.median)))
            .csv(20, "ms_median")
            .csv_digits(6),
        Column::plain(move |one: &Measurement| milliseconds(Some(one.sort_seconds))).csv(21, "sort_ms"),
        Column::words(|one: &Measurement| &one.report.target).csv(30, "target"),
        Column::words(|one: &Measurement| one.clock(|clocks| clocks.mhz)).csv(31, "clock_mhz"),
        Column::words(|one: &Measurement| one.clock(|clocks| clocks.most_mhz)).csv(32, "clock_most_mhz"),
        Column::plain(move |one: &Measurement| milliseconds(one.start_and_tail)).csv(33, "start_tail_ms").csv_digits(6),
        Column::data(|one: &Measurement| one.tree().nodes).csv(34, "tree_nodes"),
        Column::words(|one: &Measurement| query(&one.column().rays)).csv(35, "query"),
        Column::words(|one: &Measurement| one.tree().hash.to_string()).csv(38, "tree_hash"),
        Column::data(|one: &Measurement| one.report.commit.clone()).csv(39, "commit"),
    ]
}

/// Returns the columns that only documents have.
fn for_documents<'a>() -> Vec<Figure<'a>> {
    let kernels = |one: &Measurement| -> Json {
        one.row.kernels.iter().map(|(kernel, rays)| json!({ "kernel": kernel.as_str(), "rays": rays })).collect()
    };
    let views = |one: &Measurement| {
        let own = [
            Column::data(|one: &Measurement| one.view).key("view"),
            Column::data(|one: &Measurement| one.start_and_tail).key("start_and_tail_seconds"),
        ];
        let views: Vec<Measurement> = one.views().collect();
        Sheet(figures().into_iter().chain(own).collect()).table(&views).json()
    };
    vec![
        Column::data(|one: &Measurement| one.row.tree).key("tree"),
        Column::data(|one: &Measurement| one.row.column).key("column"),
        Column::number(0, |one: &Measurement| one.seconds.spread_percent()).key("spread_percent"),
        Column::data(kernels).key("kernels"),
        Column::data(views).key("views"),
    ]
}

/// Returns the rows of a report for documents.
pub(super) fn rows(report: &SceneReport) -> ReportTable {
    let rows: Vec<Measurement> = report.rows.iter().map(|row| Measurement::of(report, row)).collect();
    Sheet(subject().into_iter().chain(figures()).chain(for_documents()).collect()).table(&rows)
}

/// Returns all reports as comma-separated values: for each subject, tree and kind of rays one line for all views
/// together, then one for each.
pub fn csv(reports: &[SceneReport]) -> String {
    let rows = reports.iter().flat_map(|report| report.rows.iter().map(|row| Measurement::of(report, row)));
    let rows: Vec<Measurement> = rows.flat_map(Measurement::with_views).collect();
    let mut document = Document::new("");
    document
        .table(Sheet(subject().into_iter().chain(figures()).chain(for_spreadsheets()).collect()).table(&rows).in_csv());
    document.csv_head() + &document.csv()
}

/// Returns the name of the query in tables: closest hit or any hit.
pub(super) fn query(rays: &RaySet) -> &'static str {
    if rays.is_any() { "any" } else { "closest" }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use raywarp_workload::rays::RayKind;

    #[test]
    fn every_line_has_the_cells_of_the_header() {
        let mut report = sample("a,b", &["al09-if-if", "ykl17"], &RayKind::ALL);
        report.target = "plain".to_string();
        let text = csv(&[report]);
        let columns = text.lines().next().unwrap().split(',').count();
        assert_eq!((text.lines().count(), columns), (1 + 2 * 3 * (1 + 2), 40));
        for line in text.lines().skip(1) {
            assert_eq!(line.strip_prefix("\"a,b\"").unwrap().split(',').count(), columns, "{line}");
        }
        let first = text.lines().nth(1).unwrap();
        assert!(
            first.contains(
                ",primary,workload,all,al09-if-if,direct/if-if/bvh2,balanced,binned,0,8,,,4000000,10,1000.000,"
            )
        );
    }
}
