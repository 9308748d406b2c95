//! The papers' printed tables as records without a number of ours.

use super::catalogue::SPEEDUP;
use super::exhibit::{Exhibit, Making, Paper};
use super::record::{NumberSource, Record};
use raywarp_papers::{Printed, al09, alk12, g14};
use raywarp_workload::rays::RayKind;

/// Returns the printed numbers of an exhibit whose table is data of its paper; none of others, whose files of records
/// have them beside ours.
pub fn printed(exhibit: &Exhibit) -> Vec<Record> {
    match (exhibit.paper, exhibit.name) {
        (Paper::Al09, "table1") => al09_table1(exhibit),
        (Paper::Alk12, "table1") => alk12_table1(),
        (Paper::G14, "table2") => g14_table2(),
        _ => Vec::new(),
    }
}

fn record(scene: &str, subject: &str, kind: RayKind, quantity: &str, theirs: Printed) -> Record {
    let [scene, subject, rays, quantity] = [scene, subject, kind.name(), quantity].map(String::from);
    Record { scene, subject, rays, quantity, theirs, ours: None, source: NumberSource::Nowhere, draws: None }
}

/// Returns the subject of an exhibit that a kernel is.
fn subject(exhibit: &Exhibit, kernel: &str) -> &'static str {
    let Making::Kernels(kernels) = exhibit.making else { return "" };
    kernels.runs.iter().find(|(_, name, _)| *name == kernel).map_or("", |(.., subject)| subject)
}

fn al09_table1(exhibit: &Exhibit) -> Vec<Record> {
    let table = &al09().table_1;
    let mut records = Vec::new();
    for (place, scene) in table.scenes.iter().enumerate() {
        for method in &table.method {
            let subject = subject(exhibit, &method.kernel);
            for (kind, cells) in RayKind::ALL.into_iter().zip(method.kinds()) {
                let mut add = |quantity, theirs| records.push(record(scene, subject, kind, quantity, theirs));
                for (number, quantity) in ["traversal", "intersection"].into_iter().enumerate() {
                    if let Some(efficiency) = cells.efficiency {
                        add(quantity, Printed::number(f64::from(efficiency[place][number]), 0));
                    }
                }
                add("simulated", Printed::number(cells.simulated[place], 1));
                add("measured", Printed::number(cells.measured[place], 1));
                // The paper prints the quotient of the two, rounded as here, in all 63 cells.
                let of_simulated = 100.0 * cells.measured[place] / cells.simulated[place];
                add("of simulated", Printed::number(of_simulated, 0));
            }
        }
    }
    records
}

/// Names of the machines of ALK12's Table 1, by age.
const GENERATIONS: [&str; 3] = ["GTX 285", "GTX 480", "GTX 680"];

fn alk12_table1() -> Vec<Record> {
    let mut records = Vec::new();
    for scene in &alk12().table_1.scene {
        for (subject, age) in GENERATIONS.into_iter().zip(0..) {
            for (kind, rates) in RayKind::ALL.into_iter().zip(scene.kinds()) {
                let Some(mrays) = rates.by_age()[age] else { continue };
                records.push(record(&scene.name, subject, kind, "measured", Printed::number(mrays, 1)));
                // The paper prints the quotient of its rates, rounded as here, in all 21 cells.
                if let Some(before) = age.checked_sub(1).and_then(|before| rates.by_age()[before]) {
                    let multiple = Printed::number(mrays / before, 2);
                    records.push(record(&scene.name, subject, kind, "of previous", multiple));
                }
            }
        }
    }
    records
}

fn g14_table2() -> Vec<Record> {
    let mut records = Vec::new();
    for scene in &g14().table_2.scene {
        for (place, machine) in ["GTX 480", "GTX 680", "Titan"].into_iter().enumerate() {
            for (kind, rates) in RayKind::ALL.into_iter().zip(scene.kinds()) {
                for (form, of) in [("ALK12's", rates.alk12), ("improved", rates.improved)] {
                    let subject = format!("{machine}, {form}");
                    let theirs = Printed::number(of[place], 1);
                    // What is measured stands beside bounds and expected rates too.
                    records.push(record(&scene.name, &subject, kind, "measured", theirs));
                }
                // The paper prints the quotient of its rates, rounded as here, in all 36 cells.
                let gain = 100.0 * (rates.improved[place] / rates.alk12[place] - 1.0);
                records.push(record(&scene.name, machine, kind, SPEEDUP, Printed::number(gain, 1)));
            }
        }
    }
    records
}
