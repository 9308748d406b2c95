//! A box of the world in the space of a placed tree.
//!
//! # Why nothing is missed
//! With `M y + m` the map of corners to the world, which the rule of flattening rounds by `r`, and `N x + n` its
//! inverse in f64: a point of a flattened triangle that lies in the box is `M y + m + r`, and the inverse takes it to
//! `y + (N M - 1) y + (N m + n) + N r`. The rows of `N M - 1` are below `2^-34`
//! ([`PlacementError::IllConditioned`](crate::PlacementError::IllConditioned) else), the last two terms are computed,
//! and `2^-48` of all that is added up takes the roundings. So `y` lies in the image of the box, grown by these.

use crate::levels::Moved;
use raywarp_geom::Aabb;

/// Returns a box in the tree's space around all that is in `bounds` in the world; `tree` is the box around the tree.
pub(super) fn region(moved: &Moved, bounds: &Aabb, tree: &Aabb) -> Aabb {
    let farthest = f64::from(tree.farthest());
    let range = |i: usize| {
        let row = &moved.to_tree.rows[i];
        let (mut low, mut high, mut added, mut rest) = (row[3], row[3], 2.0 * row[3].abs(), row[3]);
        for j in 0..3 {
            let ends = [bounds.min[j], bounds.max[j]].map(|x| row[j] * f64::from(x));
            let shift = row[j] * f64::from(moved.to_world.rows[j][3]);
            low += ends[0].min(ends[1]);
            high += ends[0].max(ends[1]);
            rest += shift;
            added += ends[0].abs().max(ends[1].abs()) + shift.abs();
        }
        let pad =
            f64::from(moved.growth[i]) + farthest / (1u64 << 33) as f64 + rest.abs() + added / (1u64 << 48) as f64;
        [((low - pad) as f32).next_down(), ((high + pad) as f32).next_up()].map(|x| x.clamp(f32::MIN, f32::MAX))
    };
    let ranges = [range(0), range(1), range(2)];
    Aabb { min: ranges.map(|range| range[0]), max: ranges.map(|range| range[1]) }
}
