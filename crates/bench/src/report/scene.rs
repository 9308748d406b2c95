//! The report of a scene: a table with a line for each subject and tree, and figures for programs.

use super::measurements::{self, query};
use super::{ColumnTotal, Line, Row, SceneReport, TreeFacts, builder_name};
use crate::Subject;
use raywarp_report::{Column, Document, Sheet, TableColumn, Value};
use raywarp_scene::grouped;
use serde_json::{Value as Json, json};

/// Text that explains the signs of the tables.
pub const LEGEND: &str = "\
Mrays/s: total rays over the sum of the views' median times. *: the best.
spread: of the middle half of the runs. checked: rays compared with one lane of
the CPU on the same tree and triangle test. differ: hit or miss, or t by more
than 1e-5; few and each within rounding of an edge where the row is right.
stray: of all rays, those that hit something else than the CPU's watertight
tracer, or nothing. registers: of the kernel for each kind of rays.
";

impl SceneReport {
    /// Returns the report as a document. As text it is a line for each subject and tree, with kinds of rays as columns,
    /// as in Table 1 of AL09; [`LEGEND`] says what it means.
    pub fn document(&self) -> Document {
        let mut document = Document::new(self.scene.clone());
        self.describe(&mut document);
        document
    }

    /// Adds the report to a document.
    pub(super) fn describe(&self, document: &mut Document) {
        document.line(self.heading());
        document.lines(self.trees.iter().enumerate().map(|(number, tree)| self.tree_line(number, tree)));
        document.line(format!("rays: {}", self.columns.iter().map(rays).collect::<Vec<_>>().join(", ")));
        document.gap();
        document.fields(json!({
            "scene": self.scene,
            "target": self.target,
            "triangles": self.triangles,
            "workload": self.workload_name(),
            "size": (!self.is_of_files()).then_some(self.size),
            "views": self.views,
            "one_launch": self.one_launch,
            "warmup": self.runs[0],
            "runs": self.runs[1],
            "width": self.width,
            "clock_mhz": self.clocks.map(|clocks| clocks.mhz),
            "clock_most_mhz": self.clocks.map(|clocks| clocks.most_mhz),
            "complete": self.complete,
            "columns": self.columns.iter().map(column_json).collect::<Json>(),
            "trees": self.trees.iter().map(tree_json).collect::<Json>(),
        }));
        document.table(measurements::rows(self).key("rows"));
        let lines: Vec<LineRows> = self.lines().into_iter().map(|line| LineRows::of(self, line)).collect();
        let table = self.sheet(lines.len() > 1).table(&lines).in_text_untitled();
        match self.is_of_files() {
            true => document.table(table.key("together")),
            false => {
                document.table(table);
                document.data("together", Json::Null);
            }
        }
        self.describe_skipped(document);
    }

    fn heading(&self) -> String {
        let [width, height] = self.size;
        let views: Vec<String> = self.views.iter().map(usize::to_string).collect();
        let one = if self.one_launch { " in one launch" } else { "" };
        let [warmup, runs] = self.runs;
        let lanes = self.width.map(|width| format!(", warps of {width}")).unwrap_or_default();
        let rays = match (self.is_of_files(), self.columns.len()) {
            (true, 1) => "rays of a file".to_string(),
            (true, count) => format!("rays of {count} files"),
            (false, _) => format!(
                "workload {}, {width} x {height}, view{} {}{one}",
                self.workload.name(),
                if views.len() == 1 { "" } else { "s" },
                views.join(" "),
            ),
        };
        format!(
            "{}: {} triangles; {rays}; {}{lanes}; {runs} runs after {warmup}",
            self.scene,
            grouped(self.triangles as u64),
            self.target,
        )
    }

    fn tree_line(&self, number: usize, tree: &TreeFacts) -> String {
        let options = &tree.options;
        let split = options.split_clipping.map(|share| format!(", split clipping {share}")).unwrap_or_default();
        format!(
            "tree {}: {}, {} passes of reinsertion, leaves of at most {}, node cost {}{split}; {} nodes in {:.2} s; as {}",
            tree.name(),
            builder_name(tree.builder),
            options.reinsertion,
            options.max_leaf,
            options.traversal_cost,
            grouped(tree.nodes as u64),
            tree.seconds,
            self.walked_as(number),
        )
    }

    /// Returns the names of the encodings in which kernels walked a tree.
    fn walked_as(&self, tree: usize) -> String {
        let mut kinds: Vec<&str> = Vec::new();
        // A peer's tree is its driver's.
        for row in self.rows.iter().filter(|row| row.tree == tree && !row.subject.has_own_tree()) {
            let kind = match &row.subject {
                Subject::Kernel(variant) => variant.tree().name(),
                Subject::CpuTracer | Subject::VulkanRt => "the CPU tracer's",
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.is_empty() { "nothing".to_string() } else { kinds.join(", ") }
    }

    /// Returns the columns of the table; of `several` lines the best of each kind of rays is marked.
    fn sheet(&self, several: bool) -> Sheet<'_, LineRows<'_>> {
        let mut columns = vec![
            Column::words(LineRows::name).text(TableColumn::left("Mrays/s")),
            Column::words(|line: &LineRows| line.line.0.name()).key("name"),
            Column::words(|line: &LineRows| line.line.0.to_string()).key("variant"),
            Column::data(|line: &LineRows| line.line.1).key("tree"),
            Column::data(|line: &LineRows| line.line.2.block_threads).key("block_threads"),
            Column::data(|line: &LineRows| line.line.2.max_registers).key("max_registers"),
        ];
        for (place, total) in self.columns.iter().enumerate() {
            let shown = move |line: &LineRows| match line.rows[place] {
                Some(row) => Value::words(line.marked_rate(row, several)),
                None => Value::Nothing("-"),
            };
            let spread = move |line: &LineRows| match line.rows[place] {
                Some(row) => Value::words(format!("{:.1}%", row.seconds().spread_percent())),
                None => Value::Nothing(""),
            };
            columns.push(Column::plain(shown).text(TableColumn::right(total.column.name())));
            columns.push(Column::plain(spread).text(TableColumn::right("spread").rank(1)));
        }
        let together = |line: &LineRows| match line.report.together(line.line) {
            Some(mrays) => Value::said(rate(mrays), mrays),
            None => Value::Nothing("-"),
        };
        let together = Column::plain(together).key("mrays");
        // The rate that a path tracer's stands beside, whose rays these are.
        columns.push(if self.is_summed() { together.text(TableColumn::right("together")) } else { together });
        columns.extend([
            Column::words(|line: &LineRows| short(line.checked)).text(TableColumn::right("checked").rank(3)),
            Column::count(|line: &LineRows| line.differ).text(TableColumn::right("differ").rank(2)),
            Column::count(|line: &LineRows| line.stray).text(TableColumn::right("stray").rank(2)),
            Column::words(LineRows::registers).text(TableColumn::left("registers").rank(1)),
            Column::words(LineRows::wrong).remark(),
        ]);
        Sheet(columns)
    }

    /// Returns `true` if lines have a rate over all files together.
    fn is_summed(&self) -> bool {
        self.is_of_files() && self.columns.len() > 1
    }

    /// Adds the subjects that were left out, in text one line for each reason.
    fn describe_skipped(&self, document: &mut Document) {
        let skipped = self.skipped.iter().map(|(subject, why)| json!({ "variant": subject.to_string(), "why": why }));
        document.data("skipped", skipped.collect::<Json>());
        let mut reasons: Vec<&str> = self.skipped.iter().map(|(_, why)| why.as_str()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        for reason in reasons {
            let names = self.skipped.iter().filter(|(_, why)| why == reason).map(|(subject, _)| subject.name());
            document.line(format!("left out, {reason}: {}", names.collect::<Vec<_>>().join(", ")));
        }
    }
}

/// A line of the table: the row for each column of rays, where there is one, and sums over them.
struct LineRows<'a> {
    report: &'a SceneReport,
    line: Line,
    rows: Vec<Option<&'a Row>>,
    checked: u64,
    differ: u64,
    stray: u64,
}

impl<'a> LineRows<'a> {
    fn of(report: &'a SceneReport, line: Line) -> Self {
        let rows: Vec<Option<&Row>> = (0..report.columns.len()).map(|column| report.row(line, column)).collect();
        let sum = |of: fn(&crate::Check) -> u64| rows.iter().flatten().map(|row| of(&row.check)).sum();
        let (checked, differ, stray) = (sum(|of| of.checked), sum(|of| of.differ), sum(|of| of.stray));
        Self { report, line, rows, checked, differ, stray }
    }

    fn name(&self) -> String {
        self.rows.iter().flatten().next().map(|row| self.report.line_name(row)).unwrap_or_default()
    }

    fn marked_rate(&self, row: &Row, several: bool) -> String {
        let is_best = several && self.report.best(row.column).is_some_and(|best| std::ptr::eq(best, row));
        format!("{}{}", rate(row.mega_rates().median), if is_best { '*' } else { ' ' })
    }

    fn registers(&self) -> String {
        let resources = self.rows.iter().flatten().filter_map(|row| row.resources);
        let mut taken: Vec<String> = resources.map(|resources| resources.registers.to_string()).collect();
        if self.report.is_summed() {
            taken.sort_unstable();
        }
        taken.dedup();
        taken.join("/")
    }

    /// Describes what is wrong with the line's hits; empty if nothing is.
    fn wrong(&self) -> String {
        let mut wrong = self.rows.iter().flatten().filter(|row| !row.check.passes()).peekable();
        if wrong.peek().is_none() {
            return String::new();
        }
        let (checked, differ, stray) = (short(self.checked), self.differ, self.stray);
        match wrong.find_map(|row| self.report.example(row)) {
            Some(example) => format!("WRONG ({example}): {differ} of {checked} checked rays differ"),
            None => format!("WRONG: {differ} of {checked} checked rays differ, {stray} stray"),
        }
    }
}

/// Returns the number of rays of a column, and how long sorting them took, for people.
fn rays(total: &ColumnTotal) -> String {
    let sort = match total.sort_seconds {
        seconds if seconds > 0.0 => format!(" (sorted on the CPU in {:.1} ms)", 1e3 * seconds),
        _ => String::new(),
    };
    format!("{} {}{sort}", grouped(total.rays), total.column.name())
}

fn column_json(total: &ColumnTotal) -> Json {
    json!({
        "kind": total.column.rays.name(),
        "query": query(&total.column.rays),
        "order": total.column.order_name(),
        "rays": total.rays,
        "sort_seconds": total.sort_seconds,
    })
}

fn tree_json(tree: &TreeFacts) -> Json {
    json!({
        "name": tree.name(),
        "builder": builder_name(tree.builder),
        "reinsertion": tree.options.reinsertion,
        "max_leaf": tree.options.max_leaf,
        "traversal_cost": tree.options.traversal_cost,
        "split_clipping": tree.options.split_clipping,
        "nodes": tree.nodes,
        "hash": tree.hash.to_string(),
        "seconds": tree.seconds,
    })
}

/// Returns a rate as text, with at least its first four digits.
pub(super) fn rate(mega_rays: f64) -> String {
    let decimals = match mega_rays {
        ..10.0 => 3,
        10.0..100.0 => 2,
        _ => 1,
    };
    format!("{mega_rays:.decimals$}")
}

/// Returns a large count as a short text.
fn short(number: u64) -> String {
    match number {
        0..100_000 => number.to_string(),
        100_000..10_000_000 => format!("{} K", number / 1000),
        _ => format!("{} M", number / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use raywarp_report::Room;
    use raywarp_workload::rays::RayKind;

    #[test]
    fn a_table_has_a_line_per_subject_and_marks_the_best() {
        let report = sample("sibenik", &["al09-if-if", "ykl17"], &RayKind::ALL);
        let text = report.document().text(Room::Any);
        assert!(text.starts_with(
            "sibenik: 75,284 triangles; workload raywarp, 1024 x 768, views 1 2; GPU \"X\"; 10\nruns after 3\n"
        ));
        // 4 million rays in twice 2 ms; quartiles 1.5 and 3 units.
        let line = text.lines().find(|line| line.starts_with("al09-if-if")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(
            words,
            ["al09-if-if", "1000.0*", "75.0%", "500.0*", "75.0%", "333.3*", "75.0%", "6000", "0", "18", "40/41/42"]
        );
        assert!(!text.contains("WRONG"));
    }

    #[test]
    fn a_wrong_line_says_so_and_is_never_the_best() {
        let mut report = sample("sibenik", &["al09-if-if", "ykl17"], &[RayKind::Primary]);
        report.rows[0].check.differ = 7;
        report.rows[0].views[1].check.example = Some(crate::check::Example { ray: 12, got: f32::INFINITY, want: 0.5 });
        let text = report.document().text(Room::Any);
        let lines: Vec<&str> = text.lines().collect();
        let line = lines.iter().position(|line| line.starts_with("al09-if-if")).unwrap();
        assert!(lines[line].contains(" 7 ") && !lines[line].contains('*'), "{text}");
        assert_eq!(lines[line + 1], "    WRONG (primary, view 2, ray 12: a miss, not t = 0.5): 7 of 2000 checked rays");
        assert!(text.lines().any(|line| line.starts_with("ykl17") && line.contains('*')));
    }

    #[test]
    fn what_is_left_out_stands_below_by_reason() {
        let mut report = sample("sibenik", &["ykl17"], &[RayKind::Primary]);
        for name in ["al09-queue", "al09-packet"] {
            report.skipped.push((name.parse().unwrap(), "not among the compiled kernels".to_string()));
        }
        assert!(
            report
                .document()
                .text(Room::Any)
                .contains("\nleft out, not among the compiled kernels: al09-queue, al09-packet\n")
        );
    }

    #[test]
    fn a_terminal_has_room_for_what_matters() {
        let report = sample("sibenik", &["al09-persistent-spec-while-while", "ykl17"], &RayKind::ALL);
        let text = report.document().text(Room::TERMINAL);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        for wanted in [
            "1000.0*",
            "500.0*",
            "333.3*",
            "\n4 more columns with `Room::Any`: checked, differ, ",
            "AL09: Aila and Laine 2009; YKL17: ",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
