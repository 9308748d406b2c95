//! What the importer of OFF files leaves out or replaces, and what in such a file breaks the format.

use crate::counted::counted;

/// Largest number of different face colours, each of which becomes a material; further ones are ignored.
pub(crate) const MAX_COLORS: usize = 1 << 16;

/// Finding of the OFF importer that a user is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum OffWarning {
    #[error("{} numbers that the file's first word does not announce; not read",
        counted(*vertices, "vertex has", "vertices have"))]
    SurplusNumbers { vertices: usize },
    #[error("{}", counted(*count, "face of fewer than three corners was left out",
        "faces of fewer than three corners were left out"))]
    SmallFaces { count: usize },
    #[error("{} the index of a colour map, which is not read; rendered grey",
        counted(*count, "face has", "faces have"))]
    IndexedFaces { count: usize },
    #[error("{}", counted(*count, "colour has an alpha below 1, which has no effect; its faces are opaque",
        "colours have an alpha below 1, which has no effect; their faces are opaque"))]
    ClearColors { count: usize },
    #[error("{} numbers below 0; read as 0", counted(*count, "colour has", "colours have"))]
    NegativeColors { count: usize },
    #[error("{} numbers above those of a full channel; read as that", counted(*count, "colour has", "colours have"))]
    BrightColors { count: usize },
    #[error("{}", counted(*count, "line behind the last face that the file announces is not read",
        "lines behind the last face that the file announces are not read"))]
    LinesBehind { count: usize },
    #[error("{} a colour beyond the first {MAX_COLORS}; rendered grey",
        counted(*triangles, "triangle has", "triangles have"))]
    ManyColors { triangles: usize },
}

/// Fault that ends the import of an OFF file. Words of the file are cut after forty letters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum OffFault {
    #[error("an OFF file begins with the word OFF")]
    FirstWord,
    #[error("{what} is not read; known are OFF, COFF, NOFF, STOFF and CNOFF as text")]
    Kind { what: String },
    #[error("`{word}` is no number of {of}")]
    Count { word: String, of: &'static str },
    #[error("{count} {of} do not fit into the {left} bytes that follow")]
    CannotHold { count: usize, of: &'static str, left: usize },
    #[error("the file ends within the data")]
    CutData,
    #[error("the file ends within a face")]
    CutFace,
    #[error("`{word}` is not finite")]
    NotFinite { word: String },
    #[error("`{word}` is no number")]
    Number { word: String },
    #[error("a vertex is not finite")]
    VertexNotFinite,
    #[error("`{word}` is no number of corners")]
    CornerCount { word: String },
    #[error("a face of {corners} corners, but the file ends before")]
    LongFace { corners: usize },
    #[error("a face uses vertex `{word}`, but there are only {vertices}")]
    Vertex { word: String, vertices: usize },
    #[error("a colour of two numbers; there are 0, 1, 3 or 4")]
    Color,
    #[error("it has no faces; clouds of points cannot be rendered")]
    NoFaces,
}
