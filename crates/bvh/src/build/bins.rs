//! Bins of equal width along each axis, and the best split between two of them.

use super::cost::Split;
use crate::reference::{Bounds, Reference};
use glam::Vec3A;

/// Map from a reference's centroid to its bin on each axis. `B` is a power of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct BinMap<const B: usize> {
    min: Vec3A,
    scale: Vec3A,
}

/// Constant (2^23) whose addition rounds a small float to an integer, which then stands in the float's lowest bits.
pub(super) const TO_INTEGER: f32 = 8_388_608.0;

impl<const B: usize> BinMap<B> {
    /// Makes the map for references whose centroids lie in `centroids`.
    pub(super) fn new(centroids: &Bounds) -> Self {
        // Always finite, so that no zero times infinity gives a NaN: the extent of (half) centroids
        // is, and the quotient is clamped. Along an axis without extent all is in the first bin.
        let scale = (centroids.max - centroids.min)
            .to_array()
            .map(|extent| if extent > 0.0 { (B as f32 / extent).min(f32::MAX) } else { 0.0 });
        Self { min: centroids.min, scale: scale.into() }
    }

    /// Returns the bin of a reference's centroid on each axis, each below `B`.
    #[inline]
    pub(super) fn bins(&self, reference: &Reference) -> [usize; 3] {
        self.places(reference).to_array().map(|x| x.to_bits() as usize & (B - 1))
    }

    /// Returns the bins as floats, each [`TO_INTEGER`] too large.
    #[inline]
    fn places(&self, reference: &Reference) -> Vec3A {
        // Wald 2007 truncates. Rounding after a shift by half a bin is as monotone, and an addition
        // does it: the cast of Rust saturates, which costs more than all the rest here.
        let place = (reference.centroid() - self.min) * self.scale + Vec3A::splat(TO_INTEGER - 0.5);
        place.max(Vec3A::splat(TO_INTEGER)).min(Vec3A::splat(TO_INTEGER + (B - 1) as f32))
    }

    /// Returns `true` if `reference` goes to the left side of `split`, whose `at` is the first bin of the right side.
    #[inline]
    pub(super) fn is_left(&self, reference: &Reference, split: &Split) -> bool {
        let at = Vec3A::splat(TO_INTEGER + split.at as f32);
        self.places(reference).cmplt(at).bitmask() >> split.axis & 1 != 0
    }
}

/// Boxes and numbers of the references in each bin, for each axis.
#[derive(Debug, Clone)]
pub(super) struct Bins<const B: usize> {
    bounds: [[Bounds; B]; 3],
    counts: [[u32; B]; 3],
}

impl<const B: usize> Bins<B> {
    pub(super) fn of(references: &[Reference], map: &BinMap<B>) -> Self {
        let mut bins = Self { bounds: [[Bounds::EMPTY; B]; 3], counts: [[0; B]; 3] };
        for reference in references {
            let bounds = reference.bounds();
            for (axis, bin) in map.bins(reference).into_iter().enumerate() {
                // The mask says what `BinMap::bins` has done, so that no bounds check remains.
                let bin = bin & (B - 1);
                bins.bounds[axis][bin] = bins.bounds[axis][bin].union(bounds);
                bins.counts[axis][bin] += 1;
            }
        }
        bins
    }

    /// Adds the boxes and counts of `other`, bin by bin.
    pub(super) fn add(&mut self, other: &Self) {
        for axis in 0..3 {
            for bin in 0..B {
                self.bounds[axis][bin] = self.bounds[axis][bin].union(other.bounds[axis][bin]);
                self.counts[axis][bin] += other.counts[axis][bin];
            }
        }
    }

    /// Returns the number of references left of `split`.
    pub(super) fn left_of(&self, split: &Split) -> usize {
        self.counts[split.axis][..split.at].iter().map(|&count| count as usize).sum()
    }

    /// Returns the boxes around both sides of `split`.
    pub(super) fn sides(&self, split: &Split) -> [Bounds; 2] {
        let (left, right) = self.bounds[split.axis].split_at(split.at);
        [left, right].map(|side| side.iter().fold(Bounds::EMPTY, |sum, bounds| sum.union(*bounds)))
    }

    /// Returns the cheapest split that leaves references on both sides; of equal ones the first.
    pub(super) fn best_split(&self) -> Split {
        let mut best = Split::NONE;
        for axis in 0..3 {
            let (bounds, counts) = (&self.bounds[axis], &self.counts[axis]);
            let total: usize = counts.iter().map(|&count| count as usize).sum();
            let mut right_areas = [0.0; B];
            let mut right = Bounds::EMPTY;
            for at in (1..B).rev() {
                right = right.union(bounds[at]);
                right_areas[at] = right.half_area();
            }
            let mut left_bounds = Bounds::EMPTY;
            let mut left = 0;
            for at in 1..B {
                left_bounds = left_bounds.union(bounds[at - 1]);
                left += counts[at - 1] as usize;
                let cost = left_bounds.half_area() * left as f64 + right_areas[at] * (total - left) as f64;
                if left > 0 && left < total && cost < best.cost {
                    best = Split { axis, at, left, cost };
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::RangeBounds;
    use raywarp_geom::Aabb;

    fn points(xs: &[f32]) -> Vec<Reference> {
        let point = |&x: &f32| Aabb { min: [x, 0.0, 0.0], max: [x, 1.0, 1.0] };
        xs.iter().enumerate().map(|(i, x)| Reference::new(&point(x), i as u32)).collect()
    }

    #[test]
    fn bins_follow_the_order_of_centroids_and_stay_in_range() {
        for scale in [1e-44, 1e-30, 1.0, 1e30, 1e38] {
            let references = points(&[-3.0, -2.9, -1.0, 0.0, 0.1, 2.5, 3.0].map(|x| x * scale));
            let map = BinMap::<16>::new(&RangeBounds::of_few(&references).centroids);
            let bins: Vec<usize> = references.iter().map(|r| map.bins(r)[0]).collect();
            assert!(bins.is_sorted() && bins[0] == 0 && bins[6] <= 15, "{scale}: {bins:?}");
            if scale > 1e-40 {
                assert_eq!(bins[6], 15);
            }
            assert!(references.iter().all(|r| map.bins(r)[1] == 0), "an axis without extent has one bin");
        }
    }

    #[test]
    fn the_best_split_separates_two_clusters() {
        let references = points(&[0.0, 0.1, 0.2, 9.9, 10.0]);
        let map = BinMap::<16>::new(&RangeBounds::of_few(&references).centroids);
        let split = Bins::of(&references, &map).best_split();
        assert_eq!((split.axis, split.left), (0, 3));
        assert_eq!(references.iter().filter(|r| map.is_left(r, &split)).count(), 3);
    }

    #[test]
    fn equal_centroids_have_no_split() {
        let references = points(&[1.0; 40]);
        let around = RangeBounds::of_few(&references);
        let map = BinMap::<16>::new(&around.centroids);
        let bins = Bins::of(&references, &map);
        assert_eq!(bins.best_split().cost, f64::INFINITY);
    }
}
