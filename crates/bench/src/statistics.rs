//! Medians and spreads of few runs.

/// Quartiles of some times, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quartiles {
    /// Shortest of the times.
    pub min: f64,
    /// First quartile of the times.
    pub q1: f64,
    /// Median of the times.
    pub median: f64,
    /// Third quartile of the times.
    pub q3: f64,
    /// Longest of the times.
    pub max: f64,
}

impl Quartiles {
    /// Computes the quartiles of `times`, interpolated linearly as NumPy's `quantile` does it. All NaN without times.
    pub fn of(times: &[f64]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (sorted.len().max(1) - 1) as f64;
            let (low, high) = (sorted.get(place.floor() as usize), sorted.get(place.ceil() as usize));
            match (low, high) {
                (Some(low), Some(high)) => low + (high - low) * place.fract(),
                _ => f64::NAN,
            }
        };
        Self { min: at(0.0), q1: at(0.25), median: at(0.5), q3: at(0.75), max: at(1.0) }
    }

    /// Returns the sum, quartile by quartile, with the times of work that is done afterwards.
    #[must_use]
    pub fn plus(self, other: &Self) -> Self {
        Self {
            min: self.min + other.min,
            q1: self.q1 + other.q1,
            median: self.median + other.median,
            q3: self.q3 + other.q3,
            max: self.max + other.max,
        }
    }

    /// Returns the interquartile range in per cent of the median.
    pub fn spread_percent(&self) -> f64 {
        100.0 * (self.q3 - self.q1) / self.median
    }

    /// Returns rates in millions a second for this many items in each quartile's time, from the slowest run to the
    /// fastest.
    pub fn mega_rates(&self, count: u64) -> Self {
        let rate = |seconds: f64| count as f64 / seconds / 1e6;
        Self {
            min: rate(self.max),
            q1: rate(self.q3),
            median: rate(self.median),
            q3: rate(self.q1),
            max: rate(self.min),
        }
    }
}

/// Returns the geometric mean of some values; NaN if there are none.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours() {
        let q = Quartiles::of(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!([q.min, q.q1, q.median, q.q3, q.max], [1.0, 1.75, 2.5, 3.25, 4.0]);
        let q = Quartiles::of(&[7.0]);
        assert_eq!([q.min, q.median, q.max], [7.0; 3]);
        assert_eq!(q.spread_percent(), 0.0);
        assert!(Quartiles::of(&[]).median.is_nan());
    }

    #[test]
    fn one_slow_run_moves_neither_median_nor_spread() {
        let mut times = vec![1.0; 9];
        times.push(100.0);
        let q = Quartiles::of(&times);
        assert_eq!((q.median, q.spread_percent(), q.max), (1.0, 0.0, 100.0));
    }

    #[test]
    fn rates_are_total_rays_over_total_time() {
        // 1 and 3 million rays in 1 and 2 seconds.
        let total = Quartiles::of(&[1.0]).plus(&Quartiles::of(&[2.0]));
        assert!((total.mega_rates(4_000_000).median - 4.0 / 3.0).abs() < 1e-12);
        let rates = Quartiles::of(&[1.0, 2.0, 4.0]).mega_rates(4_000_000);
        assert_eq!([rates.min, rates.median, rates.max], [1.0, 2.0, 4.0]);
    }

    #[test]
    fn geometric_means_are_those_of_ratios() {
        assert!((geometric_mean(&[0.5, 2.0]) - 1.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_nan());
    }
}
