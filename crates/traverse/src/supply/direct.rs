//! Direct supply, one ray a lane: a warp ends with the last of its rays.

use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::probe::Watch;
use crate::schedule::Body;
use crate::tree::Tree;
use crate::warp::Warp;

/// Traces the warp's one set of rays.
pub(crate) fn direct<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>, body: &Body<L, T, P>) {
    warp.fetch_ray(warp.everyone());
    body.trace(warp);
    warp.store_hit();
}
