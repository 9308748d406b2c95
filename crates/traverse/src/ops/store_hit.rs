//! `store_hit`: write the result.

use crate::lane::{IDLE, Lane};
use crate::lanes::{Is, Lanes};
use crate::probe::Watch;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::{Block, Space};

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Stores the results of the rays that have ended; their lanes are idle then.
    #[inline(never)]
    pub fn store_hit(&mut self) {
        let mask = self.lanes.which(Is::Ended);
        let (launch, answers) = (self.launch, &mut *self.answers);
        let mut written = std::mem::take(&mut self.noted);
        written.clear();
        self.lanes.each(mask, |i, lane| {
            answers.push(launch.tree.answer(lane.ray, &lane.found));
            written.push((i, lane.ray));
            (lane.ray, lane.setup) = (IDLE, None);
        });
        let (n, bytes) = (self.lanes_per_ray(), if launch.any_hit { 4 } else { 16 });
        for &(i, ray) in &written {
            // Any-hit results are a bit a ray: lanes write words.
            let index = if launch.any_hit { ray / 32 } else { ray };
            self.touch(i * n, Space::Hit, index, 0, bytes, true);
        }
        self.issue(Block::StoreHit, mask);
        for &(i, _) in &written {
            self.set_ray(i, IDLE);
        }
        self.noted = written;
    }
}
