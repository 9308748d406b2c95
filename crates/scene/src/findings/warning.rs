//! Warnings: what an importer leaves out, replaces or chooses, as values that a program can act on.

use super::gltf::GltfWarning;
use super::obj::ObjWarning;
use super::off::OffWarning;
use super::pbrt::PbrtWarning;
use super::ply::PlyWarning;
use super::stl::StlWarning;
use super::threemf::ThreeMfWarning;
use crate::counted::counted;
use crate::{FaultKind, Place};
use raywarp_geom::origin::RoundingWarning;
use std::path::PathBuf;

/// Warning about something that a file holds and that was left out or replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Path of the file that the warning is about.
    pub path: PathBuf,
    /// Position in that file.
    pub place: Place,
    /// What was found; its text says that, and what was done instead.
    pub kind: WarningKind,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}: {}", self.path.display(), self.place, self.kind)
    }
}

/// Finding of an importer; its text is the sentence that a user reads.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// A file that the scene names does not exist, which was allowed.
    #[error("missing; rendered without it")]
    Missing,
    /// A file that only affects materials does not exist, where only triangles are wanted.
    #[error("missing; not needed for the triangles")]
    MissingLook,
    /// A file is a placeholder for another, such as a pointer of Git LFS.
    #[error("this is {what}, not the file; rendered without it")]
    Placeholder {
        /// Name of the kind of placeholder, with its article.
        what: &'static str,
    },
    /// A file is named by a path of another machine, and one beside the scene is taken.
    #[error("{name} is not here; {} beside this file is taken", found.display())]
    OnOtherMachine {
        /// Path as the scene has it.
        name: String,
        /// File that is read instead.
        found: PathBuf,
    },
    /// A file that only affects materials is broken, where only triangles are wanted.
    #[error("{fault}; not needed for the triangles")]
    BrokenLook {
        /// Fault of that file.
        fault: FaultKind,
    },
    /// An image or a library is broken, which was allowed.
    #[error("{fault}; rendered without it")]
    Broken {
        /// Fault of that file.
        fault: FaultKind,
    },
    /// Vertices are not finite, and no face uses them.
    #[error("{}", counted(*count, "vertex is not finite, and no face uses it; left out",
        "vertices are not finite, and no face uses them; left out"))]
    StrayVertices {
        /// Number of the vertices that are left out.
        count: usize,
    },
    /// Polygons cross themselves.
    #[error("{} cut at corners that turn inwards", counted(*count,
        "polygon crosses itself and has no triangles of its own; it is",
        "polygons cross themselves and have no triangles of their own; they are"))]
    CrossingPolygons {
        /// Number of the polygons.
        count: usize,
    },
    /// Texels of an image of floats are not finite.
    #[error("{}", counted(*count, "texel of the image is infinite or not a number; read as 0",
        "texels of the image are infinite or not numbers; read as 0"))]
    TexelsNotFinite {
        /// Number of the texels.
        count: usize,
    },
    /// A scene, animation or variant was chosen of a file that is no glTF file.
    #[error("scenes, animations and variants of materials are chosen of glTF files only; this one is shown as it is")]
    ChoiceOfOther,
    /// Units of lamps were chosen of a file that is no glTF file.
    #[error("the units of lamps are chosen of glTF files only; the lights of this one are as its format has them")]
    LampUnitsOfOther,
    /// Rounding to float32 moves corners by much of a triangle's size.
    #[error(transparent)]
    Rounding(#[from] RoundingWarning),
    /// Finding of the glTF importer.
    #[error(transparent)]
    Gltf(#[from] GltfWarning),
    /// Finding of the OBJ importer.
    #[error(transparent)]
    Obj(#[from] ObjWarning),
    /// Finding of the OFF importer.
    #[error(transparent)]
    Off(#[from] OffWarning),
    /// Finding of the pbrt importer.
    #[error(transparent)]
    Pbrt(#[from] PbrtWarning),
    /// Finding of the PLY importer.
    #[error(transparent)]
    Ply(#[from] PlyWarning),
    /// Finding of the STL importer.
    #[error(transparent)]
    Stl(#[from] StlWarning),
    /// Finding of the 3MF importer.
    #[error(transparent)]
    ThreeMf(#[from] ThreeMfWarning),
}
