//! Work queue (AL09 5.2): a warp keeps twice as many rays as lanes, the extra ones parked in shared
//! memory. Of traversal and intersection the one that more of the rays want is run, after rays
//! have been exchanged so that as many lanes as possible take part: all, by the pigeonhole principle,
//! while there are enough rays.
//!
//! AL09's parameters are the defaults: terminated rays are replaced every 4 main-loop iterations, and
//! inner loops take at most 4.

use crate::lane::Lane;
use crate::lanes::{Lanes, Mask};
use crate::probe::Probe;
use crate::schedule::Schedule;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::{Block, Space};

/// Bytes of a parked ray: ten 32-bit registers (AL09 5.2).
const PARKED_BYTES: u16 = 40;

/// Traces rays until the global pool is empty; `parked` has a place for each lane.
pub(crate) fn queue<S: Schedule, L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &mut [Lane<T>],
) {
    let every = warp.launch.variant.every();
    for turn in 0u32.. {
        let any_alive = warp.alive().any() || parked.iter().any(Lane::is_alive);
        if turn % every == 0 || !any_alive {
            refill(warp, parked);
            let any_alive = warp.alive().any() || parked.iter().any(Lane::is_alive);
            if !any_alive && warp.pool.is_dry() {
                break;
            }
        }
        // Count both populations among all rays, and choose the operation with greater support.
        let parked_like = |wants: fn(&Lane<T>) -> bool| parked.iter().filter(|lane| wants(lane)).count() as u32;
        let (inner, leaf) = (warp.at_inner_node(), warp.has_leaf());
        let traversing = warp.ballot(inner) + parked_like(Lane::at_inner_node);
        let intersecting = warp.ballot(leaf) + parked_like(Lane::has_leaf);
        if traversing >= intersecting {
            exchange(warp, parked, Lane::at_inner_node);
            S::traverse(warp);
        } else {
            exchange(warp, parked, Lane::has_leaf);
            S::intersect(warp);
        }
    }
    warp.store_hit();
}

/// Replaces all terminated rays, those in lanes and the parked ones. Rays are stored and set up in lanes,
/// so that parked places change with lanes for it.
fn refill<L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(warp: &mut Warp<'_, L, T, P>, parked: &mut [Lane<T>]) {
    loop {
        warp.store_hit();
        let idle = warp.lanes.filter(Lane::is_idle);
        if idle.any() && !warp.pool.is_dry() {
            warp.issue(Block::PrefixSum, idle);
            warp.fetch_ray(idle);
        } else if parked.iter().any(Lane::has_ended) {
            swap(warp, parked, |lane| !lane.has_ended(), Lane::has_ended);
        } else if parked.iter().any(Lane::is_idle) && !warp.pool.is_dry() {
            swap(warp, parked, Lane::is_alive, Lane::is_idle);
        } else {
            break;
        }
    }
}

/// Lanes that do not want the chosen operation swap with parked rays that do.
fn exchange<L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &mut [Lane<T>],
    wants: fn(&Lane<T>) -> bool,
) {
    warp.issue_everyone(Block::PrefixSum);
    swap(warp, parked, |lane| !wants(lane), wants);
}

/// Swaps lanes with parked rays, one by one in order, while both predicates find some.
fn swap<L: Lanes<Lane = Lane<T>>, T: Tree, P: Probe>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &mut [Lane<T>],
    from_lane: impl Fn(&Lane<T>) -> bool,
    from_parked: impl Fn(&Lane<T>) -> bool,
) {
    let mut places = (0..parked.len()).filter(|&p| from_parked(&parked[p])).collect::<Vec<_>>().into_iter();
    let mut swapped = Vec::new();
    let candidates = warp.lanes.filter(|lane| from_lane(lane));
    warp.lanes.each(candidates, |i, lane| {
        if let Some(place) = places.next() {
            std::mem::swap(lane, &mut parked[place]);
            swapped.push((i, place as u32, lane.ray));
        }
    });
    let mut bits = 0;
    for &(i, place, ray) in &swapped {
        warp.set_ray(i, ray);
        warp.touch(i, Space::Shared, place, 0, PARKED_BYTES, false);
        warp.touch(i, Space::Shared, place, 0, PARKED_BYTES, true);
        bits |= 1 << i;
    }
    warp.issue_bits(Block::Exchange, bits);
}
