//! Report of the measurements on a scene, and the documents that say it.

mod document;
mod measurements;
mod scene;
mod summary;
mod tree;

pub use document::document;
pub use measurements::{CODE_BY_DRIVER, csv};
pub use scene::LEGEND;
pub use tree::TreeFacts;
pub(crate) use tree::builder_name;

use crate::engine::Resources;
use crate::{BenchRequest, Check, Clocks, DataHash, Quartiles, RayColumn, Subject, Target};
use raywarp_cuda::LaunchBounds;
use raywarp_geom::Kernels;
use raywarp_workload::rays::Workload;

/// Results of benchmarking a scene.
#[derive(Debug, Clone)]
pub struct SceneReport {
    /// Name of the scene.
    pub scene: String,
    /// Name of the GPU or CPU that was measured.
    pub target: String,
    /// Number of triangles whose area is not zero.
    pub triangles: usize,
    /// Workload that made the rays; has no meaning where they are read from files.
    pub workload: Workload,
    /// Width and height of a view in pixels; has no meaning where rays are read from files.
    pub size: [u32; 2],
    /// Numbers of the viewpoints that were measured.
    pub views: Vec<usize>,
    /// `true` if the rays of all views were traced in one launch.
    pub one_launch: bool,
    /// Kinds and orders of rays that were measured, one for each column of the tables.
    pub columns: Vec<ColumnTotal>,
    /// Subjects (kernels and tracers) that were to be measured, in the order of the tables.
    pub subjects: Vec<Subject>,
    /// Trees that were built, in the order of building.
    pub trees: Vec<TreeFacts>,
    /// Rows of results: one for each subject, tree and column.
    pub rows: Vec<Row>,
    /// Subjects that were not measured, with the reason of each.
    pub skipped: Vec<(Subject, String)>,
    /// Number of untimed first runs, and number of timed runs.
    pub runs: [u32; 2],
    /// Number of lanes of the emulated warps on a CPU; `None` on a GPU.
    pub width: Option<u32>,
    /// Clock rates of the GPU after the runs; `None` on a CPU, and where the driver's tool is missing.
    pub clocks: Option<Clocks>,
    /// Commit of the program; `None` where its builder did not say.
    pub commit: Option<String>,
    /// `true` if everything that was requested was measured.
    pub complete: bool,
}

/// Totals of a kind and order of rays over all views.
#[derive(Debug, Clone)]
pub struct ColumnTotal {
    /// Kind and order of the rays.
    pub column: RayColumn,
    /// Number of rays over all views.
    pub rays: u64,
    /// Seconds that sorting the rays took on this CPU; `None` if they were not sorted.
    pub sort_seconds: f64,
}

/// Results of a subject on one tree and one column of rays.
#[derive(Debug, Clone)]
pub struct Row {
    /// Kernel or tracer that traced the rays.
    pub subject: Subject,
    /// Launch bounds under which the subject's kernels ran.
    pub bounds: LaunchBounds,
    /// Index of the tree in the report's trees.
    pub tree: usize,
    /// Index of the column in the report's columns.
    pub column: usize,
    /// Times of each viewpoint, or of all in one launch.
    pub views: Vec<ViewTimes>,
    /// Comparison of the subject's hits with the reference tracers', over all views.
    pub check: Check,
    /// Names of the kernels that answered, with their numbers of rays, in one run of all views.
    pub kernels: Kernels,
    /// Resources that the kernel takes of a multiprocessor; `None` on a CPU.
    pub resources: Option<Resources>,
}

/// Times of a subject on the rays of one viewpoint.
#[derive(Debug, Clone, Copy)]
pub struct ViewTimes {
    /// Index of the viewpoint among those measured; `None` if all were in one launch.
    pub view: Option<usize>,
    /// Number of rays in a run.
    pub rays: u64,
    /// Seconds of the timed runs, as quartiles.
    pub seconds: Quartiles,
    /// Seconds that sorting the rays took; `None` if they were not sorted.
    pub sort_seconds: f64,
    /// Hash of the rays, in the order in which they were traced.
    pub rays_hash: DataHash,
    /// Comparison of the subject's hits with the reference tracers'.
    pub check: Check,
    /// Median seconds that two launches of half the rays take more than one of all: a launch's start and tail, when the
    /// GPU is not full. None where that was not asked for, or there are too few rays for halves.
    pub start_and_tail: Option<f64>,
}

/// A line of the tables: subject, index of its tree, and launch bounds.
type Line = (Subject, usize, LaunchBounds);

impl Row {
    fn line(&self) -> Line {
        (self.subject, self.tree, self.bounds)
    }

    /// Returns the number of rays over all views.
    pub fn rays(&self) -> u64 {
        self.views.iter().map(|view| view.rays).sum()
    }

    /// Returns the hash of the rays of all views together.
    pub fn rays_hash(&self) -> DataHash {
        DataHash::of_all(&self.views.iter().map(|view| view.rays_hash).collect::<Vec<_>>())
    }

    /// Returns the seconds of start and tail of all views' launches; `None` where one of them is not known.
    pub fn start_and_tail(&self) -> Option<f64> {
        self.views.iter().map(|view| view.start_and_tail).sum()
    }

    /// Returns the seconds that all views take together: the sums of the quartiles of each view's runs.
    pub fn seconds(&self) -> Quartiles {
        self.views.iter().fold(Quartiles::default(), |sum, view| sum.plus(&view.seconds))
    }

    /// Returns millions of rays a second over all views: total rays over total time.
    pub fn mega_rates(&self) -> Quartiles {
        self.seconds().mega_rates(self.rays())
    }
}

impl SceneReport {
    /// Makes a report of a request in which nothing is measured yet. `views` are the numbers of the viewpoints, as the
    /// user knows them.
    pub fn new(scene: &str, target: &Target, views: Vec<usize>, request: &BenchRequest) -> Self {
        let total = |column: &RayColumn| ColumnTotal { column: column.clone(), rays: 0, sort_seconds: 0.0 };
        Self {
            scene: scene.to_string(),
            target: target.name(),
            triangles: 0,
            workload: request.workload,
            size: request.size,
            views,
            one_launch: request.one_launch,
            columns: request.columns.iter().map(total).collect(),
            subjects: request.subjects.clone(),
            trees: Vec::new(),
            rows: Vec::new(),
            skipped: Vec::new(),
            runs: [request.warmup, request.runs.max(1)],
            width: (!target.is_gpu()).then_some(request.width),
            clocks: None,
            commit: None,
            complete: false,
        }
    }

    /// Returns `true` if the rays were read from files, and so have no workload, size or view.
    pub fn is_of_files(&self) -> bool {
        self.columns.iter().any(|total| total.column.kind().is_none())
    }

    /// Returns the name of the workload in tables, or the words for rays of files.
    pub(crate) fn workload_name(&self) -> &'static str {
        if self.is_of_files() { "file" } else { self.workload.name() }
    }

    /// Returns the millions of rays a second of a line over all its columns: number of rays over the sum of median
    /// times. `None` where some are missing or wrong.
    fn together(&self, line: Line) -> Option<f64> {
        let rows = (0..self.columns.len()).map(|column| self.row(line, column).filter(|row| row.check.passes()));
        let rows: Vec<&Row> = rows.collect::<Option<_>>()?;
        let seconds: f64 = rows.iter().map(|row| row.seconds().median).sum();
        let rays: u64 = rows.iter().map(|row| row.rays()).sum();
        Some(1e-6 * rays as f64 / seconds)
    }

    /// Returns `true` if the hits of all rows passed their checks.
    pub fn passes(&self) -> bool {
        self.rows.iter().all(|row| row.check.passes())
    }

    /// Returns the name of the table line that a row stands in: the subject's, with tree and leaf size where there are
    /// several, and launch bounds that are not the compiled ones.
    pub fn line_name(&self, row: &Row) -> String {
        let mut name = row.subject.name();
        let Some(own) = self.trees.get(row.tree) else { return name };
        let trees =
            self.rows.iter().filter(|other| other.subject == row.subject).filter_map(|r| self.trees.get(r.tree));
        let (mut builders, mut leaves) = (false, false);
        for tree in trees {
            builders |= tree.name() != own.name();
            leaves |= tree.options.max_leaf != own.options.max_leaf;
        }
        if builders {
            name += &format!(" {}", own.name());
        }
        if leaves {
            name += &format!(" leaf {}", own.options.max_leaf);
        }
        if !row.bounds.are_default() {
            name += &format!(" {}", row.bounds);
        }
        name
    }

    /// Returns the lines of the tables in order: all combinations of subject, tree and bounds that have rows.
    fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for row in &self.rows {
            if !lines.contains(&row.line()) {
                lines.push(row.line());
            }
        }
        // Subjects that share a tree were measured together.
        let place = |subject: &Subject| self.subjects.iter().position(|known| known == subject);
        lines.sort_by_key(|(subject, tree, _)| (place(subject), *tree));
        lines
    }

    fn row(&self, line: Line, column: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.line() == line && row.column == column)
    }

    /// Returns the fastest row of a column whose hits are right.
    pub fn best(&self, column: usize) -> Option<&Row> {
        let rate = |row: &&Row| row.mega_rates().median;
        let rows = self.rows.iter().filter(|row| row.column == column && row.check.passes());
        rows.max_by(|a, b| rate(a).total_cmp(&rate(b)))
    }

    /// Describes a wrong answer of a row whose check fails, with its kind of rays and view.
    pub(crate) fn example(&self, row: &Row) -> Option<String> {
        let fails = row.views.iter().find(|view| view.check.example.is_some())?;
        let view = fails.view.and_then(|view| self.views.get(view)).map(|view| format!(", view {view}"));
        let kind = self.columns[row.column].column.name();
        fails.check.example.map(|example| format!("{kind}{}, {example}", view.unwrap_or_default()))
    }

    /// Returns the rates of the subject measured last, as one line of text.
    pub(crate) fn progress(&self, columns: usize) -> String {
        let last = &self.rows[self.rows.len().saturating_sub(columns)..];
        let name = last.first().map(|row| self.line_name(row)).unwrap_or_default();
        let cells: Vec<String> = last
            .iter()
            .map(|row| {
                let wrong = if row.check.passes() { "" } else { " WRONG" };
                format!("{} {:.1}{wrong}", self.columns[row.column].column.name(), row.mega_rates().median)
            })
            .collect();
        format!("{}: {name}: {} Mrays/s", self.scene, cells.join(", "))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{CheckSize, RayOrder};
    use raywarp_bvh::{BuildOptions, presets};
    use raywarp_workload::rays::RayKind;

    /// Returns a report as if of a run on a GPU, where cell (subject, column) took 1, 2 and 4 times some milliseconds.
    pub fn sample(scene: &str, subjects: &[&str], kinds: &[RayKind]) -> SceneReport {
        let column = |&kind: &RayKind| RayColumn::of(kind, RayOrder::Workload);
        let request = BenchRequest {
            workload: Workload::Raywarp,
            rays_per_pixel: None,
            columns: kinds.iter().map(column).collect(),
            size: [1024, 768],
            one_launch: false,
            subjects: subjects.iter().map(|text| text.parse().unwrap()).collect(),
            instead: None,
            builds: vec![BuildOptions::default()],
            bounds: vec![LaunchBounds::default()],
            width: 32,
            warmup: 3,
            runs: 10,
            check: CheckSize::All,
            halves: false,
        };
        let mut report = SceneReport::new(scene, &Target::Cpu, vec![1, 2], &request);
        (report.target, report.width) = ("GPU \"X\"".to_string(), None);
        report.triangles = 75_284;
        report.trees.push(TreeFacts {
            options: BuildOptions::default(),
            builder: BuildOptions::default().builder,
            seconds: 0.5,
            nodes: 99,
            hash: DataHash::default(),
        });
        for (number, subject) in request.subjects.iter().enumerate() {
            for index in 0..kinds.len() {
                let unit = 1e-3 * (1 + index + number) as f64;
                let seconds = Quartiles::of(&[unit, 2.0 * unit, 4.0 * unit]);
                let check = Check {
                    checked: 1000,
                    differ: 0,
                    explained: 0,
                    rays: 2_000_000,
                    hits: 1_500_000,
                    stray: 3,
                    example: None,
                };
                let view = |view| ViewTimes {
                    view: Some(view),
                    rays: 2_000_000,
                    seconds,
                    sort_seconds: 0.0,
                    rays_hash: DataHash::of_all(&[]),
                    check,
                    start_and_tail: Some(1e-5),
                };
                let mut total = check;
                total += check;
                report.rows.push(Row {
                    subject: *subject,
                    bounds: LaunchBounds::default(),
                    tree: 0,
                    column: index,
                    views: vec![view(0), view(1)],
                    check: total,
                    kernels: Kernels::default(),
                    resources: Some(Resources { registers: 40 + index as u32, local_bytes: 512, code: None }),
                });
            }
        }
        report.complete = true;
        report
    }

    #[test]
    fn the_fastest_row_is_a_right_one() {
        let mut report = sample("sibenik", &["al09-if-if", "al09-while-while"], &RayKind::ALL);
        let best = |report: &SceneReport| report.best(2).unwrap().subject.name();
        assert_eq!(best(&report), "al09-if-if");
        report.rows[2].check.differ = 1;
        assert_eq!(best(&report), "al09-while-while");
        assert!(!report.passes());
    }

    #[test]
    fn several_trees_and_leaf_sizes_show_in_the_name() {
        let mut report = sample("sibenik", &["al09-if-if", "al09-if-if"], &[RayKind::Ao]);
        assert_eq!(report.line_name(&report.rows[0]), "al09-if-if");
        report.trees.push(TreeFacts { options: BuildOptions { max_leaf: 2, ..Default::default() }, ..report.trees[0] });
        report.rows[1].tree = 1;
        assert_eq!(report.line_name(&report.rows[0]), "al09-if-if leaf 8");
        assert_eq!(report.line_name(&report.rows[1]), "al09-if-if leaf 2");
        report.trees[1].options = presets::BEST;
        assert_eq!(report.line_name(&report.rows[0]), "al09-if-if balanced");
        assert_eq!(report.line_name(&report.rows[1]), "al09-if-if best");
        report.trees[1].options = BuildOptions { reinsertion: 2, max_leaf: 4, ..presets::BEST };
        assert_eq!(report.line_name(&report.rows[1]), "al09-if-if sbvh+2 leaf 4");
        report.rows[1].bounds = LaunchBounds { block_threads: Some(64), max_registers: Some(32) };
        assert_eq!(report.line_name(&report.rows[1]), "al09-if-if sbvh+2 leaf 4 64 threads, 32 registers");
        assert_eq!(report.lines().len(), 2);
    }
}
