//! The film: sums of what a render finds, pixel by pixel.
//!
//! Sums are `f64` and each pixel's samples are added in the order of their index, so that a picture depends neither
//! on threads nor on the passes in which it was rendered. The film lies in [`Tile`]s; a worker takes one as `&mut`,
//! renders a range of samples of its pixels and adds them there:
//!
//! ```
//! # mod raywarp { pub use raywarp_render as render; }
//! use raywarp::render::film::{Film, SampleResult};
//! use rayon::prelude::*;
//!
//! let mut film = Film::new([100, 80], false)?;
//! film.tiles_mut().par_iter_mut().for_each(|tile| {
//!     for pixel in tile.pixels() {
//!         for sample in 0..4 {
//!             tile.add(pixel, &SampleResult { radiance: [sample as f32; 3], ..Default::default() });
//!         }
//!     }
//! });
//! assert_eq!(film.mean([99, 79]), [1.5; 3]);
//! # Ok::<(), raywarp_render::film::FilmError>(())
//! ```
//!
//! Pixel filters are the camera's part (filter importance sampling): every sample has weight 1 here.

mod statistics;
mod sums;
#[cfg(test)]
mod tests;
mod tile;
mod window;

pub use statistics::{NOISE_FLOOR, PictureMean};
pub use sums::{FeatureSums, LARGEST, PixelSums, SampleResult, luminance};
pub use tile::Tile;
pub use window::{Crop, Window};

/// Largest side length of a film's tile in pixels: the 64 x 64 pixels of a tile are one wave of paths.
pub const MAX_TILE: u32 = 64;

/// Reason why a film cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilmError {
    /// A side of the picture is zero; holds columns and rows.
    #[error("a picture of {0}x{1} pixels is empty; both sides must be at least 1")]
    Empty(u32, u32),
    /// The picture's memory cannot be addressed or reserved; holds columns and rows.
    #[error("a picture of {0}x{1} pixels needs more memory than there is; render fewer pixels")]
    TooLarge(u32, u32),
    /// The part to render is not within the picture.
    #[error("the crop {crop} reaches beyond the picture of {}x{} pixels; its right and lower ends may be {},{} at most", whole[0], whole[1], whole[0], whole[1])]
    CropOutside {
        /// Part of the picture that was asked for.
        crop: Crop,
        /// Columns and rows of the picture.
        whole: [u32; 2],
    },
    /// The system could grant the memory, but does not have that much free.
    #[error("a picture of {width}x{height} pixels needs {} MB to render and write, but {} MB are free; render fewer pixels", needed >> 20, free >> 20)]
    Memory {
        /// Columns of the picture.
        width: u32,
        /// Rows of the picture.
        height: u32,
        /// Bytes needed for the sums, and for writing them to a file.
        needed: u64,
        /// Number of bytes that are free.
        free: u64,
    },
}

/// Bytes per pixel that writing a picture takes besides the sums: means, bytes in the format, and the file in memory.
const WRITING_BYTES: u64 = 32;
/// Size in bytes up to which a film is not compared with the free memory, since figures of that are rough.
const SMALL_BYTES: u64 = 256 << 20;

/// Sums of the samples of each pixel of a picture or a part of it, in tiles. A pixel is named by its place in the whole
/// picture, also where the film holds only a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Film {
    window: Window,
    /// Side length of tiles in pixels; the last tile of a row or column may be smaller.
    tile: u32,
    /// Tiles of the film, row by row from the top, `columns` in a row.
    tiles: Vec<Tile>,
    columns: u32,
    features: bool,
}

impl Film {
    /// Makes an empty film of `size` (columns, rows), with sums of albedo, normal and depth if `features`.
    ///
    /// Tiles have [`MAX_TILE`] pixels a side, or down to an eighth of it where the picture would have too few tiles
    /// to share out. The tile size never changes a sum.
    ///
    /// # Errors
    /// [`FilmError`] if a side is zero or the memory is not there (40 bytes a pixel, 96 with features, and 32 to
    /// write the picture).
    pub fn new(size: [u32; 2], features: bool) -> Result<Self, FilmError> {
        Self::of(Window::all(size), features)
    }

    /// Makes an empty film of a part of a picture; `features` as for [`Film::new`].
    ///
    /// # Errors
    /// As [`Film::new`].
    pub fn of(window: Window, features: bool) -> Result<Self, FilmError> {
        let size = window.size;
        let mut tile = MAX_TILE;
        while tile > MAX_TILE / 8 && u64::from(size[0].div_ceil(tile)) * u64::from(size[1].div_ceil(tile)) < 256 {
            tile /= 2;
        }
        Self::tiled(window, features, tile)
    }

    /// Makes an empty film as [`Film::new`] does, with tiles of `tile` pixels a side, clamped to 1 to [`MAX_TILE`].
    ///
    /// # Errors
    /// As [`Film::new`].
    pub fn with_tile(size: [u32; 2], features: bool, tile: u32) -> Result<Self, FilmError> {
        Self::tiled(Window::all(size), features, tile)
    }

    fn tiled(window: Window, features: bool, tile: u32) -> Result<Self, FilmError> {
        let [width, height] = window.size;
        if width == 0 || height == 0 {
            return Err(FilmError::Empty(width, height));
        }
        let tile = tile.clamp(1, MAX_TILE);
        let (columns, rows) = (width.div_ceil(tile), height.div_ceil(tile));
        let too_large = |_| FilmError::TooLarge(width, height);
        // Asked for as a whole first: many small reservations could succeed one by one and be killed later.
        let pixels =
            usize::try_from(u64::from(width) * u64::from(height)).map_err(|_| FilmError::TooLarge(width, height))?;
        let room = if features { reservable::<(PixelSums, FeatureSums)> } else { reservable::<PixelSums> };
        room(pixels).map_err(too_large)?;
        let sums_bytes = size_of::<PixelSums>() + if features { size_of::<FeatureSums>() } else { 0 };
        let needed = pixels as u64 * (sums_bytes as u64 + WRITING_BYTES);
        if let Some(free) = raywarp_system::memory::available().filter(|&free| needed > free.max(SMALL_BYTES)) {
            return Err(FilmError::Memory { width, height, needed, free });
        }
        let mut tiles = Vec::new();
        tiles.try_reserve_exact((u64::from(columns) * u64::from(rows)) as usize).map_err(too_large)?;
        let first = first_pixel(&window);
        for row in 0..rows {
            for column in 0..columns {
                let inside = [column * tile, row * tile];
                let tile_size = [tile.min(width - inside[0]), tile.min(height - inside[1])];
                let origin = [first[0] + inside[0], first[1] + inside[1]];
                let count = tile_size[0] as usize * tile_size[1] as usize;
                let sums = zeroed(count).map_err(too_large)?;
                let feature_sums = zeroed(if features { count } else { 0 }).map_err(too_large)?;
                tiles.push(Tile::new(origin, tile_size, sums, feature_sums));
            }
        }
        Ok(Self { window, tile, tiles, columns, features })
    }

    /// Copies the film, or returns an error if memory does not suffice.
    ///
    /// # Errors
    /// As [`Film::new`].
    pub fn try_clone(&self) -> Result<Self, FilmError> {
        // Who looks for the room of an empty one finds that of a copy.
        drop(Self::tiled(self.window, self.features, self.tile)?);
        Ok(self.clone())
    }

    /// Returns the film's columns and rows.
    pub fn size(&self) -> [u32; 2] {
        self.window.size
    }

    /// Returns the part of the whole picture that the film holds.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Returns the number of pixels: columns times rows.
    pub fn pixel_count(&self) -> usize {
        self.window.pixel_count()
    }

    /// Returns `true` if the film has sums of albedo, normal and depth.
    pub fn has_features(&self) -> bool {
        self.features
    }

    /// Returns the film's tiles, row by row from the top.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Returns the number of tiles in a row.
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// Returns the tiles for workers to add samples to, each to its own.
    pub fn tiles_mut(&mut self) -> &mut [Tile] {
        &mut self.tiles
    }

    /// Adds one sample to a pixel; to add many, use [`Tile::add`] through [`Film::tiles_mut`].
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn add(&mut self, pixel: [u32; 2], sample: &SampleResult) {
        let i = self.tile_index(pixel);
        self.tiles[i].add(pixel, sample);
    }

    /// Returns the sums of the pixel at (column, row).
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn sums(&self, pixel: [u32; 2]) -> &PixelSums {
        self.tiles[self.tile_index(pixel)].sums(pixel)
    }

    /// Returns the sums of a pixel's albedo, normal and depth; `None` if the film has none.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn feature_sums(&self, pixel: [u32; 2]) -> Option<&FeatureSums> {
        self.tiles[self.tile_index(pixel)].feature_sums(pixel)
    }

    /// Returns the mean radiance of a pixel; black if it has no samples.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn mean(&self, pixel: [u32; 2]) -> [f32; 3] {
        self.sums(pixel).mean().map(|c| c as f32)
    }

    /// Returns the mean radiance of every pixel, row by row from the top.
    pub fn means(&self) -> Vec<[f32; 3]> {
        self.pixels().map(|p| self.mean(p)).collect()
    }

    /// Returns the estimated variance of the luminance of a pixel's mean; `None` with fewer than two samples.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn variance_of_mean(&self, pixel: [u32; 2]) -> Option<f64> {
        self.sums(pixel).variance_of_mean()
    }

    /// Returns a pixel's mean over the samples that hit something, for quantities like distance that misses lack;
    /// `None` if all missed.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn mean_of_hits(&self, pixel: [u32; 2]) -> Option<[f32; 3]> {
        let sums = self.sums(pixel);
        (sums.hits > 0).then(|| sums.radiance.map(|sum| (sum / f64::from(sums.hits)) as f32))
    }

    /// Returns the fraction of a pixel's samples that hit something, 0 to 1; 0 without samples.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn coverage(&self, pixel: [u32; 2]) -> f32 {
        let sums = self.sums(pixel);
        (f64::from(sums.hits) / f64::from(sums.samples.max(1))) as f32
    }

    /// Returns the positions (column, row) of all pixels, row by row from the top. Borrows nothing.
    pub fn pixels(&self) -> impl Iterator<Item = [u32; 2]> + use<> {
        let first = self.first();
        self.window.places().map(move |[x, y]| [first[0] + x, first[1] + y])
    }

    /// Returns the number of samples whose radiance was NaN, infinite or beyond [`LARGEST`], and so counted as black.
    pub fn invalid_samples(&self) -> u64 {
        self.tiles.iter().map(Tile::invalid_samples).sum()
    }

    /// Adds sums made elsewhere to a pixel, features only if this film has them.
    pub(crate) fn merge_pixel(&mut self, pixel: [u32; 2], sums: &PixelSums, features: Option<&FeatureSums>) {
        let i = self.tile_index(pixel);
        self.tiles[i].merge(pixel, sums, features);
    }

    /// Adds a number of invalid samples, for sums made elsewhere. Only the total has a meaning afterwards.
    pub(crate) fn count_invalid(&mut self, samples: u64) {
        self.tiles[0].count_invalid(samples);
    }

    fn tile_index(&self, pixel: [u32; 2]) -> usize {
        let (first, [width, height]) = (self.first(), self.size());
        // Wrapping makes a pixel left of or above the film huge, so one comparison refuses both sides.
        let [x, y] = [pixel[0].wrapping_sub(first[0]), pixel[1].wrapping_sub(first[1])];
        assert!(x < width && y < height, "pixel {pixel:?} is outside {}", self.window);
        (y / self.tile) as usize * self.columns as usize + (x / self.tile) as usize
    }

    /// Returns the position of the film's first pixel in the whole picture.
    fn first(&self) -> [u32; 2] {
        first_pixel(&self.window)
    }
}

/// Returns the position of a film's first pixel, which is not negative (only files of other programs have negative
/// ones).
fn first_pixel(window: &Window) -> [u32; 2] {
    window.origin.map(|at| u32::try_from(at).unwrap_or(0))
}

/// Checks that memory for `count` values can be reserved in one block.
fn reservable<T>(count: usize) -> Result<(), std::collections::TryReserveError> {
    let mut block = Vec::<T>::new();
    block.try_reserve_exact(count)?;
    // Without this the compiler may drop an allocation that nobody reads, and with it the answer.
    std::hint::black_box(&block);
    Ok(())
}

fn zeroed<T: Clone + Default>(count: usize) -> Result<Vec<T>, std::collections::TryReserveError> {
    let mut list = Vec::new();
    list.try_reserve_exact(count)?;
    list.resize(count, T::default());
    Ok(list)
}
