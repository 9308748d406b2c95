//! The same report in other words: a program puts the names of its own options in place of the library's.

use super::document::{Block, Document, Group};
use super::table::{ReportTable, Value};
use serde_json::Value as Json;

/// Function that returns a text with other names in it.
type Words<'a> = &'a dyn Fn(&str) -> String;

impl Document {
    /// Returns the report with `words` applied to each sentence, cell and text for programs, not to keys and heads.
    pub fn reworded(&self, words: &dyn Fn(&str) -> String) -> Self {
        Self { title: words(&self.title), blocks: all(self.blocks.clone(), words), ..*self }
    }
}

fn all(blocks: Vec<Block>, words: Words<'_>) -> Vec<Block> {
    blocks.into_iter().map(|block| block_in(block, words)).collect()
}

fn block_in(block: Block, words: Words<'_>) -> Block {
    match block {
        Block::Line(text) => Block::Line(words(&text)),
        Block::Paragraph(text) => Block::Paragraph(words(&text)),
        Block::Whole(text) => Block::Whole(words(&text)),
        Block::Gap => Block::Gap,
        Block::Fact(name, text) => Block::Fact(name, words(&text)),
        Block::WholeFact(name, text) => Block::WholeFact(name, words(&text)),
        Block::Heading(text) => Block::Heading(words(&text)),
        Block::Prose(text) => Block::Prose(words(&text)),
        Block::Note(text) => Block::Note(words(&text)),
        Block::List(items) => Block::List(items.iter().map(|item| words(item)).collect()),
        Block::Table(table) => Block::Table(table_in(table, words)),
        // What stands in a file stays as it is.
        Block::Listing(listing) => Block::Listing(listing),
        Block::Chart(name, caption, chart) => Block::Chart(name, words(&caption), chart),
        Block::Data(key, value) => Block::Data(key, json_in(value, words)),
        Block::Run(facts) => Block::Run(facts.into_iter().map(|(what, which)| (what, words(&which))).collect()),
        Block::Group(Group::Fold(summary), inner) => Block::Group(Group::Fold(words(&summary)), all(inner, words)),
        Block::Group(group, inner) => Block::Group(group, all(inner, words)),
    }
}

fn table_in(table: ReportTable, words: Words<'_>) -> ReportTable {
    let row = |row: Vec<Value>| row.into_iter().map(|value| value_in(value, words)).collect();
    ReportTable {
        rows: table.rows.into_iter().map(row).collect(),
        total: table.total.map(|(key, total)| (key, row(total))),
        title: table.title.map(|title| words(&title)),
        caption: table.caption.map(|caption| words(&caption)),
        ..table
    }
}

fn value_in(value: Value, words: Words<'_>) -> Value {
    match value {
        Value::Words(text) => Value::Words(words(&text)),
        Value::Each { text, page, json } => {
            Value::Each { text: words(&text), page: words(&page), json: json_in(json, words) }
        }
        other => other,
    }
}

fn json_in(value: Json, words: Words<'_>) -> Json {
    match value {
        Json::String(text) => Json::String(words(&text)),
        Json::Array(items) => items.into_iter().map(|item| json_in(item, words)).collect(),
        Json::Object(map) => Json::Object(map.into_iter().map(|(key, item)| (key, json_in(item, words))).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Column, Room, Sheet, TableColumn};
    use super::*;

    #[test]
    fn names_change_in_every_writers_words_before_lines_are_broken() {
        let mut document = Document::new("of `option`");
        document.line(format!("{} `option`", "w".repeat(72)));
        document.data("notes", vec!["`option`".to_string()]);
        document.fold("about `option`", |document| {
            document.prose("`option` in prose");
            document.list(vec!["`option` in a list".into()]);
        });
        let column = Column::words(|row: &&str| *row).text(TableColumn::left("by")).page(0, "by").key("by");
        document.table(
            Sheet(vec![column]).table(&["`option` 3"]).in_text("with `option`").on_page("for `option`").key("rows"),
        );
        let document = document.reworded(&|text| text.replace("`option`", "OPTION"));
        let text = document.text(Room::TERMINAL);
        assert!(text.contains(&format!("{} OPTION\n", "w".repeat(72))), "{text}");
        let json = document.json();
        assert_eq!((&json["notes"][0], &json["rows"][0]["by"]), (&"OPTION".into(), &"OPTION 3".into()));
        let page = document.page(&Default::default()).html().to_string();
        assert!(!format!("{text}{json}{page}").contains("`option`"), "{text}{json}{page}");
        assert!(page.contains("about OPTION") && page.contains("OPTION in a list") && page.contains("for OPTION"));
    }
}
