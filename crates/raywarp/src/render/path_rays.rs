//! The rays of a picture's paths, bounce by bounce: what a path tracer asks of the kernels, for those who time these
//! alone.
//!
//! Rays of a bounce lie in the order in which one wavefront of all paths begins them: sample by sample, and of a sample
//! tile by tile as the film has them, row by row in each. Paths that have ended leave no gap. So the order does not
//! depend on threads, waves or speed.

use raywarp_family::Query;
use raywarp_geom::Ray;
use raywarp_render::film::{Film, Tile};
use raywarp_render::{PathObserver, RenderOptions};
use raywarp_system::memory;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Number of paths that share a lock: those of a tile, so that workers rarely compete.
const BLOCK: usize = 1 << 12;
/// Bytes of memory per kept ray: the ray, and its path's index.
const KEPT_BYTES: u64 = size_of::<(u32, Ray)>() as u64;
/// Bytes of memory per ray while a bounce's rays are collected and written.
const WRITE_BYTES: u64 = 2 * size_of::<Ray>() as u64;
/// Number of rays after which the free memory is checked again.
const LOOK_EVERY: u64 = 1 << 20;
/// Need of memory in bytes up to which rays are never refused, since figures of free memory are rough.
const SMALL_BYTES: u64 = 64 << 20;

/// Beginnings of the names of exported ray files: rays that extend paths, and shadow rays.
const NAMES: [&str; 2] = ["bounce", "shadow"];

/// Returns the query of the rays in a file by its name (without a folder): any-hit if it begins with `shadow`, such as
/// `shadow-03.npy`, else closest-hit.
pub fn query_of_name(name: &str) -> Query {
    if name.starts_with(NAMES[1]) { Query::Any } else { Query::Closest }
}

/// Returns `true` if a file's name is that of an exported ray file: `bounce-00.npy`, `shadow-12.npy`.
pub fn is_bounce_file(name: &str) -> bool {
    let number = NAMES.iter().find_map(|start| name.strip_prefix(start)?.strip_prefix('-')?.strip_suffix(".npy"));
    number.is_some_and(|number| number.len() >= 2 && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Error of keeping a render's rays in memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathRaysError {
    /// The rays need more memory than is free.
    #[error(
        "{rays} rays of paths need about {} MB, but {} MB are free; take them of fewer samples or of a smaller picture",
        needed >> 20, free >> 20
    )]
    Memory {
        /// Number of rays known of: the camera rays before the render, all rays so far during it.
        rays: u64,
        /// Bytes of memory needed to keep and to write the rays.
        needed: u64,
        /// Bytes of memory that are free.
        free: u64,
    },
}

/// Rays of one bounce with the same query.
#[derive(Debug, Clone, PartialEq)]
pub struct BounceRays {
    /// Number of vertices that the rays' paths have behind them: 0 for camera rays, and for shadow rays from the first
    /// hits.
    pub bounce: u32,
    /// Query of the rays. Closest: they extend paths. Any: they connect paths to lights.
    pub query: Query,
    /// Rays in the order of their paths.
    pub rays: Vec<Ray>,
}

impl BounceRays {
    /// Returns the name of the file for these rays, such as `bounce-00.npy` or `shadow-00.npy`.
    pub fn file_name(&self) -> String {
        format!("{}-{:02}.npy", NAMES[usize::from(self.query == Query::Any)], self.bounce)
    }
}

/// Rays of a block of paths: for each bounce the rays that extend paths and the shadow rays, each with its path's index
/// in the block.
type Block = Vec<[Vec<(u32, Ray)>; 2]>;

/// Render observer that keeps the rays of the first samples of each pixel.
pub struct PathRays {
    /// Index among the film's pixels of each pixel of the picture (`y * width + x`).
    places: Vec<u32>,
    /// Number of pixels of the film.
    pixels: usize,
    first_sample: u32,
    samples: u32,
    blocks: Vec<Mutex<Block>>,
    kept: AtomicU64,
    is_over: AtomicBool,
    /// Function that returns the free memory in bytes, if the system tells.
    free: fn() -> Option<u64>,
}

impl PathRays {
    /// Prepares to keep the rays of the first `samples` (at least 1) samples of each pixel, of a render of `options`
    /// onto `film`. Rays are kept in memory, 36 bytes each.
    ///
    /// # Errors
    /// [`PathRaysError`], if not even camera rays can be kept.
    pub fn new(film: &Film, options: &RenderOptions, samples: u32) -> Result<Self, PathRaysError> {
        Self::with_memory(film, options, samples, memory::available)
    }

    fn with_memory(
        film: &Film,
        options: &RenderOptions,
        samples: u32,
        free: fn() -> Option<u64>,
    ) -> Result<Self, PathRaysError> {
        let samples = samples.min(options.samples.len() as u32);
        let pixels = film.pixel_count();
        let [width, height] = options.size.map(|side| side as usize);
        let mut rays = Self {
            places: Vec::new(),
            pixels,
            first_sample: options.samples.start,
            samples,
            blocks: Vec::new(),
            kept: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            free,
        };
        let paths = pixels as u64 * u64::from(samples);
        rays.check(paths, paths.saturating_mul(KEPT_BYTES + WRITE_BYTES))?;
        rays.places = vec![u32::MAX; width * height];
        let in_order = film.tiles().iter().flat_map(Tile::pixels);
        for (place, [x, y]) in (0..).zip(in_order) {
            rays.places[y as usize * width + x as usize] = place;
        }
        rays.blocks.resize_with((paths as usize).div_ceil(BLOCK), Mutex::default);
        Ok(rays)
    }

    /// Checks that `needed` bytes of memory are free, for so many rays.
    fn check(&self, rays: u64, needed: u64) -> Result<(), PathRaysError> {
        match (self.free)() {
            Some(free) if needed > free.max(SMALL_BYTES) => Err(PathRaysError::Memory { rays, needed, free }),
            _ => Ok(()),
        }
    }

    /// Keeps a ray if its path is among those wanted.
    fn keep(&self, (pixel, sample, bounce): (u32, u32, u32), query: Query, ray: &Ray) {
        let frame = sample.checked_sub(self.first_sample).filter(|&frame| frame < self.samples);
        let (Some(frame), false) = (frame, self.is_over.load(Ordering::Relaxed)) else { return };
        let path = frame as usize * self.pixels + self.places[pixel as usize] as usize;
        let mut block = self.blocks[path / BLOCK].lock().unwrap_or_else(PoisonError::into_inner);
        if block.len() <= bounce as usize {
            block.resize_with(bounce as usize + 1, Default::default);
        }
        block[bounce as usize][usize::from(query == Query::Any)].push(((path % BLOCK) as u32, *ray));
        drop(block);
        let kept = 1 + self.kept.fetch_add(1, Ordering::Relaxed);
        // What is kept is taken already; as much again is what lists that double may ask for, and more than writing
        // takes.
        if kept.is_multiple_of(LOOK_EVERY) && self.check(kept, kept * KEPT_BYTES).is_err() {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the rays bounce by bounce: first those that extend paths, then the shadow rays.
    ///
    /// # Errors
    /// [`PathRaysError`], if memory ran out while the picture was rendered.
    pub fn into_bounces(self) -> Result<impl Iterator<Item = BounceRays>, PathRaysError> {
        if self.is_over.into_inner() {
            let (rays, free) = (self.kept.into_inner(), (self.free)().unwrap_or(0));
            return Err(PathRaysError::Memory { rays, needed: 2 * rays * KEPT_BYTES, free });
        }
        let blocks = self.blocks.into_iter().map(|block| block.into_inner().unwrap_or_else(PoisonError::into_inner));
        let mut blocks: Vec<Block> = blocks.collect();
        let bounces = blocks.iter().map(Vec::len).max().unwrap_or(0);
        let all = (0..bounces).flat_map(|bounce| [(bounce, Query::Closest), (bounce, Query::Any)]);
        let bounces = all.map(move |(bounce, query)| {
            let mut rays = Vec::new();
            for block in &mut blocks {
                let lists = block.get_mut(bounce).map(|lists| &mut lists[usize::from(query == Query::Any)]);
                let mut list = lists.map(std::mem::take).unwrap_or_default();
                // A path has one ray of each query at a bounce, so that the order is total.
                list.sort_unstable_by_key(|&(path, _)| path);
                rays.extend(list.into_iter().map(|(_, ray)| ray));
            }
            BounceRays { bounce: bounce as u32, query, rays }
        });
        Ok(bounces.filter(|bounce| !bounce.rays.is_empty()))
    }
}

impl PathObserver for PathRays {
    fn alive(&self, _pixel: u32, _sample: u32, _bounce: u32) {}

    fn ray(&self, pixel: u32, sample: u32, bounce: u32, ray: &Ray) {
        self.keep((pixel, sample, bounce), Query::Closest, ray);
    }

    fn connection(&self, pixel: u32, sample: u32, bounce: u32, ray: &Ray, _contribution: [f32; 3]) {
        self.keep((pixel, sample, bounce), Query::Any, ray);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_render::film::{Crop, Window};

    fn ray(number: u32) -> Ray {
        Ray::new([number as f32, 0.0, 0.0], [0.0, 0.0, 1.0])
    }

    fn options(samples: std::ops::Range<u32>, crop: Option<Crop>) -> RenderOptions {
        RenderOptions { size: [20, 9], samples, crop, ..RenderOptions::default() }
    }

    fn film(options: &RenderOptions) -> Film {
        Film::of(Window::new(options.size, options.crop).unwrap(), false).unwrap()
    }

    #[test]
    fn rays_lie_by_sample_then_in_the_films_order_whoever_came_first() {
        let crop = Crop { origin: [3, 2], size: [13, 7] };
        for crop in [None, Some(crop)] {
            let options = options(5..9, crop);
            let film = film(&options);
            let rays = PathRays::new(&film, &options, 2).unwrap();
            let pixels: Vec<u32> = film.tiles().iter().flat_map(|t| t.pixels().map(|[x, y]| y * 20 + x)).collect();
            assert!(film.tiles().len() > 1);
            // Backwards, of all samples.
            for &pixel in pixels.iter().rev() {
                for sample in (5..9).rev() {
                    rays.ray(pixel, sample, 0, &ray(1000 * sample + pixel));
                    if pixel.is_multiple_of(3) {
                        rays.connection(pixel, sample, 1, &ray(1000 * sample + pixel), [0.0; 3]);
                    }
                }
            }
            let found: Vec<BounceRays> = rays.into_bounces().unwrap().collect();
            let names: Vec<String> = found.iter().map(BounceRays::file_name).collect();
            assert_eq!(names, ["bounce-00.npy", "shadow-01.npy"]);
            let expected = |keep: fn(&&u32) -> bool| -> Vec<Ray> {
                let of = |sample: u32| pixels.iter().filter(keep).map(move |pixel| ray(1000 * sample + pixel));
                of(5).chain(of(6)).collect()
            };
            assert_eq!(found[0].rays, expected(|_| true));
            assert_eq!(found[1].rays, expected(|pixel| pixel.is_multiple_of(3)));
        }
    }

    #[test]
    fn rays_that_memory_does_not_hold_are_refused_before_and_given_up_during_a_render() {
        // 3,000 x 2,000 pixels of 100 bytes each.
        let large = RenderOptions { size: [3000, 2000], ..options(0..4, None) };
        let refused = PathRays::with_memory(&film(&large), &large, 4, || Some(300 << 20)).err().unwrap();
        assert!(matches!(refused, PathRaysError::Memory { rays: 24_000_000, .. }), "{refused}");
        assert!(PathRays::with_memory(&film(&large), &large, 1, || Some(0)).is_err());
        let small = options(0..4, None);
        let rays = PathRays::with_memory(&film(&small), &small, 4, || Some(0)).unwrap();
        const { assert!(2 * LOOK_EVERY * KEPT_BYTES > SMALL_BYTES) };
        for number in 0..2 * LOOK_EVERY as u32 {
            rays.ray(number % 180, 0, number / 180 % 500, &ray(0));
        }
        let error = rays.into_bounces().err().unwrap();
        assert!(matches!(error, PathRaysError::Memory { free: 0, .. }), "{error:?}");
    }

    #[test]
    fn names_tell_the_query() {
        assert_eq!([query_of_name("shadow-00.npy"), query_of_name("shadows")], [Query::Any; 2]);
        assert_eq!([query_of_name("bounce-00.npy"), query_of_name("rays.npy")], [Query::Closest; 2]);
        assert!(["bounce-00.npy", "shadow-12.npy", "bounce-123.npy"].into_iter().all(is_bounce_file));
        assert!(!["bounce-0.npy", "bounce-00.npz", "bounce00.npy", "a-bounce-00.npy"].into_iter().any(is_bounce_file));
    }
}
