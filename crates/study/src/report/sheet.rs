//! The model of a report's table: its columns with their units are described once, and a text table, a JSON document
//! and a page's table are written from them.
//!
//! A [`Column`] says what a row has in it ([`Value`]) and how each of the three writers calls it; a writer that has
//! no name for it leaves it out.

use super::number;
use super::page::Grid;
use raywarp_bench::table::{Table, TableColumn};
use serde_json::{Map, Value as Json};

/// The unit of a column's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Words, or a number without a unit.
    Plain,
    /// A share from 0 to 1, given in per cent.
    Percent,
    /// A rate per second, given in millions.
    Millions,
}

impl Unit {
    fn of(self, number: f64) -> f64 {
        match self {
            Self::Plain => number,
            Self::Percent => 100.0 * number,
            Self::Millions => number / 1e6,
        }
    }
}

/// The value of a row in a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Nothing: null for programs, and in text what is given here.
    Nothing(&'static str),
    /// Words that are the same for everyone.
    Words(String),
    /// A whole number, without digits after a point.
    Count(u64),
    /// A number in the column's unit, a dash for people where it is none.
    Number(f64),
    /// A value that people read in text and on a page, and one that programs read.
    Each {
        /// The words in a text table.
        text: String,
        /// The words on a page.
        page: String,
        /// The data in a JSON document.
        json: Json,
    },
}

impl Value {
    /// Returns the same words for people, and other data for programs.
    pub fn said(words: impl Into<String>, json: impl Into<Json>) -> Self {
        let words = words.into();
        Self::Each { text: words.clone(), page: words, json: json.into() }
    }

    /// Returns data that only programs read.
    pub fn data(json: impl Into<Json>) -> Self {
        Self::said("", json)
    }

    /// Returns a number if it is known.
    pub fn known(number: Option<f64>) -> Self {
        number.map_or(Self::Nothing("-"), Self::Number)
    }
}

/// A function that returns a row's value in a column.
type Of<'a, Row> = Box<dyn Fn(&Row) -> Value + 'a>;

/// A column of a table, described once for all writers.
pub(crate) struct Column<'a, Row> {
    unit: Unit,
    digits: usize,
    value: Of<'a, Row>,
    text: Option<TableColumn>,
    /// The heading on a page, and its place there.
    page: Option<(usize, String)>,
    key: Option<String>,
}

impl<'a, Row> Column<'a, Row> {
    /// Returns a column that no writer has a name for yet.
    pub fn new(unit: Unit, value: impl Fn(&Row) -> Value + 'a) -> Self {
        Self { unit, digits: 0, value: Box::new(value), text: None, page: None, key: None }
    }

    /// Returns a column of words or whole numbers.
    pub fn plain(value: impl Fn(&Row) -> Value + 'a) -> Self {
        Self::new(Unit::Plain, value)
    }

    /// Sets how many digits numbers have after the point where people read them.
    pub fn digits(self, digits: usize) -> Self {
        Self { digits, ..self }
    }

    /// Puts the column in text tables.
    pub fn text(self, column: TableColumn) -> Self {
        Self { text: Some(column), ..self }
    }

    /// Puts the column on pages, as number `place` from the left.
    pub fn page(self, place: usize, head: impl Into<String>) -> Self {
        Self { page: Some((place, head.into())), ..self }
    }

    /// Puts the column in JSON documents.
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    fn in_text(&self, row: &Row) -> String {
        match (self.value)(row) {
            Value::Nothing(instead) => instead.to_string(),
            Value::Each { text, .. } => text,
            other => self.for_people(&other),
        }
    }

    fn on_page(&self, row: &Row) -> String {
        match (self.value)(row) {
            Value::Nothing(_) => String::new(),
            Value::Each { page, .. } => page,
            other => self.for_people(&other),
        }
    }

    fn for_people(&self, value: &Value) -> String {
        match value {
            Value::Words(words) => words.clone(),
            Value::Count(count) => count.to_string(),
            Value::Number(x) => number(self.unit.of(*x), self.digits),
            Value::Nothing(_) | Value::Each { .. } => String::new(),
        }
    }

    fn in_json(&self, row: &Row) -> Json {
        match (self.value)(row) {
            Value::Nothing(_) => Json::Null,
            Value::Words(words) => words.into(),
            Value::Count(count) => count.into(),
            Value::Number(x) => self.unit.of(x).into(),
            Value::Each { json, .. } => json,
        }
    }
}

/// The columns of a table.
pub(crate) struct Sheet<'a, Row>(pub Vec<Column<'a, Row>>);

impl<Row> Sheet<'_, Row> {
    /// Returns the columns of the text table.
    pub fn text_columns(&self) -> impl Iterator<Item = TableColumn> {
        self.0.iter().filter_map(|column| column.text.clone())
    }

    /// Returns a line of the text table.
    pub fn text_cells(&self, row: &Row) -> Vec<String> {
        self.0.iter().filter(|column| column.text.is_some()).map(|column| column.in_text(row)).collect()
    }

    /// Returns the text table.
    pub fn table<'r>(&self, rows: impl IntoIterator<Item = &'r Row>) -> Table
    where
        Row: 'r,
    {
        let mut table = Table::new(self.text_columns());
        rows.into_iter().for_each(|row| table.row(self.text_cells(row)));
        table
    }

    /// Returns the table of a page.
    pub fn grid<'r>(&self, caption: impl Into<String>, rows: impl IntoIterator<Item = &'r Row>) -> Grid
    where
        Row: 'r,
    {
        let mut shown: Vec<(usize, &String, &Column<'_, Row>)> = Vec::new();
        for column in &self.0 {
            shown.extend(column.page.as_ref().map(|(place, head)| (*place, head, column)));
        }
        shown.sort_by_key(|(place, ..)| *place);
        Grid {
            caption: caption.into(),
            head: shown.iter().map(|(_, head, _)| (*head).clone()).collect(),
            rows: rows.into_iter().map(|row| shown.iter().map(|(.., column)| column.on_page(row)).collect()).collect(),
        }
    }

    /// Returns a row as a JSON object.
    pub fn object(&self, row: &Row) -> Map<String, Json> {
        let with_key = |column: &Column<'_, Row>| Some((column.key.clone()?, column.in_json(row)));
        self.0.iter().filter_map(with_key).collect()
    }

    /// Returns the rows as JSON objects.
    pub fn objects<'r>(&self, rows: impl IntoIterator<Item = &'r Row>) -> Vec<Json>
    where
        Row: 'r,
    {
        rows.into_iter().map(|row| self.object(row).into()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bench::table::Room;

    struct Kernel(&'static str, f64, Option<f64>);

    fn sheet() -> Sheet<'static, Kernel> {
        Sheet(vec![
            Column::plain(|row: &Kernel| Value::Words(row.0.into()))
                .text(TableColumn::left("kernel"))
                .page(0, "kernel")
                .key("name"),
            Column::new(Unit::Percent, |row: &Kernel| Value::Number(row.1))
                .digits(1)
                .text(TableColumn::right("lanes"))
                .page(2, "lanes, %")
                .key("lanes_percent"),
            Column::new(Unit::Millions, |row: &Kernel| Value::known(row.2))
                .text(TableColumn::right("rate"))
                .page(1, "Mrays/s")
                .key("mrays"),
            Column::plain(|row: &Kernel| Value::data(row.0.len())).key("letters"),
        ])
    }

    #[test]
    fn three_writers_say_the_same_of_a_row() {
        let (sheet, rows) = (sheet(), [Kernel("if-if", 0.5, Some(2e6)), Kernel("packet", f64::NAN, None)]);
        let text = sheet.table(&rows).text(Room::Any);
        assert_eq!(text, "kernel  lanes  rate\nif-if    50.0     2\npacket      -     -\n");
        let grid = sheet.grid("rates", &rows);
        assert_eq!(grid.head, ["kernel", "Mrays/s", "lanes, %"]);
        assert_eq!(grid.rows, [["if-if", "2", "50.0"], ["packet", "", "-"]]);
        let whole = serde_json::json!({ "name": "if-if", "lanes_percent": 50.0, "mrays": 2.0, "letters": 5 });
        let broken = serde_json::json!({ "name": "packet", "lanes_percent": null, "mrays": null, "letters": 6 });
        assert_eq!(sheet.objects(&rows), [whole, broken]);
    }
}
