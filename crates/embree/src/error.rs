//! Errors of finding, loading and calling Embree.

use std::path::PathBuf;

/// Errors of using Embree: it cannot be loaded, does not fit, or a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbreeError {
    /// The system's loader finds no library of these names, or cannot load it.
    #[error("Embree 4 cannot be loaded as {}: {why}", tried.join(" or "))]
    NotFound {
        /// Names or paths of the library that were tried.
        tried: Vec<String>,
        /// Reason that the system gave for the last attempt.
        why: String,
    },
    /// The given folder does not hold the library.
    #[error("{}: no file of this folder is called libembree4", folder.display())]
    EmptyFolder {
        /// Folder that was searched.
        folder: PathBuf,
    },
    /// The library lacks a function of Embree 4.
    #[error("{file} has no function {name}; it is not Embree 4")]
    Symbol {
        /// File name of the library.
        file: String,
        /// Name of the missing function.
        name: &'static str,
    },
    /// The library is not of version 4.
    #[error("Embree is of version {found}; 4 is needed")]
    Version {
        /// Version of the library that was found.
        found: String,
    },
    /// The library lays out rays or hits in memory otherwise than this crate declares them.
    #[error("Embree {version} has other structures than this program knows: {what}")]
    Layout {
        /// Version of the library.
        version: String,
        /// Wrong answers or overwritten memory that showed the difference.
        what: String,
    },
    /// An Embree call failed.
    #[error("Embree failed: {what} ({reason})")]
    Failed {
        /// Name of the call that failed.
        what: &'static str,
        /// Embree's own message, or the name of its error code.
        reason: String,
    },
    /// The scene has more triangles than Embree's 32-bit indices can count.
    #[error("{found} triangles are more than Embree's indices hold")]
    TooMany {
        /// Number of triangles of the scene.
        found: usize,
    },
}
