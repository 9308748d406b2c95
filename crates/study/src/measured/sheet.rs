//! The columns of measured rates beside bounds.

use super::report::{mrays, ratio};
use super::{MeasuredRow, TimeShare};
use crate::bounds::sheet::bound_json;
use crate::launch::{expected_cell, prediction_json};
use raywarp_report::{Column, Sheet, TableColumn, Unit, Value, number, short_mrays};
use raywarp_sim::bounds::{Bound, Class};
use serde_json::json;

/// Returns a measured rate as a table cell of texts and pages.
fn rate(rays_per_s: f64) -> Value {
    Value::Each { text: mrays(rays_per_s), page: short_mrays(rays_per_s), json: (rays_per_s / 1e6).into() }
}

/// Returns the lowest bound as a table cell of texts and pages.
fn bound(bound: &Bound) -> Value {
    let star = if bound.class == Class::Strict { "*" } else { "" };
    Value::Each {
        text: mrays(bound.rays_per_s) + star,
        page: short_mrays(bound.rays_per_s) + bound.class.mark(),
        json: bound_json(bound),
    }
}

/// Returns the expected rate with its interval as a table cell.
fn expected(row: &MeasuredRow) -> Value {
    let cell = |write: fn(f64) -> String| expected_cell(row.prediction, row.expected, |rate| write(1e6 * rate));
    Value::Each {
        text: cell(mrays).unwrap_or_else(|| "-".into()),
        page: cell(short_mrays).unwrap_or_default(),
        json: row.expected.map(|rate| rate / 1e6).into(),
    }
}

/// Returns a table column of one part of the measured time.
fn share((place, share): (usize, TimeShare)) -> Column<'static, MeasuredRow> {
    Column::new(Unit::Percent, move |row: &MeasuredRow| Value::known(row.share(share)))
        .text(TableColumn::right(format!("{} %", share.name())).rank(3))
        .page(9 + place, format!("{}, %", share.name()))
        .csv(23 + place, format!("{}_percent", share.name().replace(' ', "_")))
}

/// Returns the table columns for readers; HTML pages name viewpoints if there are `several`.
fn for_people(several: bool) -> Vec<Column<'static, MeasuredRow>> {
    let view = move |row: &MeasuredRow| {
        let page = if several { row.view() } else { String::new() };
        Value::said(page, row.rate.view)
    };
    vec![
        Column::words(MeasuredRow::name).text(TableColumn::left("kernel")).page(0, "kernel").key("name"),
        Column::words(|row: &MeasuredRow| format!("{}/{}", row.rate.tree, row.rate.build.max_leaf))
            .text(TableColumn::left("tree").rank(2))
            .page(2, "tree"),
        Column::plain(|row: &MeasuredRow| Value::said(row.kind(), row.rate.kind.name()))
            .text(TableColumn::left("rays"))
            .page(1, "rays")
            .key("kind")
            .csv(2, "kind"),
        Column::plain(view).page(3, "views").key("view"),
        Column::new(Unit::Millions, |row: &MeasuredRow| rate(row.rate.rays_per_s))
            .text(TableColumn::right("measured"))
            .page(4, "measured")
            .key("measured_mrays_per_s")
            .csv(12, "mrays_median"),
        Column::new(Unit::Millions, expected)
            .text(TableColumn::right("expected").rank(1))
            .page(5, "expected")
            .key("expected_mrays_per_s")
            .csv(18, "expected_mrays"),
        Column::new(Unit::Millions, |row: &MeasuredRow| row.lowest().map_or(Value::Nothing("-"), bound))
            .text(TableColumn::right("bound"))
            .page(6, "bound")
            .key("lowest"),
        Column::plain(|row: &MeasuredRow| match row.lowest() {
            Some(bound) => Value::Words(bound.limit.name()),
            None => Value::Nothing("-"),
        })
        .text(TableColumn::left("set by"))
        .page(7, "bound by")
        .csv(15, "bound"),
        Column::plain(|row: &MeasuredRow| match row.ratio() {
            Some(of) => Value::Each { text: ratio(of), page: number(of, 2), json: of.into() },
            None => Value::Nothing("-"),
        })
        .text(TableColumn::right("ratio"))
        .page(8, "ratio")
        .key("ratio")
        .csv(17, "ratio")
        .csv_digits(4),
        Column::words(MeasuredRow::mark).text(TableColumn::left("")),
    ]
}

/// Returns the table columns that only programs read.
fn for_programs() -> Vec<Column<'static, MeasuredRow>> {
    let time = |row: &MeasuredRow| {
        let one = |(share, part): &(TimeShare, f64)| (share.name().to_string(), json!(100.0 * part));
        row.shares.as_ref().map(|all| all.iter().map(one).collect::<serde_json::Map<_, _>>())
    };
    let bounds = |row: &MeasuredRow| row.bounds.iter().map(bound_json).collect::<Vec<_>>();
    let start_and_tail = |row: &MeasuredRow| row.rate.start_and_tail.map(|seconds| 1e3 * seconds);
    vec![
        Column::words(|row: &MeasuredRow| row.rate.subject.to_string()).key("variant").csv(6, "variant"),
        Column::words(|row: &MeasuredRow| row.rate.order.name()).key("order").csv(3, "order"),
        Column::words(|row: &MeasuredRow| row.rate.workload.name()).key("workload").csv(1, "workload"),
        Column::words(|row: &MeasuredRow| row.rate.tree.clone()).key("tree").csv(7, "tree"),
        Column::data(|row: &MeasuredRow| row.rate.build.max_leaf).key("max_leaf").csv(8, "max_leaf"),
        Column::data(|row: &MeasuredRow| row.rate.rays).key("rays").csv(11, "rays"),
        Column::new(Unit::Millions, |row: &MeasuredRow| Value::Number(row.rate.most_rays_per_s))
            .key("fastest_mrays_per_s")
            .csv(13, "mrays_max"),
        Column::data(|row: &MeasuredRow| prediction_json(row.prediction)).key("prediction"),
        Column::data(|row: &MeasuredRow| row.above_strict().map(bound_json)).key("above_strict"),
        Column::data(bounds).key("bounds"),
        Column::plain(|row: &MeasuredRow| Value::known(row.instructions)).key("warp_instructions_per_ray"),
        Column::new(Unit::Percent, |row: &MeasuredRow| Value::known(row.assumed))
            .key("instructions_assumed_percent")
            .csv(22, "assumed_percent"),
        Column::data(start_and_tail).key("start_and_tail_ms"),
        Column::data(time).key("time_percent"),
    ]
}

/// Returns the table columns that only CSV files have.
fn for_spreadsheets() -> Vec<Column<'static, MeasuredRow>> {
    let rate = |bound: Option<&Bound>| Value::known(bound.map(|bound| bound.rays_per_s));
    vec![
        Column::words(|row: &MeasuredRow| row.rate.scene.clone()).csv(0, "scene"),
        Column::words(MeasuredRow::view).csv(4, "view"),
        Column::words(|row: &MeasuredRow| row.rate.subject.name()).csv(5, "name"),
        Column::data(|row: &MeasuredRow| row.rate.bounds.block_threads).csv(9, "block_threads"),
        Column::data(|row: &MeasuredRow| row.rate.bounds.max_registers).csv(10, "max_registers"),
        Column::new(Unit::Millions, move |row: &MeasuredRow| rate(row.lowest())).csv(14, "bound_mrays"),
        Column::data(|row: &MeasuredRow| row.lowest().map(|bound| bound.class.name())).csv(16, "class"),
        Column::new(Unit::Millions, move |row: &MeasuredRow| rate(row.strict())).csv(19, "strict_mrays"),
        Column::data(|row: &MeasuredRow| row.strict().map(|bound| bound.limit.name())).csv(20, "strict"),
        Column::data(|row: &MeasuredRow| row.above_strict().is_some()).csv(21, "above_strict"),
    ]
}

/// Returns all columns of the table of measured rates; HTML pages name viewpoints if there are `several`.
pub(super) fn sheet(several: bool) -> Sheet<'static, MeasuredRow> {
    let shares = TimeShare::ALL.into_iter().enumerate().map(share);
    Sheet(for_people(several).into_iter().chain(shares).chain(for_programs()).chain(for_spreadsheets()).collect())
}
