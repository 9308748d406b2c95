//! The writer of comma-separated values: what programs read of the columns that have a name for it.

use super::document::{Block, Document};
use super::table::{ReportTable, Value};

use serde_json::Value as Json;

impl Document {
    /// Returns the line of names that [`Document::csv`] has the rows of.
    pub fn csv_head(&self) -> String {
        let heads = self
            .csv_tables()
            .next()
            .map(|table| columns(table).into_iter().map(|(_, head, _)| head).collect::<Vec<_>>());
        heads.map_or_else(String::new, |heads| line(&heads))
    }

    /// Returns a line a row; what is not known is empty.
    pub fn csv(&self) -> String {
        let lines = |table| {
            let columns = columns(table);
            let cells = |row: &Vec<Value>| {
                columns.iter().map(|&(place, _, digits)| cell(table, row, place, digits)).collect::<Vec<_>>()
            };
            table.rows.iter().map(|row| line(&cells(row))).collect::<String>()
        };
        self.csv_tables().map(lines).collect()
    }

    fn csv_tables(&self) -> impl Iterator<Item = &ReportTable> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Table(table) if table.is_in_csv => Some(table),
            _ => None,
        })
    }
}

fn line(cells: &[String]) -> String {
    cells.join(",") + "\n"
}

/// Returns the columns in their order: the number in the table, the name and the digits.
fn columns(table: &ReportTable) -> Vec<(usize, String, usize)> {
    let mut named: Vec<_> =
        table.columns.iter().enumerate().filter_map(|(i, naming)| Some((i, naming.csv.as_ref()?))).collect();
    named.sort_by_key(|(_, (place, ..))| *place);
    named.into_iter().map(|(i, (_, head, digits))| (i, head.clone(), *digits)).collect()
}

fn cell(table: &ReportTable, row: &[Value], place: usize, digits: usize) -> String {
    match table.columns[place].for_programs(&row[place]) {
        Json::Null => String::new(),
        Json::Bool(is) => u8::from(is).to_string(),
        Json::String(words) => quoted(&words),
        Json::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => format!("{number:.digits$}"),
            None => number.to_string(),
        },
        other => quoted(&other.to_string()),
    }
}

/// Quotes a CSV cell that may hold a comma or a quotation mark (RFC 4180).
pub fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
}

/// Returns the cells of a CSV line; those in quotes may contain commas and doubled quotes (RFC 4180).
pub fn cells_of(line: &str) -> Vec<String> {
    let (mut cells, mut cell) = (Vec::new(), String::new());
    let (mut is_quoted, mut characters) = (false, line.chars().peekable());
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => cell.extend(characters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
    }
    cells.push(cell);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_are_quoted_are_read_again() {
        let cells = ["GPU \"X\"", "", "at most 4, every 4", "plain", "\"\"", ""];
        assert_eq!(cells_of(&cells.map(quoted).join(",")), cells);
        assert_eq!(cells_of(""), [""]);
    }

    #[test]
    fn quotation_marks_are_doubled() {
        assert_eq!(quoted("GPU \"X\""), "\"GPU \"\"X\"\"\"");
        assert_eq!(quoted("plain"), "plain");
    }
}
