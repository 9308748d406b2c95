//! Assigns children to slots, so that slots in the order of `slot ^ octant` come near to far.
//!
//! Source: YKL17 3.2, which maximises the sum of how far each child lies in the direction of its
//! slot's corner, by auction. Departure: eight children allow the exact optimum by trying every set
//! of taken slots (256 sums), which is deterministic, and as fast.

use super::node::SLOTS;
use raywarp_geom::Aabb;

/// Assigns each of up to 8 children to a slot, so that slots visited in octant order are about front to back. Among
/// equally good assignments a fixed one.
pub(crate) fn assign_slots(children: &[Aabb]) -> [usize; SLOTS] {
    let gains = gains(children);
    // The best sum with the first children in the slots of a mask. A mask with more bits than the
    // one at hand is still at minus infinity, so that the loop asks no bit whether it is set.
    let mut best = [f64::NEG_INFINITY; 1 << SLOTS];
    best[0] = 0.0;
    let count = children.len();
    let mut full = 0;
    for mask in 1usize..1 << SLOTS {
        let taken = mask.count_ones() as usize;
        if taken > count {
            continue;
        }
        let gain = &gains[taken - 1];
        let sums: [f64; SLOTS] = std::array::from_fn(|slot| best[mask ^ 1 << slot] + gain[slot]);
        best[mask] = sums.iter().fold(f64::NEG_INFINITY, |most, &sum| if sum > most { sum } else { most });
        if taken == count && (full == 0 || best[mask] > best[full]) {
            full = mask;
        }
    }
    // Back from the best of all: the lowest slot that gives the last child's sum.
    let mut slots = [0; SLOTS];
    for child in (0..count).rev() {
        let gives = |slot: &usize| full & 1 << slot != 0 && best[full ^ 1 << slot] + gains[child][*slot] == best[full];
        slots[child] = (0..SLOTS).find(gives).unwrap_or(full.trailing_zeros() as usize);
        full ^= 1 << slots[child];
    }
    slots
}

/// Returns the gain of each child in each slot: its offset from the node's centre times the diagonal towards the slot's
/// corner (dot product). In f64, whose range sums of f32 do not leave.
fn gains(children: &[Aabb]) -> [[f64; SLOTS]; SLOTS] {
    let all = children.iter().fold(Aabb::EMPTY, |all, child| all.union(child));
    // Twice the middle; a factor does not change which sum is largest.
    let middle = |aabb: &Aabb, axis: usize| f64::from(aabb.min[axis]) + f64::from(aabb.max[axis]);
    let mut gains = [[0.0; SLOTS]; SLOTS];
    for (gains, child) in gains.iter_mut().zip(children) {
        let [x, y, z] = std::array::from_fn(|axis| middle(child, axis) - middle(&all, axis));
        for (slot, gain) in gains.iter_mut().enumerate() {
            let side = |bit: usize, offset: f64| if slot & bit != 0 { offset } else { -offset };
            *gain = side(4, x) + side(2, y) + side(1, z);
        }
    }
    gains
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(p: [f32; 3]) -> Aabb {
        Aabb { min: p, max: p }
    }

    fn random_points(count: usize, seed: u64) -> Vec<Aabb> {
        let mut random = raywarp_testing::Random::new(seed);
        (0..count).map(|_| point(random.point())).collect()
    }

    fn sum(children: &[Aabb], slots: &[usize]) -> f64 {
        let gains = gains(children);
        slots.iter().enumerate().map(|(child, &slot)| gains[child][slot]).sum()
    }

    /// Returns the best total gain over all assignments of children to slots, by exhaustive search.
    fn best_sum(gains: &[[f64; SLOTS]], taken: usize) -> f64 {
        let Some((first, rest)) = gains.split_first() else { return 0.0 };
        let free = (0..SLOTS).filter(|slot| taken & (1 << slot) == 0);
        free.map(|slot| first[slot] + best_sum(rest, taken | 1 << slot)).fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn the_corners_of_a_cube_get_their_own_slots() {
        let corner = |slot: usize| point([(slot >> 2) as f32, (slot >> 1 & 1) as f32, (slot & 1) as f32]);
        let children: Vec<Aabb> = [5, 3, 0, 7, 6, 1, 2, 4].map(corner).to_vec();
        assert_eq!(assign_slots(&children), [5, 3, 0, 7, 6, 1, 2, 4]);
        assert_eq!(assign_slots(&children[..3])[..3], [5, 3, 0]);
    }

    #[test]
    fn no_other_assignment_has_a_larger_sum() {
        for count in 1..=6 {
            for seed in 0..20 {
                let children = random_points(count, 1000 * count as u64 + seed);
                let (slots, best) = (assign_slots(&children), best_sum(&gains(&children)[..count], 0));
                assert!((sum(&children, &slots[..count]) - best).abs() < 1e-12, "{slots:?} of {children:?}");
            }
        }
    }

    #[test]
    fn coincident_and_huge_children_get_slots_of_their_own() {
        let limit = f32::MAX;
        let huge = [Aabb { min: [-limit; 3], max: [limit; 3] }, point([limit; 3]), point([-limit; 3])];
        for children in [vec![point([3.0; 3]); 8], vec![point([0.0; 3])], huge.to_vec()] {
            let mut slots = assign_slots(&children)[..children.len()].to_vec();
            slots.sort_unstable();
            slots.dedup();
            assert_eq!(slots.len(), children.len());
        }
    }
}
