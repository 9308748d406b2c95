//! Lines' shares of the time beside those of a profiler that looked at which instructions warps stand.

use super::ExplainedLine;
use raywarp_report::number;
use serde_json::{Value as Json, json};

/// Number of lines that are compared: those at which a profiler found warps most often.
const HOTTEST: usize = 10;

/// Distance between the shares of the hottest lines and a profiler's samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BesideSamples {
    /// Number of lines that are compared: at most the ten at which the profiler found warps most often.
    pub lines: usize,
    /// Mean of the differences of their shares, from 0 to 1, without signs.
    pub mean: f64,
    /// Largest of the differences.
    pub most: f64,
    /// `true` if the hottest line is the hottest by samples, too.
    pub same_hottest: bool,
}

impl BesideSamples {
    /// Compares lines, those first at which warps spend most time; `None` without samples.
    pub(super) fn of(lines: &[ExplainedLine]) -> Option<Self> {
        let mut pairs: Vec<(usize, f64, f64)> = Vec::new();
        for (rank, line) in lines.iter().enumerate() {
            pairs.extend(line.sampled.map(|sampled| (rank, line.share, sampled)));
        }
        pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
        let same_hottest = pairs.first()?.0 == 0;
        let differences: Vec<f64> =
            pairs.iter().take(HOTTEST).map(|(_, share, sampled)| (share - sampled).abs()).collect();
        let count = differences.len();
        Some(Self {
            lines: count,
            mean: differences.iter().sum::<f64>() / count as f64,
            most: differences.iter().copied().fold(0.0, f64::max),
            same_hottest,
        })
    }

    /// Returns the comparison in words.
    pub(super) fn words(self) -> String {
        let Self { lines, mean, most, same_hottest } = self;
        format!(
            "The {lines} lines at which a profiler found warps most often: off by {} points of the time on average, {} at most; \
             the hottest is {}",
            number(100.0 * mean, 1),
            number(100.0 * most, 1),
            if same_hottest { "the same" } else { "another" }
        )
    }

    /// Returns the comparison as JSON.
    pub(super) fn json(self) -> Json {
        let Self { lines, mean, most, same_hottest } = self;
        json!({ "lines": lines, "mean_points": 100.0 * mean, "most_points": 100.0 * most, "same_hottest": same_hottest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns lines with these shares and samples, in per cent.
    fn lines(percents: &[(f64, f64)]) -> Vec<ExplainedLine> {
        let line = |(share, sampled): &(f64, f64)| ExplainedLine {
            share: share / 100.0,
            sampled: Some(sampled / 100.0),
            ..ExplainedLine::default()
        };
        percents.iter().map(line).collect()
    }

    #[test]
    fn the_ten_hottest_by_samples_are_compared() {
        let same = BesideSamples::of(&lines(&[(50.0, 46.0), (30.0, 40.0), (20.0, 14.0)])).unwrap();
        assert_eq!((same.lines, same.same_hottest), (3, true));
        assert!((same.mean - 0.2 / 3.0).abs() < 1e-12 && (same.most - 0.1).abs() < 1e-12, "{same:?}");
        assert!(!BesideSamples::of(&lines(&[(50.0, 40.0), (30.0, 46.0)])).unwrap().same_hottest);
        // An eleventh, however far off.
        let mut many = vec![(8.0, 9.0); 10];
        many.push((20.0, 1.0));
        let many = BesideSamples::of(&lines(&many)).unwrap();
        assert_eq!(many.lines, 10);
        assert!((many.most - 0.01).abs() < 1e-12, "{many:?}");
        assert_eq!(BesideSamples::of(&[ExplainedLine::default()]), None);
    }
}
