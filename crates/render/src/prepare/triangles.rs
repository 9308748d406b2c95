//! World-space records of all triangles of all placements.

use super::shared::{add_shared, sharing};
use crate::RenderError;
use crate::flat::{
    AttributeRecord, ColorRecord, MapAxes, MaterialFlags, NONE, PlacedMesh, PlacementRecord, ShadingScene,
    TriangleRecord, UnitCode,
};
use bytemuck::Zeroable;
use rayon::prelude::*;
use raywarp_geom::TriangleMesh;
use raywarp_scene::{Description, MaterialId, Mesh, UvMapping};
use std::ops::Range;

/// Number of triangles per chunk of work when records are made.
const CHUNK: usize = 1 << 14;

/// Range of an instance's triangles, with the memory for their records.
struct Chunk<'s> {
    instance: u32,
    placed: PlacedMesh<'s>,
    mesh: &'s TriangleMesh,
    primitives: Range<usize>,
    triangles: &'s mut [TriangleRecord],
    attributes: &'s mut [AttributeRecord],
    colors: &'s mut [ColorRecord],
    first_attribute: u32,
    first_color: u32,
}

/// Adds the triangles of every instance of `scene`; where `shares` says so, instances share meshes and have none. The
/// materials must be there already.
pub(super) fn add(flat: &mut ShadingScene, scene: &Description, shares: bool) -> Result<(), RenderError> {
    let looks: Vec<bool> = flat.materials.iter().map(|m| m.has(MaterialFlags::LOOKS_AT_ATTRIBUTES)).collect();
    let turned = turned_maps(scene);
    let shared = if shares { sharing(flat, scene) } else { Vec::new() };
    let is_shared = |instance: u32| shared.get(instance as usize).is_some_and(|&shared| shared);
    let own: Vec<u32> = (0..scene.instances.len() as u32).filter(|&instance| !is_shared(instance)).collect();
    let size = |instance: u32| mesh_of(scene, instance).triangles.indices.len();
    let count: u64 = own.iter().map(|&instance| size(instance) as u64).sum();
    if count >= u64::from(NONE) {
        return Err(RenderError::TooLarge { what: "triangles", found: count, limit: u64::from(NONE) - 1 });
    }
    let count = count as usize;
    let parts: Vec<(u32, Range<usize>, usize)> = parts(scene, &own, &looks);
    let attributes: usize = parts.iter().map(|(_, _, attributes)| attributes).sum();
    let colored = |instance: u32| !mesh_of(scene, instance).triangles.colors.is_empty();
    let colors: usize = parts.iter().filter(|(i, ..)| colored(*i)).map(|(_, _, attributes)| attributes).sum();
    let most_colors = AttributeRecord::LEFT_HANDED as usize - 2;
    if colors > most_colors {
        let (found, limit) = (colors as u64, most_colors as u64);
        return Err(RenderError::TooLarge { what: "coloured triangles", found, limit });
    }
    flat.triangles = vec![TriangleRecord::zeroed(); count];
    flat.attributes = vec![AttributeRecord::zeroed(); attributes];
    flat.colors = vec![ColorRecord::zeroed(); colors];
    let mut rest = (&mut flat.triangles[..], &mut flat.attributes[..], &mut flat.colors[..]);
    let (mut chunks, mut first_attribute, mut first_color) = (Vec::with_capacity(parts.len()), 0, 0);
    for (instance, primitives, attributes) in parts {
        let (triangles, after) = rest.0.split_at_mut(primitives.len());
        rest.0 = after;
        let (own, after) = rest.1.split_at_mut(attributes);
        rest.1 = after;
        let colors = if colored(instance) { attributes } else { 0 };
        let (own_colors, after) = rest.2.split_at_mut(colors);
        rest.2 = after;
        let mesh = &mesh_of(scene, instance).triangles;
        let placed = PlacedMesh::new(&scene.instances[instance as usize].transform, mesh);
        let (attributes_at, colors_at) = (first_attribute, first_color);
        (first_attribute, first_color) = (first_attribute + attributes as u32, first_color + colors as u32);
        chunks.push(Chunk {
            instance,
            placed,
            mesh,
            primitives,
            triangles,
            attributes: own,
            colors: own_colors,
            first_attribute: attributes_at,
            first_color: colors_at,
        });
    }
    chunks.into_par_iter().for_each(|chunk| fill(scene, chunk, &looks, &turned));
    let mut end = 0;
    let mut placement = |instance: u32| {
        if is_shared(instance) {
            return PlacementRecord { first_triangle: 0, triangle_count: 0 };
        }
        let triangle_count = size(instance) as u32;
        end += triangle_count;
        PlacementRecord { first_triangle: end - triangle_count, triangle_count }
    };
    flat.placements = (0..scene.instances.len() as u32).map(&mut placement).collect();
    if shared.contains(&true) { add_shared(flat, scene, (&shared, &looks), turned) } else { Ok(()) }
}

fn mesh_of(scene: &Description, instance: u32) -> &Mesh {
    &scene.meshes[scene.instances[instance as usize].mesh.index()]
}

/// Returns `true` if a mesh has vertex attributes that materials may read.
pub(super) fn has_attributes(mesh: &TriangleMesh) -> bool {
    !(mesh.uvs.is_empty() && mesh.uvs1.is_empty() && mesh.tangents.is_empty() && mesh.colors.is_empty())
}

/// Splits the triangles of instances into chunks: the instance, its range of primitives, and how many of them need
/// attributes.
fn parts(scene: &Description, instances: &[u32], looks: &[bool]) -> Vec<(u32, Range<usize>, usize)> {
    let chunks: Vec<(u32, Range<usize>)> = instances
        .iter()
        .flat_map(|&instance| {
            let count = mesh_of(scene, instance).triangles.indices.len();
            (0..count).step_by(CHUNK).map(move |first| (instance, first..(first + CHUNK).min(count)))
        })
        .collect();
    let with_count = |(instance, primitives): (u32, Range<usize>)| {
        let look = |&p: &usize| looks[scene.material_of(instance as usize, p).index()];
        let attributes = match has_attributes(&mesh_of(scene, instance).triangles) {
            true => primitives.clone().filter(look).count(),
            false => 0,
        };
        (instance, primitives, attributes)
    };
    chunks.into_par_iter().map(with_count).collect()
}

/// Returns for each material the axes of its normal map, if they are not those of the first texture coordinates, which
/// shading assumes.
fn turned_maps(scene: &Description) -> Vec<Option<MapAxes>> {
    let is_turned = |mapping: &UvMapping| {
        let [[uu, uv, _], [vu, vv, _]] = mapping.rows;
        mapping.set != 0 || !(uu > 0.0 && vv > 0.0 && uv == 0.0 && vu == 0.0)
    };
    let axes = |UvMapping { set, rows }| MapAxes { set, rows };
    let materials = 0..scene.materials.len() as u32;
    materials.map(|id| scene.normal_mapping_of(MaterialId(id)).filter(is_turned).map(axes)).collect()
}

/// Returns texture coordinates of a triangle, without tangents; `color` is the index of its vertex colours plus one, or
/// 0.
pub(super) fn attributes(mesh: &TriangleMesh, primitive: usize, color: u32) -> AttributeRecord {
    let indices = mesh.indices[primitive].map(|i| i as usize);
    // Without coordinates of their own, the barycentrics parametrise a triangle.
    let own = |uvs: &[[f32; 2]], else_: [[f32; 2]; 3]| if uvs.is_empty() { else_ } else { indices.map(|i| uvs[i]) };
    let uv0 = own(&mesh.uvs, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    AttributeRecord { uv0, uv1: own(&mesh.uvs1, uv0), tangents: [UnitCode::ZERO; 3], colors_and_flags: color }
}

pub(super) fn colors(mesh: &TriangleMesh, primitive: usize) -> ColorRecord {
    ColorRecord { corners: mesh.indices[primitive].map(|i| mesh.colors[i as usize]) }
}

/// Makes the triangle records of a chunk.
fn fill(scene: &Description, chunk: Chunk, looks: &[bool], turned: &[Option<MapAxes>]) {
    let (placed, mesh) = (chunk.placed, chunk.mesh);
    let looked_at = has_attributes(mesh);
    let mut used = 0;
    for (record, primitive) in std::iter::zip(chunk.triangles, chunk.primitives) {
        let material = scene.material_of(chunk.instance as usize, primitive).0;
        *record = placed.triangle(chunk.instance, primitive, material);
        if !(looked_at && looks[material as usize]) {
            continue;
        }
        record.attributes = chunk.first_attribute + used as u32;
        let color = if chunk.colors.is_empty() { 0 } else { chunk.first_color + used as u32 + 1 };
        let own = &mut chunk.attributes[used];
        *own = attributes(mesh, primitive, color);
        placed.add_tangents(own, record, primitive, turned[material as usize].as_ref());
        if let Some(own) = chunk.colors.get_mut(used) {
            *own = colors(mesh, primitive);
        }
        used += 1;
    }
}
