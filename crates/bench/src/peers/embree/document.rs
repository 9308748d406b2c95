//! Reports of races as documents.

use super::race::HEATS;
use super::report::{ModeRow, PeerReport, PeerRow, Total, totals};
use super::{Agreement, EmbreeMode};
use crate::report::TreeFacts;
use crate::{MachineFacts, Quartiles};
use raywarp_embree::EmbreeOptions;
use raywarp_report::{Column, Document, ReportTable, Sheet, TableColumn, Value};
use raywarp_scene::grouped;
use raywarp_workload::rays::Workload;
use serde_json::{Value as Json, json};

/// Text that explains the signs of the tables.
pub const LEGEND: &str = "\
Mrays/s: all rays over the median time of the rounds, in which the two sides
alternate. ratio: raywarp over Embree, the median of the rounds' ratios, with
least and most; cpu: the same by processor time, which others' work disturbs
less. Embree's figure is that of its best mode: single rays or packets of 8 or
16, called coherent or not, by the quality of its tree; fast: without the robust
flag. differ: rays that one side hits something else with, or nothing. Timed
are, of raywarp, a batch call from rays to hits (calls of so many rays with
--rays-per-call); of Embree, traversal alone, its packets being made before.
Rates of all its modes are a thread's, by processor time.
";

/// Returns all reports of comparisons with Embree as one document: for programs all of them, as text the ratios over
/// several scenes by kind of rays.
pub fn document(reports: &[PeerReport], machine: &MachineFacts, command: &str) -> Document {
    let mut document = Document::of_facts("raywarp beside Embree", 0);
    document.data("command", command);
    document.data("machine", machine.json());
    document.data("pass", reports.iter().all(PeerReport::passes));
    document.for_programs(|document| document.array("scenes", reports, |scene, report| report.describe(scene)));
    let line = |total: &Total| {
        let Total { name, wall: [mean, least], processor, count } = total;
        let cpu = processor.map_or(String::new(), |[mean, least]| format!(" (cpu {mean:.2}, {least:.2})"));
        format!("{name}: {mean:.2} of Embree in the mean of {count} scenes, {least:.2} at least{cpu}")
    };
    let totals = totals(reports);
    document.lines(totals.iter().filter(|_| reports.len() > 1).map(line));
    let columns = vec![
        Column::words(|total: &Total| total.name.clone()).key("kind"),
        Column::data(|total: &Total| total.count).key("scenes"),
        Column::data(|total: &Total| total.wall[0]).key("mean"),
        Column::data(|total: &Total| total.wall[1]).key("least"),
        Column::data(|total: &Total| total.processor.map(|both| both[0])).key("processor_mean"),
        Column::data(|total: &Total| total.processor.map(|both| both[1])).key("processor_least"),
    ];
    document.table(Sheet(columns).table(&totals).key("ratios"));
    document
}

impl PeerReport {
    /// Returns the report as a document: our tracer and Embree's best mode, then all modes.
    pub fn document(&self) -> Document {
        let mut document = Document::new(self.scene.clone());
        self.describe(&mut document);
        document
    }

    /// Adds the report to a document.
    fn describe(&self, document: &mut Document) {
        let build = |(options, seconds): &(EmbreeOptions, f64)| json!({ "quality": options.quality.name(), "robust": options.robust, "seconds": seconds });
        document.lines(heading(self));
        document.fields(json!({
            "scene": self.scene,
            "triangles": self.triangles,
            "workload": self.workload.map(Workload::name),
            "size": self.workload.map(|_| self.size),
            "views": self.views,
            "threads": self.threads,
            "raywarp": {
                "isa": self.isa,
                "tree": self.tree.name(),
                "max_leaf": self.tree.options.max_leaf,
                "build_seconds": self.tree.seconds,
            },
            "embree": {
                "version": self.version,
                "config": self.config,
                "native_packets_of_8": self.native_packets[0],
                "native_packets_of_16": self.native_packets[1],
                "builds": self.builds.iter().map(build).collect::<Json>(),
            },
        }));
        document.table(sheet().table(&self.rows).in_text_untitled().key("rows"));
        document.gap();
        document.table(modes(self).in_text_untitled());
    }
}

/// Returns the columns of a kind of rays.
fn sheet<'a>() -> Sheet<'a, PeerRow> {
    let ratio = |head: TableColumn, of: fn(&PeerRow) -> Option<f64>| {
        Column::plain(move |row: &PeerRow| of(row).map_or(Value::Nothing(""), Value::Number)).digits(2).text(head)
    };
    let side = |of: fn(&PeerRow) -> &Quartiles| {
        Column::plain(move |row: &PeerRow| Value::said(rate(row.rays, of(row).median), rates(of(row), row.rays)))
    };
    Sheet(vec![
        Column::words(PeerRow::name).text(TableColumn::left("Mrays/s")),
        side(|row| &row.ours).text(TableColumn::right("raywarp")).key("raywarp_mrays"),
        side(|row| &row.theirs).text(TableColumn::right("Embree")).key("embree_mrays"),
        ratio(TableColumn::right("ratio"), |row| Some(row.ratio.median)),
        ratio(TableColumn::right("least"), |row| Some(row.ratio.min)),
        ratio(TableColumn::right("most"), |row| Some(row.ratio.max)),
        ratio(TableColumn::right("cpu"), |row| row.processor_ratio.map(|ratio| ratio.median)),
        Column::count(|row: &PeerRow| row.best().agreement.differ()).text(TableColumn::right("differ")),
        Column::words(|row: &PeerRow| row.best().mode.to_string()).text(TableColumn::left("best mode")).key("mode"),
        ratio(TableColumn::right("cpu least").rank(3), |row| row.processor_ratio.map(|ratio| ratio.min)),
        ratio(TableColumn::right("cpu most").rank(3), |row| row.processor_ratio.map(|ratio| ratio.max)),
        Column::plain(|row: &PeerRow| Value::said(grouped(row.rays), row.rays))
            .text(TableColumn::right("rays").rank(1))
            .key("rays"),
        Column::count(|row: &PeerRow| row.rounds as u64).text(TableColumn::right("rounds").rank(2)).key("rounds"),
        Column::words(wrong).remark(),
        Column::words(|row: &PeerRow| row.column.rays.name().to_string()).key("kind"),
        Column::data(|row: &PeerRow| row.column.rays.is_any()).key("any"),
        Column::data(|row: &PeerRow| row.robust).key("robust"),
        Column::words(|row: &PeerRow| row.column.order_name()).key("order"),
        Column::data(|row: &PeerRow| spread(&row.ratio)).key("ratio"),
        Column::data(|row: &PeerRow| row.processor_ratio.as_ref().map(spread)).key("processor_ratio"),
        Column::data(|row: &PeerRow| row.modes.iter().map(|mode| mode_json(mode, row.rays)).collect::<Json>())
            .key("modes"),
    ])
}

/// Describes the first mode whose answers are not ours; empty if all agree.
fn wrong(row: &PeerRow) -> String {
    let Some(wrong) = row.modes.iter().find(|mode| !mode.agreement.passes()) else { return String::new() };
    let Agreement { rays, missed, apart, example, .. } = wrong.agreement;
    let example = example.map_or(String::new(), |example| format!(" ({example})"));
    let of = format!("of {} rays {missed} hit on one side alone, {apart} elsewhere", grouped(rays));
    format!("WRONG: {}: {of}{example}", wrong.mode)
}

fn mode_json(ModeRow { mode, seconds, agreement }: &ModeRow, rays: u64) -> Json {
    json!({
        "mode": mode.to_string(),
        "rays_per_call": mode.width.lanes(),
        "coherent": mode.coherent,
        "quality": mode.scene.quality.name(),
        "robust": mode.scene.robust,
        "mrays": rays as f64 / seconds / 1e6,
        "hit_on_one_side_alone": agreement.missed,
        "hit_elsewhere": agreement.apart,
        "allowed": agreement.allowed(),
        "pass": agreement.passes(),
        "example": agreement.example.map(|example| example.to_string()),
    })
}

/// Returns the table of all modes of Embree, with kinds of rays as columns.
fn modes(report: &PeerReport) -> ReportTable {
    /// A mode, and its rate for each kind of rays.
    type ModeRates = (EmbreeMode, Vec<String>);
    let of = |robust: bool| -> Vec<&PeerRow> { report.rows.iter().filter(|row| row.robust == robust).collect() };
    let rows = [true, false].into_iter().flat_map(|robust| {
        let rows = of(robust);
        let modes = rows.first().map_or(&[][..], |row| &row.modes);
        let rates = |place: usize| rows.iter().map(|row| rate(row.rays, row.modes[place].seconds)).collect();
        modes.iter().enumerate().map(|(place, mode)| (mode.mode, rates(place))).collect::<Vec<ModeRates>>()
    });
    let rows: Vec<ModeRates> = rows.collect();
    let name = TableColumn::left(format!("Embree's modes, best of {HEATS}")).whole();
    let mut columns = vec![Column::words(|(mode, _): &ModeRates| mode.to_string()).text(name)];
    columns.extend(of(true).iter().enumerate().map(|(place, row)| {
        Column::words(move |(_, rates): &ModeRates| rates.get(place).cloned().unwrap_or_default())
            .text(TableColumn::right(row.column.name()))
    }));
    Sheet(columns).table(&rows)
}

fn spread(ratio: &Quartiles) -> Json {
    json!({ "median": ratio.median, "least": ratio.min, "most": ratio.max })
}

fn rates(seconds: &Quartiles, rays: u64) -> Json {
    spread(&seconds.mega_rates(rays))
}

fn rate(rays: u64, seconds: f64) -> String {
    format!("{:.2}", rays as f64 / seconds / 1e6)
}

/// Returns the first lines: the scene and its rays, our tracer, and Embree.
fn heading(report: &PeerReport) -> [String; 3] {
    let rays = match report.workload {
        Some(workload) => {
            let views: Vec<String> = report.views.iter().map(usize::to_string).collect();
            let [width, height] = report.size;
            format!("workload {}, {width} x {height}, views {}", workload.name(), views.join(" "))
        }
        None => "rays of files".to_string(),
    };
    let threads = if report.threads == 1 { "1 thread" } else { &format!("{} threads", report.threads) };
    let scene = format!("{}: {} triangles; {rays}; {threads}", report.scene, grouped(report.triangles as u64));
    let TreeFacts { options, seconds, .. } = report.tree;
    let tree = report.tree.name();
    let ours = format!("raywarp: {}, tree {tree} with leaves of {} ({seconds:.2} s)", report.isa, options.max_leaf);
    let native = match report.native_packets {
        [true, true] => "packets of 8 and 16",
        [true, false] => "packets of 8, not of 16",
        [false, _] => "no packets of 8 or 16",
    };
    let mut builds: Vec<String> = Vec::new();
    for (options, seconds) in &report.builds {
        builds.push(format!("{} {} ({seconds:.2} s)", options.quality.name(), robustness(options.robust)));
    }
    let theirs = format!(
        "Embree {}: {}, has {native}; trees {} (robust ones without spatial splits)",
        report.version,
        report.config,
        builds.join(", ")
    );
    [scene, ours, theirs]
}

fn robustness(robust: bool) -> &'static str {
    if robust { "robust" } else { "fast" }
}
