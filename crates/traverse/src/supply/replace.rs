//! Replacing terminated rays (AL09 5.1; ALK12: when fewer than 60 % of the lanes have work): lanes whose
//! rays have ended get new ones, which start from the root, while the others go on.

use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::schedule::Schedule;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::Block;

/// Traces rays until the global pool is empty.
pub(crate) fn replace<S: Schedule, L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>) {
    let (every, refill) = (warp.launch.variant.every(), warp.launch.variant.refill());
    for turn in 0u32.. {
        let alive = warp.alive();
        let alive = warp.ballot(alive);
        let too_few = 100 * alive < refill * warp.width();
        if too_few && (turn % every == 0 || alive == 0) && !warp.pool.is_dry() {
            warp.store_hit();
            // Each idle lane finds its place among them, and so its ray.
            let idle = warp.lanes.filter(Lane::is_idle);
            warp.issue(Block::PrefixSum, idle);
            warp.fetch_ray(idle);
        } else if alive == 0 {
            break;
        }
        S::turn(warp);
    }
    warp.store_hit();
}
