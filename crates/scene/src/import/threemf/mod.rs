//! 3MF: a zip file of XML parts with objects, their colours, and where they are built.
//!
//! A reader of our own over the crates `rawzip` and `quick-xml`: the crates that read 3MF are young, give no place for
//! what is wrong, and do not follow objects into other parts, where slicers put them. See docs/reference/formats.md.

mod build;
mod model;
mod package;
#[cfg(test)]
mod tests;
mod xml;

use super::Context;
use crate::{Description, ImportError, Place, ThreeMfFault, ThreeMfWarning};
use build::Builder;
use package::Package;
use std::path::Path;
use xml::{Fault, Xml};

/// Function that returns the contents of a package's part by its name; `None` if there is none.
pub(super) type Parts<'a> = Box<dyn FnMut(&str) -> Result<Option<Vec<u8>>, ImportError> + 'a>;

/// Name of the model part in the packages of most programs.
pub(super) const USUAL_MODEL: &str = "3D/3dmodel.model";
/// Name of the part that lists the package's relationships, from which the model part is found.
const RELATIONSHIPS: &str = "_rels/.rels";

/// Names of files in a 3MF package in which slicers keep settings of their own, which are not read but warned of.
const SLICERS_SETTINGS: [&str; 2] = ["Metadata/model_settings.config", "Metadata/Slic3r_PE_model.config"];

/// Imports a 3MF file as a mesh for each object with triangles, and an instance for each of its places.
pub(crate) fn import(path: &Path, context: &mut Context) -> Result<Description, ImportError> {
    let bytes = context.read_scene(path)?;
    import_bytes(path, &bytes, context)
}

fn import_bytes(path: &Path, bytes: &[u8], context: &mut Context) -> Result<Description, ImportError> {
    let mut package = Package::open(path, bytes)?;
    import_parts(path, Box::new(move |name| package.read(name)), context)
}

pub(super) fn import_parts(
    path: &Path,
    mut parts: Parts<'_>,
    context: &mut Context,
) -> Result<Description, ImportError> {
    let malformed =
        |place, fault: ThreeMfFault| ImportError::Malformed { path: path.to_path_buf(), place, kind: fault.into() };
    let mut name = USUAL_MODEL.to_string();
    if let Some(bytes) = parts(RELATIONSHIPS)? {
        let target = model_part(&String::from_utf8_lossy(&bytes))
            .map_err(|Fault { line, fault }| malformed(Place::Item(format!("{RELATIONSHIPS}:{line}")), fault))?;
        name = target.unwrap_or(name);
    }
    // Which filament an object has, and so its colour.
    for settings in SLICERS_SETTINGS {
        if matches!(parts(settings), Ok(Some(_))) {
            context.warn(path, Place::Item(settings.into()), ThreeMfWarning::SlicerSettings);
        }
    }
    let mut builder = Builder::new(path, parts, context);
    builder.build(name.trim_start_matches('/'))?;
    let scene = std::mem::take(&mut builder.scene);
    if scene.instances.is_empty() {
        return Err(malformed(Place::File, ThreeMfFault::NoTriangles));
    }
    Ok(scene)
}

/// Returns the name of the model part from the text of the package's relationships.
fn model_part(text: &str) -> Result<Option<String>, Fault> {
    let mut xml = Xml::new(text.trim_start_matches('\u{feff}'));
    xml.root("Relationships")?;
    let mut found = None;
    while let Some(element) = xml.child()? {
        let (mut is_model, mut target) = (false, None);
        xml.attributes(&element, |name, value| {
            match name {
                "Type" => is_model = value.ends_with("/3dmodel"),
                "Target" => target = Some(value.to_string()),
                _ => {}
            }
            Ok(())
        })?;
        if is_model && found.is_none() {
            found = target;
        }
        xml.skip(&element)?;
    }
    Ok(found)
}
