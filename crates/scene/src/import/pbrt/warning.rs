//! What the importer of pbrt scenes leaves out or replaces.

use super::material::COAT_INDEX;
use crate::import::counted::counted;
use std::path::PathBuf;

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

fn moving(things: u64) -> String {
    if things == 1 { "something moves".into() } else { format!("{things} things move") }
}
