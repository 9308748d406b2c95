//! Supply that replaces terminated rays (AL09 5.1): lanes whose rays have ended get new ones, which start from the
//! root, while the others go on. [`Refill`] says when.

use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::schedule::Phases;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::{Block, Refill};

/// Traces rays until the global pool is empty, and gives new rays to idle lanes while others go on.
pub(crate) fn replace<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    phases: &Phases<L, T, P>,
) {
    let (every, refill) = (warp.launch.variant.every(), warp.launch.variant.refill());
    let mut lost = 0;
    for iteration in 0u32.. {
        let alive = warp.alive();
        let alive = warp.ballot(alive);
        let fetch = match refill {
            Refill::Below(share) => 100 * alive < share * warp.width(),
            Refill::LostIterations => {
                lost += 32 * i64::from(warp.width() - alive) - i64::from(Refill::FREE * warp.width());
                lost >= i64::from(Refill::LOST * warp.width())
            }
        };
        let dry = warp.pool.is_dry();
        if alive == 0 && dry {
            break;
        }
        if !dry && (alive == 0 || (fetch && iteration % every == 0)) {
            lost = 0;
            warp.store_hit();
            // Each idle lane finds its place among them, and so its ray.
            let idle = warp.idle();
            warp.issue(Block::PrefixSum, idle);
            warp.fetch_ray(idle);
        }
        (phases.iterate)(warp);
    }
    warp.store_hit();
}
