//! The geometry of an OBJ file, gathered into one mesh a material while it is read.

use super::lines::{Line, Lines, finite};
use crate::model::linear_from_srgb;
use raywarp_geom::TriangleMesh;
use std::collections::{BTreeSet, HashMap};

/// What is wrong, before it is known in which file.
#[derive(Debug)]
pub(super) struct Fault {
    pub line: u64,
    pub message: String,
}

/// "No such attribute" and "end of the list".
const NONE: u32 = u32::MAX;

/// The triangles of one material.
#[derive(Debug, Default)]
struct Part {
    /// Position, texture coordinate and normal of each vertex.
    vertices: Vec<[u32; 3]>,
    indices: Vec<[u32; 3]>,
}

/// A vertex of a part that uses some position; the vertices of a position form a list.
struct Use {
    uv: u32,
    normal: u32,
    part: u32,
    vertex: u32,
    next: u32,
}

/// The largest index of a kind that a face used, and where.
#[derive(Debug, Default, Clone, Copy)]
struct Largest {
    /// One more than the index.
    needed: u32,
    line: u64,
}

/// A parsed file.
#[derive(Default)]
pub(super) struct Obj {
    positions: Vec<[f32; 3]>,
    /// Empty, or one a position.
    colors: Vec<[f32; 4]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    /// Names of `usemtl` with the line of the first use, one a part; `None` where faces come before any.
    pub materials: Vec<(Option<String>, u64)>,
    parts: Vec<Part>,
    /// What follows `mtllib`, with its line.
    pub libraries: Vec<(String, u64)>,
    /// Line and message.
    pub warnings: Vec<(u64, String)>,
}

impl Obj {
    /// # Errors
    /// The line that breaks the format.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let text = String::from_utf8_lossy(bytes);
        let mut parser = Parser {
            obj: Self::default(),
            // The shortest entry (`vt 0`) takes five bytes; no room is made for more than fit.
            limit: (bytes.len() / 5 + 1).min(NONE as usize) as i64,
            current: None,
            by_name: HashMap::new(),
            heads: Vec::new(),
            uses: Vec::new(),
            largest: [Largest::default(); 3],
            ignored: BTreeSet::new(),
            corners: Vec::new(),
        };
        for line in Lines::new(&text) {
            parser.line(&line)?;
        }
        parser.finish()
    }

    /// Whether any vertex has a colour.
    pub fn has_colors(&self) -> bool {
        !self.colors.is_empty()
    }

    /// Triangles of all parts.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(|part| part.indices.len()).sum()
    }

    /// The meshes, in the order of `materials`.
    pub fn into_meshes(self) -> Vec<TriangleMesh> {
        let Self { positions, colors, uvs, normals, parts, .. } = self;
        let mesh = |part: Part| {
            let vertices = &part.vertices;
            let at = |i: u32| i as usize;
            let any = |attribute: usize| vertices.iter().any(|v| v[attribute] != NONE);
            let mut mesh = TriangleMesh { indices: part.indices, ..TriangleMesh::default() };
            mesh.positions = vertices.iter().map(|v| positions[at(v[0])]).collect();
            if !colors.is_empty() {
                mesh.colors = vertices.iter().map(|v| colors[at(v[0])]).collect();
            }
            if any(1) {
                mesh.uvs = vertices.iter().map(|v| uvs.get(at(v[1])).copied().unwrap_or_default()).collect();
            }
            if any(2) {
                // Zero means "none here".
                mesh.normals = vertices.iter().map(|v| normals.get(at(v[2])).copied().unwrap_or_default()).collect();
            }
            mesh
        };
        parts.into_iter().map(mesh).collect()
    }
}

struct Parser {
    obj: Obj,
    limit: i64,
    /// The part that faces go to.
    current: Option<usize>,
    by_name: HashMap<Option<String>, usize>,
    /// First use of each position, and all uses.
    heads: Vec<u32>,
    uses: Vec<Use>,
    largest: [Largest; 3],
    /// Keywords that were left out.
    ignored: BTreeSet<String>,
    /// Of the face that is read.
    corners: Vec<u32>,
}

impl Parser {
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
            "usemtl" => self.use_material(Some(line.rest().to_string()), line.number),
            "mtllib" => self.obj.libraries.push((line.rest().to_string(), line.number)),
            // Meshes are made by material, and shading normals come from `vn` alone.
            "o" | "g" | "s" => {}
            other => {
                if self.ignored.insert(other.to_string()) {
                    let what = match other {
                        "l" | "p" => "lines and points are not rendered",
                        "vp" | "cstype" | "deg" | "bmat" | "step" | "curv" | "curv2" | "surf" | "parm" | "trim"
                        | "hole" | "scrv" | "sp" | "end" | "con" => "free-form curves and surfaces are not rendered",
                        _ => "not known; left out",
                    };
                    self.obj.warnings.push((line.number, format!("`{other:.40}`: {what}")));
                }
            }
        }
        Ok(())
    }

    /// `v x y z`, `v x y z w`, `v x y z r g b` or `v x y z r g b a`; w is of no use to polygons.
    fn position(&mut self, line: &Line) -> Result<(), Fault> {
        let mut values = [0.0; 7];
        let mut count = 0;
        for word in line.words() {
            let value = finite(word).filter(|_| count < 7);
            values[count.min(6)] = value.ok_or_else(|| Fault {
                line: line.number,
                message: if count < 7 {
                    format!("`{word:.40}` is no finite number")
                } else {
                    "a vertex has three numbers, and at most four more".into()
                },
            })?;
            count += 1;
        }
        if count < 3 {
            return Err(Fault { line: line.number, message: format!("a vertex of {count} numbers; it needs three") });
        }
        let [x, y, z, r, g, b, _] = values;
        if count >= 6 {
            // Programs that write colours write what a screen shows: sRGB.
            let [r, g, b] = [r, g, b].map(|c| linear_from_srgb(c.clamp(0.0, 1.0)));
            self.obj.colors.resize(self.obj.positions.len(), [1.0; 4]);
            self.obj.colors.push([r, g, b, 1.0]);
        } else if self.obj.has_colors() {
            self.obj.colors.push([1.0; 4]);
        }
        self.obj.positions.push([x, y, z]);
        Ok(())
    }

    /// Up to N numbers; what is missing or no number is 0. Programs do write `nan` for the normals of
    /// triangles without area, so that it is not worth an error.
    fn numbers<const N: usize>(&mut self, line: &Line, what: &str) -> [f32; N] {
        let mut values = [0.0; N];
        let mut bad = false;
        for (slot, word) in values.iter_mut().zip(line.words()) {
            let value = finite(word);
            bad |= value.is_none();
            *slot = value.unwrap_or(0.0);
        }
        if bad && self.ignored.insert(format!("bad {what}")) {
            let message = format!("a {what} that is not finite; read as 0 there and in any that follow");
            self.obj.warnings.push((line.number, message));
        }
        values
    }

    fn use_material(&mut self, name: Option<String>, line: u64) {
        let part = self.by_name.get(&name).copied().unwrap_or_else(|| {
            self.obj.materials.push((name.clone(), line));
            self.obj.parts.push(Part::default());
            let part = self.obj.parts.len() - 1;
            self.by_name.insert(name, part);
            part
        });
        self.current = Some(part);
    }

    fn face(&mut self, line: &Line) -> Result<(), Fault> {
        if self.current.is_none() {
            self.use_material(None, line.number);
        }
        let part = self.current.unwrap_or_default();
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        for word in line.words() {
            corners.push(self.corner(word, part, line.number)?);
        }
        if corners.len() < 3 && self.ignored.insert("small face".into()) {
            let message = "a face of fewer than three corners; it and any that follow are left out";
            self.obj.warnings.push((line.number, message.into()));
        }
        let Obj { parts, positions, .. } = &mut self.obj;
        let Part { vertices, indices } = &mut parts[part];
        // A position that comes behind its faces is not known yet: such a polygon becomes a fan.
        let position = |corner: u32| positions.get(vertices[corner as usize][0] as usize).copied();
        crate::import::polygon::triangulate(&corners, position, indices);
        self.corners = corners;
        Ok(())
    }

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn` to a vertex of the part.
    fn corner(&mut self, word: &str, part: usize, line: u64) -> Result<u32, Fault> {
        let counts = [self.obj.positions.len(), self.obj.uvs.len(), self.obj.normals.len()];
        let mut key = [NONE; 3];
        let mut fields = word.split('/');
        for i in 0..3 {
            let Some(field) = fields.next().filter(|f| !f.is_empty()) else { continue };
            key[i] = index(field, counts[i], self.limit).map_err(|message| Fault { line, message })?;
            if key[i] >= self.largest[i].needed {
                self.largest[i] = Largest { needed: key[i] + 1, line };
            }
        }
        if key[0] == NONE || fields.next().is_some() {
            return Err(Fault { line, message: format!("`{word:.40}` is no corner of a face") });
        }
        let [v, uv, normal] = key;
        if self.heads.len() <= v as usize {
            self.heads.resize(v as usize + 1, NONE);
        }
        let mut at = self.heads[v as usize];
        while let Some(found) = self.uses.get(at as usize) {
            if (found.uv, found.normal, found.part) == (uv, normal, part as u32) {
                return Ok(found.vertex);
            }
            at = found.next;
        }
        let vertices = &mut self.obj.parts[part].vertices;
        let (vertex, next) = (vertices.len() as u32, self.heads[v as usize]);
        vertices.push(key);
        self.heads[v as usize] = self.uses.len() as u32;
        self.uses.push(Use { uv, normal, part: part as u32, vertex, next });
        Ok(vertex)
    }

    /// Faces may come before their vertices, so that only the end shows what is missing.
    fn finish(self) -> Result<Obj, Fault> {
        let obj = self.obj;
        let counts = [obj.positions.len(), obj.uvs.len(), obj.normals.len()];
        let kinds = ["vertex", "texture coordinate", "normal"];
        for ((largest, count), kind) in self.largest.into_iter().zip(counts).zip(kinds) {
            if largest.needed as usize > count {
                let message = format!("a face uses {kind} {}, but the file has only {count}", largest.needed);
                return Err(Fault { line: largest.line, message });
            }
        }
        Ok(obj)
    }
}

/// An index as it stands in a file, to one that counts from 0: negative ones count back from the
/// last that was read.
fn index(field: &str, count: usize, limit: i64) -> Result<u32, String> {
    let number: i64 = field.parse().map_err(|_| format!("`{field:.40}` is no index"))?;
    match number {
        0 => Err("index 0; indices count from 1".into()),
        1.. if number <= limit => Ok((number - 1) as u32),
        1.. => Err(format!("index {number}, but the file has not as many entries")),
        _ if number + count as i64 >= 0 => Ok((number + count as i64) as u32),
        _ => Err(format!("index {number}, but only {count} entries stand before it")),
    }
}
