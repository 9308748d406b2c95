//! Table 2 of G14.

use super::{OURS, Place, PublishedRate, SCENES, fitting, percent, rate, ratio, shown};
use crate::SceneReport;
use crate::table::{Table, TableColumn, wrapped};
use raywarp_workload::rays::{RayKind, Workload};
use std::fmt::Write;

/// A scene: for each kind of rays Mrays/s of GTX 480, GTX 680 and GTX Titan, first the kernel of ALK12, then improved.
type Scene = (&'static str, [[[f64; 3]; 2]; 3]);

const TABLE2: [Scene; 4] = [
    (
        "conference",
        [
            [[272.1, 393.5, 605.7], [277.4, 451.8, 688.6]],
            [[192.4, 337.5, 527.2], [203.7, 387.0, 613.3]],
            [[70.6, 134.4, 216.4], [78.4, 156.7, 254.4]],
        ],
    ),
    (
        "fairy",
        [
            [[150.9, 220.3, 326.2], [147.0, 244.0, 354.1]],
            [[125.5, 229.8, 353.2], [127.2, 264.9, 410.1]],
            [[52.4, 100.6, 159.2], [56.8, 115.1, 183.2]],
        ],
    ),
    (
        "sibenik",
        [
            [[252.7, 359.8, 538.6], [235.8, 383.6, 534.6]],
            [[172.9, 295.3, 448.8], [176.4, 354.6, 534.1]],
            [[56.4, 114.7, 193.6], [63.4, 129.7, 218.7]],
        ],
    ),
    (
        "san_miguel",
        [
            [[70.2, 115.1, 173.0], [75.1, 130.9, 188.2]],
            [[78.8, 150.0, 231.8], [84.5, 170.0, 266.2]],
            [[23.0, 45.1, 74.1], [27.4, 47.4, 82.7]],
        ],
    ),
];

const BASE: &str = "alk12-kepler";
const IMPROVED: &str = "g14";

/// The improvements: alone, in pairs and together.
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

/// What the text of G14 5 says of single improvements on Kepler's GK104.
const SAID: &str = "theirs on a GTX 680: 4-ary +3.4 % (AO) to +11.5 % (diffuse); with unsorted occlusion +3.7 % (primary) to \
    +16.3 % (AO); \
    unrolled +1.9 % (diffuse) to +4.9 % (AO); all +5.1 % (diffuse) to +20.1 % (AO)";

/// What Table 2 says was measured.
pub(super) fn published() -> Vec<PublishedRate> {
    let machines = ["GeForce GTX 480", "GeForce GTX 680", "GeForce GTX Titan"];
    let mut rates = Vec::new();
    for (scene, kinds) in TABLE2.into_iter().filter(|(scene, _)| OURS.contains(scene)) {
        for (kind, kernels) in RayKind::ALL.into_iter().zip(kinds) {
            for (kernel, cells) in [BASE, IMPROVED].into_iter().zip(kernels) {
                for (machine, mrays) in machines.into_iter().zip(cells) {
                    rates.push(PublishedRate { table: "G14 Table 2", machine, scene, kernel, kind, mrays });
                }
            }
        }
    }
    rates
}

/// The table with columns for this machine, then each improvement here.
pub(super) fn write(reports: &[SceneReport], (text, room, hidden): Place<'_>) {
    let reports = fitting(reports, Workload::G14, &[BASE, IMPROVED]);
    let Some(first) = reports.first() else { return };
    if reports.iter().any(|report| known(report).is_some()) {
        let title = format!(
            "Table 2 of G14, Mrays/s of the kernel of ALK12 and of the improved one (new), on GTX 480, 680, Titan, and here: {}; {SCENES}",
            first.target
        );
        let _ = writeln!(text, "{}", wrapped(&title));
        // In a narrow terminal the newest.
        let machines = [("480", 3), ("680", 2), ("Titan", 1), ("here", 0)];
        let mut columns = vec![TableColumn::left("scene"), TableColumn::left("rays")];
        for (name, rank) in machines {
            columns.push(TableColumn::right(name).rank(rank));
            columns.push(TableColumn::right(format!("{name} new")).rank(rank));
            columns.push(TableColumn::right("gain").rank(rank));
        }
        let mut table = Table::new(columns);
        for report in &reports {
            let Some(kinds) = known(report) else { continue };
            for (kind, [before, after]) in RayKind::ALL.into_iter().zip(kinds) {
                let mut cells = vec![report.scene.clone(), kind.name().to_string()];
                let here = [BASE, IMPROVED].map(|kernel| rate(report, kernel, kind));
                let theirs = before.iter().zip(after).map(|(before, after)| [Some(*before), Some(*after)]);
                for [before, after] in theirs.chain([here]) {
                    let gain = after.zip(before).map(|(after, before)| after / before);
                    cells.extend([shown(before, 1), shown(after, 1), percent(gain)]);
                }
                table.row(cells);
            }
        }
        table.write(text, room, hidden);
        text.push('\n');
    }
    let scenes: Vec<&str> = reports.iter().map(|report| report.scene.as_str()).collect();
    let title = format!(
        "Each improvement of G14 on {} against the kernel of ALK12, primary / AO / diffuse rays, mean over {}:",
        first.target,
        scenes.join(", ")
    );
    let _ = writeln!(text, "{}", wrapped(&title));
    for (name, kernel) in CHANGES {
        let gains = RayKind::ALL.map(|kind| percent(ratio(&reports, kernel, BASE, kind)));
        let _ = writeln!(text, "  {name:36} {}", gains.join(" / "));
    }
    let _ = writeln!(text, "{}", wrapped(SAID));
}

fn known(report: &SceneReport) -> Option<&'static [[[f64; 3]; 2]; 3]> {
    TABLE2.iter().find(|(scene, _)| *scene == report.scene).map(|(_, kinds)| kinds)
}

#[cfg(test)]
mod tests {
    use super::super::tests::measured;
    use super::*;

    #[test]
    fn the_papers_speedups_follow_from_its_rates() {
        let printed = |scene: usize, kind: usize| -> Vec<String> {
            let [before, after] = TABLE2[scene].1[kind];
            before.iter().zip(after).map(|(before, after)| format!("{:.1}", 100.0 * (after / before - 1.0))).collect()
        };
        // As printed in the paper's last rows, which round their own digits.
        assert_eq!(printed(0, 0), ["1.9", "14.8", "13.7"]);
        assert_eq!(printed(2, 0), ["-6.7", "6.6", "-0.7"]);
        assert_eq!(printed(2, 1), ["2.0", "20.1", "19.0"]);
        assert_eq!(printed(3, 2), ["19.1", "5.1", "11.6"]);
    }

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
