//! Builder from the leaves upwards: neighbours along the Morton curve are merged.
//!
//! Source: Meister and Bittner 2018, "Parallel locally-ordered clustering for bounding volume hierarchy construction"
//! (PLOC). Departures: of equally near neighbours the one whose position differs in the lowest bits is nearest, so that
//! clusters in one place pair up instead of queueing; when the levels that a tree may have run short, or a round merges
//! too little, clusters are merged in pairs as they stand; subtrees become leaves where that costs less.

use super::area::Areas;
use super::collapse::{Hierarchy, collapse};
use super::cost::LeafRules;
use super::morton::{CODES, sorted_codes};
use super::subtree::{Store, Subtree};
use super::{Builder, MAX_DEPTH};
use crate::parallel;
use crate::reference::{Bounds, Reference};
use crate::watch::{Stopped, Watch};

/// Distance along the Morton curve, in positions either way, within which a cluster's nearest neighbour is looked for.
const RADIUS: usize = 16;
/// Number of clusters above which a round that merges fewer than one in [`SLOW`] is replaced by merging in pairs. Boxes
/// around each other can have it that only the two smallest merge.
const FEW: usize = 1 << 10;
const SLOW: usize = 64;
/// Work of clustering, for each reference, in units of that of collapsing one.
const MERGES: f64 = 4.0;
/// Number of clusters that one task works on.
const CHUNK: usize = 1 << 12;

/// Builds a tree over at least one reference by merging neighbours on the Morton curve from the leaves upwards.
pub(super) fn build(
    references: &[Reference],
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    watch.begin(Builder::Ploc.weight(), references.len() as f64 * (CODES + MERGES + 1.0))?;
    let codes = sorted_codes(references, watch)?;
    let sorted = parallel::map(watch, codes.len(), &|i| references[codes[i].index as usize])?;
    let (merges, root) = cluster(&sorted, watch)?;
    collapse(&Clustered { sorted, merges }, root, rules, store, watch)
}

/// Result of clustering: the references in the order of the Morton curve, and their merges. Node i stands for reference
/// i, and node n + i of n references for merge i, which is later than those below it.
struct Clustered {
    sorted: Vec<Reference>,
    merges: Vec<Merge>,
}

/// Merge of two clusters into a node of the hierarchy.
#[derive(Debug, Clone, Copy, Default)]
struct Merge {
    children: [u32; 2],
    /// Number of references below the merged cluster.
    size: u32,
    /// Number of edges down to the deepest reference below the merged cluster.
    height: u32,
}

impl Hierarchy for Clustered {
    type Node = u32;

    fn size(&self, node: u32) -> usize {
        merge_of(node, self.sorted.len(), &self.merges).size as usize
    }

    fn children(&self, node: u32) -> Option<[u32; 2]> {
        (node as usize).checked_sub(self.sorted.len()).map(|merge| self.merges[merge].children)
    }

    fn leaf_bounds(&self, leaf: u32) -> Bounds {
        self.sorted[leaf as usize].bounds()
    }

    fn leaf_primitives(&self, leaf: u32) -> impl Iterator<Item = u32> {
        std::iter::once(self.sorted[leaf as usize].primitive())
    }
}

/// Returns the merge that made `node`, or for a reference a stand-in of size 1 and height 0.
fn merge_of(node: u32, reference_count: usize, merges: &[Merge]) -> Merge {
    let reference = Merge { children: [0; 2], size: 1, height: 0 };
    (node as usize).checked_sub(reference_count).map_or(reference, |merge| merges[merge])
}

/// Clusters of one round, in the order of the Morton curve.
struct Clusters {
    bounds: Vec<Bounds>,
    nodes: Vec<u32>,
}

/// Merges clusters until one is left; returns all merges and the root's node number. It takes at least one reference.
fn cluster(sorted: &[Reference], watch: &Watch<'_>) -> Result<(Vec<Merge>, u32), Stopped> {
    let count = sorted.len();
    let bounds = parallel::map(watch, count, &|i| sorted[i].bounds())?;
    let around = |chunk: &[Bounds]| chunk.iter().copied().fold(Bounds::EMPTY, Bounds::union);
    let areas = Areas::within(around(&parallel::map_chunks(watch, &bounds, CHUNK, &around)?));
    let mut clusters = Clusters { bounds, nodes: (0..count as u32).collect() };
    let mut merges = parallel::map(watch, count - 1, &|_| Merge::default())?;
    let (mut merge_count, mut height) = (0, 0);
    while clusters.nodes.len() > 1 {
        let left = clusters.nodes.len();
        let mut nearest = nearest(&clusters.bounds, areas, watch)?;
        let merged: usize = merges_of_chunks(&nearest, watch)?.iter().sum();
        let levels = (left - merged).next_power_of_two().ilog2();
        // Pairs at once, where otherwise pairs from the next round on would be too deep, or where there would
        // be no end to the rounds.
        if height + 1 + levels > MAX_DEPTH || (left > FEW && merged < left / SLOW) {
            nearest = (0..left as u64).map(|i| i ^ 1).collect();
        }
        let (done, free) = merges.split_at_mut(merge_count);
        let merged = merge(&mut clusters, &nearest, count, done, free, watch)?;
        height = free[..merged].iter().map(|merge| merge.height).fold(height, u32::max);
        merge_count += merged;
        watch.advance(MERGES * merged as f64);
    }
    Ok((merges, clusters.nodes[0]))
}

/// Returns for each cluster the position of its nearest neighbour within [`RADIUS`], judged by the area of the box
/// around both.
///
/// That the order of pairs does not depend on which of the two looks makes the least pair of all mutual, so
/// that every round merges something.
fn nearest(bounds: &[Bounds], areas: Areas, watch: &Watch<'_>) -> Result<Vec<u64>, Stopped> {
    let mut nearest = parallel::map(watch, bounds.len(), &|_| u64::MAX)?;
    parallel::run_each(watch, nearest.chunks_mut(CHUNK).enumerate().collect(), &|(chunk, to)| {
        let first = chunk * CHUNK;
        // Each pair is looked at once for both, except at the borders of a chunk.
        let start = first.saturating_sub(RADIUS);
        let end = (first + to.len() + RADIUS).min(bounds.len());
        let mut best = vec![u64::MAX; end - start];
        for i in start..first + to.len() {
            let mut best_of_i = best[i - start];
            let neighbours = i + 1..end.min(i + 1 + RADIUS);
            for (j, best_of_j) in neighbours.clone().zip(&mut best[neighbours.start - start..]) {
                let area = areas.half_area(bounds[i].union(bounds[j]));
                // The bits of positive floats sort as they do.
                let key = u64::from(area.to_bits()) << 32 | (i ^ j) as u64;
                best_of_i = best_of_i.min(key);
                *best_of_j = key.min(*best_of_j);
            }
            best[i - start] = best_of_i;
        }
        for (i, to) in (first..).zip(to) {
            *to = i as u64 ^ (best[i - start] & u64::from(u32::MAX));
        }
    })?;
    Ok(nearest)
}

/// Returns `true` if the cluster at `i` is also the nearest neighbour of its nearest neighbour, so that the two merge.
fn is_mutual(nearest: &[u64], i: usize) -> bool {
    nearest.get(nearest[i] as usize) == Some(&(i as u64))
}

/// Returns for each chunk of clusters the number of merges whose first cluster lies in it.
fn merges_of_chunks(nearest: &[u64], watch: &Watch<'_>) -> Result<Vec<usize>, Stopped> {
    let takes = |i: &usize| nearest[*i] > *i as u64 && is_mutual(nearest, *i);
    let starts: Vec<usize> = (0..nearest.len()).step_by(CHUNK).collect();
    let count = |chunk: usize| (starts[chunk]..nearest.len().min(starts[chunk] + CHUNK)).filter(takes).count();
    parallel::tasks(watch, starts.len(), &count)
}

/// Part of a round's merging that one task does.
struct Task<'a> {
    first: usize,
    /// Index of the task's first merge.
    first_merge: usize,
    merges: &'a mut [Merge],
    bounds: &'a mut [Bounds],
    nodes: &'a mut [u32],
}

/// Merges mutually nearest clusters, each pair at the position of its first, and closes the gaps. `free` begins with
/// the places of the new merges, after those `done`. Returns the number of merges.
fn merge(
    clusters: &mut Clusters,
    nearest: &[u64],
    reference_count: usize,
    done: &[Merge],
    free: &mut [Merge],
    watch: &Watch<'_>,
) -> Result<usize, Stopped> {
    let goes = |i: usize| nearest[i] < i as u64 && is_mutual(nearest, i);
    let count = nearest.len();
    let counts = merges_of_chunks(nearest, watch)?;
    let merged: usize = counts.iter().sum();
    let mut bounds = parallel::map(watch, count - merged, &|_| Bounds::EMPTY)?;
    let mut nodes = vec![0; count - merged];
    let mut tasks = Vec::with_capacity(counts.len());
    let (mut bounds_left, mut nodes_left, mut free) = (&mut bounds[..], &mut nodes[..], free);
    let mut first_merge = done.len();
    for (first, &merges_here) in (0..count).step_by(CHUNK).zip(&counts) {
        watch.look()?;
        let stay = (first..count.min(first + CHUNK)).filter(|&i| !goes(i)).count();
        let (bounds, bounds_rest) = bounds_left.split_at_mut(stay);
        let (nodes, nodes_rest) = nodes_left.split_at_mut(stay);
        let (merges, free_rest) = free.split_at_mut(merges_here);
        tasks.push(Task { first, first_merge, merges, bounds, nodes });
        (bounds_left, nodes_left, free) = (bounds_rest, nodes_rest, free_rest);
        first_merge += merges_here;
    }
    let old = &*clusters;
    parallel::run_each(watch, tasks, &|task| {
        let mut new = 0;
        let places = task.bounds.iter_mut().zip(&mut *task.nodes);
        for (i, (to_bounds, to_node)) in (task.first..count).filter(|&i| !goes(i)).zip(places) {
            (*to_bounds, *to_node) = (old.bounds[i], old.nodes[i]);
            if is_mutual(nearest, i) {
                let other = nearest[i] as usize;
                let children = [old.nodes[i], old.nodes[other]];
                let [left, right] = children.map(|child| merge_of(child, reference_count, done));
                let height = 1 + left.height.max(right.height);
                task.merges[new] = Merge { children, size: left.size + right.size, height };
                *to_bounds = to_bounds.union(old.bounds[other]);
                *to_node = (reference_count + task.first_merge + new) as u32;
                new += 1;
            }
        }
    })?;
    *clusters = Clusters { bounds, nodes };
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::Aabb;

    /// Returns boxes along a line whose sizes repeat, so that many pairs are equally near.
    fn boxes(count: usize) -> Vec<Bounds> {
        let corner = |i: usize| [(i * 7919 % 1000) as f32, (i / 50) as f32, (i * i % 13) as f32];
        let aabb = |i: usize| Aabb { min: corner(i), max: corner(i).map(|x| x + 1.0 + (i % 5) as f32) };
        (0..count).map(|i| Reference::new(&aabb(i), i as u32).bounds()).collect()
    }

    #[test]
    fn the_nearest_is_that_of_trying_all_in_reach_and_some_pair_is_mutual() {
        // More than two chunks, the last one short.
        let bounds = boxes(2 * CHUNK + 100);
        let areas = Areas::within(bounds.iter().copied().reduce(Bounds::union).unwrap());
        let watch = &Watch::nothing();
        let got = nearest(&bounds, areas, watch).unwrap();
        for i in (0..bounds.len()).filter(|i| i % 31 == 0 || (i + 20) % CHUNK < 40) {
            let reach = i.saturating_sub(RADIUS)..bounds.len().min(i + RADIUS + 1);
            let key = |&j: &usize| (areas.half_area(bounds[i].union(bounds[j])).to_bits(), i ^ j);
            let want = reach.filter(|&j| j != i).min_by_key(key).unwrap();
            assert_eq!(got[i], want as u64, "of {i}");
        }
        assert!(merges_of_chunks(&got, watch).unwrap().iter().sum::<usize>() > bounds.len() / 10);
        let equal = vec![bounds[0]; 1001];
        let equal = nearest(&equal, areas, watch).unwrap();
        assert_eq!(merges_of_chunks(&equal, watch).unwrap(), [500], "equal ones pair up at once");
    }

    #[test]
    fn boxes_around_each_other_end_within_the_greatest_depth() {
        // In each round only the innermost two would merge.
        let around = |i: u32| Aabb { min: [-(i as f32); 3], max: [i as f32; 3] };
        for count in [1, 2, 3, 200, 3000] {
            let references: Vec<Reference> = (0..count).map(|i| Reference::new(&around(i), i)).collect();
            let (merges, root) = cluster(&references, &Watch::nothing()).unwrap();
            let top = merge_of(root, references.len(), &merges);
            assert_eq!((top.size, merges.len() as u32), (count, count - 1));
            assert!(top.height <= MAX_DEPTH, "{count}: {}", top.height);
            assert!(count < 100 || top.height == MAX_DEPTH, "{count} do not put the limit to the test");
        }
    }
}
