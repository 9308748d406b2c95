//! Makes a finished tree cheaper by moving subtrees to better places.
//!
//! Source: Meister and Bittner 2018, "Parallel reinsertion for bounding volume hierarchy optimization" (MB18).
//! Departures: only the nodes that have the largest areas at the start are looked at; conflicts are resolved by gain in
//! one thread instead of by locks, which takes little time and does not depend on threads; the depth stays within
//! [`MAX_DEPTH`].

mod search;
mod tree;

use crate::build::{LeafRules, MAX_DEPTH, Store, collapse};
use crate::parallel;
use crate::reference::Bounds;
use crate::watch::{Stopped, Watch};
use crate::{BuildOptions, Bvh2, Node};
use rayon::prelude::*;
use search::{Move, best_move};
use tree::{Settled, Tree};

/// Statistics of one run of [`reinsert`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReinsertionStats {
    /// Number of passes made.
    pub passes: u32,
    /// Number of subtrees moved.
    pub moves: u64,
    /// Cost of the tree before: as [`Bvh2::sah_cost`], but with the options' costs of a node and a triangle.
    pub cost_before: f64,
    /// Cost of the tree after the passes, with the options' costs of a node and a triangle.
    pub cost_after: f64,
}

/// Divisor of the number of nodes that gives the number of candidates for moving, at least [`FEWEST`].
const SHARE: usize = 32;
const FEWEST: usize = 1 << 10;
/// Relative gain of a pass below which no further pass is made.
const LEAST_PROGRESS: f64 = 1e-3;
/// Number of candidates that one task works on.
const CHUNK: usize = 128;
/// Number of node positions that one task searches for candidates.
const PLACES: usize = 1 << 14;
/// Number of low bits of an area's float that the selection of candidates ignores: sign, exponent and the first bits of
/// the mantissa count.
const KEY_SHIFT: u32 = 19;
const KEYS: usize = 1 << (32 - KEY_SHIFT);

/// Makes up to `options.reinsertion` passes that move subtrees of `bvh` to where they cost less; `bvh` must pass
/// [`Bvh2::validate`].
///
/// - Output: passes it too, over the same primitives; leaves may have been joined up to
///   `options.max_leaf` references, where that costs less by the options' costs. At most [`MAX_DEPTH`]
///   deep if `bvh` was. The cost is never larger than before: where no pass helps, the tree stays as it
///   is. Equal input gives equal bytes, whatever the number of threads.
/// - Runs on the current rayon pool. A pass is O(n log n) or so; 56 bytes a node beside the tree.
///
/// # Panics
/// May panic if `bvh` does not pass [`Bvh2::validate`].
pub fn reinsert(bvh: &mut Bvh2, options: &BuildOptions) -> ReinsertionStats {
    // Nobody can stop it, so that there always is a result.
    reinsert_watched(bvh, options, &Watch::nothing()).unwrap_or_default()
}

/// Weight of all passes that the options ask for, in a build's progress: in units of 1e-8 s a triangle.
pub(crate) fn weight(options: &BuildOptions) -> f64 {
    if options.reinsertion == 0 { 0.0 } else { 16.0 + 5.0 * f64::from(options.reinsertion) }
}

/// Improves a tree as [`reinsert`] does; a tree whose build is cancelled stays as it is.
pub(crate) fn reinsert_watched(
    bvh: &mut Bvh2,
    options: &BuildOptions,
    watch: &Watch<'_>,
) -> Result<ReinsertionStats, Stopped> {
    let rules = LeafRules::new(options);
    let references = bvh.references.len() as f64;
    // As much for the collapse as for a pass.
    watch.begin(weight(options), references * f64::from(options.reinsertion + 1))?;
    let cost_before = cost_of(bvh, &rules, watch)?;
    let mut stats = ReinsertionStats { cost_before, cost_after: cost_before, ..ReinsertionStats::default() };
    if bvh.nodes.len() < 4 || options.reinsertion == 0 {
        return Ok(stats);
    }
    let mut tree = Tree::new(bvh, watch)?;
    let candidates = largest(&tree, watch)?;
    let mut last_pass = vec![0; tree.len()];
    for pass_index in 1..=options.reinsertion {
        let before = tree.inner_area();
        stats.moves += pass(&mut tree, &candidates, &mut last_pass, pass_index, watch)?;
        watch.advance(references);
        stats.passes += 1;
        // Written so that a NaN ends it.
        let progress = tree.inner_area() <= before * (1.0 - LEAST_PROGRESS);
        if !progress {
            break;
        }
    }
    let store = Store::new(tree.references.len());
    let root = collapse(&Settled::new(tree, watch)?, 0, &rules, &store, watch)?;
    let (nodes, references) = root.flatten(store, watch)?;
    let better = Bvh2 { nodes, references, primitive_count: bvh.primitive_count };
    let cost = cost_of(&better, &rules, watch)?;
    if cost < cost_before {
        *bvh = better;
        stats.cost_after = cost;
    } else {
        stats.moves = 0;
    }
    Ok(stats)
}

/// Returns the expected work of a ray that hits the root's box by the surface area heuristic; 0 if the box has no area.
fn cost_of(bvh: &Bvh2, rules: &LeafRules, watch: &Watch<'_>) -> Result<f64, Stopped> {
    let area = |node: &Node| Bounds { min: node.bounds.min.into(), max: node.bounds.max.into() }.half_area();
    let root = bvh.nodes.first().map_or(0.0, area);
    if root <= 0.0 {
        return Ok(0.0);
    }
    let cost = |node: &Node| match node.count {
        0 => rules.inner_cost(area(node)),
        count => rules.leaf_cost(area(node), count as usize),
    };
    // Sums of fixed chunks, so that the result does not depend on threads.
    let sums = parallel::map_chunks(watch, &bvh.nodes, 1 << 14, &|nodes| nodes.iter().map(cost).sum::<f64>())?;
    Ok(sums.iter().sum::<f64>() / root)
}

/// Makes one pass: finds the best new position of each candidate, then moves them, the greatest gain first. `pass` is
/// its number. Gives the number of moves. `last_pass` has the pass in which each place changed last.
fn pass(
    tree: &mut Tree<'_>,
    candidates: &[u32],
    last_pass: &mut [u32],
    pass: u32,
    watch: &Watch<'_>,
) -> Result<u64, Stopped> {
    let frozen = &*tree;
    let search = |chunk: &[u32]| {
        let mut stack = Vec::with_capacity(128);
        let chunk = chunk.iter().take_while(|_| !watch.is_stopped());
        chunk.filter_map(|&node| best_move(frozen, node, &mut stack)).collect::<Vec<Move>>()
    };
    let mut moves = parallel::map_chunks(watch, candidates, CHUNK, &search)?.concat();
    moves.par_sort_unstable_by(|a, b| b.gain.total_cmp(&a.gain).then(a.node.cmp(&b.node)));
    let mut count = 0;
    for Move { node, target, .. } in moves {
        watch.look()?;
        let changed = [node, Tree::sibling(node), tree.parent(node), target];
        // What stands in these places is what the search saw, or the move is off.
        if changed.iter().any(|&place| last_pass[place as usize] == pass) || !tree.can_move(node, target, MAX_DEPTH) {
            continue;
        }
        // Other moves may have changed the boxes that the search saw, so that the gain is gone.
        if tree.reinsert_if_better(node, target) {
            for place in changed {
                last_pass[place as usize] = pass;
            }
            count += 1;
        }
    }
    Ok(count)
}

/// Returns the positions of the nodes with the largest areas as candidates, in increasing order, without the root.
fn largest(tree: &Tree<'_>, watch: &Watch<'_>) -> Result<Vec<u32>, Stopped> {
    let key = |place: u32| tree.areas.half_area(tree.bounds(place)).to_bits() >> KEY_SHIFT;
    let places = 1..tree.len() as u32;
    let chunks: Vec<_> =
        places.clone().step_by(PLACES).map(|first| first..places.end.min(first + PLACES as u32)).collect();
    let counts_of = |chunk: usize| {
        let mut counts = vec![0usize; KEYS];
        chunks[chunk].clone().for_each(|place| counts[key(place) as usize] += 1);
        counts
    };
    let mut counts = vec![0usize; KEYS];
    for more in parallel::tasks(watch, chunks.len(), &counts_of)? {
        counts.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    let wanted = (tree.len() / SHARE).max(FEWEST);
    let mut found = 0;
    let least = (0..KEYS).rev().find(|&key| {
        found += counts[key];
        found >= wanted
    });
    let least = least.unwrap_or(0) as u32;
    let large = |chunk: usize| chunks[chunk].clone().filter(|&place| key(place) >= least).collect::<Vec<u32>>();
    let mut places = parallel::tasks(watch, chunks.len(), &large)?.concat();
    if places.len() > wanted {
        let area = |place: u32| tree.areas.half_area(tree.bounds(place));
        places.select_nth_unstable_by(wanted, |&a, &b| area(b).total_cmp(&area(a)).then(a.cmp(&b)));
        places.truncate(wanted);
        places.sort_unstable();
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, build};
    use raywarp_geom::FlatTriangles;
    use raywarp_testing::Random;

    /// Returns a tree over long thin triangles at random positions, which leaves much to improve.
    pub(super) fn needles(count: usize, builder: Builder) -> Bvh2 {
        let mut random = Random::new(1);
        let mut number = || random.unit();
        let mut needle = || {
            let [a, b] = [(); 2].map(|()| [number(), number(), number()]);
            [a, std::array::from_fn(|k| a[k] + 0.3 * (b[k] - 0.5)), std::array::from_fn(|k| a[k] + 0.01 * b[k])]
        };
        let triangles = FlatTriangles::from_vertices((0..count).map(|_| needle()).collect());
        build(&triangles, &BuildOptions { builder, max_leaf: 2, ..BuildOptions::default() }).unwrap()
    }

    #[test]
    fn candidates_are_the_nodes_of_largest_area() {
        let bvh = needles(40_000, Builder::Lbvh);
        let tree = Tree::new(&bvh, &Watch::nothing()).unwrap();
        let candidates = largest(&tree, &Watch::nothing()).unwrap();
        assert!(candidates.is_sorted() && !candidates.contains(&0));
        assert_eq!(candidates.len(), tree.len() / SHARE);
        let area = |place: u32| tree.areas.half_area(tree.bounds(place));
        let least = candidates.iter().map(|&place| area(place)).fold(f32::INFINITY, f32::min);
        assert!((1..tree.len() as u32).all(|place| area(place) <= least || candidates.contains(&place)));
    }

    #[test]
    fn boxes_larger_than_what_is_below_them_are_fitted_first() {
        let mut tight = needles(3000, Builder::BinnedSah);
        let mut loose = tight.clone();
        let all = loose.nodes[0].bounds;
        loose.nodes.iter_mut().filter(|node| node.count == 0).for_each(|node| node.bounds = all);
        let options = BuildOptions { reinsertion: 8, ..BuildOptions::default() };
        let stats = [&mut tight, &mut loose].map(|bvh| reinsert(bvh, &options));
        assert!(stats[0].moves > 0 && loose.nodes == tight.nodes);
    }

    #[test]
    fn a_pass_makes_the_tree_cheaper_by_what_it_says() {
        let bvh = needles(5000, Builder::Lbvh);
        let mut tree = Tree::new(&bvh, &Watch::nothing()).unwrap();
        let candidates = largest(&tree, &Watch::nothing()).unwrap();
        let mut last_pass = vec![0; tree.len()];
        for i in 1..=5 {
            let before = tree.inner_area();
            assert!(pass(&mut tree, &candidates, &mut last_pass, i, &Watch::nothing()).unwrap() > 0);
            assert!(tree.inner_area() < before, "pass {i}");
            tree.check(MAX_DEPTH);
        }
    }
}
