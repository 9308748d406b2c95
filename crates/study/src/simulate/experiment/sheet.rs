//! The columns of an experiment's table, theirs beside ours.

use super::report::{ComparedCell, ExperimentRow, ExperimentTable};
use raywarp_report::{Column, Sheet, TableColumn, Value};
use serde_json::{Map, Value as Json, json};

/// Returns a table column with what `of` tells of a row's cell in column number `number`.
fn cell<'a>(number: usize, of: impl Fn(&ComparedCell) -> Value + 'a) -> Column<'a, ExperimentRow> {
    Column::plain(move |row: &ExperimentRow| row.cells.get(number).map_or(Value::Nothing(""), &of))
}

impl ExperimentTable {
    /// Returns the table columns: for each kind of rays our numbers and, where the paper gives any, the paper's (on
    /// HTML pages first).
    pub(super) fn sheet(&self) -> Sheet<'_, ExperimentRow> {
        let says =
            |number: usize| self.rows.iter().any(|row| row.cells.get(number).is_some_and(|c| !c.theirs.is_empty()));
        let name = Column::words(|row: &ExperimentRow| row.name.clone());
        let mut columns = vec![name.text(TableColumn::left("")).page(0, "").key("name")];
        for (number, kind) in self.columns.iter().enumerate() {
            let ours = cell(number, |cell| Value::words(cell.ours.clone()));
            columns.push(ours.text(TableColumn::right(kind.clone())).page(2 * number + 2, format!("{kind}, ours")));
            let theirs = cell(number, |cell| Value::words(cell.theirs.text())).text(TableColumn::right("theirs"));
            let theirs = if says(number) { theirs.page(2 * number + 1, format!("{kind}, theirs")) } else { theirs };
            columns.push(theirs);
        }
        columns.push(Column::data(|row: &ExperimentRow| self.numbers(row)).key("cells"));
        Sheet(columns)
    }

    /// Returns the cells of a row as numbers for programs, by column.
    fn numbers(&self, row: &ExperimentRow) -> Map<String, Json> {
        let both = |number: usize| {
            row.cells.get(number).map(|cell| {
                let theirs = (!cell.theirs.is_empty()).then(|| cell.theirs.text());
                json!({ "theirs": theirs, "ours": cell.numbers })
            })
        };
        self.columns.iter().enumerate().map(|(number, kind)| (kind.clone(), both(number).into())).collect()
    }
}
