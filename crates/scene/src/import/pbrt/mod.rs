//! The pbrt importer: versions 3 and 4 of the format, told apart feature by feature.
//!
//! `docs/reference/formats-pbrt.md` says what becomes what. A file is read once, from the first directive to
//! the last; files that it includes are a stack ([`directive`]), so that no input is deep enough to
//! exhaust the program's own. PLY files are read at the end, in parallel ([`shape`]).

mod area_light;
mod camera;
mod color;
mod directive;
mod files;
mod ignored;
mod lexer;
mod light;
mod material;
mod medium;
mod motion;
mod params;
mod pose;
mod shape;
mod spectrum;
mod state;
mod texture;
mod values;
mod version;

#[cfg(test)]
mod tests;

pub use shape::sphere;

use super::Context;
use crate::findings::pbrt::TRIANGLE_BUDGET;
use crate::{Description, ImportError};
use lexer::Lexer;
use state::Importer;
use std::path::Path;
use std::rc::Rc;

/// Imports the pbrt scene whose main file is `path`, version 3 or 4.
pub(crate) fn import(path: &Path, context: &mut Context) -> Result<Description, ImportError> {
    let bytes = context.read_scene(path)?;
    import_bytes(path, Rc::unwrap_or_clone(bytes), context, true, TRIANGLE_BUDGET)
}

/// Imports the bytes of a pbrt scene as if they were read from `path`. With `disk` false no other file is touched.
pub(super) fn import_bytes(
    path: &Path,
    bytes: Vec<u8>,
    context: &mut Context,
    disk: bool,
    triangle_budget: u64,
) -> Result<Description, ImportError> {
    let mut importer = Importer::new(context, path, disk, triangle_budget);
    let mut lexer = Lexer::new(bytes);
    importer.version = version::of_scene(path, &mut lexer, &importer.files);
    importer.open.push(files::Opened { path: Rc::from(path), lexer, restore: None });
    importer.run()?;
    importer.read_pending()?;
    importer.finish_settings(path);
    importer.say_motion();
    importer.say_idle_attributes();
    importer.finish_instances(path)?;
    Ok(importer.scene)
}
