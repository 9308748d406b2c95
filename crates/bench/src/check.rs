//! Checks of hits against the reference and the CPU's watertight tracer.

/// Largest relative difference of hit distances `t` between a subject and its reference.
pub const T_TOLERANCE: f32 = 1e-5;

/// Fraction of the checked rays that may differ from the reference, if rounding near an edge explains each of them.
const ALLOWED_SHARE: f64 = 1e-5;

/// Largest number of differing rays of a batch that the exact oracle looks at: more of them are a fault.
const EXPLAINED: u64 = 100;

/// Fraction of all rays whose answer may differ from the watertight tracer's: kernels as in the papers lose some rays
/// at edges (0.004 % of rays were seen among other tracers).
const STRAY_SHARE: f64 = 1e-3;

/// Largest relative difference of hit distances `t` from the watertight tracer's, and of the scene's diagonal what is
/// always allowed: another triangle test rounds otherwise, which shows most in short rays.
const STRAY_TOLERANCE: f32 = 1e-3;
const STRAY_SLACK: f32 = 1e-5;

/// One number for each ray: `t` of its closest hit, infinity for a miss, 0 for an any-hit ray that is blocked.
pub(crate) type Answers = Vec<f32>;

/// Returns `true` if two answers differ by more than another triangle test's rounding explains, in a scene with this
/// diagonal.
pub(crate) fn is_stray(got: f32, want: f32, diagonal: f32) -> bool {
    let near = got.is_finite() && want.is_finite() && (got - want).abs() <= STRAY_SLACK * diagonal;
    !near && !agrees(got, want, STRAY_TOLERANCE)
}

/// Returns `true` if two answers are both misses, or hits at distances within the relative `tolerance`.
pub(crate) fn agrees(got: f32, want: f32, tolerance: f32) -> bool {
    // Equal first: both infinite, or both 0. A NaN agrees with nothing.
    got == want || (got.is_finite() && want.is_finite() && (got - want).abs() <= tolerance * got.abs().max(want.abs()))
}

/// One wrong answer, shown as an example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Example {
    /// Index of the ray in its launch.
    pub ray: u64,
    /// Answer of the subject: distance `t`; infinity for a miss; 0 for an any-hit ray that is blocked.
    pub got: f32,
    /// Answer of the tracer that it is compared with, as a distance like `got`.
    pub want: f32,
}

impl std::fmt::Display for Example {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |t: f32| if t == f32::INFINITY { "a miss".to_string() } else { format!("t = {t}") };
        write!(f, "ray {}: {}, not {}", self.ray, text(self.got), text(self.want))
    }
}

/// Comparison of a subject's answers with a reference tracer's and the watertight tracer's.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Check {
    /// Number of rays compared with the reference: a single lane on this CPU with the same tree encoding and triangle
    /// test.
    pub checked: u64,
    /// Number of compared rays that differ from the reference: hit or miss, or `t` by more than [`T_TOLERANCE`].
    pub differ: u64,
    /// Number of differing rays that pass so near an edge, or hit so near their interval's end, that rounding explains
    /// it.
    pub explained: u64,
    /// Number of all rays of the batches.
    pub rays: u64,
    /// Number of rays that hit something.
    pub hits: u64,
    /// Number of all rays whose answer differs from the watertight tracer's: hit or miss, or `t` by more than 0.1 % and
    /// by more than 1e-5 of the scene's diagonal.
    pub stray: u64,
    /// First ray whose difference from the reference is not explained; if there is none, the first that differs from
    /// the watertight tracer.
    pub example: Option<Example>,
}

impl Check {
    /// Adds a batch: its answers, the reference's for every `step`-th ray, and the watertight tracer's for all.
    /// `diagonal` is the scene's. With `own_test` the subject has a triangle test of its own, and differs from the
    /// reference as a stray does from the watertight tracer. `explain` is asked about those that differ, until it says
    /// no.
    pub(crate) fn add(
        &mut self,
        answers: &[f32],
        reference: &[f32],
        step: usize,
        watertight: &[f32],
        diagonal: f32,
        own_test: bool,
        explain: impl Fn(&Example) -> bool,
    ) {
        assert!(
            answers.len() == watertight.len() && reference.len() == answers.len().div_ceil(step),
            "an answer a ray"
        );
        self.checked += reference.len() as u64;
        self.rays += answers.len() as u64;
        self.hits += answers.iter().filter(|t| t.is_finite()).count() as u64;
        let example = |ray: usize, want: f32| Example { ray: ray as u64, got: answers[ray], want };
        for (place, &want) in reference.iter().enumerate() {
            let got = answers[place * step];
            let differs = if own_test { is_stray(got, want, diagonal) } else { !agrees(got, want, T_TOLERANCE) };
            if differs {
                self.differ += 1;
                // One that is not explained is enough.
                if self.explained + 1 == self.differ && self.differ <= EXPLAINED {
                    let example = example(place * step, want);
                    if explain(&example) {
                        self.explained += 1;
                    } else {
                        self.example = Some(example);
                    }
                }
            }
        }
        for (ray, &want) in watertight.iter().enumerate() {
            if is_stray(answers[ray], want, diagonal) {
                self.example.get_or_insert_with(|| example(ray, want));
                self.stray += 1;
            }
        }
    }

    /// Returns the largest number of rays that may differ from the reference, each explained by rounding.
    pub fn allowed(&self) -> u64 {
        (self.checked as f64 * ALLOWED_SHARE).ceil() as u64
    }

    /// Returns `true` if rounding explains all differences from the reference, and no count of differing rays is too
    /// large.
    pub fn passes(&self) -> bool {
        self.explained == self.differ
            && self.differ <= self.allowed()
            && self.stray as f64 <= self.rays as f64 * STRAY_SHARE
    }
}

impl std::ops::AddAssign for Check {
    fn add_assign(&mut self, other: Self) {
        self.checked += other.checked;
        self.differ += other.differ;
        self.explained += other.explained;
        self.rays += other.rays;
        self.hits += other.hits;
        self.stray += other.stray;
        self.example = self.example.or(other.example);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const MISS: f32 = f32::INFINITY;

    fn check(answers: &[f32], reference: &[f32]) -> Check {
        let mut check = Check::default();
        check.add(answers, reference, 1, reference, 1.0, false, |_| false);
        check
    }

    #[test]
    fn hits_agree_within_the_tolerance_and_misses_with_misses() {
        assert!(check(&[1.0, MISS, 0.0], &[1.000_009, MISS, 0.0]).passes());
        for wrong in [[1.1, MISS, 0.0], [1.0, 5.0, 0.0], [MISS, MISS, 0.0], [f32::NAN, MISS, 0.0], [1.0, MISS, MISS]] {
            let check = check(&wrong, &[1.0, MISS, 0.0]);
            assert_eq!(check.differ, 1, "{wrong:?}");
            assert!(!check.passes());
        }
    }

    #[test]
    fn one_ray_in_a_hundred_thousand_may_differ_if_it_is_explained() {
        let mut check = Check { checked: 100_000, differ: 1, rays: 100_000, ..Default::default() };
        assert!(!check.passes());
        check.explained = 1;
        assert!(check.passes());
        check += Check { checked: 0, differ: 1, explained: 1, ..Default::default() };
        assert!(!check.passes());
        check += Check { checked: 1, ..Default::default() };
        assert!(check.passes());
    }

    #[test]
    fn the_first_that_nothing_explains_is_the_example() {
        let want = vec![1.0; 500];
        let mut got = want.clone();
        for ray in [100, 200, 300, 400] {
            got[ray] = 2.0;
        }
        let run = |explain: fn(&Example) -> bool| {
            let mut check = Check::default();
            check.add(&got, &want, 1, &got, 1.0, false, explain);
            (check.differ, check.explained, check.example.map(|example| example.ray))
        };
        assert_eq!(run(|_| true), (4, 4, None));
        assert_eq!(run(|example| example.ray != 300), (4, 2, Some(300)));
    }

    #[test]
    fn rays_between_the_checked_ones_are_held_against_the_watertight_tracer() {
        let want = vec![1.0; 999];
        let reference: Vec<f32> = want.iter().copied().step_by(3).collect();
        let mut got = want.clone();
        let run = |got: &[f32]| {
            let mut check = Check::default();
            check.add(got, &reference, 3, &want, 10.0, false, |_| false);
            check
        };
        assert_eq!(run(&got), Check { checked: 333, differ: 0, rays: 999, hits: 999, ..Default::default() });
        got[1] = MISS;
        assert_eq!((run(&got).differ, run(&got).stray, run(&got).hits), (0, 1, 998));
        assert_eq!(run(&got).example, Some(Example { ray: 1, got: MISS, want: 1.0 }));
        assert!(!run(&got).passes());
        got[1] = f32::NAN;
        assert_eq!(run(&got).stray, 1);
        // The hit behind the nearest, and another rounding.
        for (t, stray) in [(1.1, 1), (1.0009, 0), (0.5, 1)] {
            got[1] = t;
            assert_eq!((run(&got).differ, run(&got).stray), (0, stray), "{t}");
        }
    }

    #[test]
    fn another_triangle_test_may_round_otherwise_but_hits_what_the_reference_does() {
        let run = |got: f32, own_test: bool| {
            let mut check = Check::default();
            check.add(&[got], &[1.0], 1, &[1.0], 1.0, own_test, |_| false);
            check.differ
        };
        assert_eq!((run(1.0005, false), run(1.0005, true)), (1, 0));
        assert_eq!((run(1.01, true), run(MISS, true), run(f32::NAN, true)), (1, 1, 1));
    }

    #[test]
    fn short_rays_may_be_off_by_a_bit_of_the_scene() {
        assert!(!is_stray(1e-6, 5e-6, 1.0));
        assert!(is_stray(1e-6, 5e-5, 1.0));
        assert!(is_stray(f32::INFINITY, 1e-6, 1.0) && is_stray(f32::NAN, 1.0, 1.0));
    }
}
