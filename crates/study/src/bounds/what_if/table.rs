//! The changes that pay most: a table for all, and on a page a chart and each kernel.

use super::advice::{Best, change_for};
use super::{RowGain, WhatIf, listed};
use crate::bounds::{Bounded, BoundsReport};
use crate::launch::ExpectedGain;
use crate::simulate::name_of;
use raywarp_report::{
    Column, Document, ReportTable, Sheet, TableColumn, Value,
    chart::{Bar, Bars},
    short_mrays,
};
use raywarp_sim::bounds::CostBasis;
use raywarp_sim::machine::Machine;
use serde_json::json;

/// Text in place of an interval where the clock-by-clock model does not have a change.
const NOT_MODELLED: &str = "not in the model";

/// Text that explains the columns, for a machine whose changes are ranked by expected rates.
const LEGEND: &str = "change in %, mean over kernels and kinds of rays whose rates are told, and where most. The model of a multiprocessor ran again \
    with each change. nine of ten: where as many should lie, if a change is foretold as badly as the difference of two kernels on one scene was. undecided: it \
    may as well be that nothing changes. not in the model: it does not have that number. bound: rise of the lowest bound, all kinds of rays";

/// Note on what a machine's changes are ranked by.
const BY_EXPECTED: &str = "The model of a multiprocessor ran again with each change, and changes are ranked by what they make of the expected rates that are told. Nine of ten gains should lie \
    in the interval, if a change is foretold as badly as the difference of two kernels on one scene was; undecided: it may as well be that nothing changes. What is not in the \
    model has no gain of it.";

/// Text on an HTML page that says which changes are tried.
const TRIED: &str = "One number is changed at a time: each number of the machine that bounds or expected rates use is doubled (latencies halved), each operation made a quarter \
    cheaper, the prefix sum free, and warps given other widths where the run had them. The rise of the lowest bound ends where the next one stands.";

/// Returns a fraction as text in per cent.
fn percent(share: f64) -> String {
    format!("{:+.1}", 100.0 * share)
}

/// Returns the options that make a change as text.
fn options(one: &WhatIf) -> String {
    one.options.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl BoundsReport {
    /// Adds the changes that would pay most on each machine; to text and JSON only if `is_asked`.
    pub(crate) fn what_would_pay(&self, document: &mut Document, all: &[WhatIf], is_asked: bool) {
        if is_asked {
            document.table(self.what_if_sheet(false).table(all).key("what_if"));
        }
        if !all.is_empty() {
            document.heading("What would pay most");
            document.note(TRIED);
        }
        for (number, machine) in self.request.machines.iter().enumerate() {
            let shown = listed(all, number);
            let by_expected = shown.iter().any(|one| one.by_expected);
            if by_expected {
                document.note(BY_EXPECTED);
            }
            self.what_if_chart(document, (number, machine), (&shown, by_expected));
            let ranked = self.ranked_by(number, by_expected);
            let mut table = self.what_if_sheet(by_expected).table(shown.iter().copied()).on_page(format!(
                "The changes that raise the {ranked} on {} most; last, to hold them against, warps of other widths that ran, and twice the machine without more bandwidth.",
                machine.name()
            ));
            if is_asked {
                table = table.in_text(self.what_if_title((number, machine), by_expected));
            }
            document.table(table);
            if is_asked && shown.is_empty() {
                document.line("nothing: no table has what these kernels cost here");
            }
            document.fold(format!("What would pay most for each kernel on {}", machine.name()), |document| {
                document.table(self.best_of_each((number, machine), all, by_expected));
            });
        }
    }

    /// Returns the name of the rates by which a machine's changes are ranked.
    fn ranked_by(&self, machine: usize, by_expected: bool) -> &'static str {
        if by_expected { "expected rate" } else { self.lowest_name(machine) }
    }

    /// Adds a bar chart of the mean rise by each change.
    fn what_if_chart(
        &self,
        document: &mut Document,
        (number, machine): (usize, &Machine),
        (shown, by_expected): (&[&WhatIf], bool),
    ) {
        let ranked = self.ranked_by(number, by_expected);
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
        let caption = format!(
            "The changes that would raise the {ranked}s on {} most, mean over kernels and kinds of rays",
            machine.name()
        );
        document.chart(format!("what-if-{}", machine.name()), caption, chart);
    }

    /// Returns the title of the table of changes in text.
    fn what_if_title(&self, (number, machine): (usize, &Machine), by_expected: bool) -> String {
        let (name, ranked) = (machine.name(), self.lowest_name(number));
        match by_expected {
            true => format!("what would raise the expected rate on {name}: {LEGEND}"),
            false => format!(
                "what would raise the {ranked} on {name}, where no rate is told with an interval{}: rise in %, mean over kernels and \
                 kinds of rays, and where most",
                if self.basis(number) == CostBasis::Code { "" } else { " (it is no bound)" }
            ),
        }
    }

    /// Returns the columns of the table of changes, for a machine whose changes are ranked by expected rates or by
    /// bounds.
    fn what_if_sheet(&self, by_expected: bool) -> Sheet<'_, WhatIf> {
        let where_expected = move |head: &'static str| if by_expected { head } else { "" };
        let bound = move |one: &WhatIf| if by_expected { percent(one.bound_mean()) } else { String::new() };
        let most = |one: &WhatIf| one.most().filter(|(_, most)| !most.is_nan());
        Sheet(vec![
            Column::words(|one: &WhatIf| one.change.clone())
                .text(TableColumn::left("change"))
                .page(0, "change")
                .key("change"),
            Column::words(|one: &WhatIf| one.cells().0).text(TableColumn::right("mean")).page(1, "mean %"),
            Column::words(|one: &WhatIf| one.cells().1)
                .text(TableColumn::left(where_expected("nine of ten")))
                .page(2, where_expected("nine of ten, %")),
            Column::words(bound)
                .text(TableColumn::right(where_expected("bound")))
                .page(3, where_expected("lowest bound %")),
            Column::words(move |one: &WhatIf| most(one).map_or_else(String::new, |(_, gain)| percent(gain)))
                .text(TableColumn::right("most").rank(1))
                .page(4, "most %"),
            Column::words(|one: &WhatIf| one.most().map_or_else(String::new, |(row, _)| self.row_name(row)))
                .text(TableColumn::left("where most").rank(2))
                .page(5, "where most"),
            Column::words(options)
                .text(TableColumn::left("options that make it").rank(3))
                .page(6, "options that make it")
                .key("options"),
            Column::data(|one: &WhatIf| self.request.machines[one.machine].name()).key("machine"),
            Column::data(|one: &WhatIf| self.ranked_by(one.machine, one.by_expected)).key("ranked_by"),
            Column::data(|one: &WhatIf| 100.0 * one.bound_mean()).key("bound_gain_percent"),
            Column::data(|one: &WhatIf| one.expected_mean().map(expected_json)).key("expected_gain"),
            Column::data(|one: &WhatIf| one.gains.iter().map(|gain| self.gain_json(gain)).collect::<Vec<_>>())
                .key("rows"),
        ])
    }

    fn gain_json(&self, gain: &RowGain) -> serde_json::Value {
        let row = &self.rows[gain.row];
        json!({
            "variant": row.variant.to_string(),
            "kind": row.kind.name(),
            "leaf_size": row.leaf_size,
            "bound_gain_percent": 100.0 * gain.bound,
            "expected_gain": gain.expected.map(expected_json),
        })
    }

    /// Returns a table of a machine's kernels, each with the change that would pay most for it.
    fn best_of_each(&self, (number, machine): (usize, &Machine), all: &[WhatIf], by_expected: bool) -> ReportTable {
        type Row<'a> = (&'a Bounded, Best<'a>);
        let of = |(row, bounded)| Some((bounded, change_for(all, number, row)?));
        let mine = self.rows.iter().enumerate().filter(|(_, row)| row.machine == number && row.lowest().is_some());
        let rows: Vec<Row<'_>> = mine.filter_map(of).collect();
        let bound = |(row, _): &Row<'_>| row.lowest().map_or_else(String::new, |bound| short_mrays(bound.rays_per_s));
        let limit =
            |(row, _): &Row<'_>| row.lowest().map_or(Value::Nothing(""), |bound| Value::words(bound.limit.name()));
        let interval = |(_, best): &Row<'_>| best.expected().map_or_else(String::new, ExpectedGain::interval_cell);
        let sheet = Sheet(vec![
            Column::words(|(row, _): &Row<'_>| name_of(&row.variant)).page(0, "kernel"),
            Column::words(|(row, _): &Row<'_>| row.kind.name()).page(1, "rays"),
            Column::words(bound).page(2, "bound"),
            Column::plain(limit).page(3, "limit"),
            Column::words(|(_, best): &Row<'_>| best.what_if.change.clone()).page(4, "change"),
            Column::words(|(_, best): &Row<'_>| percent(best.share())).page(5, "rise %"),
            Column::words(interval).page(6, if by_expected { "nine of ten, %" } else { "" }),
        ]);
        let ranked = self.ranked_by(number, by_expected);
        sheet.table(&rows).on_page(format!(
            "For each kernel on {}: its {} in Mrays/s, and the change that raises its {ranked} most{}",
            machine.name(),
            self.lowest_name(number),
            if by_expected { " (where no rate is told, its lowest bound)" } else { "" }
        ))
    }
}

fn expected_json(gain: ExpectedGain) -> serde_json::Value {
    let [low, high] = gain.interval();
    serde_json::json!({
        "percent": 100.0 * gain.share(),
        "low_percent": 100.0 * low,
        "high_percent": 100.0 * high,
        "decided": gain.is_decided(),
    })
}

impl WhatIf {
    /// Returns the mean rise that the change is ranked by and its interval as table cells; the latter is empty where
    /// there is none.
    fn cells(&self) -> (String, String) {
        match (self.by_expected, self.expected_mean()) {
            (false, _) => (percent(self.bound_mean()), String::new()),
            (true, Some(gain)) => (percent(gain.share()), gain.interval_cell()),
            (true, None) => ("-".to_string(), NOT_MODELLED.to_string()),
        }
    }
}
