//! The table of an experiment's results, for people and for files.

use super::page::charts;
use super::table_name::TableName;
use raywarp_report::{Column, Document, Sheet, TableColumn, Value};

/// Table of an experiment's results: rows of cells under columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name of the table.
    pub name: TableName,
    /// Title of the table, with its section or figure in the paper.
    pub title: String,
    /// Column headings of the table.
    pub columns: Vec<String>,
    /// Rows of the table, each with one cell for each column.
    pub rows: Vec<Vec<String>>,
    /// Place of each row on the axis of the table's chart; empty where the chart has a column for its axis, or none.
    pub axis: Vec<f64>,
    /// Sentences that are printed below the table.
    pub notes: Vec<String>,
    /// `true` if all cases rendered the same picture.
    pub passes: bool,
}

impl Table {
    /// Makes an empty table of a name, a title and columns.
    pub fn new(name: TableName, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(ToString::to_string).collect();
        Self { name, title: title.into(), columns, rows: Vec::new(), axis: Vec::new(), notes: Vec::new(), passes: true }
    }

    /// Makes an empty table with a note that says why it is left out.
    pub fn left_out(name: TableName, title: &str, why: &str) -> Self {
        Self { notes: vec![why.into()], ..Self::new(name, title, &["-"]) }
    }

    /// Adds a row of cells to the table.
    ///
    /// # Panics
    /// With another number of cells than there are columns.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.columns.len(), "{}: {cells:?}", self.name.text());
        self.rows.push(cells);
    }

    /// Adds a row of cells, which stands at `place` on the axis of the table's chart.
    pub fn row_at(&mut self, place: f64, cells: Vec<String>) {
        self.row(cells);
        self.axis.push(place);
    }

    /// Returns the table as a document, to be written as text, JSON or an HTML page.
    pub fn document(&self) -> Document {
        let mut document = Document::new(self.title.clone());
        self.describe(&mut document, "");
        document
    }

    /// Adds the table to a document: title, charts, rows and notes.
    pub(super) fn describe(&self, document: &mut Document, scene: &str) {
        document.data("name", self.name.text());
        document.data("title", self.title.clone());
        document.data("notes", self.notes.clone());
        document.data("same_pictures", self.passes);
        charts(document, scene, self);
        document.line(self.title.clone());
        let table = self.sheet().table(&self.rows).in_text_untitled();
        document.table(table.on_page(self.title.clone()).key("rows"));
        document.lines(self.notes.iter().cloned());
        self.notes.iter().for_each(|note| document.note(note.clone()));
    }

    /// Returns the table's columns: the first left-aligned in text, the others right-aligned.
    fn sheet(&self) -> Sheet<'_, Vec<String>> {
        let column = |(place, head): (usize, &String)| {
            let text = if place == 0 { TableColumn::left(head) } else { TableColumn::right(head) };
            let cell = move |row: &Vec<String>| Value::said(row[place].clone(), number_or_text(&row[place]));
            Column::plain(cell).text(text).page(place, head).key(head)
        };
        Sheet(self.columns.iter().enumerate().map(column).collect())
    }

    /// Returns the numbers of a column, one a row; NaN where a cell is not a number.
    pub fn numbers(&self, column: &str) -> Vec<f64> {
        let place = self.columns.iter().position(|head| head == column);
        let cells = self.rows.iter().map(|cells| place.and_then(|place| cells[place].parse().ok()));
        cells.map(|number| number.unwrap_or(f64::NAN)).collect()
    }
}

fn number_or_text(cell: &str) -> serde_json::Value {
    match cell.parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
        Some(number) => serde_json::Value::Number(number),
        None => serde_json::Value::String(cell.to_string()),
    }
}
