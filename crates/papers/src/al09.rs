//! Numbers that Aila and Laine 2009 print, by table and section.

use crate::{Printed, SCENES_HERE};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Tables and figures printed in AL09 (Aila and Laine 2009).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Al09 {
    /// Citation key of the paper: `AL09`.
    pub key: String,
    /// Bibliographic reference of the paper: authors, title, venue and year.
    pub reference: String,
    /// Table 1: SIMD efficiencies, and rates in Mrays/s.
    pub table_1: Al09Table1,
    /// Section 3.2: running times of warps.
    pub running_times: RunningTimes,
    /// Section 4: speedup by speculative traversal.
    pub speculation: Speculation,
    /// Section 5.1: speedup by replacing terminated rays.
    pub replacement: Replacement,
    /// Section 5.2: speedup by work queues.
    pub queue: Queue,
    /// Section 6: speedup by warps narrower than 32 lanes.
    pub width: Width,
}

/// Table 1 of the paper: SIMD efficiencies, simulated and measured rates of each kernel.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Al09Table1 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Name of the GPU on which the rates were measured.
    pub machine: String,
    /// Names of the scenes, in the order of the columns in [`Cells`].
    pub scenes: [String; 3],
    /// Rows of the table, one for each traversal method.
    pub method: Vec<Method>,
}

/// Row of Table 1: a traversal method with its efficiencies and rates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Name of the method in the paper, such as `persistent while-while`.
    pub name: String,
    /// Name of Raywarp's kernel of this method, such as `al09-persistent-while-while`.
    pub kernel: String,
    /// SIMD efficiencies and rates for primary rays.
    pub primary: Cells,
    /// SIMD efficiencies and rates for ambient occlusion rays.
    pub ao: Cells,
    /// SIMD efficiencies and rates for diffuse rays.
    pub diffuse: Cells,
}

/// Cells of Table 1 for one method and one kind of rays, with an entry for each scene.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// SIMD efficiency of traversal and of intersection, in per cent, by scene; `None` for packet traversal.
    pub efficiency: Option<[[u32; 2]; 3]>,
    /// Rates of the paper's simulator in Mrays/s, by scene.
    pub simulated: [f64; 3],
    /// Rates measured on the GPU in Mrays/s, by scene.
    pub measured: [f64; 3],
}

/// Section 3.2 of the paper: running times of warps under if-if against those under while-while.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunningTimes {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Difference of the mean time, in per cent.
    pub mean: Printed,
    /// Difference of the slowest warps' time, in per cent.
    pub slowest: Printed,
    /// Statements of the section on the slowest warps and on the others, in its words.
    pub said: [String; 2],
}

/// Section 4 of the paper: speedup by speculative traversal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speculation {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Speedup that was measured, in per cent, for primary, AO and diffuse rays.
    pub measured: [String; 3],
    /// Reason that the paper gives for measuring less than was simulated.
    pub why: String,
    /// Rows of the section, each of a speculative kernel and the kernel it is compared with.
    pub row: Vec<SpeculationRow>,
}

/// Speedup by speculative traversal of one kernel over another, in per cent, for primary, AO and diffuse rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeculationRow {
    /// Name of the kernel with speculative traversal.
    pub kernel: String,
    /// Name of the kernel that it is compared with, which does not speculate.
    pub over: String,
    /// Speedup by scene, in per cent.
    pub scenes: BTreeMap<String, [Printed; 3]>,
    /// Speedup over all scenes of the table, in per cent.
    pub all: [Printed; 3],
}

impl SpeculationRow {
    /// Returns the speedup in a scene, or over all scenes where the paper has no numbers of it.
    pub fn of_scene(&self, scene: &str) -> &[Printed; 3] {
        self.scenes.get(scene).unwrap_or(&self.all)
    }
}

/// Section 5.1 of the paper: speedup by replacing terminated rays, in per cent, for primary, AO and diffuse rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Speedup with at most four iterations of the inner loops and with the two special instructions that the paper
    /// proposes.
    pub four_iterations: [Printed; 3],
    /// Speedup with at most four iterations of the inner loops, without the two special instructions that the paper
    /// proposes.
    pub four_iterations_without_instructions: [Printed; 3],
    /// Speedup with unlimited iterations of the inner loops.
    pub unlimited_iterations: [Printed; 3],
    /// Factor by which the overhead is larger without the two special instructions.
    pub overhead_without_instructions: f64,
    /// Speedup that was measured in single viewpoints, in per cent.
    pub measured: String,
}

/// Section 5.2 of the paper: speedup by work queues of rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Name of the scene.
    pub scene: String,
    /// Cost of fetching and setting up new rays, in instructions.
    pub fetch_cost: f64,
    /// Cost of exchanging rays between lanes and the queue, in instructions.
    pub shuffle_cost: f64,
    /// Rows of the section, one for each configuration of the queue.
    pub row: Vec<QueueRow>,
}

/// Row of section 5.2: speedup by a work queue and share of busy SIMD lanes, in per cent, for primary, AO and diffuse
/// rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueRow {
    /// Largest number of iterations of the inner loops.
    pub iterations: String,
    /// Number of iterations of the main loop between two checks for new rays.
    pub every: String,
    /// Speedup by the queue, in per cent, for primary, AO and diffuse rays.
    pub faster: [Printed; 3],
    /// Share of SIMD lanes that have a ray, in traversal and in intersection, in per cent, for primary, AO and diffuse
    /// rays.
    pub filled: [Printed; 3],
    /// Simulated rate in Mrays/s, for primary, AO and diffuse rays.
    #[serde(default)]
    pub rate: [Printed; 3],
}

/// Section 6 of the paper: speedup by warps narrower than 32 lanes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Width {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Statement of the section on warps of 16 lanes, in its words.
    pub sixteen_lanes_said: String,
    /// Statement of the section on warps of one lane, in its words.
    pub one_lane_said: String,
    /// Speedup by warps of 16 lanes, one row for each kernel.
    pub sixteen_lanes: Vec<WidthRow>,
    /// Speedup by warps of one lane, over all kernels, for primary, AO and diffuse rays.
    pub one_lane: [Printed; 3],
}

/// Row of section 6: least, mean and largest speedup of a kernel in narrower warps, in per cent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WidthRow {
    /// Name of Raywarp's kernel of the row, such as `al09-persistent-while-while`.
    pub kernel: String,
    /// Least speedup (of primary rays), mean speedup and largest speedup (of diffuse rays), in per cent.
    pub faster: [Printed; 3],
}

impl Method {
    /// Returns the cells for primary, AO and diffuse rays, in this order.
    pub fn kinds(&self) -> [&Cells; 3] {
        [&self.primary, &self.ao, &self.diffuse]
    }
}

impl Al09Table1 {
    /// Returns the cells of a kernel and the column of a scene in them; `None` if the table lacks one of them.
    fn printed(&self, scene: &str, kernel: &str) -> Option<([&Cells; 3], usize)> {
        let place = self.scenes.iter().position(|known| known == scene)?;
        let method = self.method.iter().find(|method| method.kernel == kernel)?;
        Some((method.kinds(), place))
    }

    /// Returns what [`Table1::printed`] does; `None` for scenes that Raywarp lacks, too.
    fn find(&self, scene: &str, kernel: &str) -> Option<([&Cells; 3], usize)> {
        self.printed(scene, kernel).filter(|_| SCENES_HERE.contains(&scene))
    }

    /// Returns the SIMD efficiencies of traversal and intersection, in per cent, for primary, AO and diffuse rays of
    /// any scene in the table; `None` for packets.
    pub fn printed_efficiencies(&self, scene: &str, kernel: &str) -> Option<[[u32; 2]; 3]> {
        let (kinds, place) = self.printed(scene, kernel)?;
        let [Some(primary), Some(ao), Some(diffuse)] = kinds.map(|cells| cells.efficiency) else { return None };
        Some([primary[place], ao[place], diffuse[place]])
    }

    /// Returns the SIMD efficiencies of traversal and intersection, in per cent, for primary, AO and diffuse rays;
    /// `None` for packets, and for scenes that Raywarp lacks.
    pub fn efficiencies(&self, scene: &str, kernel: &str) -> Option<[[u32; 2]; 3]> {
        self.printed_efficiencies(scene, kernel).filter(|_| SCENES_HERE.contains(&scene))
    }

    /// Returns the measured rates over the simulated ones, in whole per cent as the table has them, for primary, AO and
    /// diffuse rays; `None` for scenes that Raywarp lacks.
    pub fn measured_of_simulated(&self, scene: &str, kernel: &str) -> Option<[Printed; 3]> {
        let (kinds, place) = self.find(scene, kernel)?;
        Some(kinds.map(|cells| Printed::number(100.0 * cells.measured[place] / cells.simulated[place], 0)))
    }

    /// Returns the simulated rates in Mrays/s for primary, AO and diffuse rays; `None` for scenes that Raywarp lacks.
    pub fn simulated(&self, scene: &str, kernel: &str) -> Option<[f64; 3]> {
        let (kinds, place) = self.find(scene, kernel)?;
        Some(kinds.map(|cells| cells.simulated[place]))
    }
}

#[cfg(test)]
mod tests {
    use crate::al09;

    #[test]
    fn a_persistent_supply_leaves_efficiency_as_it_is() {
        let table = &al09().table_1;
        for scene in ["sibenik", "conference"] {
            for of in ["while-while", "packet"] {
                let names = [format!("al09-{of}"), format!("al09-persistent-{of}")];
                let [own, persistent] =
                    names.each_ref().map(|name| (table.efficiencies(scene, name), table.simulated(scene, name)));
                assert_eq!(own, persistent, "{scene}, {of}");
                assert!(own.1.is_some() && own.0.is_some() == (of == "while-while"), "{scene}, {of}");
            }
        }
        assert_eq!(table.efficiencies("fairy", "al09-if-if"), None);
        assert_eq!(table.simulated("sibenik", "al09-if-if"), Some([97.0, 99.5, 51.7]));
    }

    #[test]
    fn measured_shares_are_those_in_the_table() {
        let of = |scene: &str, kernel: &str| {
            let shares = al09().table_1.measured_of_simulated(scene, kernel).unwrap();
            shares.map(|share| share.to_string())
        };
        assert_eq!(of("sibenik", "al09-while-while"), ["62", "62", "64"]);
        assert_eq!(of("sibenik", "al09-spec-if-if"), ["82", "75", "62"]);
        assert_eq!(of("sibenik", "al09-persistent-while-while"), ["90", "91", "82"]);
        assert_eq!(of("conference", "al09-while-while"), ["53", "54", "55"]);
        assert_eq!(of("conference", "al09-if-if"), ["70", "67", "64"]);
        assert_eq!(al09().table_1.measured_of_simulated("fairy", "al09-if-if"), None);
        assert_eq!(
            al09().table_1.printed_efficiencies("fairy", "al09-while-while").map(|[_, ao, diffuse]| [ao, diffuse]),
            Some([[50, 49], [35, 43]])
        );
    }

    #[test]
    fn every_method_was_measured_below_its_simulation() {
        let table = &al09().table_1;
        assert_eq!(table.method.len(), 7);
        for method in &table.method {
            for cells in method.kinds() {
                assert!(cells.measured.iter().zip(cells.simulated).all(|(measured, simulated)| *measured < simulated));
            }
        }
    }
}
