//! The lecture's generator (L9, "Xor32"): Marsaglia's 32-bit xorshift, seeded anew for each path.

use crate::hash::ONE_MINUS_EPSILON;

/// Multiplier of the sample number in the seed of a path: `largePrime1` of the lecture L9, whose "frames" are samples.
/// A 9-digit palindromic prime, from the family that the lecture points to.
pub const SAMPLE_PRIME: u32 = 982_878_289;

/// Multiplier that spreads neighbouring pixels over the seeds of paths: `largePrime2` of the lecture L9.
pub const SEED_PRIME: u32 = 999_727_999;

/// Seed that replaces 0, from which the xorshift generator never leaves.
pub const ZERO_SEED: u32 = 0x9E37_79B9;

/// Returns the generator's state at the start of a path, `(pixel + sample * p1) * p2` (L9), with 0 replaced by
/// [`ZERO_SEED`]. A renderer's `seed` moves all pixels on by a scrambled amount; 0 is the lecture's formula itself.
#[inline]
pub const fn seed_state(seed: u32, pixel: u32, sample: u32) -> u32 {
    let offset = if seed == 0 { 0 } else { crate::hash::pcg(seed) };
    let thread = pixel.wrapping_add(sample.wrapping_mul(SAMPLE_PRIME)).wrapping_add(offset);
    match thread.wrapping_mul(SEED_PRIME) {
        0 => ZERO_SEED,
        state => state,
    }
}

/// Returns the next state of the xorshift generator, by three shifts. Never 0 for a state that is not 0.
#[inline]
pub const fn advance(mut state: u32) -> u32 {
    state ^= state << 13;
    state ^= state >> 17;
    state ^ (state << 5)
}

/// Maps a state to an `f32` in 0 .. 1: `state / 2^32`, clamped below 1, to which the largest states would round.
#[inline]
pub const fn to_unit(state: u32) -> f32 {
    let value = state as f32 * 2.328_306_4e-10;
    if value < ONE_MINUS_EPSILON { value } else { ONE_MINUS_EPSILON }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;

    #[test]
    fn draws_equal_the_lectures_formula() {
        for (pixel, sample) in [(0u32, 1u32), (1, 0), (17, 5), (1_000_000, 4000), (u32::MAX, 3)] {
            // Its shader text, in 64 bits with explicit overflow.
            let wrap = |v: u64| v & 0xFFFF_FFFF;
            let mut seed = wrap(wrap(u64::from(pixel) + u64::from(sample) * 982_878_289) * 999_727_999);
            let mut stream = Sampler::Xor32 { seed: 0 }.start(pixel, sample);
            for _ in 0..20 {
                seed ^= wrap(seed << 13);
                seed ^= seed >> 17;
                seed ^= wrap(seed << 5);
                let expected = seed as f64 * 2.3283064365387e-10;
                assert!((f64::from(stream.next_1d()) - expected).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn a_zero_seed_is_replaced_and_nothing_rounds_to_one() {
        assert_eq!(seed_state(0, 0, 0), ZERO_SEED);
        assert!(to_unit(u32::MAX) < 1.0);
        assert!(u32::MAX as f32 * 2.328_306_4e-10 >= 1.0, "the clamp has its reason");
    }

    #[test]
    fn the_large_primes_are_prime_and_palindromic() {
        for p in [SAMPLE_PRIME, SEED_PRIME] {
            assert!((2..=31_623).all(|d| p % d != 0), "{p}");
            let digits = p.to_string();
            assert_eq!(digits.chars().rev().collect::<String>(), digits);
        }
    }
}
