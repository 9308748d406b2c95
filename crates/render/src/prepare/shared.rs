//! Meshes that placements share: which do, and what is kept of them.

use super::triangles::{attributes, colors, has_attributes};
use crate::RenderError;
use crate::flat::{AttributeRecord, MapAxes, NONE, ShadingScene, Shared, SharedMesh, SharedPlacement};
use raywarp_geom::TriangleMesh;
use raywarp_scene::{Description, FaceMaterials, Instance, Mesh};

/// Returns for each instance whether it shares its mesh: one that is placed several times, and does not emit there,
/// since lights refer to records.
pub(super) fn sharing(flat: &ShadingScene, scene: &Description) -> Vec<bool> {
    let mut placed = vec![0u32; scene.meshes.len()];
    scene.instances.iter().for_each(|instance| placed[instance.mesh.index()] += 1);
    let emits: Vec<bool> = flat.materials.iter().map(|material| material.emission != NONE).collect();
    let mesh_emits = |mesh: &Mesh| match &mesh.materials {
        FaceMaterials::Uniform(id) => emits[id.index()],
        FaceMaterials::PerTriangle(ids) => ids.iter().any(|id| emits[id.index()]),
    };
    let mesh_emits: Vec<bool> = scene.meshes.iter().map(mesh_emits).collect();
    let shares = |instance: &Instance| {
        let mesh = instance.mesh.index();
        placed[mesh] > 1 && !instance.material.map_or(mesh_emits[mesh], |id| emits[id.index()])
    };
    scene.instances.iter().map(shares).collect()
}

/// Adds the meshes that instances share, and these.
pub(super) fn add_shared(
    flat: &mut ShadingScene,
    scene: &Description,
    (shared, looks): (&[bool], &[bool]),
    axes: Vec<Option<MapAxes>>,
) -> Result<(), RenderError> {
    let mut index_of: Vec<u32> = vec![NONE; scene.meshes.len()];
    let mut meshes: Vec<SharedMesh> = Vec::new();
    for (instance, _) in scene.instances.iter().zip(shared).filter(|(_, shared)| **shared) {
        let (at, mesh) = (instance.mesh.index(), &scene.meshes[instance.mesh.index()]);
        if index_of[at] == NONE {
            index_of[at] = meshes.len() as u32;
            let TriangleMesh { positions, indices, normals, tangents, .. } = mesh.triangles.clone();
            let triangles = TriangleMesh { positions, indices, normals, tangents, ..TriangleMesh::default() };
            let materials = match &mesh.materials {
                FaceMaterials::Uniform(id) => vec![id.0],
                FaceMaterials::PerTriangle(ids) => ids.iter().map(|id| id.0).collect(),
            };
            meshes.push(SharedMesh { triangles, materials, first_attribute: NONE });
        }
        let own = &mut meshes[index_of[at] as usize];
        if own.first_attribute != NONE || !has_attributes(&mesh.triangles) {
            continue;
        }
        let reads = match instance.material {
            Some(id) => looks[id.index()],
            None => own.materials.iter().any(|&material| looks[material as usize]),
        };
        if reads {
            own.first_attribute = add_attributes(flat, &mesh.triangles)?;
        }
    }
    let placement = |(instance, shared): (&Instance, &bool)| {
        let material = instance.material.map_or(NONE, |id| id.0);
        let mesh = index_of[instance.mesh.index()];
        if *shared { SharedPlacement { transform: instance.transform, mesh, material } } else { SharedPlacement::OWN }
    };
    let placements = scene.instances.iter().zip(shared).map(placement).collect();
    flat.shared = Shared { meshes, placements, axes };
    Ok(())
}

/// Adds the attributes of all triangles of a mesh, and returns the index of the first.
fn add_attributes(flat: &mut ShadingScene, mesh: &TriangleMesh) -> Result<u32, RenderError> {
    let (first, first_color, count) = (flat.attributes.len(), flat.colors.len(), mesh.indices.len());
    let is_colored = !mesh.colors.is_empty();
    let most = |what, found: usize, most: usize| {
        let (found, limit) = (found as u64, most as u64);
        if found > limit { Err(RenderError::TooLarge { what, found, limit }) } else { Ok(()) }
    };
    most("triangles", first + count, NONE as usize - 1)?;
    if is_colored {
        most("coloured triangles", first_color + count, AttributeRecord::LEFT_HANDED as usize - 2)?;
    }
    let color = |primitive: usize| if is_colored { (first_color + primitive) as u32 + 1 } else { 0 };
    flat.attributes.extend((0..count).map(|primitive| attributes(mesh, primitive, color(primitive))));
    if is_colored {
        flat.colors.extend((0..count).map(|primitive| colors(mesh, primitive)));
    }
    Ok(first as u32)
}
