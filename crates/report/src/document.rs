//! A report as a list of blocks, without a word on how any of them is written.

use super::chart::Chart;
use super::listing::Listing;
use super::table::ReportTable;
use serde_json::Value as Json;
use std::fmt::Display;

/// A report: blocks that are read from top to bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
    /// Number of characters that the names of facts take in a text.
    pub(super) names_across: usize,
    /// `true` if words may be those of files, in which keys of papers mean nothing.
    pub(super) is_of_files: bool,
}

/// A block of a report.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    /// A line of a text.
    Line(String),
    /// A line of a text with an empty one before it.
    Paragraph(String),
    /// Lines of a text that are not broken.
    Whole(String),
    /// An empty line of a text, if something follows.
    Gap,
    /// A name in a text, as wide as it is given, and words beside it, whose lines stand below each other.
    Fact(String, String),
    /// A name and words beside it that are not broken into lines, such as the name of a file.
    WholeFact(String, String),
    /// A heading of a page.
    Heading(String),
    /// A paragraph of a page.
    Prose(String),
    /// A paragraph of a page that the reader may skip: smaller and paler.
    Note(String),
    /// A list on a page.
    List(Vec<String>),
    /// A table, for the writers that it has a name for.
    Table(ReportTable),
    /// The lines of a file on a page, each with numbers beside it.
    Listing(Listing),
    /// A chart on a page: a stem of file names, what it shows, and the numbers.
    Chart(String, String, Chart),
    /// A value for programs, under its key.
    Data(String, Json),
    /// The facts of the run, which end a page: what, and which.
    Run(Vec<(String, String)>),
    /// Several blocks together.
    Group(Group, Vec<Block>),
}

/// The meaning of blocks that stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Group {
    /// On a page they are shown when the reader opens these words.
    Fold(String),
    /// In a text they stand below all that are not in such a group.
    Last,
    /// Their data is an object of the array with this key.
    Item(String),
    /// Their data is an object with this key.
    Member(String),
    /// Programs alone read them.
    Programs,
}

impl Document {
    /// Returns a report with nothing in it.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), blocks: Vec::new(), names_across: 0, is_of_files: false }
    }

    /// Returns a report of facts with nothing in it, whose names take so many characters of a line. Their words may
    /// be those of files: no keys of papers are explained.
    pub fn of_facts(title: impl Into<String>, names_across: usize) -> Self {
        Self { names_across, is_of_files: true, ..Self::new(title) }
    }

    /// Adds a line to the text.
    pub fn line(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Line(text.into()));
    }

    /// Adds lines to the text.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        self.blocks.extend(lines.into_iter().map(Block::Line));
    }

    /// Adds an empty line to the text, and a line.
    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Adds lines to the text that are not broken, however long they are.
    pub fn whole(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Whole(text.into()));
    }

    /// Adds an empty line to the text, if something follows in it.
    pub fn gap(&mut self) {
        self.blocks.push(Block::Gap);
    }

    /// Adds a fact to the text: a name, and words beside it.
    pub fn fact(&mut self, name: impl Display, words: impl Display) {
        let across = self.names_across;
        self.named_words(format!("{name:<across$}"), words);
    }

    /// Adds a fact whose words are not broken into lines, such as the name of a file.
    pub fn whole_fact(&mut self, name: impl Display, words: impl Display) {
        let across = self.names_across;
        self.blocks.push(Block::WholeFact(format!("{name:<across$}"), format!("{words}")));
    }

    /// Adds words to the text, whose lines stand below each other beside `name`.
    pub fn named_words(&mut self, name: impl Into<String>, words: impl Display) {
        self.blocks.push(Block::Fact(name.into(), format!("{words}")));
    }

    /// Adds a number to the text, as a fact, and to the data under its key.
    pub fn figure(&mut self, name: impl Display, key: impl Into<String>, number: impl ToString + Into<Json>) {
        self.fact(name, number.to_string());
        self.data(key, number);
    }

    /// Adds a heading to the page.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds a paragraph to the page.
    pub fn prose(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Prose(text.into()));
    }

    /// Adds a note to the page, smaller and paler: what the reader may skip.
    pub fn note(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Note(text.into()));
    }

    /// Adds a list to the page; nothing where there are no items.
    pub fn list(&mut self, items: Vec<String>) {
        self.blocks.push(Block::List(items));
    }

    /// Adds a table for the writers that it has a name for.
    pub fn table(&mut self, table: ReportTable) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds the lines of a file to the page, with numbers beside them; nothing where there are no lines.
    pub fn listing(&mut self, listing: Listing) {
        self.blocks.push(Block::Listing(listing));
    }

    /// Adds a chart to the page, whose file has a name that ends so; nothing where the chart has nothing to show.
    pub fn chart(&mut self, name: impl Into<String>, caption: impl Into<String>, chart: impl Into<Chart>) {
        self.blocks.push(Block::Chart(name.into(), caption.into(), chart.into()));
    }

    /// Adds a value for programs.
    pub fn data(&mut self, key: impl Into<String>, value: impl Into<Json>) {
        self.blocks.push(Block::Data(key.into(), value.into()));
    }

    /// Adds the members of a JSON object for programs.
    ///
    /// # Panics
    /// If it is no object.
    pub fn fields(&mut self, object: Json) {
        let Json::Object(members) = object else { panic!("{object} is no object") };
        self.blocks.extend(members.into_iter().map(|(key, value)| Block::Data(key, value)));
    }

    /// Adds the facts of the run, what and which, to the end of the page.
    pub fn run<What: Into<String>>(&mut self, facts: impl IntoIterator<Item = (What, String)>) {
        self.blocks.push(Block::Run(facts.into_iter().map(|(what, which)| (what.into(), which)).collect()));
    }

    /// Adds what `build` builds, which a page shows when the reader opens `summary`; nothing where that is nothing.
    pub fn fold(&mut self, summary: impl Into<String>, build: impl FnOnce(&mut Self)) {
        self.group(Group::Fold(summary.into()), build);
    }

    /// Adds what `build` builds, which a text has below all other blocks.
    pub fn last_in_text(&mut self, build: impl FnOnce(&mut Self)) {
        self.group(Group::Last, build);
    }

    /// Adds what `build` builds; its data is one more object of the array `key`.
    pub fn item(&mut self, key: impl Into<String>, build: impl FnOnce(&mut Self)) {
        self.group(Group::Item(key.into()), build);
    }

    /// Adds what `build` builds of each row; their data are the objects of the array `key`, which there is without rows
    /// too.
    pub fn array<Row>(&mut self, key: &str, rows: impl IntoIterator<Item = Row>, build: impl Fn(&mut Self, Row)) {
        self.data(key, Json::Array(Vec::new()));
        rows.into_iter().for_each(|row| self.item(key, |item| build(item, row)));
    }

    /// Adds what `build` builds; its data is the object `key`.
    pub fn member(&mut self, key: impl Into<String>, build: impl FnOnce(&mut Self)) {
        self.group(Group::Member(key.into()), build);
    }

    /// Adds what `build` builds for programs alone: what of it people would read is left out.
    pub fn for_programs(&mut self, build: impl FnOnce(&mut Self)) {
        self.group(Group::Programs, build);
    }

    fn group(&mut self, group: Group, build: impl FnOnce(&mut Self)) {
        let mut inner = Self::of_facts("", self.names_across);
        build(&mut inner);
        self.blocks.push(Block::Group(group, inner.blocks));
    }
}
