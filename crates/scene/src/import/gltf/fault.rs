//! Reasons why reading stops: an error, or a file that is not there.

use crate::{Place, SceneError};
use std::path::Path;

/// Reason that ends the reading of one part.
#[derive(Debug)]
pub enum Fault {
    /// The whole import fails.
    Error(SceneError),
    /// The part lies in a missing file, which is noted; the rest is still read.
    Missing,
}

impl From<SceneError> for Fault {
    fn from(error: SceneError) -> Self {
        Self::Error(error)
    }
}

/// Result of reading one part.
pub type Read<T> = Result<T, Fault>;

/// Returns the part, or `None` when its file is missing.
pub fn optional<T>(read: Read<T>) -> Result<Option<T>, SceneError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(Fault::Missing) => Ok(None),
        Err(Fault::Error(error)) => Err(error),
    }
}

/// Makes the error of a file that breaks the format at `item`.
pub fn malformed(path: &Path, item: impl Into<String>, message: impl Into<String>) -> SceneError {
    SceneError::Malformed { path: path.to_path_buf(), place: Place::Item(item.into()), message: message.into() }
}

/// Makes the error of a file that needs at `item` what is not supported.
pub fn unsupported(path: &Path, item: impl Into<String>, message: impl Into<String>) -> SceneError {
    SceneError::Unsupported { path: path.to_path_buf(), place: Place::Item(item.into()), message: message.into() }
}

/// Makes the error of more than a limit allows.
pub fn too_large(path: &Path, item: impl Into<String>, message: impl Into<String>) -> SceneError {
    SceneError::TooLarge { path: path.to_path_buf(), place: Place::Item(item.into()), message: message.into() }
}
