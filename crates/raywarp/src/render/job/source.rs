//! Where a job's scene comes from.

use crate::scene::{Choices, LoadOptions, Loaded};
use raywarp_scene::{Description, LoadError, load, load_from};
use std::io::Read;
use std::path::PathBuf;

/// Source of a job's scene, before it is loaded.
pub(super) enum JobSource {
    /// A scene file.
    File(PathBuf),
    /// An input stream, with the path that stands for it in messages.
    Input(Box<dyn Read + Send>, PathBuf),
    /// A scene in memory, with its name.
    Scene(Box<Description>, String),
}

impl JobSource {
    /// Returns the scene's name for messages.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) | Self::Input(_, path) => path.display().to_string(),
            Self::Scene(_, name) => name.clone(),
        }
    }

    /// Loads the scene from its source.
    pub fn load(self, options: &LoadOptions) -> Result<Loaded, LoadError> {
        match self {
            Self::File(path) => load(&path, options),
            Self::Input(input, path) => load_from(input, &path, options),
            Self::Scene(scene, _) => Ok(Loaded {
                scene: *scene,
                warnings: Vec::new(),
                stand_ins: None,
                lamp_units: None,
                choices: Choices::default(),
                files: Vec::new(),
            }),
        }
    }
}
