//! The film: sums of what a render finds, pixel by pixel.
//!
//! Sums are `f64` and each pixel's samples are added in the order of their index, so that a picture depends neither
//! on threads nor on the passes in which it was rendered. The film lies in [`Tile`]s; a worker takes one as `&mut`,
//! renders a range of samples of its pixels and adds them there:
//!
//! ```
//! use raywarp_render::film::{Film, SampleResult};
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

/// Largest side of a tile in pixels: 64 x 64 pixels are one wave of paths.
pub const MAX_TILE: u32 = 64;

/// Reason for which a film cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilmError {
    /// A side of the picture is zero.
    #[error("a picture of {0}x{1} pixels is empty; both sides must be at least 1")]
    Empty(u32, u32),
    /// The memory is not to be had.
    #[error("a picture of {0}x{1} pixels needs more memory than there is; render fewer pixels")]
    TooLarge(u32, u32),
    /// The part to render is not in the picture.
    #[error("the crop {crop} reaches beyond the picture of {}x{} pixels; its right and lower ends may be {},{} at most", whole[0], whole[1], whole[0], whole[1])]
    CropOutside {
        /// Crop that was asked for.
        crop: Crop,
        /// Columns and rows of the picture.
        whole: [u32; 2],
    },
    /// The memory could be had, but is not there.
    #[error("a picture of {width}x{height} pixels needs {} MB to render and write, but {} MB are free; render fewer pixels", needed >> 20, free >> 20)]
    Memory {
        /// Columns of the picture.
        width: u32,
        /// Rows of the picture.
        height: u32,
        /// Number of bytes of the sums and of what writing them takes.
        needed: u64,
        /// Number of bytes that are free.
        free: u64,
    },
}

/// Number of bytes a pixel that writing a picture takes beside the sums: means, bytes of the format and the file in
/// memory.
const WRITING_BYTES: u64 = 32;
/// Number of bytes below which a film is not held against what is free: it will fit, and what systems say is rough.
const SMALL_BYTES: u64 = 256 << 20;

/// Sums of every pixel, rows from the top. A pixel is named by its place in the whole picture, also where the film
/// holds only a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Film {
    window: Window,
    /// Side of all tiles but the last of a row or column, which may be smaller.
    tile: u32,
    /// Tiles of the film, row by row; `columns` in a row.
    tiles: Vec<Tile>,
    columns: u32,
    features: bool,
}

impl Film {
    /// Makes an empty film of `size` (columns, rows), with albedo, normal and depth too if `features`.
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

    /// Makes an empty film, as [`Film::new`], of a part of a picture.
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

    /// Makes an empty film, as [`Film::new`], with tiles of `tile` pixels a side, brought to 1 to [`MAX_TILE`].
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

    /// Copies the film, as far as memory allows.
    ///
    /// # Errors
    /// As [`Film::new`].
    pub fn try_clone(&self) -> Result<Self, FilmError> {
        // Who looks for the room of an empty one finds that of a copy.
        drop(Self::tiled(self.window, self.features, self.tile)?);
        Ok(self.clone())
    }

    /// Returns columns and rows.
    pub fn size(&self) -> [u32; 2] {
        self.window.size
    }

    /// Returns the part of the picture that this film holds.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Returns the number of pixels: columns times rows.
    pub fn pixel_count(&self) -> usize {
        self.window.pixel_count()
    }

    /// Returns `true` if albedo, normal and depth are summed too.
    pub fn has_features(&self) -> bool {
        self.features
    }

    /// Returns the tiles, row by row from the top.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Returns the number of tiles in a row.
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// Returns the tiles for workers to add to: each may take its own.
    pub fn tiles_mut(&mut self) -> &mut [Tile] {
        &mut self.tiles
    }

    /// Adds one sample; for many, [`Tile::add`] through [`Film::tiles_mut`].
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn add(&mut self, pixel: [u32; 2], sample: &SampleResult) {
        let i = self.tile_index(pixel);
        self.tiles[i].add(pixel, sample);
    }

    /// Returns the sums of a pixel (column, row).
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn sums(&self, pixel: [u32; 2]) -> &PixelSums {
        self.tiles[self.tile_index(pixel)].sums(pixel)
    }

    /// Returns the feature sums of a pixel; `None` without features.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn feature_sums(&self, pixel: [u32; 2]) -> Option<&FeatureSums> {
        self.tiles[self.tile_index(pixel)].feature_sums(pixel)
    }

    /// Returns the mean radiance of a pixel; black where it has no sample.
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

    /// Returns the estimated variance of the luminance of a pixel's mean; `None` below two samples.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn variance_of_mean(&self, pixel: [u32; 2]) -> Option<f64> {
        self.sums(pixel).variance_of_mean()
    }

    /// Returns the mean of a pixel over the samples that hit something, `None` where none did: for distances, which
    /// have no value where there is nothing.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn mean_of_hits(&self, pixel: [u32; 2]) -> Option<[f32; 3]> {
        let sums = self.sums(pixel);
        (sums.hits > 0).then(|| sums.radiance.map(|sum| (sum / f64::from(sums.hits)) as f32))
    }

    /// Returns the share of a pixel's samples that hit something, 0 to 1; 0 without samples.
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn coverage(&self, pixel: [u32; 2]) -> f32 {
        let sums = self.sums(pixel);
        (f64::from(sums.hits) / f64::from(sums.samples.max(1))) as f32
    }

    /// Returns the places of all pixels, row by row from the top. Borrows nothing.
    pub fn pixels(&self) -> impl Iterator<Item = [u32; 2]> + use<> {
        let first = self.first();
        self.window.places().map(move |[x, y]| [first[0] + x, first[1] + y])
    }

    /// Returns the number of samples whose radiance was NaN, infinite or beyond [`LARGEST`], and so counted as black.
    pub fn invalid_samples(&self) -> u64 {
        self.tiles.iter().map(Tile::invalid_samples).sum()
    }

    /// Adds sums that were made elsewhere; features only where this film has them.
    pub(crate) fn merge_pixel(&mut self, pixel: [u32; 2], sums: &PixelSums, features: Option<&FeatureSums>) {
        let i = self.tile_index(pixel);
        self.tiles[i].merge(pixel, sums, features);
    }

    /// Counts invalid samples of sums that were made elsewhere. Only the total has a meaning afterwards.
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

    /// Returns the place of the first pixel in the whole picture.
    fn first(&self) -> [u32; 2] {
        first_pixel(&self.window)
    }
}

/// Returns the place of a film's first pixel, which is never negative: only files of other programs have such.
fn first_pixel(window: &Window) -> [u32; 2] {
    window.origin.map(|at| u32::try_from(at).unwrap_or(0))
}

/// Checks that one block of that size is to be had, by reserving it.
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
