//! Where the triangles of a tree's leaves are.

use crate::ids::LentIds;
use raywarp_geom::{Affine, PrimitiveId};

/// Where the triangles of a tree's leaves are, and their ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<'a> {
    /// Ids of the tree's triangles.
    pub ids: LentIds<'a>,
    /// Number that is added to their instances.
    pub base: u32,
    /// How corners get to the world; `None` if they are there.
    pub place: Option<&'a Affine>,
}

/// Trees by the numbers of their placements; one tree has the number 0.
pub(crate) trait Leaves {
    /// Returns where the triangles of a placement are.
    fn leaf(&self, placed: u32) -> Leaf<'_>;
}

impl Leaf<'_> {
    /// Returns the ids of a triangle in the scene.
    pub fn id(&self, index: u32) -> PrimitiveId {
        let PrimitiveId { instance, primitive } = self.ids.get(index);
        PrimitiveId { instance: self.base + instance, primitive }
    }
}
