//! The first screen of a report of bounds: which kernel, how far from its bound, and what would pay.

use super::what_if::{WhatIf, change_for};
use super::words::in_words;
use super::{Bounded, BoundsReport};
use crate::measured::MeasuredRow;
use crate::simulate::fullness::capital;
use crate::simulate::{TracedRays, name_of};
use raywarp_report::{Column, Document, Sheet, Unit, Value, short_mrays};
use raywarp_sim::bounds::{Bound, Class, Limit, headroom};

/// Number of kernels that are shown first for each kind of rays.
const TOP: usize = 5;

/// A kernel with its bounds and measured rate, to be ranked among others for a kind of rays.
#[derive(Clone, Copy)]
pub(super) struct Standing<'a> {
    /// Index of the kernel's row in the report.
    pub row: usize,
    pub bounded: &'a Bounded,
    /// Measured rate of the kernel; `None` if it was not measured.
    pub beside: Option<&'a MeasuredRow>,
}

impl<'a> Standing<'a> {
    /// Returns the lowest bound; for a measured kernel, that on the tree on which it was measured.
    pub fn bound(&self) -> Option<&'a Bound> {
        self.beside.map_or_else(|| self.bounded.lowest(), MeasuredRow::lowest)
    }

    /// Returns the bound as text, with the marks that say how sure it is.
    pub fn marked(&self, bound: &Bound) -> String {
        let mark = match self.beside {
            Some(_) => bound.class.mark().to_string(),
            None => self.bounded.mark(bound),
        };
        short_mrays(bound.rays_per_s) + &mark
    }

    fn bounds(&self) -> &'a [Bound] {
        self.beside.map_or(&self.bounded.bounds, |beside| &beside.bounds)
    }

    /// Returns the predicted rate in rays a second; `None` where its interval is too wide; the model's own where
    /// nothing was measured on the machine.
    pub fn expected(&self) -> Option<f64> {
        let (modelled, prediction) = match self.beside {
            Some(row) => (row.expected, row.prediction),
            None => (self.bounded.expected, self.bounded.prediction),
        };
        match prediction {
            Some(prediction) => prediction.is_decided().then_some(prediction.rays_per_s),
            None => modelled,
        }
    }

    /// Returns the measured rate in rays a second; `None` if the kernel was not measured.
    pub fn measured(&self) -> Option<f64> {
        self.beside.map(|beside| beside.rate.rays_per_s)
    }

    fn rate(&self, by: By) -> Option<f64> {
        match by {
            By::Measured => self.measured(),
            By::Expected => self.expected(),
            By::Bound => self.bound().map(|bound| bound.rays_per_s),
        }
    }
}

/// The kind of rate that kernels are ranked by: measured, else expected, else their lowest bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Measured,
    Expected,
    Bound,
}

impl By {
    /// Returns the name of this kind of rate in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Expected => "expected",
            Self::Bound => "their lowest bound",
        }
    }
}

/// Ranks kernels by the best kind of rate that any of them has, the fastest first; leaves out kernels without known
/// costs, unless they were measured.
pub(super) fn ranked<'a>(all: impl Iterator<Item = Standing<'a>>) -> (By, Vec<Standing<'a>>) {
    let all: Vec<Standing<'a>> = all.filter(|one| one.bounded.instructions.is_some() || one.beside.is_some()).collect();
    let known = |by: &By| all.iter().any(|one| one.rate(*by).is_some());
    let by = [By::Measured, By::Expected].into_iter().find(known).unwrap_or(By::Bound);
    let mut rates: Vec<(f64, Standing<'a>)> = all.iter().filter_map(|one| Some((one.rate(by)?, *one))).collect();
    rates.sort_by(|a, b| b.0.total_cmp(&a.0));
    (by, rates.into_iter().map(|(_, one)| one).collect())
}

/// Returns a text on the source of rates that are estimates and no bounds; `None` where all are bounds.
pub(super) fn no_bound(standings: &[Standing<'_>]) -> Option<&'static str> {
    standings.iter().filter_map(Standing::bound).find_map(|bound| match bound.class {
        Class::Strict | Class::Modelled => None,
        Class::Fitted => Some("fitted costs"),
        Class::Likened => Some("code of another machine"),
    })
}

/// Adds the conclusions about a machine and its fastest kernels, by kind of rays.
pub(super) fn rank(
    document: &mut Document,
    report: &BoundsReport,
    machine: usize,
    standings: &[Standing<'_>],
    changes: &[WhatIf],
) {
    let (mut said, mut rows, mut by_rate) = (Vec::new(), Vec::new(), By::Bound);
    for kind in report.request.rays.traced() {
        let (by, fastest) = ranked(standings.iter().copied().filter(|one| one.bounded.kind == kind));
        said.extend(conclusion(kind, by, &fastest, changes, machine));
        rows.extend(fastest.iter().take(TOP).copied());
        by_rate = if fastest.is_empty() { by_rate } else { by };
    }
    document.list(said);
    let caption = format!(
        "The {TOP} fastest kernels of each kind of rays on {}, by what is {}; rates in Mrays/s.",
        report.request.machines[machine].name(),
        match (by_rate, no_bound(standings)) {
            (By::Bound, Some(by)) => format!("foretold so by {by}"),
            (By::Bound, None) => "possible at most".into(),
            (by, _) => by.name().to_string(),
        }
    );
    document.table(sheet(standings, changes, machine).table(&rows).on_page(caption));
}

/// Returns the table columns of the fastest kernels.
fn sheet<'a>(among: &'a [Standing<'a>], changes: &'a [WhatIf], machine: usize) -> Sheet<'a, Standing<'a>> {
    type Row<'a> = Standing<'a>;
    let rate = |of: fn(&Row<'a>) -> Option<f64>| {
        Column::words(move |one: &Row<'a>| of(one).map_or_else(String::new, short_mrays))
    };
    let bound = |of: fn(&Bound) -> String| Column::words(move |one: &Row<'a>| one.bound().map_or_else(String::new, of));
    let of_it = |one: &Row<'a>| {
        let rate = one.measured().or(one.expected());
        rate.zip(one.bound()).map_or(Value::Nothing(""), |(rate, bound)| Value::Number(rate / bound.rays_per_s))
    };
    let next = |one: &Row<'a>| {
        let next = headroom(one.bounds());
        next.map_or_else(String::new, |(next, gain)| format!("{}, +{:.0} %", next.limit.name(), 100.0 * gain))
    };
    let pays = move |one: &Row<'a>| change_for(changes, machine, one.row);
    let rise = move |one: &Row<'a>| {
        pays(one).map_or_else(String::new, |best| match best.expected() {
            Some(gain) => format!("{:+.0} ({})", 100.0 * gain.share(), gain.interval_cell()),
            None => format!("{:+.0}", 100.0 * best.share()),
        })
    };
    Sheet(vec![
        Column::words(move |one: &Row<'a>| label(one.bounded, among)).page(0, "kernel"),
        Column::words(|one: &Row<'a>| one.bounded.kind.name()).page(1, "rays"),
        rate(Standing::measured).page(2, "measured"),
        rate(Standing::expected).page(3, "expected"),
        Column::words(|one: &Row<'a>| one.bound().map_or_else(String::new, |bound| one.marked(bound)))
            .page(4, "lowest bound"),
        Column::new(Unit::Percent, of_it).page(5, "of it, %"),
        bound(|bound| bound.limit.name()).page(6, "bound by"),
        Column::words(next).page(7, "next bound"),
        Column::words(move |one: &Row<'a>| pays(one).map_or_else(String::new, |best| best.what_if.change.clone()))
            .page(8, "what would pay most"),
        Column::words(rise).page(9, "rise, %"),
    ])
}

/// Returns the name of a report row, with what else distinguishes rows of one kernel.
pub(super) fn label(one: &Bounded, among: &[Standing<'_>]) -> String {
    let mut name = name_of(&one.variant);
    let mut same = among.iter().map(|other| other.bounded).filter(|other| other.variant == one.variant);
    if same.clone().any(|other| other.profile.counts.width != one.profile.counts.width) {
        name += &format!(", {} lanes", one.profile.counts.width);
    }
    if same.any(|other| other.leaf_size != one.leaf_size) {
        name += &format!(", leaves of {}", one.leaf_size);
    }
    name
}

/// Returns a sentence on the fastest kernel: how far it is from its bound, which change would pay, and what bounds most
/// other kernels.
fn conclusion(
    kind: TracedRays,
    by: By,
    fastest: &[Standing<'_>],
    changes: &[WhatIf],
    machine: usize,
) -> Option<String> {
    let best = fastest.first()?;
    let (name, rate) = (label(best.bounded, fastest), short_mrays(best.rate(by)?));
    let kind = capital(kind.name());
    let mut text = match by {
        By::Measured => format!("{kind} rays: {name} is the fastest, {rate} Mrays/s"),
        By::Expected => format!("{kind} rays: {name} should be the fastest, {rate} Mrays/s by the model"),
        By::Bound => match no_bound(fastest) {
            Some(by) => format!("{kind} rays: {name} has the highest rate by {by}, which is no bound, {rate} Mrays/s"),
            None => format!("{kind} rays: {name} has the highest ceiling, {rate} Mrays/s"),
        },
    };
    if let Some(bound) = best.bound() {
        text += &match by {
            By::Bound => format!(", set by {}.", in_words(bound.limit)),
            _ => format!(
                ", {:.0} % of its {}, {} Mrays/s, set by {}.",
                100.0 * best.rate(by)? / bound.rays_per_s,
                match no_bound(fastest) {
                    Some(by) => format!("rate by {by}, which is no bound"),
                    None => "lowest bound".to_string(),
                },
                short_mrays(bound.rays_per_s),
                in_words(bound.limit)
            ),
        };
    } else {
        text.push('.');
    }
    if let Some(best) = change_for(changes, machine, best.row) {
        text += &format!(" What would pay most: {}.", best.in_words());
    }
    let mut counts: Vec<(Limit, usize)> = Vec::new();
    for limit in fastest.iter().filter_map(Standing::bound).map(|bound| bound.limit) {
        match counts.iter_mut().find(|(known, _)| *known == limit) {
            Some((_, count)) => *count += 1,
            None => counts.push((limit, 1)),
        }
    }
    if let Some((limit, count)) = counts.iter().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 1) {
        text += &format!(" Of {} kernels, {count} are limited by {}.", fastest.len(), in_words(*limit));
    }
    Some(text)
}
