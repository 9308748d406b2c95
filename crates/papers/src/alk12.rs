//! Numbers that Aila, Laine and Karras 2012 print, by table.

use serde::Deserialize;

/// Numbers that ALK12 prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alk12 {
    /// The paper's key.
    pub key: String,
    /// Authors, title, where and when.
    pub reference: String,
    /// Table 1: rates of three generations.
    pub table_1: Table1,
    /// Table 2: the gain of each choice of a kernel's design, in words.
    pub table_2: Table2,
}

/// ALK12's Table 1, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table1 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
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
    /// Numbers of primary rays.
    pub primary: Generations,
    /// Numbers of ambient occlusion rays.
    pub ao: Generations,
    /// Numbers of diffuse rays.
    pub diffuse: Generations,
}

/// Mrays/s by generation of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generations {
    /// Rate on a GTX 285; none of scenes that do not fit into its memory.
    pub tesla: Option<f64>,
    /// Rate on a GTX 480.
    pub fermi: Option<f64>,
    /// Rate on a GTX 680.
    pub kepler: Option<f64>,
}

/// ALK12's Table 2, row by row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table2 {
    /// The table, figure or section of the paper that has these numbers.
    pub place: String,
    /// The quantity that the numbers are of, with its units.
    pub what: String,
    /// The rows of the table.
    pub choice: Vec<Choice>,
}

/// A choice of Table 2, with the table's words on it, in short.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The choice's name.
    pub name: String,
    /// Its worth on a GTX 285.
    pub tesla: String,
    /// Its worth on a GTX 480.
    pub fermi: String,
    /// Its worth on a GTX 680.
    pub kepler: String,
}

impl GenerationScene {
    /// Returns the Mrays/s of primary, AO and diffuse rays.
    pub fn kinds(&self) -> [Generations; 3] {
        [self.primary, self.ao, self.diffuse]
    }
}

impl Generations {
    /// Returns the rates by age of the GPUs: Tesla, Fermi, Kepler.
    pub fn by_age(self) -> [Option<f64>; 3] {
        [self.tesla, self.fermi, self.kepler]
    }
}
