//! `enter_instance`: take the ray into the space of a placed tree, and start at its root.

use crate::lane::{Lane, Work};
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::{Entry, Tree};
use crate::warp::Warp;
use raywarp_family::{Block, Space};

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Makes the lanes of `mask` enter the instances that they stand at: each reads the placement's record, transforms
    /// its ray, computes what box tests need of it, and pushes a mark on its stack, by which it finds the way back.
    #[inline(never)]
    pub fn enter_instance(&mut self, mask: L::Mask) {
        let launch = self.launch;
        let (mut read, mut pushed) = (std::mem::take(&mut self.noted), std::mem::take(&mut self.stacked));
        read.clear();
        pushed.clear();
        let mut bytes = [0; 2];
        self.lanes.each(mask, |i, lane| {
            let (Work::At(Entry::Instance(instance)), Some(ray)) = (lane.work, &mut lane.setup) else { return };
            let entered = launch.tree.enter(instance, ray, launch.variant);
            pushed.push((i, lane.stack_number, lane.stack.push(Entry::Above)));
            lane.work = entered.root.map_or(Work::Pop, Work::At);
            bytes = entered.reads.map(|(_, bytes)| bytes);
            read.extend(entered.reads.map(|(record, _)| (i, record)));
        });
        for (k, &(i, record)) in read.iter().enumerate() {
            self.touch(i, Space::Node, record, 0, bytes[k % 2], false);
        }
        for &(i, owner, index) in &pushed {
            self.touch_stack(i, owner, index, true);
        }
        (self.noted, self.stacked) = (read, pushed);
        self.issue(Block::EnterInstance, mask);
    }
}
