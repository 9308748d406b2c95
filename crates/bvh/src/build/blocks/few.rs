//! The exact sweep for a handful of references, where bins cost more than ranks.

use super::bins::best_split;
use super::lanes::{Lanes, box_of, centroid_of, stored};
use crate::build::area::Areas;
use crate::build::cost::Split;
use crate::build::small_sweep::{split_pair, split_triple};
use crate::reference::{Bounds, RangeBounds, Reference};
use raywarp_lanes::{InstructionSet, Mask, Vector, Words};

/// Largest number of references that [`sort_few`] takes.
pub(super) const FEW: usize = 8;

/// Returns the bounds of a few references.
#[inline(always)]
pub(super) fn around<S: InstructionSet>(set: S, references: &[Reference]) -> RangeBounds {
    let none = S::F8::splat(set, f32::INFINITY);
    let (mut boxes, mut centroids) = (none, none);
    for reference in references {
        boxes = boxes.min(box_of(set, reference));
        centroids = centroids.min(centroid_of(set, reference));
    }
    RangeBounds { boxes: stored(boxes).bounds(), centroids: stored(centroids).bounds() }
}

/// Finds the best split of 2 to [`FEW`] references and puts those first that go left, `left` of them. `around` is the
/// box around all.
#[inline(always)]
pub(super) fn split_few<S: InstructionSet>(set: S, references: &mut [Reference], around: &Bounds) -> Split {
    // Most ranges of a tree are pairs and triples: they have one split and three, whatever the axis.
    match references {
        [a, b] => split_pair(a, b),
        [a, b, c] => split_triple(a, b, c, 1.0),
        [a, b, c, d] => split_four(a, b, c, d),
        _ => sort_few(set, references, around),
    }
}

/// Finds the best split between neighbouring centroids on the three axes, and sorts the references along its axis.
#[inline(always)]
fn sort_few<S: InstructionSet>(set: S, references: &mut [Reference], around: &Bounds) -> Split {
    let count = references.len().min(FEW);
    let mut copy = [Reference::NONE; FEW];
    copy[..count].copy_from_slice(&references[..count]);
    // Those that are not there come last.
    let mut along = [[f32::INFINITY; FEW]; 3];
    for (i, reference) in copy[..count].iter().enumerate() {
        let centroid = reference.centroid();
        for axis in 0..3 {
            along[axis][i] = centroid[axis];
        }
    }
    let mut boxes = [[Lanes::EMPTY; FEW]; 3];
    let mut places = [[0.0; 4]; FEW];
    let mut ranks = [[0; FEW]; 3];
    for axis in 0..3 {
        ranks[axis] = rank(set, &along[axis]);
        for i in 0..count {
            let rank = ranks[axis][i] as usize & (FEW - 1);
            boxes[axis][rank] = stored(box_of(set, &copy[i]));
            places[rank][axis] = along[axis][i];
        }
    }
    let counts = [[1; 4]; FEW];
    let split = best_split(set, &boxes, &counts[..count], Some(&places), around);
    if split.left > 0 {
        for i in 0..count {
            references[ranks[split.axis][i] as usize & (FEW - 1)] = copy[i];
        }
    }
    split
}

/// Divides four references that fit into a block in the way in which the boxes of the two parts are smallest, and
/// returns that split: all seven ways are tried, where the sweep would try nine and miss some.
#[inline(always)]
fn split_four(a: &mut Reference, b: &mut Reference, c: &mut Reference, d: &mut Reference) -> Split {
    let [p, q, r, s] = [&*a, &*b, &*c, &*d].map(Reference::bounds);
    let [pq, rs] = [p.union(q), r.union(s)];
    let areas = Areas::within(pq.union(rs));
    let area = |bounds| areas.half_area(bounds);
    // The first stands alone on the left, or the first two stand together.
    let costs = [
        area(p) + area(q.union(rs)),
        area(q) + area(p.union(rs)),
        area(r) + area(pq.union(s)),
        area(s) + area(pq.union(r)),
        area(pq) + area(rs),
        area(p.union(r)) + area(q.union(s)),
        area(p.union(s)) + area(q.union(r)),
    ];
    let mut best = 0;
    for way in 1..costs.len() {
        if costs[way] < costs[best] {
            best = way;
        }
    }
    match best {
        1 => std::mem::swap(a, b),
        2 => std::mem::swap(a, c),
        3 => std::mem::swap(a, d),
        5 => std::mem::swap(b, c),
        6 => std::mem::swap(b, d),
        _ => {}
    }
    let left = if best < 4 { 1 } else { 2 };
    Split { axis: 0, at: left, left, cost: areas.in_scene_units(costs[best]) }
}

/// Returns the place of each number among all in their order; equal ones stay in theirs.
#[inline(always)]
fn rank<S: InstructionSet>(set: S, numbers: &[f32; FEW]) -> [u32; FEW] {
    type W<S> = <<S as InstructionSet>::F8 as Vector<8>>::Words;
    let all = S::F8::load(set, numbers);
    let (none, one) = (W::<S>::splat(set, 0), W::<S>::splat(set, 1));
    let mut ranks = none;
    for i in 0..FEW {
        let this = S::F8::splat(set, numbers[i]);
        // Lanes behind `i`.
        let behind = <S::F8 as Vector<8>>::Mask::from_bits(set, !((2 << i) - 1));
        let is_before = this.lt(all) | (this.le(all) & behind);
        ranks = ranks + W::<S>::select(is_before, one, none);
    }
    ranks.store()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::Aabb;
    use raywarp_lanes::{Isa, Task};
    use raywarp_testing::Random;

    struct SplitFew<'a>(&'a mut [Reference]);

    impl Task for SplitFew<'_> {
        type Output = Split;

        #[inline(always)]
        fn run<S: InstructionSet>(self, set: S) -> Split {
            let bounds = around(set, self.0).boxes;
            split_few(set, self.0, &bounds)
        }
    }

    fn area<'a>(side: impl Iterator<Item = &'a Reference>) -> f64 {
        side.fold(Bounds::EMPTY, |all, reference| all.union(reference.bounds())).half_area()
    }

    /// Returns the least cost of all divisions of references in two, where those on a side fit into a block.
    fn least(references: &[Reference]) -> f64 {
        let side = |ways: usize, left: bool| {
            let own = references.iter().enumerate().filter(|(i, _)| (ways >> i & 1 == 1) == left);
            area(own.map(|(_, reference)| reference))
        };
        (1..(1 << references.len()) - 1).map(|ways| side(ways, true) + side(ways, false)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the least cost of all divisions between two centroids along an axis that differ.
    fn least_sorted(references: &[Reference]) -> f64 {
        let mut least = f64::INFINITY;
        for axis in 0..3 {
            let mut sorted = references.to_vec();
            sorted.sort_by(|a, b| a.centroid()[axis].total_cmp(&b.centroid()[axis]));
            for at in 1..sorted.len() {
                let (left, right) = sorted.split_at(at);
                if left[at - 1].centroid()[axis] < right[0].centroid()[axis] {
                    let cost = |side: &[Reference]| area(side.iter()) * side.len().div_ceil(4) as f64;
                    least = least.min(cost(left) + cost(right));
                }
            }
        }
        least
    }

    #[test]
    fn a_few_are_divided_at_the_best_place_on_every_instruction_set() {
        let mut random = Random::new(3);
        for round in 0..4000 {
            let count = 2 + round % (FEW - 1);
            // Some centroids are equal along an axis, or all of them.
            let coarse = if round % 3 == 0 { 2.0 } else { 1e6 };
            let size = if round % 50 == 0 { 0.0 } else { coarse };
            let mut reference = |i: usize| {
                let min = [(); 3].map(|()| (random.unit() * size).round() / coarse);
                let extent = if coarse < 3.0 { 0.25 } else { 0.5 * random.unit() };
                Reference::new(&Aabb { min, max: min.map(|x| x + extent) }, i as u32)
            };
            let references: Vec<Reference> = (0..count).map(&mut reference).collect();
            let centroids: Vec<_> = references.iter().map(Reference::centroid).collect();
            let want = if centroids.iter().all(|centroid| *centroid == centroids[0]) {
                f64::INFINITY
            } else if count <= 4 {
                least(&references)
            } else {
                least_sorted(&references)
            };
            let mut first = None;
            for isa in Isa::all() {
                let mut references = references.clone();
                let split = isa.run(SplitFew(&mut references));
                let order: Vec<u32> = references.iter().map(Reference::primitive).collect();
                assert_eq!(*first.get_or_insert((split.left, order.clone())), (split.left, order.clone()), "{isa}");
                let (left, right) = references.split_at(split.left);
                let cost = |side: &[Reference]| area(side.iter()) * side.len().div_ceil(4) as f64;
                if want.is_finite() {
                    let got = cost(left) + cost(right);
                    let is_close = |cost: f64| (cost - want).abs() <= 1e-5 * want;
                    assert!(is_close(got) && is_close(split.cost), "{isa}, {count}: {split:?}, {got} for {want}");
                } else if count != 4 {
                    assert_eq!(split.cost, want, "{isa}, {count}");
                }
                let mut primitives = order;
                primitives.sort_unstable();
                assert!(primitives.into_iter().eq(0..count as u32), "one is lost");
            }
        }
    }
}
