//! The statements of the papers, a row each, with what they are to be compared with: `findings/*.toml`, a file a paper.

use super::claim::{Measure, Wanted};
use serde::Deserialize;

/// The statements of a paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// Citation key of the paper in lower case, such as `al09`.
    pub key: String,
    /// Statements in the order of the paper.
    pub row: Vec<Finding>,
}

/// A statement of a paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Name of the row on the command line; no other row or exhibit of its paper has it.
    pub name: String,
    /// The table, figure or section of the paper that states it.
    pub place: String,
    /// The statement in few words.
    pub says: String,
    /// Kind of its numbers; needed where there are cells.
    pub measure: Option<Measure>,
    /// Number of cells that must hold.
    #[serde(default)]
    pub wanted: Wanted,
    /// Claims on cells that have none of their own, as [`super::Claim::parse`] reads them: one for all, or
    /// one each for primary, AO and diffuse rays.
    #[serde(default)]
    pub theirs: Vec<String>,
    /// Numbers that were measured or counted once, and stand in a recorded run.
    #[serde(default)]
    pub cells: Vec<FindingCell>,
    /// Numbers of an exhibit, which the command makes again.
    #[serde(default)]
    pub from: Vec<Selection>,
    /// Reason why the statement cannot be tested; empty where it can.
    #[serde(default)]
    pub cannot: String,
    /// Explanation for readers as Markdown: why not, and what else is to be known.
    pub note: String,
}

/// A number of ours that stands in a recorded run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingCell {
    /// Scene, kernel or rays that the number is of, such as `sibenik, ao`.
    pub of: String,
    /// Claim of the paper on it; empty for the row's own.
    #[serde(default)]
    pub theirs: String,
    /// Our number of it.
    pub ours: f64,
    /// Half the 95 % interval of our number, where it is one of a sample.
    pub half: Option<f64>,
    /// Kind of the number in place of the row's.
    pub measure: Option<Measure>,
}

/// A choice of an exhibit's cells.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Key of the paper whose exhibit it is; empty for that of the statement.
    #[serde(default)]
    pub paper: String,
    /// Name of the exhibit.
    pub exhibit: String,
    /// The quantity; of two subjects their quotient is formed.
    pub quantity: String,
    /// Kernels or settings; all if empty.
    #[serde(default)]
    pub of: Vec<String>,
    /// Kernel or setting by whose number those of `of` are divided: cells are then gains in per cent, or factors, by
    /// the row's measure.
    #[serde(default)]
    pub over: String,
    /// Kernel or setting whose number is subtracted from those of `of`: cells are then points.
    #[serde(default)]
    pub less: String,
    /// Claim on these cells in place of the row's own.
    #[serde(default)]
    pub theirs: String,
    /// Number by which those of `of` are divided, such as the most instructions that can be issued in a clock.
    pub over_number: Option<f64>,
    /// Kind of rays, or other column, in place of the cell's own for the divisor.
    #[serde(default)]
    pub over_rays: String,
    /// Kind of rays, or other column, whose number is subtracted from the cell's own: cells are then points.
    #[serde(default)]
    pub less_rays: String,
    /// `true` if the quantity is a change of times in per cent, which is turned into that of rates.
    #[serde(default)]
    pub times: bool,
    /// Kind of these cells in place of the row's.
    pub measure: Option<Measure>,
    /// Subjects whose numbers in the paper the claim sums up, where they are not those of `of`.
    #[serde(default)]
    pub sums_up: Vec<String>,
    /// Scenes; all if empty.
    #[serde(default)]
    pub scenes: Vec<String>,
    /// Kinds of rays or other columns; all if empty.
    #[serde(default)]
    pub rays: Vec<String>,
}

impl Finding {
    /// Returns the row's own claim on cells of a kind of rays; empty where it has none.
    pub fn claim(&self, rays: &str) -> &str {
        let place = match (self.theirs.len(), rays) {
            (0 | 1, _) | (_, "primary") => 0,
            (_, "ao") => 1,
            _ => 2,
        };
        self.theirs.get(place).map_or("", String::as_str)
    }

    /// Returns the kind of the numbers of its cells that have no other.
    pub fn measure(&self) -> Measure {
        self.measure.unwrap_or(Measure::Amount)
    }

    /// Returns `true` if the row has numbers of ours, or says where they are made.
    pub fn has_cells(&self) -> bool {
        !self.cells.is_empty() || !self.from.is_empty()
    }
}
