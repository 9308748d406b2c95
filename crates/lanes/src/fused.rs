//! Multiply-add with one rounding, the same bits on every machine.

/// Returns `a * b + c`, rounded once.
///
/// The hardware's instruction where the target surely has one; else f64 arithmetic, since calling the
/// C library for it costs more and not every C library rounds right.
#[inline(always)]
pub fn fused_multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) { a.mul_add(b, c) } else { software(a, b, c) }
}

/// Returns `a * b + c` rounded once ([`fused_multiply_add`]) for each lane of three arrays, in a form that compilers
/// turn into vector instructions.
#[inline(always)]
pub fn fused_multiply_adds<const N: usize>(a: [f32; N], b: [f32; N], c: [f32; N]) -> [f32; N] {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        return std::array::from_fn(|i| a[i].mul_add(b[i], c[i]));
    }
    let sums: [f64; N] = std::array::from_fn(|i| f64::from(a[i]) * f64::from(b[i]) + f64::from(c[i]));
    // Masks instead of truths: vectors.
    if sums.iter().fold(0, |any, &sum| any | u64::from(rounds_twice(sum)).wrapping_neg()) != 0 {
        return std::array::from_fn(|i| software(a[i], b[i], c[i]));
    }
    sums.map(|sum| sum as f32)
}

#[inline(always)]
fn software(a: f32, b: f32, c: f32) -> f32 {
    // Exact: 48 bits.
    let product = f64::from(a) * f64::from(b);
    let sum = product + f64::from(c);
    if rounds_twice(sum) { by_odd_rounding(product, c, sum) } else { sum as f32 }
}

/// Returns `true` if rounding this f64 sum to f32 may differ from rounding the exact sum: where it lies halfway between
/// two floats, or the float is denormal. NaN and infinity pass either way.
#[inline(always)]
pub fn rounds_twice(sum: f64) -> bool {
    const HALF: u64 = 1 << 28;
    let halfway = sum.to_bits() & (2 * HALF - 1) == HALF;
    halfway | ((sum.abs() < f64::from(f32::MIN_POSITIVE)) & (sum != 0.0))
}

/// Rounds to f32 by way of an f64 that is rounded to odd, whose last bit remembers on which side of halfway the exact
/// sum lies (Boldo and Melquiond 2008, "Emulation of a FMA and correctly rounded sums").
#[cold]
#[inline(never)]
fn by_odd_rounding(product: f64, c: f32, sum: f64) -> f32 {
    let c = f64::from(c);
    // What the sum lost, exactly (Knuth's two-sum).
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    let odd = if lost == 0.0 || bits & 1 == 1 {
        bits
    } else if (lost > 0.0) == (sum > 0.0) {
        bits + 1
    } else {
        bits - 1
    };
    f64::from_bits(odd) as f32
}

#[cfg(test)]
mod tests {
    use super::{fused_multiply_adds, software};

    #[test]
    fn software_gives_the_bits_of_the_machines_instruction() {
        let mut numbers = raywarp_testing::Random::new(1);
        let mut random = || numbers.word();
        let check = |a: f32, b: f32, c: f32| {
            let (got, want) = (software(a, b, c), a.mul_add(b, c));
            let lanes = fused_multiply_adds([a, 1.0], [b, 1.0], [c, 1.0]);
            assert!(lanes[0].to_bits() == got.to_bits() || got.is_nan() && lanes[0].is_nan());
            assert_eq!(lanes[1], 2.0);
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{a:e} {b:e} {c:e}: {got:e} {want:e}"
            );
        };
        for round in 0..400_000 {
            let [a, b, c] = [random(), random(), random()].map(f32::from_bits);
            check(a, b, c);
            // Cancelling: the addend near the negative product, of a few bits or of all.
            let (a, b) =
                (f32::from_bits(a.to_bits() % (1 << 30) + (1 << 28)), f32::from_bits(0x3f80_0000 | random() >> 9));
            check(a, b, -(a * b));
            // Halfway: a product just beside the middle of two floats.
            let middle = 1.0 + f32::EPSILON * (random() % 64) as f32;
            let tiny = f32::from_bits((127 - 24 - round % 40) << 23) * middle;
            check(tiny, 1.0 + f32::EPSILON * (round % 3) as f32, middle);
            check(-tiny, 1.0, middle);
            // So close to the middle that f64 cannot tell: (1 + e) (1 - e) is 2^-46 short of 1.
            let half = f32::from_bits((127 - 24) << 23) * (1.0 + f32::EPSILON);
            for sign in [1.0, -1.0] {
                check(sign * half, 1.0 - f32::EPSILON, middle);
            }
            // Denormal results.
            check(
                f32::from_bits(random() >> 5),
                f32::from_bits(0x3000_0000 | random() >> 8),
                f32::from_bits(random() >> 9),
            );
        }
    }
}
