//! Choice of one of two outcomes by a random number.

use crate::hash::ONE_MINUS_EPSILON;

/// Decides with the random number `u`: returns `true` with probability `share`, and the probability of the outcome; `u`
/// is rescaled to be uniform again.
#[inline]
pub fn choose(share: f32, u: &mut f32) -> (bool, f32) {
    let (chosen, probability, rest) = if *u < share { (true, share, *u) } else { (false, 1.0 - share, *u - share) };
    *u = (rest / probability).clamp(0.0, ONE_MINUS_EPSILON);
    (chosen, probability)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_leaves_a_uniform_number() {
        let mut u = 0.2;
        assert_eq!(choose(0.4, &mut u), (true, 0.4));
        assert_eq!(u, 0.5);
        let mut u = 0.7;
        assert!(!choose(0.4, &mut u).0);
        assert!((u - 0.5).abs() < 1e-6);
        for share in [0.0, 1.0] {
            let mut u = 0.999_999_9;
            assert_eq!(choose(share, &mut u), (share == 1.0, 1.0));
            assert!(u < 1.0);
        }
    }
}
