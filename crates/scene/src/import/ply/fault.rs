//! What in a PLY file breaks the format.

use super::header::MAX_MATERIALS;
use crate::import::counted::counted;
use crate::{FaultKind, Place};

/// Fault that ends the import of a PLY file. Words of the file are cut after some letters.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum PlyFault {
    #[error("a PLY file begins with a line `ply`")]
    FirstLine,
    #[error("the file ends before `end_header`")]
    CutHeader,
    #[error("unknown format `{name}`")]
    Format { name: String },
    #[error("`{word}` is no number of elements")]
    ElementCount { word: String },
    #[error("a property before the first element")]
    PropertyBeforeElements,
    #[error("`{line}` is no line of a PLY header")]
    HeaderLine { line: String },
    #[error("the header has no line `format NAME 1.0`")]
    NoFormat,
    #[error("material index {index}; at most {MAX_MATERIALS} are read")]
    MaterialIndex { index: usize },
    #[error("`{name}` is no type of a property")]
    PropertyType { name: String },
    #[error("the length of a list must be an integer")]
    ListLengthType,
    #[error("a property is `TYPE NAME` or `list TYPE TYPE NAME`")]
    Property,
    #[error("it has no element `vertex`")]
    NoVertices,
    #[error("it has no faces; clouds of points cannot be rendered")]
    NoFaces,
    #[error("it has {} and no triangles; clouds of points cannot be rendered",
        counted(*vertices, "vertex", "vertices"))]
    NoTriangles { vertices: usize },
    #[error("{count} vertices; fewer than {most} are read", most = u32::MAX)]
    Vertices { count: u64 },
    #[error("{most} different corners; fewer are read", most = u32::MAX)]
    Corners,
    #[error("{count} elements `{name}` do not fit into the {left} bytes that follow")]
    Elements { count: u64, name: String, left: u64 },
    #[error("the vertices have no properties x, y and z")]
    NoPositions,
    #[error("the faces have no list vertex_indices")]
    NoIndices,
    #[error("vertex indices must be integers")]
    IndexType,
    #[error("a face uses vertex {vertex}, but there are only {vertices}")]
    Vertex { vertex: f64, vertices: u32 },
    #[error("a face has material {material}, but there are only {materials}")]
    Material { material: f64, materials: u32 },
    #[error("a list of {length} items")]
    ListLength { length: f64 },
    #[error("a list of {length} items, but the file ends before")]
    CutList { length: f64 },
    #[error("the file ends within the data")]
    CutData,
    #[error("the line has fewer numbers than the header announces")]
    ShortLine,
    #[error("`{word}` is no number")]
    Number { word: String },
    #[error("the text goes on behind the last element")]
    TextBehind,
    #[error("vertex {vertex} is not finite: {position:?}")]
    NotFinite { vertex: u32, position: [f32; 3] },
}

/// Mistake in a PLY file at some position, before the file's path is added.
#[derive(Debug)]
pub(super) struct Fault {
    pub place: Place,
    pub kind: FaultKind,
}

impl Fault {
    pub fn malformed(place: Place, fault: impl Into<FaultKind>) -> Self {
        Self { place, kind: fault.into() }
    }
}
