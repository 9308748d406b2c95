//! What the importer of PLY files leaves out or replaces, and what in such a file breaks the format.

use crate::counted::counted;

/// Upper bound of material indices; no file that was seen has a tenth as many.
pub(crate) const MAX_MATERIALS: usize = 1 << 16;

/// Finding of the PLY importer that a user is told.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum PlyWarning {
    #[error("{}", counted(*count, "byte behind the last element that the header announces is not read",
        "bytes behind the last element that the header announces are not read"))]
    BytesBehind { count: usize },
    #[error("{}", counted(*count, "line behind the last element that the header announces is not read",
        "lines behind the last element that the header announces are not read"))]
    LinesBehind { count: usize },
    #[error("{}", counted(*count, "line holds more numbers than the header announces; these are not read",
        "lines hold more numbers than the header announces; these are not read"))]
    LongLines { count: usize },
    /// Colours of integers or floats whose full value their numbers tell.
    #[error("colours of {of}, of type {kind}, reach {most}; read as 0 to {white}")]
    ColorRange { of: &'static str, kind: &'static str, most: f32, white: f64 },
    #[error("colours of {of}, of type {kind}, reach {most}; what is above 1 is read as 1")]
    BrightColors { of: &'static str, kind: &'static str, most: f32 },
    #[error("{count} {} of {of} {} numbers below 0; read as 0", if *count == 1 { "colour" } else { "colours" },
        if *count == 1 { "has" } else { "have" })]
    NegativeColors { of: &'static str, count: usize },
    #[error("colours of {of} in {}, `{property}`, are not read", if *in_lists { "lists" } else { "one number" })]
    PackedColors { of: &'static str, in_lists: bool, property: String },
    #[error("{count} {} `{name:.40}` {} not read{}", if *count == 1 { "element" } else { "elements" },
        if *count == 1 { "is" } else { "are" }, why(name))]
    UnreadElements { name: String, count: u64 },
    #[error("{} of fewer than three corners {} left out", counted(*count, "face", "faces"),
        if *count == 1 { "was" } else { "were" })]
    SmallFaces { count: usize },
    #[error("{} a colour or texture coordinates that are not finite; read as 0",
        counted(*count, "face has", "faces have"))]
    FacesNotFinite { count: usize },
    #[error("{} not two texture coordinates a corner; left out", counted(*count, "face has", "faces have"))]
    FaceCoordinates { count: usize },
    #[error("{} a normal, uv or colour that is not finite; read as 0", counted(*count, "vertex has", "vertices have"))]
    VerticesNotFinite { count: usize },
    #[error("materials of faces are left out, as the file has strips, too")]
    MaterialsBesideStrips,
    #[error("{}", counted(*count, "colour has an alpha below 1, which has no effect; its faces are opaque",
        "colours have an alpha below 1, which has no effect; their faces are opaque"))]
    ClearColors { count: usize },
    #[error("no texture coordinates for the texture {name}; rendered without it")]
    NoCoordinates { name: String },
    #[error("{} a texnumber of {textures} or more, which names no texture; rendered without",
        counted(*triangles, "triangle has", "triangles have"))]
    NoTexture { triangles: usize, textures: usize },
}

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

/// Says why an element of this name is not read, at the end of a sentence.
fn why(element: &str) -> &'static str {
    match element {
        "edge" => "; lines have no surface",
        "camera" => "; `CameraRequest::eye` and `CameraRequest::target` say where to look from",
        _ => "",
    }
}
