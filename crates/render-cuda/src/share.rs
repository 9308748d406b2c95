//! The share of a film's tiles that a device renders, where several devices share one picture.

use raywarp_render::film::Film;

/// Share of a picture that one of `of` devices renders: that with number `index`.
///
/// The tile in column c and row r belongs to device (c + r) mod n. So neighbours belong to different devices, and what
/// is slow to render, which mostly lies together, is spread over all of them. Nothing depends on speeds: the same
/// devices always render the same pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileShare {
    /// Number of the share, from 0.
    pub index: usize,
    /// Number of shares, at least 1.
    pub of: usize,
}

impl TileShare {
    /// Share that is the whole picture.
    pub const ALL: Self = Self { index: 0, of: 1 };

    /// Returns `true` if this share has the tile numbered `tile` (row by row from the top) of a film with `columns`
    /// columns of tiles.
    pub fn has(self, tile: usize, columns: usize) -> bool {
        Self::index_of(self.of, tile, columns) == self.index
    }

    /// Returns the number of the share, of `of` shares, that a tile belongs to.
    pub(crate) fn index_of(of: usize, tile: usize, columns: usize) -> usize {
        (tile % columns + tile / columns) % of
    }

    /// Returns the number of pixels of `film` that belong to this share.
    pub fn pixels(self, film: &Film) -> usize {
        let tiles = film.tiles().iter().enumerate().filter(|(i, _)| self.has(*i, film.columns()));
        tiles.map(|(_, tile)| tile.all_sums().len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_the_whole_film_and_about_as_large_as_each_other() {
        for size in [[1024, 768], [1920, 1080], [64, 64], [7, 5], [4096, 8]] {
            let film = Film::new(size, false).unwrap();
            for of in 1..=8 {
                let shares: Vec<usize> = (0..of).map(|index| TileShare { index, of }.pixels(&film)).collect();
                assert_eq!(shares.iter().sum::<usize>(), film.pixel_count(), "{size:?}, {shares:?}");
                let tile = film.tiles()[0].all_sums().len();
                let spread = shares.iter().max().unwrap() - shares.iter().min().unwrap();
                // A row of tiles more or less on each of `of` diagonals, and the smaller tiles at the edges.
                assert!(spread <= of * tile + film.pixel_count() / 20, "{size:?}, {shares:?}");
            }
        }
    }

    #[test]
    fn neighbours_belong_to_different_devices() {
        for of in 2..=8 {
            for (tile, columns) in (0..64).map(|tile| (tile, 8)) {
                let at = |tile| TileShare::index_of(of, tile, columns);
                assert!(tile % columns == columns - 1 || at(tile) != at(tile + 1), "{of} {tile}");
                assert!(at(tile) != at(tile + columns), "{of} {tile}");
                assert!(TileShare { index: at(tile), of }.has(tile, columns));
            }
        }
    }
}
