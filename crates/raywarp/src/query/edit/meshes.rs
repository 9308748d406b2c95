//! Trees of meshes that come or take another shape.

use crate::query::SceneError;
use crate::query::assemble::tree_of;
use crate::query::source::{Indices, Positions};
use crate::query::triangles::{Triangles, check, range};
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, Builder};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{Aabb, Affine64, Control};
use std::sync::Arc;

/// Distance from zero, in extents of a mesh, from which on f32 may be too coarse for it.
const FAR: f64 = 1000.0;

/// Mesh that gets its triangles.
pub(super) struct Job<'a> {
    mesh: usize,
    given: (Positions<'a>, Indices<'a>),
    place: Place,
}

/// What is known of a mesh's place.
enum Place {
    /// The origin of the scene that it is new in.
    New { origin: [f64; 3] },
    /// The point to which it is relative.
    Again { local: [f64; 3] },
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
}

impl<'a> Job<'a> {
    /// Describes a mesh that is new in a scene with this origin.
    pub fn new(mesh: usize, given: (Positions<'a>, Indices<'a>), origin: [f64; 3]) -> Self {
        Self { mesh, given, place: Place::New { origin } }
    }

    /// Describes a mesh that gets other triangles, relative to the same point as those it had.
    pub fn again(mesh: usize, given: (Positions<'a>, Indices<'a>), local: [f64; 3]) -> Self {
        Self { mesh, given, place: Place::Again { local } }
    }
}

/// Builds the trees, meshes beside each other.
pub(super) fn build(
    jobs: Vec<Job<'_>>,
    quality: &BuildOptions,
    control: &Control<'_>,
) -> Result<Vec<Built>, SceneError> {
    let one = |Job { mesh, given: (positions, indices), place }: Job<'_>| {
        check(&positions, &indices).map_err(|source| SceneError::Mesh { mesh, source })?;
        let (local, quality) = match place {
            Place::New { origin } => (local_of(&positions, &indices, origin), *quality),
            Place::Again { local } => (local, whole(quality)),
        };
        let triangles = match local {
            [0.0, 0.0, 0.0] => Triangles::Given(positions, indices),
            _ => Triangles::Shifted(positions, indices, local),
        };
        let tree = tree_of(triangles.flattened(&Affine64::IDENTITY), &quality, control)?;
        Ok(Built { mesh, tree, local, triangles: triangles.len(), bounds: triangles.bounds() })
    };
    jobs.into_par_iter().map(one).collect()
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
