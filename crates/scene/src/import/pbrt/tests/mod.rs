//! Directives, one small text at a time. Whole scenes are in `crates/scene/tests/pbrt_scenes.rs`.

mod broken;
mod files;
mod lights;
mod materials;
mod media;
mod parameters;
mod picture;
mod shapes;
mod stand_ins;
mod textures;
mod transforms;

use super::import_bytes;
use crate::import::Context;
use crate::import::context::LoadOptions;
use crate::import::context::told;
use crate::{
    Description, FaultKind, ImportError, Instance, Material, ParameterFault, PbrtFault, PbrtWarning, Place,
    ValuesFault, WarningKind,
};
use glam::Vec3;
use std::path::Path;

/// Imports a text that names no files; returns the scene and its warnings.
fn import(text: &str) -> Result<(Description, Vec<WarningKind>), ImportError> {
    let path = Path::new("scene.pbrt");
    let mut context = Context::new(path, &LoadOptions { allow_missing: true, ..LoadOptions::default() });
    let scene = import_bytes(path, text.as_bytes().to_vec(), &mut context, false, 1 << 20)?;
    let warnings = context.finish()?.into_iter().map(|warning| warning.kind).collect();
    crate::validate(&scene).map_err(|error| error.in_file(path))?;
    Ok((scene, warnings))
}

/// Imports a text that must load without warnings.
#[track_caller]
fn clean(text: &str) -> Description {
    let (scene, warnings) = import(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(warnings, [], "{text}");
    scene
}

/// Imports a text that must load with the one warning `want`.
#[track_caller]
fn warned(text: &str, want: impl Into<WarningKind>) -> Description {
    let (scene, warnings) = import(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(warnings, [want.into()], "{text}");
    scene
}

/// Returns the fault that an error is, and its position.
#[track_caller]
fn fault(error: ImportError) -> (Place, FaultKind) {
    let (_, place, kind) = told(error).unwrap();
    (place, kind)
}

/// Returns the warning about a parameter of `of` that is not used.
fn unused(name: &str, of: &str) -> PbrtWarning {
    PbrtWarning::UnusedParameter { name: name.into(), of: of.into() }
}

/// Shape directive of a triangle whose counter-clockwise side is +z.
const TRIANGLE: &str = "Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]\n";

/// Returns the material of the first triangle.
#[track_caller]
fn material(scene: &Description) -> &Material {
    &scene.materials[scene.material_of(0, 0).index()]
}

/// Returns the world-space corners of a triangle.
fn corners(scene: &Description, instance: usize, triangle: usize) -> [Vec3; 3] {
    let Instance { mesh, transform, .. } = &scene.instances[instance];
    scene.meshes[mesh.index()].triangles.corners(triangle).map(|p| Vec3::from(transform.point(p)))
}

/// Returns the world-space normal of a triangle's counter-clockwise side.
fn front(scene: &Description, instance: usize, triangle: usize) -> Vec3 {
    let [a, b, c] = corners(scene, instance, triangle);
    // A mirroring placement turns windings over, but not the front of the surface.
    let side = scene.instances[instance].transform.determinant().signum();
    (b - a).cross(c - a).normalize() * side
}

#[track_caller]
fn near(found: impl Into<[f32; 3]>, want: [f32; 3]) {
    let found = found.into();
    assert!(found.iter().zip(&want).all(|(f, w)| (f - w).abs() < 1e-5), "{found:?}, expected {want:?}");
}

/// Returns the finding of the pbrt importer that a warning is.
#[track_caller]
fn pbrt(kind: &WarningKind) -> &PbrtWarning {
    match kind {
        WarningKind::Pbrt(warning) => warning,
        other => panic!("{other}"),
    }
}
