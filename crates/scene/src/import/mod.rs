//! Importers, which make [`Description`]s of files. One importer a format; all share a `Context`.

#[cfg(test)]
mod constructs_tests;
mod context;
mod foreign;
mod format;
mod full_channel;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod gltf;
mod image;
mod light_units;
mod located;
mod obj;
mod off;
mod origin;
mod other_programs;
mod pbrt;
mod ply;
mod polygon;
mod sealed;
#[cfg(test)]
mod sentences_tests;
mod source;
mod stand_ins;
mod stl;
mod strays;
mod text;
mod threemf;

pub(crate) use context::Context;
pub use context::{LoadOptions, WithoutTriangles};
pub use format::Format;
pub use gltf::{Choices, GltfOptions};
pub use light_units::{LampReading, LampUnits, LampUnitsReason, LightUnits};
pub(crate) use other_programs::unknown_kind;
pub use pbrt::sphere;
pub use stand_ins::StandIns;

use crate::{Description, ImportError, Warning, WarningKind};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Error that ended the loading of a scene, with the warnings given before, which may explain it.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct LoadError {
    /// Error that ended the loading.
    #[source]
    pub error: ImportError,
    /// Warnings given before the error, each once.
    pub warnings: Vec<Warning>,
}

impl From<ImportError> for LoadError {
    fn from(error: ImportError) -> Self {
        Self { error, warnings: Vec::new() }
    }
}

/// Loaded scene, with warnings and other findings about its file.
#[derive(Debug)]
pub struct Loaded {
    /// Scene as loaded, which passes [`crate::validate`].
    pub scene: Description,
    /// Warnings about what was left out or replaced, each once.
    pub warnings: Vec<Warning>,
    /// Counts of the surfaces that are rendered as approximations, if there are any.
    pub stand_ins: Option<StandIns>,
    /// Units in which the lights' intensities were taken, if the file or the user made a choice.
    pub lamp_units: Option<LampUnits>,
    /// Scenes, animations and material variants that a glTF file offers.
    pub choices: Choices,
    /// Paths of all files that were read, each once: the scene itself first, then those it names (buffers, libraries,
    /// includes, images, tables). A program that writes a file can tell from it what it must not overwrite.
    pub files: Vec<PathBuf>,
}

/// Loads the scene file `path` in the format that [`LoadOptions::format`] or else its extension names. The extension,
/// in any case, is one of `.gltf`, `.glb`, `.obj`, `.ply`, `.pbrt`, `.stl`, `.off`, `.3mf`, each also followed by `.gz`
/// or `.zst`.
///
/// # Errors
/// See [`ImportError`]. All missing files are named in one error; a scene without a triangle is one too.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    load_with(path, Context::new(path, options), options.format)
}

/// Loads a scene from a reader, such as a pipe, which is read to its end. `name` stands for a path: messages name it,
/// its extension counts as in [`load`], and files that the scene names are looked up in its folder (the current one, if
/// `name` has none).
///
/// # Errors
/// As [`load`].
pub fn load_from(input: impl Read, name: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut context = Context::new(name, options);
    context.give(source::read_from(name, input)?);
    load_with(name, context, options.format)
}

fn load_with(path: &Path, mut context: Context, format: Option<Format>) -> Result<Loaded, LoadError> {
    import_and_check(path, &mut context, format).map_err(|error| LoadError { error, warnings: context.take_warnings() })
}

fn import_and_check(path: &Path, context: &mut Context, format: Option<Format>) -> Result<Loaded, ImportError> {
    let Some(format) = format.or_else(|| Format::of(path)) else {
        // Who mistypes a name is to hear of the name.
        let path = path.to_path_buf();
        return Err(match path.metadata() {
            Err(source) if !context.is_given() => ImportError::Read { path, source },
            _ => ImportError::UnknownExtension { path },
        });
    };
    import_with(path, context, format, |context| importer(format)(path, context))
}

fn importer(format: Format) -> fn(&Path, &mut Context) -> Result<Description, ImportError> {
    match format {
        Format::Gltf => gltf::import,
        Format::Obj => obj::import,
        Format::Ply => ply::import,
        Format::Pbrt => pbrt::import,
        Format::Stl => stl::import,
        Format::Off => off::import,
        Format::ThreeMf => threemf::import,
    }
}

/// Runs an importer, runs it again relative to an origin if that rounds better, and checks the scene.
fn import_with(
    path: &Path,
    context: &mut Context,
    format: Format,
    import: impl Fn(&mut Context) -> Result<Description, ImportError>,
) -> Result<Loaded, ImportError> {
    context.expect(format);
    let without_triangles = context.without_triangles();
    let mut scene = import(context)?;
    crate::validate(&scene).map_err(|error| error.in_file(path))?;
    let (better, mut rounding) = origin::look(&scene, &context.center);
    let coarse = origin::coarse(&scene, &context.center);
    if let Some(center) = better {
        drop(scene);
        *context = context.for_second_import(center);
        scene = import(context)?;
        scene.origin = context.center.origin;
        crate::validate(&scene).map_err(|error| error.in_file(path))?;
        rounding = origin::rounding(&scene, &context.center);
    }
    if format != Format::Gltf && *context.gltf() != GltfOptions::default() {
        context.warn(path, crate::Place::File, WarningKind::ChoiceOfOther);
    }
    if format != Format::Gltf && context.light_units() != LightUnits::default() {
        context.warn(path, crate::Place::File, WarningKind::LampUnitsOfOther);
    }
    for warning in [rounding.warning(), coarse].into_iter().flatten() {
        context.warn(path, crate::Place::File, WarningKind::Rounding(warning));
    }
    let files = context.take_files();
    let stand_ins = std::mem::take(&mut context.stand_ins);
    let lamp_units = context.lamp_units.take();
    let choices = std::mem::take(&mut context.choices);
    let warnings = context.finish()?;
    let triangles = scene.triangle_count();
    let error = match triangles {
        0 if !(format.holds_lights() && without_triangles.takes(&scene)) => {
            Some(ImportError::Empty { path: path.to_path_buf(), elsewhere: context.elsewhere.take() })
        }
        1.. if !crate::flatten::has_area(&scene) => Some(ImportError::NoArea { path: path.to_path_buf(), triangles }),
        _ => None,
    };
    if let Some(error) = error {
        // What was left out may say why nothing is there.
        context.give_back(warnings);
        return Err(error);
    }
    let stand_ins = stand_ins.count(&scene);
    Ok(Loaded { scene, warnings, stand_ins, lamp_units, choices, files })
}

/// Loads the image file `path` (PNG, JPEG, WebP, TGA, HDR, EXR or KTX2) as colours: eight-bit texels count as sRGB.
///
/// # Errors
/// [`ImportError::Read`] for a missing file, otherwise as [`load`].
pub fn load_image(path: &Path) -> Result<crate::Image, ImportError> {
    let mut context = Context::new(path, &LoadOptions::default());
    let bytes = context.read_scene(path)?;
    context.decode_image(path, crate::Place::File, &bytes, context::Encoding::Srgb)
}
