//! Sorting of a wave's vertices by the function that shades them.

use super::tables::{Tables, class};
use crate::flat::ShadingScene;
use crate::path::Wave;
use crate::vertex::MediaStack;

/// Entries of a wave's extension queue by how they are shaded.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    /// Entries that the functions of one path shade.
    pub one_by_one: Vec<u32>,
    /// Entries at diffuse surfaces.
    pub diffuse: InVectors,
    /// Entries at metal and dielectric mixed, coats among them.
    pub principled: InVectors,
    /// Entries at surfaces under Blinn's facets.
    pub blinn: InVectors,
    /// Entries at rough metal.
    pub metal: InVectors,
    /// Entries at mirrors, smooth metal and smooth glass.
    pub specular: InVectors,
    /// Entries that left the scene for an environment that vectors know.
    pub missed: Vec<u32>,
    /// Number of surfaces that scatter and that paths came to since the wave began, and of those that vectors shaded.
    pub vertices: u64,
    pub in_vectors: u64,
}

impl Queues {
    /// Forgets the entries and keeps the counts.
    pub fn clear(&mut self) {
        self.one_by_one.clear();
        self.diffuse.clear();
        self.principled.clear();
        self.blinn.clear();
        self.metal.clear();
        self.specular.clear();
        self.missed.clear();
    }
}

/// Entries that are shaded in vectors, and their triangles.
#[derive(Debug, Default)]
pub(crate) struct InVectors {
    pub entries: Vec<u32>,
    pub triangles: Vec<u32>,
}

impl InVectors {
    fn clear(&mut self) {
        self.entries.clear();
        self.triangles.clear();
    }

    #[inline]
    fn push(&mut self, entry: u32, triangle: u32) {
        self.entries.push(entry);
        self.triangles.push(triangle);
    }
}

/// Sorts the entries of a wave by the class of what they hit; vectors know the environment if `knows_sky`.
pub(super) fn sort(scene: &ShadingScene, tables: &Tables, knows_sky: bool, wave: &mut Wave) {
    let Wave { queues, paths, hits, instances, .. } = wave;
    let has_media = !scene.media.is_empty();
    for (i, (hit, &instance)) in std::iter::zip(hits.iter(), instances.iter()).enumerate() {
        let i = i as u32;
        // A path in a medium loses light on the way.
        let in_medium = has_media && paths[i as usize].media.stack != MediaStack::default();
        if !hit.is_hit() {
            match scene.environments.len() {
                // There is nothing that such a path could bring.
                0 => {}
                _ if knows_sky && !in_medium => queues.missed.push(i),
                _ => queues.one_by_one.push(i),
            }
            continue;
        }
        let triangle = scene.triangle_of(hit, instance);
        let [_, _, _, kind] = tables.materials[scene.triangles[triangle as usize].material() as usize];
        match kind & !class::FLAGS {
            // Those whose media the text in vectors knows too.
            class::SPECULAR | class::TEXTURED_SPECULAR => queues.specular.push(i, triangle),
            _ if in_medium => queues.one_by_one.push(i),
            class::DIFFUSE | class::TEXTURED_DIFFUSE => queues.diffuse.push(i, triangle),
            class::PRINCIPLED | class::TEXTURED_PRINCIPLED => queues.principled.push(i, triangle),
            class::BLINN | class::TEXTURED_BLINN => queues.blinn.push(i, triangle),
            class::METAL | class::TEXTURED_METAL => queues.metal.push(i, triangle),
            _ => queues.one_by_one.push(i),
        }
    }
}
