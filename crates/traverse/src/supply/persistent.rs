//! Persistent warps (AL09 3.3 and appendix A): when all rays of a warp have ended, it takes the next
//! ones from its local pool of 3 * 32, and the pool from a global counter.

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Probe;
use crate::schedule::{Packet, Schedule};
use crate::tree::Tree;
use crate::warp::Warp;

/// Traces rays until the global pool is empty.
pub(crate) fn persistent<S: Schedule, L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(warp: &mut Warp<'_, L, T, P>) {
    while warp.fetch_ray(warp.everyone()).any() {
        while warp.any(warp.alive()) {
            S::turn(warp);
        }
        warp.store_hit();
    }
}

impl Packet {
    /// Packet after packet until the global pool is empty.
    pub fn persistent<L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(warp: &mut Warp<'_, L, T, P>) {
        while warp.fetch_ray(warp.everyone()).any() {
            Self::trace(warp);
            warp.store_hit();
        }
    }
}
