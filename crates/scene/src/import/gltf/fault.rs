//! Reasons why reading stops: an error, or a file that is not there.

use crate::{GltfFault, ImportError, Place};
use std::path::Path;

/// Reason why a part of a glTF file cannot be read.
#[derive(Debug)]
pub enum ReadStop {
    /// Error that ends the whole import.
    Error(ImportError),
    /// The part lies in a missing file, which was noted; the import goes on without it.
    Missing,
}

impl From<ImportError> for ReadStop {
    fn from(error: ImportError) -> Self {
        Self::Error(error)
    }
}

/// Result of reading a part of a glTF file.
pub type Read<T> = Result<T, ReadStop>;

/// Turns a part that lies in a missing file into `None`, and passes on errors.
pub fn optional<T>(read: Read<T>) -> Result<Option<T>, ImportError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(ReadStop::Missing) => Ok(None),
        Err(ReadStop::Error(error)) => Err(error),
    }
}

/// Makes the error that a file violates its format at `item`.
pub fn malformed(path: &Path, item: impl Into<String>, fault: GltfFault) -> ImportError {
    ImportError::Malformed { path: path.to_path_buf(), place: Place::Item(item.into()), kind: fault.into() }
}

/// Makes the error that a file needs an unsupported feature at `item`.
pub fn unsupported(path: &Path, item: impl Into<String>, fault: GltfFault) -> ImportError {
    ImportError::Unsupported { path: path.to_path_buf(), place: Place::Item(item.into()), kind: fault.into() }
}

/// Makes the error that a part of a file exceeds a size limit.
pub fn too_large(path: &Path, item: impl Into<String>, fault: GltfFault) -> ImportError {
    ImportError::TooLarge { path: path.to_path_buf(), place: Place::Item(item.into()), kind: fault.into() }
}
