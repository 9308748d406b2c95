//! The importer of OBJ files with MTL material libraries.
//!
//! A parser of our own rather than the crate `tobj`: messages must name the line, and positions,
//! polygons that are not convex, relative indices, joined lines, names with blanks and map options
//! must all come through, each of which would have to be worked around there.
//!
//! Every material of every object becomes one mesh and one instance, in the order of first use of materials. See
//! docs/reference/formats.md.

mod fault;
mod geometry;
mod kind;
mod lines;
mod material;
mod mtl;
mod parts;
#[cfg(test)]
mod tests;

use super::Context;
use crate::each::Each;
use crate::*;
use fault::Fault;
use geometry::{MaterialMeshes, Obj};
use mtl::Entry;
use raywarp_geom::{Affine, TriangleMesh};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Entries of all material libraries of an OBJ file.
#[derive(Default)]
struct Library {
    /// Entries by material name, each with the path of its library.
    entries: HashMap<String, (PathBuf, Entry)>,
    /// `true` if a library is missing (with a warning), so that unknown materials may be in it.
    lacks_any: bool,
}

/// Imports an OBJ file with its material libraries as a scene.
pub(crate) fn import(path: &Path, context: &mut Context) -> Result<Description, ImportError> {
    let bytes = context.read_scene(path)?;
    let obj = parse(path, &bytes, context)?;
    drop(bytes);
    let library = libraries(path, &obj, context)?;
    build(path, obj, &library, context)
}

/// Imports a file that is its material library too, for fuzzing: both parsers read all of it.
#[cfg(any(test, feature = "fuzz"))]
pub(super) fn import_with_itself(path: &Path, context: &mut Context) -> Result<Description, ImportError> {
    let bytes = context.read_scene(path)?;
    let mut library = Library::default();
    if let Ok((entries, _)) = mtl::parse(&bytes) {
        for entry in entries {
            library.entries.insert(entry.name.clone(), (path.to_path_buf(), entry));
        }
    }
    let obj = parse(path, &bytes, context)?;
    build(path, obj, &library, context)
}

/// Parses the geometry of the OBJ file; warnings are given even if it fails.
fn parse(path: &Path, bytes: &[u8], context: &mut Context) -> Result<Obj, ImportError> {
    let malformed = |place, kind| ImportError::Malformed { path: path.to_path_buf(), place, kind };
    let mut rounder = context.center.in_world();
    let mut warnings = Vec::new();
    let parsed = Obj::parse(bytes, &mut rounder, &mut warnings);
    context.center.note(&rounder);
    for (line, warning) in warnings {
        context.warn(path, Place::Line(line), warning);
    }
    let obj = parsed.map_err(|fault| malformed(Place::Line(fault.line), fault.kind))?;
    if obj.triangle_count() == 0 {
        return Err(malformed(Place::File, ObjFault::NoFaces.into()));
    }
    Ok(obj)
}

/// Reads all material libraries of the file; of two entries with one name the first counts.
fn libraries(path: &Path, obj: &Obj, context: &mut Context) -> Result<Library, ImportError> {
    let mut library = Library::default();
    for (names, line) in &obj.libraries {
        for file in library_files(path, names, *line, context) {
            let Some(bytes) = context.read_library(&file)? else {
                library.lacks_any = true;
                continue;
            };
            let parsed = mtl::parse(&bytes).map_err(|Fault { line, kind }| ImportError::Malformed {
                path: file.clone(),
                place: Place::Line(line),
                kind,
            });
            let Some((entries, warnings)) = context.forgive(parsed)? else {
                library.lacks_any = true;
                continue;
            };
            for (line, warning) in warnings {
                context.warn(&file, Place::Line(line), warning);
            }
            for entry in entries {
                if let Some((other, first)) = library.entries.get(&entry.name) {
                    if *other == file && first.line == entry.line {
                        continue; // the same library named twice
                    }
                    context.warn(&file, Place::Line(entry.line), ObjWarning::MaterialTwice { name: entry.name });
                    continue;
                }
                library.entries.insert(entry.name.clone(), (file.clone(), entry));
            }
        }
    }
    Ok(library)
}

/// Finds the library files that an `mtllib` line names. `mtllib` takes several names, but names with blanks occur as
/// well, and names in quotes: whichever exist.
fn library_files(path: &Path, names: &str, line: u64, context: &mut Context) -> Vec<PathBuf> {
    let names = names.replace('\\', "/");
    let mut find = |name: &str| context.find(path, Place::Line(line), name);
    let whole = find(names.trim_matches('"'));
    if whole.exists() {
        return vec![whole];
    }
    // What stands in quotes is one name.
    let words = names.split('"').enumerate().flat_map(|(i, part)| match i % 2 {
        0 => part.split_ascii_whitespace().collect(),
        _ => vec![part],
    });
    let words: Vec<PathBuf> = words.filter(|name| !name.is_empty()).map(find).collect();
    if words.iter().any(|file| file.exists()) { words } else { vec![whole] }
}

fn build(path: &Path, obj: Obj, library: &Library, context: &mut Context) -> Result<Description, ImportError> {
    let mut scene = Description::default();
    let colors = obj.has_colors().then(|| scene.add_texture(Texture::VertexColor));
    for (part, MaterialMeshes { material, line, meshes, lacks_uvs }) in (0..).zip(obj.into_meshes()) {
        let mut before = 0;
        let name = material.unwrap_or_default();
        context.stand_ins.begin();
        let material = match library.entries.get(&name) {
            Some((file, entry)) => mapped(&mut scene, file, entry, colors, &meshes, context)?,
            None => {
                if !name.is_empty() {
                    if !library.lacks_any {
                        context.warn(path, Place::Line(line), ObjWarning::NoMaterial { name: name.clone() });
                    }
                    context.stand_ins.material(&name);
                }
                let reflectance = ColorInput { factor: [0.7; 3], texture: colors };
                Material::new(name, Surface::Diffuse { reflectance })
            }
        };
        let material = scene.add_material(material);
        let mark = context.stand_ins.close();
        context.stand_ins.keep(material, mark);
        if scene.uv_sets_of(material) != [false; 2] && meshes.iter().any(|(_, mesh)| mesh.uvs.is_empty()) {
            let material = scene.materials[material.index()].name.clone();
            context.warn(path, Place::Line(line), ObjWarning::NoCoordinates { material });
        }
        if scene.uv_sets_of(material)[0] && lacks_uvs {
            let material = scene.materials[material.index()].name.clone();
            context.warn(path, Place::Line(line), ObjWarning::SomeWithoutCoordinates { material });
        }
        for (name, triangles) in meshes {
            scene.parts.push((part, before));
            before += triangles.indices.len() as u32;
            let mesh = scene.add_mesh(Mesh { name, triangles, materials: FaceMaterials::Uniform(material) });
            scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
        }
    }
    Ok(scene)
}

/// Converts an MTL entry to a material of the scene; images are looked up beside its library.
fn mapped(
    scene: &mut Description,
    file: &Path,
    entry: &Entry,
    colors: Option<TextureId>,
    meshes: &[(String, TriangleMesh)],
    context: &mut Context,
) -> Result<Material, ImportError> {
    let mut images = |scene: &mut Description, map: &mtl::Map, encoding| {
        let path = context.find(file, Place::Line(map.line), &map.file);
        let image = context.image(scene, &path, encoding)?;
        if image.is_none() {
            context.stand_ins.texture(path.display());
        }
        Ok(image)
    };
    let mut mapper = material::Mapper { scene, images: &mut images, colors, warnings: Vec::new() };
    let material = mapper.material(entry, uv_size(meshes))?;
    for (line, warning) in mapper.warnings {
        context.warn(file, Place::Line(line), warning);
    }
    Ok(material)
}

/// Returns the mean length in scene units that one unit of texture coordinates spans, weighted by area; 0 without
/// texture coordinates.
fn uv_size(meshes: &[(String, TriangleMesh)]) -> f32 {
    use glam::{DVec2, DVec3};
    let (mut world, mut texture) = (0.0, 0.0);
    for (_, mesh) in meshes.iter().filter(|(_, mesh)| !mesh.uvs.is_empty()) {
        for triangle in &mesh.indices {
            let [a, b, c] = triangle.each(|i| DVec3::from(mesh.positions[i as usize].each(f64::from)));
            let [p, q, r] = triangle.each(|i| DVec2::from(mesh.uvs[i as usize].each(f64::from)));
            world += (b - a).cross(c - a).length();
            texture += (q - p).perp_dot(r - p).abs();
        }
    }
    if texture > 0.0 { (world / texture).sqrt() as f32 } else { 0.0 }
}
