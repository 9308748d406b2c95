//! Stage 5: finished paths to the film, in sample order.

use crate::film::{SampleResult, Tile};
use crate::path::Wave;
use glam::Vec3;

/// Adds every path's result to its pixel in the tile. Paths lie pixel by pixel in increasing sample number, whatever
/// order they ended in, so sums do not depend on how work was shared out.
pub(crate) fn finalize(wave: &Wave, width: u32, tile: &mut Tile) {
    for slot in 0..wave.pixel.len() {
        let pixel = wave.pixel[slot];
        let first = &wave.first_hit[slot];
        let seen = first.depth.is_finite();
        tile.add(
            [pixel % width, pixel / width],
            &SampleResult {
                radiance: (wave.radiance[slot] * wave.filter_weight[slot]).into(),
                albedo: first.albedo.into(),
                normal: first.normal.into(),
                depth: seen.then_some(first.depth),
            },
        );
    }
}

impl Wave {
    /// Sets the value of a sample, for integrators other than path tracing.
    pub(crate) fn set(&mut self, slot: usize, value: Vec3) {
        self.radiance[slot] = value;
    }
}
