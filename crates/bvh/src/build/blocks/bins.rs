//! Bins of equal width along each axis, the best split between two of them, and the division at it.

use super::lanes::{Lanes, Sides, box_of, centroid_of, stored};
use crate::build::area::Areas;
use crate::build::bins::TO_INTEGER;
use crate::build::cost::Split;
use crate::build::options::BLOCK;
use crate::reference::{Bounds, Reference};
use raywarp_lanes::{InstructionSet, Mask, Vector, Words};

/// Map from a reference's centroid to its bin on each axis, as [`BinMap`](crate::build::bins::BinMap) maps. `B` is a
/// power of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct BinMap<const B: usize> {
    min: [f32; 4],
    scale: [f32; 4],
}

impl<const B: usize> BinMap<B> {
    /// Makes the map for references whose centroids lie in `centroids`.
    pub(super) fn new(centroids: &Bounds) -> Self {
        let (mut min, mut scale) = ([0.0; 4], [0.0; 4]);
        for axis in 0..3 {
            let extent = centroids.max[axis] - centroids.min[axis];
            min[axis] = centroids.min[axis];
            scale[axis] = if extent > 0.0 { (B as f32 / extent).min(f32::MAX) } else { 0.0 };
        }
        Self { min, scale }
    }
}

/// Returns the bin of a coordinate that `min` and `scale` map, each lane [`TO_INTEGER`] too large.
#[inline(always)]
fn place<const N: usize, const B: usize, F: Vector<N>>(set: F::Set, x: F, min: F, scale: F) -> F {
    let place = (x - min) * scale + F::splat(set, TO_INTEGER - 0.5);
    place.max(F::splat(set, TO_INTEGER)).min(F::splat(set, TO_INTEGER + (B - 1) as f32))
}

/// Boxes of the references in each bin, for each axis, and their numbers, for each bin those of the three axes.
#[derive(Debug, Clone)]
#[repr(align(32))]
pub(in crate::build) struct Bins<const B: usize> {
    boxes: [[Lanes; B]; 3],
    counts: [[u32; 4]; B],
}

impl<const B: usize> Bins<B> {
    pub(super) const EMPTY: Self = Self { boxes: [[Lanes::EMPTY; B]; 3], counts: [[0; 4]; B] };

    /// Adds references to the bins in which their centroids lie.
    #[inline(always)]
    pub(super) fn fill<S: InstructionSet>(&mut self, set: S, references: &[Reference], map: &BinMap<B>) {
        let (min, scale) = (S::F4::load(set, &map.min), S::F4::load(set, &map.scale));
        let (first, second) = references.split_at(references.len() / 2);
        for (first, second) in first.iter().zip(second) {
            // Neighbours are often of one bin, and each would wait for the one before it.
            for reference in [first, second] {
                self.add_one(set, reference, min, scale);
            }
        }
        if first.len() < second.len() {
            self.add_one(set, &second[first.len()], min, scale);
        }
    }

    #[inline(always)]
    fn add_one<S: InstructionSet>(&mut self, set: S, reference: &Reference, min: S::F4, scale: S::F4) {
        let quarter = S::F4::splat(set, 0.25);
        let [lower, upper] = reference.corners();
        let centroid = S::F4::load(set, lower) * quarter + S::F4::load(set, upper) * quarter;
        let places = place::<4, B, S::F4>(set, centroid, min, scale).store();
        let around = box_of(set, reference);
        for axis in 0..3 {
            let bin = places[axis].to_bits() as usize & (B - 1);
            let old = &mut self.boxes[axis][bin];
            *old = stored(around.min(S::F8::load(set, &old.0)));
            self.counts[bin][axis] += 1;
        }
    }

    /// Adds the boxes and counts of `other`, bin by bin.
    #[inline(always)]
    pub(super) fn add<S: InstructionSet>(&mut self, set: S, other: &Self) {
        for axis in 0..3 {
            for bin in 0..B {
                let old = &mut self.boxes[axis][bin];
                *old = stored(S::F8::load(set, &old.0).min(S::F8::load(set, &other.boxes[axis][bin].0)));
                self.counts[bin][axis] += other.counts[bin][axis];
            }
        }
    }

    /// Returns the number of references left of `split`.
    pub(super) fn left_of(&self, split: &Split) -> usize {
        self.counts[..split.at].iter().map(|counts| counts[split.axis] as usize).sum()
    }

    /// Returns the split that costs least where references cost as much as the blocks that hold them. `around` is the
    /// box around all of them.
    #[inline(always)]
    pub(super) fn best_split<S: InstructionSet>(&self, set: S, around: &Bounds) -> Split {
        best_split(set, &self.boxes, &self.counts, None, around)
    }

    /// Returns the boxes around both sides of `split`.
    #[inline(always)]
    pub(super) fn sides<S: InstructionSet>(&self, set: S, split: &Split) -> [Lanes; 2] {
        let (left, right) = self.boxes[split.axis].split_at(split.at);
        let mut sides = [Lanes::EMPTY; 2];
        for (side, boxes) in sides.iter_mut().zip([left, right]) {
            let mut around = S::F8::load(set, &side.0);
            for lanes in boxes {
                around = around.min(S::F8::load(set, &lanes.0));
            }
            *side = stored(around);
        }
        sides
    }
}

/// Returns the split that costs least between two of `counts.len()` bins; `counts` are those of each bin on the three
/// axes. Of equal ones it is on the first axis, and there the first. With `places`, splits are only where these differ.
#[inline(always)]
pub(super) fn best_split<S: InstructionSet, const B: usize>(
    set: S,
    boxes: &[[Lanes; B]; 3],
    counts: &[[u32; 4]],
    places: Option<&[[f32; 4]; B]>,
    around: &Bounds,
) -> Split {
    let areas = Areas::within(*around);
    let count = counts.len().min(B);
    let none = <S::F4 as Vector<4>>::Words::splat(set, 0);
    let mut right_costs = [[0.0; 4]; B];
    let mut side = Side::<S>::empty(set);
    for at in (1..count).rev() {
        side.add(set, boxes, counts, at);
        right_costs[at] = side.cost(set, areas).store();
    }
    let mut side = Side::<S>::empty(set);
    let (mut best, mut best_at, mut best_left) = (S::F4::splat(set, f32::INFINITY), none, none);
    for at in 1..count {
        side.add(set, boxes, counts, at - 1);
        // Without references on one side the cost is NaN, which is not less than anything.
        let cost = side.cost(set, areas) + S::F4::load(set, &right_costs[at]);
        let mut is_less = cost.lt(best);
        if let Some(places) = places {
            is_less = is_less & S::F4::load(set, &places[at - 1]).lt(S::F4::load(set, &places[at]));
        }
        best = S::F4::select(is_less, cost, best);
        let here = <S::F4 as Vector<4>>::Words::splat(set, at as u32);
        best_at = <S::F4 as Vector<4>>::Words::select(is_less, here, best_at);
        best_left = <S::F4 as Vector<4>>::Words::select(is_less, side.count, best_left);
    }
    let (costs, at, left) = (best.store(), best_at.store(), best_left.store());
    let mut axis = 0;
    for other in 1..3 {
        if costs[other] < costs[axis] {
            axis = other;
        }
    }
    if costs[axis] == f32::INFINITY {
        return Split::NONE;
    }
    let cost = areas.in_scene_units(costs[axis]);
    Split { axis, at: at[axis] as usize, left: left[axis] as usize, cost }
}

/// Boxes and numbers of what lies on one side of a split, of each axis.
struct Side<S: InstructionSet> {
    lower: [S::F4; 3],
    upper: [S::F4; 3],
    count: <S::F4 as Vector<4>>::Words,
}

impl<S: InstructionSet> Side<S> {
    #[inline(always)]
    fn empty(set: S) -> Self {
        let none = S::F4::splat(set, f32::INFINITY);
        Self { lower: [none; 3], upper: [none; 3], count: Words::splat(set, 0) }
    }

    /// Adds the bin at `at` of each axis.
    #[inline(always)]
    fn add<const B: usize>(&mut self, set: S, boxes: &[[Lanes; B]; 3], counts: &[[u32; 4]], at: usize) {
        for axis in 0..3 {
            let [a, b, c, d, e, f, g, h] = boxes[axis][at].0;
            self.lower[axis] = self.lower[axis].min(S::F4::load(set, &[a, b, c, d]));
            self.upper[axis] = self.upper[axis].min(S::F4::load(set, &[e, f, g, h]));
        }
        self.count = self.count + Words::load(set, &counts[at]);
    }

    /// Returns the half area of the box of each axis, in the unit of `areas`, times the number of blocks.
    #[inline(always)]
    fn cost(&self, set: S, areas: Areas) -> S::F4 {
        // Negated, which the products of two lengths do not see.
        let scale = S::F4::splat(set, areas.scale());
        let mut rows = [[0; 4]; 4];
        for axis in 0..3 {
            rows[axis] = ((self.lower[axis] + self.upper[axis]) * scale).to_bits().store();
        }
        let [x, y, z, _] = <S::F4 as Vector<4>>::Words::transpose(set, [&rows[0], &rows[1], &rows[2], &rows[3]]);
        let (x, y, z) = (S::F4::from_bits(x), S::F4::from_bits(y), S::F4::from_bits(z));
        let more = <S::F4 as Vector<4>>::Words::splat(set, BLOCK as u32 - 1);
        let blocks = (self.count + more).shr(BLOCK.ilog2());
        (x * y + (x + y) * z) * S::F4::from_i32(blocks)
    }
}

/// Copies references to `to`, which is as long, those left of `split` from its start and the others from its end on;
/// returns the boxes around their centroids.
#[inline(always)]
pub(super) fn partition<S: InstructionSet, const B: usize>(
    set: S,
    from: &[Reference],
    to: &mut [Reference],
    map: &BinMap<B>,
    split: &Split,
) -> [Lanes; 2] {
    let ahead = Ahead::new(set, map, split);
    let none = S::F8::splat(set, f32::INFINITY);
    let (mut left, mut right) = (none, none);
    let (mut start, mut end) = (0, to.len());
    for reference in from {
        let is_left = ahead.is_left(set, reference);
        let centroid = centroid_of(set, reference);
        left = left.min(S::F8::select(is_left, centroid, none));
        right = right.min(S::F8::select(is_left, none, centroid));
        // Written to both sides, and counted on one: no processor could guess which.
        if let Some(last) = to.get_mut(end.wrapping_sub(1)) {
            *last = *reference;
        }
        if let Some(first) = to.get_mut(start) {
            *first = *reference;
        }
        let is_left = is_left.bits() as usize & 1;
        start += is_left;
        end -= 1 - is_left;
    }
    [stored(left), stored(right)]
}

/// Copies references to where their side of `split` goes, both sides in order; returns the boxes around the sides.
#[inline(always)]
pub(super) fn copy<S: InstructionSet, const B: usize>(
    set: S,
    from: &[Reference],
    [to_left, to_right]: [&mut [Reference]; 2],
    map: &BinMap<B>,
    split: &Split,
) -> Sides {
    let ahead = Ahead::new(set, map, split);
    let none = S::F8::splat(set, f32::INFINITY);
    let mut boxes = [none; 2];
    let mut centroids = [none; 2];
    let (mut i, mut j) = (0, 0);
    for reference in from {
        let is_left = ahead.is_left(set, reference);
        let (around, centroid) = (box_of(set, reference), centroid_of(set, reference));
        boxes[0] = boxes[0].min(S::F8::select(is_left, around, none));
        boxes[1] = boxes[1].min(S::F8::select(is_left, none, around));
        centroids[0] = centroids[0].min(S::F8::select(is_left, centroid, none));
        centroids[1] = centroids[1].min(S::F8::select(is_left, none, centroid));
        // Written to both sides, and counted on one: no processor could guess which.
        if let Some(to) = to_left.get_mut(i) {
            *to = *reference;
        }
        if let Some(to) = to_right.get_mut(j) {
            *to = *reference;
        }
        let is_left = is_left.bits() as usize & 1;
        i += is_left;
        j += 1 - is_left;
    }
    Sides { boxes: [stored(boxes[0]), stored(boxes[1])], centroids: [stored(centroids[0]), stored(centroids[1])] }
}

/// What tells on which side of a split a reference lies, the same in all lanes.
struct Ahead<S: InstructionSet, const B: usize> {
    axis: usize,
    min: S::F8,
    scale: S::F8,
    at: S::F8,
}

impl<S: InstructionSet, const B: usize> Ahead<S, B> {
    #[inline(always)]
    fn new(set: S, map: &BinMap<B>, split: &Split) -> Self {
        let axis = split.axis & 3;
        let (min, scale) = (S::F8::splat(set, map.min[axis]), S::F8::splat(set, map.scale[axis]));
        Self { axis, min, scale, at: S::F8::splat(set, TO_INTEGER + split.at as f32) }
    }

    #[inline(always)]
    fn is_left(&self, set: S, reference: &Reference) -> <S::F8 as Vector<8>>::Mask {
        let quarter = S::F8::splat(set, 0.25);
        let [lower, upper] = reference.corners();
        let (lower, upper) = (S::F8::splat(set, lower[self.axis]), S::F8::splat(set, upper[self.axis]));
        let centroid = lower * quarter + upper * quarter;
        place::<8, B, S::F8>(set, centroid, self.min, self.scale).lt(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::bins;
    use crate::reference::RangeBounds;
    use raywarp_geom::Aabb;
    use raywarp_lanes::{Isa, Task};
    use raywarp_testing::Random;

    /// Divides references at the best border between bins, into the second slice and into the third.
    struct Best<'a>(&'a [Reference], [&'a mut Vec<Reference>; 2]);

    impl Task for Best<'_> {
        type Output = Option<(Split, [Sides; 2])>;

        #[inline(always)]
        fn run<S: InstructionSet>(self, set: S) -> Self::Output {
            let Self(references, [parted, copied]) = self;
            let bounds = RangeBounds::of_few(references);
            let map = BinMap::<16>::new(&bounds.centroids);
            // In two parts, as large ranges are.
            let (first, second) = references.split_at(references.len() / 3);
            let (mut bins, mut others) = (Bins::EMPTY, Bins::EMPTY);
            bins.fill(set, first, &map);
            others.fill(set, second, &map);
            bins.add(set, &others);
            let split = bins.best_split(set, &bounds.boxes);
            if split.left == 0 {
                return None;
            }
            assert_eq!(bins.left_of(&split), split.left);
            let centroids = partition(set, references, parted, &map, &split);
            let (left, right) = copied.split_at_mut(split.left);
            let sides = copy(set, references, [left, right], &map, &split);
            Some((split, [Sides { boxes: bins.sides(set, &split), centroids }, sides]))
        }
    }

    /// Returns the cost of the best split between bins, where references cost as the blocks that hold them.
    fn least(references: &[Reference]) -> f64 {
        let map = bins::BinMap::<16>::new(&RangeBounds::of_few(references).centroids);
        let mut least = f64::INFINITY;
        for axis in 0..3 {
            for at in 1..16 {
                let is_left = |reference: &&Reference| map.bins(reference)[axis] < at;
                let (left, right): (Vec<&Reference>, Vec<&Reference>) = references.iter().partition(is_left);
                let cost = |side: &[&Reference]| {
                    let around = side.iter().fold(Bounds::EMPTY, |all, reference| all.union(reference.bounds()));
                    around.half_area() * side.len().div_ceil(4) as f64
                };
                if !left.is_empty() && !right.is_empty() {
                    least = least.min(cost(&left) + cost(&right));
                }
            }
        }
        least
    }

    #[test]
    fn the_best_border_is_found_and_kept_on_every_instruction_set() {
        let mut random = Random::new(8);
        for round in 0..600 {
            let scale = [1.0, 1e-30, 1e30][round % 3];
            let flat = round % 4;
            let count = 9 + round % 60;
            let mut reference = |i: usize| {
                let mut min = [(); 3].map(|()| (random.unit() * 30.0).round() * scale);
                let mut max = min.map(|x| x + random.unit() * scale);
                if flat < 3 {
                    (min[flat], max[flat]) = (0.0, 0.0);
                }
                Reference::new(&Aabb { min, max }, i as u32)
            };
            let references: Vec<Reference> = (0..count).map(&mut reference).collect();
            let want = least(&references);
            let mut first = None;
            for isa in Isa::all() {
                let none = || vec![Reference::NONE; count];
                let (mut parted, mut copied) = (none(), none());
                let (split, sides) = isa.run(Best(&references, [&mut parted, &mut copied])).expect("there is a split");
                assert!((split.cost - want).abs() <= 1e-5 * want, "{isa}, {round}: {split:?} for {want}");
                let names = |all: &[Reference]| all.iter().map(Reference::primitive).collect::<Vec<u32>>();
                let order = (names(&parted), names(&copied));
                assert_eq!(*first.get_or_insert(order.clone()), order, "{isa}");
                for (all, sides) in [&parted, &copied].into_iter().zip(sides) {
                    let (left, right) = all.split_at(split.left);
                    for (side, bounds) in [left, right].into_iter().zip(sides.bounds()) {
                        let want = RangeBounds::of_few(side);
                        assert_eq!((bounds.boxes, bounds.centroids), (want.boxes, want.centroids), "{isa}, {round}");
                    }
                    let mut primitives = names(all);
                    primitives.sort_unstable();
                    assert!(primitives.into_iter().eq(0..count as u32), "one is lost");
                }
                assert!(copied[..split.left].is_sorted_by_key(Reference::primitive));
                assert!(copied[split.left..].is_sorted_by_key(Reference::primitive));
            }
        }
    }

    #[test]
    fn equal_centroids_have_no_split() {
        let references: Vec<Reference> =
            (0..40).map(|i| Reference::new(&Aabb { min: [1.0; 3], max: [2.0; 3] }, i)).collect();
        for isa in Isa::all() {
            assert!(isa.run(Best(&references, [&mut Vec::new(), &mut Vec::new()])).is_none(), "{isa}");
        }
    }
}
