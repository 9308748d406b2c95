//! Times of bounces, from the seconds of their launches.

use crate::{Experiment, stage};
use raywarp_render_cuda::{Stage, StageSeconds};

/// Time that a bounce took, all batches together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BounceSeconds {
    /// Seconds of the device in the kernel that extends paths.
    pub bounce: f64,
    /// Seconds of the device in the kernels that list the paths that go on.
    pub step: f64,
}

impl BounceSeconds {
    /// Sums up the launches of a bounce.
    fn of(bounce: &StageSeconds) -> Self {
        // In parts it has three of them.
        let kernels = [stage::BOUNCE, Stage::EXTEND, Stage::SHADE, Stage::CONNECT];
        Self { bounce: kernels.map(|stage| bounce.of(stage)).iter().sum(), step: bounce.of(stage::LIST_PATHS) }
    }
}

impl Experiment {
    /// Returns the times of the bounces of a picture whose launches took `rounds`; none where paths do not keep their
    /// places.
    pub fn bounce_seconds(&self, rounds: &[StageSeconds]) -> Vec<BounceSeconds> {
        if self.has_bounces() { rounds.iter().map(BounceSeconds::of).collect() } else { Vec::new() }
    }
}
