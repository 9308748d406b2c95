//! Aila and Laine 2009.

use crate::SCENES_HERE;
use serde::Deserialize;

/// What AL09 prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Al09 {
    /// The paper's key.
    pub key: String,
    /// Authors, title, where and when.
    pub reference: String,
    /// Table 1: efficiencies and rates.
    pub table_1: Table1,
    /// Section 4: what speculative traversal gains.
    pub speculation: Speculation,
    /// Section 5.1: what replacing terminated rays gains.
    pub replacement: Replacement,
    /// Section 5.2: what work queues gain.
    pub queue: Queue,
    /// Section 6: what narrower warps gain.
    pub width: Width,
}

/// Table 1: SIMD efficiencies, simulated and measured rates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table1 {
    /// Where the paper has it.
    pub place: String,
    /// What it is of, in what units.
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
    /// What primary rays have.
    pub primary: Cells,
    /// Rays of ambient occlusion.
    pub ao: Cells,
    /// What diffuse rays have.
    pub diffuse: Cells,
}

/// What Table 1 has of a method and a kind of rays, by scene.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// SIMD efficiency of traversal and of intersection, per cent; a packet has none.
    pub efficiency: Option<[[u32; 2]; 3]>,
    /// Mrays/s of the paper's simulator.
    pub simulated: [f64; 3],
    /// Mrays/s that were measured.
    pub measured: [f64; 3],
}

/// AL09's section 4, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speculation {
    /// Where the paper has it.
    pub place: String,
    /// What it is of, in what units.
    pub what: String,
    /// A pair of kernels each.
    pub row: Vec<SpeculationRow>,
}

/// How much faster a speculative kernel is than another, per cent, of primary, AO and diffuse rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeculationRow {
    /// The kernel that speculates.
    pub kernel: String,
    /// What it is compared with.
    pub over: String,
    /// In the cathedral of Sibenik.
    pub sibenik: [String; 3],
    /// In the conference room.
    pub conference: [String; 3],
    /// Over all scenes of the table.
    pub all: [String; 3],
}

/// Section 5.1: how much faster replacing is, per cent, of primary, AO and diffuse rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// Where the paper has it.
    pub place: String,
    /// What it is of, in what units.
    pub what: String,
    /// With inner loops of four iterations and the two instructions.
    pub four_iterations: [String; 3],
    /// The same without the two instructions.
    pub four_iterations_without_instructions: [String; 3],
    /// With inner loops of any length.
    pub unlimited_iterations: [String; 3],
}

/// AL09's section 5.2, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Where the paper has it.
    pub place: String,
    /// What it is of, in what units.
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
    /// How much faster it is.
    pub faster: [String; 3],
    /// Lanes that are filled.
    pub filled: [String; 3],
}

/// AL09's section 6, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Width {
    /// Where the paper has it.
    pub place: String,
    /// What it is of, in what units.
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
    /// Least (primary rays), mean, most (diffuse rays).
    pub faster: [String; 3],
}

impl Method {
    /// The cells of primary, AO and diffuse rays.
    pub fn kinds(&self) -> [&Cells; 3] {
        [&self.primary, &self.ao, &self.diffuse]
    }
}

impl Table1 {
    /// The cells of a kernel, and the scene's place in them; none of scenes that are not here.
    fn find(&self, scene: &str, kernel: &str) -> Option<([&Cells; 3], usize)> {
        let place = self.scenes.iter().position(|known| known == scene && SCENES_HERE.contains(&scene))?;
        let method = self.method.iter().find(|method| method.kernel == kernel)?;
        Some((method.kinds(), place))
    }

    /// SIMD efficiencies of traversal and intersection, per cent, of primary, AO and diffuse rays; none of packets, and of scenes
    /// that are not here.
    pub fn efficiencies(&self, scene: &str, kernel: &str) -> Option<[[u32; 2]; 3]> {
        let (kinds, place) = self.find(scene, kernel)?;
        let [Some(primary), Some(ao), Some(diffuse)] = kinds.map(|cells| cells.efficiency) else { return None };
        Some([primary[place], ao[place], diffuse[place]])
    }

    /// Simulated Mrays/s of primary, AO and diffuse rays; none of scenes that are not here.
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
