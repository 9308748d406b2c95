//! The ply importer.

use super::Context;
use crate::{Scene, SceneError};
use std::path::Path;

/// Imports `path`.
pub(crate) fn import(path: &Path, _context: &mut Context) -> Result<Scene, SceneError> {
    Err(SceneError::UnknownExtension { path: path.to_path_buf() })
}
