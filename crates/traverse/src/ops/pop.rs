//! `pop`: take the next entry from the stack.

use crate::lane::{Lane, Work};
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::Block;

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Makes the lanes of `mask` take the last entry from their stacks. Below the stack lies a sentinel: a lane that
    /// reads it has nothing left.
    #[inline(never)]
    pub fn pop(&mut self, mask: L::Mask) {
        let (tree, touches) = (self.launch.tree, self.wants_touches());
        let mut read = std::mem::take(&mut self.stacked);
        read.clear();
        self.lanes.each(mask, |i, lane| {
            let (entry, index) = lane.stack.pop();
            lane.work = match (entry, &lane.setup) {
                (Some(entry), Some(ray)) => Work::At(tree.popped(ray, entry)),
                _ => Work::Done,
            };
            if touches {
                read.push((i, lane.stack_number, index));
            }
        });
        for &(i, owner, index) in &read {
            self.touch_stack(i, owner, index, false);
        }
        self.stacked = read;
        self.issue(Block::Pop, mask);
    }
}
