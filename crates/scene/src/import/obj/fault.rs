//! What in an OBJ file or a material library breaks the format.

use crate::FaultKind;

/// Fault that ends the import of an OBJ file or of a library. Words of the file are cut after forty letters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ObjFault {
    #[error("it has no faces")]
    NoFaces,
    #[error("`{word}` is no finite number")]
    Number { word: String },
    #[error("a vertex has three numbers, and at most four more")]
    LongVertex,
    #[error("a vertex of {numbers} numbers; it needs three")]
    ShortVertex { numbers: usize },
    #[error("`{word}` is no corner of a face")]
    Corner { word: String },
    #[error("`{word}` is no index")]
    Index { word: String },
    #[error("index 0; indices count from 1")]
    IndexZero,
    #[error("index {index}, but the file has not as many entries")]
    LargeIndex { index: i64 },
    #[error("index {index}, but only {count} entries stand before it")]
    IndexBefore { index: i64, count: usize },
    #[error("a face uses {what} {index}, but the file has only {count}")]
    NoEntry { what: &'static str, index: u32, count: usize },
    #[error("`{text}` is no colour; it needs one or three numbers")]
    Color { text: String },
}

/// Mistake in a line of a file, before the file's path is added.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub line: u64,
    pub kind: FaultKind,
}

impl Fault {
    pub fn new(line: u64, kind: impl Into<FaultKind>) -> Self {
        Self { line, kind: kind.into() }
    }
}
