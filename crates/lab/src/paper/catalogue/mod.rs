//! The exhibits, a file a paper.

mod al09;
mod alk12;
mod g14;
mod w11;

pub(super) use g14::SPEEDUP;

use super::exhibit::{Exhibit, Paper};

/// Note on the scenes in tables of the papers.
pub(super) const OTHER_SCENES: &str = "sibenik has the papers' viewpoints and 75 K triangles for their 80 K; conference is another version of the scene; fairy is not to be had";

/// Why no measured rates of San Miguel stand beside ALK12's and G14's.
pub(super) const SAN_MIGUEL: &str =
    "an H200's measured rates of san_miguel are not there: no recorded run traced the paper's rays in it";

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

/// Figures that have no numbers to make, with what they show.
const DRAWN: [(Paper, &str, &str); 3] = [
    (Paper::Alk12, "figure1", "Figure 1 draws how the spans of a ray between planes intersect; it has no numbers"),
    (
        Paper::Alk12,
        "figure2",
        "Figure 2 is the code of a ray-box test; `raywarp variants` has kernels with and without it",
    ),
    (Paper::W11, "figure1", "Figure 1 shows the paper's scenes, which are not to be had; it has no numbers"),
];

/// Returns the figures of a paper that have no numbers to make: name, and what they show.
pub fn drawn(paper: Paper) -> impl Iterator<Item = (&'static str, &'static str)> {
    DRAWN.iter().filter(move |(of, ..)| *of == paper).map(|(_, name, shows)| (*name, *shows))
}

/// Returns the name of a table or figure without what it may be written with: `table-1` and `Table 1` are `table1`.
fn plain_name(name: &str) -> String {
    name.to_lowercase().replace([' ', '-', '_'], "")
}

/// Returns what a figure of a paper shows that has no numbers to make; `None` for other names.
pub fn find_drawn(paper: Paper, name: &str) -> Option<&'static str> {
    let name = plain_name(name);
    drawn(paper).find(|(own, _)| *own == name).map(|(_, shows)| shows)
}

/// Returns the exhibit of a paper with this name: `table1`, `table-1` and `Table 1` are one.
pub fn find(paper: Paper, name: &str) -> Option<&'static Exhibit> {
    let name = plain_name(name);
    let part = PARTS.iter().find(|(of, part, _)| *of == paper && *part == name);
    let name = part.map_or(name.as_str(), |(.., whole)| whole);
    of(paper).find(|exhibit| exhibit.name.replace('-', "") == name)
}
