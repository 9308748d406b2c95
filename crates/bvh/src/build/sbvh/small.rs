//! The lower part of the tree: one task, whose references lie on a stack.

use super::spatial_bins::SpatialBins;
use super::{Plan, Range, Sbvh, Side};
use crate::build::binned_sah::{BINS, FEW_BINS, MANY, halve};
use crate::build::bins::{BinMap, Bins};
use crate::build::small_sweep::{SMALL, sort_best};
use crate::build::subtree::{Slot, SmallTree};
use crate::reference::{RangeBounds, Reference};

/// References of a task, kept as a stack of ranges. A range is the end of the stack; dividing it puts its right part
/// below its left one, which is then worked off first, and what cutting adds goes on top.
struct Stack {
    tree: SmallTree,
    references: Vec<Reference>,
}

/// Result of dividing a range: the start of the left part, and the bounds of the left and the right part.
type Parts = (usize, [RangeBounds; 2]);

impl Sbvh<'_> {
    pub(super) fn build_small(&self, references: Vec<Reference>, range: Range) -> SmallTree {
        let (tree, root) = SmallTree::new(references.len());
        let mut stack = Stack { tree, references };
        self.build_top(&mut stack, root, 0, range);
        stack.tree
    }

    /// Builds the subtree over the references from `start` to the end of the stack, and leaves them in any order.
    fn build_top(&self, stack: &mut Stack, slot: Slot, start: usize, range: Range) {
        let count = stack.references.len() - start;
        let parts = match count {
            0 | 1 => None,
            2..=SMALL => self.divide_sorted(stack, start, &range),
            // No part of a tree that anybody sees.
            MANY.. if self.watch.is_stopped() => None,
            MANY.. => self.divide_binned::<BINS>(stack, start, &range),
            _ => self.divide_binned::<FEW_BINS>(stack, start, &range),
        };
        let Some((middle, bounds)) = parts else {
            let leaf = stack.references[start..].iter().map(Reference::primitive);
            stack.tree.leaf(slot, range.bounds.boxes, leaf);
            return;
        };
        let counts = [stack.references.len() - middle, middle - start];
        let [left, right] = range.parts(bounds, counts, counts[0] + counts[1] - count);
        let [left_slot, right_slot] = stack.tree.inner(slot, range.bounds.boxes);
        self.build_top(stack, left_slot, middle, left);
        stack.references.truncate(middle);
        self.build_top(stack, right_slot, start, right);
        // Cutting leaves less than the box around whole triangles.
        stack.tree.fit(slot);
    }

    /// Sorts a small range of references and divides it at the best split; `None` makes it a leaf.
    fn divide_sorted(&self, stack: &mut Stack, start: usize, range: &Range) -> Option<Parts> {
        let references = &mut stack.references[start..];
        let split = sort_best(references);
        let (left, right) = references.split_at(split.left);
        let sides = [left, right].map(RangeBounds::of_few);
        let bins = |map: &_| Ok(SpatialBins::of(references, self.triangles, map));
        match self.plan(range, references.len(), &split, sides.map(|side| side.boxes), bins) {
            Plan::Leaf => None,
            Plan::Halve => Some(stack.halve(start, range)),
            Plan::Object => {
                references.rotate_left(split.left);
                Some((stack.references.len() - split.left, sides))
            }
            Plan::Spatial(map, split) => {
                Some(stack.divide(start, range, |reference| self.side(reference, &map, &split)))
            }
        }
    }

    /// Divides a range of references by object or spatial bins; `None` makes it a leaf.
    //
    // Not inlined: the bins would stay on the stack of every level of the recursion.
    #[inline(never)]
    fn divide_binned<const B: usize>(&self, stack: &mut Stack, start: usize, range: &Range) -> Option<Parts> {
        let references = &stack.references[start..];
        let map = BinMap::<B>::new(&range.bounds.centroids);
        let bins = Bins::of(references, &map);
        let split = bins.best_split();
        let spatial_bins = |map: &_| Ok(SpatialBins::of(references, self.triangles, map));
        match self.plan(range, references.len(), &split, bins.sides(&split), spatial_bins) {
            Plan::Leaf => None,
            Plan::Halve => Some(stack.halve(start, range)),
            Plan::Object => Some(stack.divide(start, range, |reference| {
                if map.is_left(reference, &split) { Side::Left(*reference) } else { Side::Right(*reference) }
            })),
            Plan::Spatial(map, split) => {
                Some(stack.divide(start, range, |reference| self.side(reference, &map, &split)))
            }
        }
    }
}

impl Stack {
    fn divide(&mut self, start: usize, range: &Range, side: impl Fn(&Reference) -> Side) -> Parts {
        let references = &mut self.references;
        let [mut left_bounds, mut right_bounds] = [RangeBounds::EMPTY; 2];
        // From `start` to `i` are right ones, from `end` on left ones.
        let (mut i, mut end) = (start, references.len());
        while i < end {
            match side(&references[i]) {
                Side::Left(left) => {
                    left_bounds = left_bounds.with(&left);
                    end -= 1;
                    references[i] = references[end];
                    references[end] = left;
                }
                Side::Right(right) => {
                    right_bounds = right_bounds.with(&right);
                    references[i] = right;
                    i += 1;
                }
                Side::Both(left, right) => {
                    left_bounds = left_bounds.with(&left);
                    right_bounds = right_bounds.with(&right);
                    references[i] = right;
                    references.push(left);
                    i += 1;
                }
            }
        }
        if i == start || i == references.len() {
            // All stayed whole and went to one side.
            return self.halve(start, range);
        }
        (i, [left_bounds, right_bounds])
    }

    /// Divides the range from `start` to the end of the stack into two halves of equal count.
    fn halve(&mut self, start: usize, range: &Range) -> Parts {
        let references = &mut self.references[start..];
        let (left, bounds) = halve(references, &range.bounds);
        references.rotate_left(left);
        (self.references.len() - left, bounds)
    }
}
