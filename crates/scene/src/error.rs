//! Why a scene cannot be loaded.

use std::path::PathBuf;

/// Where in a file something stands.
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

/// Why a scene cannot be loaded; each message names the file and, where there is one, the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// Files that the scene names do not exist.
    #[error("{}: missing {}: {}; --allow-missing renders without them",
        scene.display(), if files.len() == 1 { "file".to_string() } else { format!("{} files", files.len()) },
        files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", "))]
    Missing {
        /// The scene.
        scene: PathBuf,
        /// What is missing, in the order of first use.
        files: Vec<PathBuf>,
    },
    /// A file exists but cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// No importer for this kind of file.
    #[error("{}: {}", path.display(), crate::import::unknown_kind(path))]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
    /// Nothing to see and nothing to hit.
    #[error("{}: it has no triangles, so there is nothing to render or to trace{hint}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What of the file has some, as the end of a line; empty where nothing has.
        hint: String,
    },
    /// Triangles of which none has an area.
    #[error("{}: none of its {triangles} triangles has an area as float32 has numbers, so there is nothing to render or to trace", path.display())]
    NoArea {
        /// The file.
        path: PathBuf,
        /// How many there are.
        triangles: u64,
    },
    /// The file breaks its format.
    #[error("{}{place}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// What was found and what is allowed.
        message: String,
    },
    /// The file needs something that is not supported.
    #[error("{}{place}: {message}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// What it needs.
        message: String,
    },
    /// Larger than a stated limit.
    #[error("{}{place}: {message}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// What is too large, how large, and the limit.
        message: String,
    },
}
