//! What an experiment found, for people and for files.

use std::fmt;

/// Rows of cells under columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// In names of files.
    pub name: &'static str,
    /// What it is, with its place in the paper.
    pub title: String,
    /// Heads.
    pub columns: Vec<String>,
    /// As many cells each as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Sentences below it.
    pub notes: Vec<String>,
    /// Whether all pictures were the same.
    pub passes: bool,
}

impl Table {
    /// Without rows.
    pub fn new(name: &'static str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(ToString::to_string).collect();
        Self { name, title: title.into(), columns, rows: Vec::new(), notes: Vec::new(), passes: true }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// With another number of cells than there are columns.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.columns.len(), "{}: {cells:?}", self.name);
        self.rows.push(cells);
    }

    /// Comma-separated, heads first.
    pub fn csv(&self) -> String {
        let line = |cells: &[String]| cells.iter().map(|cell| field(cell)).collect::<Vec<_>>().join(",");
        std::iter::once(&self.columns).chain(&self.rows).map(|cells| line(cells) + "\n").collect()
    }

    /// As a JSON object: a row an object by heads.
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

/// In quotes where a reader would take it apart.
fn field(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
}

fn number_or_text(cell: &str) -> serde_json::Value {
    match cell.parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
        Some(number) => serde_json::Value::Number(number),
        None => serde_json::Value::String(cell.to_string()),
    }
}

impl fmt::Display for Table {
    /// Columns aligned: the first to the left, the others to the right.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let width = |column: usize| {
            let cells = std::iter::once(&self.columns).chain(&self.rows);
            cells.map(|cells| cells[column].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        for cells in std::iter::once(&self.columns).chain(&self.rows) {
            let mut line = String::from(" ");
            for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width - cell.chars().count());
                line += &if column == 0 { format!(" {cell}{gap}") } else { format!("  {gap}{cell}") };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "  {note}"))
    }
}
