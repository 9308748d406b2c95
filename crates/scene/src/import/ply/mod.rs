//! The importer of PLY: text and binary polygon files.
//!
//! The importer reads vertex positions, normals, texture coordinates and colours, faces (polygons become triangles) and
//! triangle strips, and the material of a face with the names that header comments give. All else in a file is stepped
//! over. See docs/reference/formats.md.
//!
//! A PLY file's texture coordinate `v` grows upwards; [`read_mesh`] turns it, so that row 0 of an
//! image is `v = 0` as everywhere in the model.

mod body;
mod color;
mod faces;
mod fault;
mod header;
mod scene;
#[cfg(test)]
mod tests;
mod vertices;
mod wedges;

use super::origin::Rounder;
use super::{Context, strays};
use crate::{Description, ImportError, Place, PlyFault, PlyWarning, WarningKind};
use fault::Fault;
use raywarp_geom::TriangleMesh;
use scene::to_scene;
use std::path::Path;

/// Mesh of a PLY file, with what the file says about materials and textures.
#[derive(Debug, Default)]
pub(crate) struct PlyMesh {
    /// Mesh of the file, valid, with v of texture coordinates turned downwards.
    pub triangles: TriangleMesh,
    /// Material index of each triangle, into `material_names`, or below 65,536 where that is empty.
    pub face_materials: Option<Vec<u32>>,
    /// Names of materials by index, from comments `comment material INDEX NAME`; empty strings for indices without a
    /// name.
    pub material_names: Vec<String>,
    /// File names of textures in order, from comments `comment TextureFile NAME`.
    pub textures: Vec<String>,
    /// Texture index of each triangle, into `textures`; other numbers mean none, and `None` the first texture
    /// everywhere.
    pub face_textures: Option<Vec<i32>>,
    /// Index of the first triangle of each quad that was divided from its first corner, if asked for.
    pub quads: Vec<u32>,
    /// `true` if a comment says that Blender wrote the file.
    pub is_from_blender: bool,
}

/// Parses a PLY file from its decompressed bytes. `path` is used by messages only; `rounder` rounds the positions,
/// `warnings` gets what is left out or replaced, also where the file cannot be read, and `quads` asks for faces of four
/// corners.
///
/// # Errors
/// [`ImportError::Malformed`] with the line of a text or of the header, or the byte of binary data.
pub(crate) fn read_mesh(
    path: &Path,
    bytes: &[u8],
    rounder: &mut Rounder,
    warnings: &mut Warnings,
    quads: bool,
) -> Result<PlyMesh, ImportError> {
    let read = Read { fast: true, quads };
    parse(bytes, read, rounder, warnings).map_err(|Fault { place, kind }| ImportError::Malformed {
        path: path.to_path_buf(),
        place,
        kind,
    })
}

/// Settings for reading a PLY file.
#[derive(Debug, Clone, Copy)]
struct Read {
    /// `true` if shortcuts may be taken for records of one size.
    fast: bool,
    /// `true` if faces of four corners are to be listed.
    quads: bool,
}

/// Parses a whole PLY file.
fn parse(bytes: &[u8], read: Read, rounder: &mut Rounder, warnings: &mut Warnings) -> Result<PlyMesh, Fault> {
    let header = header::parse(bytes)?;
    let before = rounder.clone();
    let mut body = body::Body::new(bytes, &header, true);
    let mut by_lines = parse_body(&mut body, &header, read, rounder, warnings);
    match body.finish() {
        Ok(left_out) => warnings.extend(left_out),
        Err(fault) => by_lines = by_lines.and(Err(fault)),
    }
    if by_lines.is_ok() || header.format != header::Format::Ascii {
        return by_lines;
    }
    // Not a record a line: numbers that follow each other as they like.
    let (mut again, mut said) = (before, Vec::new());
    let mut body = body::Body::new(bytes, &header, false);
    let free = parse_body(&mut body, &header, read, &mut again, &mut said);
    if free.is_ok() && body.finish().is_ok() {
        (*rounder, *warnings) = (again, said);
        return free;
    }
    by_lines
}

/// Warnings about what was left out or replaced, with their positions in the file.
pub(crate) type Warnings = Vec<(Place, WarningKind)>;

/// Reads the elements of the body into a mesh.
fn parse_body(
    body: &mut body::Body,
    header: &header::Header,
    Read { fast, quads }: Read,
    rounder: &mut Rounder,
    warnings: &mut Warnings,
) -> Result<PlyMesh, Fault> {
    let vertex = header.elements.iter().find(|e| e.name == "vertex");
    let count = vertex.map(|e| e.count).ok_or_else(|| Fault::malformed(Place::File, PlyFault::NoVertices))?;
    if !header.elements.iter().any(|e| matches!(e.name.as_str(), "face" | "tristrips")) {
        return Err(Fault::malformed(Place::File, PlyFault::NoFaces));
    }
    if count >= u64::from(u32::MAX) {
        return Err(Fault::malformed(Place::File, PlyFault::Vertices { count }));
    }
    let limits = faces::Limits::new(count, header.material_names.len());
    let mut mesh = PlyMesh::default();
    let mut faces = faces::Faces { quads: quads.then(Vec::new), ..faces::Faces::default() };
    let mut strays = Vec::new();
    for element in header.elements.iter().filter(|e| !e.properties.is_empty()) {
        body.check_count(element)?;
        if matches!(element.name.as_str(), "vertex" | "face") {
            warnings.extend(color::not_read(element));
        }
        match element.name.as_str() {
            "vertex" if mesh.triangles.positions.is_empty() => {
                let mut reader = vertices::Reader { rounder: &mut *rounder, warnings, fast };
                strays = reader.read(body, element, &mut mesh.triangles)?;
            }
            "face" => {
                let textured = !header.textures.is_empty();
                faces::read(body, element, limits, &mut faces, &mesh.triangles.positions, textured, fast)?;
            }
            "tristrips" => faces::read_strips(body, element, limits, &mut faces)?,
            _ => {
                warnings.extend(not_read(element));
                for _ in 0..element.count {
                    body.begin_record()?;
                    element.properties.iter().try_for_each(|p| body.skip_property(p.kind))?;
                    body.end_record();
                }
            }
        }
    }
    body.complete();
    if mesh.triangles.positions.len() as u64 != count {
        return Err(Fault::malformed(Place::File, PlyFault::NoPositions));
    }
    for (count, warning) in [
        (faces.small, PlyWarning::SmallFaces { count: faces.small }),
        (faces.odd, PlyWarning::FacesNotFinite { count: faces.odd }),
        (faces.bad_uvs, PlyWarning::FaceCoordinates { count: faces.bad_uvs }),
    ] {
        if count > 0 {
            warnings.push((Place::File, warning.into()));
        }
    }
    let positions = &mesh.triangles.positions;
    let (mut polygons, mut indices) = (std::mem::take(&mut faces.polygons), std::mem::take(&mut faces.indices));
    polygons.finish(|corner| positions[faces.vertex(corner) as usize], &mut indices);
    if let Some((line, warning)) = polygons.warning() {
        warnings.push((if line > 0 { Place::Line(line) } else { Place::File }, warning));
    }
    if !strays.is_empty() {
        leave_out_strays(&mut mesh.triangles, &mut indices, &faces, &strays, warnings)?;
    }
    mesh.triangles.indices = indices;
    if let (Some(wedges), Some(channels)) = (&mut faces.wedges, faces.channels) {
        let said = wedges.finish_colors(channels);
        warnings.extend(said.into_iter().map(|warning| (Place::File, warning.into())));
    }
    if let Some(wedges) = &faces.wedges {
        wedges.apply(&mut mesh.triangles);
    }
    // Strips and faces in one file: only the faces have materials, so that none are used.
    let complete = !faces.materials.is_empty() && faces.materials.len() == mesh.triangles.indices.len();
    if !complete && !faces.materials.is_empty() {
        warnings.push((Place::File, PlyWarning::MaterialsBesideStrips.into()));
    }
    mesh.face_materials = complete.then_some(faces.materials);
    mesh.quads = faces.quads.unwrap_or_default();
    mesh.material_names = header.material_names.clone();
    let complete = !faces.textures.is_empty() && faces.textures.len() == mesh.triangles.indices.len();
    mesh.face_textures = complete.then_some(faces.textures);
    mesh.textures = header.textures.clone();
    mesh.is_from_blender = header.is_from_blender;
    Ok(mesh)
}

/// Returns the warning about an element that is skipped, with its position.
fn not_read(element: &header::Element) -> Option<(Place, WarningKind)> {
    let warning = PlyWarning::UnreadElements { name: element.name.clone(), count: element.count };
    (element.count > 0).then_some((Place::Line(element.line), warning.into()))
}

/// Removes vertices that are not finite, with a warning; an error if a face uses one.
///
/// # Errors
/// A face uses one of them.
fn leave_out_strays(
    mesh: &mut TriangleMesh,
    indices: &mut Vec<[u32; 3]>,
    faces: &faces::Faces,
    strays: &[(u32, Place)],
    warnings: &mut Warnings,
) -> Result<(), Fault> {
    let used = |mesh: &TriangleMesh, vertex: u32| {
        let found = strays.binary_search_by_key(&vertex, |(stray, _)| *stray).ok();
        let place = found.map_or(Place::File, |at| strays[at].1.clone());
        let position = mesh.positions[vertex as usize];
        Fault::malformed(place, PlyFault::NotFinite { vertex, position })
    };
    if faces.wedges.is_some() {
        // Vertices become wedges of faces, so that those of none go.
        let is_stray = |vertex: &u32| strays.binary_search_by_key(vertex, |(stray, _)| *stray).is_ok();
        let vertices = indices.iter().flatten().map(|&corner| faces.vertex(corner));
        if let Some(vertex) = vertices.filter(is_stray).min() {
            return Err(used(mesh, vertex));
        }
    } else {
        std::mem::swap(&mut mesh.indices, indices);
        let left_out = strays::leave_out(mesh);
        std::mem::swap(&mut mesh.indices, indices);
        left_out.map_err(|vertex| used(mesh, vertex))?;
    }
    warnings.push((Place::File, WarningKind::StrayVertices { count: strays.len() }));
    Ok(())
}

/// Imports a PLY file as one mesh with one instance, and a grey material for each name, or one for all.
pub(crate) fn import(path: &Path, context: &mut Context) -> Result<Description, ImportError> {
    let bytes = context.read_scene(path)?;
    let mut rounder = context.center.in_world();
    let mut warnings = Vec::new();
    let mesh = read_mesh(path, &bytes, &mut rounder, &mut warnings, false);
    context.center.note(&rounder);
    for (place, warning) in warnings {
        context.warn(path, place, warning);
    }
    let mesh = mesh?;
    let (triangles, vertices) = (mesh.triangles.indices.len(), mesh.triangles.positions.len());
    if triangles == 0 {
        let kind = PlyFault::NoTriangles { vertices }.into();
        return Err(ImportError::Malformed { path: path.to_path_buf(), place: Place::File, kind });
    }
    to_scene(path, mesh, context)
}
