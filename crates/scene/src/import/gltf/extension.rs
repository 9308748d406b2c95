//! Extensions that are known, and the refusal of files that need others.

use super::data::Data;
use super::fault::unsupported;
use crate::findings::gltf::DRACO;
use crate::import::Context;
use crate::{GltfFault, GltfWarning, ImportError, Place};
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// Names of glTF extensions that are supported fully, or as far as they affect a still picture.
pub(in crate::import) const SUPPORTED: &[&str] = &[
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_materials_clearcoat",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
];

/// Names of glTF extensions that are ignored silently, as they change nothing in a picture: metadata, and interaction.
pub(in crate::import) const QUIET: &[&str] = &["KHR_node_hoverability", "KHR_node_selectability", "KHR_xmp_json_ld"];

/// Names of glTF extensions that are ignored with a warning at each material that uses them.
pub(in crate::import) const WARNED_AT_USE: &[&str] = &[
    "KHR_materials_anisotropy",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_iridescence",
    "KHR_materials_sheen",
];

/// Returns an error if the file requires an unknown extension, and warns of unknown ones that it merely uses.
pub fn check(data: &Data, context: &mut Context) -> Result<(), ImportError> {
    let known = |name: &str| [SUPPORTED, QUIET, WARNED_AT_USE].iter().any(|list| list.contains(&name));
    let document = data.document;
    for name in &document.extensions_required {
        #[cfg(not(feature = "draco"))]
        if name == DRACO {
            return Err(super::draco::refused(data.path, "extensionsRequired"));
        }
        if !known(name) && name != DRACO {
            let fault = GltfFault::Extension { name: name.clone() };
            return Err(unsupported(data.path, "extensionsRequired", fault));
        }
    }
    let mut warn = |place: &str, name: &String| {
        if !known(name) && name != DRACO {
            context.warn(data.path, Place::Item(place.into()), GltfWarning::Extension { name: name.clone() });
        }
    };
    document.extensions_used.iter().for_each(|name| warn("extensionsUsed", name));
    // Not every program lists what it uses.
    let mut unlisted = |place: &str, others: &BTreeMap<String, IgnoredAny>| {
        others.keys().for_each(|name| warn(place, name));
    };
    unlisted("extensions", &document.extensions.others);
    document.nodes.iter().for_each(|node| unlisted("nodes", &node.extensions.others));
    document.materials.iter().for_each(|material| unlisted("materials", &material.extensions.others));
    // A texture of another kind has a fallback, or is said to have no image.
    let primitives = document.meshes.iter().flat_map(|mesh| &mesh.primitives);
    primitives.for_each(|primitive| unlisted("meshes", &primitive.extensions.others));
    Ok(())
}
