//! Padded replications of a Halton set (Keller 2003), the numbers of W11.
//!
//! Each draw uses bases 2 and 3 again, whose points are far better than those of the larger bases
//! that a long path would need, moved by a Cranley-Patterson rotation. Rotations come from a linear
//! congruence seeded by the pixel and advanced a draw at a time, so the samples of a pixel share
//! them: its u32 is all that a path must remember.
//!
//! Departure from W11: the sample number is shuffled too, by a key from the same state. Rotation alone
//! makes the vertices of a path copies of each other (`u' = u + constant mod 1`), and a pixel would
//! converge, but to an integral over the copies' diagonal instead of the whole domain.

use crate::hash::{ONE_MINUS_EPSILON, pcg};
use crate::sobol::owen;

/// Returns the state after `state` of the linear congruential generator ("quick and dirty", Numerical Recipes).
#[inline]
pub const fn advance(state: u32) -> u32 {
    state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// Returns the radical inverse of `index` in base `B`, in `0 .. 1`: its digits mirrored at the radix point.
#[inline]
pub fn radical_inverse<const B: u32>(index: u32) -> f32 {
    if B == 2 {
        return (index.reverse_bits() >> 8) as f32 * (1.0 / 16_777_216.0);
    }
    // Exact in integers; a float sum would round at every digit.
    let (mut rest, mut mirrored, mut power) = (index, 0u64, 1u64);
    while rest > 0 {
        mirrored = mirrored * u64::from(B) + u64::from(rest % B);
        rest /= B;
        power *= u64::from(B);
    }
    let value = (mirrored as f64 / power as f64) as f32;
    if value < ONE_MINUS_EPSILON { value } else { ONE_MINUS_EPSILON }
}

/// Returns the shuffled sample number that a draw with generator state `state` uses. The low 16 bits go through an Owen
/// scramble, the others stay, so that every aligned power-of-two block of samples (to 2^16) is a block of the Halton
/// sequence, and the numbers stay small.
#[inline]
pub const fn shuffle(sample: u32, state: u32) -> u32 {
    let high = sample & 0xFFFF_0000;
    let key = pcg(state ^ high.wrapping_mul(0x9E37_79B9));
    // The scramble's top 16 bits depend on its input's top 16 bits alone. The constant flips that it
    // would also give those bits are undone, so that few samples have short numbers.
    let low = owen(sample << 16, key) ^ (owen(0, key) & 0xFFFF_0000);
    high | (low >> 16)
}

/// Rotates `value` cyclically within `0 .. 1` (Cranley-Patterson) by the state's top 24 bits, read as a fraction.
#[inline]
pub fn rotate(value: f32, state: u32) -> f32 {
    let sum = value + (state >> 8) as f32 * (1.0 / 16_777_216.0);
    let wrapped = if sum >= 1.0 { sum - 1.0 } else { sum };
    if wrapped < ONE_MINUS_EPSILON { wrapped } else { ONE_MINUS_EPSILON }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radical_inverses_mirror_the_digits() {
        let base_2: Vec<f32> = (0..8).map(radical_inverse::<2>).collect();
        assert_eq!(base_2, [0.0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875]);
        let ninths: Vec<f32> = (0..9).map(|i| radical_inverse::<3>(i) * 9.0).collect();
        for (got, want) in ninths.iter().zip([0.0, 3.0, 6.0, 1.0, 4.0, 7.0, 2.0, 5.0, 8.0]) {
            assert!((got - want).abs() < 1e-6, "{ninths:?}");
        }
        for i in [u32::MAX, 3_486_784_400, 4_000_000_000] {
            assert!(radical_inverse::<3>(i) < 1.0 && radical_inverse::<2>(i) < 1.0);
        }
    }

    #[test]
    fn shuffled_numbers_are_a_permutation_of_every_power_of_two_prefix() {
        for state in [0, 7, 0x8123_4567] {
            for k in 0..12 {
                let mut seen: Vec<u32> = (0..1 << k).map(|i| shuffle(i, state)).collect();
                seen.sort_unstable();
                assert!(seen.iter().copied().eq(0..1 << k), "state {state:#x}, 2^{k}");
            }
            assert_eq!(shuffle(0x0003_0000, state) >> 16, 3);
        }
    }

    #[test]
    fn rotation_wraps_and_stays_below_one() {
        assert_eq!(rotate(0.75, 0x8000_0000), 0.25);
        assert!(rotate(ONE_MINUS_EPSILON, 0) < 1.0);
        assert!(rotate(ONE_MINUS_EPSILON, 0xFF) < 1.0);
    }
}
