//! ln x and ln(1 + x).

use super::{LN_2_HIGH, LN_2_LOW, power_of_two};

/// Splits `x` into a mantissa `m` from sqrt(1/2) to sqrt(2) and an integer exponent `k` with `x = m 2^k`. For positive
/// normal `x`.
#[inline]
fn split(x: f32) -> (f32, i32) {
    /// Bits of sqrt(1/2) as an `f32`, the least mantissa.
    const LEAST: i32 = 0x3f35_04f3;
    let bits = x.to_bits() as i32;
    let k = bits.wrapping_sub(LEAST) >> 23;
    (f32::from_bits(bits.wrapping_sub(k << 23) as u32), k)
}

/// Returns `ln(1 + f) + k ln 2` for a mantissa `1 + f` and an exponent `k` from [`split`].
#[inline]
fn sum_of_logarithms(f: f32, k: i32) -> f32 {
    let k = k as f32;
    let p = 0.127_845_88 + f * -0.076_753_27;
    let p = -0.131_613_45 + f * p;
    let p = 0.142_009_23 + f * p;
    let p = -0.166_232_3 + f * p;
    let p = 0.200_012_6 + f * p;
    let p = -0.250_008_23 + f * p;
    let p = 0.333_333_3 + f * p;
    let f2 = f * f;
    // From the least to the largest.
    let small = (f2 * f * p + k * LN_2_LOW) - 0.5 * f2;
    (f + small) + k * LN_2_HIGH
}

/// Returns the natural logarithm of `x`. Error at most 1.01 ulp.
///
/// -infinity for 0 and -0, infinity for infinity; NaN for negative numbers and NaN.
#[inline]
pub fn ln(x: f32) -> f32 {
    let denormal = x < f32::MIN_POSITIVE;
    let (m, k) = split(if denormal { x * 8_388_608.0 } else { x });
    let y = sum_of_logarithms(m - 1.0, if denormal { k - 23 } else { k });
    if x > 0.0 && x < f32::INFINITY {
        y
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        f32::NAN
    }
}

/// Returns ln(1 + x), accurate also for small `x`. Error at most 1.52 ulp.
///
/// -infinity for -1, infinity for infinity; x for 0, -0 and denormals; NaN below -1 and for NaN.
#[inline]
pub fn ln_1p(x: f32) -> f32 {
    let u = 1.0 + x;
    // What rounding took from the sum, exactly. It goes to m - 1, which is where it counts.
    let lost = x - (u - 1.0);
    let (m, k) = split(u);
    let f = (m - 1.0) + lost * power_of_two(-k.min(127));
    let y = sum_of_logarithms(f, k);
    if x == 0.0 {
        x
    } else if x > -1.0 && x < f32::INFINITY {
        y
    } else if x == -1.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        f32::NAN
    }
}
