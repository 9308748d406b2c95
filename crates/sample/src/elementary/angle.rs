//! Sine and cosine, and the angles of points and of cosines.

use super::nearest;
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, PI};

/// Rounding errors of the `f32` values of pi and pi / 2: the exact values minus the rounded ones.
const PI_REST: f32 = -8.742_278e-8;
const FRAC_PI_2_REST: f32 = -4.371_139e-8;

/// Returns the sine and cosine of `x` in `-pi/4 ..= pi/4`, to about 1e-7: Taylor polynomials, whose next terms are
/// below half an ulp of 1 there.
#[inline]
pub(crate) fn sin_cos_octant(x: f32) -> (f32, f32) {
    let y = x * x;
    let sin = x + x * y * (-1.0 / 6.0 + y * (1.0 / 120.0 + y * (-1.0 / 5040.0 + y * (1.0 / 362_880.0))));
    let cos = 1.0 + y * (-0.5 + y * (1.0 / 24.0 + y * (-1.0 / 720.0 + y * (1.0 / 40_320.0))));
    (sin, cos)
}

/// Returns the sine and cosine of `x` radians, for `x` in `-4 pi ..= 4 pi`. Absolute error at most 1.1e-7.
///
/// (0, 1) for 0 and -0, NaN for infinities and NaN. Beyond the range any number may come.
/// [`sin_cos_turn`](crate::warp::sin_cos_turn) is cheaper where the angle is a share of a full turn.
#[inline]
pub fn sin_cos(x: f32) -> (f32, f32) {
    // pi / 2 in two parts. The high part has twelve bits, so its multiples are exact.
    const HIGH: f32 = 1.570_800_8;
    const LOW: f32 = -4.454_455e-6;
    let (quarters, n) = nearest(x * FRAC_2_PI);
    let (s, c) = sin_cos_octant((x - quarters * HIGH) - quarters * LOW);
    let (sin, cos) = if n & 1 == 0 { (s, c) } else { (c, s) };
    (if n & 2 == 0 { sin } else { -sin }, if n.wrapping_add(1) & 2 == 0 { cos } else { -cos })
}

/// Returns the angle of the point (x, y) from the x axis, in `-pi ..= pi`. Error at most 1.6 ulp.
///
/// Zeros and infinities give what IEEE 754 says: 0 or pi with the sign of `y` for y = 0, by the sign
/// of `x`, and odd multiples of pi / 4 for two infinities. NaN if either is.
#[inline]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ay > ax;
    let (small, large) = if steep { (ax, ay) } else { (ay, ax) };
    let quotient = small / large;
    // 0 / 0 and infinity / infinity would be NaN.
    let equal = if large == 0.0 { 0.0 } else { 1.0 };
    let a = if small == large { equal } else { quotient };
    let t = a * a;
    let p = 0.010_949_335 + t * -0.001_805_841_8;
    let p = -0.031_207_586 + t * p;
    let p = 0.057_956_368 + t * p;
    let p = -0.084_019_18 + t * p;
    let p = 0.109_513_18 + t * p;
    let p = -0.142_640_43 + t * p;
    let p = 0.199_985_3 + t * p;
    let p = -0.333_332_99 + t * p;
    let octant = a + a * (t * p);
    // In a quadrant, the angle from the y axis turns back; behind it, the angle from the x axis does.
    let behind = x.is_sign_negative();
    let (base, rest) = if steep {
        (FRAC_PI_2, FRAC_PI_2_REST)
    } else if behind {
        (PI, PI_REST)
    } else {
        (0.0, 0.0)
    };
    let angle = base + (rest + if steep != behind { -octant } else { octant });
    if y.is_sign_negative() { -angle } else { angle }
}

/// Returns the angle in `0 ..= pi` whose cosine is `x`. Error at most 1.16 ulp, also next to 1, where the angle is
/// small.
///
/// NaN for `x` outside -1 ..= 1 and for NaN.
#[inline]
pub fn acos(x: f32) -> f32 {
    // Beyond 1/2, by half angles: cos(2 b) = 1 - 2 sin(b)^2. The difference is exact there.
    let a = x.abs();
    let outer = a > 0.5;
    let t = if outer { 0.5 * (1.0 - a) } else { x * x };
    let s = if outer { t.sqrt() } else { x };
    let p = 0.024_184_743 + t * 0.042_158_388;
    let p = 0.045_469_154 + t * p;
    let p = 0.074_953_094 + t * p;
    let p = 0.166_667_52 + t * p;
    // The arc sine of s.
    let arc = s + s * (t * p);
    if !outer {
        FRAC_PI_2 + (FRAC_PI_2_REST - arc)
    } else if x > 0.0 {
        2.0 * arc
    } else {
        PI + (PI_REST - 2.0 * arc)
    }
}
