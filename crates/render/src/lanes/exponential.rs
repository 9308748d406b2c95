//! Exponentials and a logarithm: those of [`raywarp_sample::elementary`], a number a lane.

use raywarp_lanes::{Vector, Words};
use std::f32::consts::LOG2_E;

/// Upper part of ln 2 split into two floats.
const LN_2_HIGH: f32 = 0.693_359_375;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// Exponent slightly above that at which e^x overflows.
const MOST: f32 = 89.0;

/// Shifts signed integers right by `count` bits, rounding down.
#[inline(always)]
fn shift_down<W: Words<N>, const N: usize>(x: W, count: u32) -> W {
    let set = x.set();
    (x ^ W::splat(set, 1 << 31)).shr(count) - W::splat(set, 1 << (31 - count))
}

/// Returns the integer nearest to `x`, as a float and as an integer, for `|x|` below 2^22.
#[inline(always)]
fn nearest<V: Vector<N>, const N: usize>(x: V) -> (V, V::Words) {
    let shift = V::splat(x.set(), 12_582_912.0);
    let sum = x + shift;
    (sum - shift, sum.to_bits() - shift.to_bits())
}

/// Returns 2^n as a float for n in -126 ..= 127, and 0 for n = -127.
#[inline(always)]
fn power_of_two<V: Vector<N>, const N: usize>(n: V::Words) -> V {
    V::from_bits((n + V::Words::splat(n.set(), 127)).shl(23))
}

/// Splits `x` into `r + n ln 2` with an integer n; returns `r` and `n`.
#[inline(always)]
fn reduced<V: Vector<N>, const N: usize>(x: V) -> (V, V::Words) {
    let set = x.set();
    let (whole, n) = nearest(x * V::splat(set, LOG2_E));
    ((x - whole * V::splat(set, LN_2_HIGH)) - whole * V::splat(set, LN_2_LOW), n)
}

/// Returns `e^r - 1 - r` for small `r`.
#[inline(always)]
fn tail<V: Vector<N>, const N: usize>(r: V) -> V {
    let set = r.set();
    let q = V::splat(set, 0.008_367_124) + r * V::splat(set, 0.001_383_566_6);
    let q = V::splat(set, 0.041_667_756) + r * q;
    let q = V::splat(set, 0.166_665_39) + r * q;
    let q = V::splat(set, 0.499_999_97) + r * q;
    r * r * q
}

/// Clamps `x` to at least `least` and at most [`MOST`]; NaN stays.
#[inline(always)]
fn clamped<V: Vector<N>, const N: usize>(x: V, least: f32) -> V {
    let (least, most) = (V::splat(x.set(), least), V::splat(x.set(), MOST));
    let x = V::select(x.lt(least), least, x);
    V::select(x.gt(most), most, x)
}

/// Returns e^x in each lane, with the bits of [`raywarp_sample::elementary::exp`].
#[inline(always)]
pub(super) fn exp<V: Vector<N>, const N: usize>(x: V) -> V {
    let (r, n) = reduced(clamped(x, -104.0));
    let half = shift_down(n, 1);
    (V::splat(x.set(), 1.0) + (r + tail(r))) * power_of_two(half) * power_of_two(n - half)
}

/// Returns e^x - 1 in each lane, with the bits of [`raywarp_sample::elementary::exp_m1`].
#[inline(always)]
pub(super) fn exp_m1<V: Vector<N>, const N: usize>(x: V) -> V {
    let set = x.set();
    let (r, n) = reduced(clamped(x, -18.0));
    let half: V = power_of_two(n - V::Words::splat(set, 1));
    let y = V::splat(set, 2.0) * (((half - V::splat(set, 0.5)) + half * r) + half * tail(r));
    V::select(x.abs().lt(V::splat(set, 2.9e-8)), x, y)
}

/// Returns ln(1 + x) in each lane, with the bits of [`raywarp_sample::elementary::ln_1p`].
#[inline(always)]
pub(super) fn ln_1p<V: Vector<N>, const N: usize>(x: V) -> V {
    /// Bits of the square root of 1/2 as f32, the least mantissa of the logarithm's reduced argument.
    const LEAST: u32 = 0x3f35_04f3;
    let set = x.set();
    let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
    let u = one + x;
    let lost = x - (u - one);
    let bits = u.to_bits();
    let k = shift_down(bits - V::Words::splat(set, LEAST), 23);
    let m = V::from_bits(bits - k.shl(23));
    let most = V::Words::splat(set, 127);
    let least = V::Words::splat(set, 0) - V::Words::select(most.lt_signed(k), most, k);
    let f = (m - one) + lost * power_of_two(least);
    let y = sum_of_logarithms(f, V::from_i32(k));
    let (inside, endless) = (x.gt(-one) & x.lt(V::splat(set, f32::INFINITY)), V::splat(set, f32::NEG_INFINITY));
    // Beyond, infinity stays, and what is left has no logarithm.
    let beyond = V::select(x.gt(zero), x, V::splat(set, f32::NAN));
    let beyond = V::select(x.eq(-one), endless, beyond);
    V::select(x.eq(zero), x, V::select(inside, y, beyond))
}

/// Returns `ln(1 + f) + k ln 2` in each lane.
#[inline(always)]
fn sum_of_logarithms<V: Vector<N>, const N: usize>(f: V, k: V) -> V {
    let set = f.set();
    let p = V::splat(set, 0.127_845_88) + f * V::splat(set, -0.076_753_27);
    let p = V::splat(set, -0.131_613_45) + f * p;
    let p = V::splat(set, 0.142_009_23) + f * p;
    let p = V::splat(set, -0.166_232_3) + f * p;
    let p = V::splat(set, 0.200_012_6) + f * p;
    let p = V::splat(set, -0.250_008_23) + f * p;
    let p = V::splat(set, 0.333_333_3) + f * p;
    let f2 = f * f;
    let small = (f2 * f * p + k * V::splat(set, LN_2_LOW)) - V::splat(set, 0.5) * f2;
    (f + small) + k * V::splat(set, LN_2_HIGH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_lanes::{InstructionSet, Isa, Task};
    use raywarp_sample::elementary;

    /// Test task that computes the functions of a number in vectors of eight lanes.
    struct Of(f32);

    impl Task for Of {
        type Output = [f32; 3];

        #[inline(always)]
        fn run<S: InstructionSet>(self, set: S) -> [f32; 3] {
            let x = S::F8::splat(set, self.0);
            [exp(x).store()[3], exp_m1(x).store()[3], ln_1p(x).store()[3]]
        }
    }

    #[test]
    fn exponentials_and_logarithms_are_those_of_one_number() {
        let random = |i: u32| raywarp_sample::hash::to_unit(raywarp_sample::hash::pcg(i));
        let odd = [0.0, 1.0, 0.5, 1e-30, 1e-42, 2.9e-8, 18.0, 88.8, 89.0, 104.0, 1e30, f32::MAX, f32::INFINITY];
        let odd = odd.into_iter().flat_map(|x| [x, -x]).chain([f32::NAN]);
        let bits = (0..100_000).map(|i| f32::from_bits(raywarp_sample::hash::pcg(i)));
        let usual = (0..100_000).flat_map(|i| [-random(i), 200.0 * random(i) - 110.0]);
        for x in odd.chain(bits).chain(usual) {
            let expected = [elementary::exp(x), elementary::exp_m1(x), elementary::ln_1p(x)];
            for isa in Isa::all() {
                for (got, expected) in isa.run(Of(x)).into_iter().zip(expected) {
                    let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
                    assert!(same, "{isa}, {x:e}: {got:e} for {expected:e}");
                }
            }
        }
    }
}
