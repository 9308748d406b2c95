//! The rule by which a number of ours reproduces what a paper states, one for all rows.
//!
//! The rule was written down before any row was judged by it (docs/papers/README.md, "When a row is reproduced").

use serde::Deserialize;
use std::fmt;

/// Kind of the numbers of a finding, which sets how near is near enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Share in per cent, such as an efficiency: within 5 points.
    Share,
    /// Gain of a rate in per cent; a loss is below 0: within 5 points.
    Gain,
    /// Rate, time, size or count: ours over theirs is between 0.9 and 1 / 0.9.
    Amount,
    /// Factor between two rates: below 1.5 as a gain of as many per cent, else within a tenth of it.
    Factor,
    /// Number that must be met exactly.
    Exact,
}

impl Measure {
    /// Returns `true` if distances from this number are per cent of it; else they are differences.
    pub fn is_relative_to(self, theirs: f64) -> bool {
        matches!(self, Self::Amount | Self::Factor) && theirs != 0.0
    }
}

/// Largest distance of shares and gains that agree, in points: 5, and what subtracting decimal numbers may round.
const POINTS: f64 = 5.0 + 1e-9;
/// Least change that is a gain or a loss, in points, less what subtracting decimal numbers may round.
const CHANGE: f64 = 2.0 - 1e-9;
/// Least quotient of two amounts that agree, the smaller over the larger one.
const RATIO: f64 = 0.9;
/// Factor from which on a tenth of it is the distance.
const LARGE_FACTOR: f64 = 1.5;

/// Statement of a paper on one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claim {
    /// The number is this one.
    Number(f64),
    /// It is between these two.
    Between(f64, f64),
    /// It is at most this, and some cell comes near it.
    UpTo(f64),
    /// It is above this; above no change at all, such as a gain of 0, by a gain.
    Above(f64),
    /// It is below this; below no change at all by a loss.
    Below(f64),
    /// It is neither a gain nor a loss.
    Unchanged,
}

impl Claim {
    /// Reads what stands in a file: `20`, `6..19`, `up to 20`, `above 0`, `below 1`, `unchanged`; `None` for other
    /// words.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim().trim_start_matches('~').trim_start_matches('+').parse::<f64>().ok();
        let text = text.trim();
        if text == "unchanged" {
            return Some(Self::Unchanged);
        }
        if let Some((from, to)) = text.split_once("..") {
            return Some(Self::Between(number(from)?, number(to)?));
        }
        let side = |word: &str, claim: fn(f64) -> Self| text.strip_prefix(word).and_then(number).map(claim);
        side("up to ", Self::UpTo)
            .or_else(|| side("above ", Self::Above))
            .or_else(|| side("below ", Self::Below))
            .or_else(|| number(text).map(Self::Number))
    }

    /// Returns how far `ours` is from what is claimed, in the measure's unit: points, or per cent of the claim for
    /// amounts and factors; of a claim on nothing the difference, since nothing is a part of it. It is 0 where a range
    /// or a side holds.
    pub fn distance(self, ours: f64, measure: Measure) -> f64 {
        let off = |theirs: f64| {
            if measure.is_relative_to(theirs) { 100.0 * (ours / theirs - 1.0) } else { ours - theirs }
        };
        match self {
            Self::Number(theirs) => off(theirs),
            Self::Between(least, _) if ours < least => off(least),
            Self::Between(_, most) if ours > most => off(most),
            Self::UpTo(most) if ours > most => off(most),
            Self::Above(bound) if ours < bound => off(bound),
            Self::Below(bound) if ours > bound => off(bound),
            Self::Unchanged => off(no_change(measure)),
            _ => 0.0,
        }
    }

    /// Returns `true` if the claim is on a sign: a gain, a loss, or neither.
    pub fn is_sign(self, measure: Measure) -> bool {
        match self {
            Self::Above(bound) | Self::Below(bound) => has_points(measure) && bound == no_change(measure),
            Self::Unchanged => true,
            _ => false,
        }
    }

    /// Returns the distance within which a number is what is claimed, in the number's own unit.
    pub fn tolerance(self, measure: Measure) -> f64 {
        let theirs = match self {
            Self::Number(theirs) | Self::Between(theirs, _) | Self::UpTo(theirs) => theirs,
            Self::Above(bound) | Self::Below(bound) => bound,
            Self::Unchanged => no_change(measure),
        };
        let points = if self.is_sign(measure) { CHANGE } else { POINTS };
        match measure {
            Measure::Share | Measure::Gain => points,
            Measure::Factor if theirs < LARGE_FACTOR => points / 100.0,
            Measure::Factor | Measure::Amount => (1.0 - RATIO) * theirs.abs(),
            Measure::Exact => 0.0,
        }
    }

    /// Returns `true` if `ours` is what is claimed, by the rule for its measure.
    pub fn holds(self, ours: f64, measure: Measure) -> bool {
        let near = |theirs: f64| is_near(ours, theirs, measure);
        let change = points(ours, measure);
        match self {
            Self::Unchanged => change.abs() < CHANGE,
            Self::Above(_) if self.is_sign(measure) => change >= CHANGE,
            Self::Below(_) if self.is_sign(measure) => change <= -CHANGE,
            Self::Number(theirs) => near(theirs),
            Self::Between(least, most) => (least..=most).contains(&ours) || near(least) || near(most),
            Self::UpTo(most) => {
                let none = no_change(measure);
                (none..=most).contains(&ours) || near(most) || near(none)
            }
            Self::Above(bound) => ours > bound,
            Self::Below(bound) => ours < bound,
        }
    }

    /// Returns what all numbers from `least` to `most` say: `true` if each of them holds, `false` if none does, and
    /// `None` if some do.
    pub fn holds_within(self, least: f64, most: f64, measure: Measure) -> Option<bool> {
        // What holds is one range, without gaps. Where neither end is in it, it is within or outside.
        let [at_least, at_most] = [least, most].map(|end| self.holds(end, measure));
        let inner = match self {
            Self::Number(theirs) | Self::Between(theirs, _) | Self::UpTo(theirs) => Some(theirs),
            Self::Unchanged => Some(no_change(measure)),
            Self::Above(_) | Self::Below(_) => None,
        };
        let is_within = inner.is_some_and(|inner| (least..=most).contains(&inner));
        match (at_least, at_most) {
            (true, true) => Some(true),
            (false, false) if !is_within => Some(false),
            _ => None,
        }
    }

    /// Returns `true` if `ours` reaches the end that the claim names, for claims that want one cell to.
    pub fn is_reached(self, ours: f64, measure: Measure) -> bool {
        match self {
            Self::UpTo(most) => is_near(ours, most, measure) || ours > most,
            _ => true,
        }
    }
}

/// Returns `true` if changes of such numbers are counted in points.
fn has_points(measure: Measure) -> bool {
    matches!(measure, Measure::Share | Measure::Gain | Measure::Factor)
}

/// Returns the number that stands for no change.
fn no_change(measure: Measure) -> f64 {
    if measure == Measure::Factor { 1.0 } else { 0.0 }
}

/// Returns by how many points a number is a gain; a factor is one of as many per cent.
fn points(ours: f64, measure: Measure) -> f64 {
    if measure == Measure::Factor { 100.0 * (ours - 1.0) } else { ours }
}

/// Returns `true` if two numbers agree by the rule.
fn is_near(ours: f64, theirs: f64, measure: Measure) -> bool {
    match measure {
        Measure::Share | Measure::Gain => (ours - theirs).abs() <= POINTS,
        Measure::Factor if theirs < LARGE_FACTOR => (100.0 * (ours - theirs)).abs() <= POINTS,
        Measure::Factor => (ours / theirs - 1.0).abs() <= 0.1,
        Measure::Amount => {
            let quotient = ours / theirs;
            (RATIO..=1.0 / RATIO).contains(&quotient)
        }
        Measure::Exact => ours == theirs,
    }
}

/// Number of cells of a row that must hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// Every one of them.
    #[default]
    All,
    /// Three of four ("usually").
    Most,
    /// At least one ("in some").
    One,
}

impl Wanted {
    /// Returns `true` if so many cells of all are enough.
    pub fn are_enough(self, holding: usize, all: usize) -> bool {
        match self {
            Self::All => holding == all,
            Self::Most => 4 * holding >= 3 * all,
            Self::One => holding > 0,
        }
    }
}

/// Outcome of a paper's statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// It holds here.
    Reproduced,
    /// It was tried, and something else came out.
    NotReproduced,
    /// It cannot be tested here.
    CannotBe,
}

impl Outcome {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 3] = [Self::Reproduced, Self::NotReproduced, Self::CannotBe];
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::CannotBe => "cannot be",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Measure::{Amount, Exact, Factor, Gain, Share};

    fn holds(claim: &str, measure: Measure, ours: f64) -> bool {
        Claim::parse(claim).unwrap().holds(ours, measure)
    }

    #[test]
    fn each_measure_has_its_distance() {
        assert!(holds("56", Share, 51.0) && !holds("56", Share, 50.9));
        assert!(holds("-22", Gain, -17.0) && !holds("-22", Gain, -16.9));
        assert!(holds("100", Amount, 90.0) && !holds("100", Amount, 89.9));
        assert!(holds("100", Amount, 111.0) && !holds("100", Amount, 111.2));
        assert!(holds("1.2", Factor, 1.25) && !holds("1.2", Factor, 1.26));
        assert!(holds("2.3", Factor, 2.08) && !holds("2.3", Factor, 2.06));
        assert!(holds("0", Exact, 0.0) && !holds("0", Exact, 1.0));
    }

    #[test]
    fn ranges_are_widened_by_the_same_distance() {
        for (ours, is_in) in [(1.0, true), (0.9, false), (12.0, true), (24.0, true), (24.1, false)] {
            assert_eq!(holds("6..19", Gain, ours), is_in, "{ours}");
        }
        assert!(holds("1.5..2.2", Factor, 1.36) && !holds("1.5..2.2", Factor, 1.34));
    }

    #[test]
    fn an_interval_says_something_if_all_of_it_does() {
        let of = |claim: &str, least, most, measure| Claim::parse(claim).unwrap().holds_within(least, most, measure);
        assert_eq!(of("144", 128.2, 138.4, Gain), Some(false));
        assert_eq!(of("144", 128.2, 139.4, Gain), None);
        assert_eq!(of("144", 130.0, 160.0, Gain), None);
        assert_eq!(of("144", 140.0, 148.0, Gain), Some(true));
        assert_eq!(of("30..60", 20.0, 80.0, Share), None);
        assert_eq!(of("30..60", 26.0, 64.0, Share), Some(true));
        assert_eq!(of("30..60", 66.0, 90.0, Share), Some(false));
        assert_eq!(of("up to 20", -30.0, 40.0, Gain), None);
        assert_eq!(of("above 0", -30.0, 1.0, Gain), Some(false));
        assert_eq!(of("above 0", -30.0, 3.0, Gain), None);
        assert_eq!(of("below 1", 0.5, 0.98, Factor), Some(true));
        assert_eq!(of("unchanged", -1.9, 1.9, Gain), Some(true));
        assert_eq!(of("unchanged", -3.0, 3.0, Gain), None);
        assert_eq!(of("unchanged", 2.5, 30.0, Gain), Some(false));
    }

    #[test]
    fn up_to_wants_a_cell_near_its_end() {
        let claim = Claim::parse("up to 20").unwrap();
        assert_eq!(claim, Claim::UpTo(20.0));
        assert!(claim.holds(3.0, Gain) && !claim.is_reached(3.0, Gain));
        assert!(claim.holds(24.0, Gain) && claim.is_reached(24.0, Gain));
        assert!(!claim.holds(26.0, Gain) && !claim.holds(-6.0, Gain));
    }

    #[test]
    fn a_sign_is_a_change_of_two_points_whatever_is_counted_in_them() {
        for measure in [Gain, Share] {
            assert!(holds("above 0", measure, 2.0) && !holds("above 0", measure, 1.9), "{measure:?}");
            assert!(holds("below 0", measure, -2.0) && !holds("below 0", measure, -1.9), "{measure:?}");
            assert!(holds("unchanged", measure, -1.9) && !holds("unchanged", measure, 2.0), "{measure:?}");
        }
        assert!(holds("below 1", Factor, 0.98) && !holds("below 1", Factor, 0.996));
        assert!(holds("above 1", Factor, 1.02) && !holds("above 1", Factor, 1.01));
        assert!(holds("unchanged", Factor, 1.01) && !holds("unchanged", Factor, 0.97));
    }

    #[test]
    fn an_order_against_a_number_has_no_margin() {
        assert!(holds("above 50", Share, 50.1) && !holds("above 50", Share, 50.0));
        assert!(holds("above 10", Gain, 10.1) && holds("above 1", Amount, 1.01) && !holds("above 0", Exact, 0.0));
    }

    #[test]
    fn about_nothing_is_a_number_as_others_are() {
        assert!(holds("~0", Gain, 4.0) && !holds("~0", Gain, 5.1));
        assert!(holds("1", Factor, 1.04) && !holds("1", Factor, 1.06));
    }

    #[test]
    fn a_tolerance_is_in_the_numbers_own_unit() {
        let of = |claim: &str, measure| Claim::parse(claim).unwrap().tolerance(measure);
        assert!((of("56", Share) - 5.0).abs() < 1e-6 && (of("above 0", Gain) - 2.0).abs() < 1e-6);
        assert!((of("200", Amount) - 20.0).abs() < 1e-6 && (of("2", Factor) - 0.2).abs() < 1e-6);
        assert!((of("1.2", Factor) - 0.05).abs() < 1e-6 && (of("unchanged", Factor) - 0.02).abs() < 1e-6);
    }

    #[test]
    fn distances_are_said_in_points_or_per_cent() {
        let of = |claim: &str, ours, measure| Claim::parse(claim).unwrap().distance(ours, measure);
        assert_eq!(of("56", 49.0, Share), -7.0);
        assert_eq!(of("6..19", 12.0, Gain), 0.0);
        assert_eq!(of("6..19", 21.0, Gain), 2.0);
        assert!((of("100", 90.0, Amount) + 10.0).abs() < 1e-9);
        assert_eq!(of("above 4", 2.0, Share), -2.0);
        // Nothing is a part of nothing.
        assert_eq!((of("below 0", 3.0, Amount), of("0", 3.0, Factor)), (3.0, 3.0));
    }

    #[test]
    fn words_are_no_claim() {
        for words in ["", "less", "nearer 100", "up to", "6-19"] {
            assert_eq!(Claim::parse(words), None, "{words}");
        }
        assert_eq!(Claim::parse("~+20"), Some(Claim::Number(20.0)));
    }

    #[test]
    fn usually_is_three_of_four() {
        assert!(Wanted::Most.are_enough(3, 4) && !Wanted::Most.are_enough(5, 7));
        assert!(Wanted::All.are_enough(2, 2) && !Wanted::All.are_enough(1, 2));
        assert!(Wanted::One.are_enough(1, 9) && !Wanted::One.are_enough(0, 9));
    }
}
