//! Sorting of a wave's vertices by the function that shades them.

use super::tables::{Tables, class};
use crate::flat::{ShadingScene, TriangleRecord};
use crate::path::Wave;
use crate::vertex::MediaStack;

/// Paths of a wave sorted by the code that shades them, as indices of their entries.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    /// Paths that scalar code shades one by one.
    pub one_by_one: Vec<u32>,
    /// Paths at diffuse surfaces.
    pub diffuse: InVectors,
    /// Paths at surfaces of mixed metal and dielectric, coated ones among them.
    pub principled: InVectors,
    /// Paths at Lambert surfaces under Blinn facets.
    pub blinn: InVectors,
    /// Paths at rough metal.
    pub metal: InVectors,
    /// Paths at mirrors, smooth metal and smooth glass.
    pub specular: InVectors,
    /// Records of the triangles that were hit, where the scene does not have them all.
    pub records: Vec<TriangleRecord>,
    /// Paths that left the scene, where vector code can evaluate the environment.
    pub missed: Vec<u32>,
    /// Number of scattering surfaces that paths reached since the wave began (`vertices`), and of those that vector
    /// code shaded.
    pub vertices: u64,
    pub in_vectors: u64,
}

impl Queues {
    /// Removes all entries, but keeps the counts.
    pub fn clear(&mut self) {
        self.one_by_one.clear();
        self.diffuse.clear();
        self.principled.clear();
        self.blinn.clear();
        self.metal.clear();
        self.specular.clear();
        self.records.clear();
        self.missed.clear();
    }
}

/// Paths that vector code shades, as indices of their entries, with the triangles that they hit: indices of the scene's
/// records, or of the queues'.
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

/// Sorts the paths of a wave by the shading class of their hit; misses go to vector code if `knows_sky` says that it
/// can evaluate the environment.
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
        let mut triangle = scene.triangle_of(hit, instance);
        let material = if scene.is_flat() {
            scene.triangles[triangle as usize].material()
        } else {
            let record = scene.record(instance, triangle);
            triangle = queues.records.len() as u32;
            queues.records.push(record);
            record.material()
        };
        let [_, _, _, kind] = tables.materials[material as usize];
        if kind & class::ALONG_TANGENT != 0 && scene.is_shared(instance) {
            // Attributes that vectors gather have no tangents of placements.
            queues.one_by_one.push(i);
            continue;
        }
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
