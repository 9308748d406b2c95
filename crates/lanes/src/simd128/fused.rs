//! `a * b + c` with one rounding, for four lanes at once, by f64.
//!
//! The product of two f32 is exact in f64. Rounding its sum with `c` to f64 and then to f32 goes wrong only where the
//! f64 lies halfway between two floats, or where the float is denormal. One test for all four lanes finds that, and
//! the sums are then rounded to odd first, as [`crate::fused_multiply_add`] does for one (Boldo and Melquiond 2008).

use std::arch::wasm32::*;

/// Returns `a * b + c` for each f32 lane, rounded once.
#[inline(always)]
pub(super) fn multiply_add(a: v128, b: v128, c: v128) -> v128 {
    let low = product(a, b);
    let high = product(upper(a), upper(b));
    let (c_low, c_high) = (f64x2_promote_low_f32x4(c), f64x2_promote_low_f32x4(upper(c)));
    let (sum_low, sum_high) = (f64x2_add(low, c_low), f64x2_add(high, c_high));
    if v128_any_true(round_twice(sum_low, sum_high)) {
        return by_odd_rounding(low, high, c);
    }
    rounded(sum_low, sum_high)
}

/// Returns the upper two f32 lanes of `x` as the lower two.
#[inline(always)]
fn upper(x: v128) -> v128 {
    u64x2_shuffle::<1, 1>(x, x)
}

/// Returns the exact products of the lower two f32 lanes.
#[inline(always)]
fn product(a: v128, b: v128) -> v128 {
    f64x2_mul(f64x2_promote_low_f32x4(a), f64x2_promote_low_f32x4(b))
}

/// Rounds four f64 to f32.
#[inline(always)]
fn rounded(low: v128, high: v128) -> v128 {
    u64x2_shuffle::<0, 2>(f32x4_demote_f64x2_zero(low), f32x4_demote_f64x2_zero(high))
}

/// Returns a word for each f64 that is not 0 where rounding it to f32 may differ from rounding the exact sum: what
/// [`crate::rounds_twice`] says of one.
#[inline(always)]
fn round_twice(low: v128, high: v128) -> v128 {
    // The 29 bits that f32 lacks lie in the lower words.
    let dropped = v128_and(u32x4_shuffle::<0, 2, 4, 6>(low, high), u32x4_splat((1 << 29) - 1));
    let halfway = i32x4_eq(dropped, u32x4_splat(1 << 28));
    // The upper word tells what is below 2^-126 and not 0: no product or sum here is so small that it alone is 0. One
    // signed comparison does, with 0 moved to the largest number and 1 to the smallest.
    const SMALLEST_NORMAL: u32 = (f32::MIN_POSITIVE as f64).to_bits().wrapping_shr(32) as u32;
    let size = v128_and(u32x4_shuffle::<1, 3, 5, 7>(low, high), u32x4_splat(i32::MAX as u32));
    let moved = i32x4_add(size, u32x4_splat(i32::MAX as u32));
    let denormal = i32x4_lt(moved, u32x4_splat(SMALLEST_NORMAL.wrapping_add(i32::MAX as u32)));
    v128_or(halfway, denormal)
}

/// Returns the sums of four exact products and the f32 lanes of `c`, rounded to odd in f64 and then to f32.
#[cold]
#[inline(never)]
fn by_odd_rounding(low: v128, high: v128, c: v128) -> v128 {
    rounded(odd(low, f64x2_promote_low_f32x4(c)), odd(high, f64x2_promote_low_f32x4(upper(c))))
}

/// Returns the sum of two f64, rounded to odd: cut off, with the last bit set where that lost anything.
#[inline(always)]
fn odd(product: v128, c: v128) -> v128 {
    let sum = f64x2_add(product, c);
    // What the sum lost, exactly (Knuth's two-sum).
    let part = f64x2_sub(sum, product);
    let lost = f64x2_add(f64x2_sub(product, f64x2_sub(sum, part)), f64x2_sub(c, part));
    // False for a NaN, which infinite sums lose.
    let inexact = f64x2_gt(f64x2_abs(lost), f64x2_splat(0.0));
    let even = i64x2_eq(v128_and(sum, i64x2_splat(1)), i64x2_splat(0));
    // One unit away from zero if the rest has the sum's sign, else one towards it.
    let opposite = i64x2_shr(v128_xor(lost, sum), 63);
    let step = v128_or(opposite, i64x2_splat(1));
    i64x2_add(sum, v128_and(step, v128_and(inexact, even)))
}

#[cfg(test)]
mod tests {
    use super::{multiply_add, round_twice, v128};
    use crate::{fused_multiply_add, rounds_twice};
    use std::arch::wasm32::*;

    fn lanes(x: v128) -> [u32; 4] {
        [u32x4_extract_lane::<0>(x), u32x4_extract_lane::<1>(x), u32x4_extract_lane::<2>(x), u32x4_extract_lane::<3>(x)]
    }

    /// Compares the lanes with what the standard library and the rule for one lane give.
    #[track_caller]
    fn check(a: [f32; 4], b: [f32; 4], c: [f32; 4]) {
        let [x, y, z] = [a, b, c].map(|[p, q, r, s]| f32x4(p, q, r, s));
        let got = lanes(multiply_add(x, y, z)).map(f32::from_bits);
        for i in 0..4 {
            for want in [a[i].mul_add(b[i], c[i]), fused_multiply_add(a[i], b[i], c[i])] {
                let same = got[i].to_bits() == want.to_bits() || got[i].is_nan() && want.is_nan();
                assert!(same, "lane {i}: {:e} * {:e} + {:e} is {want:e}, not {:e}", a[i], b[i], c[i], got[i]);
            }
        }
    }

    #[test]
    fn every_lane_is_rounded_once_beside_every_other_kind() {
        let mut random = raywarp_testing::Random::new(1);
        for round in 0..200_000u32 {
            let mut word = || random.word();
            let middle = 1.0 + f32::EPSILON * (word() % 64) as f32;
            let (p, q) = (f32::from_bits(word() % (1 << 30) + (1 << 28)), f32::from_bits(0x3f80_0000 | word() >> 9));
            let half = f32::from_bits((127 - 24) << 23) * (1.0 + f32::EPSILON);
            let sign = f32::from_bits(1.0f32.to_bits() | word() << 31);
            let tiny = f32::from_bits((127 - 24 - round % 40) << 23) * middle;
            let kinds = [
                // Any bits; a product that cancels; halfway to what f64 can tell, and beyond; denormal; infinite; zero.
                [f32::from_bits(word()), f32::from_bits(word()), f32::from_bits(word())],
                [p, q, -(p * q)],
                [sign * tiny, 1.0 + f32::EPSILON * (round % 3) as f32, middle],
                [sign * half, 1.0 - f32::EPSILON, middle],
                [f32::from_bits(word() >> 5), f32::from_bits(0x3000_0000 | word() >> 8), f32::from_bits(word() >> 9)],
                [sign * f32::INFINITY, q, p],
                [sign * f32::MAX, 2.0, p],
                [sign * 0.0, q, 0.0],
            ];
            let chosen: [[f32; 3]; 4] = std::array::from_fn(|_| {
                let [a, b, c] = kinds[word() as usize % kinds.len()];
                // Sums of either sign: which neighbour is odd depends on it.
                if word() >> 31 == 1 { [-a, b, -c] } else { [a, b, c] }
            });
            check(chosen.map(|x| x[0]), chosen.map(|x| x[1]), chosen.map(|x| x[2]));
        }
    }

    #[test]
    fn one_test_of_four_sums_says_what_it_says_of_each() {
        let mut random = raywarp_testing::Random::new(2);
        let smallest = f64::from(f32::MIN_POSITIVE);
        let edges = [smallest, smallest.next_down(), smallest.next_up(), 0.0, f64::from(f32::from_bits(1)), 1e-90];
        for _ in 0..100_000 {
            let sums: [f64; 4] = std::array::from_fn(|_| {
                let word = random.word();
                let edge = edges[word as usize % edges.len()];
                let near = f64::from_bits((1023 << 52) + (1 << 28) + u64::from(word % 5) - 2);
                let sum = [edge, near, f64::INFINITY, f64::NAN, 1.0, near * 1e30][(word >> 8) as usize % 6];
                if word >> 31 == 1 { -sum } else { sum }
            });
            let got = lanes(round_twice(f64x2(sums[0], sums[1]), f64x2(sums[2], sums[3]))).map(|word| word != 0);
            assert_eq!(got, sums.map(rounds_twice), "{sums:?}");
        }
    }
}
