//! Rules of [`crate::validate`], as values with what was found where one is broken.

use raywarp_geom::MeshError;

/// Rule that a part of a scene breaks, with what was found there; `what` names the numbers of that part.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum SceneRule {
    #[error("it is not finite: {origin:?}")]
    Origin { origin: [f64; 3] },
    #[error("refers to {kind} {index}, but there are only {count}")]
    NoEntry { kind: &'static str, index: u32, count: usize },
    #[error("{what} is not finite: {values:?}")]
    NotFinite { what: &'static str, values: Vec<f32> },
    #[error("{what} must be finite and not negative: {values:?}")]
    Negative { what: &'static str, values: Vec<f32> },
    #[error("{what} must be finite and above 0: {value}")]
    NotPositive { what: &'static str, value: f32 },
    #[error("{what} {value} is not in 0..{most:e}")]
    OutOfRange { what: &'static str, value: f32, most: f32 },
    #[error("{what} must have length 1: {direction:?}")]
    Length { what: &'static str, direction: [f32; 3] },
    #[error("{what} must be perpendicular: {a:?} and {b:?}")]
    NotPerpendicular { what: &'static str, a: [f32; 3], b: [f32; 3] },
    #[error("{texels} texels for a size of {width} x {height}")]
    TexelCount { texels: usize, width: u32, height: u32 },
    #[error("a texel is not finite")]
    Texel,
    #[error("uses texture coordinates {set}; there are 0 and 1")]
    TextureCoordinates { set: u8 },
    #[error("refers to texture {id}, which does not come before it")]
    LaterTexture { id: u32 },
    #[error("mixes material {id}, which does not come before it")]
    LaterMaterial { id: u32 },
    #[error(transparent)]
    Mesh(#[from] MeshError),
    #[error("the {what} are not all finite")]
    Attribute { what: &'static str },
    #[error("{materials} materials for {triangles} triangles")]
    MaterialCount { materials: usize, triangles: usize },
    #[error("the transform is not finite")]
    Transform,
    #[error("cones with cosines {inner} inside and {outer} outside")]
    Cones { inner: f32, outer: f32 },
    #[error("a field of view of {fov} degrees; above 0 and below 180")]
    FieldOfView { fov: f32 },
    #[error("a picture of {width} x {height} pixels")]
    PictureSize { width: u32, height: u32 },
    #[error("0 samples a pixel")]
    NoSamples,
}
