//! Reports for people: one HTML file with what was run, tables, pictures and what to conclude.
//!
//! `EfficiencyReport::page`, `BoundsReport::page`, `ExperimentReport::page` and `CompactionReport::page` make a
//! [`Page`]; [`Page::html`] is the file, [`Page::figures`] its pictures.

mod bounds;
pub mod chart;
mod compaction;
mod efficiency;
mod experiment;
mod generations;
mod measured;
mod page;
mod ranking;
mod run;
pub(crate) mod sheet;
mod what_if;

pub use page::{Figure, Grid, Page};
pub use run::About;
pub(crate) use run::{mrays as short_mrays, number};
