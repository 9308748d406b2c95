//! Why Embree cannot be used.

use std::path::PathBuf;

/// Why Embree cannot be used, or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbreeError {
    /// No library of these names, or none that the system can load.
    #[error("Embree 4 cannot be loaded as {}: {why}", tried.join(" or "))]
    NotFound {
        /// Names or files that were tried.
        tried: Vec<String>,
        /// What the system said of the last.
        why: String,
    },
    /// A folder without the library.
    #[error("{}: no file of this folder is called libembree4", folder.display())]
    EmptyFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// A library that is not Embree 4.
    #[error("{file} has no function {name}; it is not Embree 4")]
    Symbol {
        /// The library.
        file: String,
        /// The function.
        name: &'static str,
    },
    /// Another version.
    #[error("Embree is of version {found}; 4 is needed")]
    Version {
        /// The version that was found.
        found: String,
    },
    /// Structures that lie otherwise in memory than this crate declares them.
    #[error("Embree {version} has other structures than this program knows: {what}")]
    Layout {
        /// Its version.
        version: String,
        /// What showed it.
        what: String,
    },
    /// A call failed.
    #[error("Embree failed: {what} ({reason})")]
    Failed {
        /// What was tried.
        what: &'static str,
        /// Embree's own words, or its error's name.
        reason: String,
    },
    /// More triangles than Embree's indices hold.
    #[error("{found} triangles are more than Embree's indices hold")]
    TooMany {
        /// Triangles.
        found: usize,
    },
}
