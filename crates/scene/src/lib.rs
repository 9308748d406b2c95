//! Scenes: the model every importer fills and the renderer reads, and the importers.
//!
//! [`load`] reads glTF 2.0, OBJ, PLY, pbrt, STL, OFF and 3MF files, plain or compressed with gzip or Zstandard.
#![forbid(unsafe_code)]

mod counted;
mod each;
mod error;
mod escape;
mod findings;
mod flatten;
mod grouped;
pub mod import;
pub mod model;
mod validate;
pub mod views;

pub use error::{ImportError, Place, SceneOfFile};
pub use escape::{escape, escape_but};
pub use findings::{
    FaultKind, GltfFault, GltfWarning, ImageFault, MeshoptFault, MtlFinding, ObjFault, ObjWarning, OffFault,
    OffWarning, PackedFault, ParameterFault, PbrtFault, PbrtWarning, PlyFault, PlyWarning, SceneRule, StlFault,
    StlWarning, ThreeMfFault, ThreeMfWarning, ValuesFault, Warning, WarningKind, WrongFile,
};
pub use flatten::{flatten, flatten_some};
pub use grouped::grouped;
pub use import::{
    Choices, Format, GltfOptions, LampReading, LampUnits, LampUnitsReason, LightUnits, LoadError, LoadOptions, Loaded,
    StandIns, WithoutTriangles, load, load_from, load_image, sphere,
};
pub use model::*;
pub use validate::{Invalid, validate};
