//! Tables of text that fit a terminal: 80 characters across, or as wide as they are.
//!
//! A column without anything in it is left out. What does not fit 80 characters is left out by rank, and a last line
//! says what there is more and how to see it ([`Hidden`]). A name that is too long for its column has a line of its
//! own.

use raywarp_family::sources_of;
use std::fmt::Write;

/// Largest width of a text table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// Lines of at most 80 characters, for a terminal.
    Terminal {
        /// Name of the option by which the reader gets [`Room::Any`], for a line below tables that lack columns.
        all_columns: &'static str,
    },
    /// All columns are shown, however wide the lines are.
    Any,
}

impl Room {
    /// Lines of a terminal, for a reader who calls this library.
    pub const TERMINAL: Self = Self::Terminal { all_columns: "`Room::Any`" };
}

/// Number of characters in a line of a terminal of default width.
pub const ACROSS: usize = 80;

/// Largest number of characters for the names in a table line with other cells: those of all papers' kernels fit.
const NAME: usize = 34;

/// A column of a text table: its name, alignment, and rank by which it may be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    pub(super) head: String,
    pub(super) is_left: bool,
    is_whole: bool,
    rank: u8,
}

impl TableColumn {
    /// Makes a left-aligned column, for words.
    pub fn left(head: impl Into<String>) -> Self {
        Self { head: head.into(), is_left: true, is_whole: false, rank: 0 }
    }

    /// Makes a right-aligned column, for numbers.
    pub fn right(head: impl Into<String>) -> Self {
        Self { is_left: false, ..Self::left(head) }
    }

    /// Sets the rank: where the table is too wide, columns of the highest rank are left out first, of equal ones the
    /// last; those of rank 0 (the default) never.
    pub fn rank(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// Makes the first column always whole: other columns are left out rather than long names put on lines of their
    /// own.
    pub fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }
}

/// A text table: rows of cells below column names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextTable {
    pub(super) columns: Vec<TableColumn>,
    /// Rows of cells, each with a remark to print below it.
    pub(super) rows: Vec<(Vec<String>, String)>,
}

/// Names of the columns that were left out of tables, and of the option that shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hidden {
    names: Vec<String>,
    all_columns: &'static str,
}

impl Hidden {
    /// Adds the last lines below tables: how to see hidden columns, and the papers whose citation keys occur in `text`.
    pub fn finish(&self, text: &mut String) {
        self.say(text);
        explain(text);
    }

    /// Adds a line on how to see hidden columns, if there are any.
    pub fn say(&self, text: &mut String) {
        if !self.names.is_empty() {
            let (count, names, option) = (self.names.len(), self.names.join(", "), self.all_columns);
            let line = format!("{count} more column{} with {option}: {names}", if count == 1 { "" } else { "s" });
            let _ = writeln!(text, "\n{}", wrapped(&line));
        }
    }
}

/// Adds a line that explains the citation keys in `text`, if there are any.
pub fn explain(text: &mut String) {
    if let Some(sources) = sources_of(text) {
        let _ = writeln!(text, "\n{}", wrapped(&sources));
    }
}

impl TextTable {
    /// Makes a table with these columns and without rows.
    pub fn new(columns: impl IntoIterator<Item = TableColumn>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row with one cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push((cells.into_iter().collect(), String::new()));
    }

    /// Adds a remark below the last row, on lines of its own.
    pub fn remark(&mut self, remark: impl Into<String>) {
        if let Some((_, below)) = self.rows.last_mut() {
            *below = remark.into();
        }
    }

    /// Appends the table to `text`; appends nothing if it has no rows.
    pub fn write(&self, text: &mut String, room: Room, hidden: &mut Hidden) {
        if self.rows.is_empty() {
            return;
        }
        let Layout { columns, gap, left_out } = self.layout(room);
        if let Room::Terminal { all_columns } = room {
            hidden.all_columns = all_columns;
        }
        for &column in &left_out {
            let name = &self.columns[column].head;
            if !hidden.names.contains(name) {
                hidden.names.push(name.clone());
            }
        }
        let taken: usize = columns.iter().map(|(_, width)| width + gap).sum();
        if room != Room::Any && taken > ACROSS + gap {
            return self.list(text, &columns);
        }
        let heads: Vec<String> = self.columns.iter().map(|column| column.head.clone()).collect();
        self.line(text, &heads, &columns, gap);
        for (cells, below) in &self.rows {
            self.line(text, cells, &columns, gap);
            for line in wrapped_to(below, ACROSS - 4).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }

    #[cfg(test)]
    /// Returns the table as text, with a note on the columns left out.
    pub fn text(&self, room: Room) -> String {
        let (mut text, mut hidden) = (String::new(), Hidden::default());
        self.write(&mut text, room, &mut hidden);
        hidden.finish(&mut text);
        text
    }

    /// Writes the column of cells that are too wide for the table as a list, one cell a line, each below its row's
    /// name.
    fn list(&self, text: &mut String, columns: &[(usize, usize)]) {
        let widest = columns.iter().skip(1).map(|&(column, _)| length(&self.columns[column].head)).max().unwrap_or(0);
        for (cells, below) in &self.rows {
            let _ = writeln!(text, "{}", wrapped(cells.first().map_or("", String::as_str)));
            for &(column, _) in &columns[1..] {
                let cell = cells.get(column).filter(|cell| !cell.is_empty() && *cell != "-");
                for (number, line) in cell
                    .map(|cell| wrapped_to(cell, ACROSS - widest - 4))
                    .iter()
                    .flat_map(|cell| cell.lines())
                    .enumerate()
                {
                    let head = if number == 0 { self.columns[column].head.as_str() } else { "" };
                    let _ = writeln!(text, "  {head:<widest$}  {line}");
                }
            }
            for line in wrapped_to(below, ACROSS - 4).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }

    fn line(&self, text: &mut String, cells: &[String], columns: &[(usize, usize)], gap: usize) {
        let start = text.len();
        for (place, &(column, width)) in columns.iter().enumerate() {
            let cell = cells.get(column).map_or("", String::as_str);
            if place > 0 {
                let _ = write!(text, "{:gap$}", "");
            } else if length(cell) > width {
                // On lines of its own.
                text.push_str(&wrapped(cell));
                let _ = write!(text, "\n{:width$}", "");
                continue;
            }
            let _ = if self.columns[column].is_left {
                write!(text, "{cell:<width$}")
            } else {
                write!(text, "{cell:>width$}")
            };
        }
        text.truncate(start + text[start..].trim_end().len());
        text.push('\n');
    }

    /// Returns the columns that say something: the first, and those with anything but dashes in them.
    pub(super) fn shown(&self) -> Vec<usize> {
        let is_empty = |cell: Option<&String>| cell.is_none_or(|cell| cell.is_empty() || cell == "-");
        let is_full = |column: usize| !self.rows.iter().all(|(cells, _)| is_empty(cells.get(column)));
        // Rows of dashes alone say that nothing was found.
        let any = (1..self.columns.len()).any(is_full);
        let says = |cell: Option<&String>| cell.is_some_and(|cell| !cell.is_empty());
        let has_cells = |&column: &usize| {
            column == 0 || is_full(column) || (!any && self.rows.iter().any(|(cells, _)| says(cells.get(column))))
        };
        (0..self.columns.len()).filter(has_cells).collect()
    }

    fn layout(&self, room: Room) -> Layout {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|(cells, _)| cells.get(column)).map(|cell| length(cell));
            cells.max().unwrap_or(0).max(length(&self.columns[column].head))
        };
        let mut columns: Vec<(usize, usize)> = self.shown().into_iter().map(|column| (column, width(column))).collect();
        let mut left_out = Vec::new();
        if room == Room::Any {
            return Layout { columns, gap: 2, left_out };
        }
        let longest = columns.first().map_or(0, |(_, width)| *width);
        // Names that are longer than that have lines of their own, and take no room from the other columns.
        let names = self.rows.iter().filter_map(|(cells, _)| cells.first()).map(|cell| length(cell));
        let most = if self.columns.first().is_some_and(|column| column.is_whole) { ACROSS } else { NAME };
        let short = names.filter(|length| *length <= most).max().unwrap_or(0).max(length(&self.columns[0].head));
        if let [(_, first), _, ..] = &mut columns[..] {
            *first = short;
        }
        let across = |columns: &[(usize, usize)], gap: usize| {
            columns.iter().map(|(_, width)| width).sum::<usize>() + gap * columns.len().saturating_sub(1)
        };
        let mut gap = 2;
        while across(&columns, gap) > ACROSS {
            let least =
                columns.iter().enumerate().skip(1).map(|(place, &(column, _))| (self.columns[column].rank, place));
            // Narrower gaps before the first that matters.
            match least.max().filter(|(rank, _)| *rank > 0) {
                Some((1, _)) if gap == 2 => gap = 1,
                Some((_, place)) => left_out.push(columns.remove(place).0),
                None if gap == 2 => gap = 1,
                None => break,
            }
        }
        left_out.sort_unstable();
        // Names have what the others leave.
        if let [(_, first), others @ ..] = &mut columns[..] {
            let taken = across(others, gap) + if others.is_empty() { 0 } else { gap };
            let left = ACROSS.saturating_sub(taken).max(8);
            *first = if longest <= left { longest } else { short.min(left) };
        }
        Layout { columns, gap, left_out }
    }
}

/// The columns of a table that are shown, with their widths.
struct Layout {
    /// Indices of the columns, with their widths.
    columns: Vec<(usize, usize)>,
    /// Number of spaces between two columns.
    gap: usize,
    left_out: Vec<usize>,
}

/// Returns the number of characters of a text.
fn length(text: &str) -> usize {
    text.chars().count()
}

/// Breaks prose into lines of at most 80 characters, without a line break at its end. A word that is longer
/// breaks where a variant or a path can be broken.
pub fn wrapped(text: &str) -> String {
    wrapped_to(text, ACROSS)
}

/// Breaks prose into lines of at most `across` characters, without a line break at its end.
pub fn wrapped_to(text: &str, across: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let mut rest = word;
            while length(&line) + usize::from(!line.is_empty()) + length(rest) > across {
                if !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                    continue;
                }
                let most = rest.char_indices().nth(across).map_or(rest.len(), |(at, _)| at);
                let at = rest[..most].rfind(['/', '?', '&', ',', '=']).map_or(most, |at| at + 1);
                lines.push(rest[..at].to_string());
                rest = &rest[at..];
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += rest;
        }
        lines.push(line);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells<const N: usize>(cells: [&str; N]) -> [String; N] {
        cells.map(String::from)
    }

    fn kernels(name: &str) -> TextTable {
        let long = |head: &str, rank: u8| TableColumn::right(format!("{head:>12}").replace(' ', "_")).rank(rank);
        let mut table = TextTable::new([
            TableColumn::left("kernel"),
            TableColumn::right("rate"),
            TableColumn::right("none"),
            long("b", 3),
            long("c", 2),
            long("d", 3),
            long("e", 1),
        ]);
        table.row(cells([name, "1.5", "-", "1", "2", "3", "4"]));
        table.row(cells(["b", "12.5", "", "1", "2", "3", "4"]));
        table
    }

    #[test]
    fn columns_of_the_highest_rank_go_first_and_the_last_line_says_so() {
        let name = "a".repeat(30);
        let text = kernels(&name).text(Room::TERMINAL);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0].split_whitespace().collect::<Vec<_>>(),
            ["kernel", "rate", "___________b", "___________c", "___________e"]
        );
        assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["b", "12.5", "1", "2", "4"]);
        assert_eq!(lines.last(), Some(&"1 more column with `Room::Any`: ___________d"));
        assert!(lines.iter().all(|line| line.len() <= ACROSS), "{text}");
        let wide = kernels(&name).text(Room::Any);
        assert!(wide.lines().count() == 3 && wide.contains("___________d") && !wide.contains("none"), "{wide}");
    }

    #[test]
    fn a_whole_name_leaves_room_for_fewer_columns() {
        let mut table = TextTable::new([
            TableColumn::left("variant").whole(),
            TableColumn::left("a").rank(1),
            TableColumn::left("b").rank(2),
        ]);
        table.row(["x".repeat(60), "y".repeat(15), "z".repeat(10)]);
        let lines: Vec<String> = table.text(Room::TERMINAL).lines().map(String::from).collect();
        assert_eq!(lines[1], format!("{}  {}", "x".repeat(60), "y".repeat(15)));
    }

    #[test]
    fn a_long_name_has_lines_of_its_own() {
        let name = format!("replace/speculative-while-while/wide4?{}", "leaves=nested&".repeat(6));
        let text = kernels(&name).text(Room::TERMINAL);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.len() <= ACROSS), "{text}");
        assert_eq!(lines[1..3].concat(), name);
        assert!(lines[3].starts_with("  ") && lines[3].trim_start().starts_with("1.5"), "{text}");
        // Right below their heads.
        assert_eq!(lines[3].find("1.5").map(|at| at + 3), lines[0].find("rate").map(|at| at + 4), "{text}");
    }

    #[test]
    fn what_no_table_holds_is_a_list() {
        let mut table = TextTable::new(["what", "ours", "theirs", "none"].map(TableColumn::left));
        table.row([String::from("a"), "long ".repeat(20), "short".into(), String::new()]);
        let text = table.text(Room::TERMINAL);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0] == "a" && lines[1].starts_with("  ours    long long") && lines[2].starts_with("          long"),
            "{text}"
        );
        assert_eq!(lines[lines.len() - 1], "  theirs  short");
        assert!(lines.iter().all(|line| line.len() <= ACROSS), "{text}");
        assert_eq!(table.text(Room::Any).lines().count(), 2);
    }

    #[test]
    fn rows_of_dashes_alone_are_shown() {
        let mut table = TextTable::new(["what", "ours", "theirs"].map(TableColumn::left));
        table.row(cells(["a", "-", ""]));
        assert_eq!(table.text(Room::Any), "what  ours\na     -\n");
    }

    #[test]
    fn remarks_and_prose_are_broken_into_lines() {
        let mut table = kernels("x");
        table.remark("WRONG ".repeat(30).trim_end());
        let text = table.text(Room::Any);
        assert!(text.lines().filter(|line| line.starts_with("    WRONG")).count() == 3, "{text}");
        assert!(text.lines().all(|line| line.len() <= ACROSS), "{text}");
        assert_eq!(wrapped("a b"), "a b");
        assert_eq!(wrapped(""), "");
        assert!(TextTable::new([TableColumn::left("a")]).text(Room::Any).is_empty());
    }

    #[test]
    fn keys_of_papers_are_explained_last() {
        let mut table = TextTable::new([TableColumn::left("kernel")]);
        table.row(cells(["g14-wide4"]));
        assert!(table.text(Room::TERMINAL).ends_with("g14-wide4\n\nG14: Guthe 2014\n"));
    }
}
