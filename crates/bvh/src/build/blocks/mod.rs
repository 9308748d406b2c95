//! Builder for kernels that test four triangles at once: bins and sweeps that count blocks, in SIMD.
//!
//! [`Builder::BinnedBlocks`](super::Builder::BinnedBlocks) divides as the binned builder does, but costs count blocks,
//! and what one block holds is a leaf unless its parts are smaller together. Fewer bins for small ranges do as well
//! there. Boxes are vectors of eight lanes with their upper corners negated ([`lanes`]), so that a union is one
//! instruction; nothing branches on which side a reference goes to, which no processor guesses.
//!
//! Every instruction set and any number of threads give the same tree: minima are exact in any order, and the order of
//! references depends on sizes alone.

mod bins;
mod few;
mod lanes;

use super::binned_sah::{BINS, Divided, FEW_BINS, MANY, Method, Place, halve};
use super::cost::{Decision, LeafRules, Split};
use super::subtree::{Slot, SmallTree};
use crate::reference::{RangeBounds, Reference};
use crate::watch::Watch;
use bins::{BinMap, Bins, copy, partition};
use few::{FEW, around, split_few};
use lanes::Sides;
use raywarp_lanes::{InstructionSet, Isa, Task};

/// Largest number of references that only [`LEAST_BINS`] bins are made for.
const SOME: usize = 31;
const LEAST_BINS: usize = 8;

/// Builder that counts blocks, on an instruction set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks(pub(super) Isa);

impl Method for Blocks {
    type Bins = Box<Bins<BINS>>;

    fn build_small(
        self,
        tree: &mut SmallTree,
        root: Slot,
        arrays: [&mut [Reference]; 2],
        at: Place,
        rules: &LeafRules,
        watch: &Watch<'_>,
    ) {
        self.0.run(Small { tree, root, arrays, at, rules, watch });
    }

    fn divide(self, arrays: [&mut [Reference]; 2], at: &Place, rules: &LeafRules) -> Divided {
        self.0.run(Divide { arrays, at, rules })
    }

    fn bins(self, chunk: &[Reference], bounds: &RangeBounds) -> Self::Bins {
        self.0.run(Count { references: chunk, bounds })
    }

    fn best_split(self, chunks: &[Self::Bins], bounds: &RangeBounds) -> Split {
        self.0.run(Best { chunks, bounds })
    }

    fn left_of(self, bins: &Self::Bins, split: &Split) -> usize {
        bins.left_of(split)
    }

    fn copy(
        self,
        from: &[Reference],
        to: [&mut [Reference]; 2],
        bounds: &RangeBounds,
        split: &Split,
    ) -> [RangeBounds; 2] {
        self.0.run(Copied { from, to, bounds, split })
    }
}

/// Task of [`Blocks::build_small`].
struct Small<'a, 'w> {
    tree: &'a mut SmallTree,
    root: Slot,
    arrays: [&'a mut [Reference]; 2],
    at: Place,
    rules: &'a LeafRules,
    watch: &'a Watch<'w>,
}

/// Range whose subtree is still to be built, in the second of the arrays where it is moved.
#[derive(Clone, Copy)]
struct Open {
    slot: Slot,
    start: usize,
    end: usize,
    is_moved: bool,
    at: Place,
}

impl Task for Small<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) {
        let Self { tree, root, arrays: [first, second], at, rules, watch } = self;
        let (mut open, count) = (Vec::new(), first.len());
        let mut next = Some(Open { slot: root, start: 0, end: count, is_moved: false, at });
        while let Some(Open { slot, start, end, is_moved, at }) = next {
            let mut arrays = [&mut first[start..end], &mut second[start..end]];
            if is_moved {
                arrays.reverse();
            }
            let [range, other] = arrays;
            let divided = match range.len() {
                0 | 1 => Divided::LEAF,
                2..=FEW => divide_few(set, range, &at, rules),
                ..=SOME => divide::<S, LEAST_BINS>(set, range, other, &at, rules),
                // No part of a tree that anybody sees.
                MANY.. if watch.is_stopped() => Divided::LEAF,
                MANY.. => divide::<S, BINS>(set, range, other, &at, rules),
                _ => divide::<S, FEW_BINS>(set, range, other, &at, rules),
            };
            let Some((left_count, [left, right])) = divided.halves else {
                tree.leaf(slot, at.bounds.boxes, range.iter().map(Reference::primitive));
                next = open.pop();
                continue;
            };
            let [left_slot, right_slot] = tree.inner(slot, at.bounds.boxes);
            let (middle, depth, is_moved) = (start + left_count, at.depth + 1, is_moved ^ divided.is_moved);
            open.push(Open { slot: right_slot, start: middle, end, is_moved, at: Place { bounds: right, depth } });
            next = Some(Open { slot: left_slot, start, end: middle, is_moved, at: Place { bounds: left, depth } });
        }
    }
}

/// Divides a few references at the best of all splits between them.
#[inline(always)]
fn divide_few<S: InstructionSet>(set: S, references: &mut [Reference], at: &Place, rules: &LeafRules) -> Divided {
    let Place { bounds, depth } = at;
    let split = split_few(set, references, &bounds.boxes);
    match rules.decide(references.len(), bounds.boxes.half_area(), &split, *depth) {
        Decision::Leaf => Divided::LEAF,
        Decision::Halve => Divided::here(halve(references, bounds)),
        Decision::Split => {
            let (left, right) = references.split_at(split.left);
            Divided::here((split.left, [around(set, left), around(set, right)]))
        }
    }
}

/// Divides a range at the border between bins that costs least, with its parts in `other`, which is as long.
#[inline(always)]
fn divide<S: InstructionSet, const B: usize>(
    set: S,
    references: &mut [Reference],
    other: &mut [Reference],
    at: &Place,
    rules: &LeafRules,
) -> Divided {
    let Place { bounds, depth } = at;
    let map = BinMap::<B>::new(&bounds.centroids);
    let mut bins = Bins::EMPTY;
    bins.fill(set, references, &map);
    let split = bins.best_split(set, &bounds.boxes);
    match rules.decide(references.len(), bounds.boxes.half_area(), &split, *depth) {
        Decision::Leaf => Divided::LEAF,
        Decision::Halve => Divided::here(halve(references, bounds)),
        Decision::Split => {
            let centroids = partition(set, references, other, &map, &split);
            let sides = Sides { boxes: bins.sides(set, &split), centroids };
            Divided { halves: Some((split.left, sides.bounds())), is_moved: true }
        }
    }
}

/// Task of [`Blocks::divide`].
struct Divide<'a> {
    arrays: [&'a mut [Reference]; 2],
    at: &'a Place,
    rules: &'a LeafRules,
}

impl Task for Divide<'_> {
    type Output = Divided;

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) -> Divided {
        let [references, other] = self.arrays;
        divide::<S, BINS>(set, references, other, self.at, self.rules)
    }
}

/// Task of [`Blocks::bins`].
struct Count<'a> {
    references: &'a [Reference],
    bounds: &'a RangeBounds,
}

impl Task for Count<'_> {
    type Output = Box<Bins<BINS>>;

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) -> Self::Output {
        let mut bins = Box::new(Bins::EMPTY);
        bins.fill(set, self.references, &BinMap::new(&self.bounds.centroids));
        bins
    }
}

/// Task of [`Blocks::split`].
struct Best<'a> {
    chunks: &'a [Box<Bins<BINS>>],
    bounds: &'a RangeBounds,
}

impl Task for Best<'_> {
    type Output = Split;

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) -> Split {
        let Some((first, others)) = self.chunks.split_first() else { return Split::NONE };
        let mut all = (**first).clone();
        for other in others {
            all.add(set, other);
        }
        all.best_split(set, &self.bounds.boxes)
    }
}

/// Task of [`Blocks::copy`].
struct Copied<'a> {
    from: &'a [Reference],
    to: [&'a mut [Reference]; 2],
    bounds: &'a RangeBounds,
    split: &'a Split,
}

impl Task for Copied<'_> {
    type Output = [RangeBounds; 2];

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) -> Self::Output {
        copy(set, self.from, self.to, &BinMap::<BINS>::new(&self.bounds.centroids), self.split).bounds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::BuildOptions;
    use crate::build::subtree::Store;
    use crate::presets;
    use raywarp_geom::Aabb;
    use raywarp_testing::Random;

    #[test]
    fn every_instruction_set_builds_the_same_tree() {
        let mut random = Random::new(5);
        for count in [1, 2, 5, 8, 9, 31, 32, 255, 256, 5000] {
            let mut reference = |i: usize| {
                let size = if i.is_multiple_of(7) { 0.5 } else { 0.01 };
                let min = [(); 3].map(|()| (random.unit() * 50.0).round() / 50.0);
                Reference::new(&Aabb { min, max: min.map(|x| x + size * random.unit()) }, i as u32)
            };
            let references: Vec<Reference> = (0..count).map(&mut reference).collect();
            let at = Place { bounds: RangeBounds::of_few(&references), depth: 0 };
            for options in [presets::BLOCKS, BuildOptions { max_leaf: 4, ..presets::BLOCKS }] {
                let built = |isa| {
                    let (mut tree, root) = SmallTree::new(count);
                    let (mut first, mut second) = (references.clone(), vec![Reference::NONE; count]);
                    let (rules, watch) = (LeafRules::new(&options), Watch::nothing());
                    Blocks(isa).build_small(&mut tree, root, [&mut first, &mut second], at, &rules, &watch);
                    let store = Store::new(count);
                    let root = store.keep(&tree);
                    root.flatten(store, &watch).unwrap()
                };
                let first = built(Isa::all()[0]);
                assert!(Isa::all().into_iter().all(|isa| built(isa) == first), "{count}");
                let mut primitives = first.1;
                primitives.sort_unstable();
                assert!(primitives.into_iter().eq(0..count as u32), "{count}");
            }
        }
    }
}
