//! Stage 1: camera rays, with which the paths begin.

use crate::filter::PixelFilter;
use crate::lanes::Vectors;
use crate::lens::Lens;
use crate::path::Wave;
use crate::vertex::MediaStack;
use raywarp_sample::Sampler;

/// Inputs of the stage that makes camera rays: camera, filter and sampler.
pub(crate) struct Generate<'a> {
    pub lens: &'a Lens,
    pub filter: &'a PixelFilter,
    pub sampler: Sampler,
    pub width: u32,
    /// Media that the camera is in.
    pub media: MediaStack,
}

/// Makes the camera ray of a path for each pixel (index `y * width + x`) and each sample number, a pixel's samples side
/// by side in increasing order; by `vectors` if possible. A path's bits are the same either way.
pub(crate) fn generate(
    g: &Generate,
    vectors: Option<&Vectors>,
    pixels: impl Iterator<Item = u32>,
    samples: std::ops::Range<u32>,
    wave: &mut Wave,
) {
    wave.clear();
    for pixel in pixels {
        wave.pixel.extend(samples.clone().map(|_| pixel));
        wave.sample.extend(samples.clone());
    }
    if vectors.is_some_and(|vectors| vectors.start(g, wave)) {
        return;
    }
    for slot in 0..wave.pixel.len() {
        let (pixel, sample) = (wave.pixel[slot], wave.sample[slot]);
        let (x, y) = ((pixel % g.width) as f32, (pixel / g.width) as f32);
        let mut stream = g.sampler.start(pixel, sample);
        let ([dx, dy], weight) = g.filter.sample(stream.next_2d());
        let ray = g.lens.ray(x + 0.5 + dx, y + 0.5 + dy, stream.next_2d());
        wave.begin(ray, weight, stream.state(), g.media);
    }
}
