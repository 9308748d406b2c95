//! Reasons why reading stops: an error, or a file that is not there.

use crate::{GltfFault, Place, SceneError};
use std::path::Path;

/// Reason why a part of a glTF file cannot be read.
#[derive(Debug)]
pub enum ReadStop {
    /// Error that ends the whole import.
    Error(SceneError),
    /// The part lies in a missing file, which was noted; the import goes on without it.
    Missing,
}

impl From<SceneError> for ReadStop {
    fn from(error: SceneError) -> Self {
        Self::Error(error)
    }
}

/// Result of reading a part of a glTF file.
pub type Read<T> = Result<T, ReadStop>;

/// Turns a part that lies in a missing file into `None`, and passes on errors.
pub fn optional<T>(read: Read<T>) -> Result<Option<T>, SceneError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(ReadStop::Missing) => Ok(None),
        Err(ReadStop::Error(error)) => Err(error),
    }
}

/// Makes the error that a file violates its format at `item`.
pub fn malformed(path: &Path, item: impl Into<String>, fault: GltfFault) -> SceneError {
    SceneError::Malformed { path: path.to_path_buf(), place: Place::Item(item.into()), kind: fault.into() }
}

/// Makes the error that a file needs an unsupported feature at `item`.
pub fn unsupported(path: &Path, item: impl Into<String>, fault: GltfFault) -> SceneError {
    SceneError::Unsupported { path: path.to_path_buf(), place: Place::Item(item.into()), kind: fault.into() }
}

/// Makes the error that a part of a file exceeds a size limit.
pub fn too_large(path: &Path, item: impl Into<String>, fault: GltfFault) -> SceneError {
    SceneError::TooLarge { path: path.to_path_buf(), place: Place::Item(item.into()), kind: fault.into() }
}
