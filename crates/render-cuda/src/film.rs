//! The sums of a film in a device's memory: those of the tiles that the device renders, one tile behind the other,
//! and in each of them row by row, or block by block, so that neighbouring lanes look through neighbouring pixels on
//! all sides.

use crate::share::TileShare;
use raywarp_cuda::{CudaError, Device, DeviceBuffer, Stream};
use raywarp_render::film::{FeatureSums, Film, PixelSums, Tile};

/// Number of pixels copied at a time (up to a tile more), so that some 7 MB suffice besides the film, whatever its
/// size.
const PORTION: usize = 1 << 16;

/// Side length in pixels of the square blocks of [`PixelOrder::Blocks`].
const BLOCK: usize = 8;

/// Order of the pixels of a tile in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PixelOrder {
    /// Row by row, as in the picture.
    Rows,
    /// Blocks of 8 x 8 pixels (W11 B).
    Blocks,
}

/// Lists the pixels of a tile of the given columns and rows, block by block, as row-major indices.
fn by_blocks([columns, rows]: [u32; 2]) -> impl Iterator<Item = usize> {
    let [columns, rows] = [columns as usize, rows as usize];
    (0..rows).step_by(BLOCK).flat_map(move |top| {
        (0..columns).step_by(BLOCK).flat_map(move |left| {
            let [below, behind] = [(top, rows), (left, columns)].map(|(first, end)| (first + BLOCK).min(end));
            (top..below).flat_map(move |row| (left..behind).map(move |column| row * columns + column))
        })
    })
}

/// Lists the pixels of a whole picture, as row-major indices, in the order in which they are dealt to lanes that keep
/// their path.
pub fn pixels_by_lane(film: &Film) -> Vec<usize> {
    let width = film.size()[0];
    let of_tile = |tile: &Tile| -> Vec<usize> {
        let own: Vec<usize> = tile.pixels().map(|[x, y]| (y * width + x) as usize).collect();
        by_blocks(tile.size()).map(|pixel| own[pixel]).collect()
    };
    film.tiles().iter().flat_map(of_tile).collect()
}

/// Reorders values from block by block into row by row; empty input gives empty output.
fn row_by_row<T: Copy + Default>(size: [u32; 2], by_block: &[T], rows: &mut Vec<T>) {
    rows.clear();
    rows.resize(by_block.len(), T::default());
    for (pixel, value) in by_blocks(size).zip(by_block) {
        rows[pixel] = *value;
    }
}

#[derive(Debug)]
pub(crate) struct DeviceFilm {
    order: PixelOrder,
    /// Row-major index in the whole picture of each pixel.
    pub pixels: DeviceBuffer<u32>,
    pub sums: DeviceBuffer<PixelSums>,
    /// Sums of the first-hit layers (albedo, normal, depth), if the film has them.
    pub features: Option<DeviceBuffer<FeatureSums>>,
}

impl DeviceFilm {
    /// Returns the bytes of device memory that a number of pixels takes.
    pub fn bytes(pixels: usize, features: bool) -> usize {
        pixels * (4 + size_of::<PixelSums>() + if features { size_of::<FeatureSums>() } else { 0 })
    }

    /// Uploads the pixels of a `share` of the film, whose picture has `width` columns.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] before anything is allocated, [`CudaError::Driver`].
    pub fn upload(
        device: &Device,
        stream: &Stream,
        film: &Film,
        share: TileShare,
        (width, order): (u32, PixelOrder),
    ) -> Result<Self, CudaError> {
        let count = share.pixels(film);
        device.check_room("the film", Self::bytes(count, film.has_features()))?;
        let features = if film.has_features() { Some(stream.zeros(count)?) } else { None };
        let mut on_device = Self { order, pixels: stream.zeros(count)?, sums: stream.zeros(count)?, features };
        let (mut pixels, mut sums, mut features) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = 0;
        let mut tiles = film.tiles().iter().enumerate().filter(|(i, _)| share.has(*i, film.columns())).peekable();
        while let Some((_, tile)) = tiles.next() {
            let own = tile.pixels().map(|[x, y]| y * width + x);
            match order {
                PixelOrder::Rows => {
                    pixels.extend(own);
                    sums.extend_from_slice(tile.all_sums());
                    features.extend_from_slice(tile.all_feature_sums());
                }
                PixelOrder::Blocks => {
                    let own: Vec<u32> = own.collect();
                    for pixel in by_blocks(tile.size()) {
                        pixels.push(own[pixel]);
                        sums.push(tile.all_sums()[pixel]);
                        features.extend(tile.all_feature_sums().get(pixel));
                    }
                }
            }
            if pixels.len() < PORTION && tiles.peek().is_some() {
                continue;
            }
            stream.write_at(&mut on_device.pixels, first, &pixels)?;
            stream.write_at(&mut on_device.sums, first, &sums)?;
            if let Some(buffer) = &mut on_device.features {
                stream.write_at(buffer, first, &features)?;
            }
            first += pixels.len();
            pixels.clear();
            sums.clear();
            features.clear();
        }
        Ok(on_device)
    }

    /// Copies the sums of the share's `tiles` back to the host, and adds `invalid` to the number of invalid samples.
    ///
    /// # Errors
    /// [`CudaError::Driver`]; some tiles may then be as they were.
    pub fn fetch(&self, stream: &Stream, tiles: &mut [&mut Tile], mut invalid: u64) -> Result<(), CudaError> {
        let (mut sums, mut features) = (Vec::new(), Vec::new());
        let (mut of_tile, mut features_of_tile) = (Vec::new(), Vec::new());
        let (mut first, mut rest) = (0, tiles);
        while !rest.is_empty() {
            let (mut count, mut taken) = (0, 0);
            while count < PORTION && taken < rest.len() {
                count += rest[taken].all_sums().len();
                taken += 1;
            }
            let (portion, others) = std::mem::take(&mut rest).split_at_mut(taken);
            sums.resize(count, PixelSums::default());
            stream.read_at(&self.sums, first, &mut sums)?;
            if let Some(buffer) = &self.features {
                features.resize(count, FeatureSums::default());
                stream.read_at(buffer, first, &mut features)?;
            }
            let (mut own, mut own_features) = (&sums[..], &features[..]);
            for tile in portion {
                let (by_block, more) = own.split_at(tile.all_sums().len());
                let (features_by_block, more_features) = own_features.split_at(tile.all_feature_sums().len());
                let invalid = std::mem::take(&mut invalid);
                if self.order == PixelOrder::Rows {
                    tile.set_sums(by_block, features_by_block, invalid);
                } else {
                    row_by_row(tile.size(), by_block, &mut of_tile);
                    row_by_row(tile.size(), features_by_block, &mut features_of_tile);
                    tile.set_sums(&of_tile, &features_of_tile, invalid);
                }
                (own, own_features) = (more, more_features);
            }
            (first, rest) = (first + count, others);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_a_tile_stand_in_blocks_of_8_x_8_whatever_its_size() {
        // The last blocks of a tile of 11 x 10 are narrower, and lower.
        let order: Vec<usize> = by_blocks([11, 10]).collect();
        assert_eq!(order[..9], [0, 1, 2, 3, 4, 5, 6, 7, 11]);
        assert_eq!(order[64..68], [8, 9, 10, 19]);
        assert_eq!(order[64 + 24..64 + 24 + 3], [88, 89, 90]);
        assert_eq!(order[order.len() - 3..], [107, 108, 109]);
        let blocks = |order: &[usize]| -> Vec<[usize; 2]> {
            let mut blocks: Vec<[usize; 2]> = order.iter().map(|pixel| [pixel / 11 / 8, pixel % 11 / 8]).collect();
            blocks.dedup();
            blocks
        };
        assert_eq!(blocks(&order), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    }

    #[test]
    fn each_pixel_stands_there_once_and_comes_back_to_its_row() {
        for size in [[1, 1], [7, 9], [8, 8], [16, 8], [8, 17], [13, 1], [1, 13], [64, 64], [33, 50]] {
            let count = (size[0] * size[1]) as usize;
            let order: Vec<usize> = by_blocks(size).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..count), "{size:?}");
            // What was there before is forgotten, were it more.
            let mut rows = vec![usize::MAX; 5000];
            row_by_row(size, &order, &mut rows);
            assert!(rows.into_iter().eq(0..count), "{size:?}");
        }
        let mut rows = vec![1u32; 3];
        row_by_row([4, 4], &[], &mut rows);
        assert!(rows.is_empty());
    }
}
