//! The papers' tables, figures and statements by name, ours beside theirs.
//!
//! An [`Exhibit`] is a table or figure. Its numbers are [`Record`]s: what the paper prints, what is stored of reference
//! scenes, and what [`make()`] simulates now. A statement is a [`Judged`] row: one rule says whether it is reproduced.

mod catalogue;
mod chart;
#[cfg(test)]
mod claims;
mod distance;
mod duration;
mod exhibit;
#[cfg(test)]
mod filled;
mod formed;
mod generations;
mod interval;
mod judged;
mod make;
mod measure;
#[cfg(test)]
mod notes;
mod part_table;
mod printed;
mod record;
mod recorded;
mod report;
mod sampled;
mod table;
#[cfg(test)]
mod tests;

pub use catalogue::{all, drawn, find, find_drawn, of};
pub use duration::{SceneSize, measuring_seconds, seconds};
pub use exhibit::{
    Exhibit, ExhibitTable, Making, Paper, PictureForm, Quantity, SAMPLE, SimulatedKernels, is_simulated,
};
pub use interval::{add_intervals, widen_intervals};
pub use judged::{Judged, JudgedCell, judge, statements};
pub use make::{ExhibitScene, make};
pub use measure::{is_measured, measure};
pub use record::{NumberSource, Record, merged, read};
pub use report::{exhibit_document, finding_document, list_document, paper_document, statements_markdown};
pub use sampled::Draws;
pub use table::{scenes_alone, scenes_together, stored};
