//! Boxes on a grid of 8 bits: the step, and planes that never cut anything off.
//!
//! Source: YKL17 3.1. Their formulas divide and round in floating point; here every comparison is
//! exact, so that a decoded box holds the true one however far the origin and however small the step.

use super::node::SLOTS;

/// The largest exponent byte that the range of f32 needs: 255 * 2^(249 - 127) exceeds 2^129.
pub(crate) const MAX_EXPONENT: u8 = 249;

/// One axis of a node: see the fields of the same name of [`super::Cwbvh8Node`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GridAxis {
    pub origin: f32,
    pub exponent: u8,
    pub lo: [u8; SLOTS],
    pub hi: [u8; SLOTS],
}

/// Puts the finite intervals `[min, max]` of the used slots, at least one, on the finest grid that holds them.
///
/// For a used slot `origin + lo * step <= min` and `max <= origin + hi * step` with the tightest such
/// `lo` and `hi`, in real numbers; hence also in f32, plain or fused, since rounding keeps order.
pub(crate) fn quantize(spans: &[Option<[f32; 2]>; SLOTS]) -> GridAxis {
    let origin = spans.iter().flatten().fold(f32::INFINITY, |least, span| least.min(span[0]));
    let end = spans.iter().flatten().fold(f32::NEG_INFINITY, |most, span| most.max(span[1]));
    let exponent = finest_exponent(&Offset::new(end, origin));
    let step = f64::from(f32::from_bits(u32::from(exponent) << 23));
    let mut axis = GridAxis { origin, exponent, lo: [255; SLOTS], hi: [0; SLOTS] };
    for (slot, span) in spans.iter().enumerate() {
        let Some([min, max]) = *span else { continue };
        axis.lo[slot] = Offset::new(min, origin).steps_below(step);
        // The exponent was chosen so that the farthest of them fits.
        axis.hi[slot] = Offset::new(max, origin).steps_above(step).unwrap_or(255);
    }
    axis
}

/// The least exponent byte whose 255 steps reach `end`.
fn finest_exponent(end: &Offset) -> u8 {
    // Rounded down, so that the search begins at or below the answer.
    let power = ((end.rounded / 255.0).to_bits() >> 52) as i32 - 1023;
    let first = (power + 127).clamp(1, i32::from(MAX_EXPONENT)) as u8;
    let reaches = |e: u8| end.steps_above(f64::from(f32::from_bits(u32::from(e) << 23))).is_some();
    (first..MAX_EXPONENT).find(|&e| reaches(e)).unwrap_or(MAX_EXPONENT)
}

/// How far a coordinate lies above the origin, exactly: `rounded + error`.
struct Offset {
    /// The difference rounded to f64; at least 0.
    rounded: f64,
    /// What rounding took: at most half an ulp of `rounded`.
    error: f64,
}

impl Offset {
    /// `x - origin`, with `x >= origin`.
    fn new(x: f32, origin: f32) -> Self {
        let (a, b) = (f64::from(x), f64::from(origin));
        let rounded = a - b;
        // Knuth's TwoSum: the error of a floating-point sum is itself a number of the same kind.
        let b_part = a - rounded;
        let error = (a - (rounded + b_part)) + (b_part - b);
        Self { rounded, error }
    }

    /// Whether it is at least `x`. An `x` other than `rounded` is on the same side of both.
    fn at_least(&self, x: f64) -> bool {
        self.rounded > x || (self.rounded == x && self.error >= 0.0)
    }

    /// The most steps, up to 255, that do not exceed it and that f32 holds.
    fn steps_below(&self, step: f64) -> u8 {
        let fits = |q: f64| self.at_least(q * step) && q * step <= f64::from(f32::MAX);
        // Off by one at most: a quotient by a power of two is exact but for what `error` holds.
        let mut q = (self.rounded / step).floor().clamp(0.0, 255.0);
        while q > 0.0 && !fits(q) {
            q -= 1.0;
        }
        q as u8
    }

    /// The fewest steps that reach it, or `None` if 255 do not.
    fn steps_above(&self, step: f64) -> Option<u8> {
        let reaches = |q: f64| q * step > self.rounded || (q * step == self.rounded && self.error <= 0.0);
        let mut q = (self.rounded / step).ceil();
        if !reaches(q) {
            q += 1.0;
        }
        (q <= 255.0).then_some(q as u8)
    }
}
