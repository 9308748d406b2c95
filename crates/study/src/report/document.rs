//! A report as a list of blocks, without a word on how any of them is written.

use super::chart::Chart;
use super::table::ReportTable;
use serde_json::Value as Json;

/// A report: blocks that are read from top to bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// A block of a report.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    /// A line of a text.
    Line(String),
    /// A line of a text with an empty one before it.
    Paragraph(String),
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
}

impl Document {
    /// Returns a report with nothing in it.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), blocks: Vec::new() }
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

    /// Adds a chart to the page, whose file has a name that ends so; nothing where the chart has nothing to show.
    pub fn chart(&mut self, name: impl Into<String>, caption: impl Into<String>, chart: impl Into<Chart>) {
        self.blocks.push(Block::Chart(name.into(), caption.into(), chart.into()));
    }

    /// Adds a value for programs.
    pub fn data(&mut self, key: impl Into<String>, value: impl Into<Json>) {
        self.blocks.push(Block::Data(key.into(), value.into()));
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

    /// Adds what `build` builds; its data is the object `key`.
    pub fn member(&mut self, key: impl Into<String>, build: impl FnOnce(&mut Self)) {
        self.group(Group::Member(key.into()), build);
    }

    fn group(&mut self, group: Group, build: impl FnOnce(&mut Self)) {
        let mut inner = Self::new("");
        build(&mut inner);
        self.blocks.push(Block::Group(group, inner.blocks));
    }
}
