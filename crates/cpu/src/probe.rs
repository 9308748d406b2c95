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
