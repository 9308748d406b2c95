//! Running times of warps, and what is lost when they are dealt to multiprocessors (AL09 3.2 and 3.3).
//!
//! A multiprocessor issues one slot a unit of time, shared evenly by its warps, and each warp gets at most its part of
//! `hide` (so many warps hide the latency of one). Latency is where a warp waits, not where it issues: a kernel with
//! fewer loads an instruction needs fewer warps ([`hide`]).

use crate::block_costs::BlockCosts;
use crate::source::EventSource;
use rayon::prelude::*;
use raywarp_family::Block;
use raywarp_traverse::{KernelError, Probe, WarpEvent};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Cost of one warp from its start to its end: issue slots and loads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WarpCost {
    /// Number of issue slots that the warp takes.
    pub issued: f64,
    /// Number of nodes and triangles that the warp waited for: one for each visit or test that it issued, however many
    /// lanes take part.
    pub loads: u64,
}

/// Probe that adds up the cost of what a warp issues.
struct Clock<'a> {
    costs: &'a BlockCosts,
    cost: WarpCost,
}

impl Probe for Clock<'_> {
    fn touches(&self) -> bool {
        false
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        self.cost.issued += self.costs.of(event.block);
        let loads = matches!(event.block, Block::VisitNode | Block::TestTriangle | Block::TestTriangleT);
        self.cost.loads += u64::from(loads);
    }
}

/// Returns the cost of each warp, in the order of their rays, computed in parallel. A warp of a supply with a global
/// pool is one of about as many as [`EventSource::resident`] says.
///
/// # Errors
/// [`KernelError::Width`] if warps of this width do not fit the variant.
pub fn warp_costs(source: &EventSource<'_>, width: u32, costs: &BlockCosts) -> Result<Vec<WarpCost>, KernelError> {
    let resident = source.resident(width);
    let run = |number: u32| {
        let mut clock = Clock { costs, cost: WarpCost::default() };
        source.run_warp(width, resident, number, &mut clock)?;
        Ok(clock.cost)
    };
    (0..source.warp_count(width, resident)?).into_par_iter().with_min_len(16).map(run).collect()
}

/// The distribution of what the warps of a launch cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    sorted: Vec<f64>,
}

impl Spread {
    /// Returns the distribution of the finite costs `costs`.
    pub fn new(mut costs: Vec<f64>) -> Self {
        costs.sort_by(f64::total_cmp);
        Self { sorted: costs }
    }

    /// Returns the number of warps in the distribution.
    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    /// Returns the average cost; NaN without warps.
    pub fn mean(&self) -> f64 {
        self.sorted.iter().sum::<f64>() / self.sorted.len() as f64
    }

    /// Returns the cost that a fraction `share` (0 to 1) of the warps does not exceed; NaN without warps.
    pub fn quantile(&self, share: f64) -> f64 {
        let last = self.sorted.len().saturating_sub(1);
        self.sorted.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
    }

    /// Returns the average cost of the slowest fraction `share` (above 0, to 1) of the warps, at least of one; NaN
    /// without warps.
    pub fn slowest(&self, share: f64) -> f64 {
        let count = ((share * self.sorted.len() as f64).ceil() as usize).clamp(1, self.sorted.len().max(1));
        let slowest = &self.sorted[self.sorted.len().saturating_sub(count)..];
        slowest.iter().sum::<f64>() / slowest.len() as f64
    }

    /// Returns the number of warps in each of `bins` equal ranges of cost from 0 to `most`; costs above it count in the
    /// last.
    pub fn histogram(&self, bins: usize, most: f64) -> Vec<u64> {
        let mut counts = vec![0; bins.max(1)];
        let last = counts.len() - 1;
        for cost in &self.sorted {
            counts[((cost / most * bins as f64) as usize).min(last)] += 1;
        }
        counts
    }
}

/// Rule by which warps are assigned to the warp slots of multiprocessors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dealing {
    /// The hardware assigns thread blocks, and a block's slots are free when all its warps have ended.
    Blocks {
        /// Number of warps of a thread block.
        warps: u32,
    },
    /// The hardware assigns thread blocks, and a multiprocessor gets new ones only when all that it holds have ended.
    Rounds {
        /// Number of warps of a thread block.
        warps: u32,
        /// Number of neighbouring multiprocessors that get new blocks together: 1, a cluster's, or more than there are
        /// for all.
        together: u32,
    },
    /// Warps stay resident and take their next work from a global pool (AL09 3.3).
    Persistent {
        /// Number of rays that a warp takes at a time, in warps (AL09 appendix A: 3).
        batch: u32,
    },
}

/// Numbers of the simulated machine that warps are assigned to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slots {
    /// Number of multiprocessors, at least one.
    pub multiprocessors: u32,
    /// Number of warps that each multiprocessor holds at once, at least one.
    pub warps: u32,
    /// Number of resident warps that hide each other's latency: a warp alone issues only in every `hide`th slot. At
    /// least one.
    pub hide: f64,
}

/// Returns the number of warps that hide each other's latencies of loads and instructions. A lone warp issues one
/// instruction in `instruction + wait * loads / issued` slots. `wait` is how many slots a load takes.
pub fn hide(instruction: f64, wait: f64, loads: f64, issued: f64) -> f64 {
    let of_loads = if issued > 0.0 { wait * loads / issued } else { 0.0 };
    (instruction + of_loads).max(1.0)
}

/// End time of a simulated launch, with the time that it would take if every multiprocessor issued in every slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dealt {
    /// Time at which the last warp ended, in the unit of the costs.
    pub end: f64,
    /// Time at which the last warp would have ended if every multiprocessor issued in every slot.
    pub ideal: f64,
}

impl Dealt {
    /// Returns the fraction of the issue slots that were used, 0 to 1; 1 for no work.
    pub fn share(&self) -> f64 {
        if self.end > 0.0 { self.ideal / self.end } else { 1.0 }
    }

    /// Returns the sums of the times of two launches that run one after the other.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self { end: self.end + next.end, ideal: self.ideal + next.ideal }
    }
}

/// When a warp on a multiprocessor ends, measured in the slots that each of its warps has been given.
#[derive(Debug, PartialEq)]
struct End {
    at: f64,
    block: usize,
}

impl Eq for End {}

impl Ord for End {
    /// Orders by time in reverse, for a heap: the earliest end is the greatest; of equal ones that of the lower block.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.total_cmp(&self.at).then(other.block.cmp(&self.block))
    }
}

impl PartialOrd for End {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Multiprocessor {
    /// Number of issue slots that a warp resident from the beginning would have been given.
    issued: f64,
    /// Time at which such a warp would have used those slots.
    now: f64,
    running: BinaryHeap<End>,
}

impl Multiprocessor {
    /// Returns the number of issue slots that each resident warp gets in a unit of time.
    fn rate(&self, hide: f64) -> f64 {
        1.0 / (self.running.len() as f64).max(hide)
    }

    /// Returns the time at which the next of the multiprocessor's warps ends.
    fn next(&self, hide: f64) -> f64 {
        self.running.peek().map_or(f64::INFINITY, |end| self.now + (end.at - self.issued).max(0.0) / self.rate(hide))
    }
}

/// Warps that are not yet assigned to a multiprocessor.
struct Work<'a> {
    groups: std::slice::Chunks<'a, f64>,
    /// `true` if the warps of a group run concurrently, `false` if one after the other.
    together: bool,
    /// Number of warps still running of each group that was assigned.
    left: Vec<u32>,
}

impl Work<'_> {
    /// Assigns the next group of warps to a multiprocessor, if there is one.
    fn give(&mut self, at: &mut Multiprocessor) {
        let Some(group) = self.groups.next() else { return };
        let block = self.left.len();
        if self.together {
            self.left.push(group.len() as u32);
            at.running.extend(group.iter().map(|cost| End { at: at.issued + cost, block }));
        } else {
            self.left.push(1);
            at.running.push(End { at: at.issued + group.iter().sum::<f64>(), block });
        }
    }
}

/// Simulates a launch whose warps, of costs `costs` (finite, not negative), are assigned in order to the slots of a
/// machine. Equal inputs give equal results.
///
/// # Panics
/// If a field of `slots` or of `dealing` is 0, or `hide` below 1 or infinite.
pub fn deal(costs: &[f64], slots: Slots, dealing: Dealing) -> Dealt {
    let (size, together) = match dealing {
        Dealing::Blocks { warps } | Dealing::Rounds { warps, .. } => (warps, true),
        Dealing::Persistent { batch } => (batch, false),
    };
    let cluster = if let Dealing::Rounds { together, .. } = dealing { together as usize } else { 1 };
    assert!(size > 0 && slots.warps > 0 && slots.multiprocessors > 0 && cluster > 0, "{slots:?}, {dealing:?}");
    assert!(slots.hide >= 1.0 && slots.hide.is_finite(), "{slots:?}");
    // A block has one place for all its warps; a persistent warp runs what it takes one after the other.
    let places = if together { (slots.warps / size).max(1) } else { slots.warps };
    let mut work = Work { groups: costs.chunks(size as usize), together, left: Vec::new() };
    let start = || Multiprocessor { issued: 0.0, now: 0.0, running: BinaryHeap::new() };
    let mut machine: Vec<Multiprocessor> = (0..slots.multiprocessors).map(|_| start()).collect();
    for _ in 0..places {
        machine.iter_mut().for_each(|at| work.give(at));
    }
    let mut end = 0.0;
    let mut nexts: Vec<f64> = machine.iter().map(|at| at.next(slots.hide)).collect();
    loop {
        let earliest = nexts.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((first, time)) = earliest else { break };
        let at = &mut machine[first];
        let Some(ended) = at.running.pop() else { break };
        (at.now, at.issued, end) = (time, ended.at, time);
        work.left[ended.block] -= 1;
        let mut changed = first..first + 1;
        if work.left[ended.block] == 0 {
            if let Dealing::Rounds { .. } = dealing {
                let start = first / cluster * cluster;
                let all = start..machine.len().min(start + cluster);
                let neighbours = &mut machine[all.clone()];
                if neighbours.iter().all(|at| at.running.is_empty()) {
                    neighbours.iter_mut().for_each(|at| at.now = time);
                    (0..places).for_each(|_| neighbours.iter_mut().for_each(|at| work.give(at)));
                    changed = all;
                }
            } else {
                work.give(at);
            }
        }
        for number in changed {
            nexts[number] = machine[number].next(slots.hide);
        }
    }
    Dealt { end, ideal: costs.iter().sum::<f64>() / f64::from(slots.multiprocessors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Slots = Slots { multiprocessors: 1, warps: 4, hide: 1.0 };

    #[test]
    fn a_multiprocessor_that_a_single_warp_fills_loses_nothing_however_warps_are_dealt() {
        let costs: Vec<f64> = (0..50).map(|i| f64::from(i % 7 * i)).collect();
        for dealing in
            [Dealing::Blocks { warps: 2 }, Dealing::Rounds { warps: 4, together: 1 }, Dealing::Persistent { batch: 3 }]
        {
            let dealt = deal(&costs, ONE, dealing);
            assert!((dealt.share() - 1.0).abs() < 1e-12, "{dealing:?}: {dealt:?}");
        }
        assert_eq!(deal(&[], ONE, Dealing::Persistent { batch: 1 }).share(), 1.0);
    }

    #[test]
    fn a_block_keeps_its_place_until_its_slowest_warp_ends() {
        // Two places, two warps a block, each warp at a fourth of the rate: 1 and 3 units take 4 and 12.
        let slots = Slots { hide: 4.0, ..ONE };
        let costs = [1.0, 3.0, 1.0, 3.0, 1.0, 3.0, 1.0, 3.0];
        assert_eq!(deal(&costs, slots, Dealing::Blocks { warps: 2 }).end, 24.0);
        // One place for two warps: the next block waits for the 3; single warps go on in the other half meanwhile.
        let two = Slots { multiprocessors: 1, warps: 2, hide: 2.0 };
        assert_eq!(deal(&[3.0, 1.0, 1.0, 1.0], two, Dealing::Blocks { warps: 2 }).end, 8.0);
        assert_eq!(deal(&[3.0, 1.0, 1.0, 1.0], two, Dealing::Blocks { warps: 1 }).end, 6.0);
        // Unequal blocks: in rounds the short one waits for the long one.
        let costs = [1.0, 1.0, 5.0, 5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(deal(&costs, slots, Dealing::Blocks { warps: 2 }).end, 20.0);
        assert_eq!(deal(&costs, slots, Dealing::Rounds { warps: 2, together: 1 }).end, 28.0);
    }

    #[test]
    fn multiprocessors_that_are_dealt_to_together_wait_for_the_slowest() {
        // Places for one warp each; 1 and 3, then 1 and 1.
        let slots = Slots { multiprocessors: 2, warps: 1, hide: 1.0 };
        let end = |together| deal(&[1.0, 3.0, 1.0, 1.0], slots, Dealing::Rounds { warps: 1, together }).end;
        assert_eq!((end(1), end(2), end(99)), (3.0, 4.0, 4.0));
        // Three: the third is a cluster of its own, and takes what is next when it is free.
        let three = Slots { multiprocessors: 3, ..slots };
        let end = |together| deal(&[1.0, 4.0, 1.0, 2.0, 1.0], three, Dealing::Rounds { warps: 1, together }).end;
        assert_eq!((end(1), end(2), end(3)), (4.0, 4.0, 6.0));
    }

    #[test]
    fn a_kernel_with_fewer_loads_an_instruction_needs_fewer_warps() {
        assert_eq!(hide(0.0, 1000.0, 2.0, 100.0), 20.0);
        assert_eq!(hide(0.0, 1000.0, 2.0, 125.0), 16.0);
        assert_eq!((hide(6.0, 0.0, 2.0, 100.0), hide(0.0, 0.0, 2.0, 0.0)), (6.0, 1.0));
        // A warp alone.
        let alone =
            |hide| deal(&[10.0], Slots { multiprocessors: 1, warps: 2, hide }, Dealing::Blocks { warps: 1 }).end;
        assert_eq!((alone(2.0), alone(1.6)), (20.0, 16.0));
    }

    #[test]
    fn warps_share_the_issue_slots_evenly() {
        // One and two units side by side: each gets half until the first ends at 2, then the other has all.
        let slots = Slots { warps: 2, ..ONE };
        assert_eq!(deal(&[1.0, 2.0], slots, Dealing::Blocks { warps: 1 }).end, 3.0);
        // With latency for two: alone, the second issues in every other slot: 2 + 2.
        let slow = Slots { hide: 2.0, ..slots };
        let dealt = deal(&[1.0, 2.0], slow, Dealing::Blocks { warps: 1 });
        assert_eq!((dealt.end, dealt.ideal, dealt.share()), (4.0, 3.0, 0.75));
        assert_eq!(dealt.then(dealt).share(), 0.75);
        // Two multiprocessors: the third warp goes where a place is free first.
        let two = Slots { multiprocessors: 2, warps: 1, hide: 1.0 };
        assert_eq!(deal(&[5.0, 1.0, 1.0, 1.0], two, Dealing::Blocks { warps: 1 }).end, 5.0);
    }

    #[test]
    fn persistent_warps_take_batches_one_after_the_other() {
        let slots = Slots { multiprocessors: 1, warps: 2, hide: 2.0 };
        // Batches 1+2 and 3+4: 6 and 14 units of time at half the rate.
        assert_eq!(deal(&[1.0, 2.0, 3.0, 4.0], slots, Dealing::Persistent { batch: 2 }).end, 14.0);
    }

    #[test]
    fn a_spread_has_its_slowest_warps_last() {
        let spread = Spread::new((0..200).rev().map(f64::from).collect());
        assert_eq!((spread.count(), spread.mean(), spread.quantile(0.5)), (200, 99.5, 100.0));
        assert_eq!((spread.slowest(0.01), spread.slowest(1e-9), spread.slowest(1.0)), (198.5, 199.0, 99.5));
        assert_eq!(spread.histogram(4, 100.0), [25, 25, 25, 125]);
        let none = Spread::new(vec![]);
        assert!(none.mean().is_nan() && none.slowest(0.5).is_nan() && none.quantile(0.5).is_nan());
    }
}
