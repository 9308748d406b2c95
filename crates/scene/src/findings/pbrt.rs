//! What the importer of pbrt scenes leaves out or replaces, and what in such a scene breaks the format or exceeds a
//! limit.

use crate::counted::counted;
use std::path::PathBuf;

/// Largest number of files that include each other at once.
pub(crate) const MAX_DEPTH: usize = 64;
/// Largest number of `Include` directives of a scene, in case files include each other many times over.
pub(crate) const MAX_INCLUDES: u32 = 100_000;
/// Largest nesting depth of blocks such as `AttributeBegin`; files that people make have some tens.
pub(crate) const MAX_BLOCKS: usize = 4096;
/// Largest number of placements of meshes in a scene.
pub(crate) const MAX_PLACEMENTS: usize = 1 << 25;
/// Largest number of parameters from `Attribute` directives, each of which is offered to every directive that follows.
pub(crate) const MAX_DEFAULTS: usize = 256;
/// Largest number of triangles, all together, that spheres, subdivision surfaces and the like may become.
pub(crate) const TRIANGLE_BUDGET: u64 = 1 << 25;
/// Largest accepted index of refraction; larger ones are typing mistakes.
pub(crate) const MAX_INDEX: f32 = 100.0;
/// Index of refraction of the clear coat in the metallic-roughness model.
pub(crate) const COAT_INDEX: f32 = 1.5;

/// Finding of the pbrt importer that a user is told.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum PbrtWarning {
    #[error("what follows WorldEnd is ignored")]
    BehindWorldEnd,
    /// Something belongs to another version of pbrt than the scene is read as.
    #[error(
        "{what} {kind:?} belongs to pbrt's version {version}, but the scene is read as one of version {read_as} by \
             what comes first in it"
    )]
    OtherVersion { what: &'static str, kind: String, version: u32, read_as: u32 },
    #[error("{kind:?} belongs to an older pbrt and is ignored")]
    OlderPbrt { kind: String },
    #[error("parameter \"{name}\" of {of} is ignored")]
    UnusedParameter { name: String, of: String },
    #[error("parameter \"{name}\" of Attribute {target:?} is taken by nothing")]
    IdleAttribute { name: String, target: String },
    #[error("option \"{name}\" is ignored")]
    Option { name: String },
    #[error("parameter \"{name}\" cannot be a texture here; its default is used")]
    NoTextureHere { name: String },
    #[error("parameter \"{name}\" is {value:?}; clamped to 0 to 1")]
    ClampedColor { name: String, value: [f32; 3] },
    #[error("colour space {name:?} is not supported; colours are read as sRGB")]
    ColorSpace { name: String },
    #[error("spectrum {name:?} is not known; the default is used")]
    UnknownSpectrum { name: String },
    #[error("the spectrum \"{parameter}\" has nothing that is seen; it gives no light")]
    InvisibleSpectrum { parameter: String },
    #[error("coordinate system {name:?} is not defined; the current one stays")]
    NoCoordinateSystem { name: String },
    #[error("object {name:?} is not defined; left out")]
    NoObject { name: String },
    #[error("{} (ActiveTransform); shown without blur as when the shutter opens, at time {at}", moving(*things))]
    Motion { things: u64, at: f64 },

    #[error("film {kind:?} is read as \"rgb\"")]
    Film { kind: String },
    #[error("sensor {name:?} is not supported; colours are as for \"cie1931\"")]
    Sensor { name: String },
    #[error("the film's and the integrator's bounds leave no pixels; the whole picture is rendered")]
    NoPixels,
    #[error("sampler {kind:?} is replaced by Sobol points")]
    Sampler { kind: String },
    #[error("\"{name}\" {value} is ignored; samples are spread over the pixel")]
    SamplePlaces { name: &'static str, value: bool },
    #[error("integrator {kind:?} is replaced by path tracing")]
    Integrator { kind: String },
    #[error("\"regularize\" is ignored; surfaces stay as sharp behind rough ones")]
    Regularize,
    #[error("the pixel filter's two radii differ; the first is used for both")]
    FilterRadii,
    #[error("pixel filter {kind:?} is replaced by Mitchell's of radius 2")]
    Filter { kind: String },

    #[error("the camera's transformation stretches the picture; it is left unstretched")]
    StretchedCamera,
    #[error("the realistic camera's lens is replaced by a pinhole of 50 mm on 24 x 36 mm")]
    RealisticCamera,
    #[error("camera {kind:?} is replaced by a perspective one of 90 degrees")]
    Camera { kind: String },
    #[error("the shutter closes before it opens; the picture is as bright as if it were open for 1")]
    Shutter,
    #[error("frameaspectratio is ignored; pixels are square")]
    FrameAspectRatio,
    #[error("a screenwindow off the centre is not supported; it is centred")]
    ScreenWindow,

    #[error("area light {kind:?} is read as \"diffuse\"")]
    AreaLight { kind: String },
    #[error("pbrt makes {lights} lights of this shape, each with the whole \"power\"; here they share it by size")]
    SharedPower { lights: usize },
    #[error("area lights of shapes inside ObjectBegin light nothing, as in pbrt{}",
        if *shown_bright { "; pbrt 3 shows them bright, here they are dark" } else { "" })]
    LightInObject { shown_bright: bool },
    /// pbrt samples such a light, though no ray hits it. Here lights are sampled by the surfaces that rays hit.
    #[error(
        "an area light whose surface has \"alpha\" 0 shines in pbrt and is not seen; here it lights nothing: leave \
             \"alpha\" out to have its light, and to see it"
    )]
    ClearLight,
    #[error("the {kind} light's picture is left out; it is a point light")]
    LightPicture { kind: String },
    #[error("light {kind:?} is not supported and left out")]
    Light { kind: String },
    #[error("the light is {color:?}; numbers below 0 are read as 0")]
    NegativeLight { color: [f32; 3] },
    #[error("portals are ignored; the light shines from everywhere")]
    Portals,
    #[error("an infinite light has \"L\" beside \"filename\", which pbrt 4 refuses; the picture is multiplied by it")]
    RadianceBesideFile,
    #[error("an environment map that is not square is read as latitude and longitude{}",
        if *has_illuminance { ", and its \"illuminance\" is left out" } else { "" })]
    WideEnvironment { has_illuminance: bool },
    #[error("the infinite light's transformation shears or stretches; only its rotation is used")]
    StretchedEnvironment,

    #[error("medium {name:?} of type {kind:?} is not supported; rendered as empty")]
    Medium { name: String, kind: String },
    #[error("medium {name:?}: preset {preset:?} is not supported; rendered as empty")]
    MediumPreset { name: String, preset: String },
    #[error("medium {name:?} scatters; only its absorption is rendered")]
    ScatteringMedium { name: String },
    #[error("medium {name:?}: the absorption {absorption} is negative; 0 is used")]
    NegativeAbsorption { name: String, absorption: f32 },
    #[error("medium {name:?} is not defined; rendered as empty")]
    NoMedium { name: String },

    #[error("a checkerboard of three dimensions is not supported; it is made from uv")]
    SolidCheckerboard,
    #[error("texture {name:?}: bilerp is replaced by its mean")]
    Bilerp { name: String },
    #[error("texture {name:?}: {class:?} is not supported and replaced by 0.5")]
    Texture { name: String, class: String },
    #[error("texture {name:?} is not defined; the default value is used")]
    NoTexture { name: String },
    #[error("encoding {name:?} is read as sRGB; known are sRGB, linear and \"gamma G\"")]
    Encoding { name: String },
    #[error("texture mapping {name:?} is not supported; uv is used")]
    TextureMapping { name: String },

    #[error("material {name:?} is not defined; grey is used")]
    NoMaterial { name: String },
    #[error("the roughness \"sigma\" of matte is ignored; it is Lambertian")]
    Sigma,
    #[error("material {name:?}: {kind} is replaced by a coated diffuse surface")]
    Subsurface { name: String, kind: String },
    #[error("material {name:?}: hair is replaced by a diffuse surface")]
    Hair { name: String },
    #[error("material {name:?}: {kind} is not supported; it is grey with a coat")]
    Material { name: String, kind: String },
    #[error("the gloss \"Ks\" of translucent is left out")]
    TranslucentGloss,
    #[error("material {name:?} mixes {part:?}, which is not defined yet; grey is used")]
    UndefinedMix { name: String, part: String },
    #[error("an index of refraction that varies over the surface is not supported")]
    VaryingIndex,
    /// The index of refraction is that of a known material, or of the parameter `name` where that is no name of one.
    #[error("the index of refraction {} varies with the wavelength; light of all colours is bent alike, by {index} (no \
             dispersion)", if *is_material { format!("{name:?}") } else { format!("\"{name}\"") })]
    Dispersion { name: String, is_material: bool, index: f32 },
    #[error("{kind}: left out: \"{}\"; the coat is clear and thin, and all light gets through", names.join("\", \""))]
    CoatMedium { kind: String, names: Vec<String> },
    #[error("material {name:?}: Kr is added to the rough reflection Ks")]
    MirrorBesideGloss { name: String },
    #[error("disney materials are rendered by the metallic-roughness model")]
    Disney,
    #[error("coatedconductor: a coat whose roughness varies over the surface is not supported; it is smooth")]
    VaryingCoat,
    #[error("coatedconductor: the coat is as rough all round as in the mean of its two directions")]
    AnisotropicCoat,
    #[error(
        "coatedconductor: the coat's index of refraction is taken as {COAT_INDEX} instead of {index}, which takes \
             roughnesses that are the same everywhere and all round, and an index above 1 and at most 10"
    )]
    CoatIndex { index: f32 },

    #[error("shape {kind:?} is not supported and left out")]
    Shape { kind: String },
    #[error("parameter \"shadowalpha\" is ignored; shadows follow \"alpha\"")]
    ShadowAlpha,
    #[error("this transformation flattens shapes")]
    FlatShape,
    #[error("{}: faces name materials that the scene does not define; they get the shape's", path.display())]
    FaceMaterials { path: PathBuf },
    #[error("{} for {points} points; left out", counted(*normals, "normal", "normals"))]
    Normals { normals: usize, points: usize },
    #[error("{} for {points} points; left out", counted(*coordinates, "texture coordinate", "texture coordinates"))]
    Coordinates { coordinates: usize, points: usize },
}

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

    #[error("files include each other more than {most} deep", most = MAX_DEPTH)]
    IncludeDepth,
    #[error("more than {most} files are included", most = MAX_INCLUDES)]
    Includes,
    #[error("{} includes itself", path.display())]
    IncludesItself { path: PathBuf },
    #[error("{begin} is never closed")]
    NeverClosed { begin: &'static str },
    #[error("blocks are nested more than {most} deep", most = MAX_BLOCKS)]
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
    #[error("more than {most} shapes are placed", most = MAX_PLACEMENTS)]
    Placements,
    #[error("Attribute {target:?}: expected shape, light, material, medium or texture")]
    AttributeTarget { target: String },
    #[error("Attribute {target:?}: more than {most} parameters", most = MAX_DEFAULTS)]
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
    #[error("the index of refraction is {index}; it must be above 0 and at most {most}", most = MAX_INDEX)]
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

fn moving(things: u64) -> String {
    if things == 1 { "something moves".into() } else { format!("{things} things move") }
}
