//! The exhibits, a file a paper.

mod al09;
mod alk12;
mod g14;
mod w11;

pub(super) use g14::SPEEDUP;

use super::exhibit::{Exhibit, Paper};

/// Note on the scenes in tables of the papers.
pub(super) const OTHER_SCENES: &str = "sibenik has the papers' viewpoints and 75 K triangles for their 80 K; conference is another version of the scene; fairy is not to be had";

/// Returns all exhibits, by paper.
pub fn all() -> impl Iterator<Item = &'static Exhibit> {
    [al09::EXHIBITS, alk12::EXHIBITS, g14::EXHIBITS, w11::EXHIBITS].into_iter().flatten()
}

/// Returns the exhibits of a paper.
pub fn of(paper: Paper) -> impl Iterator<Item = &'static Exhibit> {
    all().filter(move |exhibit| exhibit.paper == paper)
}

/// Returns the exhibit of a paper with this name: `table1`, `table-1` and `Table 1` are one.
pub fn find(paper: Paper, name: &str) -> Option<&'static Exhibit> {
    let plain = |name: &str| name.to_lowercase().replace([' ', '-', '_'], "");
    of(paper).find(|exhibit| plain(exhibit.name) == plain(name))
}
