//! `leave_instance`: take the ray back to the world, and go on in the level above.

use crate::lane::{Lane, Work};
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::{Block, Space};

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Makes the lanes of `mask` leave the placed trees that they have walked; they must pop then.
    ///
    /// A lane reads its ray again and computes again what box tests need of it, as for a ray that was parked (AL09
    /// 5.2): kept while it walks the instance, they would take 10 registers of each lane.
    #[inline(never)]
    pub fn leave_instance(&mut self, mask: L::Mask) {
        let launch = self.launch;
        let mut left = std::mem::take(&mut self.noted);
        left.clear();
        self.lanes.each(mask, |i, lane| {
            if let Some(ray) = &mut lane.setup {
                launch.tree.leave(ray);
            }
            lane.work = Work::Pop;
            left.push((i, lane.ray));
        });
        for &(i, ray) in &left {
            self.touch(i, Space::Ray, ray, 0, 32, false);
        }
        self.noted = left;
        self.issue(Block::LeaveInstance, mask);
    }
}
