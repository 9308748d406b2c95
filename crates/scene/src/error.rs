//! Errors of loading a scene, and the places in a file that they name.

use std::path::PathBuf;

/// Place in a file that an error or a warning is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(u64),
    /// A byte, counted from 0 (after decompression).
    Offset(u64),
    /// A part of a structured document, such as `meshes[3].primitives[0]`.
    Item(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ":{line}"),
            Self::Offset(offset) => write!(f, ": byte {offset}"),
            Self::Item(item) => write!(f, ": {item}"),
        }
    }
}

/// Reason why a scene cannot be loaded; each message names the file and, where there is one, the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// Files that the scene names do not exist.
    #[error("{}: missing {}: {}; --allow-missing renders without them",
        scene.display(), if files.len() == 1 { "file".to_string() } else { format!("{} files", files.len()) },
        files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", "))]
    Missing {
        /// Scene file that names them.
        scene: PathBuf,
        /// Files that do not exist, in the order of first use.
        files: Vec<PathBuf>,
    },
    /// A file exists but cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// File that cannot be read.
        path: PathBuf,
        /// Error that the system gave.
        source: std::io::Error,
    },
    /// No importer for this kind of file.
    #[error("{}: {}", path.display(), crate::import::unknown_kind(path))]
    UnknownExtension {
        /// File whose extension no importer reads.
        path: PathBuf,
    },
    /// The file has nothing to see and nothing to hit.
    #[error("{}: it has no triangles, so there is nothing to render or to trace{hint}", path.display())]
    Empty {
        /// File that shows nothing.
        path: PathBuf,
        /// End of the message's line that says which parts of the file have triangles; empty where none has.
        hint: String,
    },
    /// No triangle of the file has an area.
    #[error("{}: none of its {triangles} triangles has an area as float32 has numbers, so there is nothing to render or to trace", path.display())]
    NoArea {
        /// File whose triangles have no area.
        path: PathBuf,
        /// Number of its triangles.
        triangles: u64,
    },
    /// The file breaks its format.
    #[error("{}{place}: {message}", path.display())]
    Malformed {
        /// File that breaks its format.
        path: PathBuf,
        /// Place of the mistake in the file.
        place: Place,
        /// Message that says what was found and what is allowed.
        message: String,
    },
    /// The file needs something that is not supported.
    #[error("{}{place}: {message}", path.display())]
    Unsupported {
        /// File that needs the feature.
        path: PathBuf,
        /// Place in the file that needs it.
        place: Place,
        /// Message that names what the file needs.
        message: String,
    },
    /// A part of the file is larger than a stated limit.
    #[error("{}{place}: {message}", path.display())]
    TooLarge {
        /// File that exceeds the limit.
        path: PathBuf,
        /// Place in the file that exceeds it.
        place: Place,
        /// Message that says what is too large, how large, and the limit.
        message: String,
    },
}
