//! Numbers that Wald 2011 prints, by table.

use serde::Deserialize;

/// Number of lanes of a warp.
const WARP: f64 = 32.0;

/// Tables and figures printed in W11 (Wald 2011).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct W11 {
    /// Citation key of the paper: `W11`.
    pub key: String,
    /// Bibliographic reference of the paper: author, title, venue and year.
    pub reference: String,
    /// Name of the GPU of all measurements.
    pub machine: String,
    /// Table 1: frames per second of each scene.
    pub table_1: W11Table1,
    /// Table 2: numbers of paths and warps at each bounce.
    pub table_2: W11Table2,
    /// Table 3: execution time of a warp at each bounce.
    pub table_3: Table3,
    /// Section 4: launch bounds of the kernels.
    pub kernels: W11Kernels,
    /// Figure 2: occupancy by shared memory.
    pub occupancy: OccupancyByTile,
    /// Section 4.2.2: cost of compaction itself.
    pub listing: ListingShare,
    /// Section 4.2.3: cost of keeping paths in memory between bounces.
    pub storing: StoringOverhead,
    /// Section 4.2.5: gain by compaction under heavier shading.
    pub longer_shading: LongerShading,
    /// Section 4.2.6: effect of speculative traversal.
    pub speculation: SpeculativeTraversal,
    /// Gain by sorting materials, as the paper quotes Hoberock et al. 2009.
    pub shading_by_material: ShadingByMaterial,
    /// Mean number of paths in a warp that still runs, without compaction.
    pub paths_per_warp: PathsPerWarp,
}

/// Table 1 of the paper: frames per second of each scene, without and with compaction.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct W11Table1 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Rows of the table, one for each scene.
    pub scene: Vec<CompactionScene>,
}

/// Row of Table 1: a scene with its frames per second, without and with compaction.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompactionScene {
    /// Name of the scene.
    pub name: String,
    /// Frames per second without compaction of paths.
    pub naive: f64,
    /// Frames per second with compaction of paths over the whole frame.
    pub compacted: f64,
    /// Frames per second with compaction of paths within tiles, in shared memory.
    pub tiled: f64,
}

/// Table 2 of the paper: numbers of paths and warps at each bounce.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct W11Table2 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Rows of the table, one for each bounce, from bounce 0 on.
    pub bounce: Vec<CompactionBounce>,
}

/// Row of Table 2: numbers of paths and warps at one bounce.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompactionBounce {
    /// Number of paths at the bounce, in thousands.
    pub kilo_paths: f64,
    /// Number of warps that still run without compaction.
    pub naive_warps: f64,
    /// Number of warps that run with compaction, in thousands.
    pub kilo_compact_warps: f64,
    /// Ratio of naive warps to compacted warps, summed up to this bounce.
    pub saved: f64,
}

impl CompactionScene {
    /// Returns the milliseconds of a frame without compaction and with it.
    pub fn frame_ms(&self) -> [f64; 2] {
        [self.naive, self.compacted].map(|frames_per_s| 1e3 / frames_per_s)
    }
}

impl W11Table1 {
    /// Returns the least and the largest ratio of the rates with compaction to those without, over all scenes.
    pub fn gains(&self) -> [f64; 2] {
        let gains = || self.scene.iter().map(|scene| scene.compacted / scene.naive);
        [gains().fold(f64::INFINITY, f64::min), gains().fold(0.0, f64::max)]
    }

    /// Returns the row of a scene; `None` if the table lacks it.
    pub fn of(&self, scene: &str) -> Option<&CompactionScene> {
        self.scene.iter().find(|row| row.name == scene)
    }
}

impl W11Table2 {
    /// Returns how many times fewer warps run with compaction, over all bounces.
    pub fn saved(&self) -> f64 {
        self.bounce.last().map_or(f64::NAN, |bounce| bounce.saved)
    }
}

impl W11 {
    /// Returns the milliseconds of all bounces of a frame without compaction and with it: warps of Table 2 times times
    /// of Table 3.
    pub fn bounces_ms(&self) -> [f64; 2] {
        let rows = || self.table_2.bounce.iter().zip(&self.table_3.bounce);
        let naive: f64 = rows().map(|(row, time)| row.naive_warps * time.naive).sum();
        let compacted: f64 = rows().map(|(row, time)| 1e3 * row.kilo_paths / WARP * time.compacted).sum();
        [naive / 1e3, compacted / 1e3]
    }
}

impl StoringOverhead {
    /// Returns the overhead in per cent, as the mean of its least and largest value.
    pub fn mean(&self) -> f64 {
        self.percent.map(f64::from).iter().sum::<f64>() / 2.0
    }
}

impl CompactionBounce {
    /// Returns the mean number of paths in a warp that still runs without compaction at this bounce.
    pub fn paths_per_naive_warp(&self) -> f64 {
        1e3 * self.kilo_paths / self.naive_warps
    }
}

/// Table 3 of the paper: execution time of a warp at each bounce, without and with compaction.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table3 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Rows of the table, one for each bounce, from bounce 0 on.
    pub bounce: Vec<WarpTime>,
}

/// Row of Table 3: execution time of a warp at one bounce, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarpTime {
    /// Time of a warp without compaction, in microseconds.
    pub naive: f64,
    /// Time of a warp with compaction of paths, in microseconds.
    pub compacted: f64,
}

impl WarpTime {
    /// Returns the times without compaction and with it, in microseconds.
    pub fn pair(self) -> [f64; 2] {
        [self.naive, self.compacted]
    }
}

/// Section 4 of the paper: launch bounds with which all kernels are fastest.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct W11Kernels {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Number of threads of a block.
    pub block_threads: u32,
    /// Number of registers of a thread.
    pub registers: u32,
}

/// Figure 2 of the paper: occupancy of a kernel by its shared memory, in per cent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OccupancyByTile {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Occupancy without shared memory.
    pub no_shared_memory: u32,
    /// Occupancy with tiles of paths in shared memory, by size of the tiles.
    pub tiles: Vec<PrintedTileOccupancy>,
}

/// Occupancy with tiles of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedTileOccupancy {
    /// Number of a tile's paths for each thread of its block: the paper's M.
    pub paths_per_thread: u32,
    /// Occupancy in per cent.
    pub percent: u32,
}

/// Section 4.2.2 of the paper: share of the run time that compaction itself takes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListingShare {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Share in per cent.
    pub percent: String,
}

/// Section 4.2.3 of the paper: overhead of keeping paths in memory between bounces.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoringOverhead {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Least and largest overhead in per cent.
    pub percent: [u32; 2],
}

/// Section 4.2.5 of the paper: gain by compaction under heavier shading.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongerShading {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Gain where arithmetic doubles the naive kernel's frame time.
    pub arithmetic: String,
    /// Gain with a search in an environment map.
    pub search: String,
}

/// Section 4.2.6 of the paper: effect of speculative traversal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeculativeTraversal {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Statement of the section, in words.
    pub said: String,
}

/// Gain by sorting materials in Hoberock et al. 2009, which the paper quotes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShadingByMaterial {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Speedup of shading alone, in per cent.
    pub percent: String,
}

/// Mean number of paths in a warp that still runs without compaction, with its place in the paper.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathsPerWarp {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Mean over all bounces.
    pub mean: f64,
}

#[cfg(test)]
mod tests {
    use crate::w11;

    /// Checks that the columns of the paper's table agree with each other and with its text.
    #[test]
    fn the_printed_table_agrees_with_itself() {
        let table = &w11().table_2.bounce;
        let pixels = 1280.0 * 768.0;
        assert_eq!((table.len(), table[0].naive_warps), (9, pixels / 32.0));
        let (mut paths, mut naive, mut compact) = (0.0, 0.0, 0.0);
        for (bounce, row) in table.iter().enumerate() {
            // Compacted warps are the paths over 32, rounded as printed.
            assert!((row.kilo_paths / 32.0 - row.kilo_compact_warps).abs() < 0.51, "bounce {bounce}");
            paths += 1e3 * row.kilo_paths;
            naive += row.naive_warps;
            compact += 1e3 * row.kilo_compact_warps;
            assert!((naive / compact - row.saved).abs() < 0.06, "bounce {bounce}: {}", naive / compact);
        }
        // "13.8 out of 32"; 3,474 and 250 thousand beside the last row.
        assert_eq!(paths, 3_474e3);
        assert!((naive / 1e3 - 250.0).abs() < 0.5, "{naive}");
        let mean = w11().paths_per_warp.mean;
        assert!((mean..mean + 0.1).contains(&(paths / naive)), "{}", paths / naive);
    }

    #[test]
    fn table_3_adds_up_to_the_frames_that_the_paper_tells_of() {
        // Table 1's frames of fairy, where they are stored 7 to 8 % longer, and with compaction.
        let [off, on] = w11().bounces_ms();
        let [naive, compacted] = w11().table_1.of("fairy").unwrap().frame_ms();
        assert_eq!(w11().table_3.bounce.len(), 9);
        assert!((off / (naive * (1.0 + w11().storing.mean() / 100.0)) - 1.0).abs() < 0.01, "{off}");
        assert!((on / compacted - 1.0).abs() < 0.02, "{on}");
        assert_eq!([off, on, naive, compacted].map(|ms| format!("{ms:.0}")), ["342", "278", "319", "282"]);
        assert_eq!(w11().table_1.gains().map(|gain| format!("{gain:.2}")), ["1.12", "1.16"]);
    }
}
