//! A tree that moves: the transforms at times 0 and 1, and where it is between them.
//!
//! # Why no box is missed
//! At a ray's time `s` the placement is a still one by the map [`Affine::between`] both, whose entries are f32: the ray
//! walks the tree by the inverse of that very map, with the growth of a still placement ([`super::placed`]). What is
//! left is the box in the world, in the tree over the placements, which has to hold the tree at every time. With
//! `u = 2^-24`, `a` and `b` an entry at times 0 and 1, and `m` the larger of their sizes:
//! - The entry at `s` is `fma(s, fl(b - a), a)`. The difference is rounded by at most `u |b - a| <= 2 u m`, and the sum
//!   by `u` of itself, at most `1.01 u m`: the entry is within `3.01 u m` of `(1 - s) a + s b`. Differences do not
//!   underflow; products do, by half of `2^-149`.
//! - By the exact entries `(1 - s) a + s b` a corner `p` goes along the straight line between the places to which the
//!   two ends take it, and so stays in the box around both.
//! - So at any time the rule of flattening, which rounds by `4 u (sum_j |M_ij| |p_j| + |M_i3|)`, takes a corner at
//!   most `(3.01 + 4.01) u (sum_j m_ij |p_j| + m_i3)` out of that box along axis `i`. It grows by `8 u` of it, in f64,
//!   and by half of `2^-149` for each entry that underflows; rounding the box to f32 takes half an ulp of a coordinate,
//!   which is `u` of it at most, and is added once more. `p` is the farthest corner of the tree.
//!
//! # Times at which there is no inverse
//! Between two maps that have inverses there may be some that have none: where what turns by half a turn is flat.
//! There the placement is not seen, as the scene in which it stood still so could not be built. Near such a time the
//! inverse is not exact enough for boxes ([`PlacementError::IllConditioned`]): all triangles are tested then, since it
//! is they that decide, and custom geometry, which has to have the ray in its own space, is not seen.

use super::placed::{Moved, PlacementError, Root, U, children, image_box};
use raywarp_geom::{Aabb, Affine, Affine64};

/// Share of a corner's terms by which the box around a motion grows: what interpolation, flattening, and the rounding
/// of the box itself take.
const SHARE: f64 = 9.0 * U;

/// How a tree moves.
#[derive(Debug)]
pub(crate) struct Motion {
    /// Map to the world at time 0.
    start: Affine,
    /// Map to the world at time 1.
    pub end: Affine,
    /// Box around the tree, in its own space.
    bounds: Aabb,
}

/// How a tree that moves is seen at a time.
pub(crate) enum Then {
    /// Not at all.
    Unseen,
    /// Where its corners are in its own space.
    InPlace,
    /// As a placement that stands still.
    Moved(Moved),
    /// By this map, without the help of boxes.
    Whole(Affine),
}

impl Motion {
    /// Makes the motion of a tree between two maps, and the box in the world around it at all times; empty if the tree
    /// is.
    ///
    /// # Errors
    /// [`PlacementError`], if the tree cannot be placed by one of the maps, or they are farther apart than f32 reaches.
    pub fn new(tree: &Root<'_>, [start, end]: [Affine; 2]) -> Result<(Self, Aabb), PlacementError> {
        let bounds = if tree.node.is_some() { *tree.bounds } else { Aabb { min: [0.0; 3], max: [0.0; 3] } };
        Moved::for_rays(&start, &bounds)?;
        Moved::for_rays(&end, &bounds)?;
        let mut pairs = start.rows.iter().flatten().zip(end.rows.iter().flatten());
        if !pairs.all(|(a, b)| (b - a).is_finite()) {
            return Err(PlacementError::NotFinite);
        }
        let around = tree.node.map_or(Aabb::EMPTY, |root| {
            children(root).fold(Aabb::EMPTY, |all, child| all.union(&swept(&start, &end, &child)))
        });
        let is_finite = around.min.iter().chain(&around.max).all(|x| x.abs() <= f32::MAX);
        if tree.node.is_some() && !is_finite {
            return Err(PlacementError::NotFinite);
        }
        Ok((Self { start, end, bounds }, around))
    }

    /// Returns the map to the world at a time.
    pub fn map(&self, time: f32) -> Affine {
        self.start.between(&self.end, time)
    }

    /// Returns where the tree is at a time.
    #[inline(never)]
    pub fn at(&self, time: f32) -> Then {
        let map = self.map(time);
        if map == Affine::IDENTITY {
            return Then::InPlace;
        }
        match Moved::for_rays(&map, &self.bounds) {
            Ok(moved) => Then::Moved(moved),
            Err(PlacementError::IllConditioned) => Then::Whole(map),
            Err(_) => Then::Unseen,
        }
    }

    /// Returns how the tree is moved at a time, as [`Motion::at`] has it, with what points ask for.
    pub fn for_points(&self, moved: Moved) -> Moved {
        moved.for_points(&self.bounds)
    }
}

/// Returns a box around the flattened images of all points of `aabb` at all times.
fn swept(start: &Affine, end: &Affine, aabb: &Aabb) -> Aabb {
    let [start, end] = [start, end].map(Affine64::from);
    let farthest: [f64; 3] = std::array::from_fn(|j| f64::from(aabb.min[j].abs().max(aabb.max[j].abs())));
    let growth = std::array::from_fn(|i| {
        let larger = |j: usize| start.rows[i][j].abs().max(end.rows[i][j].abs());
        let terms = (0..3).map(|j| larger(j) * farthest[j]).sum::<f64>() + larger(3);
        let underflow = f64::from(f32::from_bits(1)) * (farthest[0] + farthest[1] + farthest[2] + 4.0);
        SHARE * terms + underflow
    });
    image_box(&start, aabb, growth).union(&image_box(&end, aabb, growth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_testing::Random;

    #[test]
    fn corners_stay_in_the_box_at_every_time() {
        let mut random = Random::new(3);
        let mut outside = 0;
        for round in 0..3000 {
            // Some nearly cancel; some have entries of all sizes, the least that f32 has among them.
            let size = [1.0, 1e3, 1e-20, 1e-38][round % 4];
            let mut map = || Affine {
                rows: [(); 3].map(|()| {
                    let [a, b, c] = random.point();
                    [a, b, c, size * random.point()[0]].map(|x| x * size)
                }),
            };
            let (start, end) = (map(), map());
            let p = random.point().map(|x| x * [1.0, 1e4, 1e-20][round % 3]);
            let point = Aabb { min: p, max: p };
            let around = swept(&start, &end, &point);
            let [a, b] = [&start, &end].map(|map| image_box(&Affine64::from(map), &point, [0.0; 3]));
            let ends = a.union(&b);
            for step in 0..40 {
                let time = step as f32 / 39.0 + 1e-3 * random.point()[0];
                let corner = start.between(&end, time).point(p);
                for i in 0..3 {
                    assert!(around.min[i] <= corner[i] && corner[i] <= around.max[i], "{round} {time}: {corner:?}");
                    outside += usize::from(corner[i] < ends.min[i] || ends.max[i] < corner[i]);
                }
            }
        }
        // Rounding takes corners out of the box around both ends: the growth is needed.
        assert!(outside > 1000, "{outside}");
    }

    #[test]
    fn what_is_flat_on_its_way_is_not_seen_then_and_near_it_is_tested_whole() {
        let half_a_turn = Affine { rows: [[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
        let bounds = Aabb { min: [-1.0; 3], max: [1.0; 3] };
        let motion = Motion { start: Affine::IDENTITY, end: half_a_turn, bounds };
        assert!(matches!(motion.at(0.0), Then::InPlace));
        assert!(matches!(motion.at(0.25), Then::Moved(_)) && matches!(motion.at(1.0), Then::Moved(_)));
        assert!(matches!(motion.at(0.5), Then::Unseen));
        // Scales of 2^-23 are still good; one that is so small by itself is not.
        assert!(matches!(motion.at(0.5f32.next_up()), Then::Moved(_)));
        let thin = Affine::scale([1.0, 1.0, -1e-16]);
        let motion = Motion { start: Affine::scale([1.0, 1.0, 1e-16]), end: thin, bounds };
        assert!(matches!(motion.at(0.25), Then::Whole(_)) && matches!(motion.at(0.5), Then::Unseen));
    }
}
