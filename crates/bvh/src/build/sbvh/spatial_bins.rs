//! Slabs of equal width along each axis, and what a cut between two of them would cost.
//!
//! Source: Stich, Friedrich and Dietrich 2009, "Spatial splits in bounding volume hierarchies",
//! section 3.2 (chopped binning). A reference enters every slab that it reaches into, with the part
//! of its triangle there. All here is an estimate in f32: only where the cut lies comes of it, while
//! [`super::cut`] decides what lands on which side.

use crate::reference::{Bounds, Reference};
use glam::Vec3A;

/// Slabs an axis.
pub(super) const SLABS: usize = 16;

/// Where the slabs of a range lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlabMap {
    min: Vec3A,
    width: Vec3A,
    scale: Vec3A,
}

/// Adding this rounds a small float to an integer, which then stands in the lowest bits.
const TO_INTEGER: f32 = 8_388_608.0;

/// What sticks out of its slab by less than this share of the width counts as not sticking out:
/// parts of a triangle do so by their padding, and cutting them again would bring nothing.
const FUZZ: f32 = 1e-3;

impl SlabMap {
    /// For references whose boxes lie in `bounds`, of finite extent.
    pub(super) fn new(bounds: &Bounds) -> Self {
        let extent = bounds.max - bounds.min;
        // Finite, so that no zero times infinity gives a NaN.
        let scale = extent.to_array().map(|x| if x > 0.0 { (SLABS as f32 / x).min(f32::MAX) } else { 0.0 });
        Self { min: bounds.min, width: extent / SLABS as f32, scale: scale.into() }
    }

    /// The slabs in which a point lies, when all borders are moved down by `shift` widths.
    #[inline]
    fn slabs(&self, p: Vec3A, shift: f32) -> [usize; 3] {
        // An addition rounds, as in `BinMap`.
        let place = (p - self.min) * self.scale + Vec3A::splat(shift - 0.5) + Vec3A::splat(TO_INTEGER);
        let place = place.max(Vec3A::splat(TO_INTEGER)).min(Vec3A::splat(TO_INTEGER + (SLABS - 1) as f32));
        place.to_array().map(|x| x.to_bits() as usize & (SLABS - 1))
    }

    /// The first and the last slab that a reference reaches into, on each axis.
    #[inline]
    pub(super) fn reach(&self, reference: &Reference) -> [(usize, usize); 3] {
        let Bounds { min, max } = reference.bounds();
        let (first, last) = (self.slabs(min, FUZZ), self.slabs(max, -FUZZ));
        // A flat box on a border may have its last before its first.
        std::array::from_fn(|axis| (first[axis], last[axis].max(first[axis])))
    }

    /// The border below slab `at`.
    #[inline]
    pub(super) fn plane(&self, axis: usize, at: usize) -> f32 {
        self.min[axis] + self.width[axis] * at as f32
    }
}

/// A cut between two slabs.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpatialSplit {
    pub(super) axis: usize,
    /// First slab of the right side.
    pub(super) at: usize,
    /// References of both sides; those cut count on both.
    pub(super) counts: [usize; 2],
    /// Boxes of both sides.
    pub(super) sides: [Bounds; 2],
    /// Sum over both sides of half area times references.
    pub(super) cost: f64,
}

/// Boxes of the parts in each slab, and how many references begin and end there.
#[derive(Debug, Clone)]
pub(super) struct SpatialBins {
    bounds: [[Bounds; SLABS]; 3],
    entries: [[u32; SLABS]; 3],
    exits: [[u32; SLABS]; 3],
}

impl SpatialBins {
    pub(super) fn of(references: &[Reference], triangles: &[[[f32; 3]; 3]], map: &SlabMap) -> Self {
        let zeros = [[0; SLABS]; 3];
        let mut bins = Self { bounds: [[Bounds::EMPTY; SLABS]; 3], entries: zeros, exits: zeros };
        for reference in references {
            let bounds = reference.bounds();
            for (axis, (first, last)) in map.reach(reference).into_iter().enumerate() {
                let (first, last) = (first & (SLABS - 1), last & (SLABS - 1));
                bins.entries[axis][first] += 1;
                bins.exits[axis][last] += 1;
                if first == last {
                    bins.bounds[axis][first] = bins.bounds[axis][first].union(bounds);
                } else {
                    let triangle = &triangles[reference.primitive() as usize];
                    chop(&mut bins.bounds[axis], map, triangle, &bounds, axis, first, last);
                }
            }
        }
        bins
    }

    /// Adds what `other` holds.
    pub(super) fn add(&mut self, other: &Self) {
        for axis in 0..3 {
            for slab in 0..SLABS {
                self.bounds[axis][slab] = self.bounds[axis][slab].union(other.bounds[axis][slab]);
                self.entries[axis][slab] += other.entries[axis][slab];
                self.exits[axis][slab] += other.exits[axis][slab];
            }
        }
    }

    /// The cut of least cost that adds at most `budget` references; of equal ones the first.
    pub(super) fn best_split(&self, budget: usize) -> Option<SpatialSplit> {
        let mut best: Option<SpatialSplit> = None;
        for axis in 0..3 {
            let (bounds, entries, exits) = (&self.bounds[axis], &self.entries[axis], &self.exits[axis]);
            let count: usize = entries.iter().map(|&n| n as usize).sum();
            let mut rights = [Bounds::EMPTY; SLABS];
            let mut right = Bounds::EMPTY;
            for at in (1..SLABS).rev() {
                right = right.union(bounds[at]);
                rights[at] = right;
            }
            let mut left = Bounds::EMPTY;
            let (mut left_count, mut right_count) = (0, count);
            for at in 1..SLABS {
                left = left.union(bounds[at - 1]);
                left_count += entries[at - 1] as usize;
                right_count -= exits[at - 1] as usize;
                if left_count == 0 || right_count == 0 || left_count + right_count > count + budget {
                    continue;
                }
                let cost = left.half_area() * left_count as f64 + rights[at].half_area() * right_count as f64;
                if best.is_none_or(|best| cost < best.cost) {
                    let (counts, sides) = ([left_count, right_count], [left, rights[at]]);
                    best = Some(SpatialSplit { axis, at, counts, sides, cost });
                }
            }
        }
        best
    }
}

/// Adds to slabs `first` to `last` the parts in them of `triangle`, as far as `bounds` reaches.
fn chop(
    slabs: &mut [Bounds; SLABS],
    map: &SlabMap,
    triangle: &[[f32; 3]; 3],
    bounds: &Bounds,
    axis: usize,
    first: usize,
    last: usize,
) {
    let corners = triangle.map(Vec3A::from);
    let places = corners.map(|p| map.slabs(p, 0.0)[axis]);
    let mut parts = [Bounds::EMPTY; SLABS];
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let (p, q) = if triangle[i][axis] <= triangle[j][axis] { (i, j) } else { (j, i) };
        if (first..=last).contains(&places[i]) {
            parts[places[i]] = parts[places[i]].union(Bounds::point(corners[i]));
        }
        let (start, along) = (triangle[p][axis], triangle[q][axis] - triangle[p][axis]);
        for at in places[p].max(first - usize::from(first > 0)) + 1..=places[q].min(last + 1) {
            // Between the ends and no NaN, since the length is positive wherever two slabs differ.
            let t = ((map.plane(axis, at) - start) / along).clamp(0.0, 1.0);
            let point = Bounds::point(corners[p] + (corners[q] - corners[p]) * t);
            parts[at - 1] = parts[at - 1].union(point);
            parts[at & (SLABS - 1)] = parts[at & (SLABS - 1)].union(point);
        }
    }
    for slab in first..=last {
        let part = parts[slab].intersection(*bounds);
        if part.min.cmple(part.max).all() {
            slabs[slab] = slabs[slab].union(part);
        }
    }
}
