//! Mesh primitives: triangles from lists, strips and fans, with the attributes that shading uses.

use super::accessor::Elements;
use super::data::Data;
use super::deform::{self, Deformation};
use super::draco::{self, Decoded};
use super::fault::{Read, malformed};
use super::json::{Int, Primitive};
use super::ranges;
use crate::each::Each;
use crate::import::origin::Rounder;
use crate::import::{Context, strays};
use crate::{GltfFault, GltfWarning, Place, WarningKind};
use raywarp_geom::TriangleMesh;

/// Imported triangles of a primitive.
#[derive(Default)]
pub struct Triangles {
    /// Mesh of the triangles; empty if the primitive has none.
    pub mesh: TriangleMesh,
    /// Rounder that rounded the mesh's positions, which knows their origin.
    pub rounder: Rounder,
    /// `true` if a skin has placed the triangles in world space.
    pub in_world: bool,
}

/// Reads the triangles of `primitive`, deformed by `deformation`; messages call it `item`.
///
/// Vertices that no triangle uses are left out when a primitive uses few of many, so that primitives
/// which share one large vertex array do not each copy it.
pub fn read(
    data: &Data,
    context: &mut Context,
    primitive: &Primitive,
    deformation: Option<&Deformation>,
    item: &str,
) -> Read<Triangles> {
    let warn = |context: &mut Context, warning: WarningKind| context.warn(data.path, Place::Item(item.into()), warning);
    let mode = primitive.mode.map_or(4, |m| m.0);
    match mode {
        4..=6 => {}
        0..=3 => {
            warn(context, GltfWarning::PointsOrLines.into());
            return Ok(Triangles::default());
        }
        other => return Err(data.malformed(format!("{item}.mode"), GltfFault::Mode { mode: other }).into()),
    }
    let Some(&position) = primitive.attributes.get("POSITION") else {
        warn(context, GltfWarning::NoPositions.into());
        return Ok(Triangles::default());
    };
    let place = |name: &str| format!("{item}.attributes.{name}");
    let stored = Elements::open(data, position, &place("POSITION"))?;
    // What is there uncompressed, too, need not be decompressed.
    let decoded = match &primitive.extensions.draco {
        Some(draco) if stored.is_implicit() => Some(draco::decode(data, draco, item)?),
        _ => None,
    };
    let attributes = Attributes { data, primitive, decoded: decoded.as_ref(), count: stored.count, item };
    let positions = attributes.open("POSITION")?.unwrap_or(stored);
    let attributes = Attributes { count: positions.count, ..attributes };

    let corners = match &decoded {
        Some(decoded) => whole(data, decoded, item)?,
        None => corners(data, context, primitive, mode, positions.count, item)?,
    };
    let (used, indices) = compact(corners, positions.count);
    let which = used.as_deref();
    let vertices = which.map_or(positions.count, <[u32]>::len);
    let mut mesh =
        TriangleMesh { positions: positions.floats(data, which, &[3], [0.0; 3])?, indices, ..TriangleMesh::default() };
    // Whether any position is not finite; an error where a triangle uses it.
    let strays = |mesh: &TriangleMesh, in_pose: bool| -> Read<bool> {
        let is_stray = |p: &[f32; 3]| !p.iter().all(|x| x.is_finite());
        let has_strays = mesh.positions.iter().any(is_stray);
        let corners = || mesh.indices.iter().flatten().map(|&i| i as usize);
        if has_strays && let Some(vertex) = corners().filter(|&vertex| is_stray(&mesh.positions[vertex])).min() {
            let (original, position) = (which.map_or(vertex as u32, |w| w[vertex]), mesh.positions[vertex]);
            let fault = GltfFault::NotFinite { vertex: original, in_pose, position };
            return Err(data.malformed(place("POSITION"), fault).into());
        }
        Ok(has_strays)
    };
    let mut has_strays = strays(&mesh, false)?;

    let open = |name: &str| attributes.open(name);
    if let Some(normals) = open("NORMAL")? {
        mesh.normals = finite(context, data, &normals, normals.floats(data, which, &[3], [0.0; 3])?, [0.0; 3]);
        // Tangents without normals mean nothing (3.7.2.1).
        if let Some(tangents) = open("TANGENT")? {
            let read = tangents.floats(data, which, &[4], [0.0; 4])?;
            mesh.tangents = finite(context, data, &tangents, read, [0.0, 0.0, 0.0, 1.0]);
        }
    }
    if let Some(uvs) = open("TEXCOORD_0")? {
        mesh.uvs = finite(context, data, &uvs, uvs.floats(data, which, &[2], [0.0; 2])?, [0.0; 2]);
    }
    if let Some(uvs) = open("TEXCOORD_1")? {
        mesh.uvs1 = finite(context, data, &uvs, uvs.floats(data, which, &[2], [0.0; 2])?, [0.0; 2]);
    }
    if let Some(colors) = open("COLOR_0")? {
        mesh.colors = finite(context, data, &colors, colors.floats(data, which, &[3, 4], [1.0; 4])?, [1.0; 4]);
        let mut outside = 0;
        for color in &mut mesh.colors {
            outside += usize::from(color.iter().any(|c| !(0.0..=1.0 + ranges::SLACK).contains(c)));
            *color = color.each(|c| c.clamp(0.0, 1.0));
        }
        if outside > 0 {
            warn(context, GltfWarning::ColorsOutside { count: outside }.into());
        }
    }
    debug_assert_eq!(mesh.positions.len(), vertices);
    let mut bent = None;
    if let Some(deformation) = deformation {
        bent = Some(deform::apply(&attributes, context, deformation, which, &mut mesh)?);
        has_strays = strays(&mesh, true)?;
    }
    if has_strays && let Ok(count) = strays::leave_out(&mut mesh) {
        warn(context, WarningKind::StrayVertices { count });
    }
    let (rounder, in_world) = bent.unwrap_or_else(|| (context.center.recenter(&mut mesh.positions), false));
    Ok(Triangles { mesh, rounder, in_world })
}

/// Vertex attributes of a primitive, stored or decompressed.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    pub data: &'a Data<'a>,
    pub primitive: &'a Primitive,
    decoded: Option<&'a Decoded>,
    /// Number of vertices.
    count: usize,
    /// Name of the primitive in messages.
    pub item: &'a str,
}

impl<'a> Attributes<'a> {
    /// Opens the accessor of an attribute by its name, such as `NORMAL`; `None` where there is none.
    pub fn open(&self, name: &str) -> Read<Option<Elements<'a>>> {
        let Some(&index) = self.primitive.attributes.get(name) else { return Ok(None) };
        let place = format!("{}.attributes.{name}", self.item);
        let decoded = self.decoded.and_then(|decoded| Some((decoded.attributes.get(name)?, decoded.vertices)));
        match decoded {
            Some((values, count)) => Elements::decoded(self.data, index, values, count, &place).map(Some),
            None => self.one_per_vertex(index, &place).map(Some),
        }
    }

    /// Opens an accessor and checks that it has one element for each vertex.
    pub fn one_per_vertex(&self, index: Int, place: &str) -> Read<Elements<'a>> {
        let elements = Elements::open(self.data, index, place)?;
        if elements.count != self.count {
            let fault = GltfFault::AttributeCount { found: elements.count, positions: self.count };
            return Err(self.data.malformed(place, fault).into());
        }
        Ok(elements)
    }
}

/// Returns the triangles of decoded Draco data, after checking that all corners are vertices.
fn whole(data: &Data, decoded: &Decoded, item: &str) -> Read<Vec<[u32; 3]>> {
    let vertices = decoded.vertices;
    match decoded.triangles.iter().flatten().find(|&&corner| corner as usize >= vertices) {
        None => Ok(decoded.triangles.clone()),
        Some(&vertex) => Err(data.malformed(item, GltfFault::DracoIndex { vertex, vertices }).into()),
    }
}

/// Reads the triangles of a primitive as vertex indices, each below `vertices`.
fn corners(
    data: &Data,
    context: &mut Context,
    primitive: &Primitive,
    mode: u64,
    vertices: usize,
    item: &str,
) -> Read<Vec<[u32; 3]>> {
    let place = format!("{item}.indices");
    let order: Vec<u32> = match primitive.indices {
        Some(index) => {
            let elements = Elements::open(data, index, &place)?;
            let order = elements.indices(data)?;
            if let Some(at) = order.iter().position(|&i| i as usize >= vertices) {
                let fault = GltfFault::Index { at, vertex: order[at], vertices };
                return Err(malformed(data.path, elements.item(), fault).into());
            }
            order
        }
        None => {
            data.charge(&place, vertices as u64 * 4)?;
            (0..vertices as u32).collect()
        }
    };
    data.charge(&place, order.len() as u64 * if mode == 4 { 4 } else { 12 })?;
    let (triples, rest) = order.as_chunks::<3>();
    Ok(match mode {
        4 => {
            if !rest.is_empty() {
                context.warn(data.path, Place::Item(place), GltfWarning::PartialTriangle { indices: order.len() });
            }
            triples.to_vec()
        }
        // Every other triangle of a strip is turned over. Strips are joined by triangles without area.
        5 => order
            .windows(3)
            .enumerate()
            .map(|(i, w)| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] })
            .filter(|[a, b, c]| a != b && b != c && a != c)
            .collect(),
        _ => order.get(1..).unwrap_or(&[]).windows(2).map(|w| [w[0], w[1], order[0]]).collect(),
    })
}

/// Renumbers triangles whose primitive uses only a part of the vertices; returns the vertices to keep (`None` for all)
/// and the triangles.
fn compact(mut triangles: Vec<[u32; 3]>, vertices: usize) -> (Option<Vec<u32>>, Vec<[u32; 3]>) {
    if triangles.len() * 3 >= vertices {
        return (None, triangles);
    }
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    for corner in triangles.iter_mut().flatten() {
        // Every corner is in `used`, which it was made from.
        *corner = used.partition_point(|&u| u < *corner) as u32;
    }
    (Some(used), triangles)
}

/// Replaces values that are not finite by `replacement`, and warns about them.
fn finite<const N: usize>(
    context: &mut Context,
    data: &Data,
    elements: &Elements,
    mut values: Vec<[f32; N]>,
    replacement: [f32; N],
) -> Vec<[f32; N]> {
    let mut broken = 0;
    for value in values.iter_mut().filter(|v| !v.iter().all(|x| x.is_finite())) {
        *value = replacement;
        broken += 1;
    }
    if broken > 0 {
        let warning = GltfWarning::ValuesNotFinite { count: broken, replacement: replacement.to_vec() };
        context.warn(data.path, Place::Item(elements.item().into()), warning);
    }
    values
}

/// Returns a primitive's material index in a variant, and `true` if it has vertex colours: the key of its scene
/// material.
pub fn material_key(primitive: &Primitive, variant: Option<usize>) -> (Option<Int>, bool) {
    let mappings = primitive.extensions.variants.as_ref().map_or(&[][..], |variants| &variants.mappings);
    let chosen = variant.and_then(|variant| mappings.iter().find(|m| m.variants.contains(&Int(variant as u64))));
    let material = chosen.and_then(|mapping| mapping.material).or(primitive.material);
    (material, primitive.attributes.contains_key("COLOR_0"))
}
