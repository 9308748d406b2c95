//! Triangles as a tree holds them.

use crate::tracer::CpuTracer;
use raywarp_geom::PrimitiveId;
use raywarp_layout::BLOCK;

impl CpuTracer {
    /// Returns the ids of the triangles, in the order of [`CpuTracer::corners`].
    pub fn ids(&self) -> &[PrimitiveId] {
        &self.ids
    }

    /// Returns the corners of all triangles, with the bits that they were given with, in the order in which they were
    /// given. O(n); empty for a tree that is not for lanes.
    pub fn corners(&self) -> Vec<[[f32; 3]; 3]> {
        let Some(tree) = self.wide8() else { return Vec::new() };
        let mut corners = vec![[[f32::NAN; 3]; 3]; self.ids.len()];
        for block in tree.blocks() {
            for (index, slot) in (0..BLOCK).filter_map(|slot| Some((block.index(slot)?, slot))) {
                corners[index as usize] = block.vertices(slot);
            }
        }
        corners
    }
}
