//! The exact sweep for a handful of references, where bins cost more than sorting.

use super::area::Areas;
use super::cost::Split;
use crate::reference::{Bounds, Reference};

/// Largest number of references that [`sort_best`] takes.
pub(super) const SMALL: usize = 16;

/// Finds the best split between neighbouring centroids on the three axes and sorts `references` so that the first
/// `left` go left.
pub(super) fn sort_best(references: &mut [Reference]) -> Split {
    // Most ranges of a tree are pairs and triples: they have one split and three, whatever the axis.
    match references {
        [a, b] => return split_pair(a, b),
        [a, b, c] => return split_triple(a, b, c, 2.0),
        _ => {}
    }
    let count = references.len();
    debug_assert!((2..=SMALL).contains(&count));
    let areas = Areas::within(references.iter().fold(Bounds::EMPTY, |all, reference| all.union(reference.bounds())));
    let centroids: [_; SMALL] =
        std::array::from_fn(|i| references.get(i).map_or([0.0; 3], |r| r.centroid().to_array()));
    let (mut best, mut best_cost) = (Split::NONE, f32::INFINITY);
    let mut best_keys = [0; SMALL];
    for axis in 0..3 {
        let mut keys = [0; SMALL];
        for i in 0..count {
            insert(&mut keys[..=i], key(centroids[i][axis], i));
        }
        let at = |key: u64| references[key as usize & (SMALL - 1)].bounds();
        let mut right_areas = [0.0; SMALL];
        let mut right = Bounds::EMPTY;
        for i in (1..count).rev() {
            right = right.union(at(keys[i]));
            right_areas[i] = areas.half_area(right);
        }
        let mut left = Bounds::EMPTY;
        let mut improved = false;
        for i in 1..count {
            left = left.union(at(keys[i - 1]));
            let cost = areas.half_area(left) * i as f32 + right_areas[i] * (count - i) as f32;
            // Not between equal centroids, as in the large sweep.
            if cost < best_cost && keys[i - 1] >> 32 < keys[i] >> 32 {
                best_cost = cost;
                best = Split { axis, at: i, left: i, cost: 0.0 };
                improved = true;
            }
        }
        if improved {
            best_keys = keys;
        }
    }
    if best.left == 0 {
        return best;
    }
    best.cost = areas.in_scene_units(best_cost);
    let mut copy = [Reference::NONE; SMALL];
    copy[..count].copy_from_slice(references);
    for (to, &from) in references.iter_mut().zip(&best_keys) {
        *to = copy[from as usize & (SMALL - 1)];
    }
    best
}

/// Orders two references by centroid, on the first axis where they differ, and returns the split between them.
#[inline(always)]
pub(super) fn split_pair(a: &mut Reference, b: &mut Reference) -> Split {
    let (from, to) = (a.centroid(), b.centroid());
    let Some(axis) = (0..3).find(|&axis| from[axis] != to[axis]) else { return Split::NONE };
    if from[axis] > to[axis] {
        std::mem::swap(a, b);
    }
    Split { axis, at: 1, left: 1, cost: a.bounds().half_area() + b.bounds().half_area() }
}

/// Puts first the one of three references that costs least when it is alone on its side, and returns that split. The
/// sweep would leave one of the three out where that is in the middle on each axis. `of_two` is what a pair costs.
#[inline(always)]
pub(super) fn split_triple(a: &mut Reference, b: &mut Reference, c: &mut Reference, of_two: f32) -> Split {
    let centroids = [a.centroid(), b.centroid(), c.centroid()];
    if centroids[0] == centroids[1] && centroids[1] == centroids[2] {
        return Split::NONE;
    }
    let [p, q, r] = [a.bounds(), b.bounds(), c.bounds()];
    let qr = q.union(r);
    let areas = Areas::within(p.union(qr));
    let cost = |alone, pair| areas.half_area(alone) + of_two * areas.half_area(pair);
    let costs = [cost(p, qr), cost(q, p.union(r)), cost(r, p.union(q))];
    let best = if costs[0] <= costs[1] && costs[0] <= costs[2] {
        costs[0]
    } else if costs[1] <= costs[2] {
        std::mem::swap(a, b);
        costs[1]
    } else {
        std::mem::swap(a, c);
        costs[2]
    };
    Split { axis: 0, at: 1, left: 1, cost: areas.in_scene_units(best) }
}

/// Returns an integer key that sorts by centroid, then by position, which its lowest bits hold.
#[inline]
fn key(centroid: f32, position: usize) -> u64 {
    let bits = centroid.to_bits();
    let flip = if centroid.is_sign_negative() { u32::MAX } else { 1 << 31 };
    u64::from(bits ^ flip) << 32 | position as u64
}

/// Inserts `new` into the sorted `keys`, whose last element is free.
#[inline]
fn insert(keys: &mut [u64], new: u64) {
    let mut i = keys.len() - 1;
    while i > 0 && keys[i - 1] > new {
        keys[i] = keys[i - 1];
        i -= 1;
    }
    keys[i] = new;
}
