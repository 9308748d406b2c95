//! Fused multiply-add at the speed of plain arithmetic.

/// `a * b + c`, rounded once, as `f32::mul_add` gives it.
///
/// Without the instruction that is a call into the C library for each; this goes through f64, where
/// the product is exact, and calls only where rounding twice might differ: when the sum is halfway
/// between two f32, or denormal.
#[inline(always)]
pub(crate) fn fused_multiply_add(a: f32, b: f32, c: f32) -> f32 {
    const BELOW_F32: u64 = (1 << 29) - 1;
    const HALFWAY: u64 = 1 << 28;
    let sum = f64::from(a) * f64::from(b) + f64::from(c);
    // A sum that is not halfway lies on the same side of it as the exact value.
    if sum.to_bits() & BELOW_F32 == HALFWAY || (sum.abs() < f64::from(f32::MIN_POSITIVE) && sum != 0.0) {
        return a.mul_add(b, c);
    }
    sum as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_equals_the_library_on_random_and_halfway_arguments() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            state ^ state >> 15
        };
        let same = |a: f32, b: f32, c: f32| {
            let (got, want) = (fused_multiply_add(a, b, c), a.mul_add(b, c));
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{a:e} * {b:e} + {c:e}");
        };
        for _ in 0..2_000_000 {
            let [a, b, c] = [next(), next(), next()].map(f32::from_bits);
            same(a, b, c);
            // Near 1, where sums cancel and land halfway.
            let near = |bits: u32| 1.0 + (bits % 4096) as f32 / 4096.0;
            let (a, b) = (near(a.to_bits()), near(b.to_bits()));
            let tiny = 2f32.powi(-24 - (c.to_bits() % 30) as i32);
            for c in [-(a * b), tiny, -tiny, tiny * 1.5, f32::MIN_POSITIVE - a * b] {
                same(a, b, c);
            }
        }
    }
}
