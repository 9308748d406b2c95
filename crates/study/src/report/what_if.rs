//! Conclusions from bounds, in words, and the change that would pay most.

use super::bounds::in_words;
use super::chart::{Bar, Bars};
use super::efficiency::capital;
use super::page::{Grid, Page};
use super::run::mrays;
use crate::bounds::what_if::{listed, percent};
use crate::bounds::{Bounded, BoundsReport, RowGain, WhatIf};
use crate::launch::ExpectedGain;
use crate::simulate::name_of;
use raywarp_sim::bounds::{Bound, Class, headroom};
use raywarp_sim::machine::Machine;

/// Writes for each kernel what limits it, what comes next, and what would pay most.
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
        if mine.iter().all(|(_, row)| row.instructions.is_none()) {
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
            if let Some(best) = best(&all, machine, *number) {
                text += &format!("; what would pay most: {}", best.in_words());
            }
            text += ".";
        }
        said.push(text);
    }
    said
}

/// A change that a row gains of.
#[derive(Clone, Copy)]
pub(super) struct Best<'a> {
    pub what_if: &'a WhatIf,
    gain: &'a RowGain,
}

impl Best<'_> {
    /// Returns the gain of the expected rate, else of the lowest bound, as a share.
    pub fn share(&self) -> f64 {
        self.expected().map_or(self.gain.bound, ExpectedGain::share)
    }

    /// Returns the gain of the expected rate, with its interval; none where none is told.
    pub fn expected(&self) -> Option<ExpectedGain> {
        self.gain.expected
    }

    /// Returns the change in words: `twice the alu pipeline, +12 % (undecided) of the expected rate`.
    pub fn in_words(&self) -> String {
        let change = &self.what_if.change;
        match self.expected() {
            Some(gain) => format!("{change}, {} of the expected rate", gain.in_words()),
            None => format!("{change}, {:+.0} % of that bound", 100.0 * self.share()),
        }
    }
}

/// Returns the change that a row gains most of, but for a larger machine: of those with a gain of its expected rate, if
/// there are any.
pub(super) fn best(all: &[WhatIf], machine: usize, row: usize) -> Option<Best<'_>> {
    let mine = all.iter().filter(|what_if| what_if.machine == machine && !what_if.yardstick);
    let of_row: Vec<Best<'_>> = mine.filter_map(|what_if| Some(Best { what_if, gain: what_if.of(row)? })).collect();
    let is_told = of_row.iter().any(|best| best.expected().is_some());
    let comparable = of_row.into_iter().filter(|best| best.expected().is_some() == is_told && best.share() >= 5e-3);
    comparable.max_by(|a, b| a.share().total_cmp(&b.share()))
}

/// Writes the section.
pub(super) fn write(page: &mut Page, report: &BoundsReport) {
    let all = report.what_if();
    if all.is_empty() {
        return;
    }
    page.heading("What would pay most");
    page.note(
        "One number is changed at a time: each number of the machine that bounds or expected rates use is doubled (latencies halved), each operation made a quarter \
         cheaper, the prefix sum free, and warps given other widths where the run had them. The rise of the lowest bound ends where the next one stands.",
    );
    for (number, machine) in report.request.machines.iter().enumerate() {
        of_machine(page, report, (number, machine), &all);
    }
}

/// A note for the reader on what the changes of a machine are ranked by.
const BY_EXPECTED: &str = "The model of a multiprocessor ran again with each change, and changes are ranked by what they make of the expected rates that are told. Nine of ten gains should lie \
    in the interval, if a change is foretold as badly as the difference of two kernels on one scene was; undecided: it may as well be that nothing changes. What is not in the \
    model has no gain of it.";

fn of_machine(page: &mut Page, report: &BoundsReport, (number, machine): (usize, &Machine), all: &[WhatIf]) {
    let shown = listed(all, number);
    let by_expected = shown.iter().any(|one| one.by_expected);
    let ranked = if by_expected { "expected rate" } else { report.lowest_name(number) };
    if by_expected {
        page.note(BY_EXPECTED);
    }
    let bar = |one: &&WhatIf| {
        let gain = 100.0 * one.mean()?;
        Some((one.change.clone(), vec![Some(Bar { value: gain, label: format!("{gain:+.1}") })]))
    };
    let chart = Bars {
        axis: format!("mean rise of the {ranked}, %"),
        series: vec![String::new()],
        groups: shown.iter().filter(|one| !one.yardstick).filter_map(bar).collect(),
        least_most: 0.0,
    };
    page.chart(
        &format!("what-if-{}", machine.name()),
        format!(
            "The changes that would raise the {ranked}s on {} most, mean over kernels and kinds of rays",
            machine.name()
        ),
        &chart,
    );
    let only_expected = |name: &str| if by_expected { name.to_string() } else { String::new() };
    let line = |one: &&WhatIf| {
        let (row, most) = one.most().unwrap_or((usize::MAX, f64::NAN));
        let (mean, interval) = one.cells();
        vec![
            one.change.clone(),
            mean,
            interval,
            only_expected(&percent(one.bound_mean())),
            if most.is_nan() { String::new() } else { percent(most) },
            report.row_name(row),
            one.options.clone(),
        ]
    };
    let interval = only_expected("nine of ten, %");
    let bound = only_expected("lowest bound %");
    page.grid(Grid {
        caption: format!(
            "The changes that raise the {ranked} on {} most; last, to hold them against, warps of other widths that ran, and twice the machine without more bandwidth.",
            machine.name()
        ),
        head: vec![
            "change".into(),
            "mean %".into(),
            interval,
            bound,
            "most %".into(),
            "where most".into(),
            "options that make it".into(),
        ],
        rows: shown.iter().map(line).collect(),
    });
    let per_row = |(row, bounded): (usize, &Bounded)| {
        let best = best(all, number, row)?;
        let bound = bounded.lowest()?;
        Some(vec![
            name_of(&bounded.variant),
            bounded.kind.name().to_string(),
            mrays(bound.rays_per_s),
            bound.limit.name(),
            best.what_if.change.clone(),
            percent(best.share()),
            best.expected().map_or_else(String::new, ExpectedGain::interval_cell),
        ])
    };
    let rows = report.rows.iter().enumerate().filter(|(_, row)| row.machine == number).filter_map(per_row).collect();
    let of_each = Grid {
        caption: format!(
            "For each kernel on {}: its {} in Mrays/s, and the change that raises its {ranked} most{}",
            machine.name(),
            report.lowest_name(number),
            if by_expected { " (where no rate is told, its lowest bound)" } else { "" }
        ),
        head: vec![
            "kernel".into(),
            "rays".into(),
            "bound".into(),
            "limit".into(),
            "change".into(),
            "rise %".into(),
            only_expected("nine of ten, %"),
        ],
        rows,
    };
    page.fold(format!("What would pay most for each kernel on {}", machine.name()), |page| page.grid(of_each));
}
