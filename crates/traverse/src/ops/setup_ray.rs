//! `setup_ray`: reciprocal direction, origin times reciprocal, empty stack, at the root.

use crate::lane::{Lane, Postponed, Work};
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::ray::LaneRay;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::Block;
use raywarp_geom::HitKey;

impl<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch> Warp<'_, L, T, P> {
    /// Prepares the rays that `mask` just fetched. One that can hit nothing ends at once.
    #[inline(never)]
    pub fn setup_ray(&mut self, mask: L::Mask) {
        let launch = self.launch;
        self.lanes.each(mask, |_, lane| {
            let ray = &launch.rays[lane.ray as usize];
            let after = launch.after.get(lane.ray as usize).copied().unwrap_or(HitKey::START);
            let (planes, test) = (launch.variant.box_planes(), launch.variant.box_test());
            lane.setup = Some(LaneRay::new(ray, &after, launch.bounds, planes, test));
            lane.postponed = Postponed::EMPTY;
            lane.stack.clear();
            lane.found.invalid = !ray.is_valid();
            lane.work = match launch.tree.root() {
                Some(root) if !lane.found.invalid => Work::At(root),
                _ => Work::Done,
            };
        });
        self.issue(Block::SetupRay, mask);
    }
}
