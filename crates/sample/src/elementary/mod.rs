//! Exponential, logarithm and circle functions of `f32` with the same bits on every machine.
//!
//! A platform's math library rounds these functions as it likes, so a picture made with it differs
//! between machines. The functions here are made of operations that IEEE 754 rounds exactly (`+`, `-`,
//! `*`, `/`, square root), of comparisons and of integer operations. Each product and each sum is
//! rounded by itself: no fused multiply-add, so a CUDA kernel compiled with `-fmad=false` and a SIMD
//! kernel with a number a lane give the same bits. Choices are between two values that are both
//! cheap, for the same reason.
//!
//! The polynomials are minimax fits of relative error, found with the Remez exchange at 120 bits.
//! Their coefficients were rounded to `f32` one after another, from the lowest power on; after each
//! the remaining ones were fitted again.
//!
//! Errors in the comments are in ulp: units in the last place of the exact result. They are the
//! largest that a sweep over every `f32` of the domain found, rounded up.

mod angle;
mod exponential;
mod logarithm;
#[cfg(test)]
mod tests;

pub(crate) use angle::sin_cos_octant;
pub use angle::{acos, atan2, sin_cos};
pub use exponential::{exp, exp_m1};
pub use logarithm::{ln, ln_1p};

/// Upper part of ln 2 in ten bits, so that its product with an exponent is exact; the lower part follows.
const LN_2_HIGH: f32 = 0.693_359_375;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// Rounds `x`, of magnitude below 2^22, to the nearest integer, and returns it as a float and as an integer.
#[inline]
fn nearest(x: f32) -> (f32, i32) {
    // Next to 1.5 * 2^23 floats are one apart, so this sum rounds to an integer, which its low bits hold.
    const SHIFT: f32 = 12_582_912.0;
    let sum = x + SHIFT;
    (sum - SHIFT, (sum.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32))
}

/// Returns 2^n for an integer `n` in -126 ..= 127, and 0 for n = -127. Other n give some number; none panics.
#[inline]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}
