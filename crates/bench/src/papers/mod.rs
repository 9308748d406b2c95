//! The papers' own tables with a column for this machine.
//!
//! Figures of the papers are data (`papers/*.toml`, which raywarp-papers reads). They stand beside ours where a run has
//! the paper's rays and kernels; of the scenes only sibenik has the papers' viewpoints, conference and san_miguel are
//! other versions, and fairy is not to be had.

mod al09;
mod alk12;
mod g14;

use crate::report::SceneReport;
use crate::{RayOrder, Subject, geometric_mean};
use raywarp_report::Document;
use raywarp_workload::rays::{RayKind, Workload};

/// A rate that a paper measured on a machine of its time, in a scene that we have in some version: sibenik or
/// conference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedRate {
    /// Citation key of the paper, and the number of its table.
    pub table: &'static str,
    /// Name of the machine, as in `machines/*.toml`.
    pub machine: &'static str,
    /// Name of the scene: `sibenik` or `conference`.
    pub scene: &'static str,
    /// Our name of the paper's kernel.
    pub kernel: &'static str,
    /// Kind of the rays that were traced.
    pub kind: RayKind,
    /// Millions of rays a second, averaged over the paper's viewpoints.
    pub mrays: f64,
}

/// Returns all rates that the papers print for scenes that we have, too.
pub fn published_rates() -> Vec<PublishedRate> {
    [al09::published(), alk12::published(), g14::published()].concat()
}

/// Adds the comparisons with all papers' tables for which the reports have rays and kernels.
pub(crate) fn describe(reports: &[SceneReport], document: &mut Document) {
    for table in [al09::describe, alk12::describe, g14::describe] {
        table(reports, document);
    }
}

/// Returns the comparisons with all papers' tables as text.
#[cfg(test)]
fn text(reports: &[SceneReport]) -> String {
    let mut document = Document::new("papers");
    describe(reports, &mut document);
    document.text(raywarp_report::Room::Any)
}

/// Note about the papers' scenes, printed once below all comparisons.
const SCENES: &str = "sibenik from the papers' viewpoints; conference and san_miguel are other versions of their scenes; \
    fairy is not to be had";

/// Returns those of our reports, on `workload` and at the papers' resolution, that have a rate with right hits for each
/// of `kernels`.
fn fitting<'a>(reports: &'a [SceneReport], workload: Workload, kernels: &[&str]) -> Vec<&'a SceneReport> {
    let fits = |report: &&SceneReport| {
        report.workload == workload
            && report.size == raywarp_workload::rays::RESOLUTION
            && kernels.iter().all(|kernel| RayKind::ALL.iter().any(|&kind| rate(report, kernel, kind).is_some()))
    };
    reports.iter().filter(fits).collect()
}

/// Returns the rate of a kernel in Mrays/s, on its best tree; `None` where it was not measured or gave wrong hits.
fn rate(report: &SceneReport, kernel: &str, kind: RayKind) -> Option<f64> {
    let subject: Subject = kernel.parse().ok()?;
    let fits = |column: &crate::RayColumn| column.kind() == Some(kind) && column.order == RayOrder::Workload;
    let rows = report.rows.iter().filter(|row| {
        row.subject == subject
            && row.bounds.are_default()
            && row.check.passes()
            && fits(&report.columns[row.column].column)
    });
    rows.map(|row| row.mega_rates().median).reduce(f64::max)
}

/// Returns the geometric mean of the ratio of `kernel`'s rate to `base`'s, over the scenes that have both.
fn ratio(reports: &[&SceneReport], kernel: &str, base: &str, kind: RayKind) -> Option<f64> {
    let both = |report: &&SceneReport| Some(rate(report, kernel, kind)? / rate(report, base, kind)?);
    let ratios: Vec<f64> = reports.iter().filter_map(both).collect();
    (!ratios.is_empty()).then(|| geometric_mean(&ratios))
}

/// Returns the percentages by which `kernel` is faster than `base` for primary, AO and diffuse rays, as texts.
fn gains(reports: &[&SceneReport], kernel: &str, base: &str) -> String {
    RayKind::ALL.map(|kind| percent(ratio(reports, kernel, base, kind))).join(" / ")
}

/// Returns a ratio as a gain in per cent.
fn percent(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_string(), |ratio| format!("{:+.1} %", 100.0 * (ratio - 1.0)))
}

/// Returns a number as text, or a dash for a missing one.
fn shown(figure: Option<f64>, decimals: usize) -> String {
    figure.map_or("-".to_string(), |figure| format!("{figure:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    /// Returns a report of all viewpoints where the subjects run at 1000, 500, 333 and so on Mrays/s of primary rays.
    pub fn measured(scene: &str, workload: Workload, kernels: &[&str]) -> SceneReport {
        let mut report = sample(scene, kernels, &RayKind::ALL);
        report.workload = workload;
        report.target = "GPU X".to_string();
        report
    }

    #[test]
    fn a_wrong_rate_and_one_under_other_bounds_stand_beside_nothing() {
        let mut report = measured("sibenik", Workload::Al09, &["al09-if-if", "al09-while-while"]);
        assert_eq!(rate(&report, "al09-if-if", RayKind::Primary), Some(1000.0));
        assert_eq!(ratio(&[&report], "al09-if-if", "al09-while-while", RayKind::Primary), Some(2.0));
        report.rows[0].check.differ = 1;
        assert_eq!(rate(&report, "al09-if-if", RayKind::Primary), None);
        report.rows[1].bounds.max_registers = Some(32);
        assert_eq!(rate(&report, "al09-if-if", RayKind::Ao), None);
        assert_eq!(rate(&report, "al09-queue", RayKind::Ao), None);
    }

    #[test]
    fn every_published_rate_is_of_a_row_and_of_a_table() {
        let rates = published_rates();
        // Two scenes and three kinds: seven methods; three machines; three machines and two kernels.
        assert_eq!(rates.len(), 6 * (7 + 3 + 6));
        let titan = rates.iter().filter(|r| r.machine.ends_with("Titan") && r.scene == "sibenik" && r.kernel == "g14");
        assert_eq!(titan.map(|r| r.mrays).collect::<Vec<_>>(), [534.6, 534.1, 218.7]);
        for rate in rates {
            assert!(rate.kernel.parse::<Subject>().is_ok() && rate.mrays > 1.0, "{rate:?}");
        }
    }

    #[test]
    fn other_rays_and_sizes_stand_beside_no_paper() {
        let kernels = ["alk12-kepler", "alk12-kepler-postpone-0", "g14"];
        assert!(!text(&[measured("sibenik", Workload::Al09, &kernels)]).is_empty());
        assert!(text(&[measured("sibenik", Workload::Raywarp, &kernels)]).is_empty());
        let mut small = measured("sibenik", Workload::Al09, &kernels);
        small.size = [64, 48];
        assert!(text(&[small]).is_empty());
    }
}
