//! STL: triangles, binary or as text.
//!
//! A parser of our own rather than the crate `stl_io`: messages must name the line or the byte, names with blanks and
//! several solids must come through, and a binary file that begins with `solid`, as many do, is no text.
//!
//! Corners at one place, once they are rounded, become one vertex. The normals of the file are not read: where they
//! differ from the winding of their triangle, it is most often them that are wrong. See docs/reference/formats.md.

mod ascii;
mod binary;
mod fault;
#[cfg(test)]
mod tests;

pub(super) use binary::has_its_size;

use super::Context;
use super::origin::Rounder;
use super::text::{self, Lines};
use crate::each::Each;
use crate::{
    ColorInput, Description, FaceMaterials, ImportError, Instance, Material, Mesh, Place, StlFault, StlWarning, Surface,
};
use fault::Fault;
use raywarp_geom::{Affine, TriangleMesh};
use std::collections::HashMap;
use std::path::Path;

/// Solid of an STL file: one of a text, or the whole of a binary file.
#[derive(Debug, Default)]
struct Solid {
    /// Name of the solid; empty where the file gives none.
    name: String,
    triangles: TriangleMesh,
    /// Vertex at each position, by the bits of its coordinates, for merging.
    known: HashMap<[u32; 3], u32>,
}

impl Solid {
    /// Adds a triangle, whose corners `rounder` rounds; equal corners become one vertex.
    ///
    /// # Errors
    /// A corner that is not finite, or more vertices than indices can tell apart.
    fn push(&mut self, corners: &[[f64; 3]; 3], rounder: &mut Rounder) -> Result<(), StlFault> {
        let mut indices = [0; 3];
        for (corner, index) in corners.iter().zip(&mut indices) {
            let corner = rounder.round(*corner);
            if !corner.iter().all(|x| x.is_finite()) {
                return Err(StlFault::NotFinite { position: corner });
            }
            // Adding 0 makes 0 of -0, which is the same place.
            let corner = corner.each(|x| x + 0.0);
            let next = self.triangles.positions.len();
            if next >= u32::MAX as usize {
                return Err(StlFault::Vertices);
            }
            *index = *self.known.entry(corner.each(f32::to_bits)).or_insert(next as u32);
            if *index as usize == next {
                self.triangles.positions.push(corner);
            }
        }
        let [a, b, c] = corners;
        if indices == [indices[0]; 3] && (a != b || b != c) {
            rounder.note_weld();
        }
        self.triangles.indices.push(indices);
        Ok(())
    }
}

/// Imports an STL file as a mesh and an instance for each solid, all of one grey material.
pub(crate) fn import(path: &Path, context: &mut Context) -> Result<Description, ImportError> {
    let bytes = context.read_scene(path)?;
    import_bytes(path, &bytes, context)
}

fn import_bytes(path: &Path, bytes: &[u8], context: &mut Context) -> Result<Description, ImportError> {
    let malformed = |Fault { place, kind }| ImportError::Malformed { path: path.to_path_buf(), place, kind };
    let mut rounder = context.center.in_world();
    let (solids, warnings) = parse(bytes, &mut rounder).map_err(malformed)?;
    context.center.note(&rounder);
    for (place, warning) in warnings {
        context.warn(path, place, warning);
    }
    let mut scene = Description::default();
    let head = &bytes[..bytes.len().min(PROBE)];
    let is_from_blender = head.windows(MADE_BY.len()).any(|words| words == MADE_BY);
    scene.settings.likely_up = is_from_blender.then_some([0.0, 0.0, 1.0]);
    let reflectance = ColorInput::constant([0.7; 3]);
    let material = scene.add_material(Material::new("", Surface::Diffuse { reflectance }));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    for Solid { name, triangles, .. } in solids.into_iter().filter(|solid| !solid.triangles.indices.is_empty()) {
        let name = if name.is_empty() { stem.to_string() } else { name };
        let mesh = scene.add_mesh(Mesh { name, triangles, materials: FaceMaterials::Uniform(material) });
        scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
    }
    if scene.instances.is_empty() {
        return Err(malformed(Fault { place: Place::File, kind: StlFault::NoTriangles.into() }));
    }
    Ok(scene)
}

/// Warnings about what was left out, with their positions in the file.
type Warnings = Vec<(Place, StlWarning)>;

fn parse(bytes: &[u8], rounder: &mut Rounder) -> Result<(Vec<Solid>, Warnings), Fault> {
    if binary::has_its_size(bytes) {
        return binary::parse(bytes, rounder);
    }
    let first_line = |kind| Fault { place: Place::Line(1), kind };
    text::refuse_wide(bytes).map_err(first_line)?;
    if !begins_as_text(bytes) {
        return binary::parse(bytes, rounder);
    }
    if lacks_solid(bytes) {
        return Err(first_line(StlFault::NoSolid.into()));
    }
    ascii::parse(bytes, rounder)
}

/// Returns `true` if the file begins as a text STL file, possibly without its first line `solid`.
pub(super) fn begins_as_text(bytes: &[u8]) -> bool {
    matches!(first_word(bytes).as_str(), "solid" | "facet") && is_text(bytes)
}

/// Returns `true` if the file is text that begins with a facet, without `solid`, and so is no STL file.
pub(super) fn lacks_solid(bytes: &[u8]) -> bool {
    first_word(bytes) == "facet" && is_text(bytes)
}

/// Returns the first word of a text in lower case, behind comment lines.
fn first_word(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(PROBE)]);
    let mut lines = Lines::new(&text);
    let line = lines.find(|line| !line.trim().is_empty() && !ascii::is_comment(line)).unwrap_or_default();
    line.split_ascii_whitespace().next().unwrap_or_default().to_ascii_lowercase()
}

/// Text that Blender writes into the header or the name of the solid, which tells that z is upwards.
const MADE_BY: &[u8] = b"Exported from Blender";

/// Number of bytes that are examined to tell text from binary data.
const PROBE: usize = 1024;

/// Returns `true` if a file that begins with a keyword also looks like text afterwards. The word alone says little:
/// programs write it into the free first 80 bytes of a binary file. Others pad the name of a solid with zeros: then the
/// text has its corners soon.
fn is_text(bytes: &[u8]) -> bool {
    let probe = &bytes[..bytes.len().min(PROBE)];
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace() && *byte != 0;
    let corners = || probe.windows(6).any(|word| word.eq_ignore_ascii_case(b"vertex"));
    !probe.iter().any(control) && (!probe.contains(&0) || corners())
}
