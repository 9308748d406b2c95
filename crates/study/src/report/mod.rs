//! The model of a report, and its four writers.
//!
//! A [`Document`] is a list of blocks: headings, prose, tables, charts, facts for programs. A study builds its document
//! once; [`Document::text`], [`Document::json`], [`Document::page`] and [`Document::csv`] write it, and know of no
//! study. A table and its columns have a name for each writer that shows them, and are left out by the others.

pub mod chart;
mod csv;
mod document;
mod json;
mod page;
mod sheet;
mod table;
mod text;

pub use document::Document;
pub use page::{About, Figure, Page};
pub use sheet::{Column, Sheet};
pub use table::{ReportTable, Unit, Value};
pub(crate) use table::{number, short_mrays};
