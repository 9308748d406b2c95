//! Distances by which rounding may carry an engine from the exact answer.

/// Unit roundoff of f32.
const ROUNDOFF: f64 = 1.0 / (1 << 24) as f64;

/// Amount of rounding error that a tracer's triangle test is allowed.
///
/// Distances from edges are measured across the ray, in the plane of the two axes that the watertight
/// test shears into (at most 1.8 times the perpendicular distance).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tolerance {
    /// Tolerance of no rounding: for rays whose arithmetic is exact in f32, such as those along axes through small
    /// whole numbers. Edges, `t_min` and `t_max` count as hit.
    Exact,
    /// Tolerance of the watertight test's rounding (Woop, Benthin, Wald 2013).
    ///
    /// - Edges: 8 roundoffs of M, the largest coordinate difference between the ray's origin and a
    ///   corner, for that is what a sheared corner loses to six roundings.
    /// - t: its first-order error bound. With `e` the error of an edge function (that of the corners,
    ///   times their distances from the ray, plus the products' rounding), t is off by the sum of
    ///   `e * |t_corner - t|` over the doubled area across the ray, and 6 roundoffs of the farthest corner's
    ///   t. Never out of the range of the corners' t by more than the latter.
    Watertight,
    /// Tolerance of fast tests' rounding, which precompute or subtract first (Woop's unit triangle, Moeller and
    /// Trumbore).
    ///
    /// - Edges: 16 roundoffs of the largest coordinate of origin and corners or their difference,
    ///   divided by the cosine between ray and normal, in the triangle's plane.
    /// - t: 16 such roundoffs, divided by that cosine and by the sine of the triangle's sharpest corner.
    Fast,
}

impl Tolerance {
    /// All tolerances, the strictest first.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Watertight, Self::Fast];

    /// Relative difference of t that counts as agreement even where rounding allows less.
    pub const RELATIVE_T: f64 = 1e-5;

    /// Returns the index of this tolerance in arrays with an entry for each.
    pub(super) fn index(self) -> usize {
        self as usize
    }

    /// Returns the largest distance by which rounding may move a corner across the ray. `near` is the largest
    /// coordinate difference from the origin, `far` that or the largest coordinate.
    pub(super) fn margin(self, near: f64, far: f64) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Watertight => 8.0 * ROUNDOFF * near,
            Self::Fast => 16.0 * ROUNDOFF * far,
        }
    }

    /// Returns [`Tolerance::RELATIVE_T`], or 0 for [`Tolerance::Exact`].
    pub(super) fn relative_t(self) -> f64 {
        if self == Self::Exact { 0.0 } else { Self::RELATIVE_T }
    }

    /// Relative error bound of a product of f32 numbers and of the sum it goes into: 2 roundoffs.
    pub(super) const PRODUCT: f64 = 2.0 * ROUNDOFF;
    /// Relative error bound of a weighted sum of the corners' t: 6 roundoffs.
    pub(super) const SUM: f64 = 6.0 * ROUNDOFF;
}
