//! The papers' statements, judged by one rule from our numbers.

use super::catalogue::find;
use super::exhibit::{Exhibit, Paper};
use super::record::Record;
use super::sampled::Sampled;
use super::table::stored;
use raywarp_papers::{Claim, Finding, Measure, Outcome, Selection, findings};
use std::borrow::Cow;

/// A number of ours beside a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedCell {
    /// Scene, kernel and rays that the number is of.
    pub of: String,
    /// Claim of the paper, as it was printed or formed from what was printed.
    pub theirs: String,
    /// Our number of it.
    pub ours: f64,
    /// Half the 95 % interval of our number, where it is one of a sample.
    pub half: Option<f64>,
    /// Kind of the number.
    pub measure: Measure,
    /// `true` if ours is near enough; `None` if rule 7 leaves the cell out, since our sample is too small.
    pub holds: Option<bool>,
    /// `true` if all numbers of the interval hold, `false` if none does; `None` if some do. A cell that the rule leaves
    /// out may well have an interval that says something.
    pub whole: Option<bool>,
    /// Weakness of the cell, by how near it is to failing or how far it fails: larger is weaker.
    pub weakness: f64,
    /// `true` if ours reaches the end of a claim such as "up to 20".
    pub is_reached: bool,
}

/// A statement of a paper with its cells and what follows.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Paper that states it.
    pub paper: Paper,
    /// Statement of the paper.
    pub finding: &'static Finding,
    /// Cells of the statement.
    pub cells: Vec<JudgedCell>,
    /// Outcome that follows from the cells.
    pub status: Outcome,
}

/// Returns the statements of a paper.
pub fn statements(paper: Paper) -> &'static [Finding] {
    findings().iter().find(|file| file.key == paper.key()).map_or(&[], |file| &file.row)
}

/// Judges a statement by the numbers that are stored. Those of the exhibit that `fresh` names are judged by its records
/// in their place.
pub fn judge(paper: Paper, finding: &'static Finding, fresh: Option<(&str, &[Record])>) -> Judged {
    let mut cells: Vec<JudgedCell> = Vec::new();
    for cell in &finding.cells {
        let theirs = if cell.theirs.is_empty() { finding.claim("") } else { &cell.theirs };
        let measure = cell.measure.unwrap_or(finding.measure());
        let ours = Sampled::exact(cell.ours);
        cells.extend(judged(cell.of.clone(), theirs, ours, cell.half, measure));
    }
    for selection in &finding.from {
        let records = match fresh {
            Some((exhibit, records)) if rests_on(selection, exhibit) => Cow::Borrowed(records),
            _ => Cow::Owned(exhibit_of(paper, selection).map_or_else(Vec::new, stored)),
        };
        cells.extend(selected(finding, selection, &records));
    }
    let status = status(finding, &cells);
    Judged { paper, finding, cells, status }
}

/// Returns the exhibit that a selection of a paper's statement is from; `None` if there is none of that name.
pub(super) fn exhibit_of(paper: Paper, selection: &Selection) -> Option<&'static Exhibit> {
    let paper = if selection.paper.is_empty() { Some(paper) } else { Paper::parse(&selection.paper) };
    find(paper?, &selection.exhibit)
}

/// Returns `true` if a selection is from the exhibit of this name of the statement's own paper.
pub(super) fn rests_on(selection: &Selection, exhibit: &str) -> bool {
    selection.paper.is_empty() && selection.exhibit == exhibit
}

/// Returns what follows from the cells: a row without one cannot be reproduced.
fn status(finding: &Finding, cells: &[JudgedCell]) -> Outcome {
    let all = cells.iter().filter(|cell| cell.holds.is_some()).count();
    if !finding.cannot.is_empty() || all == 0 {
        return Outcome::CannotBe;
    }
    let holding = cells.iter().filter(|cell| cell.holds == Some(true)).count();
    let is_reached = cells.iter().any(|cell| cell.is_reached);
    if finding.wanted.are_enough(holding, all) && is_reached { Outcome::Reproduced } else { Outcome::NotReproduced }
}

fn judged(of: String, theirs: &str, ours: Sampled, half: Option<f64>, measure: Measure) -> Option<JudgedCell> {
    let claim = Claim::parse(theirs)?;
    let ours = ours.number;
    let whole = half.map_or(Some(claim.holds(ours, measure)), |half| {
        // Rounding may leave an end of an interval of no width on another side than its number.
        claim.holds_within((ours - half).min(ours), (ours + half).max(ours), measure)
    });
    // The rule asks how wide the interval is alone, wherever it lies; a sign's distance is 2 points.
    let says_nothing = half.is_some_and(|half| half > claim.tolerance(measure));
    Some(JudgedCell {
        of,
        theirs: theirs.to_string(),
        ours,
        half,
        measure,
        holds: (!says_nothing).then(|| claim.holds(ours, measure)),
        whole,
        weakness: weakness(claim, ours, measure),
        is_reached: claim.is_reached(ours, measure),
    })
}

/// Returns how weak a cell is. One that fails is weaker than all that hold; of those that are only to be on a side, the
/// nearest to its end is the weakest.
fn weakness(claim: Claim, ours: f64, measure: Measure) -> f64 {
    const FAILS: f64 = 1e9;
    let distance = claim.distance(ours, measure).abs();
    match claim {
        _ if !claim.holds(ours, measure) => FAILS + distance,
        Claim::Above(end) | Claim::Below(end) => -(ours - end).abs(),
        _ => distance,
    }
}

/// Returns the judged cells of a selection from an exhibit's records.
fn selected(finding: &Finding, selection: &Selection, records: &[Record]) -> Vec<JudgedCell> {
    let measure = selection.measure.unwrap_or(finding.measure());
    let wanted = records
        .iter()
        .filter(|record| is_of(selection, &selection.of, record) && is_in(&selection.scenes, &record.scene));
    let mut cells = Vec::new();
    for record in wanted {
        let ours = |record: &Record| Some(Sampled { number: record.ours?, draws: record.draws });
        let Some(ours) = formed(selection, record, records, measure, ours) else { continue };
        let own = claim(finding, selection, record);
        let theirs = match (own, is_plain(selection)) {
            ("", true) => record.claim().map(words),
            ("", false) => formed(selection, record, records, measure, printed_number).map(|theirs| {
                let digits = if measure == Measure::Factor { 2 } else { 1 };
                format!("{:.digits$}", theirs.number)
            }),
            (own, _) => Some(own.to_string()),
        };
        // Which quantity a cell is of is said where there are several.
        let has_others = finding.from.iter().any(|other| other.quantity != selection.quantity);
        let quantity = if has_others { record.quantity.as_str() } else { "" };
        let names = [quantity, &record.scene, &record.subject, &record.rays];
        let of = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ");
        cells.extend(theirs.and_then(|theirs| judged(of, &theirs, ours, ours.half(), measure)));
    }
    cells
}

fn is_in(list: &[String], word: &str) -> bool {
    list.is_empty() || list.iter().any(|one| one == word)
}

/// Returns `true` if a record is of a selection's quantity and rays and of one of these subjects.
pub(super) fn is_of(selection: &Selection, subjects: &[String], record: &Record) -> bool {
    record.quantity == selection.quantity
        && ![&selection.over, &selection.less].contains(&&record.subject)
        && (selection.over_rays.is_empty() || record.rays != selection.over_rays)
        && is_in(subjects, &record.subject)
        && is_in(&selection.rays, &record.rays)
}

/// Returns the claim that a row or its selection has on a record; empty if it is the record's own.
pub(super) fn claim<'a>(finding: &'a Finding, selection: &'a Selection, record: &Record) -> &'a str {
    if selection.theirs.is_empty() { finding.claim(&record.rays) } else { &selection.theirs }
}

/// Returns the paper's number of a record, if it prints one.
pub(super) fn printed_number(record: &Record) -> Option<Sampled> {
    match record.claim()? {
        Claim::Number(number) => Some(Sampled::exact(number)),
        _ => None,
    }
}

/// Returns `true` if a selection's cells are an exhibit's numbers as they stand.
fn is_plain(selection: &Selection) -> bool {
    let others = [&selection.over, &selection.over_rays, &selection.less, &selection.less_rays];
    others.iter().all(|of| of.is_empty()) && selection.over_number.is_none() && !selection.times
}

/// Returns the number of a selection's cell that is formed of those of records, ours or theirs.
pub(super) fn formed(
    selection: &Selection,
    record: &Record,
    records: &[Record],
    measure: Measure,
    number: impl Fn(&Record) -> Option<Sampled>,
) -> Option<Sampled> {
    let of = |subject: &str, rays: &str| {
        let key = [record.scene.as_str(), subject, rays, record.quantity.as_str()];
        records.iter().find(|base| base.key() == key).and_then(&number)
    };
    let mut formed = number(record)?;
    if selection.times {
        formed = formed.with(Sampled::exact(0.0), |times, _| 100.0 * (1.0 / (1.0 + times / 100.0) - 1.0));
    }
    if !(selection.less.is_empty() && selection.less_rays.is_empty()) {
        let subject = if selection.less.is_empty() { &record.subject } else { &selection.less };
        let rays = if selection.less_rays.is_empty() { &record.rays } else { &selection.less_rays };
        formed = formed.with(of(subject, rays)?, |of, less| of - less);
    }
    if !(selection.over.is_empty() && selection.over_rays.is_empty()) {
        let subject = if selection.over.is_empty() { &record.subject } else { &selection.over };
        let rays = if selection.over_rays.is_empty() { &record.rays } else { &selection.over_rays };
        formed = formed.over(of(subject, rays)?, measure);
    }
    if let Some(below) = selection.over_number {
        formed = formed.over(Sampled::exact(below), measure);
    }
    Some(formed)
}

fn words(claim: Claim) -> String {
    match claim {
        Claim::Number(number) => format!("{number}"),
        Claim::Between(least, most) => format!("{least}..{most}"),
        Claim::UpTo(most) => format!("up to {most}"),
        Claim::Above(bound) => format!("above {bound}"),
        Claim::Below(bound) => format!("below {bound}"),
        Claim::Unchanged => "unchanged".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_in_doubt_says_nothing() {
        let cell = |claim: &str, ours: f64, half: f64, measure| {
            judged(String::new(), claim, Sampled::exact(ours), Some(half), measure).unwrap()
        };
        let holds = |claim: &str, ours: f64, half: f64, measure| cell(claim, ours, half, measure).holds;
        // Of a number it is the rule's own distance that counts: 5 points of a share.
        assert_eq!(holds("60", 62.0, 4.9, Measure::Share), Some(true));
        assert_eq!(holds("60", 62.0, 5.1, Measure::Share), None);
        assert_eq!(holds("60", 80.0, 5.1, Measure::Share), None);
        // What all of its interval says is told beside it.
        assert_eq!(cell("60", 80.0, 5.1, Measure::Share).whole, Some(false));
        assert_eq!(cell("60", 62.0, 5.1, Measure::Share).whole, None);
        assert_eq!(cell("60..80", 70.0, 6.0, Measure::Share).whole, Some(true));
        // A sign's distance is 2 points, on whichever side the number lies.
        assert_eq!(holds("above 0", 30.0, 1.9, Measure::Gain), Some(true));
        assert_eq!(holds("above 0", 0.5, 1.9, Measure::Gain), Some(false));
        assert_eq!(holds("above 0", 30.0, 2.1, Measure::Gain), None);
        assert_eq!(holds("below 1", 0.7, 0.03, Measure::Factor), None);
        assert_eq!(cell("above 0", 30.0, 20.0, Measure::Gain).whole, Some(true));
        // No change is a sign too.
        assert_eq!(holds("unchanged", 1.5, 1.9, Measure::Gain), Some(true));
        assert_eq!(holds("unchanged", 30.0, 1.9, Measure::Gain), Some(false));
        assert_eq!(holds("unchanged", 0.1, 2.1, Measure::Gain), None);
    }
}
