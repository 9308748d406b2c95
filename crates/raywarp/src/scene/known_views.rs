//! Viewpoints that are known for a scene: `views.toml` in the folder of scenes.

use crate::scene::SceneLookup;
use crate::scene::scene_path::{folder_name, scene_name};
use raywarp_scene::views::{ViewError, Viewpoint, load_viewpoints};
use std::path::{Path, PathBuf};

/// Name of the file of viewpoints in a folder of scenes.
const FILE: &str = "views.toml";

/// Viewpoints known for one scene, from a views.toml file.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownViews {
    /// The views.toml file that holds the viewpoints.
    pub file: PathBuf,
    /// Name of the scene in the views.toml file.
    pub scene: String,
    /// Viewpoints of the scene, at least one.
    pub views: Vec<Viewpoint>,
}

impl KnownViews {
    /// Looks up the viewpoints of the scene at `path` by its name or its folder's name, in the views.toml of the scenes
    /// folder it lies in, or of the folder above its own. `None` where there are none.
    ///
    /// # Errors
    /// [`ViewError`] where the file is there and cannot be read, or is not as it should be.
    pub fn of(path: &Path, lookup: &SceneLookup) -> Result<Option<Self>, ViewError> {
        let Ok(real) = path.canonicalize() else { return Ok(None) };
        let above = real.parent().and_then(Path::parent).map(Path::to_path_buf);
        let folder = lookup.folder.clone().filter(|folder| {
            folder.canonicalize().is_ok_and(|folder| real.starts_with(folder)) && !folder.as_os_str().is_empty()
        });
        let mut names = vec![scene_name(path)];
        names.extend(folder_name(path.parent()).filter(|name| *name != names[0]));
        for file in [folder, above].into_iter().flatten().map(|folder| folder.join(FILE)).filter(|file| file.is_file())
        {
            for scene in &names {
                match load_viewpoints(&file, scene) {
                    Ok(views) if !views.is_empty() => {
                        let views = views.into_iter().map(|(view, _)| view).collect();
                        return Ok(Some(Self { file, scene: scene.clone(), views }));
                    }
                    Ok(_) | Err(ViewError::Unknown { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(None)
    }
}
