//! The columns of measured rates beside bounds, for text, JSON and page alike.

use super::report::{mrays, ratio};
use super::{MeasuredReport, MeasuredRow, TimeShare};
use crate::bounds::sheet::bound_json;
use crate::launch::{expected_cell, prediction_json};
use crate::report::sheet::{Column, Sheet, Unit, Value};
use crate::report::{number, short_mrays};
use raywarp_bench::table::TableColumn;
use raywarp_sim::bounds::{Bound, Class};
use serde_json::json;

/// Returns a rate as text tables and pages write it.
fn rate(rays_per_s: f64) -> Value {
    Value::Each { text: mrays(rays_per_s), page: short_mrays(rays_per_s), json: (rays_per_s / 1e6).into() }
}

/// Returns the lowest bound, in words of a text table and of a page.
fn bound(bound: &Bound) -> Value {
    let star = if bound.class == Class::Strict { "*" } else { "" };
    Value::Each {
        text: mrays(bound.rays_per_s) + star,
        page: short_mrays(bound.rays_per_s) + bound.class.mark(),
        json: bound_json(bound),
    }
}

/// Returns a rate to expect, with its interval.
fn expected(row: &MeasuredRow) -> Value {
    let cell = |write: fn(f64) -> String| expected_cell(row.prediction, row.expected, |rate| write(1e6 * rate));
    Value::Each {
        text: cell(mrays).unwrap_or_else(|| "-".into()),
        page: cell(short_mrays).unwrap_or_default(),
        json: row.expected.map(|rate| rate / 1e6).into(),
    }
}

/// Returns a column of a part of the measured time.
fn share((place, share): (usize, TimeShare)) -> Column<'static, MeasuredRow> {
    Column::new(Unit::Percent, move |row: &MeasuredRow| Value::known(row.share(share)))
        .text(TableColumn::right(format!("{} %", share.name())).rank(3))
        .page(9 + place, format!("{}, %", share.name()))
}

impl MeasuredReport {
    /// Returns the columns of its rows.
    pub(crate) fn sheet(&self) -> Sheet<'static, MeasuredRow> {
        let several = self.lines().any(|row| row.rate.view.is_some());
        let tree = |row: &MeasuredRow| Value::Words(format!("{}/{}", row.rate.tree, row.rate.build.max_leaf));
        let view = move |row: &MeasuredRow| {
            let page = if several { row.view() } else { String::new() };
            Value::said(page, row.rate.view)
        };
        let time = |row: &MeasuredRow| {
            let one = |(share, part): &(TimeShare, f64)| (share.name().to_string(), json!(100.0 * part));
            let shares = row.shares.as_ref().map(|all| all.iter().map(one).collect::<serde_json::Map<_, _>>());
            Value::data(shares)
        };
        let mut columns = vec![
            Column::plain(|row: &MeasuredRow| Value::Words(row.name()))
                .text(TableColumn::left("kernel"))
                .page(0, "kernel")
                .key("name"),
            Column::plain(tree).text(TableColumn::left("tree").rank(2)).page(2, "tree"),
            Column::plain(|row: &MeasuredRow| Value::said(row.kind(), row.rate.kind.name()))
                .text(TableColumn::left("rays"))
                .page(1, "rays")
                .key("kind"),
            Column::plain(view).page(3, "views").key("view"),
            Column::new(Unit::Millions, |row: &MeasuredRow| rate(row.rate.rays_per_s))
                .text(TableColumn::right("measured"))
                .page(4, "measured")
                .key("measured_mrays_per_s"),
            Column::new(Unit::Millions, expected)
                .text(TableColumn::right("expected").rank(1))
                .page(5, "expected")
                .key("expected_mrays_per_s"),
            Column::new(Unit::Millions, |row: &MeasuredRow| row.lowest().map_or(Value::Nothing("-"), bound))
                .text(TableColumn::right("bound"))
                .page(6, "bound")
                .key("lowest"),
            Column::plain(|row: &MeasuredRow| match row.lowest() {
                Some(bound) => Value::Words(bound.limit.name()),
                None => Value::Nothing("-"),
            })
            .text(TableColumn::left("set by"))
            .page(7, "bound by"),
            Column::plain(|row: &MeasuredRow| match row.ratio() {
                Some(of) => Value::Each { text: ratio(of), page: number(of, 2), json: of.into() },
                None => Value::Nothing("-"),
            })
            .text(TableColumn::right("ratio"))
            .page(8, "ratio")
            .key("ratio"),
            Column::plain(|row: &MeasuredRow| Value::Words(row.mark().to_string())).text(TableColumn::left("")),
        ];
        columns.extend(TimeShare::ALL.into_iter().enumerate().map(share));
        columns.extend([
            Column::plain(|row: &MeasuredRow| Value::Words(row.rate.subject.to_string())).key("variant"),
            Column::plain(|row: &MeasuredRow| Value::data(row.rate.order.name())).key("order"),
            Column::plain(|row: &MeasuredRow| Value::data(row.rate.workload.name())).key("workload"),
            Column::plain(|row: &MeasuredRow| Value::data(row.rate.tree.clone())).key("tree"),
            Column::plain(|row: &MeasuredRow| Value::Count(row.rate.build.max_leaf.into())).key("max_leaf"),
            Column::plain(|row: &MeasuredRow| Value::Count(row.rate.rays)).key("rays"),
            Column::new(Unit::Millions, |row: &MeasuredRow| Value::Number(row.rate.most_rays_per_s))
                .key("fastest_mrays_per_s"),
            Column::plain(|row: &MeasuredRow| Value::data(prediction_json(row.prediction))).key("prediction"),
            Column::plain(|row: &MeasuredRow| Value::data(row.above_strict().map(bound_json))).key("above_strict"),
            Column::plain(|row: &MeasuredRow| Value::data(row.bounds.iter().map(bound_json).collect::<Vec<_>>()))
                .key("bounds"),
            Column::plain(|row: &MeasuredRow| Value::known(row.instructions)).key("warp_instructions_per_ray"),
            Column::new(Unit::Percent, |row: &MeasuredRow| Value::known(row.assumed))
                .key("instructions_assumed_percent"),
            Column::plain(|row: &MeasuredRow| Value::known(row.rate.start_and_tail.map(|seconds| 1e3 * seconds)))
                .key("start_and_tail_ms"),
            Column::plain(time).key("time_percent"),
        ]);
        Sheet(columns)
    }
}
