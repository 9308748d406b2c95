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

/// Names of tables that are parts of other exhibits, with the exhibits' names.
const PARTS: [(Paper, &str, &str); 1] = [(Paper::G14, "table3", "table1")];

/// Returns the exhibit of a paper with this name: `table1`, `table-1` and `Table 1` are one.
pub fn find(paper: Paper, name: &str) -> Option<&'static Exhibit> {
    let name = name.to_lowercase().replace([' ', '-', '_'], "");
    let part = PARTS.iter().find(|(of, part, _)| *of == paper && *part == name);
    let name = part.map_or(name.as_str(), |(.., whole)| whole);
    of(paper).find(|exhibit| exhibit.name.replace('-', "") == name)
}
