//! Errors of loading a scene, and the places in a file that they name.

use crate::FaultKind;
use std::path::PathBuf;

/// Position in a file to which an error or a warning refers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// The file as a whole.
    File,
    /// Line number in a text file, counted from 1.
    Line(u64),
    /// Byte offset in a binary file, counted from 0 (after decompression).
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

/// Number and name of one of the scenes of a glTF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneOfFile {
    /// Index of the scene in the file, counted from 0.
    pub index: usize,
    /// Name of the scene; may be empty.
    pub name: String,
}

/// Returns the end of the message about a file without triangles, which says what has some.
fn has_some(elsewhere: &Option<SceneOfFile>) -> String {
    let Some(SceneOfFile { index, name }) = elsewhere else { return String::new() };
    let name = if name.is_empty() { String::new() } else { format!(" ({})", crate::escape(name)) };
    format!("; scene {index}{name} of the file has some: `GltfOptions::scene` {index}")
}

/// Errors of loading a scene; each message names the file and, where there is one, the place in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// Files that the scene names do not exist.
    #[error("{}: missing {}: {}; `LoadOptions::allow_missing` renders without them",
        scene.display(), if files.len() == 1 { "file".to_string() } else { format!("{} files", files.len()) },
        files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", "))]
    Missing {
        /// Scene file that names them.
        scene: PathBuf,
        /// Files that do not exist, in the order of first use.
        files: Vec<PathBuf>,
    },
    /// A file exists but cannot be read from disk.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// File that cannot be read.
        path: PathBuf,
        /// Error that the operating system gave.
        source: std::io::Error,
    },
    /// The file's extension is none that an importer reads.
    #[error("{}: {}", path.display(), crate::import::unknown_kind(path))]
    UnknownExtension {
        /// File whose extension no importer reads.
        path: PathBuf,
    },
    /// The file has no triangles, and no lights that alone make a picture.
    #[error("{}: it has no triangles, so there is nothing to render or to trace{}", path.display(), has_some(elsewhere))]
    Empty {
        /// Path of the file without triangles.
        path: PathBuf,
        /// Another scene of the file that has triangles, if any has.
        elsewhere: Option<SceneOfFile>,
    },
    /// All triangles of the file are degenerate: none has an area.
    #[error("{}: none of its {triangles} triangles has an area as float32 has numbers, so there is nothing to render or to trace", path.display())]
    NoArea {
        /// File whose triangles have no area.
        path: PathBuf,
        /// Number of the file's triangles.
        triangles: u64,
    },
    /// The file violates its format.
    #[error("{}{place}: {kind}", path.display())]
    Malformed {
        /// Path of the file that violates its format.
        path: PathBuf,
        /// Position of the mistake in the file.
        place: Place,
        /// What was found; its text says that, and what is allowed.
        kind: FaultKind,
    },
    /// The file needs a feature that Raywarp does not support.
    #[error("{}{place}: {kind}", path.display())]
    Unsupported {
        /// Path of the file that uses a part of its format that Raywarp does not support.
        path: PathBuf,
        /// Position of the feature in the file.
        place: Place,
        /// What is needed; its text names the feature.
        kind: FaultKind,
    },
    /// A part of the file exceeds a size limit.
    #[error("{}{place}: {kind}", path.display())]
    TooLarge {
        /// File that exceeds the limit.
        path: PathBuf,
        /// Position in the file of the part that exceeds the limit.
        place: Place,
        /// What is too large; its text says how large, and the limit.
        kind: FaultKind,
    },
}
