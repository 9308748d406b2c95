//! The exhibits, a file a paper.

mod al09;
mod alk12;
mod g14;
mod w11;

use super::exhibit::{Exhibit, Paper, Quantity};
use raywarp_papers::Measure;

/// Returns a quantity of which ours is compared with theirs.
pub(super) const fn quantity(key: &'static str, head: &'static str, measure: Measure, digits: usize) -> Quantity {
    Quantity { key, head, measure, digits, is_compared: true }
}

/// Returns rates of which ours and theirs are of two machines.
pub(super) const fn other_machines(key: &'static str, head: &'static str, digits: usize) -> Quantity {
    Quantity { key, head, measure: Measure::Amount, digits, is_compared: false }
}

/// Returns a gain of rates in per cent.
pub(super) const fn gain(key: &'static str, head: &'static str) -> Quantity {
    quantity(key, head, Measure::Gain, 0)
}

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
