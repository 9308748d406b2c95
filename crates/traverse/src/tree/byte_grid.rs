//! Rays in steps of the grid of a compressed node: a plane is one multiply-add from its byte (YKL17 3.3).
//!
//! Beside a box of floats this rounds once more, at the grid's corner: `u D` of the 7 that the boxes' pads leave
//! (raywarp-geom's slab/padded.rs). A step times a reciprocal is exact, but for underflow that those pads hold.

use crate::ray::LaneRay;
use raywarp_geom::fused_multiply_add;

/// The ray as the planes of one node see it: byte `q` of axis `i` lies at `q * step[i] + corner[side][i]`, in box
/// distances.
pub(super) struct ByteGrid {
    pub step: [f32; 3],
    /// Where the ray meets the grid's corner, as lower and as upper planes see it.
    pub corner: [[f32; 3]; 2],
}

impl ByteGrid {
    /// Prepares the ray for the grid of a node from `origin`, whose steps are `scale`.
    #[inline(always)]
    pub fn new(origin: &[f32; 3], scale: [f32; 3], ray: &LaneRay) -> Self {
        let corner =
            |side: usize| std::array::from_fn(|i| fused_multiply_add(origin[i], ray.inverse[i], -ray.ood[side][i]));
        // A step is a power of two: the product is exact.
        Self { step: std::array::from_fn(|i| scale[i] * ray.inverse[i]), corner: [corner(0), corner(1)] }
    }
}
