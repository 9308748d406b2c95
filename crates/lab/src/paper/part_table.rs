//! The tables of an exhibit: one for people, a scene and part each, and one for programs.

use super::distance::{distance, distance_head};
use super::exhibit::{Exhibit, ExhibitTable, Quantity};
use super::judged::printed_number;
use super::record::{NumberSource, Record};
use super::table::{Line, lines};
use raywarp_papers::Measure;
use raywarp_report::{Column, Document, Sheet, TableColumn, Value, number};
use raywarp_workload::rays::RayKind;
use serde_json::Value as Json;

/// Adds a part's table of a scene; returns `true` if a column of ours lacks a number.
pub(super) fn part_table(document: &mut Document, part: &ExhibitTable, scene: &str, records: &[Record]) -> bool {
    let lines = lines(records, scene, part.quantities);
    let mut has_gap = false;
    // In some tables the column has something else than kinds of rays.
    let is_rays = |line: &Line<'_>| RayKind::ALL.iter().any(|kind| line.rays.starts_with(kind.name()));
    let rays = if lines.iter().all(is_rays) { "rays" } else { "" };
    let mut columns = vec![
        Column::words(|line: &Line<'_>| line.subject).text(TableColumn::left("")).page(0, ""),
        Column::words(|line: &Line<'_>| line.rays).text(TableColumn::left(rays)).page(1, rays),
    ];
    for (place, quantity) in part.quantities.iter().enumerate() {
        let has = |of: fn(&Record) -> bool| lines.iter().any(|line| line.cells[place].is_some_and(of));
        let (ours, theirs) = (has(|record| record.ours.is_some()), has(|record| !record.theirs.is_empty()));
        if ours {
            has_gap |= lines.iter().any(|line| line.cells[place].is_none_or(|record| record.ours.is_none()));
            columns.push(ours_column(place, quantity));
        }
        if theirs {
            columns.push(theirs_column(
                place,
                if ours {
                    "theirs".into()
                } else if scene.starts_with("theirs") {
                    quantity.head.into()
                } else {
                    format!("{}, theirs", quantity.head)
                },
            ));
        }
        if ours && theirs && quantity.is_compared {
            columns.push(off_column(place, quantity.measure, &lines));
        }
    }
    if lines.is_empty() {
        return false;
    }
    let title = format!("{scene}: {}", title(part, &lines));
    document.table(Sheet(columns).table(&lines).in_text(title.clone()).on_page(title));
    let intervals: Vec<String> =
        part.quantities.iter().enumerate().filter_map(|(place, quantity)| interval(quantity, place, &lines)).collect();
    if !intervals.is_empty() {
        let line = format!("95 % intervals: {}", intervals.join(", "));
        document.line(line.as_str());
        document.prose(line);
    }
    has_gap
}

/// Returns the title of a table with what those of its columns say that have a number.
fn title(part: &ExhibitTable, lines: &[Line<'_>]) -> String {
    let says =
        part.quantities.iter().enumerate().filter(|(place, quantity)| {
            !quantity.says.is_empty() && lines.iter().any(|line| line.cells[*place].is_some())
        });
    let words: Vec<&str> = std::iter::once(part.title).chain(says.map(|(_, quantity)| quantity.says)).collect();
    words.join(", ")
}

/// Returns the least and the largest half of the intervals in a column; `None` if it has none.
fn interval(quantity: &Quantity, place: usize, lines: &[Line<'_>]) -> Option<String> {
    let halves = lines.iter().filter_map(|line| line.cells[place]?.half());
    let (least, most) = halves.fold((f64::INFINITY, 0.0_f64), |(least, most), half| (least.min(half), most.max(half)));
    let said = |half: f64| number(half, quantity.digits.max(1));
    let range = if said(least) == said(most) { said(most) } else { format!("{} to {}", said(least), said(most)) };
    least.is_finite().then(|| format!("{} +-{range}", quantity.head))
}

fn ours_column<'a>(place: usize, quantity: &'a Quantity) -> Column<'a, Line<'a>> {
    // A page has a dash, too, where the text has one.
    let of = move |line: &Line<'a>| match line.cells[place].and_then(|record| record.ours) {
        Some(number) => Value::Number(number),
        None => Value::said("-", Json::Null),
    };
    let at = 2 + 3 * place;
    Column::plain(of)
        .digits(quantity.digits)
        .text(TableColumn::right(quantity.head))
        .page(at, format!("{}, ours", quantity.head))
}

fn theirs_column<'a>(place: usize, head: String) -> Column<'a, Line<'a>> {
    let of = move |line: &Line<'a>| Value::words(line.cells[place].map_or("", |record| record.theirs.text()));
    Column::plain(of).text(TableColumn::right(head.clone())).page(3 + 3 * place, head)
}

fn off_column<'a>(place: usize, measure: Measure, lines: &[Line<'_>]) -> Column<'a, Line<'a>> {
    let of = move |line: &Line<'a>| {
        let both = line.cells[place].and_then(|record| Some((record.ours?, record.claim()?)));
        both.map_or(Value::Nothing(""), |(ours, claim)| distance(claim, ours, measure))
    };
    let head = distance_head(lines.iter().filter_map(|line| line.cells[place]?.claim()));
    Column::plain(of).text(TableColumn::right(head)).page(4 + 3 * place, head)
}

/// Returns the columns of an exhibit's numbers, a row each, for programs.
pub(super) fn long(exhibit: &Exhibit) -> Sheet<'_, Record> {
    let unit = |record: &Record| exhibit.quantity(&record.quantity).map_or("", |quantity| quantity.unit);
    let source = |record: &Record| -> Json {
        match &record.source {
            NumberSource::Simulated => "simulated".into(),
            NumberSource::Measured(gpu) => format!("measured: {gpu}").into(),
            NumberSource::Recorded(run) => run.clone().into(),
            NumberSource::Nowhere => Json::Null,
        }
    };
    let theirs = |record: &Record| match record.theirs.text() {
        "" => Value::Nothing(""),
        words => Value::words(words),
    };
    Sheet(vec![
        Column::words(|record: &Record| record.scene.clone()).key("scene").csv(0, "scene"),
        Column::words(|record: &Record| record.subject.clone()).key("subject").csv(1, "subject"),
        Column::words(|record: &Record| record.rays.clone()).key("rays").csv(2, "rays"),
        Column::words(|record: &Record| record.quantity.clone()).key("quantity").csv(3, "quantity"),
        Column::number(3, |record: &Record| Some(printed_number(record)?.number)).key("theirs"),
        Column::plain(theirs).key("theirs_text").csv(4, "theirs"),
        Column::number(3, |record: &Record| record.ours).key("ours").csv(5, "ours"),
        Column::data(source).key("source").csv(6, "source"),
        Column::words(unit).key("unit").csv(7, "unit"),
        Column::number(3, Record::half).key("half").csv(8, "half"),
        Column::plain(|record: &Record| {
            let Some(draws) = &record.draws else { return Value::Nothing("") };
            Value::words(draws.numbers().iter().map(|draw| format!("{draw:.3}")).collect::<Vec<_>>().join(";"))
        })
        .key("draws")
        .csv(9, "draws"),
    ])
}
