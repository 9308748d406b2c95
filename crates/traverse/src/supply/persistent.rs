//! Persistent warps (AL09 3.3 and appendix A): when all rays of a warp have ended, it takes the next
//! ones from its local pool of 3 * 32, and the pool from a global counter.

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Watch;
use crate::schedule::Body;
use crate::tree::Tree;
use crate::warp::Warp;

/// Traces rays, a full warp at a time, until the global pool is empty.
pub(crate) fn persistent<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    body: &Body<L, T, P>,
) {
    while warp.fetch_ray(warp.everyone()).any() {
        body.trace(warp);
        warp.store_hit();
    }
}
