//! [`LevelsEdit`]: changes to a scene of two levels, whose tree over the placements is fitted again or built again.

use super::placed::{Placed, PlacementError};
use super::{LevelsError, LevelsTracer, TreePlacement};
use crate::tracer::CpuTracer;
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, build_over_boxes};
use raywarp_geom::{Aabb, Affine};
use raywarp_layout::{Wide8Boxes, encode_wide8_boxes, half_area};
use std::sync::Arc;

/// Growth of the tree's cost, by that of the placements' own boxes, from which on it is built again instead of fitted.
const DECAYED: f64 = 1.2;

/// Number of placements from which on they are placed by all threads.
const MANY: usize = 256;

/// How good the tree over placements was when it was built.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Built {
    /// Its cost.
    tree: f64,
    /// Sum of half areas of the placements' own boxes.
    items: f64,
}

/// Builds the tree over the placements that have triangles, which are named by their indices.
pub(crate) fn top_over(placed: &[Placed]) -> Result<(Wide8Boxes, Built), LevelsError> {
    let named = placed.iter().enumerate().map(|(name, placed)| (name as u32, placed.bounds));
    let (names, boxes): (Vec<u32>, Vec<Aabb>) = named.filter(|(_, bounds)| !bounds.is_empty()).unzip();
    let options = BuildOptions { max_leaf: 1, ..BuildOptions::default() };
    let mut tree = encode_wide8_boxes(&build_over_boxes(&boxes, &options)?)?;
    tree.rename(|item| names[item as usize]);
    let built = Built { tree: tree.cost(), items: items(placed) };
    Ok((tree, built))
}

/// Returns the sum of half areas of the placements' boxes.
fn items(placed: &[Placed]) -> f64 {
    placed.iter().map(|placed| half_area(&placed.bounds)).sum()
}

/// What an edit has done to the tree over the placements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Nothing,
    /// Boxes of placements are others.
    Boxes,
    /// Other placements have triangles.
    Items,
}

/// Changes to a scene of two levels, in which every tree's ids have instance 0, so that placements are numbered by
/// their indices.
///
/// Trees and placements are changed in place: who keeps the scene as it was edits a clone, which copies the placements
/// and shares the trees.
#[derive(Debug)]
pub struct LevelsEdit {
    scene: LevelsTracer,
    change: Change,
}

impl LevelsEdit {
    /// Begins to change a scene.
    pub fn new(scene: LevelsTracer) -> Self {
        Self { scene, change: Change::Nothing }
    }

    /// Returns the scene as it stands; the tree over the placements is not yet that of them.
    pub fn scene(&self) -> &LevelsTracer {
        &self.scene
    }

    /// Returns the trees, to be replaced or added to. Where a tree is replaced, all its placements have to be placed
    /// again.
    pub fn trees(&mut self) -> &mut Vec<Arc<CpuTracer>> {
        &mut self.scene.trees
    }

    /// Removes the placements for which `keep` returns `false`; those behind them move up.
    pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let before = self.scene.placed.len();
        let mut index = 0;
        self.scene.placed.retain(|_| {
            index += 1;
            keep(index - 1)
        });
        if self.scene.placed.len() < before {
            self.change = Change::Items;
        }
    }

    /// Sets the number of placements. Those that are new have no triangles until they are placed.
    pub fn resize(&mut self, count: usize) {
        let nothing = || Placed { tree: 0, base: 0, bounds: Aabb::EMPTY, moved: None };
        self.scene.placed.resize_with(count, nothing);
        self.change = Change::Items;
    }

    /// Places trees, each at the index that its `base` names, and returns which cannot be placed, and why: these stay
    /// what they were. In parallel, where they are many.
    ///
    /// # Panics
    /// If a placement or a tree is not there, or a tree is not [`CpuTree::Wide8`](crate::CpuTree::Wide8).
    pub fn place(&mut self, placements: &[TreePlacement]) -> Vec<(usize, PlacementError)> {
        let trees = &self.scene.trees;
        let new = |&TreePlacement { tree, transform, base }: &TreePlacement| {
            Placed::new(tree, trees[tree as usize].wide8().expect("a tree for lanes"), &transform, base)
        };
        let found: Vec<Result<Placed, PlacementError>> = if placements.len() < MANY {
            placements.iter().map(new).collect()
        } else {
            placements.par_iter().map(new).collect()
        };
        let mut failed = Vec::new();
        for (placement, found) in placements.iter().zip(found) {
            let index = placement.base as usize;
            match found {
                Err(error) => failed.push((index, error)),
                Ok(placed) => {
                    let old = &self.scene.placed[index];
                    let is_seen = [&placed, old].map(|placed| !placed.bounds.is_empty());
                    let change = if is_seen[0] == is_seen[1] { Change::Boxes } else { Change::Items };
                    self.change = self.change.max(change);
                    self.scene.placed[index] = placed;
                }
            }
        }
        failed
    }

    /// Returns the scene with its changes.
    ///
    /// The tree over the placements is fitted to them where they have only moved: O(placements), some nanoseconds
    /// each. It is built again where placements came or went, and where its cost has grown to 1.2 of what it was
    /// when it was built, each in relation to the sum of the placements' own boxes.
    ///
    /// # Errors
    /// [`LevelsError`].
    pub fn finish(self) -> Result<LevelsTracer, LevelsError> {
        let Self { mut scene, change } = self;
        for (index, placed) in scene.placed.iter_mut().enumerate() {
            placed.base = index as u32;
        }
        match change {
            Change::Nothing => {}
            Change::Boxes => {
                let LevelsTracer { placed, top, built, .. } = &mut scene;
                top.refit(|item| placed[item as usize].bounds);
                // Not divided: all boxes may be flat.
                if top.cost() * built.items > DECAYED * built.tree * items(placed) {
                    (*top, *built) = top_over(placed)?;
                }
            }
            Change::Items => (scene.top, scene.built) = top_over(&scene.placed)?,
        }
        Ok(scene)
    }
}

impl LevelsTracer {
    /// Returns the trees.
    pub fn trees(&self) -> &[Arc<CpuTracer>] {
        &self.trees
    }

    /// Returns the number of placements.
    pub fn placement_count(&self) -> usize {
        self.placed.len()
    }

    /// Returns the tree of a placement, and the map that takes its triangles to the world.
    ///
    /// # Panics
    /// If there is no such placement.
    pub fn placement(&self, index: usize) -> (u32, Affine) {
        let placed = &self.placed[index];
        (placed.tree, placed.moved.as_ref().map_or(Affine::IDENTITY, |moved| moved.to_world))
    }
}
