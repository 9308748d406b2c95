//! The columns of an experiment's table, theirs beside ours, for text, JSON and page alike.

use super::report::{ComparedCell, ExperimentRow, ExperimentTable};
use crate::report::sheet::{Column, Sheet, Value};
use raywarp_bench::table::TableColumn;
use serde_json::json;

/// Returns a column with what `of` says of a row's cell in column number `number`.
fn cell<'a>(number: usize, of: impl Fn(&ComparedCell) -> Value + 'a) -> Column<'a, ExperimentRow> {
    Column::plain(move |row: &ExperimentRow| row.cells.get(number).map_or(Value::Nothing(""), &of))
}

impl ExperimentTable {
    /// Returns the columns: for each kind of rays ours and the paper's, on a page theirs first, where the paper says
    /// anything.
    pub(crate) fn sheet(&self) -> Sheet<'_, ExperimentRow> {
        let says =
            |number: usize| self.rows.iter().any(|row| row.cells.get(number).is_some_and(|c| !c.theirs.is_empty()));
        let name = Column::plain(|row: &ExperimentRow| Value::Words(row.name.clone()));
        let mut columns = vec![name.text(TableColumn::left("")).page(0, "").key("name")];
        for (number, kind) in self.columns.iter().enumerate() {
            let ours = cell(number, |cell| Value::said(cell.ours.clone(), ()));
            columns.push(ours.text(TableColumn::right(kind.clone())).page(2 * number + 2, format!("{kind}, ours")));
            let theirs = cell(number, |cell| Value::said(cell.theirs.clone(), ())).text(TableColumn::right("theirs"));
            let theirs = if says(number) { theirs.page(2 * number + 1, format!("{kind}, theirs")) } else { theirs };
            columns.push(theirs);
        }
        Sheet(columns)
    }

    /// Returns the columns of a row's cells for programs: ours as numbers.
    fn numbers(&self) -> Sheet<'_, ExperimentRow> {
        let both = |cell: &ComparedCell| {
            let theirs = (!cell.theirs.is_empty()).then_some(&cell.theirs);
            Value::data(json!({ "theirs": theirs, "ours": cell.numbers }))
        };
        Sheet(self.columns.iter().enumerate().map(|(number, kind)| cell(number, both).key(kind.clone())).collect())
    }

    /// Returns the table as a JSON document has it.
    pub(super) fn json(&self) -> serde_json::Value {
        let (names, numbers) = (self.sheet(), self.numbers());
        let row = |row: &ExperimentRow| {
            let mut object = names.object(row);
            object.insert("cells".into(), numbers.object(row).into());
            object
        };
        json!({
            "title": self.title,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "why": self.why,
        })
    }
}
