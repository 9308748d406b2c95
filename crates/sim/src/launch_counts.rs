//! Counts with what tables of costs need.

use crate::source::EventSource;
use crate::warp_counts::{Counter, WarpCounts};
use rayon::prelude::*;
use raywarp_costs::EventCounts;
use raywarp_traverse::{KernelError, Probe, WarpEvent};

/// Event counts of a launch, by code block, and by the operation that came before.
#[derive(Debug, Clone)]
pub struct LaunchCounts {
    /// Counts of events and lanes by code block.
    pub counts: WarpCounts,
    /// Counts of events by the operation before them, for [`LaunchInstructions::of`](crate::LaunchInstructions::of).
    pub tally: EventCounts,
}

impl LaunchCounts {
    /// Returns counts of zero for warps of `width` lanes (1 to 64).
    pub fn new(width: u32) -> Self {
        Self { counts: WarpCounts::new(width), tally: EventCounts::default() }
    }

    /// Returns the sums of both launches' counts.
    ///
    /// # Panics
    /// If their widths differ.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.counts = self.counts.plus(&other.counts);
        self.tally.merge(&other.tally);
        self
    }
}

struct Both {
    counter: Counter,
    tally: EventCounts,
    everyone: u64,
}

impl Probe for Both {
    fn touches(&self) -> bool {
        false
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        self.counter.event(event);
        self.tally.add(event.block, event.active, self.everyone);
    }
}

/// Counts events as [`measure_source`](crate::measure_source) does, and also by the operation before; in parallel over
/// warps, with the same result for any number of threads.
///
/// # Errors
/// [`KernelError::Width`] if warps of this width do not fit the variant.
pub fn count_source(source: &EventSource<'_>, width: u32) -> Result<LaunchCounts, KernelError> {
    let resident = source.resident(width);
    let run = |mut sum: LaunchCounts, number: u32| -> Result<LaunchCounts, KernelError> {
        let counter = Counter { counts: WarpCounts::new(width), lanes_per_ray: source.variant().lanes_per_ray() };
        let mut both = Both { counter, tally: sum.tally, everyone: u64::MAX >> (64 - width) };
        both.counter.counts.rays = source.run_warp(width, resident, number, &mut both)?;
        both.counter.counts.warps = 1;
        sum.tally = both.tally;
        sum.counts = sum.counts.plus(&both.counter.counts);
        Ok(sum)
    };
    (0..source.warp_count(width, resident)?)
        .into_par_iter()
        .with_min_len(16)
        .try_fold(|| LaunchCounts::new(width), run)
        .try_reduce(|| LaunchCounts::new(width), |a, b| Ok(a.plus(&b)))
}
