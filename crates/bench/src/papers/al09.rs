//! Table 1 of AL09.

use super::{OURS, Place, PublishedRate, SCENES, fitting, rate, shown};
use crate::SceneReport;
use crate::table::{Table, TableColumn, wrapped};
use raywarp_workload::rays::{RayKind, Workload};
use std::fmt::Write;

/// A cell of the table: efficiency of traversal and intersection in per cent (a packet has none), simulated and measured
/// Mrays/s.
type Cell = (&'static str, f64, f64);

/// A method: its name, our kernel, and for each kind of rays conference, fairy and sibenik.
struct Method {
    name: &'static str,
    kernel: &'static str,
    cells: [[Cell; 3]; 3],
}

/// The scenes in the order of the cells.
const COLUMNS: [&str; 3] = ["conference", "fairy", "sibenik"];

/// AL09 Table 1: GeForce GTX 285, 1024 x 768, means of five viewpoints, 32 AO and diffuse rays a pixel.
const METHODS: [Method; 7] = [
    Method {
        name: "packet",
        kernel: "al09-packet",
        cells: [
            [("-", 149.2, 63.6), ("-", 78.4, 41.8), ("-", 116.1, 67.8)],
            [("-", 100.7, 39.4), ("-", 76.6, 32.6), ("-", 93.6, 38.0)],
            [("-", 36.7, 16.6), ("-", 24.7, 11.8), ("-", 30.5, 16.9)],
        ],
    },
    Method {
        name: "while-while",
        kernel: "al09-while-while",
        cells: [
            [("78/63", 166.7, 88.0), ("74/69", 83.0, 47.8), ("82/67", 130.8, 81.2)],
            [("57/39", 160.7, 86.3), ("50/49", 100.8, 60.3), ("57/43", 124.4, 76.7)],
            [("42/35", 81.4, 44.5), ("35/43", 51.0, 29.3), ("40/43", 58.5, 37.6)],
        ],
    },
    Method {
        name: "if-if",
        kernel: "al09-if-if",
        cells: [
            [("81/56", 129.3, 90.1), ("78/58", 63.2, 45.9), ("82/59", 97.0, 78.5)],
            [("65/31", 131.6, 88.8), ("58/42", 82.7, 57.9), ("63/35", 99.5, 76.5)],
            [("54/26", 70.5, 45.3), ("49/33", 47.0, 29.0), ("54/30", 51.7, 36.7)],
        ],
    },
    Method {
        name: "speculative if-if",
        kernel: "al09-spec-if-if",
        cells: [
            [("86/60", 132.9, 94.3), ("84/65", 66.5, 49.1), ("87/63", 99.6, 81.8)],
            [("71/35", 139.2, 92.7), ("66/49", 91.2, 62.3), ("71/40", 107.7, 81.3)],
            [("61/29", 76.5, 46.0), ("58/39", 53.9, 29.8), ("64/36", 58.6, 36.3)],
        ],
    },
    Method {
        name: "persistent packet",
        kernel: "al09-persistent-packet",
        cells: [
            [("-", 149.2, 122.1), ("-", 78.4, 67.2), ("-", 116.1, 100.6)],
            [("-", 100.7, 86.1), ("-", 76.6, 65.6), ("-", 93.6, 83.7)],
            [("-", 36.7, 32.3), ("-", 24.7, 21.5), ("-", 30.5, 27.3)],
        ],
    },
    Method {
        name: "persistent while-while",
        kernel: "al09-persistent-while-while",
        cells: [
            [("78/63", 166.7, 135.6), ("74/69", 83.0, 70.5), ("82/67", 130.8, 117.5)],
            [("57/39", 160.7, 130.7), ("50/49", 100.8, 85.3), ("57/43", 124.4, 113.4)],
            [("42/35", 81.4, 62.4), ("35/43", 51.0, 39.1), ("40/43", 58.5, 48.1)],
        ],
    },
    Method {
        name: "persistent speculative while-while",
        kernel: "al09-persistent-spec-while-while",
        cells: [
            [("86/61", 165.7, 142.2), ("85/66", 84.2, 74.6), ("90/64", 128.4, 117.5)],
            [("69/37", 169.1, 134.5), ("65/47", 111.0, 92.5), ("70/41", 132.8, 119.6)],
            [("57/34", 92.9, 60.9), ("51/41", 61.3, 40.8), ("57/40", 70.0, 46.8)],
        ],
    },
];

/// What the table says was measured.
pub(super) fn published() -> Vec<PublishedRate> {
    let mut rates = Vec::new();
    for (place, scene) in COLUMNS.into_iter().enumerate().filter(|(_, scene)| OURS.contains(scene)) {
        for Method { kernel, cells, .. } in METHODS {
            for (kind, cells) in RayKind::ALL.into_iter().zip(cells) {
                let (table, machine, mrays) = ("AL09 Table 1", "GeForce GTX 285", cells[place].2);
                rates.push(PublishedRate { table, machine, scene, kernel, kind, mrays });
            }
        }
    }
    rates
}

/// The table with a column for this machine, for those of its scenes that were measured.
pub(super) fn write(reports: &[SceneReport], (text, room, hidden): Place<'_>) {
    let reports = fitting(reports, Workload::Al09, &["al09-while-while", "al09-persistent-while-while"]);
    let place = |report: &SceneReport| COLUMNS.iter().position(|scene| *scene == report.scene);
    for (scene, report) in reports.iter().filter_map(|report| Some((place(report)?, *report))) {
        let title = format!(
            "Table 1 of AL09, {}: their GTX 285 (SIMD efficiency in %, simulated and measured Mrays/s) and {} (here, and how many times as fast); {SCENES}",
            report.scene, report.target
        );
        let _ = writeln!(text, "{}", wrapped(&title));
        let mut table = Table::new([
            TableColumn::left("method"),
            TableColumn::left("rays"),
            TableColumn::right("eff.").rank(1),
            TableColumn::right("simulated").rank(1),
            TableColumn::right("measured"),
            TableColumn::right("here"),
            TableColumn::right("x"),
        ]);
        for method in &METHODS {
            for (kind, cells) in RayKind::ALL.into_iter().zip(&method.cells) {
                let name = if kind == RayKind::Primary { method.name } else { "" };
                let (efficiency, simulated, measured) = cells[scene];
                let here = rate(report, method.kernel, kind);
                let times = shown(here.map(|here| here / measured), 1);
                let numbers = [format!("{simulated:.1}"), format!("{measured:.1}"), shown(here, 1), times];
                table.row([name, kind.name(), efficiency].map(String::from).into_iter().chain(numbers));
            }
        }
        table.write(text, room, hidden);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::measured;
    use super::*;

    #[test]
    fn every_method_is_a_kernel_and_was_measured_below_its_simulation() {
        for method in &METHODS {
            method.kernel.parse::<crate::Subject>().unwrap();
            for (_, simulated, measured) in method.cells.iter().flatten() {
                assert!(measured < simulated, "{}", method.name);
            }
        }
    }

    #[test]
    fn this_machine_has_a_column_beside_the_papers() {
        let kernels = METHODS.map(|method| method.kernel);
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
