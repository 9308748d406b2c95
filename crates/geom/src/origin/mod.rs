//! The origin of a scene: positions are f64 up to one place, where they are rounded to f32 relative to it.
//!
//! Who reads positions rounds them through a [`Center`], which is zero at first. Where f32 is coarse ([`look`]), that
//! is, where half a step of it is more than a thousandth of a triangle's largest extent, and where an origin would mend
//! that, they are read again with this origin. So a file that f32 holds well is read once and stays as it is.
//!
//! Meshes that stand in the world as their file has them are relative to the origin. One that is placed is relative to
//! a centre of its own space, which its placement takes to the origin or near it, and its transform has the rest.

mod choose;
mod each;
mod grid;
mod look;
mod placed;
mod rounding;

pub use choose::look;
pub use grid::coarse;
pub use placed::PlacedMeshes;
pub use rounding::{Rounding, RoundingWarning, rounding};

use crate::Affine;
use std::collections::HashMap;
use std::sync::Arc;

/// Relative move of a corner by rounding, as a share of the triangle's extent, above which the triangle counts as hurt.
const HURT: f64 = 1e-3;
/// Relative rounding error of points on a triangle, as a share of its extent, above which it counts as coarse. That is
/// so where float32 holds the corners, and not the points on it.
const COARSE: f64 = 1e-2;
/// Factor by which coordinates must shrink for an origin to be worth it: three bits. A scene that lies around zero, or
/// not far from it by its own size, gains less, and stays where it is.
const GAIN: f64 = 8.0;

/// Origin that an import subtracts in f64 before it rounds to f32, with notes of what rounding did.
#[derive(Debug, Clone, Default)]
pub struct Center {
    /// Origin of the scene, subtracted from world positions.
    pub origin: [f64; 3],
    /// Centres subtracted from the positions of meshes that are placed by a transform and lie far from zero in their
    /// own space.
    locals: Arc<[[f64; 3]]>,
    /// Effect of rounding on all meshes that are not listed in `meshes`.
    moved: Moved,
    meshes: HashMap<usize, Moved>,
    /// Exact transforms of those instances whose transform f32 does not hold, by instance in ascending order. They are
    /// relative as the instance's transform is.
    placed: Vec<(usize, [[f64; 4]; 3])>,
}

/// Effect of rounding to f32 on the positions of a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Moved {
    /// Largest distance along an axis by which a position was moved.
    by: f64,
    /// `true` if the three corners of some triangle became one vertex, so that the rounded mesh does not show it.
    welded: bool,
}

impl Moved {
    /// Returns `true` if a triangle without extent may have one in the file.
    fn is_lost(&self, [a, b, c]: &[u32; 3]) -> bool {
        self.by > 0.0 && (self.welded || (a != b && b != c && c != a))
    }
}

impl Center {
    fn new(origin: [f64; 3], locals: Vec<[f64; 3]>) -> Self {
        Self { origin, locals: locals.into(), ..Self::default() }
    }

    /// Returns `true` if nothing is subtracted.
    fn is_zero(&self) -> bool {
        self.origin == [0.0; 3] && self.locals.is_empty()
    }

    /// Makes the rounder for a mesh whose positions are in world space in the file.
    pub fn in_world(&self) -> Rounder {
        Rounder { at: Some(self.origin), ..Rounder::default() }
    }

    /// Makes the rounder for a mesh that is placed by a transform, as of [`Center::placement`].
    pub fn in_mesh(&self) -> Rounder {
        Rounder { locals: self.locals.clone(), ..Rounder::default() }
    }

    /// Makes exact positions of a placed mesh relative to the nearest centre; returns the rounder with that centre.
    pub fn recenter(&self, positions: &mut [[f32; 3]]) -> Rounder {
        let mut rounder = self.in_mesh();
        if !self.locals.is_empty() {
            positions.iter_mut().for_each(|position| *position = rounder.round(position.map(f64::from)));
            rounder.settle(positions);
        }
        rounder
    }

    /// Records how rounding moved positions, for all meshes together.
    pub fn note(&mut self, rounder: &Rounder) {
        self.moved.by = self.moved.by.max(rounder.moved.by);
        self.moved.welded |= rounder.moved.welded;
    }

    /// Records how rounding moved the positions of the mesh `mesh`.
    pub fn note_mesh(&mut self, mesh: usize, rounder: &Rounder) {
        if rounder.moved != Moved::default() {
            self.meshes.insert(mesh, rounder.moved);
        }
    }

    /// Returns how rounding moved the positions of the mesh `mesh`.
    fn moved(&self, mesh: usize) -> &Moved {
        self.meshes.get(&mesh).unwrap_or(&self.moved)
    }

    /// Returns the f32 transform for the scene's next instance, relative to the origin, and records the exact one if
    /// they differ. It is that of a mesh placed by the rows of `world` whose positions are relative to `local`, and is
    /// rounded once.
    pub fn place(&mut self, instance: usize, world: &[[f64; 4]; 3], local: [f64; 3]) -> Affine {
        let exact = self.rows(world, local);
        let placement = rounded(&exact);
        // There may be one of what was not placed in the end.
        while self.placed.last().is_some_and(|last| last.0 >= instance) {
            self.placed.pop();
        }
        if placement.rows.map(|row| row.map(f64::from)) != exact {
            self.placed.push((instance, exact));
        }
        placement
    }

    /// Returns the exact transform of an instance in f64; `None` if its f32 transform is exact.
    fn placed(&self, instance: usize) -> Option<[[f64; 4]; 3]> {
        self.placed.binary_search_by_key(&instance, |of| of.0).ok().map(|index| self.placed[index].1)
    }

    fn rows(&self, world: &[[f64; 4]; 3], [x, y, z]: [f64; 3]) -> [[f64; 4]; 3] {
        let moved = |r: &[f64; 4], origin: f64| r[0] * x + r[1] * y + r[2] * z + (r[3] - origin);
        std::array::from_fn(|i| {
            let r = &world[i];
            [r[0], r[1], r[2], moved(r, self.origin[i])]
        })
    }

    /// Rounds a transform, given by its rows, to f32, relative to the origin.
    pub fn placement(&self, world: &[[f64; 4]; 3]) -> Affine {
        rounded(&self.rows(world, [0.0; 3]))
    }

    /// Returns a number of a transform or a point: as it is in a run with a center, otherwise rounded to f32.
    pub fn number(&self, x: f64) -> f64 {
        if self.is_zero() { f64::from(x as f32) } else { x }
    }

    /// Rounds a single world-space point, such as of a camera or a light, to f32 relative to the origin.
    pub fn point(&self, position: impl Into<[f64; 3]>) -> [f32; 3] {
        let position = position.into();
        std::array::from_fn(|i| (position[i] - self.origin[i]) as f32)
    }
}

fn rounded(rows: &[[f64; 4]; 3]) -> Affine {
    Affine { rows: rows.map(|row| row.map(|x| x as f32)) }
}

/// Returns the centre nearest to a mesh at `position`, of `locals` and zero. It is no further from the mesh than the
/// one that its own placement takes to the origin, and the origin at most twice as far from it as from the mesh. Meshes
/// that touch have the same, if their placements agree.
fn nearest(locals: &[[f64; 3]], position: [f64; 3]) -> [f64; 3] {
    let mut best = ([0.0; 3], square(position));
    for &local in locals {
        let squared = square(minus(position, local));
        if squared < best.1 {
            best = (local, squared);
        }
    }
    best.0
}

#[inline]
fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
fn narrow(a: [f64; 3]) -> [f32; 3] {
    [a[0] as f32, a[1] as f32, a[2] as f32]
}

fn square(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum()
}

/// Number of points of a mesh that are sampled to find where it is.
const SOME: usize = 31;

/// Returns the componentwise median of some of a mesh's points, which tells where it is regardless of strays. `None`
/// without a point that is finite.
fn middle_of<T: Copy + Into<f64>>(points: &[[T; 3]]) -> Option<[f64; 3]> {
    let some = points.iter().step_by(points.len().div_ceil(SOME).max(1)).map(|point| point.map(Into::into));
    let mut some: Vec<[f64; 3]> = some.filter(|point: &[f64; 3]| point.iter().all(|x| x.is_finite())).collect();
    let middle = some.len() / 2;
    (!some.is_empty()).then(|| {
        std::array::from_fn(|axis| some.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis])).1[axis])
    })
}

/// Rounder of a mesh's positions from f64 to f32, relative to some point.
#[derive(Debug, Clone, Default)]
pub struct Rounder {
    /// Point that is subtracted from positions; `None` until it is known.
    at: Option<[f64; 3]>,
    /// Centres from which the point to subtract is chosen once all positions are known.
    locals: Arc<[[f64; 3]]>,
    /// Unrounded positions, kept until the point to subtract is known.
    wide: Vec<[f64; 3]>,
    moved: Moved,
}

impl Rounder {
    /// Rounds a position to f32; the result is final after [`Rounder::settle`] of all positions.
    #[inline]
    pub fn round(&mut self, position: [f64; 3]) -> [f32; 3] {
        let single = narrow(position);
        if self.at.is_none() && !self.locals.is_empty() {
            self.wide.push(position);
            return single;
        }
        // No point.
        if !single.iter().all(|x| x.is_finite()) {
            return single;
        }
        let at = *self.at.get_or_insert_default();
        let wide = minus(position, at);
        let rounded = narrow(wide);
        for (wide, rounded) in wide.iter().zip(rounded) {
            self.moved.by = self.moved.by.max((wide - f64::from(rounded)).abs());
        }
        rounded
    }

    /// Chooses the point to subtract from a mesh's positions and rounds them again. These are all that
    /// [`Rounder::round`] made so far in their order.
    pub fn settle(&mut self, positions: &mut [[f32; 3]]) {
        let wide = std::mem::take(&mut self.wide);
        if self.at.is_some() || wide.is_empty() {
            return;
        }
        debug_assert_eq!(positions.len(), wide.len(), "a position for each");
        self.at = Some(middle_of(&wide).map_or([0.0; 3], |middle| nearest(&self.locals, middle)));
        positions.iter_mut().zip(wide).for_each(|(position, wide)| *position = self.round(wide));
    }

    /// Records that a triangle's three corners, which differ in the file, became one vertex.
    pub fn note_weld(&mut self) {
        self.moved.welded = true;
    }

    /// Returns the point that is subtracted from positions: the mesh's centre.
    pub fn at(&self) -> [f64; 3] {
        self.at.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
