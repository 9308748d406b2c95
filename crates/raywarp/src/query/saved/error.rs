//! What can go wrong when a scene is saved or loaded.

use super::FORMAT_VERSION;
use crate::query::GeometryId;
use raywarp_layout::LayoutError;
use std::io;
use std::path::PathBuf;

/// Error of saving or loading a [`Scene`](crate::Scene).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneFileError {
    /// Reading or writing failed, or there is not memory enough. [`Scene::load`](crate::Scene::load) and
    /// [`Scene::save`](crate::Scene::save) put the file's path before it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// What is wrong with a scene that [`Scene::load`](crate::Scene::load) reads from a file, or with one that
    /// [`Scene::save`](crate::Scene::save) is to write into one, whose path goes first.
    #[error("{}: {error}", path.display())]
    InFile {
        /// Path that was given.
        path: PathBuf,
        /// What is wrong, as [`Scene::load_from`](crate::Scene::load_from) and
        /// [`Scene::save_to`](crate::Scene::save_to) say it.
        error: Box<SceneFileError>,
    },
    /// The scene has custom geometry, which is of the program and cannot be saved.
    #[error("geometry {} is custom: its intersection is code of the program; remove it, and add it after loading", geometry.0)]
    Custom {
        /// The first that is custom.
        geometry: GeometryId,
    },
    /// The input is not a saved scene: its first bytes are others.
    #[error("this is not a saved scene: it does not begin with RAYWSCEN")]
    NotAScene,
    /// The scene was saved in another version of the format.
    #[error("the scene is of format version {found}, but this Raywarp reads version {FORMAT_VERSION}; build it again")]
    OtherVersion {
        /// Version of the format that it was saved in.
        found: u32,
    },
    /// The input ends before the scene does.
    #[error("the scene ends at byte {at}, before its end; it was not written completely")]
    Truncated {
        /// Number of bytes that the input has.
        at: u64,
    },
    /// There is more in the file than the scene.
    #[error("the scene ends at byte {at}, but the file does not")]
    TooLong {
        /// Number of bytes of the scene.
        at: u64,
    },
    /// A checksum does not match.
    #[error("the scene is damaged somewhere before byte {at}; build it again")]
    Damaged {
        /// Position of the checksum in the input.
        at: u64,
    },
    /// The scene breaks a rule, although its checksums match: nobody saved it like this.
    #[error("the scene in the file is broken: {what}")]
    Broken {
        /// Rule that is broken, in words.
        what: &'static str,
    },
    /// A tree of the scene is none, although its checksum matches.
    #[error("tree {tree} of the scene in the file is broken: {source}")]
    Tree {
        /// Number of the tree.
        tree: usize,
        /// Fault that was found.
        source: LayoutError,
    },
    /// The machine is big-endian, which the format does not support.
    #[error("scenes can be saved and loaded on little-endian machines only")]
    BigEndian,
}

/// Returns the error of a rule that is broken.
pub(super) fn broken<T>(what: &'static str) -> Result<T, SceneFileError> {
    Err(SceneFileError::Broken { what })
}

/// Checks a rule.
pub(super) fn ensure(holds: bool, what: &'static str) -> Result<(), SceneFileError> {
    if holds { Ok(()) } else { broken(what) }
}
