//! What in a pbrt scene breaks the format or exceeds a limit.

use super::state::TRIANGLE_BUDGET;
use super::{directive, files, material};
use std::path::PathBuf;

/// Fault that ends the import of a pbrt scene.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum PbrtFault {
    #[error("the text \"{start} has no closing quote on its line")]
    OpenText { start: String },
    #[error("{word} is not a directive")]
    NoDirective { word: String },
    #[error("the number {word} is too large")]
    LargeNumber { word: String },
    #[error("{word:?} is neither a number, a text in quotes nor a directive")]
    Word { word: String },
    #[error("expected a directive, found {found}")]
    ExpectedDirective { found: String },
    #[error("unknown directive {name}")]
    UnknownDirective { name: String },
    #[error("{directive} needs a text in quotes, found {found}")]
    ExpectedText { directive: String, found: String },
    #[error("the file ends before the text that {directive} needs")]
    EndBeforeText { directive: String },
    #[error("{directive} needs {count} numbers, found {found} after {after}")]
    ExpectedNumber { directive: String, count: usize, found: String, after: usize },
    #[error("{directive} needs {count} numbers, found the end of the file after {after}")]
    EndInNumbers { directive: String, count: usize, after: usize },
    #[error("{directive} needs {count} numbers, found {found} where ] should be")]
    ExpectedBracket { directive: String, count: usize, found: String },
    #[error("{directive} needs {count} numbers, found the end of the file")]
    EndBeforeBracket { directive: String, count: usize },
    #[error("{text:?} is not a parameter; one is declared as \"type name\"")]
    NoParameter { text: String },
    #[error("unknown parameter type {kind:?} in {declaration:?}")]
    ParameterType { kind: String, declaration: String },
    #[error("parameter {declaration:?}: {fault}")]
    Values { declaration: String, fault: ValuesFault },
    #[error("parameter \"{name}\": {fault}")]
    Parameter { name: String, fault: ParameterFault },
    #[error("expected a wavelength or a value, found {word:?}")]
    SpectrumWord { word: String },
    #[error("the last wavelength has no value")]
    SpectrumCut,

    #[error("files include each other more than {most} deep", most = files::MAX_DEPTH)]
    IncludeDepth,
    #[error("more than {most} files are included", most = files::MAX_INCLUDES)]
    Includes,
    #[error("{} includes itself", path.display())]
    IncludesItself { path: PathBuf },
    #[error("{begin} is never closed")]
    NeverClosed { begin: &'static str },
    #[error("blocks are nested more than {most} deep", most = directive::MAX_BLOCKS)]
    BlockDepth,
    #[error("{end} without {begin}")]
    EndWithoutBegin { end: String, begin: String },
    #[error("{end} where the {open} of line {line} is open")]
    OtherBlockOpen { end: String, open: &'static str, line: u64 },
    #[error("{end} closes a {begin} of the including file (line {line})")]
    ClosesOtherFile { end: String, begin: String, line: u64 },
    #[error("{directive} {name:?} inside object {outer:?}; objects do not nest")]
    NestedObject { directive: &'static str, name: String, outer: String },
    #[error("a second WorldBegin")]
    SecondWorld,
    #[error("more than {most} shapes are placed", most = directive::MAX_PLACEMENTS)]
    Placements,
    #[error("Attribute {target:?}: expected shape, light, material, medium or texture")]
    AttributeTarget { target: String },
    #[error("Attribute {target:?}: more than {most} parameters", most = directive::MAX_DEFAULTS)]
    AttributeParameters { target: String },

    #[error("{directive}: the axis has no length")]
    Axis { directive: String },
    #[error("{directive}: the eye is at the target, or up is parallel to the view")]
    LookAt { directive: String },
    #[error("{directive}: the matrix is projective; its last row must be 0 0 0 1")]
    ProjectiveMatrix { directive: String },
    #[error("{directive}: expected StartTime, EndTime or All")]
    ActiveTransform { directive: String },
    #[error("{directive}: the transformation overflows")]
    TransformOverflow { directive: String },

    #[error("{name} needs four numbers: x from, x to, y from, y to")]
    Window { name: &'static str },
    #[error("the film's scale is {scale}; it must not be negative")]
    FilmScale { scale: f32 },
    #[error("the filter's radius is {radius} pixels; it must be above 0 and at most 64")]
    FilterRadius { radius: f32 },
    #[error("the gaussian filter's sigma or alpha must be above 0")]
    GaussianWidth,
    #[error("the camera's transformation flattens space")]
    FlatCamera,
    #[error("the camera's position overflows")]
    CameraOverflow,
    #[error("the screen window is empty")]
    EmptyWindow,
    #[error("lensradius must not be negative, and focaldistance must be above 0")]
    Lens,
    #[error("the field of view is {degrees} degrees; it must be above 0 and below 180")]
    FieldOfView { degrees: f32 },

    #[error("coneangle must be above 0 and at most 180, conedeltaangle not negative")]
    Cone,
    #[error("the light's position overflows")]
    LightOverflow,
    #[error("the light's transformation flattens space")]
    FlatLight,
    #[error("the light's \"from\" and \"to\" give no direction")]
    LightDirection,

    #[error("texture {name:?} is of type {kind:?}; known are float and spectrum")]
    TextureType { name: String, kind: String },
    #[error("{} needs a \"string filename\"", a(what))]
    NoFile { what: &'static str },
    #[error("wrap {name:?}; known are repeat, black and clamp")]
    Wrap { name: String },
    #[error("encoding {text:?}: a gamma must be a number above 0")]
    Gamma { text: String },

    #[error("material {name:?} needs a \"string type\"")]
    MaterialType { name: String },
    #[error("a roughness must not be negative")]
    NegativeRoughness,
    #[error("a mix needs the names of two materials")]
    MixNames,
    #[error("carpaint: {name} is {value}; allowed are {least} to {most}")]
    CarPaint { name: &'static str, value: f32, least: f32, most: f32 },
    #[error("the index of refraction is {index}; it must be above 0 and at most {most}", most = material::MAX_INDEX)]
    Index { index: f32 },

    #[error("{} needs points \"P\"", a(shape))]
    NoPoints { shape: &'static str },
    #[error("{} needs \"indices\"", a(shape))]
    NoIndices { shape: &'static str },
    #[error("{} of {points} points needs \"indices\"", a(shape))]
    NoIndicesOf { shape: &'static str, points: usize },
    #[error("the points of this loopsubdiv shape are too large")]
    LargePoints,
    #[error("the {shape}'s radius is {radius} and its phimax {phi_max}; both must be above 0")]
    Radius { shape: String, radius: f32, phi_max: f32 },
    #[error("the {shape} is empty: check its radius and heights")]
    EmptyQuadric { shape: String },
    #[error("the transformation of this shape overflows")]
    ShapeOverflow,
    #[error("its corners overflow in the world; check the transformation")]
    CornersOverflow,
    #[error("this shape becomes {triangles} triangles, but only {left} of {TRIANGLE_BUDGET} are left")]
    Triangles { triangles: u64, left: u64 },
}

/// Fault of the values behind a parameter's declaration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ValuesFault {
    #[error("expected a value, found {found}")]
    NoValue { found: String },
    #[error("the file ends before its value")]
    EndBeforeValue,
    #[error("the file ends before its closing ]")]
    EndBeforeBracket,
    #[error("its values mix numbers, texts and truth values")]
    Mixed,
    #[error("its values do not fit the type {kind}")]
    Type { kind: String },
}

/// Fault of a parameter whose values a directive cannot take.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ParameterFault {
    #[error("expected {wanted}, found {found}")]
    Type { wanted: &'static str, found: String },
    #[error("expected {wanted}, found {found}")]
    Count { wanted: &'static str, found: usize },
    #[error("expected {wanted}")]
    Expected { wanted: &'static str },
    #[error("expected true or false, found {found:?}")]
    Bool { found: String },
    #[error("{number} is not a whole number from {least} to {most}")]
    WholeNumber { number: f64, least: u32, most: u32 },
    #[error("{kelvin} kelvin; allowed are 100 to 1000000")]
    Temperature { kelvin: f64 },
    #[error("{} holds no samples", path.display())]
    NoSamples { path: PathBuf },
    #[error("{count} {what} are not a multiple of {of}")]
    Multiple { count: usize, what: &'static str, of: usize },
    #[error("vertex {vertex} is not finite: {position:?}")]
    NotFinite { vertex: u32, position: [f32; 3] },
    #[error("index {index}, but there are {vertices} vertices")]
    Index { index: f64, vertices: usize },
    #[error("{number} is too large")]
    TooLarge { number: f64 },
}

/// Returns a noun with its article.
fn a(noun: &str) -> String {
    format!("{} {noun}", if noun.starts_with('i') { "an" } else { "a" })
}
