//! The vertex element: positions, and normals, texture coordinates and colours where it has them.

use super::Warnings;
use super::body::Body;
use super::color::{self, Channels};
use super::fault::Fault;
use super::header::{Element, Kind, Scalar};
use crate::each::Each;
use crate::import::origin::Rounder;
use crate::{Place, PlyFault, PlyWarning};
use raywarp_geom::TriangleMesh;

/// Names of the vertex properties that are read: a row for each attribute, with its alternative names.
const NAMES: [&[&str]; 12] = [
    &["x"],
    &["y"],
    &["z"],
    &["nx"],
    &["ny"],
    &["nz"],
    &["u", "s", "texture_u", "texture_s"],
    &["v", "t", "texture_v", "texture_t"],
    color::NAMES[0],
    color::NAMES[1],
    color::NAMES[2],
    color::NAMES[3],
];
const NORMAL: usize = 3;
const UV: usize = 6;
const COLOR: usize = 8;

/// Returns the index of the vertex attribute that a property is; `None` for a list.
fn attribute(name: &str, kind: Kind) -> Option<usize> {
    matches!(kind, Kind::Scalar(_)).then(|| NAMES.iter().position(|names| names.contains(&name)))?
}

/// Reader of the element `vertex`, with its settings.
pub(super) struct Reader<'a> {
    pub rounder: &'a mut Rounder,
    pub warnings: &'a mut Warnings,
    /// `true` if the shortcut for records of one size may be taken.
    pub fast: bool,
}

impl Reader<'_> {
    /// Reads all vertices of the element into `mesh`; returns those whose positions are not finite, with their place.
    pub fn read(
        &mut self,
        body: &mut Body,
        element: &Element,
        mesh: &mut TriangleMesh,
    ) -> Result<Vec<(u32, Place)>, Fault> {
        let mut kinds: [Option<Scalar>; NAMES.len()] = [None; NAMES.len()];
        for property in &element.properties {
            if let (Some(i), Kind::Scalar(kind)) = (attribute(&property.name, property.kind), property.kind) {
                kinds[i] = Some(kind);
            }
        }
        if kinds[..NORMAL].contains(&None) {
            return Err(Fault::malformed(Place::Line(element.line), PlyFault::NoPositions));
        }
        let count = element.count as usize;
        let mut sink = Sink::new(mesh, count, &kinds, self.rounder);
        let sizes = element.properties.iter().map(|p| match p.kind {
            Kind::Scalar(scalar) => Some(scalar.size()),
            Kind::List { .. } => None,
        });
        match sizes.sum::<Option<usize>>() {
            Some(stride) if self.fast && body.is_binary() => {
                let mut columns = Vec::new();
                let mut offset = 0;
                for property in &element.properties {
                    let Kind::Scalar(kind) = property.kind else { continue };
                    columns.extend(attribute(&property.name, property.kind).map(|i| (offset, kind, i)));
                    offset += kind.size();
                }
                let (big, rest) = (body.is_big_endian(), body.rest());
                for record in rest.chunks_exact(stride).take(count) {
                    let mut values = [0.0; NAMES.len()];
                    for &(offset, kind, i) in &columns {
                        values[i] = kind.read(&record[offset..], big);
                    }
                    sink.push(&values, || body.place());
                    body.skip(stride);
                }
                if rest.len() / stride < count {
                    return Err(Fault::malformed(body.place(), PlyFault::CutData));
                }
            }
            _ => {
                for _ in 0..count {
                    let mut values = [0.0; NAMES.len()];
                    body.begin_record()?;
                    let start = body.place();
                    for property in &element.properties {
                        match (attribute(&property.name, property.kind), property.kind) {
                            (Some(i), Kind::Scalar(kind)) => values[i] = body.scalar(kind)?,
                            (_, kind) => body.skip_property(kind)?,
                        }
                    }
                    // Of a text, the line that was reached; the record began behind a line end.
                    sink.push(&values, || if body.is_binary() { start } else { body.last_place() });
                    body.end_record();
                }
            }
        }
        let Sink { mesh, colors, cleaned, strays, rounder, .. } = sink;
        rounder.settle(&mut mesh.positions);
        if let Some(channels) = colors {
            let said = channels.finish("vertices", &mut mesh.colors);
            self.warnings.extend(said.into_iter().map(|warning| (Place::File, warning.into())));
        }
        if cleaned > 0 {
            self.warnings.push((Place::File, PlyWarning::VerticesNotFinite { count: cleaned }.into()));
        }
        Ok(strays)
    }
}

/// Collector of vertices, which distributes their numbers to the mesh's attributes.
struct Sink<'a> {
    mesh: &'a mut TriangleMesh,
    rounder: &'a mut Rounder,
    normals: bool,
    uvs: bool,
    colors: Option<Channels>,
    cleaned: usize,
    /// Vertices whose positions are not finite, with their place in the file.
    strays: Vec<(u32, Place)>,
}

impl<'a> Sink<'a> {
    fn new(
        mesh: &'a mut TriangleMesh,
        count: usize,
        kinds: &[Option<Scalar>; NAMES.len()],
        rounder: &'a mut Rounder,
    ) -> Self {
        let has = |range: std::ops::Range<usize>| !kinds[range].contains(&None);
        let (normals, uvs) = (has(NORMAL..UV), has(UV..COLOR));
        mesh.positions.reserve_exact(count);
        mesh.normals.reserve_exact(if normals { count } else { 0 });
        mesh.uvs.reserve_exact(if uvs { count } else { 0 });
        let colors = Channels::of([0, 1, 2, 3].map(|i| kinds[COLOR + i]));
        mesh.colors.reserve_exact(if colors.is_some() { count } else { 0 });
        Self { mesh, rounder, normals, uvs, colors, cleaned: 0, strays: Vec::new() }
    }

    /// Adds a vertex, whose place in the file is `place`, from its attribute values.
    #[inline]
    fn push(&mut self, values: &[f64; NAMES.len()], place: impl FnOnce() -> Place) {
        let position = self.rounder.round([values[0], values[1], values[2]]);
        if !position.iter().all(|x| x.is_finite()) {
            self.strays.push((self.mesh.positions.len() as u32, place()));
        }
        self.mesh.positions.push(position);
        let mut odd = false;
        let mut finite = |x: f64| {
            let x = x as f32;
            odd |= !x.is_finite();
            if x.is_finite() { x } else { 0.0 }
        };
        if self.normals {
            self.mesh.normals.push([NORMAL, NORMAL + 1, NORMAL + 2].each(|i| finite(values[i])));
        }
        if self.uvs {
            // The file's v grows upwards, the model's downwards.
            self.mesh.uvs.push([finite(values[UV]), 1.0 - finite(values[UV + 1])]);
        }
        if let Some(channels) = &self.colors {
            let (color, is_finite) = channels.read(&values[COLOR..]);
            odd |= !is_finite;
            self.mesh.colors.push(color);
        }
        self.cleaned += usize::from(odd);
    }
}
