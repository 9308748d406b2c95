//! What a build tells its caller while it runs, and how the caller ends it.
//!
//! Functions that work on a whole range look at each step and return [`Stopped`]. Those that one task runs to its end
//! ([`Watch::is_stopped`]) cut their work short instead and return anything sound: whoever called them looks before
//! using it, and a flag once seen stays seen, even if the caller takes it back.

use raywarp_geom::Control;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Reason why a step has no result: the caller cancelled the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Number of steps of a few nanoseconds between two looks: a tenth of a millisecond of work.
pub(crate) const GRAIN: usize = 1 << 13;

/// Least share of a build, as its inverse, that is worth a call of the caller's function.
const REPORTS: usize = 256;

/// The caller's [`Control`] during one build, and how much of it is done.
pub(crate) struct Watch<'a> {
    control: Control<'a>,
    stopped: AtomicBool,
    /// Number that the reports add up to.
    count: usize,
    /// Sum of the weights of all phases.
    weight: f64,
    done: Mutex<Done>,
    /// Number that was reported.
    told: Mutex<usize>,
    /// Called at each look with its place in the source; `true` cancels.
    #[cfg(test)]
    probe: Option<&'a (dyn Fn(&'static std::panic::Location<'static>) -> bool + Sync)>,
}

/// How far a build has come.
#[derive(Debug, Default)]
struct Done {
    /// Sum of the weights of the phases that are over.
    before: f64,
    /// Weight of the current phase, its amount of work in any unit, and how much of that is done.
    weight: f64,
    work: f64,
    done: f64,
}

impl<'a> Watch<'a> {
    /// Watches a build whose reports add up to `count`, in phases of `weight` together.
    pub(crate) fn new(control: &Control<'a>, count: usize, weight: f64) -> Self {
        Self {
            control: *control,
            stopped: AtomicBool::new(false),
            count,
            weight,
            done: Mutex::default(),
            told: Mutex::default(),
            #[cfg(test)]
            probe: None,
        }
    }

    /// Watches nothing: a build that nobody can end.
    pub(crate) fn nothing() -> Self {
        Self::new(&Control::default(), 0, 1.0)
    }

    /// Returns `true` from when on the caller has cancelled the build.
    #[inline]
    #[cfg_attr(test, track_caller)]
    pub(crate) fn is_stopped(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let stops = self.control.is_cancelled();
        #[cfg(test)]
        let place = std::panic::Location::caller();
        #[cfg(test)]
        let stops = stops || self.probe.is_some_and(|probe| probe(place));
        if stops {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stops
    }

    /// Returns [`Stopped`] if the caller has cancelled the build.
    #[inline]
    #[cfg_attr(test, track_caller)]
    pub(crate) fn look(&self) -> Result<(), Stopped> {
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Looks as [`Watch::look`] does, at every [`GRAIN`]th of a loop's steps.
    #[inline]
    #[cfg_attr(test, track_caller)]
    pub(crate) fn look_at(&self, step: usize) -> Result<(), Stopped> {
        if step.is_multiple_of(GRAIN) { self.look() } else { Ok(()) }
    }

    /// Begins a phase of this weight whose work is `work`, in any unit; all before it is done.
    pub(crate) fn begin(&self, weight: f64, work: f64) -> Result<(), Stopped> {
        if self.control.progress.is_some() {
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            *done = Done { before: done.before + done.weight, weight, work: work.max(1.0), done: 0.0 };
        }
        self.advance(0.0);
        self.look()
    }

    /// Counts work of the current phase; less than none where a step made more of it than it did. Nothing is reported
    /// once the build is cancelled.
    pub(crate) fn advance(&self, work: f64) {
        if self.control.progress.is_none() {
            return;
        }
        let share = {
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            done.done += work;
            (done.before + done.weight * (done.done / done.work).clamp(0.0, 1.0)) / self.weight
        };
        let least = (self.count / REPORTS).max(1);
        // The last is told when there is a tree.
        self.tell(((share * self.count as f64) as usize).min(self.count.saturating_sub(1)), least);
    }

    /// Reports all that was not yet reported: the build is done.
    pub(crate) fn finish(&self) -> Result<(), Stopped> {
        self.look()?;
        self.tell(self.count, 1);
        Ok(())
    }

    /// Reports that `now` are done, if that is at least `least` more than was reported.
    fn tell(&self, now: usize, least: usize) {
        // One report at a time, so that none comes after the one that cancels. What a report that is under way leaves
        // out comes with the next; waiting for it could wait for this very thread, if the caller's function uses rayon.
        let Ok(mut told) = self.told.try_lock() else { return };
        if now >= *told + least && !self.is_stopped() {
            self.control.advance(now - *told);
            *told = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{better, weight};
    use crate::{BuildError, BuildOptions, Builder, presets};
    use raywarp_geom::FlatTriangles;
    use raywarp_testing::Random;
    use std::collections::{BTreeMap, BTreeSet};

    /// Returns triangles at random positions, enough for ranges that are divided in parallel.
    fn triangles() -> FlatTriangles {
        let mut random = Random::new(7);
        let mut triangle = || {
            let corner = [random.unit(), random.unit(), random.unit()];
            [(); 3].map(|()| corner.map(|x| x + 0.3 * random.unit()))
        };
        FlatTriangles::from_vertices((0..70_000).map(|_| triangle()).collect())
    }

    /// Builds on one thread and returns the places of all looks in order; ends with look number `end`.
    fn looks(triangles: &FlatTriangles, options: &BuildOptions, end: usize) -> (Vec<(String, u32)>, bool) {
        let places = Mutex::new(Vec::new());
        let probe = |place: &'static std::panic::Location<'static>| {
            let file = place.file().rsplit('/').next().unwrap_or_default().to_owned();
            let mut places = places.lock().unwrap();
            places.push((file, place.line()));
            places.len() == end
        };
        let mut watch = Watch::new(&Control::default(), triangles.len(), weight(options));
        watch.probe = Some(&probe);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let built = pool.install(|| better(triangles, options, &watch));
        assert!(matches!(built, Ok(_) | Err(BuildError::Cancelled)));
        (places.into_inner().unwrap(), built.is_err())
    }

    /// Checks that a build looks at this many places in each file, and that each look ends it when it is the one that
    /// sees the caller cancel.
    #[track_caller]
    fn check(options: BuildOptions, wanted: &[(&str, usize)]) {
        let triangles = triangles();
        let (all, is_cancelled) = looks(&triangles, &options, 0);
        assert!(!is_cancelled);
        let mut lines: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        all.iter().for_each(|(file, line)| {
            lines.entry(file).or_default().insert(*line);
        });
        let found: BTreeMap<&str, usize> = lines.iter().map(|(file, lines)| (*file, lines.len())).collect();
        let wanted: BTreeMap<&str, usize> = wanted.iter().copied().collect();
        assert_eq!(found, wanted, "places that look: {lines:?}");
        let mut places = BTreeSet::new();
        for (look, place) in all.iter().enumerate().filter(|(_, place)| places.insert(*place)) {
            let (seen, is_cancelled) = looks(&triangles, &options, look + 1);
            assert!(is_cancelled, "the first look at {place:?} did not end the build");
            // What was seen is not asked of the caller again.
            assert_eq!(seen.len(), look + 1, "{place:?}");
        }
    }

    #[test]
    fn every_phase_of_every_builder_looks_and_each_look_ends_the_build() {
        let everywhere = [("subtree.rs", 3), ("watch.rs", 1)];
        let of = |places: &[(&'static str, usize)]| [places, &everywhere].concat();
        let plain = presets::BALANCED;
        check(presets::FAST, &of(&[("collapse.rs", 1), ("mod.rs", 2), ("parallel.rs", 3), ("tree.rs", 3)]));
        check(plain, &of(&[("binned_sah.rs", 2), ("parallel.rs", 3)]));
        check(presets::BLOCKS, &of(&[("binned_sah.rs", 1), ("mod.rs", 1), ("parallel.rs", 3)]));
        let sbvh = BuildOptions { builder: Builder::Sbvh, ..plain };
        check(sbvh, &of(&[("large.rs", 3), ("parallel.rs", 2), ("small.rs", 1)]));
        let sweep = BuildOptions { builder: Builder::SweepSah, ..plain };
        check(sweep, &of(&[("parallel.rs", 3), ("sweep_sah.rs", 7)]));
        let ploc = BuildOptions { builder: Builder::Ploc, split_clipping: Some(0.1), ..plain };
        check(ploc, &of(&[("collapse.rs", 1), ("parallel.rs", 3), ("ploc.rs", 1), ("split_clipping.rs", 1)]));
    }
}
