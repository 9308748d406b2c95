//! What the importer of 3MF files leaves out or replaces, and what in such a file breaks the format.

/// Largest nesting depth of components in 3MF objects.
pub(crate) const MAX_DEPTH: usize = 64;
/// Largest number of placed objects, since nested components multiply.
pub(crate) const MAX_PLACED: u32 = 1 << 20;

/// Finding of the 3MF importer that a user is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ThreeMfWarning {
    #[error("settings of a slicer, such as the colours of its filaments, are not read")]
    SlicerSettings,
    #[error("nothing is to be built; every object is shown")]
    NoBuildItems,
    #[error("`{kind}` is not read; rendered grey")]
    UnreadGroup { kind: String },
    #[error("`{kind:.60}` is not read{}", why(kind))]
    Unread { kind: String },
    #[error("what a slicer has painted on triangles is not read; they keep the colours of the object")]
    Painted,
    #[error("colours have an alpha below FF, which has no effect; their triangles are opaque")]
    ClearColors,
}

/// Fault that ends the import of a 3MF file. Words of the file are cut after forty letters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ThreeMfFault {
    #[error("no zip file, which a 3MF file is, or a broken one: {error}")]
    NoZip { error: String },
    #[error("{error}")]
    BrokenPart { error: String },
    #[error("it is encrypted")]
    Encrypted,
    #[error("packed by method {method}; known are none and deflate")]
    Method { method: u16 },
    #[error("the package has no part {name}")]
    NoPart { name: String },
    #[error("the part is not UTF-8")]
    NotUtf8,
    #[error("it has no triangles")]
    NoTriangles,
    #[error("{error}")]
    Xml { error: String },
    #[error("the part should begin with an element `{name}`")]
    Root { name: &'static str },
    #[error("the part ends within an element: it is cut off")]
    Cut,
    #[error("a document type (`<!DOCTYPE`) is not allowed in a 3MF file")]
    DocumentType,
    #[error("`{word}` is not finite")]
    NotFinite { word: String },
    #[error("`{word}` is no number")]
    Number { word: String },
    #[error("`{word}` is no index or id")]
    Index { word: String },
    #[error("`{word}` is no colour such as #RRGGBB")]
    Color { word: String },
    #[error("a transform of {numbers} numbers; it has 12")]
    Transform { numbers: usize },
    #[error("an object without an id")]
    ObjectWithoutId,
    #[error("`{kind}` without an id")]
    GroupWithoutId { kind: String },
    #[error("two objects have the id {id}")]
    ObjectTwice { id: u32 },
    #[error("a vertex needs x, y and z")]
    Vertex,
    #[error("an object of {most} vertices; fewer are read", most = u32::MAX)]
    Vertices,
    #[error("a triangle needs v1, v2 and v3")]
    Triangle,
    #[error("a triangle uses vertex {vertex}, but there are only {vertices}")]
    NoVertex { vertex: u32, vertices: usize },
    #[error("a colour needs the attribute `color`")]
    ColorWithoutValue,
    #[error("an item or a component needs an objectid")]
    NoObjectId,
    #[error("there is no object {id}")]
    NoObject { id: u32 },
    #[error("object {id} is a part of itself")]
    PartOfItself { id: u32 },
    #[error("components within components more than {MAX_DEPTH} deep")]
    Depth,
    #[error("more than {MAX_PLACED} objects are placed")]
    Placed,
    #[error("its place is not finite")]
    PlaceNotFinite,
    #[error("triangle {triangle} of the object has a property of group {group}, which is not there")]
    NoGroup { triangle: usize, group: u32 },
    #[error("triangle {triangle} of the object has property {property} of {count}")]
    NoProperty { triangle: usize, property: u32, count: usize },
    #[error("triangle {triangle} of the object has a colour beyond the {count} of group {group}")]
    NoColor { triangle: usize, count: usize, group: u32 },
}

/// Says what becomes of elements of a kind that is not read, at the end of a sentence.
fn why(kind: &str) -> &'static str {
    match kind {
        "beamlattice" => "; its beams are left out",
        "pbspeculardisplayproperties"
        | "pbmetallicdisplayproperties"
        | "pbspeculartexturedisplayproperties"
        | "pbmetallictexturedisplayproperties"
        | "translucentdisplayproperties" => "; surfaces are diffuse and opaque",
        _ => "",
    }
}
