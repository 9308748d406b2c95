//! The point in the space of a tree's boxes, scaled so that squares neither overflow nor vanish.
//!
//! # Why no box is missed
//! Boxes of a placed tree are measured in the tree's own space. There the point is `p'`: the inverse transform of the
//! point `p`, in f64, rounded to f32. With `M` the transform as it is applied to corners (rounded to f32), `s` at most
//! its least singular value, `e` the distance from `M p'` to `p`, and `r` the most by which the rule of flattening
//! moves a corner: a corner that is `d` from `p'` in the tree's space is at least `s d - e - r` from `p` in the world,
//! and so is what lies between corners. `M p'` is computed in f64, with `2^-48` of all that is added up in it as its
//! error; so how exact the inverse is does not matter.
//!
//! Squares of distances to boxes, as lanes compute them in f32, are at most `2^-20` too large: a difference is rounded
//! once, scaling is exact, squares and sums take four roundings. What underflows is below `2^-60`, in units of the
//! largest coordinate difference to the tree; [`Space::limit`] adds it.

use crate::levels::Moved;
use raywarp_geom::{Aabb, Affine64};

/// Point in a space, times a power of two, and that power.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Space {
    /// The point times `scale`.
    pub point: [f32; 3],
    /// Power of two by which coordinates are multiplied: the largest difference to a coordinate of the tree is between
    /// 1 and 2 then, if that is within the range of f32; 1 where all is at the point.
    pub scale: f32,
    /// Number that distances may be off by for what underflows, and for the roundings of distances that do: `2^-48`,
    /// and two of the least numbers of f32.
    pub least: f32,
}

impl Space {
    /// Returns the space of a tree within `bounds`, which are not empty.
    pub fn new(point: &[f32; 3], bounds: &Aabb) -> Self {
        let away = |i: usize, x: f32| (f64::from(x) - f64::from(point[i])).abs();
        let axis = |i: usize| away(i, bounds.min[i]).max(away(i, bounds.max[i]));
        let reach = axis(0).max(axis(1)).max(axis(2));
        // Not beyond what has a reciprocal. Where nothing is reached, what is large would be infinite at the least one.
        let exponent = if reach == 0.0 { 0 } else { ((reach.to_bits() >> 52) as i32 - 1023).clamp(-126, 126) };
        let scale = f32::from_bits(((127 - exponent) as u32) << 23);
        let least = 1.0 / (1u64 << 48) as f32 + f32::from_bits(2) * scale;
        Self { point: [point[0] * scale, point[1] * scale, point[2] * scale], scale, least }
    }

    /// Returns the square of a distance in units of the space's, rounded so far up that a box whose computed square is
    /// larger is farther.
    pub fn limit(distance: f64) -> f32 {
        const LEAST: f64 = 1.0 / (1u64 << 60) as f64;
        let distance = distance + LEAST;
        // Empty boxes are infinitely far.
        (distance * distance * (1.0 + 1.0 / (1u64 << 20) as f64)).min(f64::from(f32::MAX)) as f32
    }
}

/// Space of a tree's boxes, and how its distances compare with those in the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeSpace {
    /// Space of the boxes.
    pub space: Space,
    /// Number of the space's units in a unit of the world's, at most.
    per_world: f64,
    /// What is uncertain, in the world's units.
    slack: f64,
}

impl TreeSpace {
    /// Returns the space of a tree that stands in the world as it is.
    pub fn in_place(world: &Space) -> Self {
        Self { space: *world, per_world: 1.0, slack: 0.0 }
    }

    /// Returns the space of a placed tree within `bounds`.
    pub fn placed(point: &[f32; 3], world: &Space, moved: &Moved, bounds: &Aabb) -> Self {
        let exact = point.map(f64::from);
        let inside = moved.to_tree.point(exact).map(|x| (x as f32).clamp(f32::MIN, f32::MAX));
        let back = Affine64::from(&moved.to_world);
        let again = back.point(inside.map(f64::from));
        let terms = |i: usize| {
            let row = &back.rows[i];
            let of = |j: usize| (row[j] * f64::from(inside[j])).abs();
            of(0) + of(1) + of(2) + row[3].abs() + exact[i].abs()
        };
        let off = |i: usize| (again[i] - exact[i]).abs() + terms(i) / (1u64 << 48) as f64;
        let off = (off(0).powi(2) + off(1).powi(2) + off(2).powi(2)).sqrt();
        let space = Space::new(&inside, bounds);
        let per_world = f64::from(space.scale) / (moved.least_stretch * f64::from(world.scale));
        Self { space, per_world, slack: (off + moved.rounding) * f64::from(world.scale) * (1.0 + f64::EPSILON * 8.0) }
    }

    /// Returns a space in which no box is too far, of a tree within `bounds`: where it stands is not known well enough.
    pub fn unknown(bounds: &Aabb) -> Self {
        Self { space: Space::new(&[0.0; 3], bounds), per_world: 1.0, slack: f64::NAN }
    }

    /// Returns the square beyond which boxes are too far for a distance of `limit` in the world's units.
    pub fn limit(&self, limit: f32) -> f32 {
        let distance = (f64::from(limit) + self.slack) * self.per_world;
        // A slack that is NaN lets everything in.
        if distance.is_nan() { f32::MAX } else { Space::limit(distance) }
    }
}

/// Returns `true` if a point can be asked about: no coordinate is NaN or infinite.
pub(crate) fn is_valid(point: &[f32; 3]) -> bool {
    point.iter().all(|x| x.is_finite())
}
