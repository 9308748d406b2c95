//! Table 1 of AL09, with a column for this machine.

use super::{PublishedRate, SCENES, fitting, rate, shown};
use crate::SceneReport;
use raywarp_papers::{SCENES_HERE, al09};
use raywarp_report::{Document, ReportTable, TableColumn};
use raywarp_workload::rays::{RayKind, Workload};

/// Returns the measured rates that AL09's table prints.
pub(super) fn published() -> Vec<PublishedRate> {
    let table = &al09().table_1;
    let mut rates = Vec::new();
    for (place, scene) in table.scenes.iter().enumerate().filter(|(_, scene)| SCENES_HERE.contains(&scene.as_str())) {
        for method in &table.method {
            for (kind, cells) in RayKind::ALL.into_iter().zip(method.kinds()) {
                rates.push(PublishedRate {
                    table: "AL09 Table 1",
                    machine: &table.machine,
                    scene,
                    kernel: &method.kernel,
                    kind,
                    mrays: cells.measured[place],
                });
            }
        }
    }
    rates
}

/// Adds AL09's table with a column for this machine, for those of its scenes that were measured.
pub(super) fn describe(reports: &[SceneReport], document: &mut Document) {
    let reports = fitting(reports, Workload::Al09, &["al09-while-while", "al09-persistent-while-while"]);
    let printed = &al09().table_1;
    let place = |report: &SceneReport| printed.scenes.iter().position(|scene| *scene == report.scene);
    let known: Vec<_> = reports.iter().filter_map(|report| Some((place(report)?, *report))).collect();
    for &(scene, report) in &known {
        let title = format!(
            "Table 1 of AL09, {}: their GTX 285 (SIMD efficiency in %, simulated and measured Mrays/s) and {} (here, and how many times as fast); {SCENES}",
            report.scene, report.target
        );
        document.line(title);
        let columns = [
            TableColumn::left("method"),
            TableColumn::left("rays"),
            TableColumn::right("eff.").rank(1),
            TableColumn::right("simulated").rank(1),
            TableColumn::right("measured"),
            TableColumn::right("here"),
            TableColumn::right("x"),
        ];
        let mut rows = Vec::new();
        for method in &printed.method {
            for (kind, cells) in RayKind::ALL.into_iter().zip(method.kinds()) {
                let name = if kind == RayKind::Primary { &method.name } else { "" };
                let efficiency = cells.efficiency.map(|scenes| scenes[scene]);
                let efficiency =
                    efficiency.map_or_else(|| "-".to_string(), |[traversal, test]| format!("{traversal}/{test}"));
                let (simulated, measured) = (cells.simulated[scene], cells.measured[scene]);
                let here = rate(report, &method.kernel, kind);
                let times = shown(here.map(|here| here / measured), 1);
                let numbers = [format!("{simulated:.1}"), format!("{measured:.1}"), shown(here, 1), times];
                rows.push([name, kind.name(), &efficiency].map(String::from).into_iter().chain(numbers).collect());
            }
        }
        document.table(ReportTable::of_words(columns, rows));
    }
    if !known.is_empty() {
        document.gap();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::measured;
    use super::*;

    #[test]
    fn every_method_is_a_kernel() {
        for method in &al09().table_1.method {
            assert!(raywarp_family::papers().iter().any(|paper| paper.name == method.kernel), "{}", method.kernel);
        }
    }

    #[test]
    fn this_machine_has_a_column_beside_the_papers() {
        let kernels: Vec<&str> = al09().table_1.method.iter().map(|method| method.kernel.as_str()).collect();
        let reports = [measured("sibenik", Workload::Al09, &kernels), measured("kitchen", Workload::Al09, &kernels)];
        let text = super::super::text(&reports);
        let line = text.lines().find(|line| line.starts_with("packet")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["packet", "primary", "-", "116.1", "67.8", "1000.0", "14.7"]);
        assert_eq!(
            text.lines().filter(|line| RayKind::ALL.iter().any(|kind| line.contains(kind.name()))).count(),
            7 * 3
        );
        assert!(text.contains("GPU X") && !text.contains("kitchen"));
    }
}
