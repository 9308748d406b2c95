//! What a race showed, and its printed forms.

use super::race::Race;
use super::{Agreement, EmbreePeer, Mode, race::HEATS};
use crate::report::TreeFacts;
use crate::table::{Hidden, Room, Table, TableColumn, wrapped};
use crate::{BenchRequest, Column, MachineFacts, Quartiles, geometric_mean};
use raywarp_cpu::Isa;
use raywarp_embree::SceneOptions;
use raywarp_scene::grouped;
use raywarp_workload::rays::Workload;
use serde_json::{Value, json as value};
use std::fmt::Write;

/// What the signs of the tables mean.
pub const LEGEND: &str = "\
Mrays/s: all rays over the median time of the rounds, in which both sides take
turns. ratio: raywarp over Embree, the median of the rounds' ratios, with least
and most. Embree's figure is that of its best mode: single rays or packets of 8
or 16, called coherent or not, by the quality of its tree; fast: without the
robust flag. differ: rays that one side hits something else with, or nothing.
Timed are, of raywarp, a batch call from rays to hits; of Embree, traversal
alone, its packets being made before.
";

/// What was measured on a scene.
#[derive(Debug, Clone)]
pub struct PeerReport {
    /// Its name.
    pub scene: String,
    /// Triangles with area.
    pub triangles: usize,
    /// Whose rays; none where they are of files.
    pub workload: Option<Workload>,
    /// Pixels of a view; means nothing where rays are of files.
    pub size: [u32; 2],
    /// Numbers of the viewpoints.
    pub views: Vec<usize>,
    /// Our tree.
    pub tree: TreeFacts,
    /// Our instruction set.
    pub isa: &'static str,
    /// Threads of both.
    pub threads: usize,
    /// Embree's version.
    pub version: String,
    /// What Embree was opened with.
    pub config: String,
    /// Whether Embree has code of its own for packets of 8 and of 16.
    pub native_packets: [bool; 2],
    /// Embree's scenes, with the seconds that each took to build.
    pub builds: Vec<(SceneOptions, f64)>,
    /// A row for each column of the request.
    pub rows: Vec<PeerRow>,
}

/// A kind of rays.
#[derive(Debug, Clone)]
pub struct PeerRow {
    /// Which rays.
    pub column: Column,
    /// Whether Embree's modes are robust.
    pub robust: bool,
    /// How many.
    pub rays: u64,
    /// Seconds of ours in the rounds.
    pub ours: Quartiles,
    /// Seconds of Embree's best mode in the rounds.
    pub theirs: Quartiles,
    /// Our rate over theirs, round by round.
    pub ratio: Quartiles,
    /// Rounds.
    pub rounds: usize,
    /// Embree's best mode: a place in `modes`.
    pub winner: usize,
    /// All of Embree's modes.
    pub modes: Vec<ModeRow>,
}

/// A mode of Embree.
#[derive(Debug, Clone, Copy)]
pub struct ModeRow {
    /// Which.
    pub mode: Mode,
    /// Least seconds of its heats.
    pub seconds: f64,
    /// How its answers compare with ours.
    pub agreement: Agreement,
}

impl PeerRow {
    pub(super) fn new(column: Column, robust: bool, rays: u64, race: &Race, found: Vec<(Mode, Agreement)>) -> Self {
        let modes = found.into_iter().zip(&race.heats);
        Self {
            column,
            robust,
            rays,
            ours: Quartiles::of(&race.ours),
            theirs: Quartiles::of(&race.theirs),
            ratio: race.ratio(),
            rounds: race.ours.len(),
            winner: race.winner,
            modes: modes.map(|((mode, agreement), &seconds)| ModeRow { mode, seconds, agreement }).collect(),
        }
    }

    /// Whether Embree found what ours found, in every mode.
    pub fn passes(&self) -> bool {
        self.modes.iter().all(|mode| mode.agreement.passes())
    }

    /// What tables call it.
    pub fn name(&self) -> String {
        format!("{}{}", self.column.name(), if self.robust { "" } else { " fast" })
    }

    fn best(&self) -> &ModeRow {
        &self.modes[self.winner]
    }
}

impl PeerReport {
    pub(super) fn new(
        peer: &EmbreePeer,
        scene: &str,
        views: Vec<usize>,
        triangles: usize,
        tree: TreeFacts,
        request: &BenchRequest,
    ) -> Self {
        let is_made = request.columns.iter().all(|column| column.kind().is_some());
        Self {
            scene: scene.to_string(),
            triangles,
            workload: is_made.then_some(request.workload),
            size: request.size,
            views,
            tree,
            isa: Isa::preferred().name(),
            threads: rayon::current_num_threads(),
            version: peer.device.version(),
            config: peer.device.config().to_string(),
            native_packets: peer.device.native_packets(),
            builds: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Whether both sides did the same work.
    pub fn passes(&self) -> bool {
        self.rows.iter().all(PeerRow::passes)
    }

    fn header(&self) -> String {
        let rays = match self.workload {
            Some(workload) => {
                let views: Vec<String> = self.views.iter().map(usize::to_string).collect();
                let [width, height] = self.size;
                format!("workload {}, {width} x {height}, views {}", workload.name(), views.join(" "))
            }
            None => "rays of files".to_string(),
        };
        let threads = if self.threads == 1 { "1 thread" } else { &format!("{} threads", self.threads) };
        let scene = format!("{}: {} triangles; {rays}; {threads}", self.scene, grouped(self.triangles as u64));
        let TreeFacts { options, seconds, .. } = self.tree;
        let tree = self.tree.name();
        let ours = format!("raywarp: {}, tree {tree} with leaves of {} ({seconds:.2} s)", self.isa, options.max_leaf);
        let native = match self.native_packets {
            [true, true] => "packets of 8 and 16",
            [true, false] => "packets of 8, not of 16",
            [false, _] => "no packets of 8 or 16",
        };
        let mut builds: Vec<String> = Vec::new();
        for (options, seconds) in &self.builds {
            builds.push(format!("{} {} ({seconds:.2} s)", options.quality.name(), robustness(options.robust)));
        }
        let theirs = format!(
            "Embree {}: {}, has {native}; trees {} (robust ones without spatial splits)",
            self.version,
            self.config,
            builds.join(", ")
        );
        [scene, ours, theirs].map(|line| wrapped(&line) + "\n").concat()
    }
}

fn robustness(robust: bool) -> &'static str {
    if robust { "robust" } else { "fast" }
}

/// A scene's tables: both sides, and all modes of Embree.
pub fn text(report: &PeerReport, room: Room) -> String {
    let (mut text, mut hidden) = (report.header(), Hidden::default());
    let mut table = Table::new([
        TableColumn::left("Mrays/s"),
        TableColumn::right("raywarp"),
        TableColumn::right("Embree"),
        TableColumn::right("ratio"),
        TableColumn::right("least"),
        TableColumn::right("most"),
        TableColumn::right("differ"),
        TableColumn::left("best mode"),
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
            best.agreement.differ().to_string(),
            best.mode.to_string(),
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

/// All modes, kinds of rays across.
fn modes(report: &PeerReport) -> Table {
    let kinds: Vec<&PeerRow> = report.rows.iter().filter(|row| row.robust).collect();
    let name = TableColumn::left(format!("Embree, best of {HEATS} heats")).whole();
    let heads = kinds.iter().map(|row| TableColumn::right(row.column.name()));
    let mut table = Table::new(std::iter::once(name).chain(heads));
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

/// Ratios over all scenes, kind by kind; empty for one scene.
pub fn summary(reports: &[PeerReport]) -> String {
    let mut text = String::new();
    if reports.len() < 2 {
        return text;
    }
    for kind in totals(reports) {
        let Total { name, mean, least, count } = kind;
        let _ = writeln!(text, "{name}: {mean:.2} of Embree in the mean of {count} scenes, {least:.2} at least");
    }
    text
}

/// Ratios of a kind of rays over scenes.
struct Total {
    name: String,
    /// Geometric.
    mean: f64,
    least: f64,
    count: usize,
}

/// Each kind that was measured, and all together.
fn totals(reports: &[PeerReport]) -> Vec<Total> {
    let rows = || reports.iter().flat_map(|report| &report.rows);
    let mut names: Vec<String> = Vec::new();
    for row in rows() {
        let name = row.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let total = |name: String, ratios: &[f64]| {
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        Total { name, mean: geometric_mean(ratios), least, count: reports.len() }
    };
    let ratios = |is_meant: &dyn Fn(&PeerRow) -> bool| -> Vec<f64> {
        rows().filter(|row| is_meant(row)).map(|row| row.ratio.median).collect()
    };
    let mut totals: Vec<Total> =
        names.iter().map(|name| total(name.clone(), &ratios(&|row| row.name() == *name))).collect();
    for (robust, name) in [(true, "all"), (false, "all fast")] {
        let ratios = ratios(&|row| row.robust == robust);
        if !ratios.is_empty() {
            totals.push(total(name.to_string(), &ratios));
        }
    }
    totals
}

/// All reports as one document.
pub fn json(reports: &[PeerReport], machine: &MachineFacts, command: &str) -> Value {
    let total = |total: Total| value!({ "kind": total.name, "mean": total.mean, "least": total.least });
    value!({
        "command": command,
        "machine": machine.json(),
        "pass": reports.iter().all(PeerReport::passes),
        "scenes": reports.iter().map(scene).collect::<Vec<_>>(),
        "ratios": totals(reports).into_iter().map(total).collect::<Vec<_>>(),
    })
}

fn scene(report: &PeerReport) -> Value {
    let build = |(options, seconds): &(SceneOptions, f64)| value!({ "quality": options.quality.name(), "robust": options.robust, "seconds": seconds });
    value!({
        "scene": report.scene,
        "triangles": report.triangles,
        "workload": report.workload.map(Workload::name),
        "size": report.workload.map(|_| report.size),
        "views": report.views,
        "threads": report.threads,
        "raywarp": {
            "isa": report.isa,
            "tree": report.tree.name(),
            "max_leaf": report.tree.options.max_leaf,
            "build_seconds": report.tree.seconds,
        },
        "embree": {
            "version": report.version,
            "config": report.config,
            "native_packets_of_8": report.native_packets[0],
            "native_packets_of_16": report.native_packets[1],
            "builds": report.builds.iter().map(build).collect::<Vec<_>>(),
        },
        "rows": report.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn row(row: &PeerRow) -> Value {
    let mode = |mode: &ModeRow| {
        let Agreement { missed, apart, example, .. } = mode.agreement;
        value!({
            "mode": mode.mode.to_string(),
            "rays_a_call": mode.mode.width.lanes(),
            "coherent": mode.mode.coherent,
            "quality": mode.mode.scene.quality.name(),
            "robust": mode.mode.scene.robust,
            "mrays": row.rays as f64 / mode.seconds / 1e6,
            "hit_on_one_side_alone": missed,
            "hit_elsewhere": apart,
            "allowed": mode.agreement.allowed(),
            "pass": mode.agreement.passes(),
            "example": example.map(|example| example.to_string()),
        })
    };
    value!({
        "kind": row.column.rays.name(),
        "any": row.column.rays.is_any(),
        "robust": row.robust,
        "order": row.column.order_name(),
        "rays": row.rays,
        "rounds": row.rounds,
        "raywarp_mrays": rates(&row.ours, row.rays),
        "embree_mrays": rates(&row.theirs, row.rays),
        "ratio": { "median": row.ratio.median, "least": row.ratio.min, "most": row.ratio.max },
        "mode": row.best().mode.to_string(),
        "modes": row.modes.iter().map(mode).collect::<Vec<_>>(),
    })
}

fn rates(seconds: &Quartiles, rays: u64) -> Value {
    let rates = seconds.mega_rates(rays);
    value!({ "median": rates.median, "least": rates.min, "most": rates.max })
}
