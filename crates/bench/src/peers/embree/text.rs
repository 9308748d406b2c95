//! Reports of races as tables of text.

use super::Agreement;
use super::race::HEATS;
use super::report::{PeerReport, PeerRow, Total, totals};
use crate::report::TreeFacts;
use crate::table::{Hidden, Room, TableColumn, TextTable, wrapped};
use raywarp_scene::grouped;
use std::fmt::Write;

/// Text that explains the signs of the tables.
pub const LEGEND: &str = "\
Mrays/s: all rays over the median time of the rounds, in which the two sides
alternate. ratio: raywarp over Embree, the median of the rounds' ratios, with least
and most; cpu: the same by processor time, which others' work disturbs less.
Embree's figure is that of its best mode: single rays or packets of 8 or 16,
called coherent or not, by the quality of its tree; fast: without the robust
flag. differ: rays that one side hits something else with, or nothing. Timed
are, of raywarp, a batch call from rays to hits; of Embree, traversal alone, its
packets being made before. Rates of all its modes are a thread's, by processor
time.
";

/// Returns the tables of a scene as text: our tracer and Embree's best mode, then all modes.
pub fn text(report: &PeerReport, room: Room) -> String {
    let (mut text, mut hidden) = (header(report), Hidden::default());
    let mut table = TextTable::new([
        TableColumn::left("Mrays/s"),
        TableColumn::right("raywarp"),
        TableColumn::right("Embree"),
        TableColumn::right("ratio"),
        TableColumn::right("least"),
        TableColumn::right("most"),
        TableColumn::right("cpu"),
        TableColumn::right("differ"),
        TableColumn::left("best mode"),
        TableColumn::right("cpu least").rank(3),
        TableColumn::right("cpu most").rank(3),
        TableColumn::right("rays").rank(1),
        TableColumn::right("rounds").rank(2),
    ]);
    for row in &report.rows {
        let best = row.best();
        table.row([
            row.name(),
            rate(row.rays, row.ours.median),
            rate(row.rays, row.theirs.median),
            format!("{:.2}", row.ratio.median),
            format!("{:.2}", row.ratio.min),
            format!("{:.2}", row.ratio.max),
            row.processor_ratio.map_or(String::new(), |ratio| format!("{:.2}", ratio.median)),
            best.agreement.differ().to_string(),
            best.mode.to_string(),
            row.processor_ratio.map_or(String::new(), |ratio| format!("{:.2}", ratio.min)),
            row.processor_ratio.map_or(String::new(), |ratio| format!("{:.2}", ratio.max)),
            grouped(row.rays),
            row.rounds.to_string(),
        ]);
        if let Some(wrong) = row.modes.iter().find(|mode| !mode.agreement.passes()) {
            let Agreement { rays, missed, apart, example, .. } = wrong.agreement;
            let example = example.map_or(String::new(), |example| format!(" ({example})"));
            let of = format!("of {} rays {missed} hit on one side alone, {apart} elsewhere", grouped(rays));
            table.remark(format!("WRONG: {}: {of}{example}", wrong.mode));
        }
    }
    table.write(&mut text, room, &mut hidden);
    text.push('\n');
    modes(report).write(&mut text, room, &mut hidden);
    hidden.finish(&mut text);
    text
}

/// Returns the table of all modes of Embree, with kinds of rays as columns.
fn modes(report: &PeerReport) -> TextTable {
    let kinds: Vec<&PeerRow> = report.rows.iter().filter(|row| row.robust).collect();
    let name = TableColumn::left(format!("Embree's modes, best of {HEATS}")).whole();
    let heads = kinds.iter().map(|row| TableColumn::right(row.column.name()));
    let mut table = TextTable::new(std::iter::once(name).chain(heads));
    for robust in [true, false] {
        let rows: Vec<&PeerRow> = report.rows.iter().filter(|row| row.robust == robust).collect();
        for (place, mode) in rows.first().map_or(&[][..], |row| &row.modes).iter().enumerate() {
            let rates = rows.iter().map(|row| rate(row.rays, row.modes[place].seconds));
            table.row(std::iter::once(mode.mode.to_string()).chain(rates));
        }
    }
    table
}

fn rate(rays: u64, seconds: f64) -> String {
    format!("{:.2}", rays as f64 / seconds / 1e6)
}

fn header(report: &PeerReport) -> String {
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
    [scene, ours, theirs].map(|line| wrapped(&line) + "\n").concat()
}

fn robustness(robust: bool) -> &'static str {
    if robust { "robust" } else { "fast" }
}

/// Returns a text with the ratios over all scenes by kind of rays; empty for one scene.
pub fn summary(reports: &[PeerReport]) -> String {
    let mut text = String::new();
    if reports.len() < 2 {
        return text;
    }
    for kind in totals(reports) {
        let Total { name, wall: [mean, least], processor, count } = kind;
        let cpu = processor.map_or(String::new(), |[mean, least]| format!(" (cpu {mean:.2}, {least:.2})"));
        let _ = writeln!(text, "{name}: {mean:.2} of Embree in the mean of {count} scenes, {least:.2} at least{cpu}");
    }
    text
}
