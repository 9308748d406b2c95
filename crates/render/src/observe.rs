//! Observers of the paths that live and die in a render: the tables of W11 are made of this.

use raywarp_geom::Ray;
use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering};

/// Observer that is told of each path before it is extended by a ray.
pub trait PathObserver: Sync {
    /// Reports that a path (sample number `sample` of `pixel`, index `y * width + x`) is alive with `bounce` vertices
    /// behind it. Called from the workers, wave by wave.
    fn alive(&self, pixel: u32, sample: u32, bounce: u32);

    /// Reports the ray that extends a path, right after [`PathObserver::alive`]; does nothing by default.
    fn ray(&self, _pixel: u32, _sample: u32, _bounce: u32, _ray: &Ray) {}

    /// Reports the shadow ray to a light that a path tries from the end of its last ray, and what it contributes if
    /// nothing blocks it. Nobody has to listen.
    fn connection(&self, _pixel: u32, _sample: u32, _bounce: u32, _ray: &Ray, _contribution: [f32; 3]) {}
}

/// Observer that records the number of segments of each path.
#[derive(Debug)]
pub struct PathRecorder {
    pixels: usize,
    first_sample: u32,
    segments: Vec<AtomicU16>,
}

impl PathRecorder {
    /// Makes a recorder for the paths of `samples` of every pixel of a picture of `size`, at two bytes per path.
    pub fn new(size: [u32; 2], samples: Range<u32>) -> Self {
        let pixels = size[0] as usize * size[1] as usize;
        let segments = std::iter::repeat_with(AtomicU16::default).take(pixels * samples.len()).collect();
        Self { pixels, first_sample: samples.start, segments }
    }

    /// Returns the number of segments of each path, sample by sample, with pixels row by row from the top left; 0 for a
    /// path that never began, at most 65,535.
    pub fn into_segments(self) -> Vec<u16> {
        self.segments.into_iter().map(AtomicU16::into_inner).collect()
    }
}

impl PathObserver for PathRecorder {
    fn alive(&self, pixel: u32, sample: u32, bounce: u32) {
        let frame = sample.checked_sub(self.first_sample).map(|frame| frame as usize * self.pixels);
        let path = frame.and_then(|frame| self.segments.get(frame + pixel as usize));
        let segments = u16::try_from(bounce + 1).unwrap_or(u16::MAX);
        if let Some(path) = path {
            path.fetch_max(segments, Ordering::Relaxed);
        }
    }
}
