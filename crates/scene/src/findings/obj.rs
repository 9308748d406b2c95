//! What the importer of OBJ files and their material libraries leaves out or replaces, and what in them breaks the
//! format.

use crate::counted::counted;

/// Finding of the OBJ importer that a user is told. Words of the file are cut after forty letters.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ObjWarning {
    #[error("{statement} names no file; left out")]
    WithoutFile { statement: String },
    #[error("colours of vertices in comments `#MRGB`, as ZBrush writes them, are not read")]
    PaintedComments,
    #[error("`{keyword}`: lines and points are not rendered")]
    LinesOrPoints { keyword: String },
    #[error("`{keyword}`: free-form curves and surfaces are not rendered")]
    FreeForm { keyword: String },
    #[error("`{keyword}`: not known; left out")]
    UnknownKeyword { keyword: String },
    #[error("a {what} that is not finite; read as 0 there and in any that follow")]
    NotFinite { what: &'static str },
    #[error("a vertex colour below 0; read as 0 there and in any that follow")]
    NegativeColor,
    #[error("a vertex colour above 1; read as 1 there and in any that follow")]
    BrightColor,
    #[error("colours of vertices reach {most}; read as 0 to 255")]
    ByteColors { most: f64 },
    #[error("the seventh number of a vertex, and of any that follow, is not read")]
    SeventhNumber,
    #[error("a face of fewer than three corners; it and any that follow are left out")]
    SmallFace,
    #[error("a face of a smoothing group (`s`) without normals (`vn`); it and any that follow are flat")]
    FlatSmoothFace,
    #[error("no library has material {name}; rendered grey")]
    NoMaterial { name: String },
    #[error("material {name} is there already; the first counts")]
    MaterialTwice { name: String },
    #[error("faces of material {material} have no texture coordinates; its images lie on each triangle")]
    NoCoordinates { material: String },
    #[error("some faces of material {material} have no texture coordinates; its images' corner lies on them")]
    SomeWithoutCoordinates { material: String },
    #[error("`{keyword}` before the first newmtl; left out")]
    BeforeMaterials { keyword: String },
    #[error("{} numbers below 0, which are read as 0", counted(*statements, "statement has", "statements have"))]
    NegativeNumbers { statements: usize },
    #[error("option -halo of d has no effect")]
    Halo,
    #[error("illum {value}; only 0 to 10 have a meaning; left out")]
    UnknownModel { value: f32 },
    #[error("illum 10, shadows on what is not seen, is not rendered; read as 2")]
    InvisibleShadows,
    #[error("`{statement}`: {what} is not rendered; left out")]
    NotRendered { statement: String, what: &'static str },
    #[error("`{statement}` is not known; left out")]
    UnknownStatement { statement: String },
    #[error("{statement} as {kind} is not read; left out")]
    SpectralColor { statement: String, kind: String },
    #[error("option {option} of {statement} has no effect")]
    Option { option: String, statement: String },
    #[error("material {name}: {finding}")]
    Material { name: String, finding: MtlFinding },
}

/// Finding about the statements of one material.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum MtlFinding {
    #[error("{factor} is black under map_{factor}; read as white")]
    BlackUnderMap { factor: &'static str },
    #[error("{factor} is 0 under map_{factor}; read as 1")]
    ZeroUnderMap { factor: &'static str },
    #[error("map_Ka without map_Kd is not read; there is no ambient light")]
    AmbientMap,
    #[error("Tf has no effect, as nothing else says that it is glass")]
    Filter,
    #[error("{map} has no effect beside Pr and Pm")]
    ClassicMap { map: &'static str },
    #[error("Pc has no effect without Pr or Pm")]
    Coat,
    #[error("Ks is black under map_Ks, which has no effect")]
    BlackSpecular,
    #[error("Kd + Ks reach {sum}; both divided by that, so that no light is made")]
    MakesLight { sum: f32 },
    #[error("map_Ks of Blender is a specular level, which is not rendered; 0.5 is taken")]
    SpecularLevelMap,
    #[error("glass with Tf 0 lets nothing through; read as clear")]
    OpaqueGlass,
    #[error("Tr 1 without d would leave nothing to see; read as opaque")]
    Transparency,
    #[error("d is 0; nothing of this material is seen")]
    Dissolved,
    #[error("{map} is 0 everywhere; nothing of this material is seen")]
    DissolvedByMap { map: &'static str },
    #[error("map_Bump holds a normal map; read as one")]
    BumpIsNormalMap,
}

/// Fault that ends the import of an OBJ file or of a library. Words of the file are cut after forty letters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ObjFault {
    #[error("it has no faces")]
    NoFaces,
    #[error("`{word}` is no finite number")]
    Number { word: String },
    #[error("a vertex has three numbers, and at most four more")]
    LongVertex,
    #[error("a vertex of {numbers} numbers; it needs three")]
    ShortVertex { numbers: usize },
    #[error("`{word}` is no corner of a face")]
    Corner { word: String },
    #[error("`{word}` is no index")]
    Index { word: String },
    #[error("index 0; indices count from 1")]
    IndexZero,
    #[error("index {index}, but the file has not as many entries")]
    LargeIndex { index: i64 },
    #[error("index {index}, but only {count} entries stand before it")]
    IndexBefore { index: i64, count: usize },
    #[error("a face uses {what} {index}, but the file has only {count}")]
    NoEntry { what: &'static str, index: u32, count: usize },
    #[error("`{text}` is no colour; it needs one or three numbers")]
    Color { text: String },
}
