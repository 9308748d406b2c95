//! World-space records of all triangles of all placements.

use crate::RenderError;
use crate::flat::{
    AttributeRecord, ColorRecord, MaterialFlags, NONE, PlacementRecord, ShadingScene, TriangleRecord, UnitCode,
    encode_unit,
};
use bytemuck::Zeroable;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use raywarp_geom::{Affine, TriangleMesh};
use raywarp_scene::{Description, Instance, MaterialId, Mesh, UvMapping};
use std::ops::Range;

/// Number of triangles per chunk of work when records are made.
const CHUNK: usize = 1 << 14;

/// Range of an instance's triangles, with the memory for their records.
struct Chunk<'s> {
    instance: u32,
    placement: Placement<'s>,
    primitives: Range<usize>,
    triangles: &'s mut [TriangleRecord],
    attributes: &'s mut [AttributeRecord],
    colors: &'s mut [ColorRecord],
    first_attribute: u32,
    first_color: u32,
}

/// Adds the triangles of every instance of `scene`; the materials must be there already.
pub(super) fn add(flat: &mut ShadingScene, scene: &Description) -> Result<(), RenderError> {
    let looks: Vec<bool> = flat.materials.iter().map(|m| m.has(MaterialFlags::LOOKS_AT_ATTRIBUTES)).collect();
    let turned = turned_maps(scene);
    let too_many = || RenderError::TooLarge("triangles");
    let count = usize::try_from(scene.triangle_count()).map_err(|_| too_many())?;
    if count >= NONE as usize {
        return Err(too_many());
    }
    let parts: Vec<(u32, Range<usize>, usize)> = parts(scene, &looks);
    let attributes: usize = parts.iter().map(|(_, _, attributes)| attributes).sum();
    let colored = |instance: u32| !mesh_of(scene, instance).triangles.colors.is_empty();
    let colors: usize = parts.iter().filter(|(i, ..)| colored(*i)).map(|(_, _, attributes)| attributes).sum();
    if colors >= AttributeRecord::LEFT_HANDED as usize - 1 {
        return Err(too_many());
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
        let placement = Placement::new(&scene.instances[instance as usize], mesh_of(scene, instance));
        let (attributes_at, colors_at) = (first_attribute, first_color);
        (first_attribute, first_color) = (first_attribute + attributes as u32, first_color + colors as u32);
        chunks.push(Chunk {
            instance,
            placement,
            primitives,
            triangles,
            attributes: own,
            colors: own_colors,
            first_attribute: attributes_at,
            first_color: colors_at,
        });
    }
    chunks.into_par_iter().for_each(|chunk| fill(chunk, &looks, &turned));
    let mut first_triangle = 0;
    for instance in 0..scene.instances.len() as u32 {
        let triangle_count = mesh_of(scene, instance).triangles.indices.len() as u32;
        flat.placements.push(PlacementRecord { first_triangle, triangle_count });
        first_triangle += triangle_count;
    }
    Ok(())
}

fn mesh_of(scene: &Description, instance: u32) -> &Mesh {
    &scene.meshes[scene.instances[instance as usize].mesh.index()]
}

/// Returns `true` if a mesh has vertex attributes that materials may read.
fn has_attributes(mesh: &TriangleMesh) -> bool {
    !(mesh.uvs.is_empty() && mesh.uvs1.is_empty() && mesh.tangents.is_empty() && mesh.colors.is_empty())
}

/// Splits all triangles into chunks: the instance, its range of primitives, and how many of them need attributes.
fn parts(scene: &Description, looks: &[bool]) -> Vec<(u32, Range<usize>, usize)> {
    let chunks: Vec<(u32, Range<usize>)> = (0..scene.instances.len() as u32)
        .flat_map(|instance| {
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

/// Instance of a mesh, prepared for making its triangle records.
struct Placement<'s> {
    instance: &'s Instance,
    mesh: &'s Mesh,
    is_identity: bool,
    /// Rows of the matrix that transforms normals, times the sign of the transform's determinant.
    normal_rows: [Vec3; 3],
    /// Sign of the transform's determinant, -1 if it mirrors: winding reverses, but the front of a surface stays the
    /// front.
    handedness: f32,
}

impl<'s> Placement<'s> {
    fn new(instance: &'s Instance, mesh: &'s Mesh) -> Self {
        let handedness = if instance.transform.determinant() < 0.0 { -1.0 } else { 1.0 };
        Self {
            instance,
            mesh,
            is_identity: instance.transform == Affine::IDENTITY,
            normal_rows: instance.transform.cofactor().map(|row| Vec3::from(row) * handedness),
            handedness,
        }
    }

    fn point(&self, p: [f32; 3]) -> [f32; 3] {
        if self.is_identity { p } else { self.instance.transform.point(p) }
    }

    fn normal(&self, n: [f32; 3]) -> [f32; 3] {
        let n = Vec3::from(n);
        self.normal_rows.map(|row| row.dot(n))
    }

    fn material(&self, primitive: usize) -> u32 {
        self.instance.material.unwrap_or_else(|| self.mesh.materials.get(primitive)).0
    }

    fn triangle(&self, instance: u32, primitive: usize) -> TriangleRecord {
        let mesh = &self.mesh.triangles;
        let indices = mesh.indices[primitive].map(|i| i as usize);
        let mut record = TriangleRecord {
            corners: mesh.corners(primitive).map(|p| self.point(p)),
            normals: [UnitCode::ZERO; 3],
            material_and_flags: self.material(primitive),
            instance,
            attributes: NONE,
            light: NONE,
        };
        let mut flipped = self.handedness < 0.0;
        if !mesh.normals.is_empty() {
            let normals = indices.map(|i| self.normal(mesh.normals[i]));
            record.normals = normals.map(encode_unit);
            record.material_and_flags |= TriangleRecord::SMOOTH;
            // Stated normals tell the side better than windings do (pbrt does the same).
            let sum: Vec3 = indices.iter().map(|&i| Vec3::from(mesh.normals[i])).sum();
            let front = record.front_normal() * self.handedness;
            flipped ^= Vec3::from(self.normal(sum.into())).dot(front) < 0.0;
        }
        record.material_and_flags |= if flipped { TriangleRecord::FLIPPED } else { 0 };
        record
    }

    /// Returns texture coordinates and tangents of a triangle; `color` is the index of its vertex colours plus one, or
    /// 0.
    fn attributes(&self, primitive: usize, color: u32) -> AttributeRecord {
        let mesh = &self.mesh.triangles;
        let indices = mesh.indices[primitive].map(|i| i as usize);
        // Without coordinates of their own, the barycentrics parametrise a triangle.
        let own = |uvs: &[[f32; 2]], else_: [[f32; 2]; 3]| if uvs.is_empty() { else_ } else { indices.map(|i| uvs[i]) };
        let uv0 = own(&mesh.uvs, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
        let mut record =
            AttributeRecord { uv0, uv1: own(&mesh.uvs1, uv0), tangents: [UnitCode::ZERO; 3], colors_and_flags: color };
        if !mesh.tangents.is_empty() {
            let tangents = indices.map(|i| mesh.tangents[i]);
            record.tangents = tangents.map(|t| encode_unit(self.instance.transform.vector([t[0], t[1], t[2]])));
            // The corners of a triangle agree; where they do not, most of them decide.
            let left = tangents.map(|t| if t[3] < 0.0 { -1.0 } else { 1.0 }).iter().sum::<f32>() * self.handedness;
            record.colors_and_flags |= AttributeRecord::TANGENTS;
            record.colors_and_flags |= if left < 0.0 { AttributeRecord::LEFT_HANDED } else { 0 };
        }
        record
    }
}

/// Returns for each material the mapping of its normal map, if the map's axes are not those of the first texture
/// coordinates, which shading assumes.
fn turned_maps(scene: &Description) -> Vec<Option<UvMapping>> {
    let is_turned = |mapping: &UvMapping| {
        let [[uu, uv, _], [vu, vv, _]] = mapping.rows;
        mapping.set != 0 || !(uu > 0.0 && vv > 0.0 && uv == 0.0 && vu == 0.0)
    };
    let materials = 0..scene.materials.len() as u32;
    materials.map(|id| scene.normal_mapping_of(MaterialId(id)).filter(is_turned)).collect()
}

/// Sets a triangle's tangent and handedness to the directions of a normal map's own u and v; none if the map has no
/// area there, so that its normals bend nothing.
fn give_tangents(attributes: &mut AttributeRecord, triangle: &TriangleRecord, mapping: &UvMapping) {
    let uvs = if mapping.set == 0 { &attributes.uv0 } else { &attributes.uv1 };
    let [ua, ub, uc] =
        uvs.map(|[u, v]| mapping.rows.map(|r| f64::from(r[0]) * f64::from(u) + f64::from(r[1]) * f64::from(v)));
    let [a, b, c] = triangle.corners.map(|p| DVec3::from(p.map(f64::from)));
    let (e1, e2) = (b - a, c - a);
    let (d1, d2) = ([ub[0] - ua[0], ub[1] - ua[1]], [uc[0] - ua[0], uc[1] - ua[1]]);
    let area = d1[0] * d2[1] - d1[1] * d2[0];
    attributes.colors_and_flags |= AttributeRecord::TANGENTS;
    if area == 0.0 {
        return;
    }
    let (along_u, along_v) = ((e1 * d2[1] - e2 * d1[1]) / area, (e2 * d1[0] - e1 * d2[0]) / area);
    attributes.tangents = [encode_unit(along_u.normalize_or_zero().as_vec3().into()); 3];
    // v grows downwards in our images, and a tangent-space map's y grows upwards.
    let is_left = triangle.front_normal().as_dvec3().cross(along_u).dot(along_v) > 0.0;
    attributes.colors_and_flags |= if is_left { AttributeRecord::LEFT_HANDED } else { 0 };
}

/// Makes the triangle records of a chunk.
fn fill(chunk: Chunk, looks: &[bool], turned: &[Option<UvMapping>]) {
    let placement = &chunk.placement;
    let mesh = &placement.mesh.triangles;
    let looked_at = has_attributes(mesh);
    let mut used = 0;
    for (record, primitive) in std::iter::zip(chunk.triangles, chunk.primitives) {
        *record = placement.triangle(chunk.instance, primitive);
        if !(looked_at && looks[record.material() as usize]) {
            continue;
        }
        record.attributes = chunk.first_attribute + used as u32;
        let color = if chunk.colors.is_empty() { 0 } else { chunk.first_color + used as u32 + 1 };
        let attributes = &mut chunk.attributes[used];
        *attributes = placement.attributes(primitive, color);
        // Tangents that the file states stand for themselves.
        if let (Some(mapping), true) = (&turned[record.material() as usize], mesh.tangents.is_empty()) {
            give_tangents(attributes, record, mapping);
        }
        if let Some(colors) = chunk.colors.get_mut(used) {
            colors.corners = mesh.indices[primitive].map(|i| mesh.colors[i as usize]);
        }
        used += 1;
    }
}
