//! What in a glTF file breaks the format, needs something that is not supported, or exceeds a limit.

use crate::import::counted::counted;

/// Largest number of names that a sentence lists.
const LISTED: usize = 10;

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
    #[error("the document has {objects} objects; at most {most} are read", most = super::MAX_OBJECTS)]
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
        most = super::accessor::MAX_IMPLICIT)]
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
        name = super::draco::NAME)]
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
