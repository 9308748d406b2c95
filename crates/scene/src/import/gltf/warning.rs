//! What the importer of glTF leaves out, replaces or chooses.

use crate::import::counted::counted;

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
