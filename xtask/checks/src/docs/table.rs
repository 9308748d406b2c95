//! Tables: of a page, of what the command prints as Markdown or JSON, and of files of comma-separated values.

use serde_json::Value as Json;

/// A table with its heads, as words.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Table {
    /// What stands right above it.
    pub title: String,
    pub heads: Vec<String>,
    /// `true` for columns of numbers, which stand on the right.
    pub is_right: Vec<bool>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns the column with this head, the `number`th of them from 0.
    pub fn column(&self, head: &str, number: usize) -> Option<usize> {
        self.heads.iter().enumerate().filter(|(_, own)| *own == head).nth(number).map(|(at, _)| at)
    }

    /// Returns the table as Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| format!(" {} ", escaped(cell))).collect();
            // An empty cell is one space wide.
            format!(
                "|{}|\n",
                cells.iter().map(|cell| if cell == "  " { " " } else { cell }).collect::<Vec<_>>().join("|")
            )
        };
        let rules: Vec<&str> = self.is_right.iter().map(|is_right| if *is_right { "---:" } else { "---" }).collect();
        let mut text = line(&self.heads) + &format!("|{}|\n", rules.join("|"));
        self.rows.iter().for_each(|row| text += &line(row));
        text
    }
}

fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|")
}

/// Returns the pipe tables of a text.
pub(super) fn of_markdown(text: &str) -> Vec<Table> {
    let lines: Vec<&str> = text.lines().collect();
    let mut tables = Vec::new();
    let (mut at, mut title) = (0, "");
    while at < lines.len() {
        let is_table = lines[at].starts_with('|') && lines.get(at + 1).is_some_and(|line| is_rule(line));
        if !is_table {
            if !lines[at].trim().is_empty() {
                title = lines[at];
            }
            at += 1;
            continue;
        }
        let rows = lines[at + 2..].iter().take_while(|line| line.starts_with('|'));
        let rules = cells(lines[at + 1]);
        tables.push(Table {
            title: title.to_string(),
            heads: cells(lines[at]),
            is_right: rules.iter().map(|rule| rule.ends_with(':')).collect(),
            rows: rows.map(|line| cells(line)).collect(),
        });
        at += 2 + tables.last().map_or(0, |table| table.rows.len());
    }
    tables
}

fn is_rule(line: &str) -> bool {
    line.starts_with('|') && line.contains("---") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Splits a line of a pipe table into its cells. Only a bar needs its backslash; other marks keep theirs.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut characters = line.trim().trim_start_matches('|').chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '|' => cells.push(String::new()),
            '\\' if characters.peek() == Some(&'|') => cells.last_mut().into_iter().for_each(|cell| cell.push('|')),
            other => cells.last_mut().into_iter().for_each(|cell| cell.push(other)),
        }
        if character == '\\' {
            characters.next_if_eq(&'|');
        }
    }
    // Nothing stands behind the last bar.
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_string()).collect()
}

/// A row of a source: names of columns and what they have. A number of a JSON document has all its digits.
pub(super) type Row = Vec<(String, String)>;

/// Returns the rows of all tables, each with the title of its table as `table`. The second of two columns with the same
/// head is `head#2`, and one without a head is `label`.
pub(super) fn rows_of_tables(tables: &[Table]) -> Vec<Row> {
    let name = |heads: &[String], at: usize| match heads[..at].iter().filter(|head| **head == heads[at]).count() {
        0 if heads[at].is_empty() => "label".to_string(),
        0 => heads[at].clone(),
        earlier => format!("{}#{}", heads[at], earlier + 1),
    };
    let row = |table: &Table, row: &Vec<String>| {
        let names = (0..table.heads.len()).map(|at| name(&table.heads, at));
        let cells = names.zip(row.iter().map(|cell| unescaped(cell)));
        cells.chain([("table".to_string(), table.title.clone())]).collect()
    };
    tables.iter().flat_map(|table| table.rows.iter().map(move |cells| row(table, cells))).collect()
}

fn unescaped(cell: &str) -> String {
    ["*", "<", "`", "\\"].iter().fold(cell.to_string(), |cell, mark| cell.replace(&format!("\\{mark}"), mark))
}

/// Returns the rows of a text of comma-separated values, whose first line has their names.
pub(super) fn rows_of_csv(text: &str) -> Vec<Row> {
    let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(csv_cells);
    let heads = lines.next().unwrap_or_default();
    lines.map(|cells| heads.iter().cloned().zip(cells).collect()).collect()
}

fn csv_cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut is_quoted, mut characters) = (false, line.chars().peekable());
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cells.last_mut().into_iter().for_each(|cell| cell.push('"'));
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cells.last_mut().into_iter().for_each(|cell| cell.push(other)),
        }
    }
    cells
}

/// Name of a row's last cell, which says how many cells before it are those of objects around the row's own.
pub(super) const AROUND: &str = "#around";

/// Returns a row for each object of the arrays of a document, with the plain values of all objects around it, the
/// array's name as `array` and the place in each array (from 0) as `name#`, and one row for the document's own values.
/// Values of inner objects are `outer.inner`.
pub(super) fn rows_of_json(document: &Json) -> Vec<Row> {
    let mut rows = Vec::new();
    walk(document, &Row::new(), "", &mut rows);
    rows
}

fn walk(value: &Json, around: &Row, array: &str, rows: &mut Vec<Row>) {
    let (mut row, mut arrays) = (Row::new(), Vec::new());
    flatten(value, "", &mut row, &mut arrays);
    row.extend(around.iter().cloned());
    let last = [("array", array.to_string()), (AROUND, (around.len() + 1).to_string())];
    rows.push(row.iter().cloned().chain(last.map(|(name, value)| (name.to_string(), value))).collect());
    for (name, values) in arrays {
        for (place, value) in values.iter().enumerate() {
            let place = (format!("{name}#"), place.to_string());
            walk(value, &row.iter().cloned().chain([place]).collect(), &name, rows);
        }
    }
}

fn flatten<'a>(value: &'a Json, name: &str, row: &mut Row, arrays: &mut Vec<(String, &'a Vec<Json>)>) {
    let inner = |key: &str| if name.is_empty() { key.to_string() } else { format!("{name}.{key}") };
    match value {
        Json::Object(members) => {
            members.iter().for_each(|(key, value)| flatten(value, &inner(key), row, arrays));
        }
        Json::Array(values) if values.iter().any(Json::is_object) => arrays.push((name.to_string(), values)),
        Json::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| flatten(value, &inner(&at.to_string()), row, arrays));
        }
        Json::String(words) => row.push((name.to_string(), words.clone())),
        Json::Null => row.push((name.to_string(), String::new())),
        other => row.push((name.to_string(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_s_table_is_written_as_it_was_read() {
        let text = "| a | b\\|c |\n|---|---:|\n| | 1 |\n| x\\* | 2 |\n";
        let tables = of_markdown(&format!("title\n\n{text}\nafter\n"));
        assert_eq!((tables.len(), tables[0].title.as_str()), (1, "title"));
        assert_eq!(tables[0].heads, ["a", "b|c"]);
        assert_eq!(tables[0].markdown(), text);
        let rows = rows_of_tables(&tables);
        assert_eq!(rows[1][0], ("a".to_string(), "x*".to_string()));
    }

    #[test]
    fn values_of_objects_around_an_array_are_in_each_row() {
        let document = serde_json::json!({ "scene": "s", "rows": [
            { "kernel": "k", "rate": { "median": 1.25 }, "kinds": [{ "kind": "ao" }, { "kind": "diffuse" }] },
        ], "empty": [] });
        let rows = rows_of_json(&document);
        let find = |row: &Row, name: &str| row.iter().find(|(own, _)| own == name).unwrap().1.clone();
        let arrays: Vec<String> = rows.iter().map(|row| find(row, "array")).collect();
        assert_eq!(arrays, ["", "rows", "kinds", "kinds"]);
        assert_eq!((find(&rows[3], "kind"), find(&rows[3], "rate.median")), ("diffuse".into(), "1.25".into()));
        assert_eq!((find(&rows[2], "scene"), find(&rows[3], "kinds#")), ("s".into(), "1".into()));
        assert_eq!(rows_of_json(&serde_json::json!({ "a": 1, "b": [2, 3] })).len(), 1);
    }

    #[test]
    fn quoted_cells_of_comma_separated_values_are_one() {
        let rows = rows_of_csv("a,b\n\"x,\"\"y\"\"\",2\n");
        assert_eq!(rows[0], [("a".to_string(), "x,\"y\"".to_string()), ("b".to_string(), "2".to_string())]);
    }
}
