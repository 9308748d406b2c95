//! Reports for people: one HTML file with tables, pictures and what to conclude.

mod chart;
mod page;

pub use page::{Figure, Grid, Page};
