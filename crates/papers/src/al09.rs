//! Numbers that Aila and Laine 2009 print, by table and section.

use crate::SCENES_HERE;
use serde::Deserialize;

/// Numbers that AL09 prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Al09 {
    /// The paper's key.
    pub key: String,
    /// Authors, title, where and when.
    pub reference: String,
    /// Table 1: efficiencies and rates.
    pub table_1: Table1,
    /// Section 4: the gain of speculative traversal.
    pub speculation: Speculation,
    /// Section 5.1: the gain of replacing terminated rays.
    pub replacement: Replacement,
    /// Section 5.2: the gain of work queues.
    pub queue: Queue,
    /// Section 6: the gain of narrower warps.
    pub width: Width,
}

/// Table 1: SIMD efficiencies, simulated and measured rates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table1 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// The GPU's name.
    pub machine: String,
    /// The scenes, in the order of the cells.
    pub scenes: [String; 3],
    /// The rows of the table.
    pub method: Vec<Method>,
}

/// A method of Table 1.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// The paper's name of it.
    pub name: String,
    /// The name of the family's row.
    pub kernel: String,
    /// Numbers of primary rays.
    pub primary: Cells,
    /// Numbers of ambient occlusion rays.
    pub ao: Cells,
    /// Numbers of diffuse rays.
    pub diffuse: Cells,
}

/// Cells of Table 1 for a method and a kind of rays, by scene.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// SIMD efficiency of traversal and of intersection, per cent; a packet has none.
    pub efficiency: Option<[[u32; 2]; 3]>,
    /// Mrays/s of the paper's simulator.
    pub simulated: [f64; 3],
    /// Measured rates in Mrays/s.
    pub measured: [f64; 3],
}

/// AL09's section 4, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speculation {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Rows of the section: a pair of kernels each.
    pub row: Vec<SpeculationRow>,
}

/// Gain of a speculative kernel over another, per cent, for primary, AO and diffuse rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeculationRow {
    /// The kernel that speculates.
    pub kernel: String,
    /// The kernel that it is compared with.
    pub over: String,
    /// Gain in the cathedral of Sibenik.
    pub sibenik: [String; 3],
    /// Gain in the conference room.
    pub conference: [String; 3],
    /// Gain over all scenes of the table.
    pub all: [String; 3],
}

/// Section 5.1: the gain of replacing terminated rays, per cent, for primary, AO and diffuse rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Gain with inner loops of four iterations and the two instructions.
    pub four_iterations: [String; 3],
    /// Gain with inner loops of four iterations, without the two instructions.
    pub four_iterations_without_instructions: [String; 3],
    /// Gain with inner loops of any length.
    pub unlimited_iterations: [String; 3],
}

/// AL09's section 5.2, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// A queue in each row.
    pub row: Vec<QueueRow>,
}

/// A work queue: how much faster it is and how full lanes are, per cent, of primary, AO and diffuse rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueRow {
    /// Iterations of inner loops, at most.
    pub iterations: String,
    /// Iterations of the main loop between two looks for new rays.
    pub every: String,
    /// Gain of the queue, per cent.
    pub faster: [String; 3],
    /// Lanes that are filled.
    pub filled: [String; 3],
}

/// AL09's section 6, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Width {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Kernels in warps of 16.
    pub sixteen_lanes: Vec<WidthRow>,
    /// Warps of one lane, all kernels together: primary, AO and diffuse rays.
    pub one_lane: [String; 3],
}

/// A kernel in narrower warps: how much faster it is at least, on average and at most, per cent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WidthRow {
    /// The name of the family's row.
    pub kernel: String,
    /// Least gain (of primary rays), mean gain and largest gain (of diffuse rays).
    pub faster: [String; 3],
}

impl Method {
    /// Returns the cells of primary, AO and diffuse rays.
    pub fn kinds(&self) -> [&Cells; 3] {
        [&self.primary, &self.ao, &self.diffuse]
    }
}

impl Table1 {
    /// Finds the cells of a kernel, and the scene's place in them; none of scenes that are not here.
    fn find(&self, scene: &str, kernel: &str) -> Option<([&Cells; 3], usize)> {
        let place = self.scenes.iter().position(|known| known == scene && SCENES_HERE.contains(&scene))?;
        let method = self.method.iter().find(|method| method.kernel == kernel)?;
        Some((method.kinds(), place))
    }

    /// Returns SIMD efficiencies of traversal and intersection, per cent, of primary, AO and diffuse rays; none of
    /// packets, and of scenes that are not here.
    pub fn efficiencies(&self, scene: &str, kernel: &str) -> Option<[[u32; 2]; 3]> {
        let (kinds, place) = self.find(scene, kernel)?;
        let [Some(primary), Some(ao), Some(diffuse)] = kinds.map(|cells| cells.efficiency) else { return None };
        Some([primary[place], ao[place], diffuse[place]])
    }

    /// Returns simulated Mrays/s of primary, AO and diffuse rays; none of scenes that are not here.
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
