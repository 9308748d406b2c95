//! Faces and triangle strips of PLY files.

use super::body::Body;
use super::color::Channels;
use super::fault::Fault;
use super::header::{Element, Kind, Scalar};
use super::wedges::{Wedge, Wedges};
use crate::each::Each;
use crate::findings::ply::MAX_MATERIALS;
use crate::import::polygon::Polygons;
use crate::{Place, PlyFault};

/// Triangles read from a PLY file with their materials, textures and own attributes.
#[derive(Debug, Default)]
pub(super) struct Faces {
    pub indices: Vec<[u32; 3]>,
    /// Material index of each triangle; empty if the file has none.
    pub materials: Vec<u32>,
    /// Number of faces with fewer than three corners, which are ignored.
    pub small: usize,
    /// Polygons among `indices` that await triangulation, or that cross themselves.
    pub polygons: Polygons,
    /// Wedges that `indices` refer to instead of vertices, if faces have colours or texture coordinates of their own.
    pub wedges: Option<Wedges>,
    /// Number types of the wedges' colour channels.
    pub channels: Option<Channels>,
    /// Texture number of each triangle; empty if the file has none.
    pub textures: Vec<i32>,
    /// Index of the first triangle of each quad that was divided from its first corner; `None` if not asked for.
    pub quads: Option<Vec<u32>>,
    /// Number of faces whose colour or texture coordinates are not finite and count as 0.
    pub odd: usize,
    /// Number of faces whose texture coordinates do not match their corners in number, and are ignored.
    pub bad_uvs: usize,
}

/// Limits of the indices in a PLY file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Number of vertices, an upper bound of vertex indices.
    pub vertices: u32,
    /// Number of materials, an upper bound of material indices.
    pub materials: u32,
}

impl Limits {
    pub fn new(vertices: u64, material_names: usize) -> Self {
        // Without names, any index that a list of materials can have.
        let materials = if material_names == 0 { MAX_MATERIALS } else { material_names };
        Self { vertices: vertices.min(u64::from(u32::MAX)) as u32, materials: materials as u32 }
    }

    #[inline]
    fn vertex(self, value: f64) -> Result<u32, PlyFault> {
        if value >= 0.0 && value < f64::from(self.vertices) && value.fract() == 0.0 {
            return Ok(value as u32);
        }
        Err(PlyFault::Vertex { vertex: value, vertices: self.vertices })
    }

    fn material(self, value: f64) -> Result<u32, PlyFault> {
        if value >= 0.0 && value < f64::from(self.materials) && value.fract() == 0.0 {
            return Ok(value as u32);
        }
        Err(PlyFault::Material { material: value, materials: self.materials })
    }
}

fn is_indices(name: &str) -> bool {
    matches!(name, "vertex_indices" | "vertex_index")
}

/// Reads the element `face` of a PLY file into `faces`. `positions` are those of the vertices, or none where these come
/// behind, `textured` says whether the file names textures, and `fast` allows the shortcut for triangles in records of
/// one size.
pub(super) fn read(
    body: &mut Body,
    element: &Element,
    limits: Limits,
    faces: &mut Faces,
    positions: &[[f32; 3]],
    textured: bool,
    fast: bool,
) -> Result<(), Fault> {
    let line = Place::Line(element.line);
    let Some(Kind::List { item, .. }) = element.properties.iter().find(|p| is_indices(&p.name)).map(|p| p.kind) else {
        return Err(Fault::malformed(line, PlyFault::NoIndices));
    };
    if !item.is_integer() {
        return Err(Fault::malformed(line, PlyFault::IndexType));
    }
    let has_material = element.properties.iter().any(|p| is_material(&p.name, p.kind));
    let attributes = Attributes::of(element, textured);
    let mut left = element.count;
    if fast
        && !attributes.any()
        && faces.wedges.is_none()
        && let Some(layout) = Layout::of(element, body.is_binary())
    {
        faces.indices.reserve_exact(left as usize);
        faces.materials.reserve_exact(if has_material { left as usize } else { 0 });
        left -= layout.read(body, left, limits, faces)?;
    }
    if attributes.any() && faces.wedges.is_none() && left > 0 {
        faces.split()?;
    }
    faces.channels = faces.channels.or(attributes.colors);
    let (mut corners, mut uvs) = (Vec::new(), Vec::new());
    for _ in 0..left {
        let (mut material, mut texture, mut color) = (None, 0, [0.0; 4]);
        corners.clear();
        uvs.clear();
        body.begin_record()?;
        for property in &element.properties {
            match property.kind {
                Kind::List { count, item } if is_indices(&property.name) => {
                    for _ in 0..body.length(count, item)? {
                        let value = body.scalar(item)?;
                        corners.push(limits.vertex(value).map_err(|m| Fault::malformed(body.last_place(), m))?);
                    }
                }
                Kind::List { count, item } if attributes.uvs && property.name == "texcoord" => {
                    for _ in 0..body.length(count, item)? {
                        uvs.push(body.scalar(item)? as f32);
                    }
                }
                Kind::Scalar(kind) if is_material(&property.name, property.kind) => {
                    let value = body.scalar(kind)?;
                    material = Some(limits.material(value).map_err(|m| Fault::malformed(body.last_place(), m))?);
                }
                Kind::Scalar(kind) if attributes.numbers && property.name == "texnumber" => {
                    texture = body.scalar(kind)? as i32;
                }
                kind => match Channels::channel(property).filter(|_| attributes.colors.is_some()) {
                    Some((channel, kind)) => color[channel] = body.scalar(kind)?,
                    None => body.skip_property(kind)?,
                },
            }
        }
        body.end_record();
        faces.small += usize::from(corners.len() < 3);
        let line = match body.last_place() {
            Place::Line(line) => line,
            _ => 0,
        };
        if faces.wedges.is_some() && corners.len() >= 3 {
            let color = attributes.colors.map(|channels| {
                let (color, is_finite) = channels.read(&color);
                faces.odd += usize::from(!is_finite);
                color
            });
            if !uvs.is_empty() && uvs.len() != 2 * corners.len() {
                faces.bad_uvs += 1;
                uvs.clear();
            }
            faces.odd += usize::from(!uvs.iter().all(|x| x.is_finite()));
            for (i, corner) in corners.iter_mut().enumerate() {
                let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
                // The file's v grows upwards, the model's downwards.
                let uv = uvs.get(2 * i..2 * i + 2).map(|uv| [finite(uv[0]), 1.0 - finite(uv[1])]);
                *corner = faces.corner(*corner, uv, color)?;
            }
        }
        let before = faces.indices.len();
        let Faces { indices, polygons, wedges, .. } = faces;
        let vertex = |corner: u32| wedges.as_ref().map_or(corner, |wedges| wedges.list()[corner as usize].vertex);
        let position = |corner: u32| positions.get(vertex(corner) as usize).copied();
        polygons.push(&corners, position, line, indices);
        let added = faces.indices.len() - before;
        if let (Some(quads), [a, b, c, d]) = (&mut faces.quads, &corners[..])
            && faces.indices[before..] == [[*a, *b, *c], [*a, *c, *d]]
            && !positions.is_empty()
        {
            quads.push(before as u32);
        }
        if let Some(material) = material {
            faces.materials.extend(std::iter::repeat_n(material, added));
        }
        if attributes.numbers {
            faces.textures.extend(std::iter::repeat_n(texture, added));
        }
    }
    Ok(())
}

/// Attributes other than materials that faces have of their own.
struct Attributes {
    colors: Option<Channels>,
    /// `true` if faces have a list `texcoord`: two numbers for each corner.
    uvs: bool,
    /// `true` if faces have a property `texnumber`: the number of their texture.
    numbers: bool,
}

impl Attributes {
    /// Finds the face attributes that an element has; `textured` is `true` if the file names textures, without which
    /// coordinates are ignored.
    fn of(element: &Element, textured: bool) -> Self {
        let mut kinds = [None; 4];
        for (channel, kind) in element.properties.iter().filter_map(Channels::channel) {
            kinds[channel] = Some(kind);
        }
        let has = |name: &str, is_list: bool| {
            element.properties.iter().any(|p| p.name == name && matches!(p.kind, Kind::List { .. }) == is_list)
        };
        Self {
            colors: Channels::of(kinds),
            uvs: textured && has("texcoord", true),
            numbers: textured && has("texnumber", false),
        }
    }

    fn any(&self) -> bool {
        self.colors.is_some() || self.uvs || self.numbers
    }
}

impl Faces {
    /// Returns the index of a corner: its vertex, or the wedge with the face's own attributes.
    fn corner(&mut self, vertex: u32, uv: Option<[f32; 2]>, color: Option<[f32; 4]>) -> Result<u32, Fault> {
        let Some(wedges) = &mut self.wedges else { return Ok(vertex) };
        wedges.number(Wedge::new(vertex, uv, color)).ok_or_else(|| Fault::malformed(Place::File, PlyFault::Corners))
    }

    /// Switches from vertices to wedges, since faces have attributes of their own; what was read before has none.
    fn split(&mut self) -> Result<(), Fault> {
        self.wedges = Some(Wedges::default());
        let mut indices = std::mem::take(&mut self.indices);
        for corner in indices.iter_mut().flatten() {
            *corner = self.corner(*corner, None, None)?;
        }
        self.indices = indices;
        Ok(())
    }

    /// Returns the vertex of the corner with index `corner`.
    pub fn vertex(&self, corner: u32) -> u32 {
        self.wedges.as_ref().map_or(corner, |wedges| wedges.list()[corner as usize].vertex)
    }
}

fn is_material(name: &str, kind: Kind) -> bool {
    name == "material" && matches!(kind, Kind::Scalar(kind) if kind.is_integer())
}

/// Reads the element `tristrips`: triangle strips as lists of vertex indices, separated by -1. Every other triangle of
/// a strip is turned, so that all face the same way.
pub(super) fn read_strips(body: &mut Body, element: &Element, limits: Limits, faces: &mut Faces) -> Result<(), Fault> {
    for _ in 0..element.count {
        body.begin_record()?;
        for property in &element.properties {
            let Kind::List { count, item } = property.kind else {
                body.skip_property(property.kind)?;
                continue;
            };
            let mut strip: Vec<u32> = Vec::new();
            for _ in 0..body.length(count, item)? {
                let value = body.scalar(item)?;
                if !is_indices(&property.name) {
                    continue;
                }
                if value == -1.0 {
                    strip.clear();
                    continue;
                }
                let vertex = limits.vertex(value).map_err(|m| Fault::malformed(body.last_place(), m))?;
                strip.push(faces.corner(vertex, None, None)?);
                if let &[.., a, b, c] = strip.as_slice() {
                    faces.indices.push(if strip.len() % 2 == 1 { [a, b, c] } else { [b, a, c] });
                }
            }
        }
        body.end_record();
    }
    Ok(())
}

/// Byte layout of a face record whose only list is the indices of a triangle.
struct Layout {
    /// Number of bytes of the record.
    stride: usize,
    /// Byte offset of the index list in the record.
    list: usize,
    count: Scalar,
    signed: bool,
    material: Option<(usize, Scalar)>,
}

impl Layout {
    /// Finds the byte layout of face records; `None` for text, and for indices of other than 32 bits, which large files
    /// do not have.
    fn of(element: &Element, binary: bool) -> Option<Self> {
        let mut layout = Self { stride: 0, list: usize::MAX, count: Scalar::U8, signed: false, material: None };
        for property in &element.properties {
            match property.kind {
                Kind::Scalar(kind) => {
                    if is_material(&property.name, property.kind) {
                        layout.material = Some((layout.stride, kind));
                    }
                    layout.stride += kind.size();
                }
                Kind::List { count, item: item @ (Scalar::I32 | Scalar::U32) }
                    if is_indices(&property.name) && layout.list == usize::MAX =>
                {
                    (layout.list, layout.count, layout.signed) = (layout.stride, count, item == Scalar::I32);
                    layout.stride += count.size() + 12;
                }
                Kind::List { .. } => return None,
            }
        }
        (binary && layout.list != usize::MAX).then_some(layout)
    }

    /// Reads records as long as they are triangles; returns the number of faces that were read.
    fn read(&self, body: &mut Body, count: u64, limits: Limits, faces: &mut Faces) -> Result<u64, Fault> {
        let big = body.is_big_endian();
        // A negative index reads as one of at least 2^31.
        let vertices = if self.signed { limits.vertices.min(1 << 31) } else { limits.vertices };
        let first = self.list + self.count.size();
        let mut done = 0;
        for record in body.rest().chunks_exact(self.stride) {
            if done == count || self.count.read(&record[self.list..], big) != 3.0 {
                break;
            }
            let corners: [u32; 3] = [0, 1, 2].each(|i| {
                let at = first + 4 * i;
                let bytes = [record[at], record[at + 1], record[at + 2], record[at + 3]];
                if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
            });
            if corners.iter().any(|&i| i >= vertices) {
                break; // the slow way says what is wrong
            }
            if let Some((offset, kind)) = self.material {
                let value = kind.read(&record[offset..], big);
                if !(value >= 0.0 && value < f64::from(limits.materials)) {
                    break;
                }
                faces.materials.push(value as u32);
            }
            faces.indices.push(corners);
            done += 1;
            body.skip(self.stride);
        }
        Ok(done)
    }
}
