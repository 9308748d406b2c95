//! The exact sweep for a handful of references, where bins cost more than sorting.

use super::cost::Split;
use crate::reference::{Bounds, Reference};

/// The most references that [`sort_best`] takes.
pub(super) const SMALL: usize = 16;

/// Finds the best of all splits between neighbouring centroids on the three axes and puts
/// `references` in that order, so that the first `left` of them go left.
pub(super) fn sort_best(references: &mut [Reference]) -> Split {
    let count = references.len();
    debug_assert!((2..=SMALL).contains(&count));
    let mut best = Split::NONE;
    let mut best_order = [0u8; SMALL];
    for axis in 0..3 {
        let (order, keys) = sorted(references, axis);
        let mut right_areas = [0.0; SMALL];
        let mut right = Bounds::EMPTY;
        for i in (1..count).rev() {
            right = right.union(references[usize::from(order[i])].bounds());
            right_areas[i] = right.half_area();
        }
        let mut left = Bounds::EMPTY;
        let mut improved = false;
        for i in 1..count {
            left = left.union(references[usize::from(order[i - 1])].bounds());
            let cost = left.half_area() * i as f64 + right_areas[i] * (count - i) as f64;
            // Not between equal centroids, as in the large sweep.
            if cost < best.cost && keys[i - 1] < keys[i] {
                best = Split { axis, at: i, left: i, cost };
                improved = true;
            }
        }
        if improved {
            best_order = order;
        }
    }
    if best.left == 0 {
        return best;
    }
    let mut copy = [Reference::NONE; SMALL];
    copy[..count].copy_from_slice(references);
    for (to, &from) in references.iter_mut().zip(&best_order) {
        *to = copy[usize::from(from)];
    }
    best
}

/// Positions in order of centroid along `axis`, and these centroids; equal ones keep their order.
fn sorted(references: &[Reference], axis: usize) -> ([u8; SMALL], [f32; SMALL]) {
    let mut keys = [0.0f32; SMALL];
    let mut order = [0u8; SMALL];
    for (i, reference) in references.iter().enumerate() {
        let key = reference.centroid()[axis];
        let mut j = i;
        while j > 0 && keys[j - 1] > key {
            keys[j] = keys[j - 1];
            order[j] = order[j - 1];
            j -= 1;
        }
        keys[j] = key;
        order[j] = i as u8;
    }
    (order, keys)
}
