//! Triangles as a tree holds them, and trees fitted to triangles that have moved.

use crate::ids::Ids;
use crate::touches::Split;
use crate::tracer::{CpuTracer, Encoding};
use raywarp_layout::{BLOCK, Corners, Wide8Cost};
use std::ops::Range;

impl CpuTracer {
    /// Returns the ids of the triangles, in the order of [`CpuTracer::corners`].
    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Returns the corners of all triangles, with the bits that they were given with, in the order in which they were
    /// given. O(n); empty for a tree that is not for lanes.
    pub fn corners(&self) -> Vec<[[f32; 3]; 3]> {
        self.corners_within(0..self.ids.len())
    }

    /// Returns the corners of an instance's triangles, by their primitives, as [`CpuTracer::corners`] does for all;
    /// triangles have to stand in the order of their ids. O(n).
    pub fn corners_of(&self, instance: u32) -> Vec<[[f32; 3]; 3]> {
        match &self.ids {
            Ids::InOrder { instance: own, count } if *own == instance => self.corners_within(0..*count),
            Ids::InOrder { .. } => Vec::new(),
            Ids::Listed(ids) => {
                let first = ids.partition_point(|id| id.instance < instance);
                let count = ids[first..].partition_point(|id| id.instance == instance);
                self.corners_within(first..first + count)
            }
        }
    }

    /// Returns the corners of the triangles of these indices.
    fn corners_within(&self, indices: Range<usize>) -> Vec<[[f32; 3]; 3]> {
        let Some(tree) = self.wide8() else { return Vec::new() };
        let mut corners = vec![[[f32::NAN; 3]; 3]; indices.len()];
        for block in tree.blocks() {
            for (index, slot) in (0..BLOCK).filter_map(|slot| Some((block.index(slot)?, slot))) {
                if let Some(corners) = (index as usize).checked_sub(indices.start).and_then(|i| corners.get_mut(i)) {
                    *corners = block.vertices(slot);
                }
            }
        }
        corners
    }

    /// Returns `true` if the tree can be fitted to triangles that have moved, and be as good as a tree can be then: it
    /// is one for lanes, and each triangle stands in one leaf (no spatial splits).
    pub fn can_refit(&self) -> bool {
        self.split.is_empty() && self.wide8().is_some()
    }

    /// Fits the tree to triangles that have moved: `corners` returns those of a triangle by its index, in the order in
    /// which they were given, which have to be finite. Returns the tree's cost. O(n), in parallel.
    ///
    /// # Panics
    /// If the tree cannot be fitted ([`CpuTracer::can_refit`]).
    pub fn refit(&mut self, corners: &impl Corners) -> Wide8Cost {
        assert!(self.can_refit(), "a tree whose triangles stand in one leaf each");
        match &mut self.encoding {
            Encoding::Wide8(tree) => tree.refit(corners),
            Encoding::Bvh2(_) | Encoding::Custom(_) => Wide8Cost::default(),
        }
    }

    /// Returns the tree fitted to triangles that have moved, and its cost, as [`CpuTracer::refit`] has it.
    ///
    /// # Panics
    /// As [`CpuTracer::refit`].
    pub fn refitted(&self, corners: &impl Corners) -> (Self, Wide8Cost) {
        assert!(self.can_refit(), "a tree whose triangles stand in one leaf each");
        let (tree, cost) = self.wide8().expect("checked").refitted(corners);
        let (ids, isa, name) = (self.ids.clone(), self.isa, self.name);
        (Self { encoding: Encoding::Wide8(tree), ids, split: Split::default(), isa, name }, cost)
    }

    /// Returns the cost of the tree by the surface area heuristic; 0 if it is not one for lanes. O(n), in parallel.
    pub fn sah(&self) -> Wide8Cost {
        self.wide8().map_or(Wide8Cost::default(), raywarp_layout::Wide8::cost)
    }
}
