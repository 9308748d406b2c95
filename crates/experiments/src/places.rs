//! The memory of paths that keep their places: their marks, and two lists of those that go on.

use crate::bounces::mark;
use crate::launch::{ListCounters, PlacesRecord};
use raywarp_render_cuda::{Counters, OwnMemory, PathBatch};
use std::mem::offset_of;

/// Bytes of a mark, a place in a list, and a warp's sum.
const WORD: usize = 4;
/// Bytes of the counters, up to where the next array begins.
const COUNTERS: usize = size_of::<ListCounters>().next_multiple_of(16);
/// Largest number of warps that list paths together.
const MOST_LISTING_WARPS: usize = 2048;

/// Returns the number of warps that list a number of paths together: as many as a GPU runs at once, with some hundred
/// entries each.
pub(crate) const fn listing_warps(paths: usize) -> usize {
    // Whole blocks.
    let warps = paths.div_ceil(256).next_multiple_of(4);
    if warps < MOST_LISTING_WARPS { warps } else { MOST_LISTING_WARPS }
}

/// Returns the sizes of the memory of paths that keep their places, with or without lists of them.
pub(crate) const fn memory(lists: bool) -> OwnMemory {
    if lists {
        OwnMemory { path_bytes: 3 * WORD, fixed_bytes: COUNTERS + MOST_LISTING_WARPS * WORD }
    } else {
        OwnMemory { path_bytes: WORD, fixed_bytes: COUNTERS }
    }
}

/// Addresses of the arrays of paths that keep their places.
pub(crate) struct PlaceArrays {
    /// Parameters before any bounce: none is listed, and a launch extends a path by one segment.
    pub places: PlacesRecord,
    /// Addresses of the two lists, if there are lists.
    pub lists: [u64; 2],
}

impl PlaceArrays {
    /// Lays the arrays out in a batch's own [`memory`], with the two lists if `lists`.
    pub fn of(batch: &mut PathBatch<'_>, lists: bool) -> Self {
        let (counters, own, paths) = (batch.render.counters, batch.own_memory(), batch.render.capacity as usize);
        let sums = own + COUNTERS as u64;
        let alive = if lists { sums + (MOST_LISTING_WARPS * WORD) as u64 } else { sums };
        let list = |i: usize| alive + (i * paths * WORD) as u64;
        let places = PlacesRecord {
            counters: own,
            alive,
            list: 0,
            next_list: 0,
            sums: if lists { sums } else { 0 },
            count: counters + offset_of!(Counters, active) as u64,
            listed: counters + offset_of!(Counters, survivors) as u64,
            segments: 1,
            begun_before: 0,
            listed_marks: mark::GOES_ON,
            in_parts: 0,
        };
        Self { places, lists: if lists { [list(1), list(2)] } else { [0; 2] } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps_that_list_are_whole_blocks_and_as_many_as_paths_need_up_to_a_limit() {
        // 256 paths a warp, 4 warps a block, at most 512 blocks.
        for (paths, warps) in [
            (0, 0),
            (1, 4),
            (4 * 256, 4),
            (4 * 256 + 1, 8),
            (2044 * 256, 2044),
            (2044 * 256 + 1, 2048),
            (2048 * 256 + 1, 2048),
            (1 << 26, 2048),
        ] {
            assert_eq!(listing_warps(paths), warps, "{paths} paths");
        }
    }

    #[test]
    fn a_mark_takes_a_word_and_two_lists_two_more() {
        assert_eq!(memory(false), OwnMemory { path_bytes: 4, fixed_bytes: 16 });
        assert_eq!(memory(true), OwnMemory { path_bytes: 12, fixed_bytes: 16 + 4 * listing_warps(1 << 26) });
    }
}
