//! An exhibit put together: what is printed, what is stored, and what was made now.

use super::exhibit::{Exhibit, is_simulated};
use super::formed::completed;
use super::printed::printed;
use super::record::{self, Record, merged};

/// Returns the numbers of an exhibit that are stored, beside what the paper prints.
///
/// # Panics
/// If the file of records, which is built in, is faulty; a test excludes that.
pub fn stored(exhibit: &Exhibit) -> Vec<Record> {
    let mine = record::read(exhibit.stored)
        .unwrap_or_else(|why| panic!("records of {} {}: {why}", exhibit.paper.key(), exhibit.name));
    completed(exhibit, merged(printed(exhibit), mine))
}

/// Returns the scenes of an exhibit that have numbers of their own, or could get them by simulation.
pub fn scenes_alone(exhibit: &Exhibit) -> Vec<&'static str> {
    let records = stored(exhibit);
    let has_own = |name: &&str| records.iter().any(|record| !record.is_theirs_alone() && record.is_of_scene(name));
    exhibit.scenes.iter().copied().filter(|name| is_simulated(exhibit) || has_own(name)).collect()
}

/// Returns what the stored numbers of an exhibit are of, where that is no scene of its list: several of them together.
pub fn scenes_together(exhibit: &Exhibit) -> Vec<String> {
    let alone = scenes_alone(exhibit);
    let mut together: Vec<String> = Vec::new();
    for record in stored(exhibit).into_iter().filter(|record| !record.is_theirs_alone()) {
        if !alone.iter().any(|name| record.is_of_scene(name)) && !together.contains(&record.scene) {
            together.push(record.scene);
        }
    }
    together
}

/// A line of a table: a subject and a kind of rays, with a number for each quantity.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    pub subject: &'a str,
    pub rays: &'a str,
    /// By the quantities of the part.
    pub cells: Vec<Option<&'a Record>>,
}

/// Returns the scenes of records: those that only the paper has, as what ours is read against, then those of the
/// exhibit in its order, then others.
pub(super) fn scenes<'a>(exhibit: &'a Exhibit, records: &'a [Record]) -> Vec<&'a str> {
    let of_records = || records.iter().map(|record| record.scene.as_str());
    let theirs = of_records().filter(|scene| scene.starts_with("theirs"));
    let own = exhibit.scenes.iter().copied().filter(|scene| of_records().any(|of| of == *scene));
    let mut all: Vec<&str> = Vec::new();
    for scene in theirs.chain(own).chain(of_records()) {
        if !all.contains(&scene) {
            all.push(scene);
        }
    }
    all
}

/// Returns the lines of a scene in a part of an exhibit, kinds of rays of a subject together.
pub(super) fn lines<'a>(records: &'a [Record], scene: &str, quantities: &[super::Quantity]) -> Vec<Line<'a>> {
    let mut subjects: Vec<&str> = Vec::new();
    let mut lines: Vec<Line<'a>> = Vec::new();
    for record in records.iter().filter(|record| record.scene == scene) {
        let Some(place) = quantities.iter().position(|quantity| quantity.key == record.quantity) else { continue };
        if !subjects.contains(&record.subject.as_str()) {
            subjects.push(&record.subject);
        }
        let is_it = |line: &&mut Line<'a>| line.subject == record.subject && line.rays == record.rays;
        match lines.iter_mut().find(is_it) {
            Some(line) => line.cells[place] = Some(record),
            None => {
                let mut cells = vec![None; quantities.len()];
                cells[place] = Some(record);
                lines.push(Line { subject: &record.subject, rays: &record.rays, cells });
            }
        }
    }
    lines.sort_by_key(|line| subjects.iter().position(|subject| *subject == line.subject));
    lines
}
