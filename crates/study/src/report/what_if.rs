//! What to conclude from bounds, in words, and which change would pay most.

use super::bounds::in_words;
use super::chart::{Bar, Bars};
use super::efficiency::capital;
use super::page::{Grid, Page};
use super::run::mrays;
use crate::bounds::what_if::listed;
use crate::bounds::{Bounded, BoundsReport, WhatIf};
use crate::simulate::name_of;
use raywarp_sim::bounds::{Bound, Class, headroom};

/// For each kernel what limits it, what comes next, and what would pay most.
pub(super) fn by_kernel(report: &BoundsReport, machine: usize, rows: &[(usize, &Bounded)]) -> Vec<String> {
    let mut said = Vec::new();
    let all = report.what_if();
    let mut names: Vec<String> = Vec::new();
    for (_, row) in rows {
        let name = name_of(&row.variant);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let mut text = format!("{name}. ");
        let mine: Vec<&(usize, &Bounded)> = rows.iter().filter(|(_, row)| name_of(&row.variant) == name).collect();
        if mine.iter().all(|(_, row)| row.price.is_none()) {
            text += "No table has what it costs here, so memory alone bounds it. ";
        }
        let several = mine.iter().any(|(_, row)| row.profile.counts.width != mine[0].1.profile.counts.width);
        for (index, (number, row)) in mine.iter().enumerate() {
            let Some(bound) = row.lowest() else { continue };
            let lanes = if several { format!(" (warps of {})", row.profile.counts.width) } else { String::new() };
            let sure = if bound.class == Class::Strict { ", a strict bound" } else { "" };
            text += if index > 0 { " " } else { "" };
            text += &format!(
                "{} rays{lanes}: at most {} Mrays/s, by {}{sure}",
                capital(row.kind.name()),
                mrays(bound.rays_per_s),
                in_words(bound.limit)
            );
            let other = |(next, _): &(&Bound, f64)| in_words(next.limit) != in_words(bound.limit);
            if let Some((next, gain)) = headroom(&row.bounds).filter(other) {
                text += &format!("; next {}, at +{:.0} %", in_words(next.limit), 100.0 * gain);
            }
            if let Some((best, gain)) = best(&all, machine, *number) {
                text += &format!("; what would pay most: {}, +{:.0} %", best.change, 100.0 * gain);
            }
            text += ".";
        }
        said.push(text);
    }
    said
}

/// The change that a row gains most of, but for a larger machine.
pub(super) fn best(all: &[WhatIf], machine: usize, row: usize) -> Option<(&WhatIf, f64)> {
    let mine = all.iter().filter(|what_if| what_if.machine == machine && !what_if.yardstick);
    mine.map(|what_if| (what_if, what_if.of(row))).filter(|(_, gain)| *gain >= 5e-3).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The section.
pub(super) fn write(page: &mut Page, report: &BoundsReport) {
    let all = report.what_if();
    if all.is_empty() {
        return;
    }
    page.heading("What would pay most");
    page.note(
        "One number is changed at a time and all bounds are made again: each number of the machine that a bound uses is doubled (latencies halved), each operation made a quarter \
         cheaper, the prefix sum free, and warps given other widths where the run had them. The rise is that of the lowest bound, so that it ends where the next one stands.",
    );
    for (number, machine) in report.request.machines.iter().enumerate() {
        let shown = listed(&all, number);
        let bar = |one: &&WhatIf| {
            let gain = 100.0 * one.mean();
            (one.change.clone(), vec![Some(Bar { value: gain, label: format!("{gain:+.1}") })])
        };
        let chart = Bars {
            axis: "mean rise of the lowest bound, %".into(),
            series: vec![String::new()],
            groups: shown.iter().filter(|one| !one.yardstick).map(bar).collect(),
            least_most: 0.0,
        };
        page.chart(
            &format!("what-if-{}", machine.name()),
            format!(
                "The changes that would raise the lowest bounds on {} most, mean over kernels and kinds of rays",
                machine.name()
            ),
            &chart,
        );
        let line = |one: &WhatIf| {
            let (row, most) = one.most().unwrap_or((usize::MAX, f64::NAN));
            vec![
                one.change.clone(),
                format!("{:+.1}", 100.0 * one.mean()),
                format!("{:+.1}", 100.0 * most),
                report.row_name(row),
                one.options.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = shown.iter().map(|one| line(one)).collect();
        page.grid(Grid {
            caption: format!(
                "The changes that pay most on {}; last, to hold them against, warps of other widths that ran, and twice the machine without more bandwidth.",
                machine.name()
            ),
            head: ["change", "mean %", "most %", "where most", "options that make it"].map(String::from).to_vec(),
            rows,
        });
        let per_row = |(row, bounded): (usize, &Bounded)| {
            let (best, gain) = best(&all, number, row)?;
            let bound = bounded.lowest()?;
            Some(vec![
                name_of(&bounded.variant),
                bounded.kind.name().to_string(),
                mrays(bound.rays_per_s),
                bound.limit.name(),
                best.change.clone(),
                format!("{:+.1}", 100.0 * gain),
            ])
        };
        let rows =
            report.rows.iter().enumerate().filter(|(_, row)| row.machine == number).filter_map(per_row).collect();
        let of_each = Grid {
            caption: format!(
                "For each kernel on {}: its lowest bound in Mrays/s, and the change that raises it most",
                machine.name()
            ),
            head: ["kernel", "rays", "bound", "limit", "change", "rise %"].map(String::from).to_vec(),
            rows,
        };
        page.fold(format!("What would pay most for each kernel on {}", machine.name()), |page| page.grid(of_each));
    }
}
