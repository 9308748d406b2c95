//! Slabs of equal width along each axis, and what a cut between two of them would cost.
//!
//! Source: Stich, Friedrich and Dietrich 2009, "Spatial splits in bounding volume hierarchies" (chopped
//! binning). A reference enters every slab that it reaches into, with the part of its triangle there;
//! where these are few, with the part of its box ([`CHOPPED`]). All here is an estimate in f32: only
//! where the cut lies comes of it, while [`super::cut`] decides what lands on which side.

use crate::reference::{Bounds, Reference};
use glam::Vec3A;

/// Number of slabs on each axis for ranges of at least [`FEW`] references; the smaller number for other ranges follows.
/// With 32 for all, the cost of trees was the same within 1 %, and building them took a third longer.
const SLABS: usize = 32;
const FEW_SLABS: usize = 8;
const FEW: usize = 1 << 10;

/// Positions of the slabs into which the box of a range is divided along each axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlabMap {
    min: Vec3A,
    width: Vec3A,
    scale: Vec3A,
    /// Number of slabs, at most [`SLABS`].
    count: usize,
}

/// Number of slabs beyond its first from which on a reference's triangle is clipped to each slab; otherwise only its
/// box is. Chopping all made trees cheaper by 0.1 % and their building a third slower; slicing all, dearer by 0.5 %,
/// and a ball of hair was then not cut at all.
const CHOPPED: usize = 4;

/// Constant (2^23) whose addition rounds a small float to an integer, which then stands in the float's lowest bits.
const TO_INTEGER: f32 = 8_388_608.0;

/// Tolerance, as a share of a slab's width: a part that sticks out of its slab by less counts as inside. Parts of a
/// triangle do so by their padding, and cutting them again would bring nothing.
const FUZZ: f32 = 1e-3;

impl SlabMap {
    /// Makes the slabs for `references` references, whose boxes lie in `bounds`, of finite extent.
    pub(super) fn new(bounds: &Bounds, references: usize) -> Self {
        let count = if references < FEW { FEW_SLABS } else { SLABS };
        let extent = bounds.max - bounds.min;
        // Finite, so that no zero times infinity gives a NaN.
        let scale = extent.to_array().map(|x| if x > 0.0 { (count as f32 / x).min(f32::MAX) } else { 0.0 });
        Self { min: bounds.min, width: extent / count as f32, scale: scale.into(), count }
    }

    /// Returns the slab on each axis in which a point lies, with all borders moved down by `shift` slab widths.
    #[inline]
    fn slabs(&self, p: Vec3A, shift: f32) -> [usize; 3] {
        // An addition rounds, as in `BinMap`.
        let place = (p - self.min) * self.scale + Vec3A::splat(shift - 0.5) + Vec3A::splat(TO_INTEGER);
        let place = place.max(Vec3A::splat(TO_INTEGER)).min(Vec3A::splat(TO_INTEGER + (self.count - 1) as f32));
        place.to_array().map(|x| x.to_bits() as usize & (SLABS - 1))
    }

    /// Returns the first and the last slab that a reference's box reaches into, on each axis.
    #[inline]
    pub(super) fn reach(&self, reference: &Reference) -> [(usize, usize); 3] {
        let Bounds { min, max } = reference.bounds();
        let (first, last) = (self.slabs(min, FUZZ), self.slabs(max, -FUZZ));
        // A flat box on a border may have its last before its first.
        std::array::from_fn(|axis| (first[axis], last[axis].max(first[axis])))
    }

    /// Returns the coordinate of the lower border of slab `at`.
    #[inline]
    pub(super) fn plane(&self, axis: usize, at: usize) -> f32 {
        self.min[axis] + self.width[axis] * at as f32
    }
}

/// Candidate cut at the plane between two slabs, with its cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpatialSplit {
    pub(super) axis: usize,
    /// Index of the first slab on the right side.
    pub(super) at: usize,
    /// Number of references on each side; those that are cut count on both.
    pub(super) counts: [usize; 2],
    /// Boxes around the parts on each side.
    pub(super) sides: [Bounds; 2],
    /// Cost of the split: half area times number of references, summed over both sides.
    pub(super) cost: f64,
}

/// Boxes of the parts in each slab, and numbers of references that begin and end there.
#[derive(Debug, Clone)]
pub(super) struct SpatialBins {
    /// Number of slabs in use, at most [`SLABS`].
    count: usize,
    bounds: [[Bounds; SLABS]; 3],
    entries: [[u32; SLABS]; 3],
    exits: [[u32; SLABS]; 3],
}

impl SpatialBins {
    pub(super) fn of(references: &[Reference], triangles: &[[[f32; 3]; 3]], map: &SlabMap) -> Self {
        let zeros = [[0; SLABS]; 3];
        let mut bins = Self { count: map.count, bounds: [[Bounds::EMPTY; SLABS]; 3], entries: zeros, exits: zeros };
        for reference in references {
            let bounds = reference.bounds();
            for (axis, (first, last)) in map.reach(reference).into_iter().enumerate() {
                let (first, last) = (first & (SLABS - 1), last & (SLABS - 1));
                bins.entries[axis][first] += 1;
                bins.exits[axis][last] += 1;
                let slabs = &mut bins.bounds[axis];
                if last - first < CHOPPED {
                    slice(slabs, map, bounds, axis, first, last);
                } else {
                    let triangle = &triangles[reference.primitive() as usize];
                    chop(slabs, map, triangle, &bounds, axis, first, last);
                }
            }
        }
        bins
    }

    /// Adds the boxes and counts of `other`, slab by slab.
    pub(super) fn add(&mut self, other: &Self) {
        for axis in 0..3 {
            for slab in 0..self.count {
                self.bounds[axis][slab] = self.bounds[axis][slab].union(other.bounds[axis][slab]);
                self.entries[axis][slab] += other.entries[axis][slab];
                self.exits[axis][slab] += other.exits[axis][slab];
            }
        }
    }

    /// Returns the cheapest cut that adds at most `budget` references; of equal ones the first.
    pub(super) fn best_split(&self, budget: usize) -> Option<SpatialSplit> {
        let mut best: Option<SpatialSplit> = None;
        for axis in 0..3 {
            let (bounds, entries, exits) = (&self.bounds[axis], &self.entries[axis], &self.exits[axis]);
            let total: usize = entries.iter().map(|&n| n as usize).sum();
            let mut rights = [Bounds::EMPTY; SLABS];
            let mut right = Bounds::EMPTY;
            for at in (1..self.count).rev() {
                right = right.union(bounds[at]);
                rights[at] = right;
            }
            let mut left = Bounds::EMPTY;
            let (mut left_count, mut right_count) = (0, total);
            for at in 1..self.count {
                left = left.union(bounds[at - 1]);
                left_count += entries[at - 1] as usize;
                right_count -= exits[at - 1] as usize;
                if left_count == 0 || right_count == 0 || left_count + right_count > total + budget {
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

/// Grows the boxes of slabs `first` to `last` by the parts of the box `bounds` in them.
#[inline]
fn slice(slabs: &mut [Bounds; SLABS], map: &SlabMap, mut bounds: Bounds, axis: usize, first: usize, last: usize) {
    for slab in first..last {
        let mut part = bounds;
        part.max[axis] = map.plane(axis, slab + 1);
        bounds.min[axis] = part.max[axis];
        slabs[slab] = slabs[slab].union(part);
    }
    slabs[last] = slabs[last].union(bounds);
}

/// Grows the boxes of slabs `first` to `last` by the parts of `triangle` in them, within `bounds`.
fn chop(
    slabs: &mut [Bounds; SLABS],
    map: &SlabMap,
    triangle: &[[f32; 3]; 3],
    bounds: &Bounds,
    axis: usize,
    first: usize,
    last: usize,
) {
    let [mut a, mut b, mut c] = *triangle;
    if a[axis] > b[axis] {
        std::mem::swap(&mut a, &mut b);
    }
    if b[axis] > c[axis] {
        std::mem::swap(&mut b, &mut c);
    }
    if a[axis] > b[axis] {
        std::mem::swap(&mut a, &mut b);
    }
    let middle = b[axis];
    let edges = [Edge::new(&a, &c, axis), Edge::new(&a, &b, axis), Edge::new(&b, &c, axis)];
    // Where a plane meets the triangle: a segment, or a corner for planes beside it.
    let segment = |x: f32| {
        let (p, q) = (edges[0].at(x), edges[if x < middle { 1 } else { 2 }].at(x));
        Bounds { min: p.min(q), max: p.max(q) }
    };
    let (start, width) = (map.min[axis], map.width[axis]);
    let plane = |at: usize| start + width * at as f32;
    let mut x = plane(first);
    let mut below = segment(x);
    for slab in first..=last {
        let next = plane(slab + 1);
        let above = segment(next);
        let mut part = below.union(above);
        if x <= middle && middle <= next {
            part = part.union(Bounds::point(b.into()));
        }
        let part = part.intersection(*bounds);
        if part.min.cmple(part.max).all() {
            slabs[slab] = slabs[slab].union(part);
        }
        (x, below) = (next, above);
    }
}

/// Edge of a triangle, with its ends in increasing order along one axis.
struct Edge {
    start: Vec3A,
    along: Vec3A,
    x: f32,
    /// Reciprocal of the edge's extent along the axis, in all three lanes.
    scale: Vec3A,
}

impl Edge {
    fn new(p: &[f32; 3], q: &[f32; 3], axis: usize) -> Self {
        let (start, along) = (Vec3A::from(*p), Vec3A::from(*q) - Vec3A::from(*p));
        // Finite, so that no zero times infinity gives a NaN.
        Self { start, along, x: p[axis], scale: Vec3A::splat(1.0 / (q[axis] - p[axis])).min(Vec3A::MAX) }
    }

    /// Returns the point of the edge at coordinate `x` of the axis, or the nearer end.
    #[inline]
    fn at(&self, x: f32) -> Vec3A {
        self.start + self.along * (Vec3A::splat(x - self.x) * self.scale).max(Vec3A::ZERO).min(Vec3A::ONE)
    }
}
