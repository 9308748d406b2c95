//! Builder along the Morton curve: the fastest, and the plainest tree.
//!
//! Source: Lauterbach et al. 2009, "Fast BVH construction on GPUs", section 3, with the split at the
//! highest differing bit of Karras 2012, "Maximizing parallelism in the construction of BVHs, octrees
//! and k-d trees", section 3. Departures: the hierarchy is walked from the root, which needs no node
//! array; equal codes are halved; so is a range that could end too deep otherwise; subtrees become
//! leaves where that costs less.

use super::collapse::{Hierarchy, collapse};
use super::cost::LeafRules;
use super::morton::{CODES, Coded, sorted_codes};
use super::subtree::{Store, Subtree};
use super::{Builder, MAX_DEPTH};
use crate::reference::{Bounds, Reference};
use crate::watch::{Stopped, Watch};

/// Builds a tree over at least one reference by splitting along the Morton curve.
pub(super) fn build(
    references: &[Reference],
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    let count = references.len() as f64;
    watch.begin(Builder::Lbvh.weight(), count * (CODES + 1.0))?;
    let codes = sorted_codes(references, watch)?;
    collapse(&Curve { references, codes: &codes }, Range { start: 0, end: codes.len(), depth: 0 }, rules, store, watch)
}

/// References and their order along the Morton curve.
struct Curve<'a> {
    references: &'a [Reference],
    codes: &'a [Coded],
}

/// Node of the hierarchy: the references from `start` up to `end` on the Morton curve.
#[derive(Debug, Clone, Copy)]
struct Range {
    start: usize,
    end: usize,
    /// Number of edges between the root and this node.
    depth: u32,
}

impl Hierarchy for Curve<'_> {
    type Node = Range;

    fn size(&self, node: Range) -> usize {
        node.end - node.start
    }

    fn children(&self, node: Range) -> Option<[Range; 2]> {
        let codes = &self.codes[node.start..node.end];
        if codes.len() == 1 {
            return None;
        }
        let depth = node.depth + 1;
        let middle = node.start + split(codes, depth);
        Some([Range { end: middle, depth, ..node }, Range { start: middle, depth, ..node }])
    }

    fn leaf_bounds(&self, leaf: Range) -> Bounds {
        self.references[self.codes[leaf.start].index as usize].bounds()
    }

    fn leaf_primitives(&self, leaf: Range) -> impl Iterator<Item = u32> {
        std::iter::once(self.references[self.codes[leaf.start].index as usize].primitive())
    }
}

/// Returns the number of codes, of at least two, that go to the left child; the children are `depth` edges below the
/// root.
fn split(codes: &[Coded], depth: u32) -> usize {
    let half = codes.len() / 2;
    let differing = codes[0].code ^ codes[codes.len() - 1].code;
    if differing == 0 {
        return half;
    }
    let bit = differing.ilog2();
    let left = codes.partition_point(|coded| coded.code >> bit & 1 == 0);
    // Halving keeps the invariant that what is left fits into the levels that are left.
    let levels = MAX_DEPTH - depth;
    let larger = left.max(codes.len() - left);
    if levels < usize::BITS && larger > 1 << levels { half } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_split_at_the_highest_differing_bit() {
        let codes = |codes: &[u64]| codes.iter().map(|&code| Coded { code, index: 0 }).collect::<Vec<_>>();
        assert_eq!(split(&codes(&[0b1000, 0b1001, 0b1010, 0b1011, 0b1011]), 1), 2);
        assert_eq!(split(&codes(&[0b0111, 0b1000, 0b1001]), 1), 1);
        assert_eq!(split(&codes(&[7, 7, 7, 7, 7]), 1), 2);
        // Four would still be to divide with one level left.
        assert_eq!(split(&codes(&[0, 8, 9, 10, 11, 12]), MAX_DEPTH - 2), 3);
        assert_eq!(split(&codes(&[0, 8, 9, 10, 11]), MAX_DEPTH - 2), 1);
    }
}
