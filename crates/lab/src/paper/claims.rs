//! Tests of what statements claim: that it is judged as the kind of number that it is, and that the paper's own numbers
//! are what their row claims.

use super::judged::{claim, exhibit_of, formed, is_of, printed_number};
use super::sampled::Sampled;
use super::{Paper, Record, judge, statements, stored};
use raywarp_papers::{Claim, Finding, Measure, Selection};

/// Returns the records of the exhibit that a selection is from.
fn records(paper: Paper, selection: &Selection) -> Vec<Record> {
    exhibit_of(paper, selection).map_or_else(Vec::new, stored)
}

/// Returns what of the kinds of a statement's numbers does not go with how they are judged: points are of shares or
/// gains, quotients are gains or factors, and other numbers are what their exhibit says they are.
fn faults_of_kind(paper: Paper, finding: &Finding) -> Vec<String> {
    let mut faults = Vec::new();
    for selection in &finding.from {
        let measure = selection.measure.unwrap_or(finding.measure());
        let quantity = exhibit_of(paper, selection).and_then(|exhibit| exhibit.quantity(&selection.quantity));
        let own = quantity.map(|quantity| quantity.measure);
        let is_quotient = !(selection.over.is_empty() && selection.over_rays.is_empty());
        let goes = match own {
            Some(own) if !(selection.less.is_empty() && selection.less_rays.is_empty()) => {
                own == measure && matches!(own, Measure::Share | Measure::Gain)
            }
            // A number of some most is a share of it.
            Some(own) if selection.over_number.is_some() => (own, measure) == (Measure::Amount, Measure::Share),
            Some(own) if is_quotient => {
                matches!(own, Measure::Amount | Measure::Factor) && matches!(measure, Measure::Gain | Measure::Factor)
            }
            Some(own) => own == measure,
            None => false,
        };
        if !goes {
            faults.push(format!("{}: {} is {own:?}, judged as {measure:?}", finding.name, selection.quantity));
        }
        if selection.times && measure != Measure::Gain {
            faults.push(format!("{}: changes of times are turned into gains of rates", finding.name));
        }
    }
    let of_cells = finding.cells.iter().map(|cell| (cell.measure.unwrap_or(finding.measure()), &cell.theirs));
    for (measure, theirs) in of_cells {
        let theirs = if theirs.is_empty() { finding.claim("") } else { theirs };
        if Claim::parse(theirs) == Some(Claim::Unchanged) && matches!(measure, Measure::Amount | Measure::Exact) {
            faults.push(format!("{}: nothing is unchanged by points in a {measure:?}", finding.name));
        }
    }
    faults
}

/// Returns the numbers of the paper that are not what their own row claims, and how many were looked at. Of a row on
/// some scenes those count, with the same of a scene that is not here; of a row on any scene all do.
fn faults_of_claim(paper: Paper, finding: &Finding) -> (Vec<String>, usize) {
    // What a machine has is not printed, and is known.
    let number = |record: &Record| match record.ours {
        Some(number) if record.theirs.is_empty() => Some(Sampled::exact(number)),
        _ => printed_number(record),
    };
    let (mut faults, mut seen) = (Vec::new(), 0);
    for selection in &finding.from {
        let measure = selection.measure.unwrap_or(finding.measure());
        let records = records(paper, selection);
        let subjects = if selection.sums_up.is_empty() { &selection.of } else { &selection.sums_up };
        let is_other = |scene: &str| {
            scene.starts_with("theirs") || records.iter().any(|record| record.scene == scene && record.ours.is_some())
        };
        let is_wanted = |scene: &String| selection.scenes.is_empty() || selection.scenes.contains(scene);
        for record in records.iter().filter(|record| is_of(selection, subjects, record)) {
            let Some(claim) = Claim::parse(claim(finding, selection, record)) else { continue };
            // A statement of one paper on another's numbers is on those that it names.
            let is_other = is_other(&record.scene) || !selection.paper.is_empty();
            if record.theirs.is_empty() || is_other && !is_wanted(&record.scene) {
                continue;
            }
            let Some(Sampled { number: own, .. }) = formed(selection, record, &records, measure, number) else {
                continue;
            };
            seen += 1;
            if !claim.holds(own, measure) {
                faults.push(format!("{}: {:?} is {own:.2}, claimed {claim:?}", finding.name, record.key()));
            }
        }
    }
    (faults, seen)
}

fn named(paper: Paper, name: &str) -> &'static Finding {
    statements(paper).iter().find(|finding| finding.name == name).expect("it is a row")
}

#[test]
fn numbers_are_judged_as_what_they_are() {
    for paper in Paper::ALL {
        for finding in statements(paper) {
            assert_eq!(faults_of_kind(paper, finding), Vec::<String>::new(), "{}", paper.key());
        }
    }
}

#[test]
fn a_number_that_is_judged_as_another_kind_is_found() {
    let mut points = named(Paper::Al09, "if-if-fuller-traversal").clone();
    points.measure = Some(Measure::Gain);
    points.from.iter_mut().for_each(|selection| selection.measure = None);
    assert_eq!(faults_of_kind(Paper::Al09, &points).len(), points.from.len());
    let mut quotient = named(Paper::Al09, "if-if-fuller-traversal").clone();
    (quotient.from[0].less, quotient.from[0].over) = (String::new(), "while-while".into());
    assert_eq!(faults_of_kind(Paper::Al09, &quotient).len(), 1);
    let mut times = named(Paper::Al09, "slowest-warps").clone();
    times.measure = Some(Measure::Share);
    assert_eq!(faults_of_kind(Paper::Al09, &times).len(), 2);
    let mut counts = named(Paper::L9, "a-kernel-a-material").clone();
    counts.theirs = vec!["unchanged".into()];
    assert_eq!(faults_of_kind(Paper::L9, &counts).len(), counts.cells.len());
}

#[test]
fn the_papers_own_numbers_are_what_their_rows_claim() {
    let mut all = 0;
    for paper in Paper::ALL {
        for finding in statements(paper) {
            let (faults, seen) = faults_of_claim(paper, finding);
            assert_eq!(faults, Vec::<String>::new(), "{}", paper.key());
            all += seen;
        }
    }
    assert!(all >= 60, "{all} numbers were looked at");
}

#[test]
fn a_claim_that_its_own_numbers_fail_is_found() {
    let faults = |paper, name: &str, theirs: &[&str]| {
        let mut planted = named(paper, name).clone();
        planted.theirs = theirs.iter().map(|claim| (*claim).to_string()).collect();
        planted.from.iter_mut().for_each(|selection| selection.theirs.clear());
        faults_of_claim(paper, &planted).0.len()
    };
    // Of nine quotients of if-if and while-while that AL09 measures six are 2 points or more from none.
    assert!(faults(Paper::Al09, "if-if-measures-the-same", &["unchanged"]) >= 4);
    // It calls 1.76 "approximately 2".
    assert_eq!(faults(Paper::Al09, "persistent-while-while-beats-packets", &["above 1", "above 1", "2"]), 1);
    assert!(faults(Paper::G14, "stalls-by-kind-of-rays", &["40", "40", "above 50"]) > 0);
    assert!(faults(Paper::Alk12, "rates-follow-operations", &["1"]) > 0);
}

/// Scenes that AL09, ALK12 and G14 do not have.
const OTHERS: [&str; 5] = ["crytek_sponza", "dabrovic_sponza", "kitchen", "bathroom2", "san_miguel"];

/// Returns the cells of statements that are of a scene which none of the papers has that name theirs.
fn cells_of_others(paper: Paper, finding: &'static Finding) -> Vec<String> {
    let has_scenes = matches!(paper, Paper::Al09 | Paper::Alk12 | Paper::G14);
    let cells = judge(paper, finding, None).cells.into_iter().map(|cell| cell.of);
    cells.filter(|of| has_scenes && OTHERS.iter().any(|other| of.contains(other))).collect()
}

#[test]
fn another_scene_does_not_stand_in() {
    for paper in Paper::ALL {
        for finding in statements(paper) {
            assert_eq!(cells_of_others(paper, finding), Vec::<String>::new(), "{} {}", paper.key(), finding.name);
        }
    }
    // A row of whatever scenes a table has would have them.
    let mut planted = named(Paper::Al09, "sixteen-lanes").clone();
    planted.from.iter_mut().for_each(|selection| selection.scenes.clear());
    assert_eq!(cells_of_others(Paper::Al09, Box::leak(Box::new(planted))).len(), 12);
}
