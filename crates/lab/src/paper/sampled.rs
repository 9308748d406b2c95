//! Numbers of samples, and what is formed of them with its interval.

use raywarp_papers::Measure;

/// Number of samples whose spread gives an interval.
pub(super) const DRAWS: usize = 5;

/// Quantile of Student's distribution of as many samples, less one, for an interval of 95 %.
const STUDENT: f64 = 2.776;

/// A number by each of five further samples of rays, each of a fifth of those that the number itself is of. All numbers
/// of an exhibit on a scene are of the same five, so that what is formed of two of them has an interval too.
///
/// A fifth of the rays can give another number on average, not only a less certain one: a launch of fewer rays ends
/// otherwise. So an interval holds the mean of the five as well as their spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draws {
    numbers: [f64; DRAWS],
    /// The number that they were drawn for.
    of: f64,
    /// How many times as wide the interval by their spread is for a number of fewer rays.
    wider: f64,
}

impl Draws {
    /// Takes the number by each sample, and the one that they were drawn for; `None` if there are not five.
    pub fn new(numbers: &[f64], of: f64) -> Option<Self> {
        Some(Self { numbers: numbers.try_into().ok()?, of, wider: 1.0 })
    }

    /// Returns the number by each sample.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Returns half the 95 % interval of `number`: that of the mean of the samples by their spread, or where it is
    /// larger the distance of that mean from the number that they were drawn for. `number` is this one, made again by
    /// today's program or of another sample; one of fewer rays is at least as uncertain as it is far from the mean.
    pub fn half(&self, number: f64) -> f64 {
        let count = DRAWS as f64;
        let mean = self.numbers.iter().sum::<f64>() / count;
        let variance = self.numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let spread = self.wider * STUDENT * (variance / count).sqrt();
        // Of as many rays a number that is far from those of its record is another number, and no less certain.
        let of_fewer = if self.wider > 1.0 { (mean - number).abs() } else { 0.0 };
        spread.max((mean - self.of).abs()).max(of_fewer)
    }

    /// Returns them for a number whose interval by their spread is so many times as wide.
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
        self.draws.map(|draws| draws.half(self.number))
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
                let drawn_for = |number: f64, draws: Option<Draws>| draws.map_or(number, |draws| draws.of);
                let wider = a.into_iter().chain(b).map(|draws| draws.wider).fold(1.0, f64::max);
                let of = formula(drawn_for(self.number, a), drawn_for(other.number, b));
                Some(Draws { numbers: std::array::from_fn(formed), of, wider })
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
        Sampled { number, draws: Draws::new(&draws, number) }
    }

    #[test]
    fn an_interval_is_that_of_the_mean_of_the_samples() {
        // Five numbers of variance 2.5: 2.776 times the root of 0.5.
        let draws = Draws::new(&[8.0, 9.0, 10.0, 11.0, 12.0], 10.0).unwrap();
        assert!((draws.half(10.0) - 2.776 * 0.5_f64.sqrt()).abs() < 1e-12);
        assert!((draws.widened(2.0).half(10.0) - 2.0 * draws.half(10.0)).abs() < 1e-12);
        assert_eq!(Draws::new(&[8.0, 9.0], 8.5), None);
    }

    #[test]
    fn an_interval_holds_the_mean_of_the_samples() {
        let draws = [8.0, 9.0, 10.0, 11.0, 12.0];
        // 2.776 times the root of 0.5 is 1.96: less than 3.
        assert_eq!(of(13.0, draws).half(), Some(3.0));
        assert_eq!(of(7.0, draws).half(), Some(3.0));
        assert!((of(11.0, draws).half().unwrap() - 2.776 * 0.5_f64.sqrt()).abs() < 1e-12);
        // Of what is formed it is the distance of what the samples form: 1.3 and a mean of 1.
        let quotient = of(13.0, draws).over(Sampled::exact(10.0), Measure::Factor);
        assert!((quotient.half().unwrap() - 0.3).abs() < 1e-12, "{quotient:?}");
        // Where both are off alike, their quotient is not.
        let alike = of(13.0, draws).over(of(26.0, draws.map(|draw| 2.0 * draw)), Measure::Factor);
        assert!(alike.half().unwrap() < 1e-12, "{alike:?}");
    }

    #[test]
    fn a_number_far_from_its_record_is_uncertain_only_if_it_is_of_fewer_rays() {
        let draws = Draws::new(&[8.0, 9.0, 10.0, 11.0, 12.0], 10.0).unwrap();
        assert_eq!(draws.half(90.0), draws.half(10.0));
        assert_eq!(draws.widened(1.5).half(90.0), 80.0);
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
