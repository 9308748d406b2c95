//! Parallel builder with binned surface area heuristic: the default.
//!
//! Source: Wald 2007, "On fast construction of SAH-based bounding volume hierarchies". Departures:
//! the last [`SMALL`] references of a branch are swept exactly, which costs no more than bins there;
//! a bin is found by rounding instead of truncation, which any monotone map may replace.
//!
//! [`Builder::BinnedBlocks`] is the same builder for kernels that test [`BLOCK`] triangles at once: costs count blocks,
//! and what one block holds is a leaf unless its parts are smaller together. Fewer bins for small ranges do as well
//! there.
//!
//! The result does not depend on the number of threads: the size of a range alone decides how it is
//! worked on, a parallel partition keeps the order, and minima, maxima and counts are exact in any
//! order (boxes hold no NaN and no negative zero).

use super::Builder;
use super::bins::{BinMap, Bins};
use super::cost::{Decision, LeafRules, Split};
use super::options::BLOCK;
use super::small_sweep::{SMALL, sort_best};
use super::subtree::{Slot, SmallTree, Store, Subtree};
use crate::parallel;
use crate::reference::{RangeBounds, Reference};
use crate::watch::{Stopped, Watch};

/// Largest number of references in a range that one task builds alone.
const TASK: usize = 1 << 12;
/// Least number of references in a range that is binned and partitioned in parallel, [`CHUNK`] references at a time.
const PARALLEL: usize = 1 << 16;
const CHUNK: usize = 1 << 14;
/// Number of bins for ranges of at least [`MANY`] references; the smaller number for other ranges follows.
pub(super) const BINS: usize = 32;
pub(super) const FEW_BINS: usize = 16;
pub(super) const MANY: usize = 256;
/// Where costs count blocks: the largest range that is swept, and the largest with the least number of bins.
const SMALL_BLOCKS: usize = 8;
const FEW: usize = 31;
const LEAST_BINS: usize = 8;

/// Result of dividing a range: the number of references in the left part, and the bounds of both parts.
pub(super) type Halves = (usize, [RangeBounds; 2]);

/// Builds a tree over at least one reference by binned surface area heuristic. Reorders `references`.
pub(super) fn build(
    references: &mut [Reference],
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    watch.begin(Builder::BinnedSah.weight(), work_of(references.len()))?;
    let bounds = RangeBounds::of(references, watch)?;
    // Filled in parallel, since the first touch of so much memory takes longer than the filling.
    let scratch_count = if references.len() < PARALLEL { 0 } else { references.len() };
    let mut scratch = parallel::map(watch, scratch_count, &|_| Reference::NONE)?;
    let tree = match rules.block {
        BLOCK => build_range::<BLOCK>(references, &mut scratch, bounds, 0, rules, store, watch),
        _ => build_range::<1>(references, &mut scratch, bounds, 0, rules, store, watch),
    };
    if tree.is_err() {
        parallel::free(scratch);
    }
    tree
}

/// Returns the work of dividing a range of `count` references down to its leaves, in some unit: about that of touching
/// a reference once.
pub(super) fn work_of(count: usize) -> f64 {
    count as f64 * f64::from(usize::BITS - count.leading_zeros())
}

/// Builds the subtree of a range of references, large ones in parallel. `scratch` is as long as `references`, or may be
/// shorter where that is below [`PARALLEL`]. Costs count blocks of `N`.
fn build_range<const N: usize>(
    references: &mut [Reference],
    scratch: &mut [Reference],
    bounds: RangeBounds,
    depth: u32,
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    watch.look()?;
    let count = references.len();
    let (halves, in_scratch) = match count {
        0..=TASK => (None, false),
        PARALLEL.. => divide_parallel::<N>(references, scratch, &bounds, depth, rules, watch)?,
        _ => (divide::<BINS, N>(references, &bounds, depth, rules), false),
    };
    let Some((left_count, [left_bounds, right_bounds])) = halves else {
        let (mut tree, root) = SmallTree::new(count);
        build_small::<N>(&mut tree, root, references, bounds, depth, rules, watch);
        watch.advance(work_of(count));
        return Ok(store.keep(&tree));
    };
    watch.advance(work_of(count) - work_of(left_count) - work_of(count - left_count));
    // After a parallel partition the two arrays have swapped their roles.
    let (now, next) = if in_scratch { (scratch, references) } else { (references, scratch) };
    let (left, right) = now.split_at_mut(left_count);
    let (left_scratch, right_scratch) = next.split_at_mut(left_count.min(next.len()));
    let (left, right) = parallel::join(
        || build_range::<N>(left, left_scratch, left_bounds, depth + 1, rules, store, watch),
        || build_range::<N>(right, right_scratch, right_bounds, depth + 1, rules, store, watch),
    );
    Ok(Subtree::join(left?, right?))
}

/// Builds the subtree of a small range on this thread, at `slot` of `tree`.
fn build_small<const N: usize>(
    tree: &mut SmallTree,
    slot: Slot,
    references: &mut [Reference],
    bounds: RangeBounds,
    depth: u32,
    rules: &LeafRules,
    watch: &Watch<'_>,
) {
    let halves = match references.len() {
        0 | 1 => None,
        2..=SMALL_BLOCKS => divide_sorted::<N>(references, &bounds, depth, rules),
        ..=SMALL if N == 1 => divide_sorted::<N>(references, &bounds, depth, rules),
        ..=FEW if N != 1 => divide::<LEAST_BINS, N>(references, &bounds, depth, rules),
        // No part of a tree that anybody sees.
        MANY.. if watch.is_stopped() => None,
        MANY.. => divide::<BINS, N>(references, &bounds, depth, rules),
        _ => divide::<FEW_BINS, N>(references, &bounds, depth, rules),
    };
    let Some((left_count, [left_bounds, right_bounds])) = halves else {
        tree.leaf(slot, bounds.boxes, references.iter().map(Reference::primitive));
        return;
    };
    let [left_slot, right_slot] = tree.inner(slot, bounds.boxes);
    let (left, right) = references.split_at_mut(left_count);
    build_small::<N>(tree, left_slot, left, left_bounds, depth + 1, rules, watch);
    build_small::<N>(tree, right_slot, right, right_bounds, depth + 1, rules, watch);
}

/// Divides a few references at the best of all splits between them. `None` makes a leaf.
fn divide_sorted<const N: usize>(
    references: &mut [Reference],
    bounds: &RangeBounds,
    depth: u32,
    rules: &LeafRules,
) -> Option<Halves> {
    let split = sort_best::<N>(references);
    match rules.decide(references.len(), bounds.boxes.half_area(), &split, depth) {
        Decision::Leaf => None,
        Decision::Halve => Some(halve(references, bounds)),
        Decision::Split => {
            let (left, right) = references.split_at(split.left);
            Some((split.left, [left, right].map(RangeBounds::of_few)))
        }
    }
}

/// Divides a range in place at the border between bins that costs least. `None` makes a leaf.
//
// Not inlined: the bins would stay on the stack of every level of the recursion.
#[inline(never)]
fn divide<const B: usize, const N: usize>(
    references: &mut [Reference],
    bounds: &RangeBounds,
    depth: u32,
    rules: &LeafRules,
) -> Option<Halves> {
    let map = BinMap::<B>::new(&bounds.centroids);
    let split = Bins::of(references, &map).best_split_of::<N>(&bounds.boxes);
    match rules.decide(references.len(), bounds.boxes.half_area(), &split, depth) {
        Decision::Leaf => None,
        Decision::Halve => Some(halve(references, bounds)),
        Decision::Split => Some(partition(references, &map, &split)),
    }
}

/// Reorders references in place so that those left of `split` come first, and returns the sides' bounds.
fn partition<const B: usize>(references: &mut [Reference], map: &BinMap<B>, split: &Split) -> Halves {
    let mut sides = [RangeBounds::EMPTY; 2];
    let (mut i, mut end) = (0, references.len());
    while i < end {
        let reference = references[i];
        if map.is_left(&reference, split) {
            sides[0] = sides[0].with(&reference);
            i += 1;
        } else {
            sides[1] = sides[1].with(&reference);
            end -= 1;
            references.swap(i, end);
        }
    }
    (i, sides)
}

/// Divides a large range in parallel as [`divide`] does; the second value is `true` if the parts are now in `scratch`.
fn divide_parallel<const N: usize>(
    references: &mut [Reference],
    scratch: &mut [Reference],
    bounds: &RangeBounds,
    depth: u32,
    rules: &LeafRules,
    watch: &Watch<'_>,
) -> Result<(Option<Halves>, bool), Stopped> {
    let map = BinMap::<BINS>::new(&bounds.centroids);
    let chunk_bins = parallel::map_chunks(watch, references, CHUNK, &|chunk| Bins::of(chunk, &map))?;
    let mut bins = chunk_bins[0].clone();
    for other in &chunk_bins[1..] {
        bins.add(other);
    }
    let split = bins.best_split_of::<N>(&bounds.boxes);
    Ok(match rules.decide(references.len(), bounds.boxes.half_area(), &split, depth) {
        Decision::Leaf => (None, false),
        Decision::Halve => (Some(halve(references, bounds)), false),
        Decision::Split => {
            let lefts: Vec<usize> = chunk_bins.iter().map(|bins| bins.left_of(&split)).collect();
            (Some(partition_parallel(references, scratch, &map, &split, &lefts, watch)?), true)
        }
    })
}

/// Copies `references` to `scratch` in parallel, those left of `split` first; both sides keep their order. `lefts`
/// tells how many of each chunk go left.
fn partition_parallel(
    references: &[Reference],
    scratch: &mut [Reference],
    map: &BinMap<BINS>,
    split: &Split,
    lefts: &[usize],
    watch: &Watch<'_>,
) -> Result<Halves, Stopped> {
    let (mut left, mut right) = scratch.split_at_mut(split.left);
    let mut tasks = Vec::with_capacity(lefts.len());
    for (chunk, &left_count) in references.chunks(CHUNK).zip(lefts) {
        let (to_left, left_rest) = left.split_at_mut(left_count);
        let (to_right, right_rest) = right.split_at_mut(chunk.len() - left_count);
        tasks.push((chunk, to_left, to_right));
        (left, right) = (left_rest, right_rest);
    }
    let copy = |(chunk, to_left, to_right): (&[Reference], &mut [Reference], &mut [Reference])| {
        let mut sides = [RangeBounds::EMPTY; 2];
        let (mut i, mut j) = (0, 0);
        for reference in chunk {
            if map.is_left(reference, split) {
                sides[0] = sides[0].with(reference);
                to_left[i] = *reference;
                i += 1;
            } else {
                sides[1] = sides[1].with(reference);
                to_right[j] = *reference;
                j += 1;
            }
        }
        sides
    };
    let both = |a: [RangeBounds; 2], b: [RangeBounds; 2]| [a[0].union(b[0]), a[1].union(b[1])];
    let sides = parallel::run_each(watch, tasks, &copy)?;
    Ok((split.left, sides.into_iter().fold([RangeBounds::EMPTY; 2], both)))
}

/// Divides references into two halves of equal count, by centroid along the longest axis of the box around all
/// centroids.
pub(super) fn halve(references: &mut [Reference], bounds: &RangeBounds) -> Halves {
    let axis = bounds.centroids.longest_axis();
    let middle = references.len() / 2;
    let key = |r: &Reference| (r.centroid()[axis], r.primitive());
    references.select_nth_unstable_by(middle, |a, b| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    let (left, right) = references.split_at(middle);
    (middle, [left, right].map(RangeBounds::of_few))
}
