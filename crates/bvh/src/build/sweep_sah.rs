//! Greedy sweep of the surface area heuristic over all three axes: the builder of the papers.
//!
//! Source: AL09 2 ("greedy surface-area heuristic with maximum leaf node size 8"). References are
//! sorted by centroid once an axis; a split divides the three orders stably, so that a level of the
//! tree costs O(n) and the tree O(n log n). Equal costs go to the first axis and position.

use super::Builder;
use super::binned_sah::{MANY, work_of};
use super::cost::{Decision, LeafRules, Split};
use super::morton::{self, Coded};
use super::subtree::{Slot, SmallTree, Store, Subtree};
use crate::parallel;
use crate::reference::{Bounds, Reference};
use crate::watch::{GRAIN, Stopped, Watch};

/// Largest number of references in a range that one task builds alone.
const TASK: usize = 1 << 12;

/// Input of the sweep builder that every task reads.
struct Sweep<'a> {
    references: &'a [Reference],
    /// Rank of each reference in the order by centroid along each axis. Orders only ever lose members, so that
    /// comparing places tells the side of a split without a shared array of flags.
    ranks: Axes,
    rules: &'a LeafRules,
    store: &'a Store,
    watch: &'a Watch<'a>,
}

/// A number for each reference, once an axis.
type Axes = [Vec<u32>; 3];

/// References below one node, in the order of each axis, with working memory. All of one length.
struct Range<'r> {
    orders: [&'r mut [u32]; 3],
    right_areas: &'r mut [f64],
    scratch: &'r mut [u32],
}

/// Builds a tree over at least one reference by a full sweep of the surface area heuristic.
pub(super) fn build(
    references: &[Reference],
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    watch.begin(Builder::SweepSah.weight(), work_of(references.len()))?;
    let [mut orders, ranks] = sort(references, watch)?;
    let (mut right_areas, mut scratch) = (vec![0.0; references.len()], vec![0; references.len()]);
    let orders = orders.each_mut().map(Vec::as_mut_slice);
    let range = Range { orders, right_areas: &mut right_areas, scratch: &mut scratch };
    Sweep { references, ranks, rules, store, watch }.build_range(range, 0)
}

/// Sorts references by centroid along each axis; returns the sorted indices, and the rank of each reference.
fn sort(references: &[Reference], watch: &Watch<'_>) -> Result<[Axes; 2], Stopped> {
    let axis = |axis: usize| {
        let code = |i: usize| Coded { code: u64::from(ordered_bits(references[i].centroid()[axis])), index: i as u32 };
        let mut codes = parallel::map(watch, references.len(), &code)?;
        morton::sort(&mut codes, watch, 0.0)?;
        let order = parallel::map(watch, codes.len(), &|rank| codes[rank].index)?;
        let mut ranks = vec![0; order.len()];
        for (rank, &i) in order.iter().enumerate() {
            watch.look_at(rank)?;
            ranks[i as usize] = rank as u32;
        }
        Ok((order, ranks))
    };
    // One after the other: each takes all threads, and memory for one only.
    let [x, y, z] = [axis(0)?, axis(1)?, axis(2)?];
    Ok([[x.0, y.0, z.0], [x.1, y.1, z.1]])
}

/// Maps a float to an integer that sorts as the float does.
fn ordered_bits(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

impl Sweep<'_> {
    fn build_range(&self, mut range: Range<'_>, depth: u32) -> Result<Subtree, Stopped> {
        self.watch.look()?;
        let count = range.orders[0].len();
        let mut divided = None;
        if count > TASK {
            divided = self.divide(&mut range, depth).1;
            self.watch.look()?;
        }
        let Some(at) = divided else {
            let (mut tree, root) = SmallTree::new(count);
            self.build_small(&mut tree, root, range, depth);
            self.watch.advance(work_of(count));
            return Ok(self.store.keep(&tree));
        };
        self.watch.advance(work_of(count) - work_of(at) - work_of(count - at));
        let (left, right) = range.split_at(at);
        let (left, right) = parallel::join(|| self.build_range(left, depth + 1), || self.build_range(right, depth + 1));
        Ok(Subtree::join(left?, right?))
    }

    fn build_small(&self, tree: &mut SmallTree, slot: Slot, mut range: Range<'_>, depth: u32) {
        let (bounds, at) = self.divide(&mut range, depth);
        let Some(at) = at else {
            let leaf = range.orders[0].iter().map(|&i| self.references[i as usize].primitive());
            tree.leaf(slot, bounds, leaf);
            return;
        };
        let [left_slot, right_slot] = tree.inner(slot, bounds);
        let (left, right) = range.split_at(at);
        self.build_small(tree, left_slot, left, depth + 1);
        self.build_small(tree, right_slot, right, depth + 1);
    }

    /// Returns the box of a range and, unless it becomes a leaf, the position at which its sorted orders are now
    /// divided.
    fn divide(&self, range: &mut Range<'_>, depth: u32) -> (Bounds, Option<usize>) {
        let count = range.orders[0].len();
        if count >= MANY && self.watch.is_stopped() {
            return (Bounds::EMPTY, None);
        }
        let mut best = Split::NONE;
        let mut bounds = Bounds::EMPTY;
        for axis in 0..3 {
            bounds = self.sweep(range.orders[axis], range.right_areas, axis, &mut best);
        }
        match self.rules.decide(count, bounds.half_area(), &best, depth) {
            Decision::Leaf => return (bounds, None),
            Decision::Split => {}
            Decision::Halve => {
                best.axis = self.centroids(range).longest_axis();
                best.left = count / 2;
            }
        }
        let pivot = self.ranks[best.axis][range.orders[best.axis][best.left] as usize];
        for axis in (0..3).filter(|&axis| axis != best.axis) {
            partition(range.orders[axis], range.scratch, self.watch, |i| self.ranks[best.axis][i as usize] < pivot);
        }
        (bounds, Some(best.left))
    }

    /// Tries every split along one axis and replaces `best` by a cheaper one; returns the box of the range.
    fn sweep(&self, order: &[u32], right_areas: &mut [f64], axis: usize, best: &mut Split) -> Bounds {
        let count = order.len();
        let mut right = Bounds::EMPTY;
        for (order, areas) in order.chunks(GRAIN).zip(right_areas.chunks_mut(GRAIN)).rev() {
            if self.watch.is_stopped() {
                break;
            }
            for (i, area) in order.iter().zip(areas).rev() {
                right = right.union(self.references[*i as usize].bounds());
                *area = right.half_area();
            }
        }
        let mut left = Bounds::EMPTY;
        for i in 1..count {
            if self.watch.look_at(i).is_err() {
                break;
            }
            left = left.union(self.references[order[i - 1] as usize].bounds());
            let cost = left.half_area() * i as f64 + right_areas[i] * (count - i) as f64;
            if cost < best.cost && self.differ(order[i - 1], order[i], axis) {
                *best = Split { axis, at: i, left: i, cost };
            }
        }
        right
    }

    /// Returns `true` if the centroids of two references differ along `axis`, so that a plane can lie between them.
    /// Among equal centroids every split has the same cost, and the first would peel off one reference after the other.
    fn differ(&self, i: u32, j: u32, axis: usize) -> bool {
        let centroid = |i: u32| self.references[i as usize].centroid()[axis];
        centroid(i) < centroid(j)
    }

    /// Returns the box around all centroids, from the first and last reference of each order.
    fn centroids(&self, range: &Range<'_>) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for i in range.orders.iter().flat_map(|order| order.first().into_iter().chain(order.last())) {
            bounds = bounds.union(Bounds::point(self.references[*i as usize].centroid()));
        }
        bounds
    }
}

impl<'r> Range<'r> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let [x, y, z] = self.orders.map(|order| order.split_at_mut(at));
        let (left_areas, right_areas) = self.right_areas.split_at_mut(at);
        let (left_scratch, right_scratch) = self.scratch.split_at_mut(at);
        (
            Self { orders: [x.0, y.0, z.0], right_areas: left_areas, scratch: left_scratch },
            Self { orders: [x.1, y.1, z.1], right_areas, scratch: right_scratch },
        )
    }
}

/// Partitions `order` stably: indices for which `is_left` holds come first.
fn partition(order: &mut [u32], scratch: &mut [u32], watch: &Watch<'_>, is_left: impl Fn(u32) -> bool) {
    let (mut left, mut right) = (0, 0);
    for k in 0..order.len() {
        if watch.look_at(k).is_err() {
            return;
        }
        let i = order[k];
        // Both are written and one is kept: nearly half of the branches here would be mispredicted.
        order[left] = i;
        scratch[right] = i;
        let is_left = usize::from(is_left(i));
        left += is_left;
        right += 1 - is_left;
    }
    order[left..].copy_from_slice(&scratch[..right]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_and_their_ordered_bits_compare_alike() {
        let floats = [f32::MIN, -1.0, -1e-45, 0.0, 1e-45, 1.0, f32::MAX];
        assert!(floats.map(ordered_bits).is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_partition_is_stable() {
        let mut order = [5, 2, 9, 4, 7, 1];
        partition(&mut order, &mut [0; 6], &Watch::nothing(), |i| i < 5);
        assert_eq!(order, [2, 4, 1, 5, 9, 7]);
        partition(&mut order, &mut [0; 6], &Watch::nothing(), |_| true);
        assert_eq!(order, [2, 4, 1, 5, 9, 7]);
    }
}
