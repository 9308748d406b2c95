//! Counting on the side: a type parameter of the walks that costs nothing when off.

use raywarp_geom::RayCost;

/// Observer that counts the nodes and triangles which a ray's traversal tests.
pub(crate) trait Probe: Copy {
    /// `true` if the probe counts what each ray's traversal does.
    const COUNTS: bool;
    /// Counts one tested node.
    fn node(&mut self);
    /// Counts one tested leaf record; `count` returns the number of triangles in it.
    fn triangles(&mut self, count: impl FnOnce() -> usize);
    /// Counts a placed tree that the ray begins to walk, in its own space.
    #[inline(always)]
    fn enter_instance(&mut self) {}
    /// Counts a placed tree that the ray has walked, which goes on in the world; not one in which it ended.
    #[inline(always)]
    fn leave_instance(&mut self) {}
}

/// Work of a ray in a scene of two levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LevelsCost {
    /// Number of nodes visited in both levels, and of triangles tested.
    pub all: RayCost,
    /// Number of nodes visited of the tree over the placements.
    pub upper_nodes: u32,
    /// Number of placements whose trees the ray walked, each after it was taken to the tree's space
    /// (`enter_instance`).
    pub enters: u32,
    /// Number of placements from which the ray went back to the world (`leave_instance`): all but one in which
    /// something blocked it.
    pub leaves: u32,
}

impl Probe for LevelsCost {
    const COUNTS: bool = true;
    #[inline]
    fn node(&mut self) {
        self.all.node();
        self.upper_nodes += u32::from(self.enters == self.leaves);
    }
    #[inline]
    fn triangles(&mut self, count: impl FnOnce() -> usize) {
        self.all.triangles(count);
    }
    #[inline]
    fn enter_instance(&mut self) {
        self.enters += 1;
    }
    #[inline]
    fn leave_instance(&mut self) {
        self.leaves += 1;
    }
}

/// Probe that counts nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Off;

impl Probe for Off {
    const COUNTS: bool = false;
    #[inline(always)]
    fn node(&mut self) {}
    #[inline(always)]
    fn triangles(&mut self, _count: impl FnOnce() -> usize) {}
}

impl Probe for RayCost {
    const COUNTS: bool = true;
    #[inline]
    fn node(&mut self) {
        self.nodes += 1;
    }
    #[inline]
    fn triangles(&mut self, count: impl FnOnce() -> usize) {
        self.triangles += count() as u32;
    }
}
