//! Numbers that Aila, Laine and Karras 2012 print, by table.

use serde::Deserialize;

/// Tables printed in ALK12 (Aila, Laine and Karras 2012).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alk12 {
    /// Citation key of the paper: `ALK12`.
    pub key: String,
    /// Bibliographic reference of the paper: authors, title, venue and year.
    pub reference: String,
    /// Table 1: rates in Mrays/s on three generations of GPUs.
    pub table_1: Alk12Table1,
    /// Table 2: effect of each design choice of a kernel, in words.
    pub table_2: Alk12Table2,
}

/// Table 1 of the paper: rates in Mrays/s of scenes on three generations of GPUs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alk12Table1 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Names of Raywarp's machine files for the three GPUs, oldest first.
    pub machines: [String; 3],
    /// Rows of the table, one for each scene.
    pub scene: Vec<GenerationScene>,
}

/// Row of Table 1: a scene with its rates for each kind of rays.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationScene {
    /// Name of the scene.
    pub name: String,
    /// Rates for primary rays, by GPU generation.
    pub primary: Generations,
    /// Rates for ambient occlusion rays, by GPU generation.
    pub ao: Generations,
    /// Rates for diffuse rays, by GPU generation.
    pub diffuse: Generations,
}

/// Rates in Mrays/s on one GPU of each of three generations.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generations {
    /// Rate on a GTX 285 in Mrays/s; `None` if the scene does not fit into its memory.
    pub tesla: Option<f64>,
    /// Rate on a GTX 480 in Mrays/s.
    pub fermi: Option<f64>,
    /// Rate on a GTX 680 in Mrays/s.
    pub kepler: Option<f64>,
}

/// Table 2 of the paper: effect of each design choice on three generations of GPUs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alk12Table2 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// Rows of the table, one for each design choice.
    pub choice: Vec<DesignChoice>,
}

/// Row of Table 2: a design choice of a kernel, with the table's words on it, shortened.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignChoice {
    /// Name of the design choice.
    pub name: String,
    /// Effect of the choice on a GTX 285, in words.
    pub tesla: String,
    /// Effect of the choice on a GTX 480, in words.
    pub fermi: String,
    /// Effect of the choice on a GTX 680, in words.
    pub kepler: String,
}

impl Alk12Table1 {
    /// Returns the rates of primary, AO and diffuse rays in each scene that fits into all three GPUs, by age of the
    /// GPUs.
    pub fn on_all_machines(&self) -> Vec<(&str, [[f64; 3]; 3])> {
        let of_scene = |scene: &GenerationScene| {
            let [primary, ao, diffuse] = scene.kinds().map(Generations::by_age);
            let of = |age: usize| Some([primary[age]?, ao[age]?, diffuse[age]?]);
            Some([of(0)?, of(1)?, of(2)?])
        };
        self.scene.iter().filter_map(|scene| Some((scene.name.as_str(), of_scene(scene)?))).collect()
    }
}

impl GenerationScene {
    /// Returns the rates for primary, AO and diffuse rays, in this order.
    pub fn kinds(&self) -> [Generations; 3] {
        [self.primary, self.ao, self.diffuse]
    }
}

impl Generations {
    /// Returns the rates by age of the GPUs: Tesla (GTX 285), Fermi (GTX 480), Kepler (GTX 680).
    pub fn by_age(self) -> [Option<f64>; 3] {
        [self.tesla, self.fermi, self.kepler]
    }
}

#[cfg(test)]
mod tests {
    use crate::alk12;

    /// Compares ratios of rates with those that the table prints as "x previous architecture".
    #[test]
    fn rates_grow_from_one_architecture_to_the_next_as_printed() {
        let printed = [
            [[1.91, 2.11, 2.07], [2.07, 1.77, 1.79], [2.07, 2.04, 2.02]],
            [[1.59, 1.82, 1.95], [1.62, 1.94, 2.14], [1.59, 1.81, 2.03]],
        ];
        let scenes = alk12().table_1.on_all_machines();
        assert_eq!(scenes.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["conference", "fairy", "sibenik"]);
        for (generation, by_scene) in printed.iter().enumerate() {
            for ((name, rates), by_kind) in scenes.iter().zip(by_scene) {
                for (kind, printed) in by_kind.iter().enumerate() {
                    let ratio = rates[generation + 1][kind] / rates[generation][kind];
                    assert!((ratio - printed).abs() < 0.0051, "{generation} {name} {kind}: {ratio} {printed}");
                }
            }
        }
    }
}
