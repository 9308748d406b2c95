//! OFF, the Object File Format of Geomview, as text: vertices, polygons, and colours of both.
//!
//! Source: the manual of Geomview 1.9, section "OFF Files". The importer reads `OFF` with any of the prefixes `ST`, `C`
//! and `N`; what has four or n dimensions, and the binary form, is refused. See docs/reference/formats.md.

mod fault;
mod lines;
mod parse;
#[cfg(test)]
mod tests;

use super::Context;
use crate::each::Each;
use crate::findings::off::MAX_COLORS;
use crate::model::linear_from_srgb;
use crate::{
    ColorInput, Description, FaceMaterials, ImportError, Instance, Material, MaterialId, Mesh, OffFault, OffWarning,
    Place, Surface, Texture,
};
use fault::Fault;
use parse::Off;
use raywarp_geom::Affine;
use std::collections::HashMap;
use std::path::Path;

/// Imports an OFF file as one mesh with one instance, and a material for each face colour.
pub(crate) fn import(path: &Path, context: &mut Context) -> Result<Description, ImportError> {
    let bytes = context.read_scene(path)?;
    import_bytes(path, &bytes, context)
}

fn import_bytes(path: &Path, bytes: &[u8], context: &mut Context) -> Result<Description, ImportError> {
    let malformed = |place, kind| ImportError::Malformed { path: path.to_path_buf(), place, kind };
    let mut rounder = context.center.in_world();
    let mut warnings = Vec::new();
    let parsed = Off::parse(bytes, &mut rounder, &mut warnings);
    context.center.note(&rounder);
    // They come before the error that they may explain.
    for (place, warning) in warnings {
        context.warn(path, place, warning);
    }
    let off = parsed.map_err(|Fault { line, kind }| malformed(Place::Line(line), kind))?;
    if off.mesh.indices.is_empty() {
        return Err(malformed(Place::File, OffFault::NoFaces.into()));
    }
    let (scene, left_out) = to_scene(path, off);
    if left_out > 0 {
        context.warn(path, Place::File, OffWarning::ManyColors { triangles: left_out });
    }
    Ok(scene)
}

/// Makes the scene of a parsed file; returns it with the number of triangles whose colour was ignored. Colours are
/// sRGB, as they are meant for screens.
fn to_scene(path: &Path, off: Off) -> (Description, usize) {
    let Off { mesh, triangle_colors, .. } = off;
    let mut scene = Description::default();
    let plain = if mesh.colors.is_empty() {
        ColorInput::constant([0.7; 3])
    } else {
        ColorInput::texture(scene.add_texture(Texture::VertexColor))
    };
    let diffuse = |reflectance| Material::new("", Surface::Diffuse { reflectance });
    let plain = scene.add_material(diffuse(plain));
    let mut known: HashMap<[u32; 3], MaterialId> = HashMap::new();
    let mut left_out = 0;
    let mut material_of = |color: &Option<[f32; 3]>| {
        let Some(color) = color else { return plain };
        let key = color.each(f32::to_bits);
        if let Some(&material) = known.get(&key) {
            return material;
        }
        if known.len() == MAX_COLORS {
            left_out += 1;
            return plain;
        }
        let material = scene.add_material(diffuse(ColorInput::constant(color.map(linear_from_srgb))));
        known.insert(key, material);
        material
    };
    let materials = if triangle_colors.iter().any(Option::is_some) {
        FaceMaterials::PerTriangle(triangle_colors.iter().map(&mut material_of).collect())
    } else {
        FaceMaterials::Uniform(plain)
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let id = scene.add_mesh(Mesh { name, triangles: mesh, materials });
    scene.instances.push(Instance { mesh: id, transform: Affine::IDENTITY, material: None });
    (scene, left_out)
}
