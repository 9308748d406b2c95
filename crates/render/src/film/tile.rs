//! A rectangle of the film that one worker owns while it renders.

use super::{FeatureSums, PixelSums, SampleResult};

/// Rectangle of a film's pixels, with their sums. Tiles of a film are disjoint and together they are the film, so
/// workers that hold different tiles need no lock, and adding to a tile is adding to the film.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    origin: [u32; 2],
    size: [u32; 2],
    pixels: Vec<PixelSums>,
    /// Sums of albedo, normal and depth, as many as `pixels`, or empty if the film has none.
    features: Vec<FeatureSums>,
    invalid_samples: u64,
}

impl Tile {
    pub(super) fn new(origin: [u32; 2], size: [u32; 2], pixels: Vec<PixelSums>, features: Vec<FeatureSums>) -> Self {
        Self { origin, size, pixels, features, invalid_samples: 0 }
    }

    /// Returns column and row of the tile's first pixel in the picture.
    pub fn origin(&self) -> [u32; 2] {
        self.origin
    }

    /// Returns the tile's columns and rows.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Returns the positions of the tile's pixels in the picture, row by row from the top. Borrows nothing.
    pub fn pixels(&self) -> impl ExactSizeIterator<Item = [u32; 2]> + use<> {
        let (origin, width) = (self.origin, self.size[0] as usize);
        (0..self.pixels.len()).map(move |i| [origin[0] + (i % width) as u32, origin[1] + (i / width) as u32])
    }

    /// Adds a sample to the pixel at a position in the picture. The sums depend on the order of a pixel's samples (in
    /// the last bit), so add them in the order of their index.
    ///
    /// # Panics
    /// If the pixel is not in the tile.
    #[inline]
    pub fn add(&mut self, pixel: [u32; 2], sample: &SampleResult) {
        let i = self.index(pixel);
        if !self.pixels[i].add(sample) {
            self.invalid_samples += 1;
        }
        if let Some(features) = self.features.get_mut(i) {
            features.add(sample);
        }
    }

    /// Returns the sums of the pixel at a position in the picture.
    ///
    /// # Panics
    /// If the pixel is not in the tile.
    #[inline]
    pub fn sums(&self, pixel: [u32; 2]) -> &PixelSums {
        &self.pixels[self.index(pixel)]
    }

    /// Returns the sums of a pixel's albedo, normal and depth; `None` if the film has none.
    ///
    /// # Panics
    /// If the pixel is not in the tile.
    pub fn feature_sums(&self, pixel: [u32; 2]) -> Option<&FeatureSums> {
        self.features.get(self.index(pixel))
    }

    /// Returns the number of samples whose radiance was NaN, infinite or beyond [`super::LARGEST`], and so counted as
    /// black.
    pub fn invalid_samples(&self) -> u64 {
        self.invalid_samples
    }

    /// Returns the sums of all pixels, row by row from the top.
    pub fn all_sums(&self) -> &[PixelSums] {
        &self.pixels
    }

    /// Returns the sums of albedo, normal and depth of all pixels; empty if the film has none.
    pub fn all_feature_sums(&self) -> &[FeatureSums] {
        &self.features
    }

    /// Replaces the tile's sums by those made elsewhere for the same pixels, and adds `invalid_samples` to their
    /// number.
    ///
    /// # Panics
    /// If there are more or fewer.
    pub fn set_sums(&mut self, pixels: &[PixelSums], features: &[FeatureSums], invalid_samples: u64) {
        self.pixels.copy_from_slice(pixels);
        self.features.copy_from_slice(features);
        self.invalid_samples += invalid_samples;
    }

    pub(super) fn merge(&mut self, pixel: [u32; 2], sums: &PixelSums, features: Option<&FeatureSums>) {
        let i = self.index(pixel);
        self.pixels[i].merge(sums);
        if let (Some(own), Some(other)) = (self.features.get_mut(i), features) {
            own.merge(other);
        }
    }

    pub(super) fn count_invalid(&mut self, samples: u64) {
        self.invalid_samples += samples;
    }

    #[inline]
    fn index(&self, pixel: [u32; 2]) -> usize {
        // Wrapping makes a pixel left of or above the tile huge, so one comparison refuses both sides.
        let [x, y] = [pixel[0].wrapping_sub(self.origin[0]), pixel[1].wrapping_sub(self.origin[1])];
        assert!(x < self.size[0] && y < self.size[1], "pixel {pixel:?} is not in the tile at {:?}", self.origin);
        y as usize * self.size[0] as usize + x as usize
    }
}
