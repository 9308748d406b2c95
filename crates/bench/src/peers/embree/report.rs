//! Report of the races on a scene.

use super::race::{Race, Time};
use super::{Agreement, EmbreeMode, EmbreePeer};
use crate::report::TreeFacts;
use crate::{BenchRequest, Quartiles, RayColumn, geometric_mean};
use raywarp_cpu::Isa;
use raywarp_embree::EmbreeOptions;
use raywarp_workload::rays::Workload;

/// Results of the comparison with Embree on a scene.
#[derive(Debug, Clone)]
pub struct PeerReport {
    /// Name of the scene.
    pub scene: String,
    /// Number of triangles whose area is not zero.
    pub triangles: usize,
    /// Workload that made the rays; `None` where they are read from files.
    pub workload: Option<Workload>,
    /// Width and height of a view in pixels; has no meaning where rays are read from files.
    pub size: [u32; 2],
    /// Numbers of the viewpoints that were measured.
    pub views: Vec<usize>,
    /// Options, build time and size of our tree.
    pub tree: TreeFacts,
    /// Instruction set of our tracer.
    pub isa: &'static str,
    /// Number of threads of both tracers.
    pub threads: usize,
    /// Version of the Embree library.
    pub version: String,
    /// Configuration text with which Embree's device was opened.
    pub config: String,
    /// `true` for 8 and for 16 rays if Embree has packet code of its own for them.
    pub native_packets: [bool; 2],
    /// Options of Embree's scenes, with the seconds that each took to build.
    pub builds: Vec<(EmbreeOptions, f64)>,
    /// Rows of the table: each column of the request with robust modes, with the others, or both.
    pub rows: Vec<PeerRow>,
}

/// Results for one kind of rays.
#[derive(Debug, Clone)]
pub struct PeerRow {
    /// Kind and order of the rays that were traced.
    pub column: RayColumn,
    /// `true` if the row is about Embree's robust modes.
    pub robust: bool,
    /// Number of rays that were traced.
    pub rays: u64,
    /// Wall-clock seconds of our tracer in each round.
    pub ours: Quartiles,
    /// Wall-clock seconds of Embree's best mode in each round.
    pub theirs: Quartiles,
    /// Our rate divided by Embree's, over the rounds: median, least and largest.
    pub ratio: Quartiles,
    /// Our rate divided by Embree's, by processor time; `None` where the system does not tell it.
    pub processor_ratio: Option<Quartiles>,
    /// Number of timed rounds.
    pub rounds: usize,
    /// Index in `modes` of Embree's best mode.
    pub winner: usize,
    /// Results of each of Embree's modes.
    pub modes: Vec<ModeRow>,
}

/// Result of one mode of Embree.
#[derive(Debug, Clone, Copy)]
pub struct ModeRow {
    /// Mode that was measured.
    pub mode: EmbreeMode,
    /// Least seconds of the mode's first runs: processor seconds of all threads where the system tells them.
    pub seconds: f64,
    /// Comparison of the mode's answers with ours.
    pub agreement: Agreement,
}

fn wall(times: &[Time]) -> Quartiles {
    Quartiles::of(&times.iter().map(|time| time.wall).collect::<Vec<_>>())
}

impl PeerRow {
    pub(super) fn new(
        column: RayColumn,
        robust: bool,
        rays: u64,
        race: &Race,
        found: Vec<(EmbreeMode, Agreement)>,
    ) -> Self {
        let modes = found.into_iter().zip(&race.heats);
        Self {
            column,
            robust,
            rays,
            ours: wall(&race.ours),
            theirs: wall(&race.theirs),
            ratio: race.ratio(),
            processor_ratio: race.processor_ratio(),
            rounds: race.ours.len(),
            winner: race.winner,
            modes: modes.map(|((mode, agreement), &seconds)| ModeRow { mode, seconds, agreement }).collect(),
        }
    }

    /// Returns `true` if Embree's answers agree with ours in every mode.
    pub fn passes(&self) -> bool {
        self.modes.iter().all(|mode| mode.agreement.passes())
    }

    /// Returns the name of the kind of rays in tables.
    pub fn name(&self) -> String {
        format!("{}{}", self.column.name(), if self.robust { "" } else { " fast" })
    }

    pub(super) fn best(&self) -> &ModeRow {
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

    /// Returns `true` if Embree's answers agree with ours for all rays.
    pub fn passes(&self) -> bool {
        self.rows.iter().all(PeerRow::passes)
    }
}

/// Ratios of our rate to Embree's for a kind of rays, over all scenes.
pub(super) struct Total {
    pub name: String,
    /// Geometric mean and least ratio, by wall-clock time.
    pub wall: [f64; 2],
    /// Geometric mean and least ratio by processor time; `None` where the system does not tell it.
    pub processor: Option<[f64; 2]>,
    pub count: usize,
}

/// Returns the ratios over all scenes for each kind of rays that was measured, and for all kinds together.
pub(super) fn totals(reports: &[PeerReport]) -> Vec<Total> {
    let rows = || reports.iter().flat_map(|report| &report.rows);
    let mut names: Vec<String> = Vec::new();
    for row in rows() {
        let name = row.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let both = |ratios: &[f64]| [geometric_mean(ratios), ratios.iter().copied().fold(f64::INFINITY, f64::min)];
    let total = |name: String, is_meant: &dyn Fn(&PeerRow) -> bool| {
        let meant: Vec<&PeerRow> = rows().filter(|row| is_meant(row)).collect();
        let wall: Vec<f64> = meant.iter().map(|row| row.ratio.median).collect();
        let processor: Option<Vec<f64>> =
            meant.iter().map(|row| row.processor_ratio.map(|ratio| ratio.median)).collect();
        Total { name, wall: both(&wall), processor: processor.map(|ratios| both(&ratios)), count: reports.len() }
    };
    let mut totals: Vec<Total> = names.iter().map(|name| total(name.clone(), &|row| row.name() == *name)).collect();
    for (robust, name) in [(true, "all"), (false, "all fast")] {
        if rows().any(|row| row.robust == robust) {
            totals.push(total(name.to_string(), &|row| row.robust == robust));
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::super::document;
    use super::super::race::tests::time;
    use super::*;
    use crate::{MachineFacts, RayOrder};
    use raywarp_bvh::presets;
    use raywarp_report::Room;
    use raywarp_workload::rays::RayKind;

    /// Returns a report of two kinds of rays, where `wrong` AO rays of one mode differ.
    fn report(scene: &str, fast: bool, wrong: u64) -> PeerReport {
        let race = Race {
            heats: vec![0.5, 0.25],
            winner: 1,
            ours: [0.2, 0.25, 0.2].map(time).to_vec(),
            theirs: [0.25, 0.25, 0.3].map(time).to_vec(),
        };
        let row = |kind, robust, missed| {
            let agreement = Agreement { rays: 1_000_000, missed, ..Agreement::default() };
            let modes = EmbreeMode::of(EmbreeMode::scenes(robust)[1]).zip([agreement, Agreement::default()]).collect();
            PeerRow::new(RayColumn::of(kind, RayOrder::Workload), robust, 1_000_000, &race, modes)
        };
        let mut rows = vec![row(RayKind::Primary, true, 0)];
        if fast {
            rows.push(row(RayKind::Primary, false, 0));
        }
        rows.push(row(RayKind::Ao, true, wrong));
        if fast {
            rows.push(row(RayKind::Ao, false, 0));
        }
        PeerReport {
            scene: scene.to_string(),
            triangles: 75_275,
            workload: Some(Workload::Raywarp),
            size: [1024, 768],
            views: vec![1, 2],
            tree: TreeFacts {
                options: presets::GOOD,
                builder: presets::GOOD.builder,
                seconds: 0.25,
                nodes: 9,
                hash: Default::default(),
            },
            isa: "avx2",
            threads: 1,
            version: "4.4.0".to_string(),
            config: "isa=avx2,threads=1".to_string(),
            native_packets: [true, false],
            builds: EmbreeMode::scenes(true).map(|scene| (scene, 0.5)).to_vec(),
            rows,
        }
    }

    #[test]
    fn a_table_has_both_sides_the_ratio_and_the_mode_and_fits_a_terminal() {
        let text = report("sibenik", true, 0).document().text(Room::TERMINAL);
        let expected = "\
sibenik: 75,275 triangles; workload raywarp, 1024 x 768, views 1 2; 1 thread
raywarp: avx2, tree good with leaves of 8 (0.25 s)
Embree 4.4.0: isa=avx2,threads=1, has packets of 8, not of 16; trees medium
robust (0.50 s), high robust (0.50 s) (robust ones without spatial splits)
";
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        for line in expected.lines() {
            assert!(text.contains(line), "{text}");
        }
        let cells = |name: &str| -> Vec<String> {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{text}"));
            line[name.len()..].split_whitespace().map(str::to_string).collect()
        };
        assert_eq!(cells("primary  ")[..9], ["5.00", "4.00", "1.25", "1.00", "1.50", "1.25", "0", "8,", "high"]);
        assert_eq!(cells("ao fast ")[..9], ["5.00", "4.00", "1.25", "1.00", "1.50", "1.25", "0", "8,", "high"]);
        assert_eq!(cells("single, high fast"), ["2.00", "2.00"]);
    }

    #[test]
    fn a_mode_that_found_something_else_is_wrong_though_it_is_not_the_best() {
        assert!(report("sibenik", false, 100).passes());
        let wrong = report("sibenik", false, 101);
        assert!(!wrong.passes());
        let text = wrong.document().text(Room::TERMINAL);
        assert!(text.contains("WRONG: single, high: of 1,000,000 rays 101 hit on one side alone"), "{text}");
        let document = document(&[wrong], &MachineFacts::default(), "raywarp bench").json();
        assert_eq!(document["pass"], false);
        assert_eq!(document["scenes"][0]["rows"][1]["modes"][0]["hit_on_one_side_alone"], 101);
    }

    #[test]
    fn ratios_of_several_scenes_have_a_mean_and_a_least() {
        let summary = |reports: &[PeerReport]| document(reports, &MachineFacts::default(), "").text(Room::Any);
        assert_eq!(summary(&[report("sibenik", false, 0)]), "");
        let mut slow = report("conference", false, 0);
        slow.rows[1].ratio.median = 0.8;
        let text = summary(&[report("sibenik", false, 0), slow]);
        assert_eq!(
            text,
            "primary: 1.25 of Embree in the mean of 2 scenes, 1.25 at least (cpu 1.25, 1.25)\n\
             ao: 1.00 of Embree in the mean of 2 scenes, 0.80 at least (cpu 1.25, 1.25)\n\
             all: 1.12 of Embree in the mean of 2 scenes, 0.80 at least (cpu 1.25, 1.25)\n"
        );
    }
}
