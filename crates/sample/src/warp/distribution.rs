//! Piecewise constant densities over the unit interval and the unit square.

use crate::hash::ONE_MINUS_EPSILON;

/// A piecewise constant density over `0 .. 1` with equal cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution1d {
    /// `n + 1` values from 0 to 1.
    cdf: Vec<f32>,
}

/// Writes the cumulative weights, from 0 to 1, and returns the total; nothing is written when there
/// is none. Weights that are negative or not finite count as 0.
fn accumulate(weights: &[f32], cdf: &mut Vec<f32>) -> f64 {
    let clean = |w: f32| if w > 0.0 && w.is_finite() { f64::from(w) } else { 0.0 };
    let total: f64 = weights.iter().map(|&w| clean(w)).sum();
    if total > 0.0 {
        let mut sum = 0.0;
        cdf.push(0.0);
        // Rounding down leaves no room for a value above 1 before the end.
        cdf.extend(weights.iter().map(|&w| {
            sum += clean(w);
            (sum / total).min(1.0) as f32
        }));
        // Sums in two orders may differ in the last place. The end is exact, and so are empty cells
        // at the end.
        let last = weights.iter().rposition(|&w| clean(w) > 0.0).unwrap_or(0);
        let start = cdf.len() - weights.len();
        cdf[start + last..].fill(1.0);
    }
    total
}

/// (cell, place in the cell 0 .. 1, probability of the cell) for `u` in a cumulative table.
#[inline]
fn invert(cdf: &[f32], u: f32) -> (usize, f32, f32) {
    let cells = cdf.len() - 1;
    // The last entry at or below u: an empty cell has no such u.
    let cell = cdf.partition_point(|&c| c <= u).clamp(1, cells) - 1;
    let probability = cdf[cell + 1] - cdf[cell];
    let within = ((u - cdf[cell]) / probability).min(ONE_MINUS_EPSILON);
    (cell, within, probability)
}

/// The point `within` a cell. Where rounding would put it into a neighbour, whose density may be 0, the
/// cell's centre takes its place.
#[inline]
fn place(cell: usize, within: f32, cells: usize) -> f32 {
    let at = |within: f32| (cell as f32 + within) / cells as f32;
    let x = at(within);
    if x < 1.0 && cell_of(x, cells) == cell { x } else { at(0.5) }
}

#[inline]
fn cell_of(x: f32, cells: usize) -> usize {
    // The cast takes NaN and negative numbers to cell 0.
    ((x * cells as f32) as usize).min(cells - 1)
}

impl Distribution1d {
    /// Density proportional to `weights`; `None` if no weight is positive. Negative weights and such
    /// that are not finite count as 0.
    pub fn new(weights: &[f32]) -> Option<Self> {
        let mut cdf = Vec::with_capacity(weights.len() + 1);
        (accumulate(weights, &mut cdf) > 0.0).then_some(Self { cdf })
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cdf.len() - 1
    }

    /// A place and its density.
    #[inline]
    pub fn sample(&self, u: f32) -> (f32, f32) {
        let (cell, within, probability) = invert(&self.cdf, u);
        (place(cell, within, self.cells()), probability * self.cells() as f32)
    }

    /// A cell, its probability and what is left of `u`, uniform again.
    #[inline]
    pub fn sample_cell(&self, u: f32) -> (usize, f32, f32) {
        let (cell, within, probability) = invert(&self.cdf, u);
        (cell, probability, within)
    }

    /// Density at `x`: that with which [`Distribution1d::sample`] finds it, rounding of the table
    /// included.
    #[inline]
    pub fn pdf(&self, x: f32) -> f32 {
        self.probability(cell_of(x, self.cells())) * self.cells() as f32
    }

    /// Probability of a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn probability(&self, cell: usize) -> f32 {
        self.cdf[cell + 1] - self.cdf[cell]
    }
}

/// A piecewise constant density over the unit square: a row by its weight, then a cell in the row.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution2d {
    rows: Distribution1d,
    /// `height` tables of `width + 1` values one after the other; a row without weight is uniform.
    cdf: Vec<f32>,
}

impl Distribution2d {
    /// Density proportional to `weights`, `height` rows of `width` cells; `None` if no weight is
    /// positive or there are fewer than `width * height`.
    pub fn new(weights: &[f32], width: usize, height: usize) -> Option<Self> {
        if width == 0 || weights.len() < width.checked_mul(height)? {
            return None;
        }
        let mut cdf = Vec::with_capacity((width + 1) * height);
        let mut totals = Vec::with_capacity(height);
        for row in weights.chunks_exact(width).take(height) {
            let total = accumulate(row, &mut cdf);
            if total <= 0.0 {
                cdf.extend((0..=width).map(|i| i as f32 / width as f32));
            }
            totals.push(total);
        }
        // In f32, but relative to the largest: sums of large weights may leave its range.
        let largest = totals.iter().copied().fold(0.0, f64::max);
        let totals: Vec<f32> = totals.iter().map(|&t| (t / largest) as f32).collect();
        Some(Self { rows: Distribution1d::new(&totals)?, cdf })
    }

    /// The tables, for sampling.
    #[inline]
    pub fn tables(&self) -> DensityTables<'_> {
        DensityTables { rows: &self.rows.cdf, cells: &self.cdf }
    }

    /// A point `(x, y)` and its density; the second number chooses the row.
    #[inline]
    pub fn sample(&self, u: [f32; 2]) -> ([f32; 2], f32) {
        self.tables().sample(u)
    }

    /// Density at `point`.
    #[inline]
    pub fn pdf(&self, point: [f32; 2]) -> f32 {
        self.tables().pdf(point)
    }
}

/// The tables of a [`Distribution2d`], wherever they lie.
#[derive(Debug, Clone, Copy)]
pub struct DensityTables<'t> {
    /// Cumulative probability of the rows: one more than there are rows.
    pub rows: &'t [f32],
    /// Cumulative probability in each row, one more than there are cells in it, row by row.
    pub cells: &'t [f32],
}

impl<'t> DensityTables<'t> {
    #[inline]
    fn height(&self) -> usize {
        self.rows.len() - 1
    }

    #[inline]
    fn width(&self) -> usize {
        self.cells.len() / self.height() - 1
    }

    #[inline]
    fn row(&self, y: usize, width: usize) -> &'t [f32] {
        &self.cells[y * (width + 1)..(y + 1) * (width + 1)]
    }

    /// A point `(x, y)` and its density; the second number chooses the row.
    ///
    /// # Panics
    /// If there are no rows, or cells of another number than rows have.
    #[inline]
    pub fn sample(&self, u: [f32; 2]) -> ([f32; 2], f32) {
        let (width, height) = (self.width(), self.height());
        let (y, within_y, probability_y) = invert(self.rows, u[1]);
        let (x, within_x, probability_x) = invert(self.row(y, width), u[0]);
        let point = [place(x, within_x, width), place(y, within_y, height)];
        (point, probability_x * width as f32 * (probability_y * height as f32))
    }

    /// Density at `point`.
    ///
    /// # Panics
    /// As [`DensityTables::sample`].
    #[inline]
    pub fn pdf(&self, point: [f32; 2]) -> f32 {
        let (width, height) = (self.width(), self.height());
        let (x, y) = (cell_of(point[0], width), cell_of(point[1], height));
        let row = self.row(y, width);
        (row[x + 1] - row[x]) * width as f32 * ((self.rows[y + 1] - self.rows[y]) * height as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_the_weights_and_empty_cells_are_never_found() {
        let weights = [0.0, 1.0, 0.0, 2.0, 5.0, f32::NAN, -3.0, 0.0];
        let d = Distribution1d::new(&weights).unwrap();
        let n = 80_000;
        let mut counts = [0; 8];
        for i in 0..n {
            let (x, pdf) = d.sample(i as f32 / n as f32);
            assert_eq!(pdf, d.pdf(x));
            counts[(x * 8.0) as usize] += 1;
        }
        assert_eq!(counts, [0, 10_000, 0, 20_000, 50_000, 0, 0, 0]);
        assert!(d.sample(ONE_MINUS_EPSILON).0 < 5.0 / 8.0);
    }

    #[test]
    fn nothing_to_sample_is_none() {
        assert_eq!(Distribution1d::new(&[]), None);
        assert_eq!(Distribution1d::new(&[0.0, -1.0, f32::INFINITY]), None);
        assert_eq!(Distribution2d::new(&[0.0; 4], 2, 2), None);
        assert_eq!(Distribution2d::new(&[1.0; 3], 2, 2), None);
        assert_eq!(Distribution2d::new(&[1.0; 3], 0, 2), None);
    }

    #[test]
    fn the_square_is_sampled_with_the_density_it_reports() {
        let (w, h) = (7, 5);
        let weights: Vec<f32> = (0..w * h).map(|i| if i / w == 2 { 0.0 } else { (i * i % 11) as f32 }).collect();
        let total: f32 = weights.iter().sum();
        let d = Distribution2d::new(&weights, w, h).unwrap();
        let mut counts = vec![0.0; w * h];
        let side = 700;
        for i in 0..side * side {
            let u = [(i % side) as f32, (i / side) as f32].map(|v| v / side as f32);
            let (p, pdf) = d.sample(u);
            let cell = (p[1] * h as f32) as usize * w + (p[0] * w as f32) as usize;
            assert!((pdf - weights[cell] / total * (w * h) as f32).abs() < 1e-4);
            assert!((d.pdf(p) - pdf).abs() < 1e-5);
            counts[cell] += 1.0 / (side * side) as f32;
        }
        for (count, weight) in counts.iter().zip(&weights) {
            assert!((count - weight / total).abs() < 2e-3, "{count} {}", weight / total);
        }
    }

    #[test]
    fn huge_and_tiny_weights_do_no_harm() {
        let d = Distribution2d::new(&[f32::MAX, f32::MAX, 1e-30, f32::MAX], 2, 2).unwrap();
        let (p, pdf) = d.sample([0.3, 0.9]);
        assert!(pdf.is_finite() && p[0] > 0.5);
    }
}
