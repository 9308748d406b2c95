//! Charts of rates and bounds.

use super::ranking::{By, Standing, label, no_bound, ranked};
use crate::simulate::TracedRays;
use crate::simulate::fullness::capital;
use raywarp_report::{
    Document,
    chart::{Bar, Bars},
    short_mrays,
};
use raywarp_sim::machine::Machine;

/// Largest number of kernels for which bars are drawn; more of them are only in the tables.
const BARS: usize = 12;

/// Adds a bar chart of the kernels' rates with rays of one kind.
pub(super) fn rates(document: &mut Document, machine: &Machine, kind: TracedRays, standings: &[Standing<'_>]) {
    let (by, ranked) = ranked(standings.iter().copied().filter(|one| one.bounded.kind == kind));
    let shown = &ranked[..ranked.len().min(BARS)];
    let measured = shown.iter().any(|one| one.measured().is_some());
    let expects = shown.iter().any(|one| one.expected().is_some());
    let group = |one: &Standing<'_>| {
        let bound = one.bound().map(|bound| Bar {
            value: bound.rays_per_s / 1e6,
            label: format!("{}, {}", one.marked(bound), bound.limit.name()),
        });
        let expected =
            one.expected().map(|rate| Bar { value: rate / 1e6, label: format!("{} expected", short_mrays(rate)) });
        let rate = one.beside.map(|row| Bar {
            value: row.rate.rays_per_s / 1e6,
            label: match row.ratio() {
                Some(ratio) => format!("{}, {ratio:.2} of the bound", short_mrays(row.rate.rays_per_s)),
                None => short_mrays(row.rate.rays_per_s),
            },
        });
        let bars = [Some(bound), expects.then_some(expected), measured.then_some(rate)];
        (label(one.bounded, standings), bars.into_iter().flatten().collect())
    };
    let lowest = no_bound(shown).map_or("lowest bound".to_string(), |by| format!("rate by {by}"));
    let chart = Bars {
        axis: "Mrays/s".into(),
        series: [(true, lowest.as_str()), (expects, "expected"), (measured, "measured")]
            .into_iter()
            .filter(|(there, _)| *there)
            .map(|(_, name)| name.to_string())
            .collect(),
        groups: shown.iter().map(group).collect(),
        least_most: 0.0,
    };
    let of = if shown.len() < ranked.len() {
        format!("; the {} fastest of {}", shown.len(), ranked.len())
    } else {
        String::new()
    };
    document.chart(
        format!("bounds-{}-{}", machine.name(), kind.name()),
        format!(
            "{} rays on {}: each kernel's {lowest} and what sets it{of}, sorted by the rate that is {}",
            capital(kind.name()),
            machine.name(),
            match by {
                By::Bound if no_bound(shown).is_some() => "foretold so",
                By::Bound => "possible at most",
                by => by.name(),
            }
        ),
        chart,
    );
}
