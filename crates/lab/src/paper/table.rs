//! An exhibit put together: what is printed, what is stored, and what was made now.

use super::exhibit::{Exhibit, is_simulated};
use super::printed::printed;
use super::record::{self, NumberSource, Record};
use super::sampled::Sampled;
use raywarp_papers::Measure;
use std::collections::HashMap;

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

/// Returns records with the gains that follow from them, by the rates that are there now.
pub(super) fn completed(exhibit: &Exhibit, records: Vec<Record>) -> Vec<Record> {
    let sampled = |record: &Record| Some(Sampled { number: record.ours?, draws: record.draws });
    let Some(gains) = exhibit.gains else { return records };
    let [above, below] = gains.ends;
    let mut all = Vec::new();
    for (key, rates) in gains.of {
        for after in rates.iter().flat_map(|rate| records.iter().filter(move |record| record.quantity == *rate)) {
            let Some(subject) = after.subject.strip_suffix(above) else { continue };
            let before = format!("{subject}{below}");
            let before = [after.scene.as_str(), before.as_str(), after.rays.as_str(), after.quantity.as_str()];
            let before = records.iter().find(|record| record.key() == before).and_then(sampled);
            if let (Some(rate), Some(before)) = (sampled(after), before) {
                let gain = rate.over(before, Measure::Gain);
                let [subject, quantity] = [subject, key].map(str::to_string);
                let (ours, draws) = (Some(gain.number), gain.draws);
                all.push(Record { subject, quantity, theirs: "".into(), ours, draws, ..after.clone() });
            }
        }
    }
    merged(records, all)
}

/// Returns records with those of `others` in place of numbers that have the same key, and the rest of them behind the
/// last of their scene. What is printed stays where `others` have nothing printed.
pub fn merged(records: Vec<Record>, others: Vec<Record>) -> Vec<Record> {
    let mut records = records;
    let key = |record: &Record| record.key().map(str::to_string);
    let mut places: HashMap<[String; 4], usize> = records.iter().map(key).zip(0..).collect();
    for other in others {
        match places.get(&key(&other)) {
            Some(&place) => {
                let old = &mut records[place];
                let theirs =
                    if other.theirs.is_empty() { std::mem::take(&mut old.theirs) } else { other.theirs.clone() };
                if other.ours.is_some() {
                    // A sample made again has the spread that is known of it.
                    let known = if other.source == NumberSource::Simulated { old.draws } else { None };
                    *old = Record { theirs, draws: other.draws.or(known), ..other };
                } else {
                    old.theirs = theirs;
                }
            }
            None => {
                places.insert(key(&other), records.len());
                records.push(other);
            }
        }
    }
    records
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
