//! Tables 1 and 2 of ALK12, with a column for this machine.

use super::{PublishedRate, SCENES, fitting, gains, rate, shown};
use crate::SceneReport;
use raywarp_papers::{GenerationScene, Generations, SCENES_HERE, alk12};
use raywarp_report::{Document, ReportTable, TableColumn};
use raywarp_workload::rays::{RayKind, Workload};

const FERMI: &str = "alk12-fermi";
const KEPLER: &str = "alk12-kepler";
/// Our name of the Fermi kernel that fetches rows at once, which is the Kepler kernel without ray replacement.
const FERMI_AT_ONCE: &str = "alk12-fermi?fetch=once";

/// Machines of ALK12's Table 1, with the kernel that each of them ran; on Tesla it is AL09's.
const MACHINES: [(&str, &str); 3] =
    [("GeForce GTX 285", "al09-persistent-spec-while-while"), ("GeForce GTX 480", FERMI), ("GeForce GTX 680", KEPLER)];

/// Returns the measured rates that ALK12's Table 1 prints.
pub(super) fn published() -> Vec<PublishedRate> {
    let mut rates = Vec::new();
    for scene in alk12().table_1.scene.iter().filter(|scene| SCENES_HERE.contains(&scene.name.as_str())) {
        for (kind, cells) in RayKind::ALL.into_iter().zip(scene.kinds()) {
            for ((machine, kernel), mrays) in MACHINES.into_iter().zip(cells.by_age()) {
                let (table, scene) = ("ALK12 Table 1", scene.name.as_str());
                rates.extend(mrays.map(|mrays| PublishedRate { table, machine, scene, kernel, kind, mrays }));
            }
        }
    }
    rates
}

/// A comparison of two kernels that shows the worth of a design choice: its text, the kernel with the choice, and the
/// kernel without.
type Comparison = (&'static str, &'static str, &'static str);

/// Design choices of ALK12's Table 2, with the kernels that show their worth on this machine.
const COMPARED: [(&str, &[Comparison]); 4] = [
    (
        "data fetches",
        &[
            ("one ray a lane: at once against row by row", FERMI_AT_ONCE, FERMI),
            ("replacing: at once against row by row", KEPLER, "alk12-kepler?fetch=needed"),
        ],
    ),
    (
        "persistent threads",
        &[
            ("replacing below 20 %, against one ray a lane", "alk12-kepler?refill=20", FERMI_AT_ONCE),
            ("below 40 %", "alk12-kepler?refill=40", FERMI_AT_ONCE),
            ("below 60 %", KEPLER, FERMI_AT_ONCE),
            ("below 80 %", "alk12-kepler?refill=80", FERMI_AT_ONCE),
            ("below 100 %", "alk12-kepler?refill=100", FERMI_AT_ONCE),
            ("by lost iterations (YKL17)", "alk12-kepler?refill=lost", FERMI_AT_ONCE),
        ],
    ),
    (
        "speculative traversal",
        &[
            ("a buffer of one against none", KEPLER, "alk12-kepler-postpone-0"),
            ("of two against none", "alk12-kepler-postpone-2", "alk12-kepler-postpone-0"),
        ],
    ),
    (
        "VMIN, VMAX",
        &[
            ("one ray a lane: integers against floats", FERMI, "alk12-fermi?box=float"),
            ("replacing: integers against floats", KEPLER, "alk12-kepler-float"),
        ],
    ),
];

/// Adds ALK12's two tables, with a column for this machine.
pub(super) fn describe(reports: &[SceneReport], document: &mut Document) {
    let reports = fitting(reports, Workload::Al09, &[KEPLER, "alk12-kepler-postpone-0"]);
    let Some(first) = reports.first() else { return };
    if reports.iter().any(|report| known(report).is_some()) {
        let title = format!(
            "Table 1 of ALK12, Mrays/s, and its next column: {}, by the faster of its Fermi and Kepler kernels; {SCENES}",
            first.target
        );
        document.line(title);
        let numbers = ["GTX 285", "GTX 480", "GTX 680", "here", "x Kepler"].map(TableColumn::right);
        let columns = ["scene", "rays"].map(TableColumn::left).into_iter().chain(numbers);
        let mut rows = Vec::new();
        for report in &reports {
            let Some(cells) = known(report) else { continue };
            for (kind, generations) in RayKind::ALL.into_iter().zip(cells.map(Generations::by_age)) {
                let here = [FERMI, KEPLER].into_iter().filter_map(|kernel| rate(report, kernel, kind)).reduce(f64::max);
                let times = here.zip(generations[2]).map(|(here, kepler)| here / kepler);
                let theirs = generations.iter().map(|&figure| shown(figure, 1));
                let ours = [shown(here, 1), shown(times, 2)];
                rows.push([report.scene.clone(), kind.name().into()].into_iter().chain(theirs).chain(ours).collect());
            }
        }
        document.table(ReportTable::of_words(columns, rows));
        document.gap();
    }
    let scenes: Vec<&str> = reports.iter().map(|report| report.scene.as_str()).collect();
    let title = format!(
        "Table 2 of ALK12, and what each choice gains on {}: primary / AO / diffuse rays, mean over {}:",
        first.target,
        scenes.join(", ")
    );
    document.line(title);
    for choice in &alk12().table_2.choice {
        document.whole(&choice.name);
        for (architecture, said) in [("Tesla", &choice.tesla), ("Fermi", &choice.fermi), ("Kepler", &choice.kepler)] {
            document.line(format!("  {architecture:8}{said}"));
        }
        for (what, with, without) in
            COMPARED.iter().filter(|(name, _)| *name == choice.name).flat_map(|(_, here)| *here)
        {
            document.whole(format!("  {what:46} {}", gains(&reports, with, without)));
        }
    }
    document.gap();
}

fn known(report: &SceneReport) -> Option<[Generations; 3]> {
    alk12().table_1.scene.iter().find(|scene| scene.name == report.scene).map(GenerationScene::kinds)
}

#[cfg(test)]
mod tests {
    use super::super::tests::measured;
    use super::*;

    #[test]
    fn every_choice_of_the_paper_is_compared() {
        let names: Vec<&str> = alk12().table_2.choice.iter().map(|choice| choice.name.as_str()).collect();
        assert_eq!(names, COMPARED.map(|(name, _)| name));
    }

    #[test]
    fn every_comparison_is_of_kernels_that_the_suite_measures() {
        let suite = crate::suite::named("alk12").unwrap().subjects(&crate::Target::Cpu);
        for (_, with, without) in COMPARED.iter().flat_map(|(_, here)| *here) {
            for kernel in [with, without] {
                assert!(suite.contains(&kernel.parse().unwrap()), "{kernel}");
            }
        }
    }

    #[test]
    fn the_faster_kernel_continues_table_1_and_gains_are_shown() {
        let text =
            super::super::text(&[measured("sibenik", Workload::Al09, &[FERMI, KEPLER, "alk12-kepler-postpone-0"])]);
        let line = text.lines().find(|line| line.starts_with("sibenik  primary")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["sibenik", "primary", "117.5", "243.4", "388.2", "1000.0", "2.58"]);
        // 500 against 333.3 Mrays/s; for AO 333.3 against 250.
        assert!(text.contains(" +50.0 % / +33.3 % / +25.0 %\n"), "{text}");
        assert!(text.contains(" - / - / -\n"));
    }
}
