//! Pixel filters by importance sampling: a sample is moved by a random offset instead of being
//! spread over several pixels, so pixels stay independent (Ernst, Stamminger and Greiner 2006).

use raywarp_sample::elementary::exp;
use raywarp_scene::FilterKind;

/// Number of cells of a tabulated filter along an axis; fine enough that its steps cannot be seen.
const CELLS: usize = 128;

/// Separable pixel filter, prepared for sampling.
#[derive(Debug, Clone)]
pub enum PixelFilter {
    /// Box filter: all offsets within the radius are equally likely.
    Box {
        /// Half the box's width, in pixels.
        radius: f32,
    },
    /// Filter of any other kind, sampled by a table of its density.
    Table(Box<FilterDensity>),
}

/// Table of |f| of a filter f along one axis, as a piecewise constant density over `-radius ..= radius`.
#[derive(Debug, Clone)]
pub struct FilterDensity {
    radius: f32,
    cdf: [f32; CELLS + 1],
    negative: [bool; CELLS],
    /// Integral of |f| over the integral of f: 1 for filters without negative lobes.
    weight: f32,
}

/// Pixel filter as plain numbers, for devices.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterTable {
    /// Largest offset along x and y, in pixels.
    pub radius: f32,
    /// Density table of the filter; empty for a box. Else, along one axis, 129 cumulative probabilities of 128 cells of
    /// equal width from `-radius` to `radius`, and then the weight of a sample in each cell.
    pub numbers: Vec<f32>,
}

impl FilterTable {
    /// Makes the plain table of a filter of this kind.
    pub fn new(kind: FilterKind) -> Self {
        PixelFilter::new(kind).numbers()
    }
}

impl PixelFilter {
    /// Prepares a filter of this kind for sampling.
    pub fn new(kind: FilterKind) -> Self {
        match kind {
            FilterKind::Box { radius } => Self::Box { radius },
            FilterKind::Triangle { radius } => Self::tabulate(radius, |x| (radius - x.abs()).max(0.0)),
            FilterKind::Gaussian { radius, sigma } => {
                let g = |x: f32| exp(-x * x / (2.0 * sigma * sigma));
                Self::tabulate(radius, |x| (g(x) - g(radius)).max(0.0))
            }
            FilterKind::Mitchell { radius, b, c } => Self::tabulate(radius, |x| mitchell(2.0 * x / radius, b, c)),
        }
    }

    fn tabulate(radius: f32, f: impl Fn(f32) -> f32) -> Self {
        let value = |i: usize| f(((i as f32 + 0.5) / CELLS as f32 * 2.0 - 1.0) * radius);
        let mut cdf = [0.0; CELLS + 1];
        let mut signed = 0.0;
        for i in 0..CELLS {
            cdf[i + 1] = cdf[i] + value(i).abs();
            signed += value(i);
        }
        let total = cdf[CELLS];
        if !(total > 0.0 && signed > 0.0 && total.is_finite()) {
            return Self::Box { radius: 0.5 };
        }
        cdf.iter_mut().for_each(|c| *c /= total);
        let negative = std::array::from_fn(|i| value(i) < 0.0);
        Self::Table(Box::new(FilterDensity { radius, cdf, negative, weight: total / signed }))
    }

    pub(crate) fn numbers(&self) -> FilterTable {
        match self {
            Self::Box { radius } => FilterTable { radius: *radius, numbers: vec![] },
            Self::Table(table) => {
                let weights = (0..CELLS).map(|cell| table.weight(cell));
                FilterTable { radius: table.radius, numbers: table.cdf.into_iter().chain(weights).collect() }
            }
        }
    }

    /// Samples an offset from the pixel's centre, in pixels, and returns it with the sample's weight.
    pub fn sample(&self, u: [f32; 2]) -> ([f32; 2], f32) {
        match self {
            Self::Box { radius } => (u.map(|u| (2.0 * u - 1.0) * radius), 1.0),
            Self::Table(table) => {
                let [(x, wx), (y, wy)] = u.map(|u| table.sample(u));
                ([x, y], wx * wy)
            }
        }
    }
}

impl FilterDensity {
    fn sample(&self, u: f32) -> (f32, f32) {
        let cell = self.cdf.partition_point(|&c| c <= u).clamp(1, CELLS) - 1;
        let width = self.cdf[cell + 1] - self.cdf[cell];
        let within = if width > 0.0 { (u - self.cdf[cell]) / width } else { 0.5 };
        let x = ((cell as f32 + within) / CELLS as f32 * 2.0 - 1.0) * self.radius;
        (x, self.weight(cell))
    }

    /// Returns the weight of samples in a cell of the table.
    fn weight(&self, cell: usize) -> f32 {
        if self.negative[cell] { -self.weight } else { self.weight }
    }
}

/// Evaluates the cubic filter of Mitchell and Netravali 1988 with parameters `b` and `c`, for x in -2 ..= 2.
fn mitchell(x: f32, b: f32, c: f32) -> f32 {
    let x = x.abs();
    if x > 2.0 {
        0.0
    } else if x > 1.0 {
        ((-b - 6.0 * c) * x * x * x + (6.0 * b + 30.0 * c) * x * x + (-12.0 * b - 48.0 * c) * x + (8.0 * b + 24.0 * c))
            / 6.0
    } else {
        ((12.0 - 9.0 * b - 6.0 * c) * x * x * x + (-18.0 + 12.0 * b + 6.0 * c) * x * x + (6.0 - 2.0 * b)) / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares weighted moments of sampled offsets with integrals of the filter `f`.
    fn check(kind: FilterKind, f: impl Fn(f64) -> f64, radius: f64) {
        let filter = PixelFilter::new(kind);
        let (mut w, mut x1, mut x2) = (0.0, 0.0, 0.0);
        let n = 40_000;
        for i in 0..n {
            let u = (i as f32 + 0.5) / n as f32;
            let ([x, _], weight) = filter.sample([u, 0.5]);
            // The y offset at u = 1/2 has a constant weight, which cancels in the ratios below.
            let weight = f64::from(weight);
            w += weight;
            x1 += weight * f64::from(x);
            x2 += weight * f64::from(x) * f64::from(x);
        }
        let steps = 20_000;
        let at = |i: usize| ((i as f64 + 0.5) / steps as f64 * 2.0 - 1.0) * radius;
        let total: f64 = (0..steps).map(|i| f(at(i))).sum();
        let second: f64 = (0..steps).map(|i| f(at(i)) * at(i) * at(i)).sum::<f64>() / total;
        assert!((x1 / w).abs() < 1e-3, "{kind:?}: mean {}", x1 / w);
        assert!((x2 / w - second).abs() < 2e-3 * radius * radius, "{kind:?}: {} for {second}", x2 / w);
    }

    #[test]
    fn sampled_offsets_have_the_moments_of_the_filter() {
        check(FilterKind::Box { radius: 0.5 }, |_| 1.0, 0.5);
        check(FilterKind::Triangle { radius: 2.0 }, |x| 2.0 - x.abs(), 2.0);
        let g = |x: f64| (-x * x / 0.5).exp();
        check(FilterKind::Gaussian { radius: 1.5, sigma: 0.5 }, move |x| g(x) - g(1.5), 1.5);
        check(
            FilterKind::Mitchell { radius: 2.0, b: 1.0 / 3.0, c: 1.0 / 3.0 },
            |x| f64::from(mitchell(x as f32, 1.0 / 3.0, 1.0 / 3.0)),
            2.0,
        );
    }

    #[test]
    fn the_ends_of_the_unit_interval_stay_inside() {
        let filter = PixelFilter::new(FilterKind::Triangle { radius: 1.0 });
        for u in [0.0, 0.999_999_94] {
            let ([x, y], _) = filter.sample([u, u]);
            assert!(x.abs() <= 1.0 && y.abs() <= 1.0);
        }
    }
}
