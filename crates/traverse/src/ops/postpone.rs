//! `postpone`: put a leaf aside and go on traversing.

use crate::lane::{Lane, Work};
use crate::lanes::{Is, Lanes, Mask};
use crate::probe::Watch;
use crate::tree::{Entry, Tree};
use crate::warp::Warp;
use raywarp_family::Block;

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Puts the leaf at which a lane stands into its postpone buffer, if it has room (AL09 4: one leaf; ALK12: one or
    /// two). Such lanes must then pop, unless nodes are grouped with the leaf.
    #[inline(never)]
    pub fn postpone(&mut self) {
        let room = self.launch.variant.postpone();
        let mask = self.lanes.among(self.lanes.which(Is::AtLeaf), |lane| lane.postponed.len() < room);
        self.lanes.each(mask, |_, lane| {
            if let Work::At(Entry::Leaf(mut leaf)) = lane.work {
                lane.work = T::take_behind(&mut leaf).map_or(Work::Pop, |nodes| Work::At(Entry::Inner(nodes)));
                lane.postponed.push(leaf);
            }
        });
        self.issue(Block::Postpone, mask);
    }

    /// Makes lanes that have a node to visit push the leaf that they put aside, to test it later (YKL17: triangles are
    /// postponed when too few lanes have some).
    #[inline(never)]
    pub fn defer(&mut self) {
        // Who stands at a node has no leaf but those.
        let mask = self.at_inner_node().and(self.has_leaf());
        let mut pushed = std::mem::take(&mut self.stacked);
        pushed.clear();
        self.lanes.each(mask, |i, lane| {
            if let Some(leaf) = lane.postponed.remove_first() {
                pushed.push((i, lane.stack_number, lane.stack.push(Entry::Leaf(leaf))));
            }
        });
        for &(i, owner, index) in &pushed {
            self.touch_stack(i, owner, index, true);
        }
        self.stacked = pushed;
        self.issue(Block::Defer, mask);
    }
}
