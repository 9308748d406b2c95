//! Finds the place where a node would cost least: branch and bound over the whole tree (MB18 3.1).

use super::tree::{Place, Tree};

/// Possible move: a node, and its future sibling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Move {
    /// Amount by which the move alone would reduce the sum of all inner nodes' half areas.
    pub(super) gain: f32,
    pub(super) node: Place,
    /// Position of the node's future sibling.
    pub(super) target: Place,
}

/// Smallest gain worth a move, as a share of the parent's area; less is rounding, or not worth the work.
const LEAST_GAIN: f32 = 1e-4;

/// Returns the best move for `node`, which is not the root; `None` if it should stay. `stack` is only kept to spare its
/// allocation.
pub(super) fn best_move(tree: &Tree<'_>, node: Place, stack: &mut Vec<(Place, f32)>) -> Option<Move> {
    let area = |bounds| tree.areas.half_area(bounds);
    let bounds = tree.bounds(node);
    // Any new parent is at least as large as the node itself.
    let least = area(bounds);
    let mut path = tree.parent(node);
    // What taking the node away spares: all of its parent, and what the nodes above it shrink by.
    let mut spared = area(tree.bounds(path));
    let mut shrunk = tree.bounds(Tree::sibling(node));
    let mut best = Move { gain: LEAST_GAIN * spared, node, target: node };
    // What stands beside the way up, from below: near places are good ones mostly, and bound the rest.
    let mut aside = Tree::sibling(node);
    loop {
        // Each entry: a subtree, and what is spared minus what the nodes above the subtree grow by.
        if spared - least > best.gain {
            stack.push((aside, spared));
        }
        while let Some((place, spared)) = stack.pop() {
            if spared - least <= best.gain {
                continue;
            }
            let here = tree.bounds(place);
            let grown = area(here.union(bounds));
            if spared - grown > best.gain {
                best = Move { gain: spared - grown, node, target: place };
            }
            let below = spared - (grown - area(here));
            if below - least > best.gain
                && let Some(children) = tree.children(place)
            {
                stack.extend(children.map(|child| (child, below)));
            }
        }
        if path == 0 {
            break;
        }
        aside = Tree::sibling(path);
        if tree.parent(node) != path {
            // The node above may be the target itself: its new parent is as large as it was.
            let here = area(tree.bounds(path));
            spared += here - area(shrunk);
            if spared - here > best.gain {
                best = Move { gain: spared - here, node, target: path };
            }
        }
        shrunk = shrunk.union(tree.bounds(aside));
        path = tree.parent(path);
    }
    (best.target != node).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::super::tests::needles;
    use super::super::tree::tests::possible_moves;
    use super::*;
    use crate::Builder;
    use crate::watch::Watch;

    #[test]
    fn the_search_finds_what_trying_every_place_finds() {
        let bvh = needles(40, Builder::Lbvh);
        let tree = Tree::new(&bvh, &Watch::nothing()).unwrap();
        let mut slow = vec![0.0f64; tree.len()];
        for [node, target] in possible_moves(&tree) {
            let mut moved = tree.clone();
            moved.reinsert(node, target);
            slow[node as usize] = slow[node as usize].max(tree.inner_area() - moved.inner_area());
        }
        let mut found = 0;
        for node in 1..tree.len() as u32 {
            let least = f64::from(LEAST_GAIN * tree.areas.half_area(tree.bounds(tree.parent(node))));
            let want = slow[node as usize];
            match best_move(&tree, node, &mut Vec::new()) {
                Some(best) => {
                    found += 1;
                    assert!((f64::from(best.gain) - want).abs() < 1e-5, "{best:?}, but {want} is to be had");
                    let mut moved = tree.clone();
                    moved.reinsert(node, best.target);
                    let gain = tree.inner_area() - moved.inner_area();
                    assert!((f64::from(best.gain) - gain).abs() < 1e-5, "{best:?} gains {gain}");
                }
                None => assert!(want <= least + 1e-5, "node {node}: {want} is to be had"),
            }
        }
        assert!(found > 10, "{found} nodes to move");
    }
}
