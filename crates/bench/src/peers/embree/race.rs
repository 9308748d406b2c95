//! Races of two alternating sides: which of the peer's modes is best, and the ratio of our rate to its.
//!
//! All modes run in heats. The best of them, and those so near that noise may have put them behind it, go on to the
//! rounds, in which they and ours run one after the other, so that whatever else the machine does meets both. Which
//! mode is best is decided by processor time where the system tells it, for that is what a busy machine disturbs least.

use crate::Quartiles;
use raywarp_system::processor;
use std::ops::AddAssign;
use std::time::Instant;

/// Time of a run, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Time {
    /// Seconds of wall-clock time.
    pub wall: f64,
    /// Processor seconds, summed over all threads; infinite where the system does not tell.
    pub processor: f64,
}

impl Time {
    /// Runs `work` and returns the time that it took.
    pub fn of<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<Self, E> {
        let (start, busy) = (Instant::now(), processor::seconds());
        work()?;
        let wall = start.elapsed().as_secs_f64();
        let processor = busy.zip(processor::seconds()).map_or(f64::INFINITY, |(start, end)| end - start);
        Ok(Self { wall, processor })
    }

    /// Returns the seconds by which modes are compared: processor time where it is known, else wall-clock time.
    fn decisive(self) -> f64 {
        if self.processor.is_finite() { self.processor } else { self.wall }
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        self.wall += other.wall;
        self.processor += other.processor;
    }
}

/// Number of first runs of each mode, of which the fastest counts, as disturbances only make a run slower.
pub(super) const HEATS: usize = 3;
/// Factor of the best mode's time in the first runs, up to which a mode takes part in the further rounds.
const NEAR: f64 = 1.05;
/// Largest number of modes that take part in the further rounds.
const FINALISTS: usize = 3;

/// The side whose tracer runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    Ours,
    /// Embree, in the mode with this index.
    Theirs(usize),
}

/// Times of our tracer and of Embree's modes on one kind of rays.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Race {
    /// Least time of each mode in its first runs, in seconds.
    pub heats: Vec<f64>,
    /// Index of the mode with the smallest median time in the rounds.
    pub winner: usize,
    /// Times of our tracer, one for each round.
    pub ours: Vec<Time>,
    /// Times of Embree's best mode in each of those rounds.
    pub theirs: Vec<Time>,
}

impl Race {
    /// Times our tracer and this many modes in this many rounds, at least one of each; `run` runs one side and returns
    /// its time.
    pub fn run<E>(modes: usize, rounds: usize, run: &mut dyn FnMut(Runner) -> Result<Time, E>) -> Result<Self, E> {
        // Ours first: who comes first finds a machine that has slept.
        run(Runner::Ours)?;
        let mut heats = vec![f64::INFINITY; modes];
        for _ in 0..HEATS {
            for (mode, least) in heats.iter_mut().enumerate() {
                *least = least.min(run(Runner::Theirs(mode))?.decisive());
            }
        }
        let finalists = finalists(&heats);
        let mut order: Vec<Runner> =
            std::iter::once(Runner::Ours).chain(finalists.iter().copied().map(Runner::Theirs)).collect();
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); finalists.len()];
        for _ in 0..rounds.max(1) {
            for &runner in &order {
                let time = run(runner)?;
                match runner {
                    Runner::Ours => ours.push(time),
                    Runner::Theirs(mode) => {
                        let place = finalists.iter().position(|&finalist| finalist == mode);
                        theirs[place.expect("only finalists race in rounds")].push(time);
                    }
                }
            }
            // Nobody always comes after the same.
            order.reverse();
        }
        let median =
            |times: &[Time]| Quartiles::of(&times.iter().map(|time| time.decisive()).collect::<Vec<_>>()).median;
        let best = (0..finalists.len()).min_by(|&a, &b| median(&theirs[a]).total_cmp(&median(&theirs[b])));
        let best = best.expect("a peer has a mode");
        Ok(Self { heats, winner: finalists[best], ours, theirs: theirs.swap_remove(best) })
    }

    /// Returns our rate divided by the best mode's: the median of the rounds' ratios, with the least and the largest.
    pub fn ratio(&self) -> Quartiles {
        self.ratios(|time| time.wall)
    }

    /// Returns our rate divided by the best mode's, by processor time; `None` where the system does not tell it.
    pub fn processor_ratio(&self) -> Option<Quartiles> {
        let known = self.ours.iter().chain(&self.theirs).all(|time| time.processor.is_finite());
        known.then(|| self.ratios(|time| time.processor))
    }

    fn ratios(&self, seconds: impl Fn(&Time) -> f64) -> Quartiles {
        let ratios: Vec<f64> =
            self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| seconds(theirs) / seconds(ours)).collect();
        Quartiles::of(&ratios)
    }
}

/// Returns the modes that take part in the rounds, best first: the best one of the first runs, and those near it.
fn finalists(heats: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..heats.len()).collect();
    order.sort_by(|&a, &b| heats[a].total_cmp(&heats[b]));
    let least = order.first().map_or(f64::NAN, |&best| heats[best]);
    order.retain(|&mode| heats[mode] <= NEAR * least);
    order.truncate(FINALISTS);
    order
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a time with as many wall-clock as processor seconds.
    pub(crate) fn time(seconds: f64) -> Time {
        Time { wall: seconds, processor: seconds }
    }

    /// Times modes whose seconds are given, against 1 second of ours.
    fn race(rounds: usize, theirs: &[f64], order: &mut Vec<Runner>) -> Race {
        let mut run = |runner| {
            order.push(runner);
            Ok::<Time, ()>(match runner {
                Runner::Ours => time(1.0),
                Runner::Theirs(mode) => time(theirs[mode]),
            })
        };
        Race::run(theirs.len(), rounds, &mut run).unwrap()
    }

    #[test]
    fn the_best_mode_is_the_peers_figure() {
        let mut order = Vec::new();
        let race = race(4, &[3.0, 0.8, 2.0], &mut order);
        assert_eq!((race.winner, race.ours.len(), race.theirs.len()), (1, 4, 4));
        assert_eq!((race.ratio().min, race.ratio().median, race.ratio().max), (0.8, 0.8, 0.8));
        assert_eq!(race.heats, [3.0, 0.8, 2.0]);
        // In the rounds the two alternate, and who begins changes.
        let (us, them) = (Runner::Ours, Runner::Theirs(1));
        assert_eq!(order[1 + 3 * HEATS..], [us, them, them, us, us, them, them, us]);
    }

    #[test]
    fn modes_that_are_near_the_best_run_in_the_rounds_too() {
        assert_eq!(finalists(&[1.04, 1.0, 1.2]), [1, 0]);
        assert_eq!(finalists(&[1.0, 1.01, 1.02, 1.03]), [0, 1, 2]);
        // The best of the heats was lucky there.
        let mut runs_of = [0; 2];
        let mut run = |runner| {
            Ok::<Time, ()>(match runner {
                Runner::Ours => time(1.0),
                Runner::Theirs(mode) => {
                    runs_of[mode] += 1;
                    time(if mode == 0 && runs_of[0] > HEATS { 2.0 } else { 1.0 + mode as f64 * 0.01 })
                }
            })
        };
        assert_eq!(Race::run(2, 3, &mut run).unwrap().winner, 1);
    }

    #[test]
    fn a_ratio_is_that_of_its_round() {
        // The machine is half as fast in the second round, for both.
        let race = Race {
            heats: vec![1.0],
            winner: 0,
            ours: [1.0, 2.0, 1.0].map(time).to_vec(),
            theirs: [1.5, 3.0, 1.2].map(time).to_vec(),
        };
        let ratio = race.ratio();
        assert_eq!((ratio.min, ratio.median, ratio.max), (1.2, 1.5, 1.5));
    }

    #[test]
    fn an_error_ends_the_race() {
        let mut run = |runner| if runner == Runner::Theirs(1) { Err("stopped") } else { Ok(time(1.0)) };
        assert_eq!(Race::run(2, 1, &mut run), Err("stopped"));
    }

    #[test]
    fn a_machine_that_others_keep_busy_does_not_choose_the_mode() {
        // The better mode always has to wait for a processor.
        let mut run = |runner| {
            Ok::<Time, ()>(match runner {
                Runner::Theirs(0) => Time { wall: 9.0, processor: 1.0 },
                _ => time(2.0),
            })
        };
        let race = Race::run(2, 3, &mut run).unwrap();
        assert_eq!((race.winner, race.ratio().median), (0, 4.5));
        assert_eq!(race.processor_ratio().unwrap().median, 0.5);
    }

    #[test]
    fn where_no_processor_time_is_told_that_of_the_wall_decides() {
        let mut run = |runner| {
            let wall = if runner == Runner::Theirs(1) { 0.5 } else { 1.0 };
            Ok::<Time, ()>(Time { wall, processor: f64::INFINITY })
        };
        let race = Race::run(2, 3, &mut run).unwrap();
        assert_eq!((race.winner, race.ratio().median, race.processor_ratio()), (1, 0.5, None));
    }
}
