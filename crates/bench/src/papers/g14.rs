//! Table 2 of G14, with columns for this machine.

use super::{PublishedRate, SCENES, fitting, gains, percent, rate, shown};
use crate::SceneReport;
use raywarp_papers::{ImprovedScene, Improvement, SCENES_HERE, g14};
use raywarp_report::{Document, ReportTable, TableColumn};
use raywarp_workload::rays::{RayKind, Workload};

const BASE: &str = "alk12-kepler";
const IMPROVED: &str = "g14";

/// Improvements of G14's Table 2: each alone, in pairs and together.
const CHANGES: [(&str, &str); 8] = [
    ("4-ary", "g14-wide4"),
    ("unrolled", "g14-unroll"),
    ("unsorted", "alk12-kepler?occlusion=unsorted"),
    ("4-ary, unrolled", "g14-wide4?unroll=2"),
    ("4-ary, unsorted", "g14-wide4-unsorted"),
    ("unrolled, unsorted", "g14-unroll?occlusion=unsorted"),
    ("4-ary, unrolled, unsorted: Table 2", IMPROVED),
    ("4-ary with five comparators", "g14-wide4-merge"),
];

/// Returns the measured rates that G14's Table 2 prints.
pub(super) fn published() -> Vec<PublishedRate> {
    let printed = &g14().table_2;
    let mut rates = Vec::new();
    for scene in printed.scene.iter().filter(|scene| SCENES_HERE.contains(&scene.name.as_str())) {
        for (kind, Improvement { alk12, improved }) in RayKind::ALL.into_iter().zip(scene.kinds()) {
            for (kernel, cells) in [(BASE, alk12), (IMPROVED, improved)] {
                for (machine, mrays) in printed.machines.iter().zip(cells) {
                    rates.push(PublishedRate {
                        table: "G14 Table 2",
                        machine,
                        scene: &scene.name,
                        kernel,
                        kind,
                        mrays,
                    });
                }
            }
        }
    }
    rates
}

/// Adds G14's table with columns for this machine, then the gain of each improvement here.
pub(super) fn describe(reports: &[SceneReport], document: &mut Document) {
    let reports = fitting(reports, Workload::G14, &[BASE, IMPROVED]);
    let Some(first) = reports.first() else { return };
    if reports.iter().any(|report| known(report).is_some()) {
        let title = format!(
            "Table 2 of G14, Mrays/s of the kernel of ALK12 and of the improved one (new), on GTX 480, 680, Titan, and here: {}; {SCENES}",
            first.target
        );
        document.line(title);
        // In a narrow terminal the newest.
        let machines = [("480", 3), ("680", 2), ("Titan", 1), ("here", 0)];
        let mut columns = vec![TableColumn::left("scene"), TableColumn::left("rays")];
        for (name, rank) in machines {
            columns.push(TableColumn::right(name).rank(rank));
            columns.push(TableColumn::right(format!("{name} new")).rank(rank));
            columns.push(TableColumn::right("gain").rank(rank));
        }
        let mut rows = Vec::new();
        for report in &reports {
            let Some(kinds) = known(report) else { continue };
            for (kind, Improvement { alk12: before, improved: after }) in RayKind::ALL.into_iter().zip(kinds) {
                let mut cells = vec![report.scene.clone(), kind.name().to_string()];
                let here = [BASE, IMPROVED].map(|kernel| rate(report, kernel, kind));
                let theirs = before.iter().zip(after).map(|(before, after)| [Some(*before), Some(after)]);
                for [before, after] in theirs.chain([here]) {
                    let gain = after.zip(before).map(|(after, before)| after / before);
                    cells.extend([shown(before, 1), shown(after, 1), percent(gain)]);
                }
                rows.push(cells);
            }
        }
        document.table(ReportTable::of_words(columns, rows));
        document.gap();
    }
    let scenes: Vec<&str> = reports.iter().map(|report| report.scene.as_str()).collect();
    let title = format!(
        "Each improvement of G14 on {} against the kernel of ALK12, primary / AO / diffuse rays, mean over {}:",
        first.target,
        scenes.join(", ")
    );
    document.line(title);
    for (name, kernel) in CHANGES {
        document.whole(format!("  {name:36} {}", gains(&reports, kernel, BASE)));
    }
    document.line(&g14().improvements.said);
    document.gap();
}

fn known(report: &SceneReport) -> Option<[Improvement; 3]> {
    g14().table_2.scene.iter().find(|scene| scene.name == report.scene).map(ImprovedScene::kinds)
}

#[cfg(test)]
mod tests {
    use super::super::tests::measured;
    use super::*;

    #[test]
    fn every_improvement_is_in_the_suite() {
        let suite = crate::suite::named("guthe").unwrap().subjects(&crate::Target::Cpu);
        for (_, kernel) in CHANGES {
            assert!(suite.contains(&kernel.parse().unwrap()), "{kernel}");
        }
    }

    #[test]
    fn this_machine_stands_beside_both_halves() {
        let text = super::super::text(&[measured("conference", Workload::G14, &[IMPROVED, BASE])]);
        let line = text.lines().find(|line| line.starts_with("conference  primary")).unwrap();
        let words: Vec<&str> = line.split_whitespace().skip(2).filter(|word| *word != "%").collect();
        let wanted = "272.1 277.4 +1.9 393.5 451.8 +14.8 605.7 688.6 +13.7 500.0 1000.0 +100.0";
        assert_eq!(words.join(" "), wanted);
        assert!(text.contains("4-ary, unrolled, unsorted: Table 2   +100.0 % / +50.0 % / +33.3 %\n"), "{text}");
    }
}
