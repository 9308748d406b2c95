//! The change of one number that would pay most: the papers' "if a few new instructions were introduced", for every
//! number.
//!
//! Where rates are told with an interval ([`Prediction::is_decided`](crate::launch::Prediction::is_decided)), a change
//! is ranked by what it makes of the expected rate; the model of a multiprocessor runs again for each
//! ([`KernelStudy::expected_after`](crate::launch::KernelStudy::expected_after)). On other machines by what it makes of
//! the lowest bound. Counts of what rays do stay as they are. Sizes of caches need another run and are left
//! out (`Machine::set` of `l2.bytes` to `2x`).

mod advice;
mod changes;
mod table;

pub(super) use advice::{by_kernel, change_for};

use super::{Bounded, BoundsReport};
use crate::launch::{ExpectedGain, Followed, GainSpread, KernelStudy, LaunchChange, LaunchCosts};
use crate::simulate::{TracedRays, name_of};
pub use changes::ChangeOption;
use changes::{Tried, What, modelled, of_launches, of_widths};
use raywarp_sim::bounds::lowest;
use raywarp_sim::machine::{Machine, keys};
use raywarp_sim::{Change, CostChange};

/// Smallest relative change of a bound or rate that counts as one.
const LEAST: f64 = 1e-3;

/// A change of the machine, costs or warp width, with what it would bring.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// Index of the machine in the request.
    pub machine: usize,
    /// Description of the change in words.
    pub change: String,
    /// Options of a request that make the change.
    pub options: Vec<ChangeOption>,
    /// `true` if the change makes the whole machine larger, which is only listed to compare others with.
    pub yardstick: bool,
    /// `true` if the change is to warps of another width, which are listed whatever they bring.
    pub is_width: bool,
    /// `true` if changes of this machine are ranked by expected rates, `false` if by lowest bounds.
    pub by_expected: bool,
    /// Gain of each row that the change was tried on: all rows of the machine that have its warp width and known costs.
    pub gains: Vec<RowGain>,
}

/// Gain that a change would bring for one kernel and kind of rays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowGain {
    /// Index of the row in the report.
    pub row: usize,
    /// Rise of the row's lowest bound, as a fraction of it.
    pub bound: f64,
    /// Rise of the row's expected rate; `None` where the model does not have the change, or predicts no rate for the
    /// row.
    pub expected: Option<ExpectedGain>,
}

impl WhatIf {
    /// Returns the geometric mean of the rise of the lowest bound over the rows.
    pub fn bound_mean(&self) -> f64 {
        let sum: f64 = self.gains.iter().map(|gain| (1.0 + gain.bound).ln()).sum();
        (sum / self.gains.len().max(1) as f64).exp_m1()
    }

    /// Returns the geometric mean of the rise of the expected rate over the rows that have one; `None` where none has.
    pub fn expected_mean(&self) -> Option<ExpectedGain> {
        ExpectedGain::mean(self.gains.iter().filter_map(|gain| gain.expected))
    }

    /// Returns the mean rise that the change is ranked by, as a fraction: of expected rates or of lowest bounds; `None`
    /// where changes are ranked by a model that does not have this one.
    pub fn mean(&self) -> Option<f64> {
        if self.by_expected { self.expected_mean().map(ExpectedGain::share) } else { Some(self.bound_mean()) }
    }

    /// Returns the index of the row whose rate rises most, with the rise; `None` where no row has one.
    pub fn most(&self) -> Option<(usize, f64)> {
        let gains = self.gains.iter().filter_map(|gain| Some((gain.row, self.ranked(gain)?)));
        gains.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns the gain of one row; `None` where the change was not tried on it.
    pub fn of(&self, row: usize) -> Option<&RowGain> {
        self.gains.iter().find(|gain| gain.row == row)
    }

    /// Returns the rise of a row's rate by which changes are ranked.
    fn ranked(&self, gain: &RowGain) -> Option<f64> {
        if self.by_expected { gain.expected.map(ExpectedGain::share) } else { Some(gain.bound) }
    }

    /// Returns `true` if the change moves any row's bound or expected rate noticeably.
    fn matters(&self) -> bool {
        let moves =
            |gain: &RowGain| gain.bound.abs() >= LEAST || gain.expected.is_some_and(|gain| gain.share().abs() >= LEAST);
        self.gains.iter().any(moves)
    }
}

/// Number of changes that are listed.
const LISTED: usize = 10;

/// Returns the changes to list for a machine: those that pay most, those that raise a bound but are not in the model,
/// and last warps of other widths and a larger machine.
fn listed(all: &[WhatIf], machine: usize) -> Vec<&WhatIf> {
    let mine = || all.iter().filter(|what_if| what_if.machine == machine);
    let is_last = |what_if: &&WhatIf| what_if.yardstick || what_if.is_width;
    let pays = |what_if: &&WhatIf| !what_if.yardstick && what_if.most().is_some_and(|(_, gain)| gain >= LEAST);
    let mut list: Vec<&WhatIf> = mine().filter(pays).take(LISTED).collect();
    let is_new = |what_if: &&WhatIf, list: &[&WhatIf]| list.iter().all(|other| other.options != what_if.options);
    let rises = |what_if: &&WhatIf| what_if.gains.iter().any(|gain| gain.bound >= LEAST);
    let unknown: Vec<&WhatIf> =
        mine().filter(|what_if| !is_last(what_if) && what_if.mean().is_none() && rises(what_if)).collect();
    list.extend(unknown);
    let last: Vec<&WhatIf> = mine().filter(is_last).filter(|what_if| is_new(what_if, &list)).collect();
    list.extend(last);
    list
}

/// Returns the expected rates of a launch after those changes of [`of_launches`] that the model has, with their
/// indices; nothing on a machine without calibration.
pub(super) fn expected_after(
    study: &KernelStudy<'_>,
    followed: Followed<'_>,
    kind: TracedRays,
) -> Vec<(usize, Option<f64>)> {
    if GainSpread::of(followed.machine, kind).is_none() {
        return Vec::new();
    }
    let (places, changes): (Vec<usize>, Vec<LaunchChange>) = modelled().into_iter().unzip();
    places.into_iter().zip(study.expected_after(followed, &changes)).collect()
}

impl BoundsReport {
    /// Returns all changes that move a lowest bound or expected rate by a thousandth or more, those that pay most
    /// first. Changes that are not in the model come after these, and larger machines last.
    pub fn what_if(&self) -> Vec<WhatIf> {
        let mut found = Vec::new();
        for (number, machine) in self.request.machines.iter().enumerate() {
            let width = machine.count(keys::SM_WARP_WIDTH);
            let base: Vec<usize> = (0..self.rows.len())
                .filter(|&row| self.rows[row].machine == number && self.rows[row].profile.counts.width == width)
                // A kernel that no table has costs of would wait for memory alone.
                .filter(|&row| self.rows[row].instructions.is_some() && self.rows[row].lowest().is_some())
                .collect();
            let by_expected = base.iter().any(|&row| !self.rows[row].expected_after.is_empty());
            let changes = of_launches().into_iter().enumerate().map(|(place, tried)| (Some(place), tried));
            let widths = of_widths(&self.request.rays.widths, width).into_iter().map(|tried| (None, tried));
            for (place, tried) in changes.chain(widths) {
                let gain = |&row: &usize| self.gain(row, machine, (place, &tried));
                let what_if = WhatIf {
                    machine: number,
                    yardstick: tried.is_yardstick(),
                    is_width: matches!(tried.what, What::Width(_)),
                    by_expected,
                    gains: base.iter().filter_map(gain).collect(),
                    change: tried.name,
                    options: tried.options,
                };
                if what_if.matters() {
                    found.push(what_if);
                }
            }
        }
        let rank = |what_if: &WhatIf| what_if.mean().unwrap_or(f64::NEG_INFINITY);
        let by_bound = |a: &WhatIf, b: &WhatIf| b.bound_mean().total_cmp(&a.bound_mean());
        let by_rank = |a: &WhatIf, b: &WhatIf| rank(b).total_cmp(&rank(a)).then(by_bound(a, b));
        found.sort_by(|a, b| a.yardstick.cmp(&b.yardstick).then(by_rank(a, b)));
        found
    }

    /// Returns the gain of a row from a change; `None` where the change has no meaning for it.
    fn gain(&self, number: usize, machine: &Machine, (place, tried): (Option<usize>, &Tried)) -> Option<RowGain> {
        let row = &self.rows[number];
        let mut before = row.lowest()?.rays_per_s;
        let after = match tried.what {
            What::Launch(change @ LaunchChange::Numbers(..)) => row.lowest_bound(&change.of_machine(machine)?, None)?,
            What::Launch(LaunchChange::Cost(change)) => {
                // A changed cost is not verified, which alone moves a bound by what verified ones are granted.
                let same = CostChange { change: Change::Times(1.0), ..change };
                before = row.lowest_bound(machine, Some(&same))?;
                row.lowest_bound(machine, Some(&change))?
            }
            What::Width(width) => {
                let same = |other: &&Bounded| {
                    (other.machine, other.variant, other.kind, other.leaf_size)
                        == (row.machine, row.variant, row.kind, row.leaf_size)
                };
                let of_width = |other: &&Bounded| other.profile.counts.width == width;
                self.rows.iter().filter(same).find(of_width)?.lowest()?.rays_per_s
            }
        };
        let rate = row.expected_after.iter().find(|(of, _)| Some(*of) == place).and_then(|(_, rate)| *rate);
        let spread = GainSpread::of(machine, row.kind);
        let expected = rate.and_then(|rate| Some(spread?.gain(row.expected?, rate)));
        Some(RowGain { row: number, bound: after / before - 1.0, expected })
    }

    /// Returns a row's name for readers, with what distinguishes it from other rows.
    pub fn row_name(&self, row: usize) -> String {
        self.rows.get(row).map_or_else(String::new, |row| format!("{}, {}", name_of(&row.variant), row.kind.name()))
    }
}

impl Bounded {
    /// Returns the kernel's lowest bound on another machine, or with other costs.
    fn lowest_bound(&self, machine: &Machine, cost: Option<&CostChange>) -> Option<f64> {
        let mut launch_costs = LaunchCosts::of(self.instructions.clone(), self.launch, self.doubt.clone(), self.basis);
        cost.into_iter().for_each(|change| launch_costs.change(change, &self.profile));
        let bounds = launch_costs.bounds(machine, (&self.variant, self.kind), &self.profile, self.traffic.as_ref());
        Some(lowest(&bounds)?.rays_per_s)
    }
}
