//! Errors of finding, loading and calling Embree.

use std::path::PathBuf;

/// Error of Embree: it cannot be used, or a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbreeError {
    /// There is no library of these names, or none that the system can load.
    #[error("Embree 4 cannot be loaded as {}: {why}", tried.join(" or "))]
    NotFound {
        /// Names or files that were tried.
        tried: Vec<String>,
        /// Reason that the system gave for the last.
        why: String,
    },
    /// The folder does not hold the library.
    #[error("{}: no file of this folder is called libembree4", folder.display())]
    EmptyFolder {
        /// Folder that was searched.
        folder: PathBuf,
    },
    /// The library is not Embree 4.
    #[error("{file} has no function {name}; it is not Embree 4")]
    Symbol {
        /// Name of the library.
        file: String,
        /// Name of the missing function.
        name: &'static str,
    },
    /// The library is of another version than 4.
    #[error("Embree is of version {found}; 4 is needed")]
    Version {
        /// The version that was found.
        found: String,
    },
    /// Structures that lie otherwise in memory than this crate declares them.
    #[error("Embree {version} has other structures than this program knows: {what}")]
    Layout {
        /// Version of the library.
        version: String,
        /// Answers or overrun that showed it.
        what: String,
    },
    /// A call of Embree failed.
    #[error("Embree failed: {what} ({reason})")]
    Failed {
        /// Call that was tried.
        what: &'static str,
        /// Embree's own words, or its error's name.
        reason: String,
    },
    /// More triangles than Embree's indices hold.
    #[error("{found} triangles are more than Embree's indices hold")]
    TooMany {
        /// Number of triangles.
        found: usize,
    },
}
