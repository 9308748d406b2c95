//! Work queue (AL09 5.2): a warp keeps twice as many rays as lanes, the extra ones parked in shared
//! memory. Of traversal and intersection the one that more of the rays want is run, after rays
//! have been exchanged so that as many lanes as possible take part: all, by the pigeonhole principle,
//! while there are enough rays.
//!
//! AL09's parameters are the defaults: terminated rays are replaced every 4 main-loop iterations, and
//! inner loops take at most 4.

use crate::lane::Lane;
use crate::lanes::{Is, Lanes, Mask};
use crate::ops::LOCAL_POOL;
use crate::probe::Watch;
use crate::schedule::Phases;
use crate::tree::Tree;
use crate::warp::Warp;
use raywarp_family::{Block, Space};

/// Bytes of a ray parked in shared memory: seven 32-bit registers (AL09 5.2). What boxes and triangles need of it is
/// found again from the ray in memory, and its stack stays there.
const PARKED_BYTES: u16 = 28;

/// Bytes of the word of a parked ray that says what it does next.
const STATE_BYTES: u16 = 4;

/// Traces rays until the global pool is empty, with extra rays parked in `parked`, one for each lane, each with a stack
/// of its own.
pub(crate) fn queue<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    phases: &Phases<L, T, P>,
    parked: &mut L,
) {
    let every = warp.launch.variant.every();
    for iteration in 0u32.. {
        warp.issue_everyone(Block::Iteration);
        let is_time = iteration % every == 0;
        if is_time {
            refill(warp, parked);
        }
        // Count both populations among all rays, and choose the operation with greater support.
        let mut wants = populations(warp, parked);
        if wants == [0, 0] && !is_time {
            refill(warp, parked);
            wants = populations(warp, parked);
        }
        match wants {
            [0, 0] => break,
            [traversing, intersecting] if traversing >= intersecting => {
                warp.issue_everyone(Block::ChooseNode);
                swap(warp, parked, Is::AtInner);
                (phases.traverse)(warp);
            }
            _ => {
                warp.issue_everyone(Block::ChooseTriangle);
                swap(warp, parked, Is::HasLeaf);
                (phases.intersect)(warp);
            }
        }
    }
}

/// Returns the number of rays, in lanes and parked, that want to visit a node, and the number that want to test a
/// triangle. A ray that lives wants one of them between iterations.
fn populations<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>, parked: &L) -> [u32; 2] {
    let (inner, leaf) = (warp.at_inner_node(), warp.has_leaf());
    look_at_states(warp, parked);
    [
        warp.ballot(inner) + count_parked(warp, parked, Is::AtInner),
        warp.ballot(leaf) + count_parked(warp, parked, Is::HasLeaf),
    ]
}

/// Makes each lane read what one of the parked rays does next.
fn look_at_states<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>, parked: &L) {
    if warp.wants_touches() {
        for place in 0..parked.count() {
            warp.touch(place, Space::Shared, place_record(place), 0, STATE_BYTES, false);
        }
    }
}

/// Issues a ballot over what the parked rays do next.
fn count_parked<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(
    warp: &mut Warp<'_, L, T, P>,
    parked: &L,
    wants: Is,
) -> u32 {
    warp.issue_everyone(Block::Ballot);
    parked.which(wants).count()
}

/// Returns the index of the shared memory record that holds a parked ray; the local pool's comes before them.
fn place_record(place: u32) -> u32 {
    LOCAL_POOL + 1 + place
}

/// Stores and replaces all rays that have ended, those in lanes and the parked ones. Rays are stored and set up in
/// lanes, so that parked places change with lanes for it.
fn refill<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>, parked: &mut L) {
    loop {
        warp.issue_everyone(Block::Refill);
        warp.store_hit();
        let idle = warp.idle();
        look_at_states(warp, parked);
        let idle_lanes = warp.ballot(idle);
        let [ended, empty] = [Is::Ended, Is::Idle].map(|is| count_parked(warp, parked, is));
        let dry = warp.pool.is_dry();
        if idle_lanes > 0 && !dry {
            warp.issue(Block::PrefixSum, idle);
            warp.fetch_ray(idle);
        } else if ended > 0 {
            swap(warp, parked, Is::Ended);
        } else if !dry && empty > 0 {
            swap(warp, parked, Is::Idle);
        } else {
            break;
        }
    }
}

/// Swaps rays in lanes that are not in state `is` with parked rays that are, in order; prefix sums over both tell each
/// lane its partner.
fn swap<L: Lanes<Lane = Lane<T>>, T: Tree, P: Watch>(warp: &mut Warp<'_, L, T, P>, parked: &mut L, is: Is) {
    warp.issue_everyone(Block::PrefixSum);
    warp.issue_everyone(Block::PrefixSum);
    let from = warp.everyone().without(warp.lanes.which(is));
    let mut places = parked.which(is);
    let mut swapped = std::mem::take(&mut warp.stacked);
    swapped.clear();
    warp.lanes.each(from, |i, lane| {
        let place = places.first();
        parked.each(place, |number, other| {
            std::mem::swap(lane, other);
            swapped.push((i, number as u16, lane.ray));
        });
        places = places.without(place);
    });
    let mut bits = 0;
    for &(i, place, ray) in &swapped {
        let place = place_record(u32::from(place));
        warp.set_ray(i, ray);
        warp.touch(i, Space::Shared, place, 0, PARKED_BYTES, false);
        warp.touch(i, Space::Shared, place, 0, PARKED_BYTES, true);
        bits |= 1 << i;
    }
    warp.issue_bits(Block::Exchange, bits);
    if is != Is::Idle {
        swapped.iter().for_each(|&(i, _, ray)| warp.touch(i, Space::Ray, ray, 0, 32, false));
        warp.issue_bits(Block::SetupParked, bits);
    }
    warp.stacked = swapped;
}
