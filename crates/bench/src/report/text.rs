//! Table of a scene's report, as text.

use super::{SceneReport, builder_name};
use crate::Subject;
use crate::table::{Hidden, Room, TableColumn, TextTable, wrapped};
use raywarp_scene::grouped;
use std::fmt::Write;

/// Returns the table of a scene as text: a line for each subject and tree, with kinds of rays as columns, as in Table 1
/// of AL09. [`LEGEND`] says what it means.
pub fn text(report: &SceneReport, room: Room) -> String {
    let mut text = String::new();
    header(report, &mut text);
    let lines = report.lines();
    let mut columns = vec![TableColumn::left("Mrays/s")];
    for total in &report.columns {
        columns.push(TableColumn::right(total.column.name()));
        columns.push(TableColumn::right("spread").rank(1));
    }
    // The rate that a path tracer's stands beside, whose rays these are.
    let is_summed = report.is_of_files() && report.columns.len() > 1;
    if is_summed {
        columns.push(TableColumn::right("together"));
    }
    columns.push(TableColumn::right("checked").rank(3));
    columns.push(TableColumn::right("differ").rank(2));
    columns.push(TableColumn::right("stray").rank(2));
    columns.push(TableColumn::left("registers").rank(1));
    let mut table = TextTable::new(columns);
    for &line in &lines {
        let (mut checked, mut differ, mut stray, mut right) = (0, 0, 0, true);
        let mut taken: Vec<String> = Vec::new();
        let mut example = None;
        let mut cells = vec![String::new()];
        for column in 0..report.columns.len() {
            let Some(row) = report.row(line, column) else {
                cells.extend(["-".into(), String::new()]);
                continue;
            };
            cells[0] = report.line_name(row);
            let rates = row.mega_rates();
            let best = report.best(column).is_some_and(|best| std::ptr::eq(best, row)) && lines.len() > 1;
            let mark = if best { '*' } else { ' ' };
            cells.push(format!("{}{mark}", rate(rates.median)));
            cells.push(format!("{:.1}%", row.seconds().spread_percent()));
            let check = &row.check;
            checked += check.checked;
            differ += check.differ;
            stray += check.stray;
            if !check.passes() {
                right = false;
                example = example.or_else(|| report.example(row));
            }
            taken.extend(row.resources.map(|resources| resources.registers.to_string()));
        }
        if is_summed {
            cells.push(report.together(line).map_or("-".into(), rate));
            taken.sort_unstable();
        }
        taken.dedup();
        cells.extend([short(checked), differ.to_string(), stray.to_string(), taken.join("/")]);
        table.row(cells);
        match example {
            _ if right => {}
            Some(example) => {
                table.remark(format!("WRONG ({example}): {differ} of {} checked rays differ", short(checked)));
            }
            None => table.remark(format!("WRONG: {differ} of {} checked rays differ, {stray} stray", short(checked))),
        }
    }
    let mut hidden = Hidden::default();
    table.write(&mut text, room, &mut hidden);
    skipped(report, &mut text);
    hidden.finish(&mut text);
    text
}

/// Text that explains the signs of the tables.
pub const LEGEND: &str = "\
Mrays/s: total rays over the sum of the views' median times. *: the best.
spread: of the middle half of the runs. checked: rays compared with one lane of
the CPU on the same tree and triangle test. differ: hit or miss, or t by more
than 1e-5; few and each within rounding of an edge where the row is right.
stray: of all rays, those that hit something else than the CPU's watertight
tracer, or nothing. registers: of the kernel for each kind of rays.
";

fn header(report: &SceneReport, text: &mut String) {
    let [width, height] = report.size;
    let views: Vec<String> = report.views.iter().map(usize::to_string).collect();
    let one = if report.one_launch { " in one launch" } else { "" };
    let [warmup, runs] = report.runs;
    let lanes = report.width.map(|width| format!(", warps of {width}")).unwrap_or_default();
    let rays = match (report.is_of_files(), report.columns.len()) {
        (true, 1) => "rays of a file".to_string(),
        (true, count) => format!("rays of {count} files"),
        (false, _) => format!(
            "workload {}, {width} x {height}, view{} {}{one}",
            report.workload.name(),
            if views.len() == 1 { "" } else { "s" },
            views.join(" "),
        ),
    };
    let line = format!(
        "{}: {} triangles; {rays}; {}{lanes}; {runs} runs after {warmup}",
        report.scene,
        grouped(report.triangles as u64),
        report.target,
    );
    let _ = writeln!(text, "{}", wrapped(&line));
    for (number, tree) in report.trees.iter().enumerate() {
        let options = &tree.options;
        let split = options.split_clipping.map(|share| format!(", split clipping {share}")).unwrap_or_default();
        let line = format!(
            "tree {}: {}, {} passes of reinsertion, leaves of at most {}, node cost {}{split}; {} nodes in {:.2} s; as {}",
            tree.name(),
            builder_name(tree.builder),
            options.reinsertion,
            options.max_leaf,
            options.traversal_cost,
            grouped(tree.nodes as u64),
            tree.seconds,
            walked_as(report, number),
        );
        let _ = writeln!(text, "{}", wrapped(&line));
    }
    let rays = report.columns.iter().map(|total| {
        let sort = if total.sort_seconds > 0.0 {
            format!(" (sorted on the CPU in {:.1} ms)", 1e3 * total.sort_seconds)
        } else {
            String::new()
        };
        format!("{} {}{sort}", grouped(total.rays), total.column.name())
    });
    let line = format!("rays: {}", rays.collect::<Vec<_>>().join(", "));
    let _ = writeln!(text, "{}\n", wrapped(&line));
}

/// Returns the names of the encodings in which kernels walked a tree.
fn walked_as(report: &SceneReport, tree: usize) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    // A peer's tree is its driver's.
    for row in report.rows.iter().filter(|row| row.tree == tree && !row.subject.has_own_tree()) {
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

/// Returns a rate as text, with at least its first four digits.
pub(super) fn rate(mega_rays: f64) -> String {
    let decimals = match mega_rays {
        ..10.0 => 3,
        10.0..100.0 => 2,
        _ => 1,
    };
    format!("{mega_rays:.decimals$}")
}

/// Writes the subjects that were left out, one line for each reason.
fn skipped(report: &SceneReport, text: &mut String) {
    let mut reasons: Vec<&str> = report.skipped.iter().map(|(_, why)| why.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons {
        let names = report.skipped.iter().filter(|(_, why)| why == reason).map(|(subject, _)| subject.name());
        let line = format!("left out, {reason}: {}", names.collect::<Vec<_>>().join(", "));
        let _ = writeln!(text, "{}", wrapped(&line));
    }
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
    use raywarp_workload::rays::RayKind;

    #[test]
    fn a_table_has_a_line_per_subject_and_marks_the_best() {
        let report = sample("sibenik", &["al09-if-if", "ykl17"], &RayKind::ALL);
        let text = text(&report, Room::Any);
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
        let text = text(&report, Room::Any);
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
            text(&report, Room::Any).contains("\nleft out, not among the compiled kernels: al09-queue, al09-packet\n")
        );
    }

    #[test]
    fn a_terminal_has_room_for_what_matters() {
        let report = sample("sibenik", &["al09-persistent-spec-while-while", "ykl17"], &RayKind::ALL);
        let text = text(&report, Room::Terminal);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        for wanted in [
            "1000.0*",
            "500.0*",
            "333.3*",
            "\n4 more columns with --wide: checked, differ, ",
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
