//! `setup_ray`: compute the reciprocal direction and the origin times it, empty the stack, and start at the root.

use crate::lane::{Lane, Postponed, Work};
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::Block;

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Computes what box and triangle tests need of the rays that `mask` just fetched. One that can hit nothing ends at
    /// once.
    #[inline(never)]
    pub fn setup_ray(&mut self, mask: L::Mask) {
        let launch = self.launch;
        self.lanes.each(mask, |_, lane| {
            let (ray, found, root) = launch.tree.begin(lane.ray, launch.variant);
            (lane.setup, lane.found) = (Some(ray), found);
            lane.postponed = Postponed::EMPTY;
            lane.stack.clear();
            lane.work = root.map_or(Work::Done, Work::At);
        });
        self.issue(Block::SetupRay, mask);
    }
}
