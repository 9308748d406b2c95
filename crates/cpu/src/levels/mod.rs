//! [`LevelsTracer`]: scenes of two levels, a tree over placements of trees, with the hits of the flattened scene.

mod batch;
mod edit;
mod motion;
mod opening;
mod placed;
mod query;
mod solid;

pub(crate) use batch::{PlacedJob, PlacedQuery};
pub use edit::LevelsEdit;
pub(crate) use edit::boxes;
pub(crate) use motion::{Motion, Then};
pub(crate) use opening::{Part, ROOT, of_kept as kept_parts};
pub use placed::{KeptPlacement, PlacementError, TreePlacement};
pub(crate) use placed::{LocalRay, Moved, Placed, WorldRay};
pub use query::LevelsAt;
pub use solid::SolidLevels;

use crate::tracer::{CpuTracer, Encoding};
use edit::top_over;
use rayon::prelude::*;
use raywarp_bvh::BuildError;
use raywarp_geom::{Aabb, Affine64, KernelName};
use raywarp_lanes::Isa;
use raywarp_layout::{BoxesCost, LayoutError, Wide8Boxes};
use std::sync::Arc;

/// Name of the tracer in batch statistics.
const NAME: KernelName = KernelName::fixed("cpu/wide8?levels=2");

/// Errors of putting a scene of two levels together.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LevelsError {
    /// A placement cannot be walked by itself.
    #[error("placement {placement}: {source}")]
    Place {
        /// Index of the placement.
        placement: usize,
        /// What is wrong with it.
        source: PlacementError,
    },
    /// The tree over the placements cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tree over the placements cannot be encoded.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// Tracer of a scene of two levels on the CPU: trees of triangles, each placed any number of times.
///
/// Every hit has the bits of the flattened scene: `t u v`, ids, which of two at one `t` wins, and no ray slips through
/// an edge between placements whose corners have the same bits in the world. What is walked in a tree's own space are
/// boxes alone; triangles are tested in the world.
#[derive(Debug, Clone)]
pub struct LevelsTracer {
    pub(crate) trees: Vec<Arc<CpuTracer>>,
    pub(crate) placed: Vec<Placed>,
    /// Parts of placements that are opened, those of a placement together.
    pub(crate) parts: Vec<Part>,
    /// Tree over the placements that have triangles, and over the parts of those that are opened
    /// ([`LevelsTracer::item`]).
    pub(crate) top: Wide8Boxes,
    /// Its cost when it was built.
    pub(crate) built: BoxesCost,
    /// Largest stack depth of a tree that is placed.
    pub(crate) deepest: usize,
    pub(crate) isa: Isa,
}

impl LevelsTracer {
    /// Puts a scene together: trees, and their placements. A tree may be placed many times or never.
    ///
    /// Large placements that overlap others are opened: the tree over the placements has boxes around parts of theirs.
    ///
    /// O(placements), in parallel.
    ///
    /// # Errors
    /// [`LevelsError`].
    /// # Panics
    /// If a placement names a tree that is not there, or a tree is [`CpuTree::Bvh2`](crate::CpuTree::Bvh2).
    pub fn new(trees: Vec<Arc<CpuTracer>>, placements: &[TreePlacement]) -> Result<Self, LevelsError> {
        Self::with_isa(trees, placements, Isa::preferred())
    }

    /// Puts a scene together as [`LevelsTracer::new`] does, to be walked with the instruction set `isa`.
    ///
    /// # Errors
    /// As [`LevelsTracer::new`].
    /// # Panics
    /// As [`LevelsTracer::new`].
    pub fn with_isa(trees: Vec<Arc<CpuTracer>>, placements: &[TreePlacement], isa: Isa) -> Result<Self, LevelsError> {
        let place = |(index, placement): (usize, &TreePlacement)| {
            let placed = Placed::of(&root(&trees[placement.tree as usize]), placement);
            placed.map_err(|source| LevelsError::Place { placement: index, source })
        };
        let placed: Vec<Placed> = placements.par_iter().enumerate().map(place).collect::<Result<_, _>>()?;
        let parts = opening::open(&placed, &trees);
        let (top, built) = top_over(&placed, &parts)?;
        let deepest = deepest(&trees);
        Ok(Self { trees, placed, parts, top, built, deepest, isa })
    }

    /// Returns whether a placement of `tree`, whatever tree it names, can be walked by itself.
    ///
    /// # Errors
    /// [`PlacementError`], if not.
    /// # Panics
    /// As [`LevelsTracer::new`].
    pub fn check(tree: &CpuTracer, placement: &TreePlacement) -> Result<(), PlacementError> {
        Placed::of(&root(tree), placement).map(drop)
    }

    /// Returns `true` if a tree within `bounds` can be placed by a transform, as far as that is known without the tree.
    pub fn takes(bounds: &Aabb, transform: &Affine64) -> bool {
        Moved::for_rays(&transform.rounded(), bounds).is_ok()
    }

    /// Returns the name that batch statistics have for this tracer.
    pub fn name(&self) -> KernelName {
        NAME
    }

    /// Returns the instruction set that the tracer uses.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the box around all triangles of the scene, or one somewhat larger.
    pub fn bounds(&self) -> Aabb {
        *self.top.bounds()
    }

    /// Returns the number of bytes of trees and placements.
    pub fn bytes(&self) -> usize {
        let trees: usize = self.trees.iter().map(|tree| tree.bytes()).sum();
        let moved = self.placed.iter().filter(|placed| placed.moved.is_some()).count();
        let moving = self.placed.iter().filter(|placed| placed.motion.is_some()).count();
        let maps = moved * size_of::<placed::Moved>() + moving * size_of::<Motion>();
        trees + self.top.bytes() + size_of_val(&self.placed[..]) + size_of_val(&self.parts[..]) + maps
    }

    /// Returns the placement and the child reference in its tree that an item of the tree over the placements stands
    /// for: those below the number of placements stand for whole ones, others for parts.
    #[inline(always)]
    pub(crate) fn item(&self, item: u32) -> (u32, u32) {
        if (item as usize) < self.placed.len() {
            return (item, ROOT);
        }
        let Part { placed, reference, .. } = self.parts[item as usize - self.placed.len()];
        (placed, reference)
    }

    /// Returns `true` if a placement moves.
    pub fn moves(&self) -> bool {
        self.placed.iter().any(|placed| placed.motion.is_some())
    }
}

/// Returns the largest stack depth of trees of triangles.
pub(crate) fn deepest(trees: &[Arc<CpuTracer>]) -> usize {
    trees.iter().filter_map(|tree| Some(tree.wide8()?.stack_depth())).max().unwrap_or(0)
}

/// Returns the upper end of a tree.
///
/// # Panics
/// If it is a tree of two children, which cannot be placed.
pub(crate) fn root(tracer: &CpuTracer) -> placed::Root<'_> {
    match &tracer.encoding {
        Encoding::Wide8(tree) => placed::Root { node: tree.nodes().first(), bounds: tree.bounds() },
        Encoding::Custom(custom) => placed::Root { node: custom.boxes.nodes().first(), bounds: custom.boxes.bounds() },
        Encoding::Bvh2(_) => panic!("a tree for lanes"),
    }
}
