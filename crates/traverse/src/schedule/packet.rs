//! Packet traversal (Günther et al. 2007; AL09 3.1): all rays of a warp follow one path with one stack.
//! A node is visited when any ray hits it, and all rays take part in every test.
//!
//! ```text
//! while there is a node, and any ray is not terminated
//!     if it does not contain primitives
//!         test both children; vote which any ray hits; go to the one that more rays meet first
//!     else
//!         test all of its primitives
//!         pop
//! ```

use crate::lane::{Lane, Stack};
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::{Entry, EntryOf, Leaf, Tree};
use crate::warp::Warp;
use raywarp_family::Block;

/// Traces the rays of a warp as a packet until all have ended.
pub(super) fn trace<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
    let mut stack: Stack<EntryOf<T>> = Stack::new(warp.launch.tree.stack_depth());
    let mut next = if warp.any(warp.alive()) { warp.launch.tree.root() } else { None };
    while let Some(entry) = next {
        warp.issue_everyone(Block::Iteration);
        next = match entry {
            Entry::Inner(inner) => warp.visit_node_together(inner, &mut stack),
            Entry::Leaf(mut leaf) => {
                while let Some(record) = leaf.take() {
                    warp.test_triangle_together(record);
                }
                // Only an any-hit ray ends before its packet's path does.
                if warp.launch.any_hit && !warp.any(warp.alive()) {
                    break;
                }
                warp.pop_together(&mut stack)
            }
            Entry::Instance(_) | Entry::Above => unreachable!("a packet walks one level"),
        };
    }
    let all = warp.holding();
    warp.lanes.each(all, |_, lane| lane.end());
}
