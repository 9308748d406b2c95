//! What holds for every scene that leaves this crate.

use crate::{Place, Scene, SceneError, Texture};
use std::path::Path;

/// A rule that a scene breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// What is wrong, such as `meshes[3]`.
    pub item: String,
    /// Why.
    pub message: String,
}

impl Invalid {
    /// The same as an error of a file.
    pub fn in_file(self, path: &Path) -> SceneError {
        SceneError::Malformed { path: path.to_path_buf(), place: Place::Item(self.item), message: self.message }
    }
}

/// Checks a scene: ids in range, meshes valid, transforms finite, textures and mixes that refer only
/// backwards, images of the size they say. O(size of the scene).
///
/// # Errors
/// The first rule that is broken.
pub fn validate(scene: &Scene) -> Result<(), Invalid> {
    let fail = |item: String, message: String| Err(Invalid { item, message });
    for (i, mesh) in scene.meshes.iter().enumerate() {
        if let Err(error) = mesh.triangles.validate() {
            return fail(format!("meshes[{i}] {}", mesh.name).trim_end().to_string(), error.to_string());
        }
    }
    for (i, texture) in scene.textures.iter().enumerate() {
        let children: Vec<u32> = match texture {
            Texture::Checkerboard { even, odd, .. } => vec![even.0, odd.0],
            Texture::Scale { a, b } => vec![a.0, b.0],
            Texture::Mix { a, b, amount } => vec![a.0, b.0, amount.0],
            _ => vec![],
        };
        if children.iter().any(|&c| c as usize >= i) {
            return fail(format!("textures[{i}]"), "refers to a texture that does not come before it".into());
        }
    }
    Ok(())
}
