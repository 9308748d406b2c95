//! Surfaces that show something else than their file says: another model, or a constant where a texture should be.
//!
//! A surface whose model is kept and that only lacks a feature of it (a coat's own normal map, say) is none of them; a
//! warning names what it lacks.

use crate::{Description, MaterialId, Mesh, grouped};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

/// Counts of the materials, textures and shapes of a scene that are approximated or left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StandIns {
    /// Number of the file's materials, used by some triangle, that are rendered by another model.
    pub materials: u64,
    /// Number of the file's textures, used by some triangle, that are replaced by a constant or another mapping.
    pub textures: u64,
    /// Number of triangles in all instances that have any such material or texture.
    pub triangles: u64,
    /// Number of all triangles of the scene.
    pub of: u64,
    /// Number of shapes that are left out entirely.
    pub left_out: u64,
}

impl fmt::Display for StandIns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { materials, textures, triangles, of, left_out } = *self;
        let parts: Vec<String> = [(materials, "material"), (textures, "texture")]
            .into_iter()
            .filter(|&(count, _)| count > 0)
            .map(|(count, what)| counted(count, what))
            .collect();
        if !parts.is_empty() {
            let are = if materials + textures == 1 { "is a stand-in" } else { "are stand-ins" };
            write!(f, "{} {are}, on {} of {}", parts.join(" and "), grouped(triangles), counted(of, "triangle"))?;
        }
        if left_out > 0 {
            let are = if left_out == 1 { "is" } else { "are" };
            let and = if parts.is_empty() { "" } else { "; " };
            write!(f, "{and}{} {are} left out", counted(left_out, "shape"))?;
        }
        Ok(())
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Set of approximated materials and textures, by number, that one material or texture involves.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Marks {
    materials: BTreeSet<u32>,
    textures: BTreeSet<u32>,
}

/// Id of a set of approximations; equal sets have the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MarkId(u32);

/// Log of approximations during an import. An importer begins when it reads a material or a texture, notes what it
/// replaces, and closes.
#[derive(Debug, Default)]
pub(crate) struct StandInLog {
    numbers: HashMap<String, u32>,
    open: Marks,
    closed: Vec<Marks>,
    known: HashMap<Marks, MarkId>,
    of: HashMap<MaterialId, MarkId>,
    left_out: u64,
}

impl StandInLog {
    /// Begins the record of another material or texture.
    pub fn begin(&mut self) {
        self.open = Marks::default();
    }

    /// Records that the material being read is only an approximation; `name` identifies it in the counts.
    pub fn material(&mut self, name: impl fmt::Display) {
        let number = self.number(format!("material {name}"));
        self.open.materials.insert(number);
    }

    /// Records that a texture of what is being read is only an approximation; `name` identifies it in the counts.
    pub fn texture(&mut self, name: impl fmt::Display) {
        let number = self.number(format!("texture {name}"));
        self.open.textures.insert(number);
    }

    /// Adds the approximations of a material or texture, read before, that is used by the one being read.
    pub fn add(&mut self, mark: Option<MarkId>) {
        if let Some(MarkId(index)) = mark {
            let Marks { materials, textures } = self.closed[index as usize].clone();
            self.open.materials.extend(materials);
            self.open.textures.extend(textures);
        }
    }

    /// Ends the record that was begun and returns its id; `None` if nothing was approximated.
    pub fn close(&mut self) -> Option<MarkId> {
        let marks = std::mem::take(&mut self.open);
        if marks == Marks::default() {
            return None;
        }
        if let Some(&known) = self.known.get(&marks) {
            return Some(known);
        }
        let id = MarkId(self.closed.len() as u32);
        self.closed.push(marks.clone());
        self.known.insert(marks, id);
        Some(id)
    }

    /// Returns the approximations that `material` involves.
    pub fn mark_of(&self, material: MaterialId) -> Option<MarkId> {
        self.of.get(&material).copied()
    }

    /// Sets the approximations that `material` involves.
    pub fn keep(&mut self, material: MaterialId, mark: Option<MarkId>) {
        if let Some(mark) = mark {
            self.of.insert(material, mark);
        }
    }

    /// Counts a shape that is left out.
    pub fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// Counts the approximations in the finished scene; `None` where there are none.
    pub fn count(&self, scene: &Description) -> Option<StandIns> {
        if self.of.is_empty() && self.left_out == 0 {
            return None;
        }
        // By number: this is asked for every triangle of every mesh, but once for all of its placements.
        let marks: Vec<Option<MarkId>> =
            (0..scene.materials.len() as u32).map(|number| self.mark_of(MaterialId(number))).collect();
        let marked = |mesh: &Mesh| -> (u64, HashSet<MarkId>) {
            let of_triangle = |primitive: usize| marks[mesh.materials.get(primitive).index()];
            let found = || (0..mesh.triangles.indices.len()).filter_map(of_triangle);
            (found().count() as u64, found().collect())
        };
        let meshes: Vec<(u64, HashSet<MarkId>)> = scene.meshes.iter().map(marked).collect();
        let mut placed = vec![false; meshes.len()];
        let mut used = HashSet::new();
        let mut triangles = 0;
        for instance in &scene.instances {
            let mesh = instance.mesh.index();
            let count = scene.meshes[mesh].triangles.indices.len() as u64;
            match instance.material.map(|id| marks[id.index()]) {
                None => {
                    triangles += meshes[mesh].0;
                    placed[mesh] = true;
                }
                Some(Some(mark)) if count > 0 => {
                    triangles += count;
                    used.insert(mark);
                }
                Some(_) => {}
            }
        }
        let shown = meshes.iter().zip(placed).filter(|(_, placed)| *placed);
        shown.for_each(|((_, marks), _)| used.extend(marks));
        let (mut materials, mut textures) = (BTreeSet::new(), BTreeSet::new());
        for MarkId(index) in used {
            materials.extend(&self.closed[index as usize].materials);
            textures.extend(&self.closed[index as usize].textures);
        }
        let [materials, textures] = [materials, textures].map(|numbers: BTreeSet<u32>| numbers.len() as u64);
        let found = StandIns { materials, textures, triangles, of: scene.triangle_count(), left_out: self.left_out };
        (triangles > 0 || self.left_out > 0).then_some(found)
    }

    fn number(&mut self, name: String) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(name).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_as_a_sentence() {
        let check = |[materials, textures, triangles, of, left_out]: [u64; 5], expected: &str| {
            assert_eq!(StandIns { materials, textures, triangles, of, left_out }.to_string(), expected);
        };
        check([3, 2, 1204, 60_000, 0], "3 materials and 2 textures are stand-ins, on 1,204 of 60,000 triangles");
        check([1, 0, 1, 1, 0], "1 material is a stand-in, on 1 of 1 triangle");
        check([0, 1, 999, 1_000_000, 1], "1 texture is a stand-in, on 999 of 1,000,000 triangles; 1 shape is left out");
        check([0, 0, 0, 12, 2], "2 shapes are left out");
    }
}
