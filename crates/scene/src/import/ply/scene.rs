//! The mesh of a PLY file as a scene.

use super::PlyMesh;
use crate::import::context::{Context, Encoding};
use crate::{
    ColorInput, Description, FaceMaterials, ImageFilter, ImportError, Instance, Material, MaterialId, Mesh, Place,
    PlyWarning, Surface, Texture, UvMapping, Wrap,
};
use raywarp_geom::Affine;
use std::collections::HashMap;
use std::path::Path;

/// Converts a PLY mesh to a scene. Reflectance is the face's texture, else the colours of vertices or faces where there
/// are any, else 0.7.
pub(super) fn to_scene(path: &Path, mesh: PlyMesh, context: &mut Context) -> Result<Description, ImportError> {
    let PlyMesh { triangles, face_materials, material_names, textures, face_textures, is_from_blender, quads: _ } =
        mesh;
    let mut scene = Description::default();
    // Blender's exporters of PLY and STL leave its z upwards, unless they are told otherwise.
    scene.settings.likely_up = is_from_blender.then_some([0.0, 0.0, 1.0]);
    let plain = if triangles.colors.is_empty() {
        ColorInput::constant([0.7; 3])
    } else {
        ColorInput::texture(scene.add_texture(Texture::VertexColor))
    };
    let clear = triangles.colors.iter().filter(|color| color[3] < 1.0).count();
    if clear > 0 {
        context.warn(path, Place::File, PlyWarning::ClearColors { count: clear });
    }
    let diffuse = |name: &str, reflectance| Material::new(name, Surface::Diffuse { reflectance });
    if let Some(name) = textures.first().filter(|_| triangles.uvs.is_empty()) {
        context.warn(path, Place::File, PlyWarning::NoCoordinates { name: name.clone() });
    }
    let materials = if triangles.uvs.is_empty() || textures.is_empty() {
        let largest = face_materials.iter().flatten().max().map_or(0, |&i| i as usize);
        for i in 0..=largest.max(material_names.len().saturating_sub(1)) {
            scene.add_material(diffuse(material_names.get(i).map_or("", String::as_str), plain));
        }
        match face_materials {
            Some(ids) => FaceMaterials::PerTriangle(ids.into_iter().map(MaterialId).collect()),
            None => FaceMaterials::Uniform(MaterialId(0)),
        }
    } else {
        // A material for each pair of a name and a texture that some triangle has.
        let inputs =
            textures.iter().map(|name| image(&mut scene, path, name, context)).collect::<Result<Vec<_>, _>>()?;
        let mut known: HashMap<(Option<u32>, Option<usize>), MaterialId> = HashMap::new();
        let mut ids = Vec::with_capacity(triangles.indices.len());
        let lost = face_textures.iter().flatten().filter(|&&number| number >= textures.len() as i32).count();
        if lost > 0 {
            let warning = PlyWarning::NoTexture { triangles: lost, textures: textures.len() };
            context.warn(path, Place::File, warning);
        }
        for triangle in 0..triangles.indices.len() {
            let name = face_materials.as_ref().map(|ids| ids[triangle]);
            let number = face_textures.as_ref().map_or(Some(0), |numbers| usize::try_from(numbers[triangle]).ok());
            let texture = number.filter(|&number| number < textures.len());
            let id = *known.entry((name, texture)).or_insert_with(|| {
                let input = texture.map(|texture| inputs[texture]);
                let name = name.and_then(|name| material_names.get(name as usize)).map_or("", String::as_str);
                let material = diffuse(name, input.flatten().unwrap_or(plain));
                context.stand_ins.begin();
                if let (Some(texture), Some(None)) = (texture, input) {
                    context.stand_ins.texture(&textures[texture]);
                }
                let id = scene.add_material(material);
                let mark = context.stand_ins.close();
                context.stand_ins.keep(id, mark);
                id
            });
            ids.push(id);
        }
        if known.len() == 1 { FaceMaterials::Uniform(ids[0]) } else { FaceMaterials::PerTriangle(ids) }
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let id = scene.add_mesh(Mesh { name, triangles, materials });
    scene.instances.push(Instance { mesh: id, transform: Affine::IDENTITY, material: None });
    Ok(scene)
}

/// Loads a texture image beside the file as a colour input; `None` when it is missing, which is noted.
fn image(
    scene: &mut Description,
    path: &Path,
    name: &str,
    context: &mut Context,
) -> Result<Option<ColorInput>, ImportError> {
    let file = context.find(path, Place::File, &name.replace('\\', "/"));
    let image = context.image(scene, &file, Encoding::Srgb)?;
    let texture = |image| Texture::Image {
        image,
        mapping: UvMapping::default(),
        wrap: [Wrap::Repeat; 2],
        filter: ImageFilter::Bilinear,
    };
    Ok(image.map(|image| ColorInput::texture(scene.add_texture(texture(image)))))
}
