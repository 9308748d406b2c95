//! Scenes of two levels: a tree of each mesh that is placed several times, and one over the placements.

mod bounds;
mod opacity;
mod rule;

pub(crate) use rule::chosen;
#[cfg(feature = "cuda")]
pub(crate) use rule::too_large_for_one;

use crate::device::cost_model::build_in_memory;
use crate::prepare::{PrepareError, Timings};
use opacity::{Opacity, OpacityOf};
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cpu::{CpuTracer, LevelsTracer, SolidLevels, TreePlacement};
use raywarp_geom::{Aabb, Affine64, FlatTriangles};
use raywarp_scene::{Description, flatten_some};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sizes of a scene's two levels of trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TwoLevels {
    /// Number of trees; one of them may hold what is placed once.
    pub trees: usize,
    /// Number of triangles in all trees.
    pub tree_triangles: u64,
    /// Number of placements of trees.
    pub placements: usize,
}

/// Scene of two levels, with the hits of the flattened one.
pub(crate) struct PlacedTrees {
    pub tracer: Arc<SolidLevels>,
    /// Box around the flattened triangles, on which added light depends.
    #[cfg_attr(not(feature = "render"), expect(dead_code, reason = "only pictures have light"))]
    pub bounds: Aabb,
    /// Number of triangles in all placements, and of those that are not opaque to the eye.
    pub triangles: u64,
    pub non_opaque: u64,
    pub sizes: TwoLevels,
    pub timings: Timings,
}

/// What rays take for opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// What materials say.
    #[cfg(feature = "render")]
    Materials,
    /// All that is there.
    Geometry,
}

/// Mesh with its tree, in its own space.
struct MeshTree {
    bvh: Bvh2,
    triangles: FlatTriangles,
    tracer: Arc<CpuTracer>,
}

impl MeshTree {
    fn new(triangles: FlatTriangles, options: &BuildOptions) -> Result<Self, PrepareError> {
        let bvh = build(&triangles, &build_in_memory(options, triangles.len()))?;
        let tracer = Arc::new(CpuTracer::new(&bvh, &triangles).map_err(crate::device::BackendError::from)?);
        Ok(Self { bvh, triangles, tracer })
    }
}

/// Builds a tree of each mesh that is placed several times, and one of all other placements' triangles in the world.
/// Of a mesh whose placements differ in what is opaque there are several.
///
/// Triangles are there as [`raywarp_scene::flatten`] has them: those of no area in the world are told at a hit. What
/// placing a tree refuses (a transform that flattens space, one that is far too uneven) is flattened.
///
/// # Errors
/// [`PrepareError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub(crate) fn placed_trees(
    scene: &Description,
    options: &BuildOptions,
    sight: Sight,
) -> Result<PlacedTrees, PrepareError> {
    let start = Instant::now();
    let opacity = OpacityOf::new(scene);
    let shared = Shared::new(scene, &opacity);
    let of_mesh = |&(mesh, opacity): &(usize, Opacity)| {
        let mut triangles = self::opacity::triangles(scene, mesh, opacity);
        let non_opaque = triangles.opaque.iter().filter(|&&opaque| !opaque).count() as u64;
        if sight == Sight::Geometry {
            triangles.opaque.fill(true);
        }
        Ok((MeshTree::new(triangles, options)?, non_opaque))
    };
    let made: Vec<(MeshTree, u64)> = shared.meshes.par_iter().map(of_mesh).collect::<Result<_, PrepareError>>()?;
    let built = start.elapsed();
    let at = |(index, tree): (usize, u32)| {
        TreePlacement::still(tree, Affine64::from(&scene.instances[index].transform), index as u32)
    };
    let tree_of = |index: usize| {
        let tree = shared.tree_of(scene, &opacity, index)?;
        let fits = LevelsTracer::check(&made[tree as usize].0.tracer, &at((index, tree))).is_ok();
        fits.then_some(tree)
    };
    let trees: Vec<Option<u32>> = (0..scene.instances.len()).into_par_iter().map(tree_of).collect();
    let placed = || trees.iter().enumerate().filter_map(|(index, tree)| Some((index, (*tree)?)));
    let mut others = flatten_some(scene, |index| trees[index].is_none() && opacity.of(scene, index).is_some())?;
    let mut non_opaque = others.opaque.iter().filter(|&&opaque| !opaque).count() as u64;
    if sight == Sight::Geometry {
        others.opaque.fill(true);
    }
    let mut bounds = others.bounds();
    let mut triangles = others.len() as u64;
    for (index, tree) in placed() {
        let (tree, holes) = &made[tree as usize];
        bounds::extend(&mut bounds, &tree.bvh, &tree.triangles, &scene.instances[index].transform);
        triangles += tree.triangles.len() as u64;
        non_opaque += holes;
    }
    let flattened = start.elapsed();
    let mut placements: Vec<TreePlacement> = placed().map(at).collect();
    let mut tree_triangles: u64 = made.iter().map(|(tree, _)| tree.triangles.len() as u64).sum();
    let mut trees: Vec<Arc<CpuTracer>> = made.into_iter().map(|(tree, _)| tree.tracer).collect();
    if !others.is_empty() || trees.is_empty() {
        let tree = trees.len() as u32;
        placements.push(TreePlacement::still(tree, Affine64::IDENTITY, 0));
        tree_triangles += others.len() as u64;
        trees.push(MeshTree::new(others, options)?.tracer);
    }
    let sizes = TwoLevels { trees: trees.len(), tree_triangles, placements: placements.len() };
    let tracer = Arc::new(SolidLevels::new(LevelsTracer::new(trees, &placements)?));
    let timings = Timings {
        flatten: flattened - built,
        build: built + (start.elapsed() - flattened),
        encode: Duration::ZERO,
        ..Timings::default()
    };
    Ok(PlacedTrees { tracer, bounds, triangles, non_opaque, sizes, timings })
}

/// Meshes that get trees of their own.
pub(crate) struct Shared {
    /// Indices of meshes, each with what is opaque of it.
    meshes: Vec<(usize, Opacity)>,
    /// By mesh and opacity the index of its tree; [`Shared::NONE`] if it has none.
    trees: Vec<[u32; Opacity::COUNT]>,
}

impl Shared {
    const NONE: u32 = u32::MAX;

    /// Looks for meshes that are placed several times and seen there. O(instances).
    pub fn new(scene: &Description, opacity: &OpacityOf) -> Self {
        let mut placed = vec![[0u32; Opacity::COUNT]; scene.meshes.len()];
        for (index, instance) in scene.instances.iter().enumerate() {
            if let Some(opacity) = opacity.of(scene, index) {
                let count = &mut placed[instance.mesh.index()][opacity as usize];
                *count = count.saturating_add(1);
            }
        }
        let (mut meshes, mut trees) = (Vec::new(), vec![[Self::NONE; Opacity::COUNT]; scene.meshes.len()]);
        for (mesh, counts) in placed.iter().enumerate() {
            let is_empty = scene.meshes[mesh].triangles.indices.is_empty();
            for opacity in Opacity::ALL.into_iter().filter(|&opacity| !is_empty && counts[opacity as usize] > 1) {
                trees[mesh][opacity as usize] = meshes.len() as u32;
                meshes.push((mesh, opacity));
            }
        }
        Self { meshes, trees }
    }

    /// Returns the tree of an instance, if it shares one.
    fn tree_of(&self, scene: &Description, opacity: &OpacityOf, instance: usize) -> Option<u32> {
        let opacity = opacity.of(scene, instance)?;
        let tree = self.trees[scene.instances[instance].mesh.index()][opacity as usize];
        (tree != Self::NONE).then_some(tree)
    }
}
