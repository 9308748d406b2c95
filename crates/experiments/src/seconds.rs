//! Times of bounces, from the seconds of their launches.

use crate::{PathExperiment, stage};
use raywarp_render_cuda::{Stage, StageSeconds};

/// Time that one bounce of light paths took on the device, summed over all batches.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BounceSeconds {
    /// Seconds in the kernels that extend, shade and connect paths.
    pub bounce: f64,
    /// Seconds in the kernels that list the paths that go on.
    pub step: f64,
}

impl BounceSeconds {
    /// Sums up the times of the launches of one bounce.
    fn of(bounce: &StageSeconds) -> Self {
        // In parts it has three of them.
        let kernels = [stage::BOUNCE, Stage::EXTEND, Stage::SHADE, Stage::CONNECT];
        Self { bounce: kernels.map(|stage| bounce.of(stage)).iter().sum(), step: bounce.of(stage::LIST_PATHS) }
    }
}

impl PathExperiment {
    /// Returns the times of each bounce from those of each round of launches; empty where paths do not stay at their
    /// index in memory.
    pub fn bounce_seconds(&self, rounds: &[StageSeconds]) -> Vec<BounceSeconds> {
        if self.has_bounces() { rounds.iter().map(BounceSeconds::of).collect() } else { Vec::new() }
    }
}
