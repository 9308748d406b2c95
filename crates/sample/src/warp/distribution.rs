//! Piecewise constant densities over the unit interval and the unit square.
//!
//! A cell is found in a cumulative table by a search that a guide shortens (CA74): of equal buckets of the unit
//! interval, as many as there are cells, it keeps the cell of the smallest number of each.

use crate::hash::ONE_MINUS_EPSILON;

/// Cumulative distribution of cells, with the index table (guide) that shortens the search in it.
#[derive(Clone, Copy)]
struct Cumulative<'t> {
    /// Cumulative probabilities as bits of `f32`: `cells + 1` numbers from 0 to 1.
    cdf: &'t [u32],
    /// Index of the cell that holds the smallest number of each bucket, and of the last cell, as [`guide`] makes it.
    guide: &'t [u32],
}

impl Cumulative<'_> {
    #[inline]
    fn cells(self) -> usize {
        self.cdf.len() - 1
    }

    #[inline]
    fn probability(self, cell: usize) -> f32 {
        f32::from_bits(self.cdf[cell + 1]) - f32::from_bits(self.cdf[cell])
    }

    /// Finds the cell of the random number `u`: returns its index, the position within it (0 .. 1) and its probability.
    #[inline]
    fn invert(self, u: f32) -> (usize, f32, f32) {
        let bucket = cell_of(u, self.cells());
        let [low, high] = [self.guide[bucket], self.guide[bucket + 1]].map(|cell| cell as usize);
        // The last entry at or below u: an empty cell has no such u. By halves: a bucket of a map with a sun in it may
        // have many cells.
        let cell = low + self.cdf[low + 1..=high].partition_point(|&c| f32::from_bits(c) <= u);
        let probability = self.probability(cell);
        let within = ((u - f32::from_bits(self.cdf[cell])) / probability).min(ONE_MINUS_EPSILON);
        (cell, within, probability)
    }
}

/// Appends the cumulative weights, normalised to 0 .. 1, to `cdf` and returns their total; appends nothing if that is
/// 0. Weights that are negative or not finite count as 0.
fn accumulate(weights: &[f32], cdf: &mut Vec<u32>) -> f64 {
    let clean = |w: f32| if w > 0.0 && w.is_finite() { f64::from(w) } else { 0.0 };
    let total: f64 = weights.iter().map(|&w| clean(w)).sum();
    if total > 0.0 {
        let mut sum = 0.0;
        cdf.push(0);
        // Rounding down leaves no room for a value above 1 before the end.
        cdf.extend(weights.iter().map(|&w| {
            sum += clean(w);
            ((sum / total).min(1.0) as f32).to_bits()
        }));
        // Sums in two orders may differ in the last place. The end is exact, and so are empty cells
        // at the end.
        let last = weights.iter().rposition(|&w| clean(w) > 0.0).unwrap_or(0);
        let start = cdf.len() - weights.len();
        cdf[start + last..].fill(1.0f32.to_bits());
    }
    total
}

/// Returns the smallest `f32` of each bucket, for which [`cell_of`] gives the bucket's index, and 1 at the end.
///
/// Both `k / cells` and the product by which a bucket is found are rounded. So steps of an ulp lead from the quotient
/// to the first number whose rounded product reaches `k`; as products rise with their factor, no number of a bucket is
/// then below its start, or at or above the next one's.
fn starts(cells: usize) -> Vec<f32> {
    let start = |k: usize| {
        let reaches = |u: f32| cell_of(u, cells) >= k;
        let mut u = k as f32 / cells as f32;
        while !reaches(u) {
            u = u.next_up();
        }
        while u > 0.0 && reaches(u.next_down()) {
            u = u.next_down();
        }
        u
    };
    (0..cells).map(start).chain([1.0]).collect()
}

/// Makes the guide of the cumulative table `cdf`, which has as many cells as `starts` has buckets.
fn guide(cdf: &[u32], starts: &[f32]) -> impl Iterator<Item = u32> {
    let mut cell = 0;
    starts.iter().map(move |&start| {
        while cell + 2 < cdf.len() && f32::from_bits(cdf[cell + 1]) <= start {
            cell += 1;
        }
        cell as u32
    })
}

/// Returns the coordinate (0 .. 1) of the position `within` the cell `cell` of `cells` equal cells. Where rounding
/// would put it into a neighbour, whose density may be 0, the cell's centre takes its place.
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

/// Piecewise constant density over `0 .. 1` with cells of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution1d {
    /// Cumulative table, followed by its guide, which is as long.
    words: Vec<u32>,
}

impl Distribution1d {
    /// Makes the density proportional to `weights`, one for each cell; `None` if no weight is positive. Negative
    /// weights and such that are not finite count as 0.
    pub fn new(weights: &[f32]) -> Option<Self> {
        let mut words = Vec::with_capacity(2 * (weights.len() + 1));
        if accumulate(weights, &mut words) <= 0.0 {
            return None;
        }
        let guide: Vec<u32> = guide(&words, &starts(weights.len())).collect();
        words.extend(guide);
        Some(Self { words })
    }

    #[inline]
    fn table(&self) -> Cumulative<'_> {
        let (cdf, guide) = self.words.split_at(self.words.len() / 2);
        Cumulative { cdf, guide }
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.table().cells()
    }

    /// Draws a number in 0 .. 1 with the random number `u`; returns it and its density.
    #[inline]
    pub fn sample(&self, u: f32) -> (f32, f32) {
        let (cell, within, probability) = self.table().invert(u);
        (place(cell, within, self.cells()), probability * self.cells() as f32)
    }

    /// Draws a cell with the random number `u`; returns its index, its probability, and the remainder of `u`, uniform
    /// again.
    #[inline]
    pub fn sample_cell(&self, u: f32) -> (usize, f32, f32) {
        let (cell, within, probability) = self.table().invert(u);
        (cell, probability, within)
    }

    /// Returns the density with which [`Distribution1d::sample`] draws `x`, rounding of the table included.
    #[inline]
    pub fn pdf(&self, x: f32) -> f32 {
        self.probability(cell_of(x, self.cells())) * self.cells() as f32
    }

    /// Returns the probability of the cell of index `cell`.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn probability(&self, cell: usize) -> f32 {
        self.table().probability(cell)
    }
}

/// Piecewise constant density over the unit square, from which a row is drawn and then a cell in the row.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution2d {
    /// Cumulative tables and guides, laid out as [`DensityTables::words`]; a row without weight is uniform.
    words: Vec<u32>,
    width: usize,
    height: usize,
}

impl Distribution2d {
    /// Makes the density proportional to `weights`, given row by row; `None` if no weight is positive or there are
    /// fewer than `width * height`.
    pub fn new(weights: &[f32], width: usize, height: usize) -> Option<Self> {
        if width == 0 || weights.len() < width.checked_mul(height)? {
            return None;
        }
        let mut words = Vec::with_capacity(2 * (height + 1 + (width + 1) * height));
        words.resize(height + 1, 0);
        let mut totals = Vec::with_capacity(height);
        for row in weights.chunks_exact(width).take(height) {
            let total = accumulate(row, &mut words);
            if total <= 0.0 {
                words.extend((0..=width).map(|i| (i as f32 / width as f32).to_bits()));
            }
            totals.push(total);
        }
        // In f32, but relative to the largest: sums of large weights may leave its range.
        let largest = totals.iter().copied().fold(0.0, f64::max);
        let totals: Vec<f32> = totals.iter().map(|&t| (t / largest) as f32).collect();
        let rows = Distribution1d::new(&totals)?;
        words[..=height].copy_from_slice(rows.table().cdf);
        words.extend_from_slice(rows.table().guide);
        let starts = starts(width);
        for y in 0..height {
            let first = height + 1 + y * (width + 1);
            let cell = words.len();
            words.resize(cell + width + 1, 0);
            let (tables, guides) = words.split_at_mut(cell);
            guides.iter_mut().zip(guide(&tables[first..=first + width], &starts)).for_each(|(to, from)| *to = from);
        }
        Some(Self { words, width, height })
    }

    /// Returns a view of the tables, for sampling.
    #[inline]
    pub fn tables(&self) -> DensityTables<'_> {
        DensityTables { words: &self.words, width: self.width, height: self.height }
    }

    /// Draws a point `(x, y)` of the unit square with two random numbers, the second for the row; returns it and its
    /// density.
    #[inline]
    pub fn sample(&self, u: [f32; 2]) -> ([f32; 2], f32) {
        self.tables().sample(u)
    }

    /// Returns the density at `point` of the unit square.
    #[inline]
    pub fn pdf(&self, point: [f32; 2]) -> f32 {
        self.tables().pdf(point)
    }
}

/// View of the tables of a [`Distribution2d`], wherever they lie in memory.
#[derive(Debug, Clone, Copy)]
pub struct DensityTables<'t> {
    /// Tables as bits of `f32`: cumulative probabilities of the rows, one more than there are rows, then those of the
    /// cells in each row. The guides of all these follow, each as long as its table.
    pub words: &'t [u32],
    /// Number of cells in a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl<'t> DensityTables<'t> {
    /// Returns the cumulative table of `length` words from word `first` on, with its guide.
    #[inline]
    fn table(&self, first: usize, length: usize) -> Cumulative<'t> {
        let guide = first + self.words.len() / 2;
        Cumulative { cdf: &self.words[first..first + length], guide: &self.words[guide..guide + length] }
    }

    #[inline]
    fn rows(&self) -> Cumulative<'t> {
        self.table(0, self.height + 1)
    }

    #[inline]
    fn row(&self, y: usize) -> Cumulative<'t> {
        self.table(self.height + 1 + y * (self.width + 1), self.width + 1)
    }

    /// Draws a point `(x, y)` of the unit square with two random numbers, the second for the row; returns it and its
    /// density.
    ///
    /// # Panics
    /// If there are no rows or no cells, or more or fewer words than they take.
    #[inline]
    pub fn sample(&self, u: [f32; 2]) -> ([f32; 2], f32) {
        let (y, within_y, probability_y) = self.rows().invert(u[1]);
        let (x, within_x, probability_x) = self.row(y).invert(u[0]);
        let point = [place(x, within_x, self.width), place(y, within_y, self.height)];
        (point, probability_x * self.width as f32 * (probability_y * self.height as f32))
    }

    /// Returns the density at `point` of the unit square.
    ///
    /// # Panics
    /// As [`DensityTables::sample`].
    #[inline]
    pub fn pdf(&self, point: [f32; 2]) -> f32 {
        let (x, y) = (cell_of(point[0], self.width), cell_of(point[1], self.height));
        self.row(y).probability(x) * self.width as f32 * (self.rows().probability(y) * self.height as f32)
    }

    /// Returns `true` if each cumulative table rises from 0 to 1.
    pub fn rise(&self) -> bool {
        let number = |bits: u32| f32::from_bits(bits);
        self.each().all(|Cumulative { cdf, .. }| {
            let rises = cdf.is_sorted_by(|&a, &b| number(a) <= number(b));
            rises && number(cdf[0]) == 0.0 && number(cdf[cdf.len() - 1]) == 1.0
        })
    }

    /// Returns `true` if each guide is the one that belongs to its cumulative table.
    pub fn are_guided(&self) -> bool {
        let (columns, rows) = (starts(self.width), starts(self.height));
        self.each()
            .zip(std::iter::once(&rows).chain(std::iter::repeat(&columns)))
            .all(|(table, starts)| guide(table.cdf, starts).eq(table.guide.iter().copied()))
    }

    fn each(&self) -> impl Iterator<Item = Cumulative<'t>> {
        std::iter::once(self.rows()).chain((0..self.height).map(|y| self.row(y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the cell of `u` by a search without the guide, for comparison.
    fn plain(cdf: &[u32], u: f32) -> usize {
        cdf.partition_point(|&c| f32::from_bits(c) <= u).clamp(1, cdf.len() - 1) - 1
    }

    /// Iterates over numbers next to the edges of all buckets and next to all entries of the table, and some at random.
    fn numbers(table: Cumulative) -> impl Iterator<Item = f32> {
        let beside = |u: f32| (-4..=4).map(move |step| f32::from_bits(u.to_bits().saturating_add_signed(step)));
        let edges = (0..=table.cells()).map(move |k| k as f32 / table.cells() as f32);
        let entries = table.cdf.iter().map(|&c| f32::from_bits(c));
        let random = (0..4000).map(|i| crate::hash::to_unit(crate::hash::pcg(i)));
        edges.chain(entries).flat_map(beside).filter(|&u| u < 1.0).chain(random)
    }

    #[test]
    fn a_bucket_starts_at_its_smallest_number() {
        for cells in [1, 2, 3, 41, 49, 64, 1000, 1023, 4097, 8192] {
            let starts = starts(cells);
            assert_eq!((starts.len(), starts[0], starts[cells]), (cells + 1, 0.0, 1.0));
            for (k, &start) in starts[..cells].iter().enumerate().skip(1) {
                assert_eq!([start.next_down(), start].map(|u| cell_of(u, cells)), [k - 1, k], "{cells} cells");
            }
        }
    }

    #[test]
    fn a_guide_finds_the_cell_of_the_plain_search() {
        let random = |i: usize| crate::hash::to_unit(crate::hash::pcg(i as u32));
        let weights: [fn(f32, usize, usize) -> f32; 6] = [
            |_, _, _| 1.0,
            |r, _, _| r,
            // A sun: nearly all buckets are in its cell, and nearly all cells in the last bucket.
            |_, i, n| if i == n / 3 { 1e9 } else { 1.0 },
            // Empty cells, at both ends too.
            |r, i, n| if r < 0.7 || i < n / 4 || i > n / 2 { 0.0 } else { r },
            |r, _, _| 10.0f32.powf(30.0 * r - 15.0),
            |_, i, n| if i == n - 1 { 1.0 } else { 0.0 },
        ];
        for cells in [1, 2, 3, 7, 10, 49, 64, 1000, 1023, 4097] {
            for (kind, weight) in weights.iter().enumerate() {
                let weights: Vec<f32> = (0..cells).map(|i| weight(random(i + kind * 5000), i, cells)).collect();
                let Some(d) = Distribution1d::new(&weights) else { continue };
                for u in numbers(d.table()) {
                    assert_eq!(d.sample_cell(u).0, plain(d.table().cdf, u), "weights {kind}, {cells} cells, {u:e}");
                }
            }
        }
    }

    #[test]
    fn rows_and_cells_of_the_square_are_guided() {
        let weight = |i: usize| if i.is_multiple_of(5) || i / 37 % 7 == 1 { 0.0 } else { (1 + i % 97) as f32 };
        for (width, height) in [(37, 21), (1, 5), (5, 1)] {
            let d = Distribution2d::new(&(0..width * height).map(weight).collect::<Vec<_>>(), width, height);
            let d = d.unwrap();
            let tables = d.tables();
            assert!(tables.rise() && tables.are_guided());
            assert_eq!(tables.words.len(), 2 * (height + 1 + height * (width + 1)));
            for table in tables.each() {
                for u in numbers(table) {
                    assert_eq!(table.invert(u).0, plain(table.cdf, u), "{width} x {height}, {u:e}");
                }
            }
            // Any one word that is wrong is found.
            for i in tables.words.len() / 2..tables.words.len() {
                let mut words = tables.words.to_vec();
                words[i] += 1;
                assert!(!DensityTables { words: &words, ..tables }.are_guided(), "word {i}");
            }
        }
    }

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
