//! Faults of files, as values that a program can act on: what breaks a format, is not supported, or is too large.

use super::gltf::GltfFault;
use super::image::ImageFault;
use super::obj::ObjFault;
use super::off::OffFault;
use super::packed::PackedFault;
use super::pbrt::PbrtFault;
use super::ply::PlyFault;
use super::rule::SceneRule;
use super::stl::StlFault;
use super::threemf::ThreeMfFault;
use super::wrong_file::WrongFile;

/// Fault of a file; its text says what was found and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// A text has another encoding than UTF-8.
    #[error("the text is UTF-{bits} ({} endian), which is not read; save it as UTF-8",
        if *is_big { "big" } else { "little" })]
    WideText {
        /// Number of bits of a unit, 16 or 32.
        bits: u32,
        /// `true` if a unit's first byte is its highest.
        is_big: bool,
    },
    /// A file cannot be read from disk, where that is no error of its own.
    #[error("cannot be read: {error}")]
    Unreadable {
        /// Text of the operating system's error.
        error: String,
    },
    /// An importer made a scene that breaks a rule of [`crate::validate`].
    #[error("{rule}")]
    Invalid {
        /// Rule that is broken, as [`crate::Invalid`] names it.
        rule: SceneRule,
    },
    /// A file is of another kind than its name says, or a placeholder.
    #[error(transparent)]
    WrongFile(#[from] WrongFile),
    /// Fault of data that are packed with gzip or Zstandard, or in a package.
    #[error(transparent)]
    Packed(#[from] PackedFault),
    /// Fault of an image.
    #[error(transparent)]
    Image(#[from] ImageFault),
    /// Fault of a glTF file.
    #[error(transparent)]
    Gltf(#[from] GltfFault),
    /// Fault of an OBJ file or a material library.
    #[error(transparent)]
    Obj(#[from] ObjFault),
    /// Fault of an OFF file.
    #[error(transparent)]
    Off(#[from] OffFault),
    /// Fault of a pbrt file.
    #[error(transparent)]
    Pbrt(#[from] PbrtFault),
    /// Fault of a PLY file.
    #[error(transparent)]
    Ply(#[from] PlyFault),
    /// Fault of an STL file.
    #[error(transparent)]
    Stl(#[from] StlFault),
    /// Fault of a 3MF file.
    #[error(transparent)]
    ThreeMf(#[from] ThreeMfFault),
}
