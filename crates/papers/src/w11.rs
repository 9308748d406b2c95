//! Numbers that Wald 2011 prints, by table.

use serde::Deserialize;

/// Numbers that W11 prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct W11 {
    /// The paper's key.
    pub key: String,
    /// Authors, title, where and when.
    pub reference: String,
    /// Table 1: frames a second.
    pub table_1: Table1,
    /// Table 2: paths and warps by bounce.
    pub table_2: Table2,
    /// Table 3: a warp's time by bounce.
    pub table_3: Table3,
    /// Mean number of paths in a warp that runs without compaction.
    pub paths_per_warp: PathsPerWarp,
}

/// W11's Table 1, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table1 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// The rows of the table.
    pub scene: Vec<CompactionScene>,
}

/// Frames a second of a scene.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompactionScene {
    /// The scene's name.
    pub name: String,
    /// Frames a second without compaction.
    pub naive: f64,
    /// Frames a second with compaction of whole frames.
    pub compacted: f64,
    /// Frames a second with compaction of tiles in shared memory.
    pub tiled: f64,
}

/// W11's Table 2, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table2 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Rows of the table by bounce, from 0 on.
    pub bounce: Vec<CompactionBounce>,
}

/// A bounce of Table 2.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompactionBounce {
    /// Paths of the bounce, in thousands.
    pub kilo_paths: f64,
    /// Warps that run without compaction.
    pub naive_warps: f64,
    /// Warps that run with compaction, in thousands.
    pub kilo_compact_warps: f64,
    /// Naive warps over compacted ones, this bounce and those before.
    pub saved: f64,
}

impl CompactionBounce {
    /// Returns the mean number of paths in a warp that still runs, without compaction.
    pub fn paths_per_naive_warp(&self) -> f64 {
        1e3 * self.kilo_paths / self.naive_warps
    }
}

/// W11's Table 3, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table3 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Rows of the table by bounce, from 0 on.
    pub bounce: Vec<WarpTime>,
}

/// A bounce of Table 3: microseconds of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarpTime {
    /// Time of a warp without compaction.
    pub naive: f64,
    /// Time of a warp with compaction of paths.
    pub compacted: f64,
}

impl WarpTime {
    /// Returns the time without compaction and with it.
    pub fn pair(self) -> [f64; 2] {
        [self.naive, self.compacted]
    }
}

/// Mean number of paths in a warp that runs without compaction.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathsPerWarp {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// The mean over all bounces.
    pub mean: f64,
}

#[cfg(test)]
mod tests {
    use crate::w11;

    /// The paper's table against its text: what its columns say of each other.
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
