//! Aila, Laine and Karras 2012.

use serde::Deserialize;

/// What ALK12 prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alk12 {
    /// The paper's key.
    pub key: String,
    /// Authors, title, where and when.
    pub reference: String,
    /// Table 1: rates of three generations.
    pub table_1: Table1,
    /// Table 2: what each choice is worth.
    pub table_2: Table2,
}

/// ALK12's Table 1, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table1 {
    /// Where the paper has it.
    pub place: String,
    /// What it is of, in what units.
    pub what: String,
    /// A scene in each row.
    pub scene: Vec<GenerationScene>,
}

/// A scene of Table 1.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationScene {
    /// The scene's name.
    pub name: String,
    /// What primary rays have.
    pub primary: Generations,
    /// Rays of ambient occlusion.
    pub ao: Generations,
    /// What diffuse rays have.
    pub diffuse: Generations,
}

/// Mrays/s by generation of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generations {
    /// GTX 285; some scenes do not fit into it.
    pub tesla: Option<f64>,
    /// On a GTX 480.
    pub fermi: Option<f64>,
    /// On a GTX 680.
    pub kepler: Option<f64>,
}

/// ALK12's Table 2, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table2 {
    /// Where the paper has it.
    pub place: String,
    /// What it is of, in what units.
    pub what: String,
    /// The rows of the table.
    pub choice: Vec<Choice>,
}

/// A choice of Table 2, and what the table says of it, in short.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What is chosen.
    pub name: String,
    /// On a GTX 285.
    pub tesla: String,
    /// On a GTX 480.
    pub fermi: String,
    /// On a GTX 680.
    pub kepler: String,
}

impl GenerationScene {
    /// Mrays/s of primary, AO and diffuse rays.
    pub fn kinds(&self) -> [Generations; 3] {
        [self.primary, self.ao, self.diffuse]
    }
}

impl Generations {
    /// By age: Tesla, Fermi, Kepler.
    pub fn by_age(self) -> [Option<f64>; 3] {
        [self.tesla, self.fermi, self.kepler]
    }
}
