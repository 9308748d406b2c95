//! Numbers that Wald 2011 prints, by table.

use serde::Deserialize;

/// Tables and figures printed in W11 (Wald 2011).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct W11 {
    /// Citation key of the paper: `W11`.
    pub key: String,
    /// Bibliographic reference of the paper: author, title, venue and year.
    pub reference: String,
    /// Table 1: frames per second of each scene.
    pub table_1: W11Table1,
    /// Table 2: numbers of paths and warps at each bounce.
    pub table_2: W11Table2,
    /// Table 3: execution time of a warp at each bounce.
    pub table_3: Table3,
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
        // 342 ms without compaction, 278 with.
        let rows = || w11().table_2.bounce.iter().zip(&w11().table_3.bounce);
        let off: f64 = rows().map(|(row, time)| row.naive_warps * time.naive).sum();
        let on: f64 = rows().map(|(row, time)| 1e3 * row.kilo_paths / 32.0 * time.compacted).sum();
        assert_eq!(w11().table_3.bounce.len(), 9);
        assert!((off / 1e3 / 342.0 - 1.0).abs() < 0.01, "{off}");
        assert!((on / 1e3 / 278.0 - 1.0).abs() < 0.01, "{on}");
    }
}
