//! Orders of hit children: the networks that sort them.

use super::{Visit, VisitRules};
use raywarp_family::ChildOrder;
use raywarp_layout::NO_CHILD;

/// Finishes the visit of a node of up to four children, given which exist and are hit and at what distance: sorts the
/// hits.
#[inline(always)]
pub(crate) fn visit_four<I, L>(
    children: &[u32; 4],
    t: &[f32; 4],
    hit: &[bool; 4],
    rules: &VisitRules,
    out: &mut Visit<I, L>,
) {
    for slot in 0..4 {
        // Unused children cannot be told by their box: ordered by size, infinities hold everything, and a pad turns
        // bytes over.
        if children[slot] == NO_CHILD {
            continue;
        }
        out.used += 1;
        if hit[slot] {
            out.hits.push(t[slot], slot as u32);
        }
    }
    if let Some(order) = rules.order {
        order_children(out.hits.as_mut_slice(), order);
    }
}

/// Sorts the hits, given as (entry distance, child), into the order in which to visit them.
///
/// - [`ChildOrder::Nearest`]: the nearest first, the others as they stand.
/// - [`ChildOrder::Network5`]: merge sort of up to four (G14 4.1): two pairs, then their merge.
/// - [`ChildOrder::Network6`]: Batcher's bitonic network, whose comparators are independent in pairs
///   (G14 4.1).
/// - [`ChildOrder::LowBits`]: the two lowest bits of the distance give way to the child's number,
///   and a network sorts these (L9); distances that differ by less come in order of children.
///
/// # Panics
/// Networks take up to four hits: with more, a bug of ours.
pub(crate) fn order_children(hits: &mut [(f32, u32)], order: ChildOrder) {
    match (order, hits.len()) {
        (_, 0 | 1) => {}
        (ChildOrder::Nearest, _) => {
            let nearest = (1..hits.len()).fold(0, |best, i| if hits[i].0 < hits[best].0 { i } else { best });
            hits[..=nearest].rotate_right(1);
        }
        (ChildOrder::Network5, _) => through(hits, merge_sort),
        (ChildOrder::Network6, _) => through(hits, bitonic_network),
        (ChildOrder::LowBits, _) => through(hits, |all| {
            for (t, child) in all.iter_mut() {
                // Infinity stands for an absent child and must not become a NaN.
                if t.is_finite() {
                    *t = f32::from_bits(t.to_bits() & !3 | *child & 3);
                }
            }
            bitonic_network(all);
        }),
    }
}

/// Sorts up to four hits by a network, with misses at infinity in their slots as in a kernel: a network is not stable,
/// so the slots of misses decide between equal distances.
fn through(hits: &mut [(f32, u32)], sort: impl Fn(&mut [(f32, u32); 4])) {
    let mut all = [(f32::INFINITY, u32::MAX); 4];
    for &hit in &*hits {
        all[hit.1 as usize] = hit;
    }
    sort(&mut all);
    hits.copy_from_slice(&all[..hits.len()]);
}

fn compare_and_swap(all: &mut [(f32, u32); 4], a: usize, b: usize) {
    if all[b].0 < all[a].0 {
        all.swap(a, b);
    }
}

/// Sorts four by five comparators, each of the last three after the one before.
fn merge_sort(all: &mut [(f32, u32); 4]) {
    for (a, b) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        compare_and_swap(all, a, b);
    }
}

/// Sorts four by six comparators in three rounds of two that do not depend on each other; the second pair of the first
/// round sorts downwards.
fn bitonic_network(all: &mut [(f32, u32); 4]) {
    for round in [[(0, 1), (3, 2)], [(0, 2), (1, 3)], [(0, 1), (2, 3)]] {
        for (a, b) in round {
            compare_and_swap(all, a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [ChildOrder; 3] = [ChildOrder::Network5, ChildOrder::Network6, ChildOrder::LowBits];

    /// Returns all permutations of 0 .. n.
    fn arrangements(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![vec![]];
        }
        let insert = |p: Vec<usize>| (0..n).map(move |at| [&p[..at], &[n - 1], &p[at..]].concat());
        arrangements(n - 1).into_iter().flat_map(insert).collect()
    }

    #[test]
    fn networks_sort_every_arrangement_of_up_to_four() {
        for n in 0..=4 {
            for arrangement in arrangements(n) {
                for order in ORDERS {
                    let mut hits: Vec<_> = arrangement.iter().enumerate().map(|(i, &p)| (p as f32, i as u32)).collect();
                    order_children(&mut hits, order);
                    let places: Vec<usize> = hits.iter().map(|hit| arrangement[hit.1 as usize]).collect();
                    assert!(places.is_sorted(), "{order}: {arrangement:?} became {places:?}");
                    let mut children: Vec<u32> = hits.iter().map(|hit| hit.1).collect();
                    children.sort_unstable();
                    assert!(children.iter().enumerate().all(|(i, &c)| c == i as u32), "{order}: a child got lost");
                }
            }
        }
    }

    #[test]
    fn nearest_first_leaves_the_others_as_they_stand() {
        let mut hits = [(3.0, 0), (4.0, 1), (1.0, 2), (2.0, 3)];
        order_children(&mut hits, ChildOrder::Nearest);
        assert_eq!(hits.map(|hit| hit.1), [2, 0, 1, 3]);
    }

    #[test]
    fn the_low_bit_trick_orders_near_equals_by_child() {
        let t = 8.0f32;
        let mut hits = [(t.next_up(), 0), (t, 1)];
        order_children(&mut hits, ChildOrder::LowBits);
        assert_eq!(hits.map(|hit| hit.1), [0, 1]);
        order_children(&mut hits, ChildOrder::Network6);
        assert_eq!(hits.len(), 2);
    }
}
