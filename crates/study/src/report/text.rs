//! The writer of text: tables that fit a terminal, and lines between them.

use super::document::{Block, Document, Group};
use super::table::{Naming, ReportTable, Value};
use raywarp_bench::table::{Hidden, Room, TextTable, wrapped};
use std::fmt::Write;

impl Document {
    /// Returns the report as text.
    pub fn text(&self, room: Room) -> String {
        let mut writer = Writer { text: String::new(), room, hidden: Hidden::default() };
        let mut last = Vec::new();
        writer.blocks(&self.blocks, &mut last);
        for blocks in last {
            writer.blocks(blocks, &mut Vec::new());
        }
        let Writer { mut text, hidden, .. } = writer;
        hidden.finish(&mut text);
        text
    }
}

/// A text that grows, the room it has, and what it left out.
struct Writer {
    text: String,
    room: Room,
    hidden: Hidden,
}

impl Writer {
    fn blocks<'a>(&mut self, blocks: &'a [Block], last: &mut Vec<&'a [Block]>) {
        for block in blocks {
            match block {
                Block::Line(line) => self.line(line),
                Block::Paragraph(line) => {
                    self.text.push('\n');
                    self.line(line);
                }
                Block::Table(table) => self.table(table),
                Block::Group(Group::Last, inner) => last.push(inner),
                Block::Group(_, inner) => self.blocks(inner, last),
                Block::Heading(_)
                | Block::Prose(_)
                | Block::Note(_)
                | Block::List(_)
                | Block::Chart(..)
                | Block::Data(..)
                | Block::Run(_) => {}
            }
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}", wrapped(line));
    }

    fn table(&mut self, table: &ReportTable) {
        let Some(title) = &table.title else { return };
        if !title.is_empty() {
            self.text.push('\n');
            self.line(title);
        }
        let mut lines = TextTable::new(table.columns.iter().filter_map(|naming| naming.text.clone()));
        for row in table.rows.iter().chain(table.total.as_ref().map(|(_, row)| row)) {
            let pairs = || table.columns.iter().zip(row);
            let cell = |(naming, value): (&Naming, &Value)| naming.text.is_some().then(|| naming.in_text(value));
            lines.row(pairs().filter_map(cell));
            for (naming, value) in pairs().filter(|(naming, _)| naming.is_remark) {
                lines.remark(naming.in_text(value));
            }
        }
        lines.write(&mut self.text, self.room, &mut self.hidden);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_last_stands_below_all_else_and_what_is_for_pages_nowhere() {
        let mut document = Document::new("order");
        document.line("first");
        document.heading("for pages");
        document.last_in_text(|document| document.paragraph("fourth"));
        document.fold("for pages", |document| document.line("second"));
        document.item("data", |document| document.line("third"));
        assert_eq!(document.text(Room::Any), "first\nsecond\nthird\n\nfourth\n");
    }
}
