//! The first two Sobol dimensions, Owen-scrambled by hashing, as pads of one path.
//!
//! Every draw is its own pad (Burley 2020, "Practical Hash-based Owen Scrambling"): the sample
//! number is shuffled by a nested uniform scramble, so that two pads are independent although both
//! use the same two dimensions, and each coordinate is scrambled again. The scramble is the hash of
//! Laine and Karras 2011 with the better constants of Vegdahl 2021 ("Building a Better LK Hash").
//!
//! All of it keeps elementary intervals: of the first `2^k` samples of a pad exactly one lies in each
//! `2^-a x 2^-b` cell with `a + b = k`, and likewise in each aligned block of `2^k` samples.

use crate::hash::{combine, pcg, to_unit};

/// Scrambles a number so that bit `i` of the result depends on bits `0 ..= i` alone. Between two bit reversals this is
/// a nested uniform (Owen) scramble. A bijection for any seed.
#[inline]
pub const fn laine_karras(mut x: u32, seed: u32) -> u32 {
    x ^= x.wrapping_mul(0x3D20_ADEA);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6C56);
    x ^ x.wrapping_mul(0x53A2_2864)
}

/// Returns the Owen scramble of a fixed-point number in `0 .. 2^32`: each bit is flipped by a hash of `seed` and the
/// bits above it.
#[inline]
pub const fn owen(x: u32, seed: u32) -> u32 {
    laine_karras(x.reverse_bits(), seed).reverse_bits()
}

/// Returns the second Sobol coordinate (dimension 1) of sample `index`, as a fixed-point number with its bits reversed.
///
/// Its direction numbers are the rows of Pascal's triangle mod 2, that is (1 + x)^k as polynomials
/// over GF(2); so the sum over the index's bits is the index, as a polynomial, at 1 + x. This is a
/// Taylor shift, done by halving: `(hi x^m + lo)(1 + x) = hi(1 + x) (1 + x^m) + lo(1 + x)`.
#[inline]
pub const fn dimension_1_reversed(index: u32) -> u32 {
    let mut x = index;
    x ^= (x & 0xAAAA_AAAA) >> 1;
    x ^= (x & 0xCCCC_CCCC) >> 2;
    x ^= (x & 0xF0F0_F0F0) >> 4;
    x ^= (x & 0xFF00_FF00) >> 8;
    x ^ (x >> 16)
}

/// Returns the first two Sobol coordinates of sample `index` as fixed-point numbers.
#[inline]
pub const fn point(index: u32) -> [u32; 2] {
    [index.reverse_bits(), dimension_1_reversed(index).reverse_bits()]
}

/// Returns one Sobol coordinate in 0 .. 1, independently scrambled for each `dimension`, of the sample whose number is
/// given with its bits reversed. `key` is the hash of seed and pixel.
#[inline]
pub fn pad_1d(key: u32, dimension: u32, reversed_sample: u32) -> f32 {
    let pad = combine(key, dimension);
    let index = laine_karras(reversed_sample, pad).reverse_bits();
    to_unit(laine_karras(index, pcg(pad)).reverse_bits())
}

/// Returns two Sobol coordinates in 0 .. 1, independently scrambled for each `dimension`; see [`pad_1d`].
#[inline]
pub fn pad_2d(key: u32, dimension: u32, reversed_sample: u32) -> [f32; 2] {
    let pad = combine(key, dimension);
    let index = laine_karras(reversed_sample, pad).reverse_bits();
    let x = laine_karras(index, pcg(pad));
    let y = laine_karras(dimension_1_reversed(index), pcg(pad ^ 0x6C8E_9CF5));
    // One reversal of 64 bits costs what one of 32 does.
    let both = ((u64::from(y) << 32) | u64::from(x)).reverse_bits();
    [to_unit((both >> 32) as u32), to_unit(both as u32)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first two Sobol coordinates of `index` by their definition, from direction numbers. These follow the
    /// recurrence of each dimension's primitive polynomial (none; x + 1), with an exclusive or over the index's bits.
    fn by_direction_numbers(index: u32) -> [u32; 2] {
        let mut point = [0; 2];
        let mut v = 0x8000_0000u32;
        for k in 0..32 {
            if index >> k & 1 != 0 {
                point[0] ^= 0x8000_0000 >> k;
                point[1] ^= v;
            }
            v ^= v >> 1;
        }
        point
    }

    #[test]
    fn points_equal_those_of_the_direction_numbers() {
        for i in (0..4096).chain([u32::MAX, 0x8000_0000, 0x1234_5678, 0xFFFF_0000]) {
            assert_eq!(point(i), by_direction_numbers(i), "index {i}");
        }
    }

    #[test]
    fn the_scramble_is_nested_and_a_bijection() {
        for seed in [0, 1, 0xDEAD_BEEF, 0x0001_0000, u32::MAX] {
            for i in 0..2000u32 {
                let x = pcg(i);
                for bit in 0..32 {
                    // Flipping a bit leaves those above alone and always flips the bit itself.
                    let changed = owen(x, seed) ^ owen(x ^ (1 << bit), seed);
                    assert_eq!(changed >> bit, 1, "seed {seed:#x}, bit {bit}");
                }
            }
        }
    }

    #[test]
    fn the_scramble_flips_bits_as_often_as_not() {
        // Over seeds, each output bit of a fixed input is a fair coin.
        let n = 4096;
        for x in [0u32, 0x8000_0000, 0x5555_5555] {
            for bit in 0..32 {
                let ones = (0..n).filter(|&s| owen(x, pcg(s)) >> bit & 1 != 0).count() as f64;
                let z = (ones - n as f64 / 2.0) / (n as f64 / 4.0).sqrt();
                assert!(z.abs() < 4.5, "input {x:#x}, bit {bit}: z = {z}");
            }
        }
    }
}
