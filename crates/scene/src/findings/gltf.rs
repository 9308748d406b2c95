//! What the importer of glTF leaves out, replaces or chooses; and what in a file breaks the format, needs something
//! that is not supported, or exceeds a limit.

use crate::counted::counted;

/// Largest number of objects in a glTF document. An empty one, three bytes long, takes hundreds of bytes once read.
pub(crate) const MAX_OBJECTS: usize = 1 << 22;
/// Largest number of elements of an accessor whose bytes are not in the file, so that all are zero.
pub(crate) const MAX_IMPLICIT: u64 = 1 << 24;
/// Name of the glTF extension for Draco compression.
pub(crate) const DRACO: &str = "KHR_draco_mesh_compression";

/// Largest number of names that a sentence lists.
const LISTED: usize = 10;

/// Finding of the glTF importer that a user is told.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum GltfWarning {
    #[error("{}", counted(*count, "byte behind the end that the header says is not read",
        "bytes behind the end that the header says are not read"))]
    BytesBehindEnd { count: usize },
    #[error("{}", not_played(*animations))]
    AnimationsNotPlayed { animations: usize },
    #[error("the file has none: shown in its own pose at any time")]
    NoAnimation,
    /// A time of an animation is shown, whose name may be empty. `first_of` is the number of animations where none was
    /// asked for, and `end` the last moment if the time is behind it.
    #[error("{}", shown(*animation, name, *at, *first_of, *end))]
    AnimationShown { animation: usize, name: String, at: f64, first_of: Option<usize>, end: Option<f64> },
    #[error(
        "moves {}, which is left as it is: only nodes and weights of morph targets are moved",
        crate::escape(pointer)
    )]
    UnmovedPointer { pointer: String },
    #[error("moves {path:?}, which is not known; left as it is")]
    UnknownPath { path: String },
    #[error("moves weight {weight}, but there are {}; left as it is",
        counted(*targets, "morph target", "morph targets"))]
    UnknownWeight { weight: usize, targets: usize },
    #[error("moves what an earlier channel moves; the earlier one counts")]
    MovedTwice,
    #[error("the extension {name} is not supported; rendered without it")]
    Extension { name: String },
    #[error("{name} is not supported; rendered without it")]
    MaterialExtension { name: &'static str },
    #[error("{name} has no effect beside KHR_materials_pbrSpecularGlossiness; left out")]
    BesideSpecularGlossiness { name: &'static str },
    #[error("KHR_materials_volume has no effect without KHR_materials_transmission; left out")]
    VolumeWithoutTransmission,
    #[error("KHR_materials_volume has no effect with a transmissionFactor of 0; left out")]
    VolumeOfOpaque,
    #[error("its matrix is projective; its last row is read as 0 0 0 1")]
    ProjectiveMatrix,
    #[error("copies of EXT_mesh_gpu_instancing are left out, as a skin says where its mesh is")]
    CopiesOfSkinned,
    #[error("names no TRANSLATION, ROTATION or SCALE; the mesh is placed once")]
    NoInstanceTransforms,
    #[error("has {weights} weights for {targets} morph targets; the first ones count")]
    SurplusWeights { weights: usize, targets: usize },
    #[error("points and lines have no surface; left out")]
    PointsOrLines,
    #[error("has no POSITION; left out")]
    NoPositions,
    #[error("{} no whole triangles; the last {} left out", counted(*indices, "index is", "indices are"),
        if indices % 3 == 1 { "one is" } else { "2 are" })]
    PartialTriangle { indices: usize },
    #[error("{} not finite; replaced by {replacement:?}", counted(*count, "value is", "values are"))]
    ValuesNotFinite { count: usize, replacement: Vec<f32> },
    #[error("{}", counted(*count, "colour of a vertex is outside 0 to 1; clamped",
        "colours of vertices are outside 0 to 1; clamped"))]
    ColorsOutside { count: usize },
    #[error("has no JOINTS_0 and WEIGHTS_0 for its skin; placed by its node")]
    NoJoints,
    #[error("{} not finite; replaced by 0", counted(*count, "weight is", "weights are"))]
    WeightsNotFinite { count: usize },
    #[error("{}", counted(*count, "vertex has no weights; it hangs on its first joint",
        "vertices have no weights; they hang on their first joint"))]
    Unweighted { count: usize },
    #[error("unknown alphaMode {mode:?}; rendered opaque")]
    AlphaMode { mode: String },
    #[error("its alpha is 0 everywhere; nothing of it is seen")]
    Invisible,
    #[error("the alpha of COLOR_0 is {} everywhere; nothing of it is seen",
        if *below_cutoff { "below its material's cutoff" } else { "0" })]
    InvisibleColors { below_cutoff: bool },
    /// The name of the first such material may be empty; `more` is the number of others.
    #[error("the coat{} bends with its base's normal map; without a clearcoatNormalTexture it should be even{}",
        of_material(name), others(*more))]
    BentCoats { name: String, more: usize },
    #[error("clearcoatNormalTexture is not supported; the coat follows the base's normal")]
    CoatNormals,
    #[error("ior {ior} is below 1; 1 is used")]
    IorBelowOne { ior: f32 },
    /// Values that must lie from 0 to `most`, which may be infinite.
    #[error("{name} {} is {}; clamped", shown_values(values), range(*most))]
    OutOfRange { name: &'static str, values: Vec<f32>, most: f32 },
    #[error("has no image in a supported format; rendered without it")]
    NoImage,
    /// The first image is missing, or cannot be read for the reason that `error` gives.
    #[error("images[{image}] cannot be shown; images[{fallback}] is, its fallback ({})",
        error.as_deref().unwrap_or("it is not there"))]
    FallbackImage { image: u64, fallback: u64, error: Option<String> },
    #[error("its material has textures on TEXCOORD_{set}, which is not there; {}",
        if *has_first { "those of TEXCOORD_0 are taken" } else { "they lie on each triangle" })]
    NoCoordinates { set: usize, has_first: bool },
    #[error("uses TEXCOORD_{set}; only sets 0 and 1 are read, rendered without this texture")]
    CoordinateSet { set: u64 },
    #[error("the texture transform is not finite; ignored")]
    TextureTransform,
    #[error("unknown wrap mode {mode}; repeated instead")]
    WrapMode { mode: u64 },
    #[error("xmag {xmag} and ymag {ymag}: sizes below 0 are read as above")]
    NegativeSizes { xmag: f32, ymag: f32 },
    #[error("no picture is {aspect} times as wide as high; its shape is left out")]
    PictureShape { aspect: f32 },
    #[error("the node flattens its camera; the camera is left out")]
    FlatCamera,
    #[error("the node flattens its light's direction; the light is left out")]
    FlatLight,
    #[error("range is ignored: light falls off with the square of the distance only")]
    LightRange,
    #[error("unknown type {kind:?}; the light is left out")]
    LightType { kind: String },
}

/// Fault that ends the import of a glTF file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum GltfFault {
    #[error("the file ends inside the 12-byte GLB header")]
    CutHeader,
    #[error("GLB version {version}; only version 2 is supported")]
    GlbVersion { version: u32 },
    #[error("the header says {stated} bytes but the file has {found}: it is cut off")]
    CutFile { stated: u32, found: usize },
    #[error("the file ends inside a chunk header")]
    CutChunkHeader,
    #[error("a chunk says {stated} bytes but only {left} are left")]
    CutChunk { stated: u32, left: usize },
    #[error("the GLB has no JSON chunk")]
    NoJsonChunk,
    #[error("the document has {objects} objects; at most {most} are read", most = MAX_OBJECTS)]
    Objects { objects: usize },
    #[error("broken document: {error}")]
    Document { error: String },
    #[error("is missing: this is no glTF document")]
    NoVersion,
    #[error("the file needs glTF {needed}; version 2.0 is supported")]
    Version { needed: String },
    #[error("the file requires the extension {name}, which is not supported")]
    Extension { name: String },
    #[error("refers to {array}[{index}], but there are {count} {array}")]
    NoEntry { array: &'static str, index: u64, count: usize },
    /// A scene, animation or material variant that was asked for is not there; `names` are those that are, by number.
    #[error("the file has no {kind} {wanted:?}; {}", known(names))]
    NoChoice { kind: &'static str, wanted: String, names: Vec<String> },
    #[error("{at} is no time to show")]
    Time { at: f64 },
    #[error("names no {what}")]
    NamesNo { what: &'static str },
    #[error("has no uri, and no GLB chunk stands in for it")]
    NoUri,
    #[error("has neither a uri nor a bufferView")]
    NoImageBytes,
    #[error("byteLength is {stated}, but only {found} bytes are there")]
    ShortBuffer { stated: u64, found: usize },
    #[error("{length} bytes from byte {offset} do not fit buffers[{buffer}], which has {size}")]
    OutsideBuffer { length: u64, offset: u64, buffer: u64, size: usize },
    #[error("count {count} x byteStride {stride} is not the view's byteLength {length}")]
    CompressedSize { count: u64, stride: u64, length: u64 },
    #[error("the file repeats its data until it needs more than 256 times its own size")]
    RepeatedData,
    #[error("the data URI has no comma between its header and its data")]
    DataUriWithoutComma,
    #[error("the data URI is not base64: {error}")]
    NotBase64 { error: String },
    #[error("{scheme}:// URIs are not fetched; download the file and name it by its path")]
    NetworkUri { scheme: String },
    #[error("the URI is not UTF-8 once its %XX are decoded")]
    UriNotUtf8,
    #[error("the URI names no file")]
    UriWithoutFile,
    #[error("unknown type {kind:?}")]
    AccessorType { kind: String },
    #[error("type {kind} where a scalar or a vector is read")]
    Matrix { kind: String },
    #[error("unknown componentType {code}")]
    ComponentType { code: u64 },
    #[error("componentType {code} (not in glTF 2.0) is not read")]
    UnreadComponentType { code: u64 },
    #[error("{count} elements, but at most {most} can be indexed", most = u32::MAX)]
    Elements { count: u64 },
    #[error("{count} elements without a buffer view; at most {most} are allowed",
        most = MAX_IMPLICIT)]
    ImplicitElements { count: usize },
    #[error("has {found} components; {allowed:?} are allowed")]
    Components { found: usize, allowed: Vec<usize> },
    #[error("joints must be VEC4 of type 5121 or 5123 (unsigned integers)")]
    JointType,
    #[error("indices must be scalars of type 5121, 5123 or 5125 (unsigned integers)")]
    IndexType,
    #[error("bufferViews[{view}].byteStride is {stride}, but an element has {size} bytes")]
    Stride { view: u64, stride: u64, size: usize },
    #[error(
        "{count} elements of {size} bytes, {stride} apart from byte {offset}, do not fit bufferViews[{view}], \
             which has {length} bytes"
    )]
    OutsideView { count: usize, size: usize, stride: u64, offset: u64, view: u64, length: usize },
    #[error("changes {changed} of {count} elements")]
    SparseCount { changed: u64, count: usize },
    #[error("indices must be unsigned integers")]
    SparseIndexType,
    #[error("indices must rise strictly and stay below {count}")]
    SparseIndices { count: usize },
    #[error("unknown mode {mode}")]
    Mode { mode: u64 },
    #[error("vertex {vertex} is not finite{}: {position:?}", if *in_pose { " in its pose" } else { "" })]
    NotFinite { vertex: u32, in_pose: bool, position: [f32; 3] },
    #[error("has {found} elements, but there are {positions} positions")]
    AttributeCount { found: usize, positions: usize },
    #[error("index {at} is vertex {vertex}, but there are only {vertices}")]
    Index { at: usize, vertex: u32, vertices: usize },
    #[error("vertex {vertex} hangs on joint {joint}, but the skin has {joints}")]
    Joint { vertex: u32, joint: u16, joints: usize },
    #[error("has no joints")]
    NoJoints,
    #[error("has {matrices} matrices for {joints} joints")]
    BindMatrices { matrices: usize, joints: usize },
    #[error("the transform of joint {joint} is not finite")]
    JointNotFinite { joint: usize },
    #[error("its transform is not finite")]
    NodeNotFinite,
    #[error("the transform of instance {instance} is not finite")]
    InstanceNotFinite { instance: usize },
    #[error("have different counts: {counts:?}")]
    InstanceCounts { counts: Vec<usize> },
    #[error("is reached from {first} and from {second}; nodes must form trees, without cycles")]
    ReachedTwice { first: String, second: String },
    #[error("every node is a child of another: there is a cycle")]
    NoRoot,
    #[error("nodes[{node}] is below itself: there is a cycle")]
    BelowItself { node: u64 },
    #[error("unknown interpolation {name:?}")]
    Interpolation { name: String },
    #[error("its sampler has no {what}")]
    SamplerWithout { what: &'static str },
    #[error("the time of key {key} is not finite: {time}")]
    KeyTime { key: usize, time: f64 },
    #[error("key {key} at {time} s stands behind one at {before} s")]
    KeyOrder { key: usize, time: f64, before: f64 },
    #[error("{} too few for {} of {width}{}", counted(*values, "value is", "values are"),
        counted(*keys, "key", "keys"), if *is_cubic { " with two tangents each" } else { "" })]
    KeyValues { values: usize, keys: usize, width: usize, is_cubic: bool },
    #[error("a value at {at} s is not finite: {value}")]
    PoseNotFinite { at: f64, value: f64 },
    #[error("yfov is {yfov}; it must lie between 0 and pi")]
    FieldOfView { yfov: f32 },
    #[error("ymag is 0")]
    NoHeight,
    #[error("type {kind:?} is unknown or its parameters are missing")]
    CameraType { kind: String },
    #[error(transparent)]
    Meshopt(#[from] MeshoptFault),
    #[error("broken Draco data: {error}")]
    Draco { error: String },
    #[error("broken Draco data: vertex {vertex} has no {attribute}")]
    DracoVertex { vertex: u32, attribute: String },
    #[error("its block has no attribute {id} for {attribute}")]
    DracoAttribute { id: u64, attribute: String },
    #[error("{attribute} is of type {kind}, which glTF has not")]
    DracoType { attribute: String, kind: String },
    #[error("its Draco data has a triangle at vertex {vertex}, but there are only {vertices}")]
    DracoIndex { vertex: u32, vertices: usize },
    #[error("{name} is not built in (feature draco); export without Draco, or with meshopt compression",
        name = DRACO)]
    WithoutDraco,
}

/// Fault in data of meshopt compression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum MeshoptFault {
    #[error("unknown filter {name:?}")]
    Filter { name: String },
    #[error("byteStride {stride} is not allowed for mode {mode} with filter {filter}")]
    Stride { stride: usize, mode: String, filter: String },
    #[error("filter {filter} is not allowed for mode {mode}")]
    FilterOfMode { filter: String, mode: String },
    #[error("{bytes} bytes cannot hold {elements} elements")]
    Short { bytes: usize, elements: u64 },
    #[error("unknown mode {name:?}; known are ATTRIBUTES, TRIANGLES and INDICES")]
    Mode { name: String },
    #[error("the compressed stream is empty")]
    Empty,
    #[error("the compressed stream is shorter than its tail")]
    NoTail,
    #[error("the compressed stream ends too early")]
    Cut,
    #[error("{left} bytes are left over in the compressed stream")]
    Surplus { left: usize },
    #[error("a variable-length number has more than five bytes")]
    LongNumber,
    #[error("0x{header:02x} begins no attribute stream (0xa0 or 0xa1 does)")]
    AttributeHeader { header: u8 },
    #[error("0x{header:02x} begins no triangle stream (0xe0 or 0xe1 does)")]
    TriangleHeader { header: u8 },
    #[error("0x{header:02x} begins no index stream (0xd0 or 0xd1 does)")]
    IndexHeader { header: u8 },
    #[error("unknown channel mode 0x{mode:02x}")]
    ChannelMode { mode: u8 },
    #[error("the stream refers to an edge or vertex before its first")]
    BeforeFirst,
    #[error("{count} indices are no list of triangles")]
    NoTriangles { count: usize },
}

/// Says which names there are, with their numbers.
fn known(names: &[String]) -> String {
    let called = |(number, name): (usize, &String)| match name.as_str() {
        "" => format!("number {number}"),
        name => format!("{} ({number})", crate::escape(name)),
    };
    match names {
        [] => "it has none".into(),
        [name] if name.is_empty() => "its only one has no name, and is number 0".into(),
        _ if names.iter().all(String::is_empty) => {
            format!("its {} have no names, and are numbered 0 to {}", names.len(), names.len() - 1)
        }
        _ => {
            let mut listed: Vec<String> = names.iter().enumerate().take(LISTED).map(called).collect();
            if names.len() > LISTED {
                listed.push(format!("and {} more", names.len() - LISTED));
            }
            format!("there are {}", listed.join(", "))
        }
    }
}

fn not_played(animations: usize) -> String {
    match animations {
        1 => "the file's animation is not played: shown in its own pose; `GltfOptions::at` SECONDS shows a time".into(),
        n => format!(
            "the file's {n} animations are not played: shown in its own pose; `GltfOptions::at` SECONDS shows a time of \
             the first, `GltfOptions::animation` NAME of another"
        ),
    }
}

fn shown(animation: usize, name: &str, at: f64, first_of: Option<usize>, end: Option<f64>) -> String {
    let name = if name.is_empty() { String::new() } else { format!(", {}", crate::escape(name)) };
    let of_several = match first_of {
        Some(n) => format!(", the first of {n} (`GltfOptions::animation` NAME shows another)"),
        None => String::new(),
    };
    let clamped = end.map_or_else(String::new, |end| format!(", which ends at {end} s"));
    format!("shown at {at} s of animation {animation}{name}{of_several}{clamped}")
}

fn of_material(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" of material {}", crate::escape(name)) }
}

fn others(more: usize) -> String {
    if more == 0 { String::new() } else { format!("; {} the same", counted(more, "more does", "more do")) }
}

fn shown_values(values: &[f32]) -> String {
    if let [value] = values { value.to_string() } else { format!("{values:?}") }
}

fn range(most: f32) -> String {
    if most.is_finite() { format!("outside 0 to {most}") } else { "below 0".into() }
}
