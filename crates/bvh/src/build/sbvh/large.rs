//! The upper part of the tree: every range has an array of its own, and large ones are worked on by
//! several threads.

use super::spatial_bins::SpatialBins;
use super::{Plan, Range, Sbvh, Side};
use crate::build::binned_sah::{BINS, halve, work_of};
use crate::build::bins::{BinMap, Bins};
use crate::build::subtree::Subtree;
use crate::parallel;
use crate::reference::{RangeBounds, Reference};
use crate::watch::{Stopped, Watch};

/// Largest number of references in a range that one task builds alone.
const TASK: usize = 1 << 12;
/// Number of references that one task bins and divides in larger ranges.
const CHUNK: usize = 1 << 14;

/// One side of a divided range: its references and their bounds.
type Half = (Vec<Reference>, RangeBounds);

impl Sbvh<'_> {
    pub(super) fn build_large(&self, references: Vec<Reference>, range: Range) -> Result<Subtree, Stopped> {
        let (count, watch) = (references.len(), self.watch);
        watch.look()?;
        if count <= TASK {
            let tree = self.build_small(references, range);
            watch.advance(work_of(count));
            return Ok(self.store.keep(&tree));
        }
        let map = BinMap::<BINS>::new(&range.bounds.centroids);
        let bins = in_chunks(watch, &references, |chunk| Bins::of(chunk, &map), Bins::add)?;
        let split = bins.best_split();
        let sides = bins.sides(&split);
        let spatial_bins = |map: &_| {
            in_chunks(watch, &references, |chunk| SpatialBins::of(chunk, self.triangles, map), SpatialBins::add)
        };
        let plan = self.plan(&range, count, &split, sides, spatial_bins);
        // It may not have seen the bins.
        watch.look()?;
        let mut halves = match plan {
            Plan::Leaf => return Ok(self.store.keep(&self.build_small(references, range))),
            Plan::Halve => in_the_middle(references, &range.bounds),
            Plan::Object => divide(watch, &references, |reference| {
                if map.is_left(reference, &split) { Side::Left(*reference) } else { Side::Right(*reference) }
            })?,
            Plan::Spatial(map, split) => divide(watch, &references, |reference| self.side(reference, &map, &split))?,
        };
        if let Some(full) = halves.iter().position(|half| half.0.len() == count)
            && halves[1 - full].0.is_empty()
        {
            // All stayed whole and went to one side.
            halves = in_the_middle(std::mem::take(&mut halves[full].0), &range.bounds);
        }
        let [(left, left_bounds), (right, right_bounds)] = halves;
        let counts = [left.len(), right.len()];
        // A cut makes more work.
        watch.advance(work_of(count) - work_of(counts[0]) - work_of(counts[1]));
        let [left_range, right_range] = range.parts([left_bounds, right_bounds], counts, counts[0] + counts[1] - count);
        let (left, right) =
            parallel::join(|| self.build_large(left, left_range), || self.build_large(right, right_range));
        Ok(Subtree::join(left?, right?))
    }
}

/// Computes the bins of each chunk of references in parallel and returns their sum.
fn in_chunks<B: Send>(
    watch: &Watch<'_>,
    references: &[Reference],
    of: impl Fn(&[Reference]) -> B + Sync,
    add: impl Fn(&mut B, &B),
) -> Result<B, Stopped> {
    let mut chunks = parallel::map_chunks(watch, references, CHUNK, &of)?;
    let mut sum = chunks.swap_remove(0);
    for other in &chunks {
        add(&mut sum, other);
    }
    Ok(sum)
}

/// Divides references by `side`, in parallel, and returns both sides in the order of `references`.
fn divide(
    watch: &Watch<'_>,
    references: &[Reference],
    side: impl Fn(&Reference) -> Side + Sync,
) -> Result<[Half; 2], Stopped> {
    let divide = |chunk: &[Reference]| {
        let mut halves = [(); 2].map(|()| (Vec::with_capacity(chunk.len()), RangeBounds::EMPTY));
        let mut push = |side: usize, reference: Reference| {
            halves[side].0.push(reference);
            halves[side].1 = halves[side].1.with(&reference);
        };
        for reference in chunk {
            match side(reference) {
                Side::Left(left) => push(0, left),
                Side::Right(right) => push(1, right),
                Side::Both(left, right) => {
                    push(0, left);
                    push(1, right);
                }
            }
        }
        halves
    };
    let chunks = parallel::map_chunks(watch, references, CHUNK, &divide)?;
    let (lefts, rights): (Vec<Half>, Vec<Half>) = chunks.into_iter().map(|[left, right]| (left, right)).unzip();
    let join = |mut parts: Vec<Half>| {
        if parts.len() == 1 {
            return Ok(parts.swap_remove(0));
        }
        let bounds = parts.iter().fold(RangeBounds::EMPTY, |sum, part| sum.union(part.1));
        let mut all = Vec::with_capacity(parts.iter().map(|part| part.0.len()).sum());
        for (part, _) in parts {
            watch.look()?;
            all.extend_from_slice(&part);
        }
        Ok((all, bounds))
    };
    let (left, right) = parallel::join(|| join(lefts), || join(rights));
    Ok([left?, right?])
}

/// Divides references into two halves of equal count.
fn in_the_middle(mut references: Vec<Reference>, bounds: &RangeBounds) -> [Half; 2] {
    let (left, [left_bounds, right_bounds]) = halve(&mut references, bounds);
    let right = references.split_off(left);
    [(references, left_bounds), (right, right_bounds)]
}
