//! A tree placed in the world: the transforms, and how far boxes have to grow.
//!
//! # Why no box is missed
//! Boxes are walked in the tree's own space, by a ray that the inverse transform took there; triangles are tested in
//! the world, where the rule of flattening takes their corners. With `u = 2^-24`, `D` the largest coordinate difference
//! between the ray's origin and the placement's box in the world, `M` the transform as it is applied (rounded to f32)
//! and `N` its inverse in f64:
//! - The ray at the `t` that the triangle test reports is within `53 u D` along each axis of the flattened triangle
//!   ([`PaddedRay`] adds that up), whose corners the rule of flattening, four roundings, moved by at most
//!   `r_i = 4 u (sum_j |M_ij| |p_j| + |M_i3|)`, and by 2^-148 where that is no normal number; `p` is the mesh's
//!   farthest corner.
//! - So in the tree's space the exact inverse of that point of the ray is within `sum_j |N_ij| (53 u D + r_j)` of the
//!   triangle. Boxes grow by that, with 64 for 53; the growth is computed in f64 and rounded up.
//! - The inverse leaves `N M - 1`, whose rows are below 2^-34 ([`PlacementError::IllConditioned`] else): 2^-34 of
//!   coordinates in the tree's space. Origin and direction are transformed in f64 and rounded once: `u` of the origin,
//!   `u` of the way from it. [`PaddedRay`]'s own pads for the tree's space, 64 and 4 where it needs 5 and 2 here, hold
//!   all of this.

use super::motion::Motion;
use crate::nearest::least_stretch;
use crate::ray::{WalkRay, larger};
use bytemuck::{Pod, Zeroable};
use raywarp_geom::{Aabb, Affine, Affine64, PaddedRay, Ray};
use raywarp_layout::Wide8Node;
use std::sync::Arc;

/// Largest sum of a row of `N M - 1`: 2^-34.
const LARGEST_RESIDUAL: f64 = 1.0 / (1u64 << 34) as f64;

/// Largest sum of a row of the inverse, and of its reciprocal: 2^40. What is infinite in a tree's space is so in the
/// world.
const LARGEST_SCALE: f64 = (1u64 << 40) as f64;

/// Growth of boxes in the world for what underflows in the triangle test, of directions up to 1e6 long: 2^-100.
const LITTLE: f32 = 1.0 / (1u128 << 100) as f32;

/// What a corner's products may lose where they are no normal numbers, and somewhat more: 2^-147.
const DENORMAL: f64 = 1.0 / (1u128 << 100) as f64 / (1u128 << 47) as f64;

/// Half an ulp of 1.
pub(super) const U: f64 = f32::EPSILON as f64 / 2.0;

/// A tree's place in a scene of two levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreePlacement {
    /// Index of the tree.
    pub tree: u32,
    /// Map of the tree's triangles to the world. It is rounded to f32, and then corners are mapped in f32 as
    /// [`Affine::point`](raywarp_geom::Affine::point) does: the rule by which a scene is flattened.
    pub transform: Affine64,
    /// Map at time 1 if the placement moves; `transform` is that of time 0 then, and between them the map is
    /// [`Affine::between`](raywarp_geom::Affine::between) of both, rounded to f32.
    pub end: Option<Affine64>,
    /// Number that is added to the instances of the tree's ids: `base + instance` is what hits report.
    pub base: u32,
}

impl TreePlacement {
    /// Places a tree that stands still.
    pub fn still(tree: u32, transform: Affine64, base: u32) -> Self {
        Self { tree, transform, end: None, base }
    }
}

/// Reasons why a placement cannot be walked by itself. Its triangles may be flattened instead, but for a singular
/// transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// The transform maps space to a plane, a line or a point.
    #[error("the transform is singular: it flattens space")]
    Singular,
    /// The transform is NaN or infinite, or takes the mesh beyond f32.
    #[error("the transform is not finite, or takes the mesh beyond the range of f32")]
    NotFinite,
    /// The transform scales by 2^40 or more either way, or so differently by direction that its inverse is not exact
    /// enough for boxes.
    #[error("the transform's scales differ too much, or are beyond 2^40")]
    IllConditioned,
}

/// Upper end of a tree that can be placed.
pub(crate) struct Root<'a> {
    /// Its first node; `None` if it is empty.
    pub node: Option<&'a Wide8Node>,
    /// Box around all of it.
    pub bounds: &'a Aabb,
}

/// Tree placed in the world.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// Index of the tree.
    pub tree: u32,
    /// What is added to instances of the tree's ids.
    pub base: u32,
    /// Box in the world around all flattened corners; empty if there are none.
    pub bounds: Aabb,
    /// How the tree's corners get to the world, at time 0 if it moves; `None` if they are there already.
    pub moved: Option<Arc<Moved>>,
    /// How it moves; `None` if it does not.
    pub motion: Option<Arc<Motion>>,
}

/// Transforms of a placement.
#[derive(Debug)]
pub(crate) struct Moved {
    /// Map of corners to the world.
    pub to_world: Affine,
    /// Map of rays and points to the tree.
    pub to_tree: Affine64,
    /// Least factor by which the map to the world stretches lengths, rounded down ([`least_stretch`]); 0 in what is
    /// made for a ray.
    pub least_stretch: f64,
    /// How far the rule of flattening may move a corner, in the world; 0 in what is made for a ray.
    pub rounding: f64,
    /// By axis of the tree's space, sum of the inverse's row, by which what is uncertain in the world is multiplied.
    sums: [f32; 3],
    /// By axis of the tree's space, growth of boxes that does not depend on the ray.
    pub growth: [f32; 3],
}

impl Placed {
    /// Places a tree, still or moving.
    pub fn of(
        tree: &Root<'_>,
        &TreePlacement { tree: index, transform, end, base }: &TreePlacement,
    ) -> Result<Self, PlacementError> {
        let mut placed = Self::new(index, tree, &transform, base)?;
        let [start, end] = [transform, end.unwrap_or(transform)].map(|map| map.rounded());
        if start != end {
            let (motion, bounds) = Motion::new(tree, [start, end])?;
            (placed.motion, placed.bounds) = (Some(Arc::new(motion)), bounds);
        }
        Ok(placed)
    }

    /// Places `tree` by `transform`, which is rounded to f32.
    fn new(index: u32, tree: &Root<'_>, transform: &Affine64, base: u32) -> Result<Self, PlacementError> {
        let to_world = transform.rounded();
        let placed = |bounds, moved| Ok(Self { tree: index, base, bounds, moved, motion: None });
        if to_world == Affine::IDENTITY {
            return placed(*tree.bounds, None);
        }
        let Some(root) = tree.node else {
            // The transform is kept for triangles to come.
            let moved = Moved::new(&to_world, &Aabb { min: [0.0; 3], max: [0.0; 3] })?;
            return placed(Aabb::EMPTY, Some(Arc::new(moved)));
        };
        let moved = Moved::new(&to_world, tree.bounds)?;
        let bounds = children(root).fold(Aabb::EMPTY, |all, child| all.union(&world_box(&to_world, &child)));
        if !bounds.min.iter().chain(&bounds.max).all(|x| x.abs() <= f32::MAX) {
            return Err(PlacementError::NotFinite);
        }
        placed(bounds, Some(Arc::new(moved)))
    }
}

impl Moved {
    pub fn new(to_world: &Affine, bounds: &Aabb) -> Result<Self, PlacementError> {
        Ok(Self::for_rays(to_world, bounds)?.for_points(bounds))
    }

    /// Returns what was made for rays with what points ask for.
    pub fn for_points(self, bounds: &Aabb) -> Self {
        let rounding = rounding(&Affine64::from(&self.to_world), bounds).iter().map(|x| x * x).sum::<f64>().sqrt();
        Self { least_stretch: least_stretch(&self.to_tree), rounding, ..self }
    }

    /// As [`Moved::new`], without what points ask for, which takes longest.
    pub fn for_rays(to_world: &Affine, bounds: &Aabb) -> Result<Self, PlacementError> {
        let exact = Affine64::from(to_world);
        if !exact.is_finite() {
            return Err(PlacementError::NotFinite);
        }
        let to_tree = exact.inverse().ok_or(PlacementError::Singular)?;
        let linear = |map: &Affine64, row: usize, column: usize| map.rows[row][column];
        for i in 0..3 {
            let row = |j| (0..3).map(|k| linear(&to_tree, i, k) * linear(&exact, k, j)).sum::<f64>();
            let residual: f64 = (0..3).map(|j| (row(j) - f64::from(u8::from(i == j))).abs()).sum();
            let sum: f64 = (0..3).map(|j| linear(&to_tree, i, j).abs()).sum();
            let is_good = residual <= LARGEST_RESIDUAL && (1.0 / LARGEST_SCALE..=LARGEST_SCALE).contains(&sum);
            if !is_good {
                return Err(PlacementError::IllConditioned);
            }
        }
        let rounding = rounding(&exact, bounds);
        // The rule of flattening adds up in f32 what in f64 may cancel.
        if rounding.iter().any(|&sum| sum > 4.0 * U * f64::from(f32::MAX)) {
            return Err(PlacementError::NotFinite);
        }
        let sum = |i: usize, of: [f64; 3]| up((0..3).map(|j| linear(&to_tree, i, j).abs() * of[j]).sum::<f64>());
        let growth = [0, 1, 2].map(|i| sum(i, rounding));
        if !growth.iter().all(|x| x.is_finite()) {
            return Err(PlacementError::IllConditioned);
        }
        Ok(Self {
            to_world: *to_world,
            to_tree,
            sums: [0, 1, 2].map(|i| sum(i, [1.0; 3])),
            growth,
            least_stretch: 0.0,
            rounding: 0.0,
        })
    }
}

/// Placement of a tree as it is kept, in a file say: with all that placing it works out. What is not used is zero.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct KeptPlacement {
    to_tree: [[f64; 4]; 3],
    least_stretch: f64,
    rounding: f64,
    to_world: [[f32; 4]; 3],
    sums: [f32; 3],
    growth: [f32; 3],
    bounds: [[f32; 3]; 2],
    /// Index of the tree.
    pub tree: u32,
    /// Number that is added to the instances of the tree's ids.
    pub base: u32,
}

impl KeptPlacement {
    /// Returns the map of corners to the world.
    pub fn map(&self) -> Affine {
        Affine { rows: self.to_world }
    }

    /// Keeps a placement.
    pub(crate) fn of(placed: &Placed) -> Self {
        let Placed { tree, base, bounds, moved, motion: _ } = placed;
        let bounds = [bounds.min, bounds.max];
        let identity = Self { to_world: Affine::IDENTITY.rows, bounds, tree: *tree, base: *base, ..Self::zeroed() };
        let Some(moved) = moved else { return identity };
        let Moved { to_world, to_tree, least_stretch, rounding, sums, growth } = &**moved;
        Self {
            to_tree: to_tree.rows,
            least_stretch: *least_stretch,
            rounding: *rounding,
            to_world: to_world.rows,
            sums: *sums,
            growth: *growth,
            ..identity
        }
    }

    /// Returns the placement that was kept and moves, to `end` at time 1; `None` if it is none of this tree. All is
    /// worked out again from both maps, and has to be what was kept.
    pub(crate) fn moving(&self, root: &Root<'_>, end: &Affine) -> Option<Placed> {
        let [transform, end] = [&self.map(), end].map(Affine64::from);
        let placement = TreePlacement { tree: self.tree, transform, end: Some(end), base: self.base };
        let placed = Placed::of(root, &placement).ok().filter(|placed| placed.motion.is_some())?;
        (bytemuck::bytes_of(&Self::of(&placed)) == bytemuck::bytes_of(self)).then_some(placed)
    }

    /// Returns the placement that was kept; `None` if its numbers are none of a placement of this tree. They are
    /// checked for what they may be, and not worked out again: wrong ones make rays miss.
    pub(crate) fn placed(&self, root: &Root<'_>) -> Option<Placed> {
        let Self { to_tree, least_stretch, rounding, to_world, sums, growth, bounds, tree, base } = *self;
        let [min, max] = bounds;
        let bounds = Aabb { min, max };
        let placed = |moved| Some(Placed { tree, base, bounds, moved, motion: None });
        let map = Affine { rows: to_world };
        if map == Affine::IDENTITY {
            let is_same =
                bounds == *root.bounds && *self == Self::of(&Placed { tree, base, bounds, moved: None, motion: None });
            return if is_same { placed(None) } else { None };
        }
        let sizes = sums.iter().chain(&growth).all(|x| (0.0..=f32::MAX).contains(x));
        let finite =
            to_world.iter().flatten().all(|x| x.is_finite()) && to_tree.iter().flatten().all(|x| x.is_finite());
        let lengths = [least_stretch, rounding].iter().all(|x| (0.0..=f64::MAX).contains(x));
        let is_box = (0..3).all(|i| min[i] <= max[i] && min[i] >= f32::MIN && max[i] <= f32::MAX);
        let is_its = if root.node.is_some() { is_box } else { bounds == Aabb::EMPTY };
        if !(sizes && finite && lengths && is_its) {
            return None;
        }
        let to_tree = Affine64 { rows: to_tree };
        placed(Some(Arc::new(Moved { to_world: map, to_tree, least_stretch, rounding, sums, growth })))
    }
}

/// Returns the boxes of a root's children.
pub(super) fn children(root: &Wide8Node) -> impl Iterator<Item = Aabb> {
    (0..8).map(|slot| root.bounds(slot)).filter(|child| !child.is_empty())
}

/// Returns by axis how far the rule of flattening may round a corner within `bounds`, and somewhat more.
pub(super) fn rounding(map: &Affine64, bounds: &Aabb) -> [f64; 3] {
    let farthest: [f64; 3] = std::array::from_fn(|j| f64::from(bounds.min[j].abs().max(bounds.max[j].abs())));
    map.rows.map(|row| 4.1 * U * ((0..3).map(|j| row[j].abs() * farthest[j]).sum::<f64>() + row[3].abs()) + DENORMAL)
}

/// Returns a box around the flattened images of all points of `aabb`.
fn world_box(map: &Affine, aabb: &Aabb) -> Aabb {
    let map = Affine64::from(map);
    let rounding = rounding(&map, aabb);
    image_box(&map, aabb, rounding.map(|x| 2.0 * x))
}

/// Returns the box around the exact images of all points of `aabb`, grown by `growth` along each axis, in f32. The
/// growth has to hold half an ulp of the coordinates.
pub(super) fn image_box(map: &Affine64, aabb: &Aabb, growth: [f64; 3]) -> Aabb {
    let range = |i: usize| {
        let ends = |j: usize| [aabb.min[j], aabb.max[j]].map(|x| map.rows[i][j] * f64::from(x));
        let [low, high] =
            (0..3).map(ends).fold([map.rows[i][3]; 2], |[low, high], [a, b]| [low + a.min(b), high + a.max(b)]);
        // Rounded to f32 last, which may move an end by half an ulp of it, less than what a corner may.
        [low - growth[i], high + growth[i]].map(|x| x as f32)
    };
    let ranges = [range(0), range(1), range(2)];
    Aabb { min: ranges.map(|range| range[0]), max: ranges.map(|range| range[1]) }
}

/// Rounds a positive number up.
fn up(x: f64) -> f32 {
    (x as f32).next_up()
}

/// Ray as the walk of two levels takes it: for the world, and ready to be taken to a tree.
pub(crate) struct WorldRay<'a> {
    pub ray: &'a Ray,
    /// When placements that move are seen; from 0 to 1.
    pub time: f32,
    /// The ray prepared for what stands in the world.
    pub walk: &'a WalkRay,
    /// Power of two by which the direction is divided, so that a transform of it is neither infinite nor zero in f32; 1
    /// for almost all rays.
    pub power: f32,
    /// Growth of boxes in the world for what underflows in the triangle test.
    underflow: f32,
}

/// Ray in the space of a placed tree.
pub(crate) struct LocalRay {
    pub origin: [f32; 3],
    /// Direction, divided by the power.
    pub direction: [f32; 3],
    /// Growth of boxes by axis.
    pub growth: [f32; 3],
}

impl<'a> WorldRay<'a> {
    /// Takes a ray with its preparation.
    #[inline(always)]
    pub fn new(ray: &'a Ray, walk: &'a WalkRay, time: f32) -> Self {
        let [x, y, z] = ray.direction.map(f32::abs);
        let longest = larger(larger(x, y), z);
        // More than is needed for almost all rays, since the product, which is no normal number, takes long.
        let (power, underflow) = if (1e-6..=1e6).contains(&longest) {
            (1.0, LITTLE)
        } else {
            (power_of_two(longest), longest * f32::from_bits(2) + f32::from_bits(4))
        };
        Self { ray, time, walk, power, underflow }
    }

    /// Returns the ray in the space of a placed tree.
    #[inline(always)]
    pub fn local(&self, placed: &Placed, moved: &Moved) -> LocalRay {
        let o = &self.ray.origin;
        let corner = |i: usize| larger((placed.bounds.min[i] - o[i]).abs(), (placed.bounds.max[i] - o[i]).abs());
        let reach = larger(larger(corner(0), corner(1)), corner(2));
        let uncertain = 1.01 * PaddedRay::REACH_PAD * reach + self.underflow;
        // Exact: the power is one of two.
        let over = 1.0 / f64::from(self.power);
        LocalRay {
            origin: moved.to_tree.point(o.map(f64::from)).map(|x| x as f32),
            direction: moved.to_tree.vector(self.ray.direction.map(|x| f64::from(x) * over)).map(|x| x as f32),
            growth: std::array::from_fn(|i| moved.sums[i] * uncertain + moved.growth[i]),
        }
    }

    /// Returns the ray prepared for the boxes of a placed tree within `bounds`, and for its triangles in the world; and
    /// the ray in the tree's space, whose `t` is this one's times the power.
    #[inline(always)]
    pub fn placed(&self, placed: &Placed, moved: &Moved, bounds: &Aabb) -> (WalkRay, Ray) {
        let LocalRay { origin, direction, growth } = self.local(placed, moved);
        let ray = Ray { origin, direction, ..*self.ray };
        let padded = PaddedRay::grown(&ray, bounds, growth);
        let mut placed = self.walk.with_boxes_of(&padded);
        // The tree's `t` is the ray's times the power. Where f32 has no number for that, or for how far the tree is,
        // none of its boxes is left out.
        placed.scale *= self.power;
        if !placed.scale.is_normal() || padded.reach >= f32::MAX {
            placed = self.walk.through_all();
        }
        (placed, ray)
    }
}

/// Returns the power of two at or below a positive number; the least normal one for what is below it.
fn power_of_two(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0x7f80_0000).max(f32::MIN_POSITIVE)
}
