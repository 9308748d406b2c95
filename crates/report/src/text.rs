//! The writer of text: tables that fit a terminal, and lines between them.

use super::document::{Block, Document, Group};
use super::table::{Naming, ReportTable, Value};
use super::text_table::{ACROSS, Hidden, Room, TextTable, wrapped, wrapped_to};
use std::fmt::Write;

impl Document {
    /// Returns the report as text.
    pub fn text(&self, room: Room) -> String {
        let mut writer = Writer { text: String::new(), room, hidden: Hidden::default(), gaps: 0 };
        let mut last = Vec::new();
        writer.blocks(&self.blocks, &mut last);
        for blocks in last {
            writer.blocks(blocks, &mut Vec::new());
        }
        let Writer { mut text, hidden, .. } = writer;
        match self.is_of_files {
            true => hidden.say(&mut text),
            false => hidden.finish(&mut text),
        }
        text
    }
}

/// A text that grows, the room it has, and what it left out.
struct Writer {
    text: String,
    room: Room,
    hidden: Hidden,
    /// Number of empty lines to write before what follows.
    gaps: usize,
}

impl Writer {
    fn blocks<'a>(&mut self, blocks: &'a [Block], last: &mut Vec<&'a [Block]>) {
        for block in blocks {
            match block {
                Block::Line(line) => self.line(line),
                Block::Paragraph(line) => {
                    self.gaps += 1;
                    self.line(line);
                }
                Block::Whole(lines) if lines.is_empty() => {}
                Block::Whole(lines) => {
                    self.fill_gaps();
                    self.text += lines;
                    if !lines.ends_with('\n') {
                        self.text.push('\n');
                    }
                }
                Block::Gap => self.gaps += 1,
                Block::Fact(name, words) => {
                    let across = ACROSS.saturating_sub(name.chars().count()).max(1);
                    self.fact(name, wrapped_to(words, across).lines());
                }
                Block::WholeFact(name, words) => self.fact(name, [words.as_str()].into_iter()),
                Block::Table(table) => self.table(table),
                Block::Group(Group::Last, inner) => last.push(inner),
                Block::Group(Group::Programs, _) => {}
                Block::Group(_, inner) => self.blocks(inner, last),
                Block::Heading(_)
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

    fn line(&mut self, line: &str) {
        self.fill_gaps();
        let _ = writeln!(self.text, "{}", wrapped(line));
    }

    fn fact<'a>(&mut self, name: &str, lines: impl Iterator<Item = &'a str>) {
        self.fill_gaps();
        for (number, line) in lines.enumerate() {
            let (name, width) = (if number == 0 { name } else { "" }, name.chars().count());
            let _ = writeln!(self.text, "{name:<width$}{line}");
        }
    }

    /// Writes the empty lines that were to come before what follows.
    fn fill_gaps(&mut self) {
        let gaps = std::mem::take(&mut self.gaps);
        self.text.extend(std::iter::repeat_n('\n', gaps));
    }

    fn table(&mut self, table: &ReportTable) {
        let Some(title) = &table.title else { return };
        if !title.is_empty() {
            self.gaps += 1;
            self.line(title);
        }
        let lines = text_table(table);
        if !table.rows.is_empty() {
            self.fill_gaps();
        }
        lines.write(&mut self.text, self.room, &mut self.hidden);
    }
}

/// Returns the columns that have a name for texts, the row of sums last and remarks with their rows.
pub(super) fn text_table(table: &ReportTable) -> TextTable {
    let mut lines = TextTable::new(table.columns.iter().filter_map(|naming| naming.text.clone()));
    for row in table.rows.iter().chain(table.total.as_ref().map(|(_, row)| row)) {
        let pairs = || table.columns.iter().zip(row);
        let cell = |(naming, value): (&Naming, &Value)| naming.text.is_some().then(|| naming.in_text(value));
        lines.row(pairs().filter_map(cell));
        for (naming, value) in pairs().filter(|(naming, _)| naming.is_remark) {
            lines.remark(naming.in_text(value));
        }
    }
    lines
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

    #[test]
    fn facts_stand_beside_their_names_and_gaps_are_between_things() {
        let mut document = Document::of_facts("facts", 10);
        document.gap();
        document.figure("nodes", "node_count", 12);
        document.gap();
        document.fact("words", "of W11 ".repeat(12).trim_end());
        document.whole_fact("file", "x".repeat(90));
        document.named_words("  1  name  ", "words");
        document.for_programs(|document| document.line("nowhere"));
        document.whole("");
        document.gap();
        let (ten, lines) = ("of W11 ".repeat(10), " ".repeat(10));
        let wanted = format!(
            "\nnodes     12\n\nwords     {}\n{lines}of W11 of W11\nfile      {}\n  1  name  words\n",
            ten.trim_end(),
            "x".repeat(90)
        );
        assert_eq!(document.text(Room::TERMINAL), wanted);
        assert_eq!(document.json()["node_count"], 12);
        let mut tables = Document::new("tables");
        tables.line("of W11");
        assert!(tables.text(Room::Any).contains("Wald"));
    }
}
