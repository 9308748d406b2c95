//! What the importer of PLY files leaves out or replaces.

use crate::import::counted::counted;

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

/// Says why an element of this name is not read, at the end of a sentence.
fn why(element: &str) -> &'static str {
    match element {
        "edge" => "; lines have no surface",
        "camera" => "; `CameraRequest::eye` and `CameraRequest::target` say where to look from",
        _ => "",
    }
}
