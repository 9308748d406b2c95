//! The changes that pay most, as text and as JSON.

use super::{RowGain, WhatIf, listed};
use crate::bounds::BoundsReport;
use crate::bounds::report::LOWEST_BOUND;
use crate::launch::ExpectedGain;
use raywarp_bench::table::{Hidden, Room, Table, TableColumn, wrapped};
use raywarp_sim::machine::Machine;

/// The words in place of an interval where the model of a multiprocessor does not have a change.
pub(crate) const NOT_MODELLED: &str = "not in the model";

/// Returns a share as it is printed, in per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:+.1}", 100.0 * share)
}

/// The meaning of the columns, for a machine whose changes are ranked by expected rates.
const BY_EXPECTED: &str = "change in %, mean over kernels and kinds of rays whose rates are told, and where most. The model of a multiprocessor ran again \
    with each change. nine of ten: where as many should lie, if a change is foretold as badly as the difference of two kernels on one scene was. undecided: it \
    may as well be that nothing changes. not in the model: it does not have that number. bound: rise of the lowest bound, all kinds of rays";

impl BoundsReport {
    /// Writes the changes of each machine that pay most, as text.
    pub(crate) fn write_what_if(&self, text: &mut String, room: Room, hidden: &mut Hidden) {
        let all = self.what_if();
        for (number, machine) in self.request.machines.iter().enumerate() {
            let listed = listed(&all, number);
            let by_expected = listed.iter().any(|what_if| what_if.by_expected);
            text.push_str(&format!("\n{}\n", wrapped(&self.what_if_title((number, machine), by_expected))));
            if listed.is_empty() {
                text.push_str("nothing: no table has what these kernels cost here\n");
            }
            let columns = [
                TableColumn::left("change"),
                TableColumn::right("mean"),
                TableColumn::left(if by_expected { "nine of ten" } else { "" }),
                TableColumn::right(if by_expected { "bound" } else { "" }),
                TableColumn::right("most").rank(1),
                TableColumn::left("where most").rank(2),
                TableColumn::left("options that make it").rank(3),
            ];
            let mut table = Table::new(columns);
            for what_if in listed {
                let (mean, interval) = what_if.cells();
                let (row, most) = what_if.most().unwrap_or((usize::MAX, f64::NAN));
                table.row([
                    what_if.change.clone(),
                    mean,
                    interval,
                    if by_expected { percent(what_if.bound_mean()) } else { String::new() },
                    if most.is_nan() { String::new() } else { percent(most) },
                    self.row_name(row),
                    what_if.options.clone(),
                ]);
            }
            table.write(text, room, hidden);
        }
    }

    fn what_if_title(&self, (number, machine): (usize, &Machine), by_expected: bool) -> String {
        let (name, ranked) = (machine.name(), self.lowest_name(number));
        match by_expected {
            true => format!("what would raise the expected rate on {name}: {BY_EXPECTED}"),
            false => format!(
                "what would raise the {ranked} on {name}, where no rate is told with an interval{}: rise in %, mean over kernels and \
                 kinds of rays, and where most",
                if ranked == LOWEST_BOUND { "" } else { " (it is no bound)" }
            ),
        }
    }

    /// Returns all changes, as a JSON array.
    pub fn what_if_json(&self) -> serde_json::Value {
        let of_row = |gain: &RowGain| {
            let row = &self.rows[gain.row];
            serde_json::json!({
                "variant": row.variant.to_string(),
                "kind": row.kind.name(),
                "leaf_size": row.leaf_size,
                "bound_gain_percent": 100.0 * gain.bound,
                "expected_gain": gain.expected.map(expected_json),
            })
        };
        let one = |what_if: &WhatIf| {
            serde_json::json!({
                "machine": self.request.machines[what_if.machine].name(),
                "change": what_if.change,
                "options": what_if.options,
                "ranked_by": if what_if.by_expected { "expected rate" } else { self.lowest_name(what_if.machine) },
                "bound_gain_percent": 100.0 * what_if.bound_mean(),
                "expected_gain": what_if.expected_mean().map(expected_json),
                "rows": what_if.gains.iter().map(of_row).collect::<Vec<_>>(),
            })
        };
        self.what_if().iter().map(one).collect()
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
    /// Returns the mean gain that it is ranked by, and its interval, as cells: empty words for an interval that there
    /// is none of.
    pub(crate) fn cells(&self) -> (String, String) {
        match (self.by_expected, self.expected_mean()) {
            (false, _) => (percent(self.bound_mean()), String::new()),
            (true, Some(gain)) => (percent(gain.share()), gain.interval_cell()),
            (true, None) => ("-".to_string(), NOT_MODELLED.to_string()),
        }
    }
}
