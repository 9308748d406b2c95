//! Work queue (AL09 5.2): a warp keeps twice as many rays as lanes, the extra ones parked in shared
//! memory. Of traversal and intersection the one that more of the rays want is run, after rays
//! have been exchanged so that as many lanes as possible take part: all, by the pigeonhole principle,
//! while there are enough rays.
//!
//! AL09's parameters are the defaults: terminated rays are replaced every 4 main-loop iterations, and
//! inner loops take at most 4.

use crate::lane::{IDLE, Lane};
use crate::lanes::Lanes;
use crate::ops::LOCAL_POOL;
use crate::probe::Watch;
use crate::schedule::Schedule;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::{Block, Space};

/// Bytes of a parked ray: seven 32-bit registers (AL09 5.2). What boxes and triangles need of it is found again from
/// the ray in memory, and its stack stays there.
const PARKED_BYTES: u16 = 28;

/// The first word of a parked ray says what it wants.
const STATE_BYTES: u16 = 4;

/// Traces rays until the global pool is empty; `parked` has a place for each lane.
pub(crate) fn queue<S: Schedule, L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &mut [Lane<T>],
) {
    let every = warp.launch.variant.every();
    for turn in 0u32.. {
        warp.issue_everyone(Block::Turn);
        if turn % every == 0 {
            refill(warp, parked);
        }
        // Count both populations among all rays, and choose the operation with greater support.
        let mut wants = populations(warp, parked);
        if wants == [0, 0] {
            refill(warp, parked);
            wants = populations(warp, parked);
            if wants == [0, 0] {
                break;
            }
        }
        let [traversing, intersecting] = wants;
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

/// How many rays, in lanes and parked, want to visit a node, and how many to test a triangle. A ray that lives
/// wants one of them between turns.
fn populations<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &[Lane<T>],
) -> [u32; 2] {
    let (inner, leaf) = (warp.at_inner_node(), warp.has_leaf());
    [
        warp.ballot(inner) + count_parked(warp, parked, Lane::at_inner_node),
        warp.ballot(leaf) + count_parked(warp, parked, Lane::has_leaf),
    ]
}

/// A ballot over the parked rays: each lane looks at one.
fn count_parked<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &[Lane<T>],
    wants: fn(&Lane<T>) -> bool,
) -> u32 {
    for place in 0..parked.len() as u32 {
        warp.touch(place, Space::Shared, place_record(place), 0, STATE_BYTES, false);
    }
    warp.issue_everyone(Block::Ballot);
    parked.iter().filter(|lane| wants(lane)).count() as u32
}

/// The record of shared memory that holds a parked ray; the local pool stands before them.
fn place_record(place: u32) -> u32 {
    LOCAL_POOL + 1 + place
}

/// Replaces all terminated rays, those in lanes and the parked ones. Rays are stored and set up in lanes,
/// so that parked places change with lanes for it.
fn refill<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>, parked: &mut [Lane<T>]) {
    loop {
        warp.store_hit();
        let idle = warp.lanes.filter(Lane::is_idle);
        if warp.ballot(idle) > 0 && !warp.pool.is_dry() {
            warp.issue(Block::PrefixSum, idle);
            warp.fetch_ray(idle);
        } else if count_parked(warp, parked, Lane::has_ended) > 0 {
            swap(warp, parked, |lane| !lane.has_ended(), Lane::has_ended);
        } else if !warp.pool.is_dry() && count_parked(warp, parked, Lane::is_idle) > 0 {
            swap(warp, parked, Lane::is_alive, Lane::is_idle);
        } else {
            break;
        }
    }
}

/// Lanes that do not want the chosen operation swap with parked rays that do.
fn exchange<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &mut [Lane<T>],
    wants: fn(&Lane<T>) -> bool,
) {
    swap(warp, parked, |lane| !wants(lane), wants);
}

/// Swaps lanes with parked rays, one by one in order, while both predicates find some: a prefix sum over each
/// tells a lane its partner.
fn swap<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &mut [Lane<T>],
    from_lane: impl Fn(&Lane<T>) -> bool,
    from_parked: impl Fn(&Lane<T>) -> bool,
) {
    warp.issue_everyone(Block::PrefixSum);
    warp.issue_everyone(Block::PrefixSum);
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
        warp.touch(i, Space::Shared, place_record(place), 0, PARKED_BYTES, false);
        warp.touch(i, Space::Shared, place_record(place), 0, PARKED_BYTES, true);
        if ray != IDLE {
            warp.touch(i, Space::Ray, ray, 0, 32, false);
        }
        bits |= 1 << i;
    }
    warp.issue_bits(Block::Exchange, bits);
}
