//! Rates of other tracers on one GPU, and the ratios of our kernels to them.
//!
//! The rates were recorded on an H200 (`rates/tracers-h200.toml`): workload `raywarp`, first viewpoint of each scene,
//! 8 AO and 8 diffuse rays a pixel. A figure counts beside ours only on the same GPU, once our stand-ins for the first
//! three peers are within 5 % of them there.

use crate::recorded_rates::{RecordedTracer, tracers_on_h200};
use crate::report::SceneReport;
use crate::{LaunchBounds, RayOrder, Subject, geometric_mean};
use raywarp_report::wrapped;
use raywarp_workload::rays::{RayKind, Workload};
use serde_json::{Value, json};
use std::fmt::Write;

/// Names of the six scenes that other tracers were measured in, in the order of the tables.
pub const SCENES: [&str; 6] = ["sibenik", "crytek_sponza", "conference", "kitchen", "bathroom2", "san_miguel"];

/// Ratio of our rate to the best other tracer's that is aimed at, for one kind of rays.
#[derive(Debug, Clone, Copy)]
pub struct Aim {
    /// Kind of the rays.
    pub kind: RayKind,
    /// Geometric mean of the ratios over the scenes that must be reached.
    pub must: f64,
    /// Geometric mean of the ratios over the scenes that is hoped for.
    pub goal: f64,
    /// Least ratio that is allowed in any scene.
    pub floor: f64,
}

/// Ratios that are aimed at for each kind of rays, in the order of the tables.
pub const AIMS: [Aim; 3] = [
    Aim { kind: RayKind::Primary, must: 1.27, goal: 1.5, floor: 1.0 },
    Aim { kind: RayKind::Ao, must: 1.8, goal: 2.0, floor: 1.3 },
    Aim { kind: RayKind::Diffuse, must: 1.4, goal: 1.7, floor: 1.15 },
];

/// Fraction of another tracer's rate that our variant of the same algorithm should reach.
const STAND_IN: f64 = 0.95;

/// Returns the best rate of all other tracers in a scene for a kind of rays, in Mrays/s.
pub fn bar(scene: &str, kind: RayKind) -> Option<f64> {
    tracers_on_h200().tracer.iter().filter_map(|peer| peer.rate(scene, kind)).reduce(f64::max)
}

/// Our best kernel's rate in one scene, beside the best rate of other tracers.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Name of the scene.
    pub scene: String,
    /// Tree on which our kernel is fastest, of those measured; the other tracers also had the better of two trees.
    pub tree: String,
    /// Rate of our kernel in Mrays/s.
    pub rate: f64,
    /// Rate of the best other tracer in Mrays/s.
    pub bar: f64,
}

/// Comparison of our best kernel for a kind of rays with the best other tracers.
#[derive(Debug, Clone)]
pub struct BarVerdict {
    /// Ratios that are aimed at for these rays.
    pub aim: Aim,
    /// Name of our kernel that is best by geometric mean, the same one in all scenes.
    pub name: String,
    /// Rates in the scenes that were measured.
    pub cells: Vec<Cell>,
    /// Geometric mean of the ratios over the scenes.
    pub mean: f64,
}

impl BarVerdict {
    /// Returns the ratio of our rate to the best other tracer's in each scene, in the order of the cells.
    pub fn ratios(&self) -> Vec<f64> {
        self.cells.iter().map(|cell| cell.rate / cell.bar).collect()
    }

    /// Returns the smallest ratio of all scenes.
    pub fn least(&self) -> f64 {
        self.ratios().into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Returns `true` if all six scenes were measured, and the geometric mean and the smallest ratio are as high as is
    /// aimed at.
    pub fn is_reached(&self) -> bool {
        self.cells.len() == SCENES.len() && self.mean >= self.aim.must && self.least() >= self.aim.floor
    }

    pub(crate) fn json(&self) -> Value {
        let cell = |Cell { scene, tree, rate, bar }: &Cell| json!({ "scene": scene, "tree": tree, "mrays": rate, "bar": bar, "ratio": rate / bar });
        let cells = self.cells.iter().map(cell);
        json!({
            "kind": self.aim.kind.name(),
            "name": self.name,
            "mean": self.mean,
            "least": self.least(),
            "must": self.aim.must,
            "goal": self.aim.goal,
            "floor": self.aim.floor,
            "reached": self.is_reached(),
            "cells": cells.collect::<Vec<_>>(),
        })
    }
}

/// Returns the reports that can be compared with other tracers' rates: on a GPU, of the scene's first viewpoint and the
/// workload's own rays.
fn comparable(reports: &[SceneReport]) -> Vec<SceneReport> {
    let fits = |report: &&SceneReport| {
        report.workload == Workload::Raywarp
            && report.views == [1]
            && report.width.is_none()
            && report.size == raywarp_workload::rays::RESOLUTION
            && SCENES.contains(&report.scene.as_str())
    };
    reports.iter().filter(fits).cloned().collect()
}

/// Returns a comparison with other tracers for each kind of rays that was measured in their scenes.
pub fn verdicts(reports: &[SceneReport]) -> Vec<BarVerdict> {
    let reports = comparable(reports);
    let Some(first) = reports.first() else { return Vec::new() };
    let mut verdicts = Vec::new();
    for aim in AIMS {
        let fits = |column: &crate::RayColumn| column.kind() == Some(aim.kind) && column.order == RayOrder::Workload;
        let Some(column) = first.columns.iter().position(|total| fits(&total.column)) else { continue };
        let mut kernels: Vec<(Subject, LaunchBounds)> = Vec::new();
        let rows = first.rows.iter().filter(|row| row.column == column && matches!(row.subject, Subject::Kernel(_)));
        for kernel in rows.map(|row| (row.subject, row.bounds)) {
            if !kernels.contains(&kernel) {
                kernels.push(kernel);
            }
        }
        let verdict = |kernel: &(Subject, LaunchBounds)| {
            let cells: Vec<Cell> = reports.iter().filter_map(|report| cell(report, column, kernel, aim.kind)).collect();
            let ratios: Vec<f64> = cells.iter().map(|cell| cell.rate / cell.bar).collect();
            let bounds = if kernel.1.are_default() { String::new() } else { format!(" {}", kernel.1) };
            BarVerdict { aim, name: kernel.0.name() + &bounds, mean: geometric_mean(&ratios), cells }
        };
        let all = kernels.iter().map(verdict).filter(|verdict| verdict.cells.len() == reports.len());
        verdicts.extend(all.max_by(|a, b| a.mean.total_cmp(&b.mean)));
    }
    verdicts
}

/// Returns the rate of a kernel in a scene on the tree with which it is fastest.
fn cell(
    report: &SceneReport,
    column: usize,
    (subject, bounds): &(Subject, LaunchBounds),
    kind: RayKind,
) -> Option<Cell> {
    let is_it = |row: &&crate::Row| row.column == column && row.subject == *subject && row.bounds == *bounds;
    let rows = report.rows.iter().filter(is_it).filter(|row| row.check.passes());
    let row = rows.max_by(|a, b| a.mega_rates().median.total_cmp(&b.mega_rates().median))?;
    let tree = report.trees.get(row.tree).map_or_else(String::new, crate::TreeFacts::name);
    let bar = bar(&report.scene, kind)?;
    Some(Cell { scene: report.scene.clone(), tree, rate: row.mega_rates().median, bar })
}

/// Returns the comparisons with other tracers as text; empty where no comparable rays were measured.
pub(crate) fn text(reports: &[SceneReport]) -> String {
    let verdicts = verdicts(reports);
    if verdicts.is_empty() {
        return String::new();
    }
    let mut text = String::from("beside the bar (the best of seven other tracers on one H200, by scene and kind):\n");
    for verdict in &verdicts {
        let aim = verdict.aim;
        let line = format!(
            "{}: {:.2} x in the mean, {:.2} x at least; must {} and {}, goal {}: {} ({})",
            aim.kind.name(),
            verdict.mean,
            verdict.least(),
            aim.must,
            aim.floor,
            aim.goal,
            match (verdict.is_reached(), verdict.cells.len() == SCENES.len()) {
                (true, _) if verdict.mean >= aim.goal => "goal reached",
                (true, _) => "reached",
                (false, true) => "not reached",
                (false, false) => "not all scenes",
            },
            verdict.name,
        );
        let _ = writeln!(text, "{}", wrapped(&line));
        for Cell { scene, tree, rate, bar } in &verdict.cells {
            let _ = writeln!(text, "  {scene:16} {rate:>9.1} of {bar:>6} Mrays/s: {:.2} ({tree})", rate / bar);
        }
    }
    let reports = comparable(reports);
    for peer in &tracers_on_h200().tracer {
        stand_in(&reports, peer, &mut text);
    }
    text.push('\n');
    text
}

/// Writes how the rate of our variant of another tracer's algorithm compares with that tracer's.
fn stand_in(reports: &[SceneReport], peer: &RecordedTracer, text: &mut String) {
    let Some(variant) = &peer.stand_in else { return };
    let Ok(subject) = variant.parse::<Subject>() else { return };
    let mut cells = Vec::new();
    let mut ratios = Vec::new();
    for report in reports {
        for (column, total) in report.columns.iter().enumerate() {
            let rows = report.rows.iter().filter(|row| row.column == column && row.subject == subject);
            // Of several trees the best: peers had theirs too.
            let rate = rows.map(|row| row.mega_rates().median).fold(f64::NAN, f64::max);
            let Some(kind) = total.column.kind() else { continue };
            let theirs = peer.rate(&report.scene, kind).filter(|_| total.column.order == RayOrder::Workload);
            let Some(theirs) = theirs.filter(|_| rate.is_finite()) else { continue };
            ratios.push(rate / theirs);
            cells.push(format!("{} {} {:.2}", report.scene, kind.name(), rate / theirs));
        }
    }
    if !ratios.is_empty() {
        let low = ratios.iter().filter(|&&ratio| ratio < STAND_IN).count();
        let mean = geometric_mean(&ratios);
        let line = format!(
            "{variant}\nto {}: {mean:.2} in the mean, {low} of {} cells below {STAND_IN}: {}",
            peer.name,
            ratios.len(),
            cells.join(", ")
        );
        let _ = writeln!(text, "{}", wrapped(&line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn the_bar_is_the_best_peer() {
        let best: Vec<[f64; 3]> =
            SCENES.iter().map(|scene| RayKind::ALL.map(|kind| bar(scene, kind).unwrap())).collect();
        let published = [
            [6216.0, 4524.0, 3283.0],
            [3481.0, 4799.0, 2298.0],
            [4838.0, 8668.0, 4712.0],
            [3183.0, 6987.0, 3878.0],
            [1907.0, 6516.0, 3863.0],
            [1782.0, 3916.0, 1715.0],
        ];
        assert_eq!(best, published);
        assert_eq!(bar("fairy", RayKind::Ao), None);
    }

    #[test]
    fn every_stand_in_is_a_kernel() {
        for variant in tracers_on_h200().tracer.iter().filter_map(|peer| peer.stand_in.as_ref()) {
            assert_eq!(variant.parse::<Subject>().unwrap().to_string(), *variant);
        }
    }

    /// Returns reports of all six scenes, where the first subject runs at `ratio` times the best other rate and the
    /// second at half of that.
    fn reports(ratio: f64) -> Vec<SceneReport> {
        let peer = tracers_on_h200().tracer[0].stand_in.as_deref().unwrap();
        let scene = |&scene: &&str| {
            let mut report = sample(scene, &[peer, "ykl17"], &RayKind::ALL);
            report.views = vec![1];
            for row in &mut report.rows {
                row.views.truncate(1);
                let kind = RayKind::ALL[row.column];
                let share = if row.subject.to_string() == peer { 1.0 } else { 0.5 };
                let rate = bar(scene, kind).unwrap() * 1e6 * ratio * share;
                row.views[0].seconds = crate::Quartiles::of(&[row.views[0].rays as f64 / rate]);
            }
            report
        };
        SCENES.iter().map(scene).collect()
    }

    #[test]
    fn the_best_line_is_held_against_must_and_floor() {
        let verdicts = |ratio: f64| super::verdicts(&reports(ratio));
        assert!(verdicts(1.81).iter().all(|v| v.is_reached() && (v.mean - 1.81).abs() < 1e-9));
        assert_eq!(verdicts(1.3).iter().map(BarVerdict::is_reached).collect::<Vec<_>>(), [true, false, false]);
        let text = text(&reports(1.7));
        let text = text.replace('\n', " ");
        assert!(text.contains("primary: 1.70 x in the mean, 1.70 x at least; must 1.27 and 1, goal 1.5: goal reached"));
        assert!(text.contains("to AL Fermi speculative while-while: "));
    }

    #[test]
    fn a_scene_takes_its_best_tree_of_those_whose_hits_are_right() {
        let mut reports = reports(1.0);
        let kitchen = &mut reports[3];
        let first = kitchen.rows.iter().find(|row| row.column == 1).unwrap().clone();
        let on_tree = |tree: usize, share: f64, differ: u64| {
            let mut row = crate::Row { tree, ..first.clone() };
            row.views[0].seconds = crate::Quartiles::of(&[row.views[0].seconds.median * share]);
            row.check.differ = differ;
            row
        };
        let tree = |reinsertion| crate::TreeFacts {
            options: raywarp_bvh::BuildOptions { reinsertion, ..kitchen.trees[0].options },
            ..kitchen.trees[0]
        };
        let more = [tree(3), tree(5)];
        kitchen.trees.extend(more);
        // The second tree is faster, the third the fastest, and wrong.
        kitchen.rows.push(on_tree(1, 0.8, 0));
        kitchen.rows.push(on_tree(2, 0.5, u64::from(u32::MAX)));
        let verdict = &super::verdicts(&reports)[1];
        let cell = &verdict.cells[3];
        assert_eq!(cell.tree, reports[3].trees[1].name());
        assert!((cell.rate / cell.bar - 1.25).abs() < 1e-9 && verdict.mean > 1.0);
        // A kernel that is not right in every scene is none.
        reports[0].rows.iter_mut().filter(|row| row.column == 1).for_each(|row| row.check.differ = u64::from(u32::MAX));
        assert!(super::verdicts(&reports).iter().all(|verdict| verdict.aim.kind != RayKind::Ao));
    }

    #[test]
    fn one_slow_scene_is_below_the_floor() {
        let mut reports = reports(2.5);
        let row = reports[3].rows.iter_mut().find(|row| row.column == 2).unwrap();
        row.views[0].seconds = row.views[0].seconds.plus(&row.views[0].seconds).plus(&row.views[0].seconds);
        let verdict = &super::verdicts(&reports)[2];
        assert!(verdict.mean > verdict.aim.must && verdict.least() < verdict.aim.floor && !verdict.is_reached());
        reports.pop();
        assert!(text(&reports).replace('\n', " ").contains("not all scenes"));
    }

    #[test]
    fn other_rays_stand_beside_no_bar() {
        let mut reports = reports(2.0);
        for report in &mut reports {
            report.views = vec![2];
        }
        assert!(verdicts(&reports).is_empty() && text(&reports).is_empty());
    }
}
