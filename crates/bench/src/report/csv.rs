//! Reports as CSV: rows for spreadsheets.

use super::{Row, SceneReport, ViewTimes, builder_name};
use crate::{Check, Quartiles, RaySet};
use std::fmt::Write;

/// Column names of the CSV table.
const HEADER: &str = "scene,workload,kind,order,view,name,variant,tree,builder,reinsertion,max_leaf,block_threads,max_registers,rays,runs,mrays_median,\
    mrays_q1,mrays_q3,mrays_min,mrays_max,ms_median,sort_ms,hits,checked,differ,explained,stray,pass,registers,local_bytes,target,clock_mhz,clock_most_mhz,start_tail_ms,tree_nodes,query";

/// Returns all reports as CSV: for each subject, tree and column one line for all views together (`view` is `all`),
/// then one for each view.
pub fn csv(reports: &[SceneReport]) -> String {
    let mut text = format!("{HEADER}\n");
    for report in reports {
        for row in &report.rows {
            let sort: f64 = row.views.iter().map(|view| view.sort_seconds).sum();
            let all = Times { rays: row.rays(), seconds: row.seconds(), sort, start_and_tail: row.start_and_tail() };
            line(report, row, "all", &all, &row.check, &mut text);
            for view in &row.views {
                let ViewTimes { rays, seconds, sort_seconds: sort, check, start_and_tail, .. } = *view;
                let Some(number) = view.view.and_then(|index| report.views.get(index)) else { continue };
                let one = Times { rays, seconds, sort, start_and_tail };
                line(report, row, &number.to_string(), &one, &check, &mut text);
            }
        }
    }
    text
}

/// Times of a CSV row, in seconds.
struct Times {
    rays: u64,
    seconds: Quartiles,
    sort: f64,
    start_and_tail: Option<f64>,
}

fn line(report: &SceneReport, row: &Row, view: &str, times: &Times, check: &Check, text: &mut String) {
    let Times { rays, seconds, sort, start_and_tail } = *times;
    let column = &report.columns[row.column].column;
    let build = &report.trees[row.tree].options;
    let rates = seconds.mega_rates(rays);
    let resources = |get: fn(&crate::engine::Resources) -> u32| {
        row.resources.as_ref().map(|resources| get(resources).to_string()).unwrap_or_default()
    };
    let cells = [
        quoted(&report.scene),
        report.workload_name().to_string(),
        quoted(column.rays.name()),
        column.order_name().to_string(),
        view.to_string(),
        quoted(&row.subject.name()),
        quoted(&row.subject.to_string()),
        quoted(&report.trees[row.tree].name()),
        builder_name(report.trees[row.tree].builder).to_string(),
        build.reinsertion.to_string(),
        build.max_leaf.to_string(),
        bound(row.bounds.block_threads),
        bound(row.bounds.max_registers),
        rays.to_string(),
        report.runs[1].to_string(),
        format!("{:.3}", rates.median),
        format!("{:.3}", rates.q1),
        format!("{:.3}", rates.q3),
        format!("{:.3}", rates.min),
        format!("{:.3}", rates.max),
        format!("{:.6}", 1e3 * seconds.median),
        format!("{:.3}", 1e3 * sort),
        check.hits.to_string(),
        check.checked.to_string(),
        check.differ.to_string(),
        check.explained.to_string(),
        check.stray.to_string(),
        u8::from(check.passes()).to_string(),
        resources(|r| r.registers),
        resources(|r| r.local_bytes),
        quoted(&report.target),
        report.clocks.map(|clocks| clocks.mhz.to_string()).unwrap_or_default(),
        report.clocks.map(|clocks| clocks.most_mhz.to_string()).unwrap_or_default(),
        start_and_tail.map(|seconds| format!("{:.6}", 1e3 * seconds)).unwrap_or_default(),
        report.trees[row.tree].nodes.to_string(),
        query(&column.rays).to_string(),
    ];
    let _ = writeln!(text, "{}", cells.join(","));
}

/// Returns the name of the query in tables: closest hit or any hit.
pub(super) fn query(rays: &RaySet) -> &'static str {
    if rays.is_any() { "any" } else { "closest" }
}

/// Returns a launch bound as text; empty where it is as compiled.
fn bound(value: Option<u32>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Quotes a CSV cell that may hold a comma or a quotation mark (RFC 4180).
pub fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
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
        let columns = HEADER.split(',').count();
        assert_eq!(text.lines().count(), 1 + 2 * 3 * (1 + 2));
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

    #[test]
    fn quotation_marks_are_doubled() {
        assert_eq!(quoted("GPU \"X\""), "\"GPU \"\"X\"\"\"");
        assert_eq!(quoted("plain"), "plain");
    }
}
