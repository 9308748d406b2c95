//! `vote`, `ballot`, `shuffle`, `prefix_sum`: operations of a warp as a whole.

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::Block;

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Votes and returns `true` if any lane is in `mask`; every lane of the warp takes part.
    pub fn any(&mut self, mask: L::Mask) -> bool {
        self.issue_everyone(Block::Vote);
        mask.any()
    }

    /// Takes a ballot and returns the number of lanes in `mask`; every lane of the warp takes part.
    pub fn ballot(&mut self, mask: L::Mask) -> u32 {
        self.issue_everyone(Block::Ballot);
        mask.count()
    }

    /// Issues the exchanges by which the lanes that share a ray find the least of their values, as a butterfly.
    pub fn reduce_over_ray(&mut self, mask: L::Mask) {
        self.issue_times(Block::Shuffle, mask, self.lanes_per_ray().ilog2());
    }
}
