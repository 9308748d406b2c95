//! Active thread compaction (W11): how many warps extend paths at each bounce, as paths end one by one.
//!
//! Three organisations of the same paths. *Naive* (W11 3.3): a thread keeps its path, so a warp runs as long as one of
//! its paths lives. *Compact* (3.4): before each bounce the living paths of the whole frame move together. *Tiled*
//! (3.5): they do so among the paths of a thread block, which holds a tile of them.
//!
//! What shared memory for tiles costs in resident warps is [`occupancy_curve`] (figure 2).
//!
//! Only lengths of paths go in; what they are paths of is the caller's matter. [`work`] takes their rays too: what a
//! warp does for them (Table 3).

mod work;

pub use work::{Work, work};

use crate::machine::{LaunchResources, Machine, Occupancy, OccupancyError, keys};

/// Number of segments of every light path of some frames, in the order in which threads take them.
///
/// A path of 3 is extended at bounces 0, 1 and 2. A thread without a path, as at the edge of a picture whose size
/// blocks don't divide, has 0.
#[derive(Debug, Clone, Copy)]
pub struct PathLengths<'a> {
    segments: &'a [u16],
    threads: usize,
}

impl<'a> PathLengths<'a> {
    /// Takes the segment counts of consecutive frames with `threads` paths each; no warp or tile has paths of two
    /// frames.
    ///
    /// Returns `None` unless `threads` is at least 1 and divides the length.
    pub fn new(segments: &'a [u16], threads: usize) -> Option<Self> {
        (threads > 0 && segments.len().is_multiple_of(threads)).then_some(Self { segments, threads })
    }

    /// Returns the number of frames that the segments are of.
    pub fn frames(&self) -> usize {
        self.segments.len() / self.threads
    }

    /// Returns the number of segments of the longest path.
    pub fn longest(&self) -> u16 {
        self.segments.iter().copied().max().unwrap_or(0)
    }
}

/// Path and warp counts of one bounce, over all frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounce {
    /// Number of light paths that are extended at the bounce.
    pub paths: u64,
    /// Number of warps with any such path, where threads keep their paths.
    pub naive_warps: u64,
    /// Number of warps with any such path, once all living paths of a frame are compacted.
    pub compact_warps: u64,
    /// Number of warps with any such path, once the living paths of each tile are compacted.
    pub tiled_warps: u64,
}

impl Bounce {
    /// Returns the sums of both bounces' counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            paths: self.paths + other.paths,
            naive_warps: self.naive_warps + other.naive_warps,
            compact_warps: self.compact_warps + other.compact_warps,
            tiled_warps: self.tiled_warps + other.tiled_warps,
        }
    }

    /// Returns the average number of living paths in a warp where threads keep their paths; NaN where there are no
    /// warps.
    pub fn naive_paths_per_warp(&self) -> f64 {
        self.paths as f64 / self.naive_warps as f64
    }

    /// Returns the factor by which fewer warps run with compaction of whole frames (W11's "saved"), at least 1; NaN
    /// where there are no warps.
    pub fn saved(&self) -> f64 {
        self.naive_warps as f64 / self.compact_warps as f64
    }

    /// Returns the factor by which fewer warps run with compaction within tiles.
    pub fn saved_by_tiles(&self) -> f64 {
        self.naive_warps as f64 / self.tiled_warps as f64
    }
}

/// Counts paths and warps of each bounce, from bounce 0 to the last of the longest path.
///
/// `width` is the lanes of a warp; `tile` the paths of a tile, a multiple of it (W11: 64 M, for M paths a thread in
/// blocks of 64). Warps are runs of `width` threads, the last of a frame perhaps not full; tiles likewise.
///
/// # Panics
/// If `width` or `tile` is 0, or `tile` is no multiple of `width`.
pub fn bounces(paths: PathLengths, width: usize, tile: usize) -> Vec<Bounce> {
    assert!(width > 0 && tile > 0 && tile.is_multiple_of(width), "a tile has whole warps");
    let count = usize::from(paths.longest());
    let mut sum = vec![Bounce::default(); count];
    // Living paths of a frame and of a tile, by bounce.
    let (mut frame_alive, mut tile_alive) = (vec![0_u64; count], vec![0_u64; count]);
    for frame in paths.segments.chunks(paths.threads) {
        for tile in frame.chunks(tile) {
            for warp in tile.chunks(width) {
                let longest = usize::from(warp.iter().copied().max().unwrap_or(0));
                sum[..longest].iter_mut().for_each(|bounce| bounce.naive_warps += 1);
            }
            living(tile, &mut tile_alive);
            for ((bounce, alive), in_tile) in sum.iter_mut().zip(&mut frame_alive).zip(&mut tile_alive) {
                bounce.tiled_warps += in_tile.div_ceil(width as u64);
                *alive += std::mem::take(in_tile);
            }
        }
        for (bounce, alive) in sum.iter_mut().zip(&mut frame_alive) {
            bounce.paths += *alive;
            bounce.compact_warps += std::mem::take(alive).div_ceil(width as u64);
        }
    }
    sum
}

/// Counts the paths that are alive at each bounce into `alive`, which must be all zero.
fn living(segments: &[u16], alive: &mut [u64]) {
    // Paths that end at a bounce first, then from the last bounce down those that end there or later.
    for &segments in segments.iter().filter(|&&segments| segments > 0) {
        alive[usize::from(segments) - 1] += 1;
    }
    for bounce in (1..alive.len()).rev() {
        alive[bounce - 1] += alive[bounce];
    }
}

/// Returns the curve on the right of W11's figure 2: occupancy of a multiprocessor by the shared memory of a block. Its
/// steps are of `step_bytes`, for a kernel of this many registers a thread and threads a block.
///
/// Registers above what a thread may have count as that: W11's 64 are 63 on its GTX 480, and take as many.
///
/// # Errors
/// [`OccupancyError`] if the machine refuses the block.
/// # Panics
/// If `step_bytes` is 0.
pub fn occupancy_curve(
    machine: &Machine,
    registers: u32,
    threads: u32,
    step_bytes: u32,
) -> Result<Vec<(u32, Occupancy)>, OccupancyError> {
    let registers_per_thread = registers.min(machine.count(keys::REGISTERS_PER_THREAD));
    let most = machine.count(keys::SHARED_PER_BLOCK);
    let launch = |shared_bytes_per_block| LaunchResources {
        registers_per_thread,
        shared_bytes_per_block,
        threads_per_block: threads,
    };
    let steps = (0..=most).step_by(step_bytes as usize);
    steps.map(|bytes| Ok((bytes, machine.occupancy(launch(bytes))?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts path by path and bounce by bounce, straight from the definitions.
    fn slow(segments: &[u16], threads: usize, width: usize, tile: usize) -> Vec<Bounce> {
        let longest = segments.iter().copied().max().unwrap_or(0);
        let mut all = Vec::new();
        for b in 0..longest {
            let mut bounce = Bounce::default();
            for frame in segments.chunks(threads) {
                let lives = |thread: usize| frame.get(thread).is_some_and(|&segments| segments > b);
                let alive = (0..frame.len()).filter(|&thread| lives(thread)).count();
                bounce.paths += alive as u64;
                for first in (0..frame.len()).step_by(width) {
                    bounce.naive_warps += u64::from((first..first + width).any(lives));
                }
                // Moved together, one path after the other takes the next lane.
                let warps = |alive: usize| (0..alive).filter(|lane| lane % width == 0).count() as u64;
                bounce.compact_warps += warps(alive);
                for first in (0..frame.len()).step_by(tile) {
                    bounce.tiled_warps += warps((first..first + tile).filter(|&thread| lives(thread)).count());
                }
            }
            all.push(bounce);
        }
        all
    }

    #[track_caller]
    fn check(segments: &[u16], threads: usize, width: usize, tile: usize) {
        let paths = PathLengths::new(segments, threads).unwrap();
        let (got, want) = (bounces(paths, width, tile), slow(segments, threads, width, tile));
        assert_eq!(got, want, "{} paths, {threads} threads, width {width}, tile {tile}", segments.len());
    }

    #[test]
    fn counts_are_those_of_every_thread_at_every_bounce() {
        let mut numbers = raywarp_testing::Random::new(1);
        let mut random = move |below: usize| numbers.below(below);
        for _ in 0..300 {
            let width = 1 << random(7);
            let tile = width * (1 + random(5));
            let threads = 1 + random(200);
            let (frames, longest) = (1 + random(3), random(12));
            let segments: Vec<u16> = (0..threads * frames).map(|_| random(longest + 1) as u16).collect();
            check(&segments, threads, width, tile);
        }
    }

    #[test]
    fn paths_of_one_length_fill_all_warps_to_their_end() {
        let all = bounces(PathLengths::new(&[3; 256], 128).unwrap(), 32, 64);
        let bounce = Bounce { paths: 256, naive_warps: 8, compact_warps: 8, tiled_warps: 8 };
        assert_eq!(all, [bounce; 3]);
        assert_eq!((bounce.naive_paths_per_warp(), bounce.saved(), bounce.saved_by_tiles()), (32.0, 1.0, 1.0));
    }

    #[test]
    fn one_long_path_per_warp_keeps_all_warps_until_it_is_compacted() {
        let segments: Vec<u16> = (0..1024).map(|thread| if thread % 32 == 0 { 2 } else { 1 }).collect();
        let all = bounces(PathLengths::new(&segments, 1024).unwrap(), 32, 256);
        assert_eq!(all[1], Bounce { paths: 32, naive_warps: 32, compact_warps: 1, tiled_warps: 4 });
        assert_eq!((all[1].naive_paths_per_warp(), all[1].saved(), all[1].saved_by_tiles()), (1.0, 32.0, 8.0));
    }

    #[test]
    fn frames_do_not_share_warps() {
        // One path each: two warps, though both fit into one.
        let all = bounces(PathLengths::new(&[1, 0, 1, 0], 2).unwrap(), 32, 32);
        assert_eq!(all, [Bounce { paths: 2, naive_warps: 2, compact_warps: 2, tiled_warps: 2 }]);
    }

    #[test]
    fn nothing_and_whole_frames_only() {
        assert_eq!(bounces(PathLengths::new(&[], 7).unwrap(), 32, 32), []);
        assert_eq!(bounces(PathLengths::new(&[0; 7], 7).unwrap(), 32, 32), []);
        assert!(PathLengths::new(&[1; 7], 0).is_none() && PathLengths::new(&[1; 7], 2).is_none());
        assert_eq!(bounces(PathLengths::new(&[u16::MAX], 1).unwrap(), 1, 1).len(), 65_535);
    }

    /// Checks figure 2 of W11: "33 % device occupancy even if the kernel uses no shared memory", 8 % at 24 KB, 4 % at
    /// what eight paths a thread take.
    #[test]
    fn shared_memory_takes_the_occupancy_that_figure_2_shows() {
        let curve = occupancy_curve(&Machine::find("gtx480").unwrap(), 64, 64, 1024).unwrap();
        assert_eq!(curve.len(), 49);
        let percent = |kilobytes: usize| (100.0 * curve[kilobytes].1.share).round();
        assert_eq!([0, 6, 24, 48].map(percent), [33.0, 33.0, 8.0, 4.0]);
        assert!(curve.windows(2).all(|pair| pair[1].1.share <= pair[0].1.share));
        // An H200 has four times the registers and nearly five times the shared memory.
        let curve = occupancy_curve(&Machine::find("h200").unwrap(), 64, 64, 1024).unwrap();
        assert_eq!([0, 6, 24, 48].map(|kilobytes: usize| curve[kilobytes].1.warps), [32, 32, 18, 8]);
        assert!(occupancy_curve(&Machine::find("gtx480").unwrap(), 64, 4096, 1024).is_err());
    }
}
