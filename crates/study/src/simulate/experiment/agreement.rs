//! How near our numbers come to a paper's.

use super::report::{ComparedCell, ExperimentTable};
use crate::simulate::fullness::capital;
use raywarp_report::{Column, ReportTable, Sheet, Unit, Value};

/// A number of a paper with our number.
struct Compared<'a> {
    row: &'a str,
    column: &'a str,
    cell: &'a ComparedCell,
    /// Difference of our number from the paper's, as a fraction of the larger end of the paper's range.
    off: f64,
}

/// Returns all our numbers in a table that the paper gives as well.
fn compared(table: &ExperimentTable) -> Vec<Compared<'_>> {
    let mut all = Vec::new();
    for row in &table.rows {
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            for (&[least, most], &ours) in cell.theirs.ranges().iter().zip(&cell.numbers) {
                if ours.is_finite() {
                    let off = (least - ours).max(ours - most).max(0.0) / least.abs().max(most.abs()).max(1.0);
                    all.push(Compared { row: &row.name, column, cell, off });
                }
            }
        }
    }
    all
}

/// Relative difference within which our number agrees with the paper's.
const NEAR: f64 = 0.1;

/// Returns a table of the five cells that differ most from the paper's.
pub(super) fn farthest(tables: &[ExperimentTable]) -> ReportTable {
    type Far<'a> = (&'a ExperimentTable, Compared<'a>);
    let mut all: Vec<Far<'_>> =
        tables.iter().flat_map(|table| compared(table).into_iter().map(move |one| (table, one))).collect();
    all.retain(|(_, one)| one.off > NEAR);
    all.sort_by(|a, b| b.1.off.total_cmp(&a.1.off));
    // A cell may hold two numbers.
    let mut seen: Vec<*const ComparedCell> = Vec::new();
    all.retain(|(_, one)| {
        !seen.contains(&std::ptr::from_ref(one.cell)) && {
            seen.push(one.cell);
            true
        }
    });
    let several = tables.len() > 1;
    let title = move |(table, _): &Far<'_>| if several { capital(&table.title) } else { String::new() };
    let sheet = Sheet(vec![
        Column::words(|(_, one): &Far<'_>| format!("{}, {}", one.row, one.column)).page(0, "what"),
        Column::words(|(_, one): &Far<'_>| one.cell.theirs.text()).page(1, "theirs"),
        Column::words(|(_, one): &Far<'_>| one.cell.ours.clone()).page(2, "ours"),
        Column::new(Unit::Percent, |(_, one): &Far<'_>| Value::Number(one.off)).page(3, "off, %"),
        Column::words(title).page(4, "table"),
    ]);
    let caption = "The five numbers of the paper that ours are farthest from, more than a tenth";
    sheet.table(all.iter().take(5)).on_page(caption)
}

/// Returns a text on how near our numbers are to the paper's; `None` where it gives no numbers.
pub(super) fn agreement(table: &ExperimentTable) -> Option<String> {
    let all = compared(table);
    if all.is_empty() {
        return None;
    }
    let near = all.iter().filter(|one| one.off <= NEAR).count();
    // Of equals the first.
    let worst = all.iter().filter(|one| one.off > NEAR).reduce(|a, b| if b.off > a.off { b } else { a });
    let farthest = worst.map_or_else(String::new, |one| {
        format!(" The farthest: {}, {}: theirs {}, ours {}.", one.row, one.column, one.cell.theirs, one.cell.ours)
    });
    let (title, given) = (capital(&table.title), all.len());
    Some(format!("{title}: of {given} numbers of the paper ours agree with {near} to a tenth.{farthest}"))
}

#[cfg(test)]
mod tests {
    use super::super::report::ExperimentRow;
    use super::*;

    #[test]
    fn agreement_counts_numbers_and_names_the_farthest() {
        let cell = |theirs: &str, ours: f64| ComparedCell {
            theirs: theirs.into(),
            ours: format!("{ours}"),
            numbers: vec![ours],
        };
        let row = |name: &str, cells| ExperimentRow { name: name.into(), cells };
        let rows = vec![
            row("a", vec![cell("62", 60.0), cell("6-19", 25.0)]),
            row("b", vec![cell("less", 1.0), cell("", 2.0)]),
        ];
        let table = ExperimentTable { title: "t".into(), columns: vec!["x".into(), "y".into()], rows, why: vec![] };
        let said = agreement(&table).unwrap();
        for part in ["T: ", " 2 ", " 1 ", " a, y: ", " 6-19, ", " 25."] {
            assert!(said.contains(part), "{said}: not {part}");
        }
        let wordless = ExperimentTable { rows: table.rows[1..].to_vec(), ..table };
        assert_eq!(agreement(&wordless), None);
    }
}
