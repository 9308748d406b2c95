//! Circle functions: those of [`raywarp_sample::elementary`], a number a lane.

use raywarp_lanes::{Vector, Words};
use std::f32::consts::{FRAC_PI_2, PI};

/// Remainder of pi, and of pi / 2, beyond their `f32` values.
const PI_REST: f32 = -8.742_278e-8;
const FRAC_PI_2_REST: f32 = -4.371_139e-8;

/// Returns the angle of the point (`x`, `y`) in each lane, with the bits of [`raywarp_sample::elementary::atan2`].
#[inline(always)]
pub(super) fn atan2<V: Vector<N>, const N: usize>(y: V, x: V) -> V {
    let set = x.set();
    let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ay.gt(ax);
    let (small, large) = (V::select(steep, ax, ay), V::select(steep, ay, ax));
    let equal = V::select(large.eq(zero), zero, one);
    let a = V::select(small.eq(large), equal, small / large);
    let t = a * a;
    let p = V::splat(set, 0.010_949_335) + t * V::splat(set, -0.001_805_841_8);
    let p = V::splat(set, -0.031_207_586) + t * p;
    let p = V::splat(set, 0.057_956_368) + t * p;
    let p = V::splat(set, -0.084_019_18) + t * p;
    let p = V::splat(set, 0.109_513_18) + t * p;
    let p = V::splat(set, -0.142_640_43) + t * p;
    let p = V::splat(set, 0.199_985_3) + t * p;
    let p = V::splat(set, -0.333_332_99) + t * p;
    let octant = a + a * (t * p);
    let sign = V::Words::splat(set, 1 << 31);
    let behind = (x.to_bits() & sign).eq(sign);
    let base = V::select(steep, V::splat(set, FRAC_PI_2), V::select(behind, V::splat(set, PI), zero));
    let rest = V::select(steep, V::splat(set, FRAC_PI_2_REST), V::select(behind, V::splat(set, PI_REST), zero));
    let angle = base + (rest + V::select(steep ^ behind, -octant, octant));
    V::from_bits(angle.to_bits() ^ (y.to_bits() & sign))
}

/// Returns the arc cosine of each lane, with the bits of [`raywarp_sample::elementary::acos`].
#[inline(always)]
pub(super) fn acos<V: Vector<N>, const N: usize>(x: V) -> V {
    let set = x.set();
    let (half, one, two) = (V::splat(set, 0.5), V::splat(set, 1.0), V::splat(set, 2.0));
    let outer = x.abs().gt(half);
    let t = V::select(outer, half * (one - x.abs()), x * x);
    let s = V::select(outer, t.sqrt(), x);
    let p = V::splat(set, 0.024_184_743) + t * V::splat(set, 0.042_158_388);
    let p = V::splat(set, 0.045_469_154) + t * p;
    let p = V::splat(set, 0.074_953_094) + t * p;
    let p = V::splat(set, 0.166_667_52) + t * p;
    let arc = s + s * (t * p);
    let inner = V::splat(set, FRAC_PI_2) + (V::splat(set, FRAC_PI_2_REST) - arc);
    let below = V::splat(set, PI) + (V::splat(set, PI_REST) - two * arc);
    let beyond = V::select(x.gt(V::splat(set, 0.0)), two * arc, below);
    V::select(outer, beyond, inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_lanes::{InstructionSet, Isa, Task};
    use raywarp_sample::elementary;

    /// Test task that computes both functions of two numbers in vectors of eight lanes.
    struct Angles(f32, f32);

    impl Task for Angles {
        type Output = [f32; 2];

        #[inline(always)]
        fn run<S: InstructionSet>(self, set: S) -> [f32; 2] {
            let (y, x) = (S::F8::splat(set, self.0), S::F8::splat(set, self.1));
            [atan2(y, x).store()[5], acos(x).store()[5]]
        }
    }

    #[test]
    fn angles_are_those_of_one_number() {
        let random = |i: u32| raywarp_sample::hash::to_unit(raywarp_sample::hash::pcg(i));
        let odd = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e-30, -1e-30, 1e-42, 1e30, f32::INFINITY, f32::NEG_INFINITY];
        let pairs = odd.iter().flat_map(|&y| odd.map(|x| (y, x)));
        let more = (0..3000).map(|i| (2.0 * random(3 * i) - 1.0, (2.0 * random(3 * i + 1) - 1.0) * random(i)));
        for (y, x) in pairs.chain(more) {
            let expected = [elementary::atan2(y, x), elementary::acos(x)];
            for isa in Isa::all() {
                for (got, expected) in isa.run(Angles(y, x)).into_iter().zip(expected) {
                    let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
                    assert!(same, "{isa}, {y:e}, {x:e}: {got:e} for {expected:e}");
                }
            }
        }
    }
}
