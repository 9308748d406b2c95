//! Parallel builder with binned surface area heuristic: the default.
//!
//! Source: Wald 2007, "On fast construction of SAH-based bounding volume hierarchies". Departures:
//! the last [`SMALL`] references of a branch are swept exactly, which costs no more than bins there;
//! a bin is found by rounding instead of truncation, which any monotone map may replace.
//!
//! How ranges are divided is a [`Method`]: [`Builder::BinnedBlocks`] has its own ([`super::blocks`]).
//!
//! The result does not depend on the number of threads: the size of a range alone decides how it is
//! worked on, a parallel partition keeps the order, and minima, maxima and counts are exact in any
//! order (boxes hold no NaN and no negative zero).

use super::Builder;
use super::bins::{BinMap, Bins};
use super::blocks::Blocks;
use super::cost::{Decision, LeafRules, Split};
use super::small_sweep::{SMALL, sort_best};
use super::subtree::{Slot, SmallTree, Store, Subtree};
use crate::parallel::{self, GROUP};
use crate::reference::{RangeBounds, Reference};
use crate::watch::{Stopped, Watch};
use raywarp_lanes::Isa;

/// Largest number of references in a range that one task builds alone.
const TASK: usize = 1 << 12;
/// Least number of references in a range that is binned and partitioned in parallel, [`CHUNK`] references at a time.
const PARALLEL: usize = 1 << 16;
const CHUNK: usize = 1 << 14;
/// Number of bins for ranges of at least [`MANY`] references; the smaller number for other ranges follows.
pub(super) const BINS: usize = 32;
pub(super) const FEW_BINS: usize = 16;
pub(super) const MANY: usize = 256;

/// Result of dividing a range: the number of references in the left part, and the bounds of both parts.
pub(super) type Halves = (usize, [RangeBounds; 2]);

/// What became of a range.
pub(super) struct Divided {
    /// `None` for a leaf.
    pub(super) halves: Option<Halves>,
    /// The parts are in the other array.
    pub(super) is_moved: bool,
}

impl Divided {
    pub(super) const LEAF: Self = Self { halves: None, is_moved: false };

    pub(super) fn here(halves: Halves) -> Self {
        Self { halves: Some(halves), is_moved: false }
    }
}

/// What builders by bins do each in their own way. All of it depends on the arguments alone.
pub(super) trait Method: Copy + Sync {
    /// Bins of a range, or of a part of it.
    type Bins: Send + Sync;

    /// Builds the subtree of a small range on this thread, at `root` of `tree`. The second array is as long, to
    /// work in.
    fn build_small(
        self,
        tree: &mut SmallTree,
        root: Slot,
        arrays: [&mut [Reference]; 2],
        at: Place,
        rules: &LeafRules,
        watch: &Watch<'_>,
    );

    /// Divides a range, the first array, at the border between [`BINS`] bins that costs least. Its parts may come to
    /// lie in the second array, which is as long.
    fn divide(self, arrays: [&mut [Reference]; 2], at: &Place, rules: &LeafRules) -> Divided;

    /// Returns the bins of a chunk of a range, of which `bounds` are the bounds.
    fn bins(self, chunk: &[Reference], bounds: &RangeBounds) -> Self::Bins;

    /// Returns the best split of a range whose chunks have these bins.
    fn best_split(self, chunks: &[Self::Bins], bounds: &RangeBounds) -> Split;

    /// Returns the number of references left of `split`.
    fn left_of(self, bins: &Self::Bins, split: &Split) -> usize;

    /// Copies a chunk of a range to where its references left and right of `split` go, both sides in order, and returns
    /// the sides' bounds.
    fn copy(
        self,
        chunk: &[Reference],
        sides: [&mut [Reference]; 2],
        bounds: &RangeBounds,
        split: &Split,
    ) -> [RangeBounds; 2];
}

/// Bounds of a range, and how far below the root of the tree it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) bounds: RangeBounds,
    pub(super) depth: u32,
}

/// Builds a tree over at least one reference by binned surface area heuristic. Reorders `references`.
pub(super) fn build(
    references: &mut [Reference],
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    watch.begin(Builder::BinnedSah.weight(), work_of(references.len()))?;
    let at = Place { bounds: RangeBounds::of(references, watch)?, depth: 0 };
    // Filled in parallel, since the first touch of so much memory takes longer than the filling.
    let mut scratch = parallel::map_groups(watch, references.len(), &|_| [Reference::NONE; GROUP])?;
    let tree = match rules.block {
        1 => build_range(Whole, references, &mut scratch, at, rules, store, watch),
        _ => build_range(Blocks(Isa::preferred()), references, &mut scratch, at, rules, store, watch),
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

/// Builds the subtree of a range of references, large ones in parallel. `scratch` is as long as `references`.
fn build_range<M: Method>(
    method: M,
    references: &mut [Reference],
    scratch: &mut [Reference],
    at: Place,
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    watch.look()?;
    let count = references.len();
    let divided = match count {
        0..=TASK => Divided::LEAF,
        PARALLEL.. => divide_parallel(method, references, scratch, &at, rules, watch)?,
        _ => method.divide([references, scratch], &at, rules),
    };
    let Some((left_count, [left_bounds, right_bounds])) = divided.halves else {
        let (mut tree, root) = SmallTree::new(count);
        method.build_small(&mut tree, root, [references, scratch], at, rules, watch);
        watch.advance(work_of(count));
        return Ok(store.keep(&tree));
    };
    watch.advance(work_of(count) - work_of(left_count) - work_of(count - left_count));
    let (now, next) = if divided.is_moved { (scratch, references) } else { (references, scratch) };
    let (left, right) = now.split_at_mut(left_count);
    let (left_scratch, right_scratch) = next.split_at_mut(left_count);
    let below = |bounds| Place { bounds, depth: at.depth + 1 };
    let (left, right) = parallel::join(
        || build_range(method, left, left_scratch, below(left_bounds), rules, store, watch),
        || build_range(method, right, right_scratch, below(right_bounds), rules, store, watch),
    );
    Ok(Subtree::join(left?, right?))
}

/// Divides a large range in parallel as [`Method::divide`] does.
fn divide_parallel<M: Method>(
    method: M,
    references: &mut [Reference],
    scratch: &mut [Reference],
    at: &Place,
    rules: &LeafRules,
    watch: &Watch<'_>,
) -> Result<Divided, Stopped> {
    let Place { bounds, depth } = at;
    let bins = parallel::map_chunks(watch, references, CHUNK, &|chunk| method.bins(chunk, bounds))?;
    let split = method.best_split(&bins, bounds);
    Ok(match rules.decide(references.len(), bounds.boxes.half_area(), &split, *depth) {
        Decision::Leaf => Divided::LEAF,
        Decision::Halve => Divided::here(halve(references, bounds)),
        Decision::Split => {
            let (mut left, mut right) = scratch.split_at_mut(split.left);
            let mut tasks = Vec::with_capacity(bins.len());
            for (chunk, bins) in references.chunks(CHUNK).zip(&bins) {
                let left_count = method.left_of(bins, &split);
                let (to_left, left_rest) = left.split_at_mut(left_count);
                let (to_right, right_rest) = right.split_at_mut(chunk.len() - left_count);
                tasks.push((chunk, [to_left, to_right]));
                (left, right) = (left_rest, right_rest);
            }
            let copy =
                |(chunk, sides): (&[Reference], [&mut [Reference]; 2])| method.copy(chunk, sides, bounds, &split);
            let both = |a: [RangeBounds; 2], b: [RangeBounds; 2]| [a[0].union(b[0]), a[1].union(b[1])];
            let sides = parallel::run_each(watch, tasks, &copy)?;
            let bounds = sides.into_iter().fold([RangeBounds::EMPTY; 2], both);
            Divided { halves: Some((split.left, bounds)), is_moved: true }
        }
    })
}

/// Method whose costs count references, in 64-bit floats.
#[derive(Debug, Clone, Copy)]
struct Whole;

impl Method for Whole {
    type Bins = Bins<BINS>;

    fn build_small(
        self,
        tree: &mut SmallTree,
        root: Slot,
        [references, _]: [&mut [Reference]; 2],
        at: Place,
        rules: &LeafRules,
        watch: &Watch<'_>,
    ) {
        build_small(tree, root, references, &at, rules, watch);
    }

    fn divide(self, [references, _]: [&mut [Reference]; 2], at: &Place, rules: &LeafRules) -> Divided {
        Divided { halves: divide::<BINS>(references, at, rules), is_moved: false }
    }

    fn bins(self, chunk: &[Reference], bounds: &RangeBounds) -> Bins<BINS> {
        Bins::of(chunk, &BinMap::new(&bounds.centroids))
    }

    fn best_split(self, chunks: &[Bins<BINS>], _: &RangeBounds) -> Split {
        let mut bins = chunks[0].clone();
        for other in &chunks[1..] {
            bins.add(other);
        }
        bins.best_split()
    }

    fn left_of(self, bins: &Bins<BINS>, split: &Split) -> usize {
        bins.left_of(split)
    }

    fn copy(
        self,
        chunk: &[Reference],
        [to_left, to_right]: [&mut [Reference]; 2],
        bounds: &RangeBounds,
        split: &Split,
    ) -> [RangeBounds; 2] {
        let map = BinMap::<BINS>::new(&bounds.centroids);
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
    }
}

/// Builds the subtree of a small range on this thread, at `slot` of `tree`.
fn build_small(
    tree: &mut SmallTree,
    slot: Slot,
    references: &mut [Reference],
    at: &Place,
    rules: &LeafRules,
    watch: &Watch<'_>,
) {
    let halves = match references.len() {
        0 | 1 => None,
        2..=SMALL => divide_sorted(references, at, rules),
        // No part of a tree that anybody sees.
        MANY.. if watch.is_stopped() => None,
        MANY.. => divide::<BINS>(references, at, rules),
        _ => divide::<FEW_BINS>(references, at, rules),
    };
    let boxes = at.bounds.boxes;
    let Some((left_count, [left_bounds, right_bounds])) = halves else {
        tree.leaf(slot, boxes, references.iter().map(Reference::primitive));
        return;
    };
    let [left_slot, right_slot] = tree.inner(slot, boxes);
    let (left, right) = references.split_at_mut(left_count);
    let below = |bounds| Place { bounds, depth: at.depth + 1 };
    build_small(tree, left_slot, left, &below(left_bounds), rules, watch);
    build_small(tree, right_slot, right, &below(right_bounds), rules, watch);
}

/// Divides a few references at the best of all splits between them. `None` makes a leaf.
fn divide_sorted(references: &mut [Reference], at: &Place, rules: &LeafRules) -> Option<Halves> {
    let Place { bounds, depth } = at;
    let split = sort_best(references);
    match rules.decide(references.len(), bounds.boxes.half_area(), &split, *depth) {
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
fn divide<const B: usize>(references: &mut [Reference], at: &Place, rules: &LeafRules) -> Option<Halves> {
    let Place { bounds, depth } = at;
    let map = BinMap::<B>::new(&bounds.centroids);
    let split = Bins::of(references, &map).best_split();
    match rules.decide(references.len(), bounds.boxes.half_area(), &split, *depth) {
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
