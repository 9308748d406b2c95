//! A scene's table as text.

use super::{SceneReport, builder_name};
use crate::Subject;
use std::fmt::Write;

/// The table of a scene: a line a subject and tree, kinds of rays across, as in Table 1 of AL09.
pub fn text(report: &SceneReport) -> String {
    let mut text = String::new();
    header(report, &mut text);
    let lines = report.lines();
    let names: Vec<String> = lines
        .iter()
        .map(|&line| {
            let row = report.rows.iter().find(|row| row.line() == line);
            row.map(|row| report.line_name(row)).unwrap_or_default()
        })
        .collect();
    let width = names.iter().map(String::len).max().unwrap_or(0).max("Mrays/s".len());
    let registers = report.rows.iter().any(|row| row.resources.is_some());
    let _ = write!(text, "{:width$}", "Mrays/s");
    for total in &report.columns {
        let _ = write!(text, " {:>16}", total.column.name());
    }
    let _ = writeln!(
        text,
        " {:>9} {:>6} {:>6}{}",
        "checked",
        "differ",
        "stray",
        if registers { "  registers" } else { "" }
    );
    for (line, name) in lines.iter().zip(&names) {
        let _ = write!(text, "{name:width$}");
        let (mut checked, mut differ, mut stray, mut right) = (0, 0, 0, true);
        let mut taken: Vec<String> = Vec::new();
        let mut example = None;
        for column in 0..report.columns.len() {
            let Some(row) = report.row(*line, column) else {
                let _ = write!(text, " {:>16}", "-");
                continue;
            };
            let rates = row.mega_rates();
            let best = report.best(column).is_some_and(|best| std::ptr::eq(best, row)) && lines.len() > 1;
            let mark = if best { '*' } else { ' ' };
            let _ = write!(text, " {:>9}{mark}{:>5.1}%", rate(rates.median), row.seconds().spread_percent());
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
        let _ = write!(text, " {:>9} {differ:>6} {stray:>6}", short(checked));
        if registers && !taken.is_empty() {
            taken.dedup();
            let _ = write!(text, "  {}", taken.join("/"));
        }
        match example {
            _ if right => text.push('\n'),
            Some(example) => text.push_str(&format!("  WRONG ({example})\n")),
            None => text.push_str("  WRONG\n"),
        }
    }
    skipped(report, &mut text);
    text
}

/// What the signs of the table mean.
pub(super) const LEGEND: &str = "Mrays/s: total rays over the sum of the views' median times; %: spread of the middle \
    half of the runs; *: the best.\nchecked: rays compared with one lane of the CPU on the same tree and triangle test; \
    differ: hit or miss, or t by more than 1e-5,\nfew and each \
    within rounding of an edge where the row is right; stray: of all rays, those that hit something else than the CPU's \
    watertight tracer, or nothing.\n";

fn header(report: &SceneReport, text: &mut String) {
    let [width, height] = report.size;
    let views: Vec<String> = report.views.iter().map(usize::to_string).collect();
    let one = if report.one_launch { " in one launch" } else { "" };
    let [warmup, runs] = report.runs;
    let lanes = report.width.map(|width| format!(", warps of {width}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "{}: {} triangles; workload {}, {width} x {height}, view{} {}{one}; {}{lanes}; {runs} runs after {warmup}",
        report.scene,
        grouped(report.triangles as u64),
        report.workload.name(),
        if views.len() == 1 { "" } else { "s" },
        views.join(" "),
        report.target,
    );
    for (number, tree) in report.trees.iter().enumerate() {
        let options = &tree.options;
        let split = options.split_clipping.map(|share| format!(", split clipping {share}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "tree {}: {}, {} passes of reinsertion, leaves of at most {}, node cost {}{split}; {} nodes in {:.2} s; as {}",
            tree.name(),
            builder_name(options.builder),
            options.reinsertion,
            options.max_leaf,
            options.traversal_cost,
            grouped(tree.nodes as u64),
            tree.seconds,
            walked_as(report, number),
        );
    }
    let rays = report.columns.iter().map(|total| {
        let sort = if total.sort_seconds > 0.0 {
            format!(" (sorted on the CPU in {:.1} ms)", 1e3 * total.sort_seconds)
        } else {
            String::new()
        };
        format!("{} {}{sort}", grouped(total.rays), total.column.name())
    });
    let _ = writeln!(text, "rays: {}", rays.collect::<Vec<_>>().join(", "));
}

/// The encodings of a tree that were walked.
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

/// A rate with its first four digits or more.
pub(super) fn rate(mega_rays: f64) -> String {
    let decimals = match mega_rays {
        ..10.0 => 3,
        10.0..100.0 => 2,
        _ => 1,
    };
    format!("{mega_rays:.decimals$}")
}

/// A line for each reason, since many kernels share one.
fn skipped(report: &SceneReport, text: &mut String) {
    let mut reasons: Vec<&str> = report.skipped.iter().map(|(_, why)| why.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons {
        let names = report.skipped.iter().filter(|(_, why)| why == reason).map(|(subject, _)| subject.name());
        let _ = writeln!(text, "left out, {reason}: {}", names.collect::<Vec<_>>().join(", "));
    }
}

/// A number with its thousands apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A large count in few letters.
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
    fn a_table_has_a_line_a_subject_and_marks_the_best() {
        let report = sample("sibenik", &["al09-if-if", "ykl17"], &RayKind::ALL);
        let text = text(&report);
        assert!(text.starts_with(
            "sibenik: 75,284 triangles; workload raywarp, 1024 x 768, views 1 2; GPU \"X\"; 10 runs after 3\n"
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
        let text = text(&report);
        let line = text.lines().find(|line| line.starts_with("al09-if-if")).unwrap();
        assert!(
            line.ends_with("WRONG (primary, view 2, ray 12: a miss, not t = 0.5)")
                && line.contains(" 7 ")
                && !line.contains('*'),
            "{line}"
        );
        assert!(text.lines().any(|line| line.starts_with("ykl17") && line.contains('*')));
    }

    #[test]
    fn what_is_left_out_stands_below_by_reason() {
        let mut report = sample("sibenik", &["ykl17"], &[RayKind::Primary]);
        for name in ["al09-queue", "al09-packet"] {
            report.skipped.push((name.parse().unwrap(), "not among the compiled kernels".to_string()));
        }
        assert!(text(&report).ends_with("left out, not among the compiled kernels: al09-queue, al09-packet\n"));
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
