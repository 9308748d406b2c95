//! A rate to expect with an interval: the model's, times what kernels reached of it where that was measured.
//!
//! `data/calibration.csv` has the ratio of measured to modelled rates on five scenes of an H200 and four of an H100
//! (`bench/calibrate.py` makes it of recorded runs). A kernel that is in it is expected to have its own mean ratio
//! again; another one that of all kernels. How much ratios differ from scene to scene, and for another kernel from
//! kernel to kernel, makes the interval: nine of ten new rates should lie in it, if scenes and kernels are like those,
//! logarithms of ratios about normal, and launches long.
//!
//! A machine with numbers that were changed, and a kernel with changed costs, keep those ratios, and get an interval
//! that is as much wider as the gain of a change may be off ([`GainSpread`]). Where the model does not have what was
//! changed, nothing is told.

use super::GainSpread;
use super::change::is_modelled;
use crate::simulate::TracedRays;
use raywarp_family::Variant;
use raywarp_sim::machine::{Machine, MachineKey};

const TABLE: &str = include_str!("../../data/calibration.csv");

/// Number of standard deviations to either side that contain 90 % of a normal distribution.
pub(super) const NINE_OF_TEN: f64 = 1.645;

/// Ratio of an interval's ends above which no rate is predicted.
const TOO_WIDE: f64 = 1.5;

/// A predicted rate with a 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Predicted rate in rays a second.
    pub rays_per_s: f64,
    /// Lower end of the 90 % interval.
    pub low: f64,
    /// Upper end of the 90 % interval.
    pub high: f64,
    /// `true` if rates of this very kernel were measured on the machine, among those that the interval is from.
    pub is_of_kernel: bool,
    /// `true` if the prediction is for a changed machine or changed costs.
    pub is_of_change: bool,
}

/// Logarithms of a kernel's measured rates divided by modelled ones.
struct Ratios<'a> {
    variant: &'a str,
    logs: Vec<f64>,
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns what was measured on a machine with rays of a kind: variant, scene, and the logarithm of measured over
/// modelled rate.
pub(super) fn measured(machine: &str, kind: TracedRays) -> impl Iterator<Item = (&'static str, &'static str, f64)> {
    TABLE.lines().skip(1).filter_map(move |line| {
        let [of, variant, rays, scene, ratio] = line.split(',').collect::<Vec<_>>()[..] else { return None };
        let ratio = ratio.parse::<f64>().ok()?;
        (of == machine && kind.kind().is_some_and(|kind| rays == kind.name())).then_some((variant, scene, ratio.ln()))
    })
}

/// Returns the ratios of measured to modelled rates of each kernel on a machine with rays of a kind.
fn ratios(machine: &str, kind: TracedRays) -> Vec<Ratios<'static>> {
    let mut found: Vec<Ratios<'static>> = Vec::new();
    for (variant, _, log) in measured(machine, kind) {
        match found.iter_mut().find(|known| known.variant == variant) {
            Some(known) => known.logs.push(log),
            None => found.push(Ratios { variant, logs: vec![log] }),
        }
    }
    found
}

impl Prediction {
    /// Returns the prediction from a modelled rate in rays a second, which is of changed costs if `changed`. None of a
    /// machine that nothing was measured on, of one with a changed number that the model does not have, and of rays of
    /// no kind that was measured.
    pub fn of(
        machine: &Machine,
        variant: &Variant,
        kind: impl Into<TracedRays>,
        (modelled, changed): (f64, bool),
    ) -> Option<Self> {
        let kind = kind.into();
        let all = ratios(machine.name(), kind);
        let means: Vec<f64> = all.iter().map(|one| mean(&one.logs)).collect();
        let squares = |values: &[f64], middle: f64| values.iter().map(|v| (v - middle).powi(2)).sum::<f64>();
        let freedom: usize = all.iter().map(|one| one.logs.len().saturating_sub(1)).sum();
        if freedom == 0 || means.len() < 2 {
            return None;
        }
        let within = all.iter().zip(&means).map(|(one, mean)| squares(&one.logs, *mean)).sum::<f64>() / freedom as f64;
        let overall = mean(&means);
        let between = squares(&means, overall) / (means.len() - 1) as f64;
        let name = variant.to_string();
        let own = all.iter().zip(&means).find(|(one, _)| one.variant == name);
        let (middle, variance) = match own {
            Some((one, mean)) => (*mean, within * (1.0 + 1.0 / one.logs.len() as f64)),
            None => (overall, within + between * (1.0 + 1.0 / means.len() as f64)),
        };
        let altered = machine.altered()?;
        if !Self::is_told(machine) {
            return None;
        }
        let is_of_change = changed || !altered.is_empty();
        let of_change = if is_of_change { GainSpread::of(machine, kind)?.log() } else { 0.0 };
        let spread = (NINE_OF_TEN * variance.sqrt()).hypot(of_change);
        let at = |log: f64| modelled * (middle + log).exp();
        let is_of_kernel = own.is_some();
        Some(Self { rays_per_s: at(0.0), low: at(-spread), high: at(spread), is_of_kernel, is_of_change })
    }

    /// Returns `true` if the model has all numbers in which the machine differs from the built-in one of its name.
    pub fn is_told(machine: &Machine) -> bool {
        let is_known = |key: &&MachineKey| is_modelled(key) && machine.get(key).is_some();
        machine.altered().is_none_or(|altered| altered.iter().all(is_known))
    }

    /// Returns `true` if the interval is narrow enough to say anything.
    pub fn is_decided(&self) -> bool {
        self.high <= TOO_WIDE * self.low
    }

    /// Returns half of the interval, as a fraction of the rate.
    pub fn spread(&self) -> f64 {
        (self.high / self.low).sqrt() - 1.0
    }

    /// Returns the rate as a table cell, such as `4434 ±7%`, or `undecided`.
    pub(crate) fn cell(&self, number: impl Fn(f64) -> String) -> String {
        match self.is_decided() {
            true => format!("{} ±{:.0}%", number(self.rays_per_s / 1e6), 100.0 * self.spread()),
            false => "undecided".to_string(),
        }
    }
}

/// Returns a table cell for an expected rate: the prediction with its interval, or the model's own rate with a mark
/// where nothing was measured on the machine.
pub(crate) fn expected_cell(
    prediction: Option<Prediction>,
    modelled: Option<f64>,
    number: impl Fn(f64) -> String,
) -> Option<String> {
    match (prediction, modelled) {
        (Some(prediction), _) => Some(prediction.cell(number)),
        (None, Some(rate)) => Some(number(rate / 1e6) + "?"),
        (None, None) => None,
    }
}

/// Returns the prediction as JSON.
pub(crate) fn prediction_json(prediction: Option<Prediction>) -> serde_json::Value {
    prediction.map_or(serde_json::Value::Null, |one| {
        serde_json::json!({
            "mrays_per_s": one.rays_per_s / 1e6,
            "low_mrays_per_s": one.low / 1e6,
            "high_mrays_per_s": one.high / 1e6,
            "of_this_kernel": one.is_of_kernel,
            "of_a_change": one.is_of_change,
            "decided": one.is_decided(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_workload::rays::RayKind;

    fn predict(kernel: &str, kind: RayKind) -> Prediction {
        let machine = Machine::find("h200").unwrap();
        Prediction::of(&machine, &kernel.parse().unwrap(), kind, (1e9, false)).unwrap()
    }

    #[test]
    fn a_kernel_that_was_measured_has_the_narrower_interval_around_its_own_ratio() {
        for kind in [RayKind::Ao, RayKind::Diffuse] {
            let [own, other] = ["al09-if-if", "watertight"].map(|kernel| predict(kernel, kind));
            assert!(own.is_of_kernel && !other.is_of_kernel);
            assert!(own.spread() < other.spread() && own.is_decided() && other.is_decided(), "{own:?} {other:?}");
            // The model alone is faster than what was measured: by the mean of its own ratios, as they stand in the
            // table.
            let rows = format!("H200,direct/if-if/bvh2,{},", kind.name());
            let table = include_str!("../../data/calibration.csv").lines().filter(|line| line.starts_with(&rows));
            let ratios: Vec<f64> = table.map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
            let mean = ratios.iter().product::<f64>().powf(1.0 / ratios.len() as f64);
            assert!(ratios.len() == 5 && mean < 1.0, "{ratios:?}");
            assert!((own.rays_per_s / (1e9 * mean) - 1.0).abs() < 1e-9, "{own:?}, {mean}");
            assert!(own.low < own.rays_per_s && own.rays_per_s < own.high, "{own:?}");
        }
        // If-if reaches less of it than compressed nodes do.
        assert!(predict("al09-if-if", RayKind::Diffuse).rays_per_s < predict("ykl17", RayKind::Diffuse).rays_per_s);
    }

    #[test]
    fn a_change_has_a_wider_interval_and_none_where_the_model_does_not_have_it() {
        let (kernel, kind) = ("al09-if-if".parse().unwrap(), RayKind::Ao);
        let of = |set: &[(&str, &str)], costs: bool| {
            let mut machine = Machine::find("h200").unwrap();
            set.iter().for_each(|(key, value)| machine.set(key, value).unwrap());
            Prediction::of(&machine, &kernel, kind, (1e9, costs))
        };
        let as_it_is = of(&[], false).unwrap();
        for changed in [of(&[("resident.warps", "32")], false), of(&[], true), of(&[("latency.l1_hit", "2x")], true)] {
            let changed = changed.unwrap();
            assert!(changed.is_of_change && !as_it_is.is_of_change);
            assert_eq!(changed.rays_per_s, as_it_is.rays_per_s);
            assert!(changed.low < as_it_is.low && changed.high > as_it_is.high, "{changed:?} {as_it_is:?}");
        }
        // What is set to what it was changes nothing.
        assert_eq!(of(&[("sm.count", "1x")], false), Some(as_it_is));
        for bounds_alone in ["dram.gb_per_s", "l2.bytes_per_clock", "latency.alu"] {
            assert_eq!(of(&[(bounds_alone, "900"), ("resident.warps", "32")], false), None, "{bounds_alone}");
        }
    }

    #[test]
    fn primary_rays_are_undecided_and_other_machines_have_no_interval() {
        assert!(!predict("g14", RayKind::Primary).is_decided());
        assert_eq!(predict("g14", RayKind::Primary).cell(|rate| rate.to_string()), "undecided");
        let ada = Machine::find("rtx4090").unwrap();
        let variant = "g14".parse().unwrap();
        assert_eq!(Prediction::of(&ada, &variant, RayKind::Ao, (1e9, false)), None);
        assert_eq!(expected_cell(None, Some(2e9), |rate| format!("{rate}")), Some("2000?".to_string()));
    }
}
