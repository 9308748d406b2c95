//! The error of a change's gain, where it is foretold as a ratio of two expected rates.
//!
//! No record has the same kernel on a machine with another number. What was recorded is how far ratios of expected
//! rates of two *kernels* on one scene are off (`data/calibration.csv`), and a gain gets the interval of such a ratio:
//! as if the change made another kernel of it, whose own calibration nobody knows. It is made for nine of ten. On four
//! held-out scenes 88 to 99 % of pairs of kernels lie in it (`crates/lab/tests/predictions.rs`), and of what fewer
//! resident warps cost 90 %, the largest changes the farthest off (`crates/lab/tests/resident_warps.rs`).

use super::prediction::{NINE_OF_TEN, mean, measured};
use crate::simulate::TracedRays;
use raywarp_sim::machine::Machine;

/// Spread of the errors of ratios between two kernels' expected rates on the same rays, on a machine with measured
/// rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GainSpread {
    /// Half width of the 90 % interval of a ratio's logarithm.
    log: f64,
}

impl GainSpread {
    /// Returns the spread for a machine and kind of rays; `None` where no two kernels were measured on one scene.
    pub fn of(machine: &Machine, kind: impl Into<TracedRays>) -> Option<Self> {
        let kind = kind.into();
        let mut scenes: Vec<(&str, Vec<f64>)> = Vec::new();
        for (_, scene, log) in measured(machine.name(), kind) {
            match scenes.iter_mut().find(|(known, _)| *known == scene) {
                Some((_, logs)) => logs.push(log),
                None => scenes.push((scene, vec![log])),
            }
        }
        let freedom: usize = scenes.iter().map(|(_, logs)| logs.len() - 1).sum();
        if freedom == 0 {
            return None;
        }
        let squares = |logs: &[f64]| logs.iter().map(|log| (log - mean(logs)).powi(2)).sum::<f64>();
        let variance = scenes.iter().map(|(_, logs)| squares(logs)).sum::<f64>() / freedom as f64;
        // Of a difference of two.
        Some(Self { log: NINE_OF_TEN * (2.0 * variance).sqrt() })
    }

    /// Returns the half width of the 90 % interval of a ratio's logarithm.
    pub(super) fn log(self) -> f64 {
        self.log
    }

    /// Returns the gain from one expected rate to another, both in any unit, with its interval.
    pub fn gain(self, before: f64, after: f64) -> ExpectedGain {
        ExpectedGain { log: (after / before).ln(), spread: self.log }
    }
}

/// Relative change of an expected rate, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedGain {
    /// Logarithm of the ratio of the new rate to the old.
    log: f64,
    /// Half width of the 90 % interval of that logarithm.
    spread: f64,
}

impl ExpectedGain {
    /// Returns the gain as a fraction of the rate; 0 where nothing changes.
    pub fn share(self) -> f64 {
        self.log.exp_m1()
    }

    /// Returns the ends of the 90 % interval of the gain, as fractions of the rate.
    pub fn interval(self) -> [f64; 2] {
        [self.log - self.spread, self.log + self.spread].map(f64::exp_m1)
    }

    /// Returns `true` if the interval does not contain 0: otherwise the rate may not change at all.
    pub fn is_decided(self) -> bool {
        self.log.abs() > self.spread
    }

    /// Returns the geometric mean of gains; `None` where there are none. Its interval is as wide as theirs on average,
    /// as if all were off together.
    pub fn mean(gains: impl Iterator<Item = Self>) -> Option<Self> {
        let (logs, spreads): (Vec<f64>, Vec<f64>) = gains.map(|gain| (gain.log, gain.spread)).unzip();
        (!logs.is_empty()).then(|| Self { log: mean(&logs), spread: mean(&spreads) })
    }

    /// Returns the interval as a table cell, such as `+8.1 to +36.4`, or `undecided`.
    pub(crate) fn interval_cell(self) -> String {
        let [low, high] = self.interval().map(|share| format!("{:+.1}", 100.0 * share));
        if self.is_decided() { format!("{low} to {high}") } else { "undecided".to_string() }
    }

    /// Returns the gain as text: `+21 % (+8.1 to +36.4)`, or `+4 % (undecided)`.
    pub(crate) fn in_words(self) -> String {
        format!("{:+.0} % ({})", 100.0 * self.share(), self.interval_cell())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_workload::rays::RayKind;

    fn spread(kind: RayKind) -> GainSpread {
        GainSpread::of(&Machine::find("h200").unwrap(), kind).unwrap()
    }

    #[test]
    fn a_gain_is_decided_where_its_interval_leaves_out_nothing_changes() {
        for kind in [RayKind::Ao, RayKind::Diffuse] {
            let of = |after: f64| spread(kind).gain(1000.0, after);
            assert!(of(1300.0).is_decided() && of(800.0).is_decided(), "{kind:?}");
            assert!(!of(1050.0).is_decided() && !of(960.0).is_decided() && !of(1000.0).is_decided(), "{kind:?}");
            assert_eq!(of(1000.0).share(), 0.0);
            for after in [700.0, 1000.0, 1130.0, 1400.0] {
                let [low, high] = of(after).interval();
                assert!(low < of(after).share() && of(after).share() < high);
                assert_eq!(of(after).is_decided(), !(low..=high).contains(&0.0), "{after}");
            }
        }
        assert_eq!(spread(RayKind::Ao).gain(100.0, 105.0).interval_cell(), "undecided");
    }

    #[test]
    fn the_spread_is_that_of_all_pairs_of_kernels_on_one_scene() {
        // The slow way: every pair of every scene.
        for kind in RayKind::ALL {
            let all: Vec<_> = measured("H200", kind.into()).collect();
            let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
            let same = pairs.filter(|(a, b)| a.1 == b.1 && a.0 < b.0);
            let squares: Vec<f64> = same.map(|(a, b)| (a.2 - b.2).powi(2)).collect();
            assert_eq!(squares.len(), 5 * 45);
            let wanted = NINE_OF_TEN * mean(&squares).sqrt();
            assert!((spread(kind).log / wanted - 1.0).abs() < 1e-9, "{kind:?}: {} {wanted}", spread(kind).log);
        }
    }

    #[test]
    fn machines_that_nothing_was_measured_on_have_none() {
        assert_eq!(GainSpread::of(&Machine::find("rtx4090").unwrap(), RayKind::Ao), None);
    }

    #[test]
    fn a_mean_of_gains_is_no_surer_than_they_are() {
        let gains = [1100.0, 1210.0].map(|after| spread(RayKind::Ao).gain(1000.0, after));
        let all = ExpectedGain::mean(gains.into_iter()).unwrap();
        assert!((all.share() - (1.1f64 * 1.21).sqrt() + 1.0).abs() < 1e-12);
        assert_eq!(all.spread, gains[0].spread);
        assert_eq!(ExpectedGain::mean([].into_iter()), None);
    }
}
