//! e^x and e^x - 1.

use super::{LN_2_HIGH, LN_2_LOW, nearest, power_of_two};
use std::f32::consts::LOG2_E;

/// Argument of `exp` a little beyond the one at which e^x overflows.
const MOST: f32 = 89.0;

/// Splits `x`, of magnitude at most 104, into a remainder `r` in about -0.347 ..= 0.347 and an integer `n` with
/// `x = r + n ln 2`.
#[inline]
fn reduced(x: f32) -> (f32, i32) {
    let (whole, n) = nearest(x * LOG2_E);
    ((x - whole * LN_2_HIGH) - whole * LN_2_LOW, n)
}

/// Returns `e^r - 1 - r` for a remainder `r` from [`reduced`].
#[inline]
fn tail(r: f32) -> f32 {
    let q = 0.008_367_124 + r * 0.001_383_566_6;
    let q = 0.041_667_756 + r * q;
    let q = 0.166_665_39 + r * q;
    let q = 0.499_999_97 + r * q;
    r * r * q
}

/// Returns e^x, with the same bits on every machine. Error at most 1.01 ulp.
///
/// 0 below about -103.97, infinity above about 88.72; NaN for NaN.
#[inline]
pub fn exp(x: f32) -> f32 {
    let x = if x < -104.0 { -104.0 } else { x };
    let x = if x > MOST { MOST } else { x };
    let (r, n) = reduced(x);
    // Two factors: 2^n alone may be denormal or infinite where the result is neither. The first
    // product is exact, so a denormal result is rounded once.
    let half = n >> 1;
    (1.0 + (r + tail(r))) * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// Returns e^x - 1, accurate also for small `x`. Error at most 1.32 ulp.
///
/// -1 below about -17.33, infinity above about 88.72; x for 0, -0 and denormals; NaN for NaN.
#[inline]
pub fn exp_m1(x: f32) -> f32 {
    let inner = if x < -18.0 { -18.0 } else { x };
    let inner = if inner > MOST { MOST } else { inner };
    let (r, n) = reduced(inner);
    // Half of the result, since 2^n may be 2^128. `half - 0.5` and `half * r` add up with little
    // error wherever they cancel; the tail is small.
    let half = power_of_two(n.wrapping_sub(1));
    let y = 2.0 * (((half - 0.5) + half * r) + half * tail(r));
    // x^2 / 2 is less than half an ulp of so small an x.
    if x.abs() < 2.9e-8 { x } else { y }
}
