//! The model of a report, and its five writers.
//!
//! A [`Document`] is a list of blocks: headings, prose, tables, charts, facts for programs. Who reports something
//! builds its document once; [`Document::text`], [`Document::markdown`], [`Document::json`], [`Document::page`] and
//! [`Document::csv`] write it, and know of no bench or study. A table and its columns have a name for each writer that
//! shows them, and are left out by the others.
#![forbid(unsafe_code)]

pub mod chart;
mod csv;
mod document;
mod json;
mod listing;
mod markdown;
mod page;
mod reworded;
mod sheet;
mod table;
mod text;
mod text_table;

pub use csv::{cells_of, quoted};
pub use document::Document;
pub use listing::{ListedLine, Listing};
pub use page::{About, Figure, Page};
pub use sheet::{Column, Sheet};
pub use table::{ReportTable, Unit, Value, number, short_mrays};
pub use text_table::{Room, TableColumn, wrapped};
