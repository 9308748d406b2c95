//! What the importer of STL files leaves out, and what in such a file breaks the format.

use crate::counted::counted;

/// Finding of the STL importer that a user is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum StlWarning {
    #[error("{} between the facets {} not known; left out", counted(*count, "line", "lines"), is(*count))]
    UnknownLines { count: usize },
    #[error("the file ends before `endsolid`: it may be cut off")]
    NoEnd,
    #[error("{} behind the {} {} not read", counted(*count, "byte", "bytes"),
        counted(*triangles, "triangle", "triangles"), is(*count))]
    BytesBehind { count: usize, triangles: usize },
    #[error("{} attributes, in some programs colours, which are not read",
        counted(*triangles, "triangle has", "triangles have"))]
    Attributes { triangles: usize },
}

/// Fault that ends the import of an STL file. Words of the file are cut after forty letters.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum StlFault {
    #[error("it has no triangles")]
    NoTriangles,
    #[error("a text of facets without its first line `solid`; with one it is an STL file")]
    NoSolid,
    #[error("the file ends within a facet: it is cut off")]
    CutFacet,
    #[error("`{word}` has no place here")]
    Misplaced { word: String },
    #[error("`{word}` begins no line of an STL file")]
    Keyword { word: String },
    #[error("a vertex outside of a facet")]
    VertexOutside,
    #[error("a vertex needs three numbers")]
    ShortVertex,
    #[error("a vertex has three numbers, not more")]
    LongVertex,
    #[error("`{word}` is no number")]
    Number { word: String },
    #[error("a facet of more than three vertices")]
    LongFacet,
    #[error("a facet of {}", counted(*vertices, "vertex", "vertices"))]
    ShortFacet { vertices: usize },
    #[error("a vertex is not finite: {position:?}")]
    NotFinite { position: [f32; 3] },
    #[error("{most} different vertices; fewer are read", most = u32::MAX)]
    Vertices,
    #[error("{} no STL file: text begins with `solid`, binary data has a head of 84",
        counted(*bytes, "byte is", "bytes are"))]
    ShortFile { bytes: usize },
    #[error("the file ends within triangle {triangle} of {count}: it is cut off")]
    CutTriangle { triangle: usize, count: u32 },
    #[error(
        "the count of triangles is 0, but {bytes} bytes follow, which hold {triangles}; the program that wrote \
             the file did not finish it"
    )]
    NoCount { bytes: usize, triangles: usize },
}

fn is(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
