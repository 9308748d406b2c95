//! Which vertices of a wave are shaded how.

use super::tables::{Tables, class};
use crate::flat::ShadingScene;
use crate::path::Wave;

/// Entries of a wave's extension queue by how they are shaded.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    /// By the functions of one path.
    pub one_by_one: Vec<u32>,
    /// Plain diffuse surfaces, in vectors, and their triangles.
    pub diffuse: Vec<u32>,
    pub triangles: Vec<u32>,
    /// Surfaces that scatter and that paths came to since the wave began, and those of them that vectors shaded.
    pub vertices: u64,
    pub in_vectors: u64,
}

impl Queues {
    /// Forgets the entries and keeps the counts.
    pub fn clear(&mut self) {
        self.one_by_one.clear();
        self.diffuse.clear();
        self.triangles.clear();
    }
}

/// Sorts the entries of a wave by the class of what they hit.
pub(super) fn sort(scene: &ShadingScene, tables: &Tables, wave: &mut Wave) {
    let Wave { queues, hits, instances, .. } = wave;
    for (i, (hit, &instance)) in std::iter::zip(hits.iter(), instances.iter()).enumerate() {
        let i = i as u32;
        if !hit.is_hit() {
            queues.one_by_one.push(i);
            continue;
        }
        let triangle = scene.triangle_of(hit, instance);
        let [_, _, _, kind] = tables.materials[scene.triangles[triangle as usize].material() as usize];
        if kind == class::DIFFUSE {
            queues.diffuse.push(i);
            queues.triangles.push(triangle);
        } else {
            queues.one_by_one.push(i);
        }
    }
}
