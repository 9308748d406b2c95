//! Trees of meshes that come or take another shape.

use crate::query::SceneError;
use crate::query::assemble::{mesh_error, tree_of};
use crate::query::kept::KeptMesh;
use crate::query::source::{Indices, Positions};
use crate::query::triangles::{Triangles, check, range};
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, Builder};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{Aabb, Affine64, Control};
use raywarp_layout::{Corners, Wide8Cost};
use std::sync::Arc;

/// Distance from zero, in extents of a mesh, from which on f32 may be too coarse for it.
const FAR: f64 = 1000.0;

/// Decay of a tree ([`Wide8Cost::decay`]) from which on it is built again instead of fitted.
const DECAYED: f64 = 1.2;

/// How a mesh that takes another shape gets its tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reshape {
    /// As [`Reshape::Refit`] until the tree's cost by the surface area heuristic has grown by a fifth since it was
    /// built, in relation to the areas of the triangles' own boxes or to that of the box around all; then as
    /// [`Reshape::Rebuild`].
    #[default]
    ByCost,
    /// The tree keeps its shape, and its boxes are fitted to the new triangles. Where there are more or fewer triangles
    /// than before it is built.
    ///
    /// If another scene has the tree it is fitted to a copy. Of trees above a megabyte that came so, the memory of one
    /// that nobody has any more is kept for the next copy, as long as one of them is there.
    Refit,
    /// The tree is built anew, without spatial splits.
    Rebuild,
}

/// Triangles that a mesh is given.
pub(super) type Given<'a> = (Positions<'a>, Indices<'a>);

/// Mesh that gets its triangles.
pub(super) struct Job<'a> {
    mesh: usize,
    given: Given<'a>,
    before: Before,
}

/// What a mesh was before.
enum Before {
    /// It is new in a scene with this origin.
    New { origin: [f64; 3] },
    /// It was relative to this point, and may have a tree, which had this cost when it was built.
    Again { local: [f64; 3], tree: Option<Arc<CpuTracer>>, built: Option<Wide8Cost>, how: Reshape },
}

/// Mesh with its tree.
pub(super) struct Built {
    pub mesh: usize,
    pub tree: Arc<CpuTracer>,
    /// Point to which the tree's vertices are relative.
    pub local: [f64; 3],
    pub triangles: usize,
    /// Box around them.
    pub bounds: Aabb,
    /// Cost of the tree when it was built, if it was fitted since.
    pub built: Option<Wide8Cost>,
}

impl<'a> Job<'a> {
    /// Describes a mesh that is new in a scene with this origin.
    pub fn new(mesh: usize, given: Given<'a>, origin: [f64; 3]) -> Self {
        Self { mesh, given, before: Before::New { origin } }
    }

    /// Describes a mesh that gets other triangles, relative to the same point as those it had. If `tree` is nobody
    /// else's it is fitted in place.
    pub fn again(mesh: usize, given: Given<'a>, kept: &KeptMesh, tree: Option<Arc<CpuTracer>>, how: Reshape) -> Self {
        let KeptMesh { local, built, .. } = *kept;
        Self { mesh, given, before: Before::Again { local, tree, built, how } }
    }

    fn build(self, quality: &BuildOptions, control: &Control<'_>) -> Result<Built, SceneError> {
        let Self { mesh, given: (positions, indices), before } = self;
        check(&positions, &indices, control).map_err(|source| mesh_error(mesh, source))?;
        if control.is_cancelled() {
            return Err(SceneError::Cancelled);
        }
        let local = match before {
            Before::New { origin } => local_of(&positions, &indices, origin),
            Before::Again { local, .. } => local,
        };
        let triangles = match local {
            [0.0, 0.0, 0.0] => Triangles::Given(positions, indices),
            _ => Triangles::Shifted(positions, indices, local),
        };
        let count = triangles.len();
        let quality = match before {
            Before::New { .. } => *quality,
            Before::Again { tree, built, how, .. } => {
                if let Some(tree) = tree.filter(|tree| how != Reshape::Rebuild && tree.ids().len() == count)
                    && let Some((tree, built)) = fitted(tree, built, &triangles, how)
                {
                    let bounds = tree.bounds();
                    // What is built instead tells by itself.
                    control.advance(count);
                    return Ok(Built { mesh, tree, local, triangles: count, bounds, built: Some(built) });
                }
                whole(quality)
            }
        };
        let tree = tree_of(triangles.flattened(&Affine64::IDENTITY), &quality, control)?;
        let bounds = triangles.bounds(control).ok_or(SceneError::Cancelled)?;
        Ok(Built { mesh, tree, local, triangles: count, bounds, built: None })
    }
}

/// Builds the trees, meshes beside each other.
pub(super) fn build(
    jobs: Vec<Job<'_>>,
    quality: &BuildOptions,
    control: &Control<'_>,
) -> Result<Vec<Built>, SceneError> {
    jobs.into_par_iter().map(|job| job.build(quality, control)).collect()
}

/// Fits a tree to triangles that pair with its own by their indices; `None` if that cannot be, or has let it decay too
/// far. Returns also what the tree cost when it was built.
fn fitted(
    mut tree: Arc<CpuTracer>,
    built: Option<Wide8Cost>,
    triangles: &Triangles<'_>,
    how: Reshape,
) -> Option<(Arc<CpuTracer>, Wide8Cost)> {
    if !tree.can_refit() {
        return None;
    }
    let built = built.unwrap_or_else(|| tree.sah());
    let cost = match triangles.plain() {
        Some(corners) => fit(&mut tree, &corners),
        None => fit(&mut tree, &|index: u32| triangles.corners(index as usize)),
    };
    (how == Reshape::Refit || cost.decay(&built) <= DECAYED).then_some((tree, built))
}

/// Fits a tree in place, or a copy if somebody else has it.
fn fit(tree: &mut Arc<CpuTracer>, corners: &impl Corners) -> Wide8Cost {
    if let Some(tree) = Arc::get_mut(tree) {
        return tree.refit(corners);
    }
    let (fitted, cost) = tree.refitted(corners);
    *tree = Arc::new(fitted);
    cost
}

/// Returns the options with no triangle cut, for meshes that change their shape: a cut triangle's parts cannot follow
/// it.
fn whole(quality: &BuildOptions) -> BuildOptions {
    let builder = match quality.builder {
        Builder::Sbvh | Builder::BestOf => Builder::BinnedSah,
        other => other,
    };
    BuildOptions { builder, split_clipping: None, ..*quality }
}

/// Returns the point to which a new mesh is relative: zero where f32 holds it; else the scene's origin, if that is near
/// it; else its own middle.
fn local_of(positions: &Positions<'_>, indices: &Indices<'_>, origin: [f64; 3]) -> [f64; 3] {
    if !positions.is_double() && origin == [0.0; 3] {
        return origin;
    }
    let Some([low, high]) = range(positions, indices) else { return [0.0; 3] };
    let middle: [f64; 3] = std::array::from_fn(|i| low[i] + 0.5 * (high[i] - low[i]));
    let extent = (0..3).fold(0.0, |most: f64, i| most.max(high[i] - low[i]));
    let away = |from: [f64; 3]| (0..3).fold(0.0, |most: f64, i| most.max((middle[i] - from[i]).abs()));
    let nearest = if away(origin) < away([0.0; 3]) { origin } else { [0.0; 3] };
    if away(nearest) <= FAR * extent { nearest } else { middle.map(|x| f64::from(x as f32)) }
}
