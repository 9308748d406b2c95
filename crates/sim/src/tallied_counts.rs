//! Counts with what tables of costs need.

use crate::efficiency::{Counter, Efficiency};
use crate::source::Source;
use rayon::prelude::*;
use raywarp_family::costs::Tally;
use raywarp_traverse::{Event, KernelError, Probe};

/// Events of a launch, by block, and by what came before them.
#[derive(Debug, Clone)]
pub struct TalliedCounts {
    /// By block.
    pub counts: Efficiency,
    /// By what came before, for [`Price::of`](crate::Price::of).
    pub tally: Tally,
}

impl TalliedCounts {
    /// Nothing yet, of warps of `width` lanes (1 to 64).
    pub fn new(width: u32) -> Self {
        Self { counts: Efficiency::new(width), tally: Tally::default() }
    }

    /// What both count together.
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
    tally: Tally,
    everyone: u64,
}

impl Probe for Both {
    fn touches(&self) -> bool {
        false
    }

    fn event(&mut self, event: &Event<'_>) {
        self.counter.event(event);
        self.tally.add(event.block, event.active, self.everyone);
    }
}

/// As [`measure_source`](crate::measure_source), and tallies; in parallel over warps, the same for any number of threads.
///
/// # Errors
/// [`KernelError::Width`] if warps of this width do not fit the variant.
pub fn tally_source(source: &Source<'_>, width: u32) -> Result<TalliedCounts, KernelError> {
    let resident = source.resident(width);
    let run = |mut sum: TalliedCounts, number: u32| -> Result<TalliedCounts, KernelError> {
        let counter = Counter { counts: Efficiency::new(width), lanes_per_ray: source.variant().lanes_per_ray() };
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
        .try_fold(|| TalliedCounts::new(width), run)
        .try_reduce(|| TalliedCounts::new(width), |a, b| Ok(a.plus(&b)))
}
