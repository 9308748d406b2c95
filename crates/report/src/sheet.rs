//! Columns that are described once for all writers, for rows of any type.

use super::table::{Naming, ReportTable, Unit, Value};
use super::text_table::TableColumn;

/// A function that returns a row's value in a column.
type Of<'a, Row> = Box<dyn Fn(&Row) -> Value + 'a>;

/// A column of a table: the value that a row has in it, and how each writer calls it.
pub struct Column<'a, Row> {
    value: Of<'a, Row>,
    naming: Naming,
}

/// Digits of a number in a table of comma-separated values.
const CSV_DIGITS: usize = 3;

impl<'a, Row: 'a> Column<'a, Row> {
    /// Returns a column that no writer has a name for yet.
    pub fn new(unit: Unit, value: impl Fn(&Row) -> Value + 'a) -> Self {
        Self { value: Box::new(value), naming: Naming::of(unit) }
    }

    /// Returns a column of words or whole numbers.
    pub fn plain(value: impl Fn(&Row) -> Value + 'a) -> Self {
        Self::new(Unit::Plain, value)
    }

    /// Returns a column of whole numbers.
    pub fn count(count: impl Fn(&Row) -> u64 + 'a) -> Self {
        Self::plain(move |row| Value::Count(count(row)))
    }

    /// Returns a column of numbers with so many digits after the point; those that are not known are dashes.
    pub fn number<Number: Into<Option<f64>>>(digits: usize, number: impl Fn(&Row) -> Number + 'a) -> Self {
        Self::plain(move |row| Value::known(number(row).into())).digits(digits)
    }

    /// Returns a column of words.
    pub fn words<Words: Into<String>>(words: impl Fn(&Row) -> Words + 'a) -> Self {
        Self::plain(move |row| Value::words(words(row)))
    }

    /// Returns a column of data that only programs read.
    pub fn data<Data: Into<serde_json::Value>>(data: impl Fn(&Row) -> Data + 'a) -> Self {
        Self::plain(move |row| Value::data(data(row)))
    }

    /// Sets how many digits numbers have after the point where people read them.
    pub fn digits(mut self, digits: usize) -> Self {
        self.naming.digits = digits;
        self
    }

    /// Puts the column in text tables.
    pub fn text(mut self, column: TableColumn) -> Self {
        self.naming.text = Some(column);
        self
    }

    /// Puts the column's words below their rows in text tables.
    pub fn remark(mut self) -> Self {
        self.naming.is_remark = true;
        self
    }

    /// Puts the column on pages, as number `place` from the left.
    pub fn page(mut self, place: usize, head: impl Into<String>) -> Self {
        self.naming.page = Some((place, head.into()));
        self
    }

    /// Puts the column in JSON documents.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.naming.key = Some((None, key.into()));
        self
    }

    /// Puts the column in JSON documents, in an object of its own with others.
    pub fn key_in(mut self, object: impl Into<String>, key: impl Into<String>) -> Self {
        self.naming.key = Some((Some(object.into()), key.into()));
        self
    }

    /// Puts the column in tables of comma-separated values, as number `place` from the left.
    pub fn csv(mut self, place: usize, head: impl Into<String>) -> Self {
        self.naming.csv = Some((place, head.into(), CSV_DIGITS));
        self
    }

    /// Sets how many digits numbers have after the point in tables of comma-separated values.
    pub fn csv_digits(mut self, digits: usize) -> Self {
        if let Some((.., own)) = &mut self.naming.csv {
            *own = digits;
        }
        self
    }

    /// Returns the column for rows that lead to one of its own: nothing is said of a row that leads to none.
    pub fn of<Other: 'a>(self, own: impl Fn(&Other) -> Option<&Row> + 'a) -> Column<'a, Other> {
        let Self { value, naming } = self;
        let value = move |row: &Other| own(row).map_or(Value::Nothing(""), &value);
        Column { value: Box::new(value), naming }
    }
}

/// The columns of a table.
pub struct Sheet<'a, Row>(pub Vec<Column<'a, Row>>);

impl<'a, Row: 'a> Sheet<'a, Row> {
    /// Returns the table of some rows, which no writer has a name for yet.
    pub fn table<'r>(&self, rows: impl IntoIterator<Item = &'r Row>) -> ReportTable
    where
        Row: 'r,
    {
        let columns = self.0.iter().map(|column| column.naming.clone()).collect();
        ReportTable::new(columns, rows.into_iter().map(|row| self.row(row)).collect())
    }

    /// Returns the table of some rows and of their sum: a text has it as the last row, programs as the object `key`,
    /// and a page not at all.
    pub fn table_with_total<'r>(
        &self,
        rows: impl IntoIterator<Item = &'r Row>,
        key: impl Into<String>,
        total: &Row,
    ) -> ReportTable
    where
        Row: 'r,
    {
        ReportTable { total: Some((key.into(), self.row(total))), ..self.table(rows) }
    }

    fn row(&self, row: &Row) -> Vec<Value> {
        self.0.iter().map(|column| (column.value)(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::super::text_table::Room;
    use super::*;

    struct Kernel(&'static str, f64, Option<f64>);

    fn sheet() -> Sheet<'static, Kernel> {
        Sheet(vec![
            Column::words(|row: &Kernel| row.0)
                .text(TableColumn::left("kernel"))
                .page(0, "kernel")
                .key("name")
                .csv(2, "name"),
            Column::new(Unit::Percent, |row: &Kernel| Value::Number(row.1))
                .digits(1)
                .text(TableColumn::right("lanes"))
                .page(2, "lanes, %")
                .key("lanes_percent")
                .csv(0, "lanes"),
            Column::new(Unit::Millions, |row: &Kernel| Value::known(row.2))
                .text(TableColumn::right("rate"))
                .page(1, "Mrays/s")
                .key("mrays")
                .csv(1, "mrays")
                .csv_digits(1),
            Column::data(|row: &Kernel| row.0.len()).key("letters").csv(3, "letters"),
            Column::words(|row: &Kernel| if row.2.is_none() { "never ran" } else { "" }).remark(),
        ])
    }

    fn document() -> Document {
        let rows = [Kernel("if-if", 0.5, Some(2e6)), Kernel("packet, 2", f64::NAN, None)];
        let total = Kernel("all", 0.25, None);
        let mut document = Document::new("rates");
        let table = sheet().table_with_total(&rows, "all", &total);
        document.table(table.in_text_untitled().on_page("rates").key("rows").in_csv());
        document
    }

    #[test]
    fn four_writers_say_the_same_of_a_row() {
        let document = document();
        let wanted = "kernel     lanes  rate\nif-if       50.0     2\npacket, 2      -     -\n    never ran\n\
                      all         25.0     -\n    never ran\n";
        assert_eq!(document.text(Room::Any), wanted);
        let html = document.page(&Default::default()).html().to_string();
        for wanted in [
            "<th scope=\"col\">kernel</th><th scope=\"col\" class=\"n\">Mrays/s</th><th scope=\"col\" class=\"n\">lanes, %</th>",
            "<th scope=\"row\" class=\"s\">packet, 2</th><td class=\"n\"></td><td class=\"n\">-</td>",
        ] {
            assert!(html.contains(wanted), "{html}");
        }
        assert!(!html.contains("<th scope=\"row\" class=\"s\">all"), "{html}");
        let whole = serde_json::json!({ "name": "if-if", "lanes_percent": 50.0, "mrays": 2.0, "letters": 5 });
        let broken = serde_json::json!({ "name": "packet, 2", "lanes_percent": null, "mrays": null, "letters": 9 });
        let all = serde_json::json!({ "name": "all", "lanes_percent": 25.0, "mrays": null, "letters": 3 });
        assert_eq!(document.json(), serde_json::json!({ "rows": [whole, broken], "all": all }));
        assert_eq!(document.csv_head(), "lanes,mrays,name,letters\n");
        assert_eq!(document.csv(), "50.000,2.0,if-if,5\n,,\"packet, 2\",9\n");
    }

    #[test]
    fn a_column_of_another_row_says_nothing_where_there_is_none() {
        let of = |column: Column<'static, Kernel>| column.of(|row: &Option<Kernel>| row.as_ref());
        let sheet = Sheet(sheet().0.into_iter().map(of).collect());
        let rows = [Some(Kernel("if-if", 0.5, Some(2e6))), None];
        let mut document = Document::new("rates");
        document.table(sheet.table(&rows).in_text("of two"));
        assert_eq!(document.text(Room::Any), "\nof two\nkernel  lanes  rate\nif-if    50.0     2\n\n");
    }
}
