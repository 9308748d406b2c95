//! The writer of Markdown: the tables and lines of a text, as pipe tables and paragraphs.
//!
//! A table has all columns of the text table, however wide. Words of cells that Markdown would read as marks are
//! escaped; paragraphs are taken as they are, since they are prose.

use super::document::{Block, Document, Group};
use super::table::ReportTable;
use super::text::text_table;
use raywarp_family::sources_of;
use std::fmt::Write;

impl Document {
    /// Returns what [`Document::text`] says as Markdown: its tables as pipe tables, its lines as paragraphs, its facts
    /// as a list.
    pub fn markdown(&self) -> String {
        let mut writer = Writer::default();
        let mut last = Vec::new();
        writer.blocks(&self.blocks, &mut last);
        for blocks in last {
            writer.blocks(blocks, &mut Vec::new());
        }
        if let Some(sources) = sources_of(&writer.text).filter(|_| !self.is_of_files) {
            writer.paragraph(&sources);
        }
        writer.text
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    /// `true` if the last line is of a list, which the next fact goes on with.
    is_in_list: bool,
}

impl Writer {
    fn blocks<'a>(&mut self, blocks: &'a [Block], last: &mut Vec<&'a [Block]>) {
        for block in blocks {
            match block {
                Block::Line(line) | Block::Paragraph(line) => self.paragraph(line),
                Block::Whole(lines) if lines.is_empty() => {}
                Block::Whole(lines) => self.paragraph(&format!("```text\n{}\n```", lines.trim_end_matches('\n'))),
                Block::Fact(name, words) | Block::WholeFact(name, words) => self.fact(name.trim(), words),
                Block::Table(table) => self.table(table),
                Block::Group(Group::Last, inner) => last.push(inner),
                Block::Group(Group::Programs, _) => {}
                Block::Group(_, inner) => self.blocks(inner, last),
                Block::Gap
                | Block::Heading(_)
                | Block::Prose(_)
                | Block::Note(_)
                | Block::List(_)
                | Block::Listing(_)
                | Block::Chart(..)
                | Block::Data(..)
                | Block::Run(_) => {}
            }
        }
    }

    fn paragraph(&mut self, text: &str) {
        self.is_in_list = false;
        if text.is_empty() {
            return;
        }
        self.gap();
        let _ = writeln!(self.text, "{text}");
    }

    fn fact(&mut self, name: &str, words: &str) {
        if !self.is_in_list {
            self.gap();
        }
        self.is_in_list = true;
        let _ = match name {
            "" => writeln!(self.text, "- {words}"),
            name => writeln!(self.text, "- {name}: {words}"),
        };
    }

    fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn table(&mut self, table: &ReportTable) {
        let Some(title) = &table.title else { return };
        if table.rows.is_empty() && table.total.is_none() {
            return;
        }
        self.paragraph(title);
        self.is_in_list = false;
        self.gap();
        let table = text_table(table);
        let shown = table.shown();
        let has_remarks = table.rows.iter().any(|(_, remark)| !remark.is_empty());
        let heads = shown.iter().map(|&place| table.columns[place].head.as_str());
        self.row(heads.chain(has_remarks.then_some("")));
        let rules = shown.iter().map(|&place| if table.columns[place].is_left { "---" } else { "---:" });
        let rules = rules.chain(has_remarks.then_some("---"));
        let _ = writeln!(self.text, "|{}|", rules.collect::<Vec<_>>().join("|"));
        for (cells, remark) in &table.rows {
            let cells = shown.iter().map(|&place| cells.get(place).map_or("", String::as_str));
            self.row(cells.chain(has_remarks.then_some(remark.as_str())));
        }
    }

    fn row<'a>(&mut self, cells: impl Iterator<Item = &'a str>) {
        let _ = writeln!(self.text, "| {} |", cells.map(escaped).collect::<Vec<_>>().join(" | "));
    }
}

/// Returns the words of a cell so that Markdown shows them as they are.
fn escaped(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    for character in cell.trim().chars() {
        match character {
            '\n' => text.push(' '),
            '|' | '\\' | '*' | '<' | '`' => text.extend(['\\', character]),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableColumn;

    fn document() -> Document {
        let mut document = Document::of_facts("kernels", 8);
        document
            .line("a line that goes on for more than eighty characters, and which no writer of Markdown breaks in two");
        document.fact("nodes", 12);
        document.fact("leaves", 13);
        let columns = [TableColumn::left("kernel"), TableColumn::right("rate"), TableColumn::right("none").rank(3)];
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let table = ReportTable::of_words(columns, vec![row(["a|b*", "1.5", "-"]), row(["c", "12", ""])]);
        document.table(table.in_text("Rates"));
        document.for_programs(|document| document.line("nowhere"));
        document.whole("raywarp info\n");
        document
    }

    #[test]
    fn tables_are_pipe_tables_and_lines_paragraphs() {
        let wanted = "\
a line that goes on for more than eighty characters, and which no writer of Markdown breaks in two

- nodes: 12
- leaves: 13

Rates

| kernel | rate |
|---|---:|
| a\\|b\\* | 1.5 |
| c | 12 |

```text
raywarp info
```
";
        assert_eq!(document().markdown(), wanted);
    }

    #[test]
    fn remarks_are_a_column_and_keys_of_papers_are_explained() {
        use crate::Column;
        let sheet = crate::Sheet(vec![
            Column::words(|row: &&str| *row).text(TableColumn::left("kernel")),
            Column::words(|row: &&str| if *row == "g14" { "WRONG" } else { "" }).remark(),
        ]);
        let mut document = Document::new("remarks");
        document.table(sheet.table(&["g14", "own"]).in_text_untitled());
        let markdown = document.markdown();
        assert!(markdown.starts_with("| kernel |  |\n|---|---|\n| g14 | WRONG |\n| own |  |\n\nG14: "), "{markdown}");
    }

    #[test]
    fn a_table_without_rows_is_nothing() {
        let mut document = Document::new("empty");
        document.table(ReportTable::of_words([TableColumn::left("a")], Vec::new()).in_text("title"));
        assert_eq!(document.markdown(), "");
    }
}
