//! The meshes of an OBJ file while it is read: one for each material of each object.
//!
//! An object is what an `o` line names. Where no `o` line has come yet, `g` lines count in its place; behind one they
//! have no effect, since programs that write both put groups of faces into an object. Objects of one name are one.
//!
//! A file of more than [`LIMIT`] such meshes has one a material: what scans and CAD programs write as hundreds of
//! thousands of groups would be that many meshes and instances. Meshes go by material first, so that triangles mostly
//! have the order that they would have without objects.

use crate::WarningKind;
use crate::import::polygon::Polygons;
use std::collections::HashMap;

/// Largest number of meshes when OBJ objects are kept apart; above it there is one mesh for each material.
pub(super) const LIMIT: usize = 4096;

/// Value that means "no such attribute" in a vertex and "end of the list" in a list.
pub(super) const NONE: u32 = u32::MAX;

/// Material name after `usemtl` with the line of its first use; `None` for faces before any.
pub(super) type NamedMaterial = (Option<String>, u64);

/// Triangles of one material in one object.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Index of the part's material, in the order of first use.
    pub material: u32,
    /// Name of the object; may be empty.
    pub object: String,
    /// Indices of position, texture coordinate and normal of each vertex.
    pub vertices: Vec<[u32; 3]>,
    pub indices: Vec<[u32; 3]>,
    /// Polygons of the part that await triangulation, or that cross themselves.
    pub polygons: Polygons,
}

/// Use of a position by a vertex of a part; the uses of each position form a linked list.
struct Use {
    uv: u32,
    normal: u32,
    part: u32,
    vertex: u32,
    next: u32,
}

#[derive(Default)]
pub(super) struct Parts {
    materials: Vec<NamedMaterial>,
    by_material: HashMap<Option<String>, u32>,
    /// Parts (meshes to be), in the order of first use.
    parts: Vec<Part>,
    /// Index of the part by object name, then by material index.
    by_object: HashMap<String, HashMap<u32, u32>>,
    /// Material index of the faces that follow.
    material: Option<u32>,
    object: String,
    /// `true` after the first `o` line, from which on `g` lines have no effect.
    has_objects: bool,
    /// `true` if objects were joined because there were too many.
    too_many: bool,
    /// Index of the part for the current material and object, if it was already looked up.
    current: Option<u32>,
    /// First use of each position; the linked uses of all positions follow.
    heads: Vec<u32>,
    uses: Vec<Use>,
}

impl Parts {
    /// Switches to the material of a `usemtl` line; `None` for faces before any such line.
    pub fn use_material(&mut self, name: Option<String>, line: u64) {
        let material = self.by_material.get(&name).copied().unwrap_or_else(|| {
            self.materials.push((name.clone(), line));
            let material = self.materials.len() as u32 - 1;
            self.by_material.insert(name, material);
            material
        });
        self.material = Some(material);
        self.current = None;
    }

    /// Switches to the object of an `o` line.
    pub fn use_object(&mut self, name: &str) {
        self.has_objects = true;
        self.set_object(name);
    }

    /// Switches to the object of a `g` line, unless an `o` line has come.
    pub fn use_group(&mut self, name: &str) {
        if !self.has_objects {
            self.set_object(name);
        }
    }

    fn set_object(&mut self, name: &str) {
        if !self.too_many && self.object != name {
            self.object.clear();
            self.object.push_str(name);
            self.current = None;
        }
    }

    /// Returns the index of the part for a face on `line`, and adds it at its first use.
    pub fn current(&mut self, line: u64) -> usize {
        if let Some(part) = self.current {
            return part as usize;
        }
        if self.material.is_none() {
            self.use_material(None, line);
        }
        let material = self.material.unwrap_or_default();
        let found = |parts: &Self| parts.by_object.get(&parts.object)?.get(&material).copied();
        let mut part = found(self);
        if part.is_none() && self.parts.len() >= LIMIT && !self.too_many {
            self.join_objects();
            part = found(self);
        }
        let part = part.unwrap_or_else(|| {
            self.parts.push(Part { material, object: self.object.clone(), ..Part::default() });
            let part = self.parts.len() as u32 - 1;
            self.by_object.entry(self.object.clone()).or_default().insert(material, part);
            part
        });
        self.current = Some(part);
        part as usize
    }

    pub fn get_mut(&mut self, part: usize) -> &mut Part {
        &mut self.parts[part]
    }

    /// Returns the vertex of `part` with the attribute indices `key`, and adds it at its first use.
    pub fn vertex(&mut self, part: usize, key: [u32; 3]) -> u32 {
        let [v, uv, normal] = key;
        if self.heads.len() <= v as usize {
            self.heads.resize(v as usize + 1, NONE);
        }
        let mut at = self.heads[v as usize];
        while let Some(found) = self.uses.get(at as usize) {
            if (found.uv, found.normal, found.part) == (uv, normal, part as u32) {
                return found.vertex;
            }
            at = found.next;
        }
        let vertices = &mut self.parts[part].vertices;
        let (vertex, next) = (vertices.len() as u32, self.heads[v as usize]);
        vertices.push(key);
        self.heads[v as usize] = self.uses.len() as u32;
        self.uses.push(Use { uv, normal, part: part as u32, vertex, next });
        vertex
    }

    /// Joins all parts with the same material, and ignores objects from here on.
    fn join_objects(&mut self) {
        self.too_many = true;
        self.object.clear();
        let mut joined: Vec<Part> = Vec::new();
        let mut by_material = HashMap::new();
        // For each old part its new one, and the number of its first vertex there.
        let mut moved = Vec::with_capacity(self.parts.len());
        for part in std::mem::take(&mut self.parts) {
            let target = *by_material.entry(part.material).or_insert_with(|| {
                joined.push(Part { material: part.material, ..Part::default() });
                joined.len() as u32 - 1
            });
            let to = &mut joined[target as usize];
            let first = to.vertices.len() as u32;
            moved.push((target, first));
            to.vertices.extend(part.vertices);
            to.polygons.append(part.polygons, to.indices.len());
            to.indices.extend(part.indices.into_iter().map(|triangle| triangle.map(|vertex| vertex + first)));
        }
        for used in &mut self.uses {
            let (part, first) = moved[used.part as usize];
            (used.part, used.vertex) = (part, used.vertex + first);
        }
        self.parts = joined;
        self.by_object = HashMap::from([(String::new(), by_material)]);
    }

    /// Returns all parts grouped by material, in the order of first use of materials and, within each, of objects.
    pub fn by_material(self) -> Vec<(NamedMaterial, Vec<Part>)> {
        let mut materials: Vec<_> = self.materials.into_iter().map(|material| (material, Vec::new())).collect();
        for part in self.parts {
            materials[part.material as usize].1.push(part);
        }
        materials
    }

    /// Triangulates the polygons whose positions came after them; returns a warning about those that cross themselves.
    pub fn finish_polygons(&mut self, positions: &[[f32; 3]]) -> Option<(u64, WarningKind)> {
        let mut all = Polygons::default();
        for Part { vertices, indices, polygons, .. } in &mut self.parts {
            polygons.finish(|corner| positions[vertices[corner as usize][0] as usize], indices);
            all.append(std::mem::take(polygons), 0);
        }
        all.warning()
    }

    /// Iterates over the position indices of all vertices of all parts.
    pub fn positions(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().flat_map(|part| &part.vertices).map(|vertex| vertex[0])
    }

    /// Returns the number of triangles of all parts.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(|part| part.indices.len()).sum()
    }

    /// Returns the number of parts of each object, by object name.
    pub fn objects(&self) -> HashMap<&str, usize> {
        self.by_object.iter().map(|(name, parts)| (name.as_str(), parts.len())).collect()
    }
}
