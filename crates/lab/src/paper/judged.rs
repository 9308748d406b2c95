//! The papers' statements, judged by one rule from our numbers.

use super::catalogue::find;
use super::exhibit::Paper;
use super::record::Record;
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
    /// Distance of ours from the claim: points, or per cent for amounts and factors; `None` for an exact one.
    pub distance: Option<f64>,
    /// `true` if ours is near enough; `None` if our sample is too small to say.
    pub holds: Option<bool>,
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

impl Judged {
    /// Returns the kind of the statement's numbers.
    pub fn measure(&self) -> Measure {
        self.finding.measure.unwrap_or(Measure::Amount)
    }
}

/// Returns the statements of a paper.
pub fn statements(paper: Paper) -> &'static [Finding] {
    findings().iter().find(|file| file.key == paper.key()).map_or(&[], |file| &file.row)
}

/// Judges a statement by the numbers that are stored. Those of the exhibit that `fresh` names are judged by its records
/// in their place.
pub fn judge(paper: Paper, finding: &'static Finding, fresh: Option<(&str, &[Record])>) -> Judged {
    let measure = finding.measure.unwrap_or(Measure::Amount);
    let mut cells: Vec<JudgedCell> = Vec::new();
    for cell in &finding.cells {
        let theirs = if cell.theirs.is_empty() { finding.claim("") } else { &cell.theirs };
        cells.extend(judged(cell.of.clone(), theirs, cell.ours, cell.half, measure));
    }
    for selection in &finding.from {
        let records = match fresh {
            Some((exhibit, records)) if exhibit == selection.exhibit => Cow::Borrowed(records),
            _ => Cow::Owned(find(paper, &selection.exhibit).map_or_else(Vec::new, stored)),
        };
        cells.extend(selected(finding, selection, &records, measure));
    }
    let status = status(finding, &cells);
    Judged { paper, finding, cells, status }
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

fn judged(of: String, theirs: &str, ours: f64, half: Option<f64>, measure: Measure) -> Option<JudgedCell> {
    let claim = Claim::parse(theirs)?;
    let distance = claim.distance(ours, measure);
    let says_nothing = half.is_some_and(|half| half > distance.abs().max(f64::MIN_POSITIVE));
    Some(JudgedCell {
        of,
        theirs: theirs.to_string(),
        ours,
        distance: (measure != Measure::Exact).then_some(distance),
        holds: (!says_nothing || claim.holds(ours, measure)).then(|| claim.holds(ours, measure)),
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
fn selected(finding: &Finding, selection: &Selection, records: &[Record], measure: Measure) -> Vec<JudgedCell> {
    let is_in = |list: &[String], word: &str| list.is_empty() || list.iter().any(|one| one == word);
    let wanted = records.iter().filter(|record| {
        record.quantity == selection.quantity
            && record.subject != selection.over
            && record.subject != selection.less
            && is_in(&selection.of, &record.subject)
            && is_in(&selection.scenes, &record.scene)
            && is_in(&selection.rays, &record.rays)
    });
    let mut cells = Vec::new();
    for record in wanted {
        let Some(mut ours) = record.ours else { continue };
        let own = if selection.theirs.is_empty() { finding.claim(&record.rays) } else { &selection.theirs };
        let mut theirs = if own.is_empty() { record.claim().map(words) } else { Some(own.to_string()) };
        let is_plain = [&selection.less, &selection.over, &selection.over_quantity].iter().all(|of| of.is_empty())
            && selection.over_number.is_none();
        if !selection.less.is_empty() {
            let key = [record.scene.as_str(), &selection.less, &record.rays, &record.quantity];
            let Some(base) = records.iter().find(|base| base.key() == key).and_then(|base| base.ours) else { continue };
            ours -= base;
        }
        if !selection.over.is_empty() || !selection.over_quantity.is_empty() {
            let Some(base) = divisor(selection, record, records) else { continue };
            let Some(below) = base.ours else { continue };
            ours = quotient(ours, below, measure);
            if own.is_empty() {
                theirs = match (record.claim(), base.claim()) {
                    (Some(Claim::Number(a)), Some(Claim::Number(b))) => Some(format!("{:.1}", quotient(a, b, measure))),
                    _ => None,
                };
            }
        }
        if let Some(below) = selection.over_number {
            ours = quotient(ours, below, measure);
        }
        // Which quantity a cell is of is said where there are several.
        let has_others = finding.from.iter().any(|other| other.quantity != selection.quantity);
        let quantity = if has_others { record.quantity.as_str() } else { "" };
        let names = [quantity, &record.scene, &record.subject, &record.rays];
        let of = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ");
        // A quotient's or a difference's interval is not known.
        let half = record.half.filter(|_| is_plain);
        cells.extend(theirs.and_then(|theirs| judged(of, &theirs, ours, half, measure)));
    }
    cells
}

fn divisor<'a>(selection: &Selection, record: &Record, records: &'a [Record]) -> Option<&'a Record> {
    let subject = if selection.over.is_empty() { &record.subject } else { &selection.over };
    let quantity = if selection.over_quantity.is_empty() { &record.quantity } else { &selection.over_quantity };
    records.iter().find(|base| {
        base.scene == record.scene && base.rays == record.rays && base.subject == *subject && base.quantity == *quantity
    })
}

/// Returns a quotient as the measure has it: a gain or share in per cent, or a factor.
fn quotient(ours: f64, base: f64, measure: Measure) -> f64 {
    match measure {
        Measure::Gain => 100.0 * (ours / base - 1.0),
        Measure::Share => 100.0 * ours / base,
        _ => ours / base,
    }
}

fn words(claim: Claim) -> String {
    match claim {
        Claim::Number(number) => format!("{number}"),
        Claim::Between(least, most) => format!("{least}..{most}"),
        Claim::UpTo(most) => format!("up to {most}"),
        Claim::Above(bound) => format!("above {bound}"),
        Claim::Below(bound) => format!("below {bound}"),
    }
}
