//! The importer of glTF 2.0, as `.gltf` and `.glb`.
//!
//! Source: the glTF 2.0 specification and the specifications of the extensions in `extension.rs`;
//! `docs/reference/formats-gltf.md` lists what becomes of each feature. Nothing in a file is trusted: every index,
//! offset, count and length is checked before it is used.

mod accessor;
mod animation;
mod camera;
mod choice;
mod container;
mod data;
mod deform;
mod draco;
pub(super) mod extension;
mod fault;
mod json;
mod light;
mod light_units;
mod material;
mod meshopt;
mod node;
mod options;
mod primitive;
mod ranges;
mod skin;
#[cfg(test)]
mod tests;
mod texture;
mod uri;

use super::context::Encoding;
use super::{Context, LampReading};
use crate::findings::gltf::MAX_OBJECTS;
use crate::{Description, GltfFault, GltfWarning, ImageId, ImportError, MaterialId, MeshId, Place, TextureId};
use data::{Data, External};
use json::{DocumentJson, Int};
pub use options::{Choices, GltfOptions};
use std::collections::HashMap;
use std::path::Path;

/// Imports a glTF or GLB file as a scene.
pub(crate) fn import(path: &Path, context: &mut Context) -> Result<Description, ImportError> {
    let bytes = context.read_scene(path)?;
    let external = if context.is_sealed() { External::Missing } else { External::Read };
    import_bytes(path, &bytes, external, context)
}

fn import_bytes(
    path: &Path,
    bytes: &[u8],
    external: External,
    context: &mut Context,
) -> Result<Description, ImportError> {
    let container = container::split(path, bytes)?;
    if let Some(count) = container::behind(bytes) {
        context.warn(path, Place::Offset((bytes.len() - count) as u64), GltfWarning::BytesBehindEnd { count });
    }
    let objects = container.json.iter().filter(|&&byte| byte == b'{').count();
    if objects > MAX_OBJECTS {
        return Err(ImportError::TooLarge {
            path: path.to_path_buf(),
            place: Place::File,
            kind: GltfFault::Objects { objects }.into(),
        });
    }
    let document: DocumentJson = serde_json::from_slice(container.json).map_err(|error| ImportError::Malformed {
        path: path.to_path_buf(),
        place: Place::Line(error.line() as u64),
        kind: GltfFault::Document { error: error.to_string() }.into(),
    })?;
    check_version(path, &document)?;
    let data = Data::load(path, &document, container.bin, external, context)?;
    extension::check(&data, context)?;
    let (lamps, said) = light_units::read(&document, context.light_units());
    context.lamp_units = said;
    context.choices = choice::list(&data);
    let pose = match choice::animation(&data, context)? {
        Some((index, at)) => animation::sample(&data, context, index, at)?,
        None => animation::Pose::default(),
    };
    let variants = choice::variants(&document);
    let wanted = context.gltf().material_variant.clone();
    let variant = wanted.map(|wanted| choice::find(path, "material variant", &variants, &wanted)).transpose()?;
    let mut builder = Builder {
        data: &data,
        context,
        scene: Description::default(),
        textures: HashMap::new(),
        images: HashMap::new(),
        opaque: HashMap::new(),
        vertex_color: None,
        colored: HashMap::new(),
        materials: HashMap::new(),
        meshes: HashMap::new(),
        locals: Vec::new(),
        lamps,
        pose,
        variant,
        parents: None,
        worlds: HashMap::new(),
        bent_coats: Vec::new(),
    };
    builder.add_nodes()?;
    builder.say_bent_coats();
    if builder.scene.triangle_count() == 0 {
        builder.context.elsewhere = choice::scene_with_triangles(&document);
    }
    Ok(builder.scene)
}

fn check_version(path: &Path, document: &DocumentJson) -> Result<(), ImportError> {
    let asset = &document.asset;
    let item = "asset.version";
    let Some(version) = &asset.version else {
        return Err(fault::malformed(path, item, GltfFault::NoVersion));
    };
    let needed = asset.min_version.as_ref().unwrap_or(version);
    let too_new = asset.min_version.as_deref().is_some_and(|v| v != "2.0");
    if too_new || version.split('.').next() != Some("2") {
        return Err(fault::unsupported(path, item, GltfFault::Version { needed: needed.clone() }));
    }
    Ok(())
}

/// Key of an imported mesh: its index and the bits of the weights of its morph targets.
type PosedMesh = (Int, Vec<u64>);

/// Scene being built from a glTF document, with what was already converted.
struct Builder<'a, 'c> {
    data: &'a Data<'a>,
    context: &'c mut Context,
    scene: Description,
    textures: HashMap<texture::TextureKey, Option<TextureId>>,
    images: HashMap<(u64, Encoding), Option<ImageId>>,
    /// Cache that tells of images whether every texel is opaque.
    opaque: HashMap<ImageId, bool>,
    vertex_color: Option<TextureId>,
    /// Cache of the products of textures and vertex colours.
    colored: HashMap<TextureId, TextureId>,
    /// Cache of materials, by index and whether the primitive has vertex colours.
    materials: HashMap<(Option<Int>, bool), MaterialId>,
    /// Cache of the scene's meshes for each mesh and morph weights (their bits). Each has `true` if a skin has placed
    /// it in the world.
    meshes: HashMap<PosedMesh, Vec<(MeshId, bool)>>,
    /// Origin of the positions of each of the scene's meshes.
    locals: Vec<[f64; 3]>,
    /// Units of the lights' intensities.
    lamps: LampReading,
    /// Transforms and weights that the chosen animation gives to nodes and meshes.
    pose: animation::Pose,
    /// Index of the chosen material variant.
    variant: Option<usize>,
    /// Parent of each node, computed when first needed.
    parents: Option<Vec<Option<usize>>>,
    /// Cache of nodes' transforms to world space.
    worlds: HashMap<usize, glam::DAffine3>,
    /// Materials whose base normal map also bends the clear coat, for one warning.
    bent_coats: Vec<Option<Int>>,
}

impl Builder<'_, '_> {
    fn warn(&mut self, item: &str, warning: GltfWarning) {
        self.context.warn(self.data.path, Place::Item(item.into()), warning);
    }
}
