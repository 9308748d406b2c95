//! Replacing terminated rays (AL09 5.1; ALK12: when fewer than 60 % of the lanes have work): lanes whose
//! rays have ended get new ones, which start from the root, while the others go on.

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Probe;
use crate::schedule::Schedule;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::Block;

/// Traces rays until the global pool is empty.
pub(crate) fn replace<S: Schedule, L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(warp: &mut Warp<'_, L, T, P>) {
    let (every, refill) = (warp.launch.variant.every(), warp.launch.variant.refill());
    for turn in 0u32.. {
        if turn % every == 0 || !warp.alive().any() {
            let alive = warp.alive();
            let alive = warp.ballot(alive);
            if 100 * alive < refill * warp.width() && !warp.pool.is_dry() {
                warp.store_hit();
                // Each idle lane finds its place among them, and so its ray.
                let idle = warp.lanes.filter(Lane::is_idle);
                warp.issue(Block::PrefixSum, idle);
                warp.fetch_ray(idle);
            }
            if !warp.any(warp.alive()) && warp.pool.is_dry() {
                break;
            }
        }
        S::turn(warp);
    }
    warp.store_hit();
}
