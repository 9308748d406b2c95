//! From files to [`Scene`]s. One importer a format; all share a `Context`.

mod context;
mod gltf;
mod image;
mod obj;
mod pbrt;
mod ply;
mod source;

pub(crate) use context::Context;
pub use context::{LoadOptions, Warning};
#[doc(hidden)]
pub use gltf::fuzz_gltf;
#[doc(hidden)]
pub use image::fuzz_image;
#[doc(hidden)]
pub use obj::fuzz_obj;
#[doc(hidden)]
pub use pbrt::fuzz_pbrt;
#[doc(hidden)]
pub use ply::fuzz_ply;

use crate::{Scene, SceneError};
use std::path::Path;

/// A loaded scene and what its file holds that could not be mapped.
#[derive(Debug)]
pub struct Loaded {
    /// The scene; passes [`crate::validate`].
    pub scene: Scene,
    /// What was left out or replaced, each once.
    pub warnings: Vec<Warning>,
}

/// Loads the scene in `path`, chosen by its extension (in any case): `.gltf`, `.glb`, `.obj`,
/// `.ply`, `.pbrt`, each also followed by `.gz` or `.zst`.
///
/// # Errors
/// See [`SceneError`]. All missing files are named in one error.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, SceneError> {
    let mut context = Context::new(path, options);
    let scene = match source::extension(path).as_str() {
        "gltf" | "glb" => gltf::import(path, &mut context)?,
        "obj" => obj::import(path, &mut context)?,
        "ply" => ply::import(path, &mut context)?,
        "pbrt" => pbrt::import(path, &mut context)?,
        // Who mistypes a name is to hear of the name.
        _ => {
            let path = path.to_path_buf();
            return Err(match path.metadata() {
                Err(source) => SceneError::Read { path, source },
                Ok(_) => SceneError::UnknownExtension { path },
            });
        }
    };
    let warnings = context.finish()?;
    crate::validate(&scene).map_err(|error| error.in_file(path))?;
    Ok(Loaded { scene, warnings })
}

/// Loads the image in `path` (PNG, JPEG, TGA, HDR, EXR, KTX2, by content) as colours: eight-bit
/// texels count as sRGB.
///
/// # Errors
/// [`SceneError::Read`] for a missing file, otherwise as [`load`].
pub fn load_image(path: &Path) -> Result<crate::Image, SceneError> {
    let mut context = Context::new(path, &LoadOptions::default());
    let bytes = context.read_scene(path)?;
    context.decode_image(path, crate::Place::File, &bytes, context::Encoding::Srgb)
}
