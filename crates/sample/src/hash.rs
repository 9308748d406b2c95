//! Integer hashes and the step from an integer to the unit interval.

/// Largest `f32` below 1.
pub const ONE_MINUS_EPSILON: f32 = 1.0 - f32::EPSILON / 2.0;

/// Returns the 32-bit PCG output hash: one step of a linear congruence and the output permutation RXS-M-XS (O'Neill
/// 2014; as a hash, Jarzynski and Olano 2020). A bijection.
#[inline]
pub const fn pcg(v: u32) -> u32 {
    let state = v.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// Mixes `value` into the hash `key`, which starts with 0 or a seed. For a fixed `key` a bijection of `value`.
///
/// The odd factor keeps neighbouring (key, value) pairs from meeting: a plain xor would give (0, 1)
/// and (1, 0) one result.
#[inline]
pub const fn combine(key: u32, value: u32) -> u32 {
    pcg(key ^ value.wrapping_mul(0x9E37_79B9))
}

/// Maps 32 random bits to an `f32` in `0 ..= 1 - 2^-24`: their top 24 bits as a multiple of 2^-24.
#[inline]
pub const fn to_unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pcg_hash_has_its_published_form() {
        // One step of the generator by its definition, in 64 bits.
        for v in [0u32, 1, 2, 747_796_405, 0xFFFF_FFFF, 0x8000_0000] {
            let state = ((u64::from(v) * 747_796_405 + 2_891_336_453) & 0xFFFF_FFFF) as u32;
            let rot = (state >> 28) + 4;
            let word = ((u64::from((state >> rot) ^ state) * 277_803_737) & 0xFFFF_FFFF) as u32;
            assert_eq!(pcg(v), (word >> 22) ^ word);
        }
        assert_eq!([pcg(0), pcg(1), pcg(2)], [129_708_002, 2_831_084_092, 2_055_130_248]);
    }

    #[test]
    fn every_input_bit_moves_every_output_bit_about_half_the_time() {
        for bit in 0..32 {
            let mut flips = [0u32; 32];
            let n = 2048;
            for i in 0..n {
                let changed = pcg(i * 977) ^ pcg((i * 977) ^ (1 << bit));
                for (j, count) in flips.iter_mut().enumerate() {
                    *count += changed >> j & 1;
                }
            }
            // The top bits of a state step are its best; 0.25 bounds the worst pair of this hash.
            assert!(flips.iter().all(|&f| (f as f32 / n as f32 - 0.5).abs() < 0.25), "bit {bit}: {flips:?}");
        }
    }

    #[test]
    fn combine_tells_order_and_neighbours_apart() {
        let mut seen = std::collections::HashSet::new();
        for a in 0..64 {
            for b in 0..64 {
                seen.insert(combine(combine(0, a), b));
            }
        }
        assert!(seen.len() >= 64 * 64 - 2, "{}", seen.len());
    }

    #[test]
    fn to_unit_stays_below_one() {
        assert_eq!(to_unit(0), 0.0);
        assert!(to_unit(u32::MAX) < 1.0 && to_unit(u32::MAX) >= ONE_MINUS_EPSILON - f32::EPSILON);
    }
}
