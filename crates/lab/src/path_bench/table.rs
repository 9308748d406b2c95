//! The table of an experiment's results, for people and for files.

use raywarp_bench::table::{Hidden, Room, Table as Rows, TableColumn, wrapped};

/// Table of an experiment: rows of cells under columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Name of the table, which is part of files' names.
    pub name: &'static str,
    /// Title of the table, with its place in the paper.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Rows, each with as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Sentences below it.
    pub notes: Vec<String>,
    /// `true` if all pictures were the same.
    pub passes: bool,
}

impl Table {
    /// Makes a table without rows.
    pub fn new(name: &'static str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(ToString::to_string).collect();
        Self { name, title: title.into(), columns, rows: Vec::new(), notes: Vec::new(), passes: true }
    }

    /// Makes a table without rows, with a note that says why.
    pub fn left_out(name: &'static str, title: &str, why: &str) -> Self {
        Self { notes: vec![why.into()], ..Self::new(name, title, &["-"]) }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// With another number of cells than there are columns.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.columns.len(), "{}: {cells:?}", self.name);
        self.rows.push(cells);
    }

    /// Writes the table for people: title, rows, and what is to be said of them.
    pub fn text(&self, room: Room) -> String {
        let columns = self.columns.iter().enumerate().map(|(column, head)| match column {
            0 => TableColumn::left(head),
            _ => TableColumn::right(head.as_str()),
        });
        let mut table = Rows::new(columns);
        self.rows.iter().for_each(|cells| table.row(cells.iter().cloned()));
        let (mut text, mut hidden) = (format!("{}\n", wrapped(&self.title)), Hidden::default());
        table.write(&mut text, room, &mut hidden);
        self.notes.iter().for_each(|note| text += &format!("{}\n", wrapped(note)));
        hidden.finish(&mut text);
        text
    }

    /// Returns the numbers of a column, by row; NaN where a cell is none.
    pub fn numbers(&self, column: &str) -> Vec<f64> {
        let place = self.columns.iter().position(|head| head == column);
        let cells = self.rows.iter().map(|cells| place.and_then(|place| cells[place].parse().ok()));
        cells.map(|number| number.unwrap_or(f64::NAN)).collect()
    }

    /// Returns the table as a JSON object: a row an object by heads.
    pub fn json(&self) -> serde_json::Value {
        let object = |cells: &Vec<String>| -> serde_json::Value {
            let pairs = self.columns.iter().cloned().zip(cells.iter().map(|cell| number_or_text(cell)));
            serde_json::Value::Object(pairs.collect())
        };
        serde_json::json!({
            "name": self.name,
            "title": self.title,
            "rows": self.rows.iter().map(object).collect::<Vec<_>>(),
            "notes": self.notes,
            "same_pictures": self.passes,
        })
    }
}

fn number_or_text(cell: &str) -> serde_json::Value {
    match cell.parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
        Some(number) => serde_json::Value::Number(number),
        None => serde_json::Value::String(cell.to_string()),
    }
}
