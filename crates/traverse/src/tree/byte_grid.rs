//! Rays in steps of the grid of a compressed node: a plane is one multiply-add from its byte (YKL17 3.3).
//!
//! Beside a box of floats this rounds once more, at the grid's corner: `u D` of the 7 that the boxes' pads leave
//! (raywarp-geom's slab/padded.rs). A step times a reciprocal is exact, but for underflow that those pads hold.

use crate::ray::LaneRay;
use raywarp_geom::fused_multiply_add;

/// A ray in the grid of one node: byte `q` of axis `i` stands for a plane at the box distance `q * step[i] +
/// corner[side][i]`.
pub(super) struct ByteGrid {
    pub step: [f32; 3],
    /// Box distance of the grid's corner on each axis, for lower planes and for upper planes.
    pub corner: [[f32; 3]; 2],
}

impl ByteGrid {
    /// Computes the ray's values for a node's grid that starts at `origin` and has steps of `scale`.
    #[inline(always)]
    pub fn new(origin: &[f32; 3], scale: [f32; 3], ray: &LaneRay) -> Self {
        let corner =
            |side: usize| std::array::from_fn(|i| fused_multiply_add(origin[i], ray.inverse[i], -ray.ood[side][i]));
        // A step is a power of two: the product is exact.
        Self { step: std::array::from_fn(|i| scale[i] * ray.inverse[i]), corner: [corner(0), corner(1)] }
    }
}
