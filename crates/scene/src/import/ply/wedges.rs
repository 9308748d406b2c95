//! Corners of faces that have colours or texture coordinates of their own, as MeshLab writes them.
//!
//! A mesh has its attributes at vertices, so that a vertex becomes one for each combination that faces give it.

use super::color::Channels;
use crate::PlyWarning;
use crate::each::Each;
use raywarp_geom::TriangleMesh;
use std::collections::HashMap;

/// Vertex together with the attributes that a face has at this corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Wedge {
    pub vertex: u32,
    /// Bits of the face's texture coordinates at the corner, v turned; `None` where it has none.
    uv: Option<[u32; 2]>,
    /// Bits of the face's colour as [`Channels`] reads it; `None` where it has none.
    color: Option<[u32; 4]>,
}

impl Wedge {
    pub fn new(vertex: u32, uv: Option<[f32; 2]>, color: Option<[f32; 4]>) -> Self {
        Self { vertex, uv: uv.map(|uv| uv.each(f32::to_bits)), color: color.map(|color| color.each(f32::to_bits)) }
    }
}

/// List of all different wedges of the faces.
#[derive(Debug, Default)]
pub(super) struct Wedges {
    list: Vec<Wedge>,
    known: HashMap<Wedge, u32>,
}

impl Wedges {
    /// Returns the index of a wedge, which is added if it is new; `None` if there are too many for 32 bits.
    pub fn number(&mut self, wedge: Wedge) -> Option<u32> {
        let next = u32::try_from(self.list.len()).ok().filter(|&next| next < u32::MAX)?;
        let number = *self.known.entry(wedge).or_insert(next);
        if number == next {
            self.list.push(wedge);
        }
        Some(number)
    }

    pub fn list(&self) -> &[Wedge] {
        &self.list
    }

    /// Converts the wedges' colours, as read by `channels`, to linear values, and returns warnings.
    pub fn finish_colors(&mut self, channels: Channels) -> Vec<PlyWarning> {
        let mut colors: Vec<_> =
            self.list.iter().filter_map(|wedge| wedge.color).map(|color| color.each(f32::from_bits)).collect();
        let said = channels.finish("faces", &mut colors);
        let wedges = self.list.iter_mut().filter_map(|wedge| wedge.color.as_mut());
        wedges.zip(colors).for_each(|(to, color)| *to = color.each(f32::to_bits));
        said
    }

    /// Replaces the mesh's vertices by the wedges, whose indices the triangles already use.
    pub fn apply(&self, mesh: &mut TriangleMesh) {
        let vertex = |wedge: &Wedge| wedge.vertex as usize;
        let (has_uvs, has_colors) =
            (self.list.iter().any(|wedge| wedge.uv.is_some()), self.list.iter().any(|wedge| wedge.color.is_some()));
        let TriangleMesh { positions, normals, uvs, colors, .. } = mesh;
        if has_uvs || !uvs.is_empty() {
            let uv = |wedge: &Wedge| {
                let own = wedge.uv.map(|uv| uv.each(f32::from_bits));
                own.or_else(|| uvs.get(vertex(wedge)).copied()).unwrap_or_default()
            };
            *uvs = self.list.iter().map(uv).collect();
        }
        if has_colors || !colors.is_empty() {
            let color = |wedge: &Wedge| {
                let own = wedge.color.map(|color| color.each(f32::from_bits));
                own.or_else(|| colors.get(vertex(wedge)).copied()).unwrap_or([1.0; 4])
            };
            *colors = self.list.iter().map(color).collect();
        }
        if !normals.is_empty() {
            *normals = self.list.iter().map(|wedge| normals[vertex(wedge)]).collect();
        }
        *positions = self.list.iter().map(|wedge| positions[vertex(wedge)]).collect();
    }
}
