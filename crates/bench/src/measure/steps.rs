//! Progress of a scene's measurement.

use crate::{BenchRequest, BenchWatch, Subject};
use raywarp_bvh::BuildOptions;
use raywarp_cuda::LaunchBounds;

/// Progress of a scene's measurement; a step is a subject with one of its launch bounds.
pub(super) struct Steps<'a> {
    done: usize,
    all: usize,
    watch: &'a BenchWatch<'a>,
}

impl<'a> Steps<'a> {
    /// Counts the steps of a plan: trees, each with the subjects that walk it.
    pub fn new(plan: &[(BuildOptions, Vec<Subject>)], request: &BenchRequest, watch: &'a BenchWatch<'a>) -> Self {
        let all = plan.iter().map(|(_, subjects)| of(subjects, request)).sum();
        Self { done: 0, all, watch }
    }

    /// Adds steps to the progress, and reports how many are done.
    pub fn add(&mut self, steps: usize) {
        self.done += steps;
        self.watch.progress(self.done, self.all);
    }
}

/// Returns the number of steps that measuring subjects takes: one for each subject and launch bound.
pub(super) fn of(subjects: &[Subject], request: &BenchRequest) -> usize {
    subjects.iter().map(|subject| bounds(subject, request).len()).sum()
}

/// Returns the launch bounds that a subject is measured with; other projects' tracers have only the default ones.
pub(super) fn bounds(subject: &Subject, request: &BenchRequest) -> Vec<LaunchBounds> {
    if subject.has_own_tree() { vec![LaunchBounds::default()] } else { request.bounds.clone() }
}
