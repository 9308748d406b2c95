//! How far a number of ours is from a claim, and the rule by which it holds, in words.

use raywarp_papers::{Claim, Measure};
use raywarp_report::Value;

/// Returns how far `ours` is from a claim: from its number, or on which side of its end. For programs it is 0 where a
/// range or a side holds.
pub(super) fn distance(claim: Claim, ours: f64, measure: Measure) -> Value {
    let words = match claim {
        Claim::Between(least, most) if (least..=most).contains(&ours) => "inside".to_string(),
        Claim::UpTo(end) if ours <= end => side(ours, end, measure),
        Claim::Above(end) | Claim::Below(end) => side(ours, end, measure),
        _ => signed(claim.distance(ours, measure), unit(nearest(claim, ours, measure), measure)),
    };
    Value::said(words, claim.distance(ours, measure))
}

/// Returns the heading of a column of distances from these claims: from numbers they are off, from ends of ranges and
/// sides they are on one side or the other.
pub(super) fn distance_head(claims: impl Iterator<Item = Claim>) -> &'static str {
    let mut claims = claims.peekable();
    let is_empty = claims.peek().is_none();
    if is_empty || claims.any(|claim| matches!(claim, Claim::Number(_))) { "off" } else { "distance" }
}

/// Returns the number of a claim that a number is measured from.
fn nearest(claim: Claim, ours: f64, measure: Measure) -> f64 {
    match claim {
        Claim::Between(_, most) if ours > most => most,
        Claim::Number(end) | Claim::Between(end, _) | Claim::UpTo(end) | Claim::Above(end) | Claim::Below(end) => end,
        Claim::Unchanged => f64::from(u8::from(measure == Measure::Factor)),
    }
}

/// Returns the unit of a distance from a number: per cent of it, or nothing where that is no part of it.
fn unit(theirs: f64, measure: Measure) -> &'static str {
    if measure.is_relative_to(theirs) { " %" } else { "" }
}

fn signed(off: f64, unit: &str) -> String {
    if off.abs() < 0.5 { format!("0{unit}") } else { format!("{off:+.0}{unit}") }
}

/// Returns on which side of an end a number is, and by how much.
fn side(ours: f64, end: f64, measure: Measure) -> String {
    let off = Claim::Number(end).distance(ours, measure);
    let digits = usize::from(off.abs() < 9.95);
    match format!("{:.digits$}", off.abs()) {
        zero if zero == "0.0" => "at it".to_string(),
        far => format!("{far}{} {}", unit(end, measure), if off > 0.0 { "above" } else { "below" }),
    }
}

/// Returns the rule in words, a line for each kind of numbers, for the forms of claims that there are.
pub(super) fn rules(claims: &[(Measure, Claim)]) -> Vec<String> {
    let mut measures: Vec<Measure> = claims.iter().map(|(measure, _)| *measure).collect();
    measures.sort_by_key(|measure| *measure as u8);
    measures.dedup();
    let of = |wanted: Measure| claims.iter().filter(move |(measure, _)| *measure == wanted).map(|(_, claim)| *claim);
    let has_several = measures.len() > 1;
    let head = |measure: Measure| if has_several { format!("rule for {}", name(measure)) } else { "rule".to_string() };
    measures.into_iter().map(|measure| format!("{}: {}", head(measure), rule(measure, of(measure)))).collect()
}

/// Returns the rule of a measure in words, for the forms of claims that there are.
fn rule(measure: Measure, claims: impl Iterator<Item = Claim>) -> String {
    let claims: Vec<Claim> = claims.collect();
    let has = |is: fn(&Claim) -> bool| claims.iter().any(is);
    let mut parts = Vec::new();
    if has(|claim| matches!(claim, Claim::Number(_) | Claim::Between(..) | Claim::UpTo(_))) {
        parts.push(near(measure).to_string());
    }
    if has(|claim| *claim == Claim::Unchanged) {
        parts.push("\"unchanged\" is less than 2 points".to_string());
    }
    if has(|claim| matches!(claim, Claim::Between(..))) {
        parts.push("of a range, inside it or as near to an end".to_string());
    }
    if has(|claim| matches!(claim, Claim::UpTo(_))) {
        parts.push("of \"up to\", from no gain to that number, and one cell as near to it".to_string());
    }
    let sides = || claims.iter().filter(|claim| matches!(claim, Claim::Above(_) | Claim::Below(_)));
    if sides().next().is_some() {
        let least = if sides().any(|claim| claim.is_sign(measure)) { " by 2 points or more" } else { "" };
        parts.push(format!("of \"above\" and \"below\", on that side{least}, however far"));
    }
    parts.join("; ")
}

fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Share => "points of shares",
        Measure::Gain => "gains",
        Measure::Amount => "amounts",
        Measure::Factor => "factors",
        Measure::Exact => "counts",
    }
}

/// Returns what is near enough to a number.
fn near(measure: Measure) -> &'static str {
    match measure {
        Measure::Share | Measure::Gain => "within 5 points",
        Measure::Amount => "ours over theirs from 0.9 to 1.11",
        Measure::Factor => "within a tenth of the factor, or 0.05 below 1.5",
        Measure::Exact => "the same number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Measure::{Amount, Factor, Gain, Share};

    fn said(claim: &str, ours: f64, measure: Measure) -> Value {
        distance(Claim::parse(claim).unwrap(), ours, measure)
    }

    #[test]
    fn numbers_are_off_and_sides_have_a_side() {
        assert_eq!(said("56", 49.0, Share), Value::said("-7", -7.0));
        assert_eq!(said("100", 90.0, Amount), Value::said("-10 %", 100.0 * (0.9 - 1.0)));
        assert_eq!(said("6..19", 12.0, Gain), Value::said("inside", 0.0));
        assert_eq!(said("6..19", 21.0, Gain), Value::said("+2", 2.0));
        assert_eq!(said("up to 20", 12.5, Gain), Value::said("7.5 below", 0.0));
        assert_eq!(said("up to 20", 33.0, Gain), Value::said("+13", 13.0));
        assert_eq!(said("above 70", 92.0, Share), Value::said("22 above", 0.0));
        assert_eq!(said("above 70", 64.0, Share), Value::said("6.0 below", -6.0));
        assert_eq!(said("below 1", 0.996, Factor), Value::said("0.4 % below", 0.0));
        assert_eq!(said("above 0", 0.0, Gain), Value::said("at it", 0.0));
        // Nothing is a part of nothing: 28 bytes are 28 above it.
        assert_eq!(said("above 0", 28.0, Amount), Value::said("28 above", 0.0));
        assert_eq!(said("0", 28.0, Amount), Value::said("+28", 28.0));
    }

    #[test]
    fn a_column_of_sides_is_not_headed_off() {
        let head = |claims: &[&str]| distance_head(claims.iter().filter_map(|claim| Claim::parse(claim)));
        assert_eq!(head(&["above 70", "up to 20"]), "distance");
        assert_eq!(head(&["above 1", "2"]), "off");
        assert_eq!(head(&[]), "off");
    }

    #[test]
    fn the_rule_says_what_its_claims_need() {
        let of = |measure, claims: &[&str]| rule(measure, claims.iter().filter_map(|claim| Claim::parse(claim)));
        assert_eq!(of(Factor, &["2"]), "within a tenth of the factor, or 0.05 below 1.5");
        assert_eq!(of(Amount, &["below 1"]), "of \"above\" and \"below\", on that side, however far");
        assert!(of(Gain, &["above 0"]).contains("by 2 points or more"));
        assert!(of(Factor, &["below 1"]).contains("by 2 points or more"));
        assert!(!of(Share, &["above 50"]).contains("2 points"));
        assert!(of(Gain, &["up to 20", "5"]).contains("one cell as near"));
        assert!(of(Gain, &["unchanged"]).contains("less than 2 points"));
    }

    #[test]
    fn a_row_of_two_kinds_of_numbers_has_two_rules() {
        let of = |measure, claim| (measure, Claim::parse(claim).unwrap());
        let one = rules(&[of(Gain, "below 0"), of(Gain, "5")]);
        assert!(one.len() == 1 && one[0].starts_with("rule: "), "{one:?}");
        let two = rules(&[of(Gain, "below 0"), of(Share, "above 0"), of(Gain, "below 0")]);
        assert!(two.len() == 2 && two[0].starts_with("rule for points of shares: "), "{two:?}");
    }
}
