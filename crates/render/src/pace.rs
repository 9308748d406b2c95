//! Length of passes: as short as those who wait between two of them want it. The picture does not depend on it.

use crate::film::Film;
use std::time::{Duration, Instant};

/// Longest time that a pass which is always finished should take, as far as the last pass can tell.
const WHOLE_PASS_TIME: Duration = Duration::from_secs(1);

/// Viewer that is shown the film at intervals while it is rendered. Between two passes all pixels have equally many
/// samples, and nobody renders until [`Between::see`] returns; passes become as short as it takes.
#[derive(Clone, Copy)]
pub struct Between<'a> {
    /// Approximate time between two calls.
    pub every: Duration,
    /// Function that is called with the film so far.
    pub see: &'a (dyn Fn(&Film) + Sync),
}

/// Clock of a render's passes: how long they take, and when the film is to be shown next.
pub(crate) struct Pace<'a> {
    between: Option<Between<'a>>,
    shown: Instant,
    /// Seconds that the last pass took for one sample of all pixels.
    sample_seconds: f64,
}

impl<'a> Pace<'a> {
    pub fn new(between: Option<Between<'a>>) -> Self {
        Self { between, shown: Instant::now(), sample_seconds: 0.0 }
    }

    /// Returns the largest number of samples per pixel that the next pass should take.
    pub fn samples(&self, whole_passes: bool) -> u32 {
        let until_shown = self.between.map(|between| between.every.saturating_sub(self.shown.elapsed()));
        let time = until_shown.into_iter().chain(whole_passes.then_some(WHOLE_PASS_TIME)).min();
        // Too large a number becomes the largest.
        time.map_or(u32::MAX, |time| (time.as_secs_f64() / self.sample_seconds.max(1e-9)) as u32).max(1)
    }

    /// Records that a pass of `samples` samples per pixel took `time`.
    pub fn note(&mut self, samples: u32, time: Duration) {
        self.sample_seconds = time.as_secs_f64() / f64::from(samples.max(1));
    }

    /// Returns `true` if it is time to show the film.
    pub fn is_due(&self) -> bool {
        self.between.is_some_and(|between| self.shown.elapsed() >= between.every)
    }

    /// Shows the film to the viewer if it is time to.
    pub fn show(&mut self, film: &Film) {
        if let Some(between) = self.between.filter(|_| self.is_due()) {
            (between.see)(film);
            self.shown = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_as_long_as_the_time_until_the_film_is_shown() {
        let mut pace = Pace::new(None);
        pace.note(4, Duration::from_secs(8));
        assert_eq!((pace.samples(false), pace.samples(true)), (u32::MAX, 1));
        let see = |_: &Film| {};
        let mut pace = Pace::new(Some(Between { every: Duration::from_secs(3600), see: &see }));
        assert_eq!(pace.samples(false), u32::MAX, "nobody knows how long the first one takes");
        pace.note(4, Duration::from_secs(400));
        assert_eq!(pace.samples(false), 35, "an hour, less what has passed, at 100 s a sample");
        pace.note(1, Duration::from_millis(100));
        assert_eq!(pace.samples(true), 10);
    }
}
