//! Boxes on a grid of 8 bits: the step, and planes that never cut anything off.
//!
//! Source: YKL17 3.1. Their formulas divide and round in floating point; here every comparison is
//! exact, so that a decoded box holds the true one however far the origin and however small the step.

/// Biased exponent of 2^23: a float with this exponent and a byte in its lowest bits, minus 2^23, is the byte.
pub(crate) const BYTE_EXPONENT: u32 = 127 + 23;

/// Largest biased exponent of a grid step that the range of f32 needs: 255 * 2^(249 - 127) exceeds 2^129.
pub(crate) const MAX_EXPONENT: u8 = 249;

/// Quantised boxes of a node of `N` slots along one axis, as in the fields of [`Cwbvh8Node`](crate::Cwbvh8Node).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GridAxis<const N: usize> {
    pub origin: f32,
    pub exponent: u8,
    pub lo: [u8; N],
    pub hi: [u8; N],
}

/// Returns the grid step with a biased exponent of 1 to 254: a power of two, normal and finite.
#[inline]
pub(crate) fn step(exponent: u8) -> f32 {
    f32::from_bits(u32::from(exponent) << 23)
}

/// Returns the coordinate of plane `q` of a grid along one axis. The product is exact below 2^128, so that a fused
/// multiply-add gives the same bits; above, an upper plane may be infinite in one of them, which is as good.
#[inline]
pub(crate) fn plane(origin: f32, exponent: u8, q: u8) -> f32 {
    origin + f32::from(q) * step(exponent)
}

/// Quantises the finite intervals `[min, max]` of the used slots, at least one, on the finest grid that holds them.
///
/// For a used slot `origin + lo * step <= min` and `max <= origin + hi * step` with the tightest such
/// `lo` and `hi`, in real numbers; hence also in f32, plain or fused, since rounding keeps order.
pub(crate) fn quantize<const N: usize>(spans: &[Option<[f32; 2]>; N]) -> GridAxis<N> {
    let origin = spans.iter().flatten().fold(f32::INFINITY, |least, span| least.min(span[0]));
    let end = spans.iter().flatten().fold(f32::NEG_INFINITY, |most, span| most.max(span[1]));
    let exponent = finest_exponent(&Offset::new(end, origin));
    let step = f64::from(step(exponent));
    let mut axis = GridAxis { origin, exponent, lo: [255; N], hi: [0; N] };
    for (slot, span) in spans.iter().enumerate() {
        let Some([min, max]) = *span else { continue };
        axis.lo[slot] = Offset::new(min, origin).steps_below(step);
        // The exponent was chosen so that the farthest of them fits.
        axis.hi[slot] = Offset::new(max, origin).steps_above(step).unwrap_or(255);
    }
    axis
}

/// Returns the least biased exponent with which 255 grid steps reach `end`.
fn finest_exponent(end: &Offset) -> u8 {
    // Rounded down, so that the search begins at or below the answer.
    let power = ((end.rounded / 255.0).to_bits() >> 52) as i32 - 1023;
    let first = (power + 127).clamp(1, i32::from(MAX_EXPONENT)) as u8;
    let reaches = |e: u8| end.steps_above(f64::from(step(e))).is_some();
    (first..MAX_EXPONENT).find(|&e| reaches(e)).unwrap_or(MAX_EXPONENT)
}

/// Exact distance of a coordinate above the grid's origin: the sum `rounded + error`.
struct Offset {
    /// Distance rounded to f64; at least 0.
    rounded: f64,
    /// Exact rounding error of `rounded`, at most half an ulp of it.
    error: f64,
}

impl Offset {
    /// Returns the exact distance `x - origin`, with `x >= origin`.
    fn new(x: f32, origin: f32) -> Self {
        let (a, b) = (f64::from(x), f64::from(origin));
        let rounded = a - b;
        // Knuth's TwoSum: the error of a floating-point sum is itself a number of the same kind.
        let b_part = a - rounded;
        let error = (a - (rounded + b_part)) + (b_part - b);
        Self { rounded, error }
    }

    /// Returns `true` if the distance is at least `x`. An `x` other than `rounded` is on the same side of both.
    fn at_least(&self, x: f64) -> bool {
        self.rounded > x || (self.rounded == x && self.error >= 0.0)
    }

    /// Returns the largest number of grid steps, up to 255, that does not exceed the distance.
    fn steps_below(&self, step: f64) -> u8 {
        let fits = |q: u8| {
            let x = f64::from(q) * step;
            self.at_least(x) && x <= f64::from(f32::MAX)
        };
        // The quotient by a power of two is exact but for what `error` holds; the cast takes the floor.
        let mut q = (self.rounded / step) as u8;
        while q > 0 && !fits(q) {
            q -= 1;
        }
        q
    }

    /// Returns the smallest number of grid steps that reaches the distance, or `None` if 255 do not.
    fn steps_above(&self, step: f64) -> Option<u8> {
        let first = (self.rounded / step) as u8;
        // The floor of a number reaches it, or the next does, or the error asks for one more.
        (first..=255).take(3).find(|&q| {
            let x = f64::from(q) * step;
            x > self.rounded || (x == self.rounded && self.error <= 0.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: usize = 8;

    /// Checks everything that must hold of quantised intervals, in the arithmetic of the kernels.
    #[track_caller]
    fn check(spans: &[Option<[f32; 2]>; SLOTS]) {
        let axis = quantize(spans);
        assert!((1..=MAX_EXPONENT).contains(&axis.exponent), "{axis:?}");
        let step = f32::from_bits(u32::from(axis.exponent) << 23);
        assert!(step.is_normal());
        for (slot, span) in spans.iter().enumerate() {
            let Some([min, max]) = *span else {
                assert_eq!((axis.lo[slot], axis.hi[slot]), (255, 0));
                continue;
            };
            let (lo, hi) = (f32::from(axis.lo[slot]), f32::from(axis.hi[slot]));
            let planes = [
                [axis.origin + lo * step, axis.origin + hi * step],
                [lo.mul_add(step, axis.origin), hi.mul_add(step, axis.origin)],
            ];
            for plane in planes {
                assert!(plane[0] <= min && max <= plane[1], "{plane:?} does not hold {min:e} {max:e}: {axis:?}");
            }
        }
    }

    fn random(seed: u64) -> impl FnMut() -> u32 {
        let mut random = raywarp_testing::Random::new(seed);
        move || random.word()
    }

    /// Returns up to eight intervals whose ends `number` draws.
    fn spans(next: &mut impl FnMut() -> u32, mut number: impl FnMut(u32) -> f32) -> [Option<[f32; 2]>; SLOTS] {
        let used = next() | 1 << (next() % 8);
        std::array::from_fn(|slot| {
            let (a, b) = (number(next()), number(next()));
            (used >> slot & 1 != 0).then(|| [a.min(b), a.max(b)])
        })
    }

    #[test]
    fn any_finite_intervals_are_held() {
        let mut next = random(1);
        for _ in 0..40_000 {
            // Any bits at all: every exponent, denormals among them.
            let any = spans(&mut next, |bits| {
                f32::from_bits(if bits & 0x7f80_0000 == 0x7f80_0000 { bits >> 2 } else { bits })
            });
            check(&any);
        }
    }

    #[test]
    fn small_extents_far_from_zero_and_far_beside_small_are_held() {
        let mut next = random(2);
        for round in 0..40_000 {
            let origin = f32::from_bits((next() % 0x7f00_0000) | (next() & 1 << 31));
            // A few to many ulps of the origin.
            let ulps = 1 << (round % 31);
            let near = spans(&mut next, |bits| {
                let moved = f32::from_bits(origin.to_bits().wrapping_add(bits % ulps));
                if moved.is_finite() { moved } else { origin }
            });
            check(&near);
            let power = (next() % 250) as i32 - 148;
            let scaled = spans(&mut next, |bits| {
                let x = origin + (f64::from(bits as i32) * 2f64.powi(power - 31)) as f32;
                if x.is_finite() { x } else { origin }
            });
            check(&scaled);
        }
    }

    #[test]
    fn every_pair_of_nasty_numbers_is_held() {
        let (tiny, huge) = (f32::from_bits(1), f32::MAX);
        let mut numbers =
            vec![0.0, -0.0, tiny, f32::MIN_POSITIVE, 1e-30, 1.0, 1.0f32.next_up(), 255.0, 256.0, 1e30, 2e38];
        numbers.extend([
            huge,
            huge.next_down(),
            8388608.0,
            16777216.0,
            1.0 / 3.0,
            2f32.powi(119),
            255.0 * 2f32.powi(120),
        ]);
        numbers.extend(numbers.clone().iter().map(|x: &f32| -x));
        for &a in &numbers {
            for &b in &numbers {
                for &c in &numbers {
                    let mut nasty = [None; SLOTS];
                    (nasty[1], nasty[6]) = (Some([a.min(b), a.max(b)]), Some([c, c]));
                    check(&nasty);
                }
            }
        }
    }

    #[test]
    fn a_flat_axis_has_exact_planes() {
        for x in [0.0, 3.7, -1e30, 1e-42, f32::MAX] {
            let axis = quantize(&[Some([x, x]); SLOTS]);
            assert_eq!((axis.origin, axis.exponent, axis.lo, axis.hi), (x, 1, [0; SLOTS], [0; SLOTS]));
        }
    }

    /// Returns a float as an exact multiple of 2^-80, for exponents of -40 to 40, with which results are compared.
    fn fixed(x: f32) -> i128 {
        (f64::from(x) * 2f64.powi(80)) as i128
    }

    #[test]
    fn planes_and_step_are_the_tightest_in_exact_arithmetic() {
        let mut next = random(3);
        for round in 0..40_000 {
            let spread = 1 + round % 80;
            let spans = spans(&mut next, |bits| {
                let exponent = 127 - 40 + (bits >> 8) % spread;
                f32::from_bits(bits & 0x8000_00ff | (bits & 0x7fff) << 8 & 0x007f_ff00 | exponent << 23)
            });
            let axis = quantize(&spans);
            let step = fixed(f32::from_bits(u32::from(axis.exponent) << 23));
            assert!(step > 0);
            let (mut least, mut reach) = (i128::MAX, 0);
            for (slot, span) in spans.iter().enumerate() {
                let Some(span) = span else { continue };
                let [min, max] = span.map(|x| fixed(x) - fixed(axis.origin));
                let (lo, hi) = (i128::from(axis.lo[slot]), i128::from(axis.hi[slot]));
                assert!(lo * step <= min && min < (lo + 1) * step, "{span:?} {axis:?}");
                assert!(hi * step >= max && max > (hi - 1) * step, "{span:?} {axis:?}");
                (least, reach) = (least.min(min), reach.max(max));
            }
            assert_eq!(least, 0);
            assert!(reach > 255 * step / 2 || axis.exponent == 1, "a finer step would do: {spans:?} {axis:?}");
        }
    }
}
