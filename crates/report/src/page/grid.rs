//! The table of a page.

use super::super::table::ReportTable;
use super::escape;
use std::fmt::Write;

/// Cells of so many bytes stay on one line.
const UNBROKEN: usize = 32;

/// A table whose columns have something in them: all text is plain and escaped when it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    caption: String,
    head: Vec<String>,
    /// Cells by row; the first names its row.
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Returns the table as a page has it; none where the page does not name it or it has no rows.
    pub fn of(table: &ReportTable) -> Option<Self> {
        let caption = table.caption.clone().filter(|_| !table.rows.is_empty())?;
        let mut columns: Vec<_> = table
            .columns
            .iter()
            .enumerate()
            .filter_map(|(i, naming)| Some((i, naming, naming.page.as_ref()?)))
            .collect();
        columns.sort_by_key(|(.., (place, _))| *place);
        let head = columns.iter().map(|(.., (_, head))| head.clone()).collect();
        let cells = |row: &Vec<_>| columns.iter().map(|&(i, naming, _)| naming.on_page(&row[i])).collect();
        let rows = table.rows.iter().map(cells).collect();
        Some(Self { caption, head, rows }.without_empty_columns())
    }

    /// Returns the table of the facts of a run.
    pub fn of_run<'a>(facts: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let rows = facts.map(|(what, which)| vec![what.into(), which.into()]).collect();
        Self { caption: "The run".into(), head: vec!["what".into(), "which".into()], rows }.without_empty_columns()
    }

    fn without_empty_columns(mut self) -> Self {
        let is_empty = |cell: Option<&String>| cell.is_none_or(|cell| cell.is_empty() || cell == "-");
        let kept: Vec<bool> = (0..self.head.len())
            .map(|column| column == 0 || !self.rows.iter().all(|row| is_empty(row.get(column))))
            .collect();
        for row in self.rows.iter_mut().chain([&mut self.head]) {
            let mut column = 0;
            row.retain(|_| {
                column += 1;
                kept.get(column - 1) != Some(&false)
            });
        }
        self
    }

    /// Writes the table as HTML.
    pub fn write(&self, html: &mut String) {
        let numeric: Vec<bool> = (0..self.head.len()).map(|column| self.is_numeric(column)).collect();
        let class = |column: usize| if numeric.get(column) == Some(&true) { " class=\"n\"" } else { "" };
        // A table that scrolls makes columns of words as narrow as their longest word, and lines as tall as that takes.
        let of_cell = |column: usize, cell: &str| match class(column) {
            "" if cell.len() <= UNBROKEN => " class=\"s\"",
            class => class,
        };
        let _ = writeln!(
            html,
            "<div class=\"wide\" tabindex=\"0\">\n<table>\n<caption><span>{}</span></caption>\n<thead><tr>",
            escape(&self.caption)
        );
        for (column, name) in self.head.iter().enumerate() {
            let _ = write!(html, "<th scope=\"col\"{}>{}</th>", class(column), escape(name));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let (tag, scope) = if column == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
                let _ = write!(html, "<{tag}{scope}{}>{}</{tag}>", of_cell(column, cell), escape(cell));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table>\n</div>\n");
    }

    /// Checks if a column holds numbers: digits, signs and what follows them, and nothing else.
    fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        let short =
            |cell: &String| cell.len() < 16 && cell.starts_with(|c: char| c.is_ascii_digit() || "+-~".contains(c));
        cells().next().is_some() && cells().all(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_end_at_the_right() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let rows = vec![row(["while-while", "12.5", "-"]), row(["8 wide", "", "alu"])];
        let grid = Grid { caption: String::new(), head: row(["kernel", "rate", "limit"]), rows };
        assert_eq!([0, 1, 2].map(|column| grid.is_numeric(column)), [false, true, false]);
    }

    #[test]
    fn short_texts_stay_on_one_line_and_long_ones_break() {
        let long = "a source whose name takes more than one line of a table";
        let rows = vec![vec!["clock.mhz".into(), "1980".into(), "pipe alu at +1 %".into(), long.to_string()]];
        let head = ["number", "value", "then", "source"].map(String::from).to_vec();
        let mut html = String::new();
        Grid { caption: String::new(), head, rows }.write(&mut html);
        for cell in ["<td class=\"n\">1980", "<td class=\"s\">pipe alu at +1 %", &format!("<td>{long}")] {
            assert!(html.contains(cell), "{cell} is not in {html}");
        }
    }
}
