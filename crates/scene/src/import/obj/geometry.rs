//! The geometry of an OBJ file, gathered into meshes while it is read.

use super::fault::Fault;
use super::lines::{Line, Lines, finite};
use super::parts::{NONE, NamedMaterial, Part, Parts};
use crate::each::Each;
use crate::import::full_channel::full_channel;
use crate::import::origin::{Rounder, decimal};
use crate::import::{strays, text};
use crate::model::linear_from_srgb;
use crate::{ObjFault, ObjWarning, WarningKind};
use raywarp_geom::TriangleMesh;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Largest index of positions, texture coordinates or normals that a face used, with its line.
#[derive(Debug, Default, Clone, Copy)]
struct Largest {
    /// One more than the largest index.
    needed: u32,
    line: u64,
}

/// Meshes of an OBJ file that share a material.
pub(super) struct MaterialMeshes {
    /// Name of the material after `usemtl`; `None` for faces before the first.
    pub material: Option<String>,
    /// Line number of the material's first use.
    pub line: u64,
    /// Meshes with their names, one for each object.
    pub meshes: Vec<(String, TriangleMesh)>,
    /// `true` if some corners have texture coordinates and others have none.
    pub lacks_uvs: bool,
}

/// Parsed geometry of an OBJ file.
#[derive(Default)]
pub(super) struct Obj {
    positions: Vec<[f32; 3]>,
    /// Colours of the vertices: empty, or one for each position. While the file is read they are as it has them, NaN
    /// where a vertex has none; linear afterwards.
    colors: Vec<[f32; 4]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    parts: Parts,
    /// Names of the material libraries after `mtllib`, each with its line number.
    pub libraries: Vec<(String, u64)>,
}

impl Obj {
    /// Parses the geometry of an OBJ file; `warnings` gets what is left out, with line numbers.
    ///
    /// # Errors
    /// The line that breaks the format.
    pub fn parse(bytes: &[u8], rounder: &mut Rounder, warnings: &mut Vec<(u64, WarningKind)>) -> Result<Self, Fault> {
        let text = text::decode(bytes).map_err(|kind| Fault::new(1, kind))?;
        let mut parser = Parser {
            obj: Self::default(),
            rounder,
            // The shortest entry (`vt 0`) takes five bytes; no room is made for more than fit.
            limit: (bytes.len() / 5 + 1).min(NONE as usize) as i64,
            largest: [Largest::default(); 3],
            warnings,
            strays: BTreeMap::new(),
            ignored: BTreeSet::new(),
            said: Vec::new(),
            corners: Vec::new(),
            is_smooth: false,
            said_flat: false,
            bright: Bright { line: None, most: 0.0, are_bytes: true },
        };
        let mut lines = Lines::new(&text);
        for line in lines.by_ref() {
            parser.line(&line)?;
        }
        if let Some(line) = lines.first_painted {
            parser.warnings.push((line, ObjWarning::PaintedComments.into()));
        }
        parser.finish()
    }

    /// Returns `true` if any vertex has a colour.
    pub fn has_colors(&self) -> bool {
        !self.colors.is_empty()
    }

    /// Returns the number of triangles of all meshes.
    pub fn triangle_count(&self) -> usize {
        self.parts.triangle_count()
    }

    /// Returns the meshes grouped by material, in the order of first use, without empty groups.
    ///
    /// A mesh has the name of its object, followed by that of its material where the object has several; without an
    /// object it has the name of its material.
    pub fn into_meshes(self) -> Vec<MaterialMeshes> {
        let Self { positions, colors, uvs, normals, parts, .. } = self;
        let several: HashSet<String> =
            parts.objects().into_iter().filter(|(_, parts)| *parts > 1).map(|(name, _)| name.to_string()).collect();
        let at = |i: u32| i as usize;
        let meshes = |((material, line), parts): (NamedMaterial, Vec<Part>)| {
            // Decided for all of a material, so that objects do not change how it is shaded.
            let any = |attribute: usize| parts.iter().flat_map(|part| &part.vertices).any(|v| v[attribute] != NONE);
            let (has_uvs, has_normals) = (any(1), any(2));
            let lacks_uvs = has_uvs && parts.iter().flat_map(|part| &part.vertices).any(|v| v[1] == NONE);
            let mesh = |part: Part| {
                let vertices = &part.vertices;
                let mut mesh = TriangleMesh { indices: part.indices, ..TriangleMesh::default() };
                mesh.positions = vertices.iter().map(|v| positions[at(v[0])]).collect();
                if !colors.is_empty() {
                    mesh.colors = vertices.iter().map(|v| colors[at(v[0])]).collect();
                }
                if has_uvs {
                    mesh.uvs = vertices.iter().map(|v| uvs.get(at(v[1])).copied().unwrap_or_default()).collect();
                }
                if has_normals {
                    // Zero means "none here".
                    let normal = |v: &[u32; 3]| normals.get(at(v[2])).copied().unwrap_or_default();
                    mesh.normals = vertices.iter().map(normal).collect();
                }
                let name = match material.as_deref().unwrap_or_default() {
                    name if part.object.is_empty() => name.to_string(),
                    name if !name.is_empty() && several.contains(&part.object) => format!("{} ({name})", part.object),
                    _ => part.object,
                };
                (name, mesh)
            };
            let meshes = parts.into_iter().filter(|part| !part.indices.is_empty()).map(mesh).collect();
            MaterialMeshes { material, line, meshes, lacks_uvs }
        };
        let all = parts.by_material().into_iter().map(meshes);
        all.filter(|material| !material.meshes.is_empty()).collect()
    }
}

struct Parser<'a> {
    obj: Obj,
    rounder: &'a mut Rounder,
    limit: i64,
    largest: [Largest; 3],
    /// Line number and kind of each warning.
    warnings: &'a mut Vec<(u64, WarningKind)>,
    /// Vertices that are not finite, with the error if a face uses them.
    strays: BTreeMap<u32, Fault>,
    /// Keywords of statements that were ignored.
    ignored: BTreeSet<String>,
    /// Warnings that are given once a file, of those that were given.
    said: Vec<ObjWarning>,
    /// Vertices of the face that is being read.
    corners: Vec<u32>,
    /// `true` while a smoothing group is on.
    is_smooth: bool,
    /// `true` if the warning about flat faces in smoothing groups was given.
    said_flat: bool,
    bright: Bright,
}

/// Statistics of vertex colours with channels above 1, which tell their scale.
struct Bright {
    /// Line number of the first colour with a channel above 1.
    line: Option<u64>,
    most: f64,
    /// `true` if all channels of all colours are integers from 0 to 255.
    are_bytes: bool,
}

impl Parser<'_> {
    fn line(&mut self, line: &Line) -> Result<(), Fault> {
        match line.keyword() {
            "v" => self.position(line)?,
            "vt" => {
                let [u, v] = self.numbers(line, "texture coordinate");
                // The file's v grows upwards, the model's downwards.
                self.obj.uvs.push([u, 1.0 - v]);
            }
            "vn" => {
                let normal = self.numbers(line, "normal");
                self.obj.normals.push(normal);
            }
            "f" | "fo" => self.face(line)?,
            "usemtl" => self.obj.parts.use_material(Some(line.rest().to_string()), line.number),
            "mtllib" if line.rest().trim_matches('"').trim().is_empty() => {
                let warning = ObjWarning::WithoutFile { statement: "mtllib".into() };
                self.warnings.push((line.number, warning.into()));
            }
            "mtllib" => self.obj.libraries.push((line.rest().to_string(), line.number)),
            "o" => self.obj.parts.use_object(line.rest()),
            "g" => self.obj.parts.use_group(line.rest()),
            // Shading normals come from `vn` alone.
            "s" => self.is_smooth = !self.said_flat && !matches!(line.rest(), "" | "off" | "0"),
            other => {
                if self.ignored.insert(other.to_string()) {
                    let keyword = text::start(other, 40);
                    let warning = match other {
                        "l" | "p" => ObjWarning::LinesOrPoints { keyword },
                        "vp" | "cstype" | "deg" | "bmat" | "step" | "curv" | "curv2" | "surf" | "parm" | "trim"
                        | "hole" | "scrv" | "sp" | "end" | "con" => ObjWarning::FreeForm { keyword },
                        _ => ObjWarning::UnknownKeyword { keyword },
                    };
                    self.warnings.push((line.number, warning.into()));
                }
            }
        }
        Ok(())
    }

    /// Parses a vertex: `v x y z`, also with `w`, with `r g b` or with `r g b a`; w is ignored.
    fn position(&mut self, line: &Line) -> Result<(), Fault> {
        let mut values = [0.0; 7];
        let mut count = 0;
        for word in line.words() {
            let value = decimal(word).filter(|_| count < 7);
            let fault = || {
                let number = || ObjFault::Number { word: text::start(word, 40) };
                Fault::new(line.number, if count < 7 { number() } else { ObjFault::LongVertex })
            };
            values[count.min(6)] = match value {
                Some(value) => value,
                None if count < 3 && strays::is_not_finite(word) => {
                    self.strays.entry(self.obj.positions.len() as u32).or_insert_with(fault);
                    f64::NAN
                }
                None => return Err(fault()),
            };
            count += 1;
        }
        if count < 3 {
            return Err(Fault::new(line.number, ObjFault::ShortVertex { numbers: count }));
        }
        let [x, y, z, r, g, b, last] = values;
        if count >= 6 {
            let Bright { line: first, most, are_bytes } = &mut self.bright;
            for channel in [r, g, b] {
                *most = most.max(channel);
                *are_bytes &= (0.0..=255.0).contains(&channel) && channel.fract() == 0.0;
                if channel > 1.0 {
                    first.get_or_insert(line.number);
                }
            }
            let is_negative = [r, g, b].iter().any(|&c| c < 0.0);
            self.warn_once(line, is_negative, ObjWarning::NegativeColor);
            let is_clear = count == 7 && last != 1.0;
            self.warn_once(line, is_clear, ObjWarning::SeventhNumber);
            self.obj.colors.resize(self.obj.positions.len(), [f32::NAN; 4]);
            self.obj.colors.push([r as f32, g as f32, b as f32, 1.0]);
        } else if self.obj.has_colors() {
            self.obj.colors.push([f32::NAN; 4]);
        }
        self.obj.positions.push(self.rounder.round([x, y, z]));
        Ok(())
    }

    /// Parses up to N numbers; missing or malformed ones count as 0. Programs do write `nan` for the normals of
    /// triangles without area, so that it is not worth an error.
    fn numbers<const N: usize>(&mut self, line: &Line, what: &'static str) -> [f32; N] {
        let mut values = [0.0; N];
        let mut bad = false;
        for (slot, word) in values.iter_mut().zip(line.words()) {
            let value = finite(word);
            bad |= value.is_none();
            *slot = value.unwrap_or(0.0);
        }
        self.warn_once(line, bad, ObjWarning::NotFinite { what });
        values
    }

    fn face(&mut self, line: &Line) -> Result<(), Fault> {
        let part = self.obj.parts.current(line.number);
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        for word in line.words() {
            corners.push(self.corner(word, part, line.number)?);
        }
        self.warn_once(line, corners.len() < 3, ObjWarning::SmallFace);
        if self.is_smooth && !corners.is_empty() {
            let is_flat = self.obj.parts.get_mut(part).vertices[corners[0] as usize][2] == NONE;
            // Said once, no face need be looked at again.
            (self.said_flat, self.is_smooth) = (is_flat, !is_flat);
            self.warn_once(line, is_flat, ObjWarning::FlatSmoothFace);
        }
        let Obj { parts, positions, .. } = &mut self.obj;
        let Part { vertices, indices, polygons, .. } = parts.get_mut(part);
        let position = |corner: u32| positions.get(vertices[corner as usize][0] as usize).copied();
        polygons.push(&corners, position, line.number, indices);
        self.corners = corners;
        Ok(())
    }

    /// Adds a warning the first time that `is_true` holds.
    fn warn_once(&mut self, line: &Line, is_true: bool, warning: ObjWarning) {
        if is_true && !self.said.contains(&warning) {
            self.warnings.push((line.number, warning.clone().into()));
            self.said.push(warning);
        }
    }

    /// Returns the vertex for a corner `v`, `v/vt`, `v//vn` or `v/vt/vn` of a face.
    fn corner(&mut self, word: &str, part: usize, line: u64) -> Result<u32, Fault> {
        let counts = [self.obj.positions.len(), self.obj.uvs.len(), self.obj.normals.len()];
        let mut key = [NONE; 3];
        let mut fields = word.split('/');
        for i in 0..3 {
            let Some(field) = fields.next().filter(|f| !f.is_empty()) else { continue };
            key[i] = index(field, counts[i], self.limit).map_err(|fault| Fault::new(line, fault))?;
            if key[i] >= self.largest[i].needed {
                self.largest[i] = Largest { needed: key[i] + 1, line };
            }
        }
        if key[0] == NONE || fields.next().is_some() {
            return Err(Fault::new(line, ObjFault::Corner { word: text::start(word, 40) }));
        }
        Ok(self.obj.parts.vertex(part, key))
    }

    /// Checks the largest indices and returns the parsed file. Faces may come before their vertices, so that only the
    /// end shows what is missing.
    fn finish(mut self) -> Result<Obj, Fault> {
        let mut obj = self.obj;
        let counts = [obj.positions.len(), obj.uvs.len(), obj.normals.len()];
        let kinds = ["vertex", "texture coordinate", "normal"];
        for ((largest, count), what) in self.largest.into_iter().zip(counts).zip(kinds) {
            if largest.needed as usize > count {
                let fault = ObjFault::NoEntry { what, index: largest.needed, count };
                return Err(Fault::new(largest.line, fault));
            }
        }
        self.warnings.extend(self.bright.finish(&mut obj.colors));
        self.warnings.extend(obj.parts.finish_polygons(&obj.positions));
        if let Some(line) = self.strays.values().map(|fault| fault.line).min() {
            let used = obj.parts.positions().filter(|position| self.strays.contains_key(position)).min();
            if let Some(fault) = used.and_then(|position| self.strays.remove(&position)) {
                return Err(fault);
            }
            self.warnings.push((line, WarningKind::StrayVertices { count: self.strays.len() }));
        }
        Ok(obj)
    }
}

impl Bright {
    /// Converts vertex colours to linear RGB in place, and returns a warning about channels above 1. Programs that
    /// write colours write what a screen shows: sRGB, from 0 to 1, or bytes.
    fn finish(&self, colors: &mut [[f32; 4]]) -> Option<(u64, WarningKind)> {
        let white = if self.are_bytes { full_channel(self.most as f32) } else { 1.0 };
        for color in colors {
            *color = match *color {
                [r, ..] if r.is_nan() => [1.0; 4],
                [r, g, b, _] => {
                    let [r, g, b] = [r, g, b].each(|c| linear_from_srgb((c / white).clamp(0.0, 1.0)));
                    [r, g, b, 1.0]
                }
            };
        }
        let warning = match white > 1.0 {
            true => ObjWarning::ByteColors { most: self.most },
            false => ObjWarning::BrightColor,
        };
        self.line.map(|line| (line, warning.into()))
    }
}

/// Converts an index of the file to one that counts from 0; negative ones count back from the last that was read.
fn index(field: &str, count: usize, limit: i64) -> Result<u32, ObjFault> {
    let number: i64 = field.parse().map_err(|_| ObjFault::Index { word: text::start(field, 40) })?;
    match number {
        0 => Err(ObjFault::IndexZero),
        1.. if number <= limit => Ok((number - 1) as u32),
        1.. => Err(ObjFault::LargeIndex { index: number }),
        _ if number + count as i64 >= 0 => Ok((number + count as i64) as u32),
        _ => Err(ObjFault::IndexBefore { index: number, count }),
    }
}
