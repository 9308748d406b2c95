//! Test of a difference between two pictures against the noise that they state.
//!
//! Where a pixel's mean has variance v in one picture and w in the other, their difference has v + w if they are
//! independent renders of the same thing. The sum of squared differences is compared with the sum of those variances,
//! and not pixel by pixel: with few samples a pixel's own estimate is often 0. A bias too small to be seen in pixels
//! shows in the mean of many, so blocks of pixels are tested too.

use crate::film::luminance;
use crate::output::PictureFile;

/// Side length in pixels of the blocks that are tested for noise.
pub const BLOCK: u32 = 8;
/// Number of standard errors from which two blocks or two means count as different; by chance 1 in 16,000 is.
pub const STANDARD_ERRORS: f64 = 4.0;
/// Relative rounding error of a mean stored as f32, which the estimated variance doesn't include.
const ROUNDING: f64 = 1e-6;

/// Test whether the noise that the files state explains the difference in luminance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseTest {
    /// Squared luminance differences over their variances, both summed over the picture: about 1 for mere noise, less
    /// for samples spread better than chance or shared by both pictures.
    pub ratio: f64,
    /// Distance between the mean luminances, in standard errors.
    pub mean_apart: f64,
    /// Number of blocks of [`BLOCK`] by [`BLOCK`] pixels.
    pub blocks: u64,
    /// Number of blocks that differ by more than [`STANDARD_ERRORS`].
    pub blocks_beyond: u64,
}

impl NoiseTest {
    /// Returns `true` if noise explains the difference: the means are close, and at most one block, or one in a
    /// thousand, differs by too much.
    pub fn is_noise(&self) -> bool {
        self.mean_apart <= STANDARD_ERRORS && self.blocks_beyond <= 1.max(self.blocks / 1000)
    }
}

/// Tests whether noise explains the difference between the pixels for which `used` is true. `None` unless both have the
/// layer `variance`, and it is not 0 everywhere (one sample a pixel has none).
pub(super) fn test(a: &PictureFile, b: &PictureFile, used: &[bool]) -> Option<NoiseTest> {
    let variance = |picture: &'_ PictureFile| picture.layers.iter().position(|layer| layer.name == "variance");
    let (va, vb) = (&a.layers[variance(a)?].values, &b.layers[variance(b)?].values);
    let [width, height] = a.window.size;
    let columns = width.div_ceil(BLOCK) as usize;
    let mut blocks = vec![(0.0, 0.0, false); columns * height.div_ceil(BLOCK) as usize];
    let (mut squares, mut variances) = (0.0, 0.0);
    for (i, [x, y]) in a.window.places().enumerate() {
        if !used[i] || !va[i].is_finite() || !vb[i].is_finite() {
            continue;
        }
        let [ya, yb] = [a, b].map(|picture| luminance(picture.colour[i].map(f64::from)));
        let rounding = ROUNDING * ya.abs().max(yb.abs());
        let stated = f64::from(va[i]).max(0.0) + f64::from(vb[i]).max(0.0);
        let (apart, variance) = (ya - yb, stated + rounding * rounding);
        squares += apart * apart;
        variances += stated;
        let block = &mut blocks[(y / BLOCK) as usize * columns + (x / BLOCK) as usize];
        *block = (block.0 + apart, block.1 + variance, true);
    }
    let beyond = blocks.iter().filter(|(apart, variance, _)| apart.abs() > STANDARD_ERRORS * variance.sqrt()).count();
    let (apart, variance) = blocks.iter().fold((0.0, 0.0), |sum, block| (sum.0 + block.0, sum.1 + block.1));
    (variances > 0.0).then(|| NoiseTest {
        mean_apart: f64::abs(apart) / f64::sqrt(variance),
        ratio: squares / variances,
        blocks: blocks.iter().filter(|block| block.2).count() as u64,
        blocks_beyond: beyond as u64,
    })
}
