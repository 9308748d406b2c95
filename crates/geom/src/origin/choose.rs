//! Choice of the origin that a scene is better off with, if with any.

use super::each::{each, is_small};
use super::look::{Looked, exact_rows, look_under};
use super::rounding::counted;
use super::{Center, GAIN, PlacedMeshes, Rounding, SOME, middle_of, minus, nearest, square};
use crate::{Affine, TriangleMesh};
use glam::{DAffine3, DMat3, DVec3};

/// Divisor of the number of triangles: a part with at least 1 in so many can justify an origin of its own. That is for
/// a scene that as a whole does not lie far from zero.
const SHARE: u64 = 100;
/// Number of triangles, roughly, that are sampled to decide about an origin. So many tell shares of a hundredth within
/// a tenth, and take 3 ms; copies of copies make any number of triangles.
pub(super) const MOST_LOOKED: u64 = 1 << 15;
/// Largest number of centres of meshes.
const MOST_LOCALS: usize = 1 << 10;

/// Decides whether to import `scene`, which was imported without a center, again with one, and counts what rounding
/// did. It is `None` where the scene is good as it is, or no center mends it. `run` is what the run that made it noted.
/// Returns also what rounding did, counted where it is worth a line.
pub fn look(scene: &dyn PlacedMeshes, run: &Center) -> (Option<Center>, Rounding) {
    let looked = look_under(scene, run, None, MOST_LOOKED);
    let better = better(scene, run, &looked);
    let rounding = if better.is_none() { counted(scene, run, looked.rounding) } else { looked.rounding };
    (better, rounding)
}

fn better(scene: &dyn PlacedMeshes, run: &Center, looked: &Looked) -> Option<Center> {
    let before = looked.coarse;
    if before == 0 {
        return None;
    }
    let middle_of_mesh = |mesh: usize| middle_of(&scene.mesh(mesh).positions).unwrap_or_default();
    let middles = each(scene.mesh_count(), is_small(scene), middle_of_mesh);
    // What is left to be coarse, if the center helps.
    let left = |center: &Center| {
        let then = look_under(scene, run, Some((center, &middles)), MOST_LOOKED);
        // A few screws that are finer than their room are no reason to move the room, nor are many that float32 holds.
        let triangles = then.rounding.triangles;
        let is_worth_it = then.moved > 0 || 4 * then.gained >= triangles;
        let is_scene = 2 * then.nearer >= triangles && is_worth_it || SHARE * then.moved >= triangles;
        (is_scene && 2 * then.gained >= before && then.hurt_then <= before).then_some(then.hurt_then)
    };
    // Meshes that are far from zero in their own space alone stand where they stood.
    let local = Center::new([0.0; 3], locals(scene, run, &middles, None));
    let of_local = if local.is_zero() { None } else { left(&local) };
    if of_local == Some(0) {
        return Some(local);
    }
    let origin = middle(looked.samples.iter().copied());
    let both = Center::new(origin, locals(scene, run, &middles, Some(origin)));
    match (of_local, if origin == [0.0; 3] { None } else { left(&both) }) {
        (None, None) => None,
        (Some(alone), with_origin) if with_origin.is_none_or(|with| alone <= with) => Some(local),
        _ => Some(both),
    }
}

/// Returns centres for meshes that lie around `middles`: the points that their transforms take to the origin, without
/// near duplicates. A scene without an origin has them for meshes that lie far from zero in their own space, as for
/// their own size.
fn locals(scene: &dyn PlacedMeshes, run: &Center, middles: &[[f64; 3]], origin: Option<[f64; 3]>) -> Vec<[f64; 3]> {
    let (gain, zero) = (if origin.is_none() { GAIN } else { 1.0 }, origin.unwrap_or_default());
    let mut locals = Vec::new();
    let mut sizes: Vec<Option<f64>> = vec![None; scene.mesh_count()];
    for index in 0..scene.placement_count() {
        let (mesh, transform) = scene.placement(index);
        let place = middles[mesh];
        let is_far = |center: [f64; 3]| square(minus(place, center)) * (gain * gain) > square(place);
        if place == [0.0; 3] || locals.len() == MOST_LOCALS {
            continue;
        }
        let home = match transform {
            Affine::IDENTITY => zero,
            _ => {
                let rows = exact_rows(run, index, &transform);
                let linear = DMat3::from_cols_array_2d(&std::array::from_fn(|c| rows.map(|row| row[c])));
                let shift = DVec3::from(rows.map(|row| row[3]));
                let world = DAffine3 { matrix3: linear, translation: shift };
                // To few digits, so that positions of few stay such.
                world.inverse().transform_point3(zero.into()).to_array().map(|x| f64::from(x as f32))
            }
        };
        if !home.iter().all(|x| x.is_finite()) || is_far(home) {
            continue;
        }
        // A mesh that is as near to another centre, or as near as it is large, needs no other.
        let size = match origin {
            None => *sizes[mesh].get_or_insert_with(|| size_around(scene.mesh(mesh), place)),
            Some(_) => 0.0,
        };
        let nearest = square(minus(place, nearest(&locals, place)));
        if nearest > 4.0 * square(minus(place, home)).max(size * size) {
            locals.push(home);
        }
    }
    locals
}

/// Returns a mesh's radius around `place`: the upper quartile of the distances of some points.
fn size_around(mesh: &TriangleMesh, place: [f64; 3]) -> f64 {
    let some = mesh.positions.iter().step_by(mesh.positions.len().div_ceil(SOME).max(1));
    let mut away: Vec<f64> = some.map(|p| square(minus(p.map(f64::from), place))).filter(|d| d.is_finite()).collect();
    away.sort_unstable_by(f64::total_cmp);
    away.get(away.len() * 3 / 4).map_or(0.0, |d| d.sqrt())
}

/// Returns the median of points, rounded to few digits; zero on axes where they lie around zero, or no further from it
/// than their own spread. Points far from the others have no say.
fn middle(points: impl Iterator<Item = [f32; 3]>) -> [f64; 3] {
    let mut axes: [Vec<f32>; 3] = Default::default();
    for point in points {
        axes.iter_mut().zip(point).for_each(|(axis, x)| axis.push(x));
    }
    let mut spread = 0f64;
    let middles = axes.map(|mut axis| {
        axis.sort_unstable_by(f32::total_cmp);
        let at = |tenths: usize| axis.get(axis.len().saturating_sub(1) * tenths / 10).copied().map_or(0.0, f64::from);
        spread = spread.max((at(9) - at(1)) / 2.0);
        at(5)
    });
    let farthest = middles.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
    let spread = spread.max(farthest * 1e-6);
    let digits = spread.log10().floor() as i32;
    let rounded = |x: f64| match digits {
        // So that the result is the number of fewest digits.
        ..0 => (x * 10f64.powi(-digits)).round() / 10f64.powi(-digits),
        _ => (x / 10f64.powi(digits)).round() * 10f64.powi(digits),
    };
    middles.map(|x| if x.abs() > 2.0 * spread { rounded(x) } else { 0.0 })
}
