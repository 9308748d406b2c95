//! Two sides in turns: which of the peer's modes is best, and how ours stands to it.
//!
//! All modes run in heats. The best of them, and those so near that noise may have put them behind it, go on to the rounds, in which
//! they and ours run one after the other, so that whatever else the machine does meets both.

use crate::Quartiles;

/// Heats; the least time counts, for what disturbs a run makes it longer.
pub(super) const HEATS: usize = 3;
/// How much slower than the best a mode may be in the heats and still go on.
const NEAR: f64 = 1.05;
/// Modes that go on at most.
const FINALISTS: usize = 3;

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Ours,
    /// The peer's mode of this number.
    Theirs(usize),
}

/// Times of a race, in seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Race {
    /// The least of each mode in the heats.
    pub heats: Vec<f64>,
    /// The mode with the least median in the rounds.
    pub winner: usize,
    /// Ours, a round each.
    pub ours: Vec<f64>,
    /// The winner's, of the same rounds.
    pub theirs: Vec<f64>,
}

impl Race {
    /// Of so many modes in so many rounds, at least one of each; `run` says how many seconds a turn took.
    pub fn run<E>(modes: usize, rounds: usize, run: &mut dyn FnMut(Turn) -> Result<f64, E>) -> Result<Self, E> {
        // Ours first: who comes first finds a machine that has slept.
        run(Turn::Ours)?;
        let mut heats = vec![f64::INFINITY; modes];
        for _ in 0..HEATS {
            for (mode, least) in heats.iter_mut().enumerate() {
                *least = least.min(run(Turn::Theirs(mode))?);
            }
        }
        let finalists = finalists(&heats);
        let mut turns: Vec<Turn> =
            std::iter::once(Turn::Ours).chain(finalists.iter().copied().map(Turn::Theirs)).collect();
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); finalists.len()];
        for _ in 0..rounds.max(1) {
            for &turn in &turns {
                let seconds = run(turn)?;
                match turn {
                    Turn::Ours => ours.push(seconds),
                    Turn::Theirs(mode) => {
                        let place = finalists.iter().position(|&finalist| finalist == mode);
                        theirs[place.expect("only finalists have turns")].push(seconds);
                    }
                }
            }
            // Nobody always comes after the same.
            turns.reverse();
        }
        let median = |times: &[f64]| Quartiles::of(times).median;
        let best = (0..finalists.len()).min_by(|&a, &b| median(&theirs[a]).total_cmp(&median(&theirs[b])));
        let best = best.expect("a peer has a mode");
        Ok(Self { heats, winner: finalists[best], ours, theirs: theirs.swap_remove(best) })
    }

    /// Our rate over theirs: of the rounds' ratios the median, with least and most.
    pub fn ratio(&self) -> Quartiles {
        let ratios: Vec<f64> = self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| theirs / ours).collect();
        Quartiles::of(&ratios)
    }
}

/// The best mode of the heats and those near it, best first.
fn finalists(heats: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..heats.len()).collect();
    order.sort_by(|&a, &b| heats[a].total_cmp(&heats[b]));
    let least = order.first().map_or(f64::NAN, |&best| heats[best]);
    order.retain(|&mode| heats[mode] <= NEAR * least);
    order.truncate(FINALISTS);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A race of modes whose times are given, against 1 second.
    fn race(rounds: usize, theirs: &[f64], turns: &mut Vec<Turn>) -> Race {
        let mut run = |turn| {
            turns.push(turn);
            Ok::<f64, ()>(match turn {
                Turn::Ours => 1.0,
                Turn::Theirs(mode) => theirs[mode],
            })
        };
        Race::run(theirs.len(), rounds, &mut run).unwrap()
    }

    #[test]
    fn the_best_mode_is_the_peers_figure() {
        let mut turns = Vec::new();
        let race = race(4, &[3.0, 0.8, 2.0], &mut turns);
        assert_eq!((race.winner, race.ours.len(), race.theirs.len()), (1, 4, 4));
        assert_eq!((race.ratio().min, race.ratio().median, race.ratio().max), (0.8, 0.8, 0.8));
        assert_eq!(race.heats, [3.0, 0.8, 2.0]);
        // In the rounds the two take turns, and who begins changes.
        let (us, them) = (Turn::Ours, Turn::Theirs(1));
        assert_eq!(turns[1 + 3 * HEATS..], [us, them, them, us, us, them, them, us]);
    }

    #[test]
    fn modes_that_are_near_the_best_run_in_the_rounds_too() {
        assert_eq!(finalists(&[1.04, 1.0, 1.2]), [1, 0]);
        assert_eq!(finalists(&[1.0, 1.01, 1.02, 1.03]), [0, 1, 2]);
        // The best of the heats was lucky there.
        let mut turn_of = [0; 2];
        let mut run = |turn| {
            Ok::<f64, ()>(match turn {
                Turn::Ours => 1.0,
                Turn::Theirs(mode) => {
                    turn_of[mode] += 1;
                    if mode == 0 && turn_of[0] > HEATS { 2.0 } else { 1.0 + mode as f64 * 0.01 }
                }
            })
        };
        assert_eq!(Race::run(2, 3, &mut run).unwrap().winner, 1);
    }

    #[test]
    fn a_ratio_is_that_of_its_round() {
        // The machine is half as fast in the second round, for both.
        let race = Race { heats: vec![1.0], winner: 0, ours: vec![1.0, 2.0, 1.0], theirs: vec![1.5, 3.0, 1.2] };
        let ratio = race.ratio();
        assert_eq!((ratio.min, ratio.median, ratio.max), (1.2, 1.5, 1.5));
    }

    #[test]
    fn an_error_ends_the_race() {
        let mut run = |turn| if turn == Turn::Theirs(1) { Err("stopped") } else { Ok(1.0) };
        assert_eq!(Race::run(2, 1, &mut run), Err("stopped"));
    }
}
