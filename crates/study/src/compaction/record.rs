//! Paths in the order of the threads of W11's launch, and what the renderer tells of them.

use raywarp_geom::Ray;
use raywarp_render::{PathObserver, PathRecorder};
use std::sync::Mutex;

/// Columns and rows of pixels of a thread block (W11, appendix B.1): a warp of 32 has 8 x 4 of them.
const BLOCK: [u32; 2] = [8, 8];

/// Approximate number of threads of a frame whose rays are recorded, in runs of [`RUN`] spread over the picture.
const KEPT: usize = 1 << 16;

/// Number of neighbouring threads whose rays are recorded together, so that a compacted warp gets the paths that it
/// would get in the whole frame.
const RUN: usize = 1 << 13;

/// Returns the number of threads of a launch for a picture, in whole blocks.
pub(super) fn in_grid(size: [u32; 2]) -> usize {
    let [columns, rows] = [0, 1].map(|axis| size[axis].next_multiple_of(BLOCK[axis]) as usize);
    columns * rows
}

/// Returns the thread of the pixel `y * width + x`: threads go block by block, and row by row in each.
fn thread_of(pixel: u32, size: [u32; 2]) -> usize {
    let [x, y] = [pixel % size[0], pixel / size[0]];
    let block = (y / BLOCK[1]) as usize * size[0].div_ceil(BLOCK[0]) as usize + (x / BLOCK[0]) as usize;
    block * (BLOCK[0] * BLOCK[1]) as usize + (y % BLOCK[1] * BLOCK[0] + x % BLOCK[0]) as usize
}

/// Adds the paths of a frame, given row by row, in the order of threads. A thread beside the picture has none.
pub(super) fn in_blocks(frame: &[u16], size: [u32; 2], order: &mut Vec<u16>) {
    let first = order.len();
    order.resize(first + in_grid(size), 0);
    for (pixel, &segments) in (0..).zip(frame) {
        order[first + thread_of(pixel, size)] = segments;
    }
}

/// Observer of a render of some frames that records the length of each path, and part of the first frame's rays.
pub struct FrameRecorder {
    size: [u32; 2],
    lengths: PathRecorder,
    /// Interval of runs of threads of which one is recorded.
    every: usize,
    /// Recorded threads of the first frame with their rays, by bounce.
    rays: Vec<Mutex<Vec<(usize, Ray)>>>,
}

impl FrameRecorder {
    pub(super) fn new(size: [u32; 2], frames: u32, max_depth: u32) -> Self {
        Self {
            size,
            lengths: PathRecorder::new(size, 0..frames),
            every: in_grid(size).div_ceil(KEPT).max(1),
            rays: (0..=max_depth).map(|_| Mutex::default()).collect(),
        }
    }

    /// Returns the index of a thread among those that are recorded.
    fn place(&self, thread: usize) -> Option<usize> {
        let run = thread / RUN;
        run.is_multiple_of(self.every).then(|| run / self.every * RUN + thread % RUN)
    }

    /// Adds the lengths of all paths to `order`, frame by frame in the order of threads, and returns the rays of the
    /// recorded threads for each bounce.
    pub(super) fn finish(self, order: &mut Vec<u16>) -> Vec<Vec<Option<Ray>>> {
        let (size, last) = (self.size, in_grid(self.size) - 1);
        let kept = (0..=last).rev().find_map(|thread| self.place(thread)).map_or(0, |place| place + 1);
        let pixels = size[0] as usize * size[1] as usize;
        for frame in self.lengths.into_segments().chunks(pixels) {
            in_blocks(frame, size, order);
        }
        let placed = |rays: Mutex<Vec<(usize, Ray)>>| {
            let mut threads = vec![None; kept];
            for (place, ray) in rays.into_inner().unwrap_or_default() {
                threads[place] = Some(ray);
            }
            threads
        };
        self.rays.into_iter().map(placed).collect()
    }
}

impl PathObserver for FrameRecorder {
    fn alive(&self, pixel: u32, sample: u32, bounce: u32) {
        self.lengths.alive(pixel, sample, bounce);
    }

    fn ray(&self, pixel: u32, sample: u32, bounce: u32, ray: &Ray) {
        let place = if sample == 0 { self.place(thread_of(pixel, self.size)) } else { None };
        // Bounces beyond the deepest don't happen; a lock is poisoned only where a render has panicked.
        if let (Some(place), Some(rays)) = (place, self.rays.get(bounce as usize))
            && let Ok(mut rays) = rays.lock()
        {
            rays.push((place, *ray));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_take_pixels_in_blocks_of_8_by_8() {
        // A pixel holds its own number.
        let size = [20, 10];
        let frame: Vec<u16> = (1..=200).collect();
        let mut order = Vec::new();
        in_blocks(&frame, size, &mut order);
        assert_eq!(order.len(), in_grid(size));
        assert_eq!(in_grid(size), 24 * 16);
        for (thread, &number) in order.iter().enumerate() {
            let (block, lane) = (thread / 64, thread % 64);
            let (x, y) = (block % 3 * 8 + lane % 8, block / 3 * 8 + lane / 8);
            let pixel = if x < 20 && y < 10 { y * 20 + x + 1 } else { 0 };
            assert_eq!(usize::from(number), pixel, "thread {thread}");
        }
    }

    #[test]
    fn kept_rays_stand_where_their_threads_do() {
        // 1,048,576 threads: of 16 runs of 8,192 one is kept.
        let size = [1024, 1024];
        let recorder = FrameRecorder::new(size, 2, 1);
        assert_eq!(recorder.every, 16);
        let ray = |x: u32| Ray::new([x as f32, 0.0, 0.0], [0.0, 0.0, 1.0]);
        for pixel in [0, 9, 1024 * 1023] {
            recorder.alive(pixel, 0, 0);
            recorder.ray(pixel, 0, 0, &ray(pixel));
            recorder.ray(pixel, 1, 0, &ray(7));
            recorder.ray(pixel, 0, 2, &ray(7));
        }
        // Rows 128 to 135 are the second run that is kept.
        recorder.ray(1024 * 129 + 1, 0, 1, &ray(5));
        let mut order = Vec::new();
        let rays = recorder.finish(&mut order);
        assert_eq!((order.len(), rays.len()), (2 << 20, 2));
        assert_eq!(order.iter().filter(|&&segments| segments == 1).count(), 3);
        let found = |bounce: usize| -> Vec<(usize, f32)> {
            let rays = rays[bounce].iter().enumerate();
            rays.filter_map(|(place, ray)| Some((place, ray.as_ref()?.origin[0]))).collect()
        };
        assert_eq!(found(0), [(0, 0.0), (65, 9.0)]);
        assert_eq!(found(1), [(8192 + 9, 5.0)]);
        assert_eq!(rays[0].len(), 8 * 8192);
    }
}
