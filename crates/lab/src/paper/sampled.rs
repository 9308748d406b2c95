//! Numbers of samples, and what is formed of them with its interval.

use raywarp_papers::Measure;

/// Number of samples whose spread gives an interval.
pub(super) const DRAWS: usize = 5;

/// Quantile of Student's distribution of as many samples, less one, for an interval of 95 %.
const STUDENT: f64 = 2.776;

/// A number by each of five further samples of rays, each of a fifth of those that the number itself is of. All numbers
/// of an exhibit on a scene are of the same five, so that what is formed of two of them has an interval too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draws {
    numbers: [f64; DRAWS],
    /// How many times as wide the interval is for a number of fewer rays.
    wider: f64,
}

impl Draws {
    /// Takes the number by each sample; `None` if there are not five.
    pub fn new(numbers: &[f64]) -> Option<Self> {
        Some(Self { numbers: numbers.try_into().ok()?, wider: 1.0 })
    }

    /// Returns the number by each sample.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Returns half the 95 % interval of the mean of all samples.
    pub fn half(&self) -> f64 {
        let count = DRAWS as f64;
        let mean = self.numbers.iter().sum::<f64>() / count;
        let variance = self.numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (count - 1.0);
        self.wider * STUDENT * (variance / count).sqrt()
    }

    /// Returns them for a number whose interval is so many times as wide.
    pub fn widened(self, times: f64) -> Self {
        Self { wider: self.wider * times, ..self }
    }
}

/// A number that may be of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sampled {
    pub number: f64,
    /// The number by further samples; `None` where nothing was drawn.
    pub draws: Option<Draws>,
}

impl Sampled {
    /// Takes a number that nothing was drawn for.
    pub fn exact(number: f64) -> Self {
        Self { number, draws: None }
    }

    /// Returns half the 95 % interval of the number; `None` where nothing was drawn.
    pub fn half(&self) -> Option<f64> {
        self.draws.map(|draws| draws.half())
    }

    /// Returns what a formula makes of two numbers, and of each sample's two.
    pub fn with(self, other: Self, formula: impl Fn(f64, f64) -> f64) -> Self {
        let draws = match (self.draws, other.draws) {
            (None, None) => None,
            (a, b) => {
                let of = |number: f64, draws: Option<Draws>, place: usize| {
                    draws.and_then(|draws| draws.numbers.get(place).copied()).unwrap_or(number)
                };
                let formed = |place| formula(of(self.number, a, place), of(other.number, b, place));
                let wider = a.into_iter().chain(b).map(|draws| draws.wider).fold(1.0, f64::max);
                Some(Draws { numbers: std::array::from_fn(formed), wider })
            }
        };
        Self { number: formula(self.number, other.number), draws }
    }

    /// Returns a quotient as the measure has it: a gain or share in per cent, or a factor.
    pub fn over(self, base: Self, measure: Measure) -> Self {
        self.with(base, |number, base| match measure {
            Measure::Gain => 100.0 * (number / base - 1.0),
            Measure::Share => 100.0 * number / base,
            _ => number / base,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: f64, draws: [f64; DRAWS]) -> Sampled {
        Sampled { number, draws: Draws::new(&draws) }
    }

    #[test]
    fn an_interval_is_that_of_the_mean_of_the_samples() {
        // Five numbers of variance 2.5: 2.776 times the root of 0.5.
        let draws = Draws::new(&[8.0, 9.0, 10.0, 11.0, 12.0]).unwrap();
        assert!((draws.half() - 2.776 * 0.5_f64.sqrt()).abs() < 1e-12);
        assert!((draws.widened(2.0).half() - 2.0 * draws.half()).abs() < 1e-12);
        assert_eq!(Draws::new(&[8.0, 9.0]), None);
    }

    #[test]
    fn two_numbers_of_the_same_samples_are_formed_sample_by_sample() {
        let (fast, slow) = (of(20.0, [18.0, 19.0, 20.0, 21.0, 22.0]), of(10.0, [9.0, 9.5, 10.0, 10.5, 11.0]));
        // Each sample has the same quotient, however much the two rise and fall.
        let factor = fast.over(slow, Measure::Factor);
        assert!(factor.number == 2.0 && factor.half().unwrap() < 1e-12, "{factor:?}");
        let gain = fast.over(Sampled::exact(10.0), Measure::Gain);
        assert!(
            (gain.number - 100.0).abs() < 1e-9 && (gain.half().unwrap() - 10.0 * fast.half().unwrap()).abs() < 1e-9
        );
        let less = Sampled::exact(30.0).with(slow, |a, b| a - b);
        assert!(less.number == 20.0 && (less.half().unwrap() - slow.half().unwrap()).abs() < 1e-12);
        assert_eq!(Sampled::exact(3.0).over(Sampled::exact(2.0), Measure::Factor), Sampled::exact(1.5));
    }
}
