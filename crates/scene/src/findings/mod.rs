//! Findings of importers, as values that a program can act on, with their sentences and the limits that these name.
//!
//! No file here knows an importer; importers know these.

mod fault;
pub(crate) mod gltf;
pub(crate) mod image;
mod obj;
pub(crate) mod off;
pub(crate) mod packed;
pub(crate) mod pbrt;
pub(crate) mod ply;
mod rule;
mod stl;
pub(crate) mod threemf;
mod warning;
mod wrong_file;

pub use fault::FaultKind;
pub use gltf::{GltfFault, GltfWarning, MeshoptFault};
pub use image::ImageFault;
pub use obj::{MtlFinding, ObjFault, ObjWarning};
pub use off::{OffFault, OffWarning};
pub use packed::PackedFault;
pub use pbrt::{ParameterFault, PbrtFault, PbrtWarning, ValuesFault};
pub use ply::{PlyFault, PlyWarning};
pub use rule::SceneRule;
pub use stl::{StlFault, StlWarning};
pub use threemf::{ThreeMfFault, ThreeMfWarning};
pub use warning::{Warning, WarningKind};
pub use wrong_file::WrongFile;
