//! [`LevelsEdit`]: changes to a scene of two levels, whose tree over the placements is fitted again or built again.

use super::opening::Part;
use super::placed::{Placed, PlacementError};
use super::{LevelsError, LevelsTracer, TreePlacement, deepest, root};
use crate::tracer::CpuTracer;
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, build_over_boxes};
use raywarp_geom::{Aabb, Affine64};
use raywarp_layout::{BoxesCost, Wide8Boxes, encode_wide8_boxes};
use std::sync::Arc;

/// Growth of the tree's cost, by that of the placements' own boxes, from which on it is built again instead of fitted.
const DECAYED: f64 = 1.2;

/// Number of placements from which on they are placed by all threads.
const MANY: usize = 256;

/// Returns the boxes of the items of the tree over the placements, empty ones of what has no triangles or is opened.
pub(crate) fn boxes(placed: &[Placed], parts: &[Part]) -> Vec<Aabb> {
    let mut boxes: Vec<Aabb> = placed.iter().map(|placed| placed.bounds).collect();
    parts.iter().for_each(|part| boxes[part.placed as usize] = Aabb::EMPTY);
    boxes.extend(parts.iter().map(|part| part.bounds));
    boxes
}

/// Returns the box of an item that is in the tree over the placements.
fn box_of(item: u32, placed: &[Placed], parts: &[Part]) -> Aabb {
    let item = item as usize;
    placed.get(item).map_or_else(|| parts[item - placed.len()].bounds, |placed| placed.bounds)
}

/// Builds the tree over the placements that have triangles, which are named by their indices, and over parts of them.
pub(crate) fn top_over(placed: &[Placed], parts: &[Part]) -> Result<(Wide8Boxes, BoxesCost), LevelsError> {
    let named = (0u32..).zip(boxes(placed, parts));
    let (names, boxes): (Vec<u32>, Vec<Aabb>) = named.filter(|(_, bounds)| !bounds.is_empty()).unzip();
    let options = BuildOptions { max_leaf: 1, ..BuildOptions::default() };
    let mut tree = encode_wide8_boxes(&build_over_boxes(&boxes, &options)?)?;
    tree.rename(|item| names[item as usize]);
    let cost = tree.cost(|item| box_of(item, placed, parts));
    Ok((tree, cost))
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
    /// `true` if trees may be others.
    has_other_trees: bool,
}

impl LevelsEdit {
    /// Begins to change a scene.
    pub fn new(scene: LevelsTracer) -> Self {
        Self { scene, change: Change::Nothing, has_other_trees: false }
    }

    /// Returns the scene as it stands; the tree over the placements is not yet that of them.
    pub fn scene(&self) -> &LevelsTracer {
        &self.scene
    }

    /// Returns the trees, to be replaced or added to. Where a tree is replaced, all its placements have to be placed
    /// again.
    pub fn trees(&mut self) -> &mut Vec<Arc<CpuTracer>> {
        self.has_other_trees = true;
        &mut self.scene.trees
    }

    /// Removes the placements for which `keep` returns `false`; those behind them move up.
    pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let before = self.scene.placed.len();
        let (mut index, mut kept) = (0, 0);
        // Parts lie in the order of their placements.
        let (parts, mut first) = (&mut self.scene.parts, 0);
        self.scene.placed.retain(|_| {
            let stays = keep(index);
            let of_it = parts[first..].iter().take_while(|part| part.placed == index as u32).count();
            if stays {
                parts[first..first + of_it].iter_mut().for_each(|part| part.placed = kept);
                first += of_it;
                kept += 1;
            } else {
                parts.drain(first..first + of_it);
            }
            index += 1;
            stays
        });
        if self.scene.placed.len() < before {
            self.change = Change::Items;
        }
    }

    /// Sets the number of placements. Those that are new have no triangles until they are placed.
    pub fn resize(&mut self, count: usize) {
        let nothing = || Placed { tree: 0, base: 0, bounds: Aabb::EMPTY, moved: None, motion: None };
        self.scene.placed.resize_with(count, nothing);
        self.scene.parts.retain(|part| (part.placed as usize) < count);
        self.change = Change::Items;
    }

    /// Places trees, each at the index that its `base` names, and returns which cannot be placed, and why: these stay
    /// what they were. In parallel, where they are many. What was opened is whole again, and stays so: it may go on
    /// moving, and its tree may be another.
    ///
    /// # Panics
    /// If a placement or a tree is not there, or a tree is [`CpuTree::Bvh2`](crate::CpuTree::Bvh2).
    pub fn place(&mut self, placements: &[TreePlacement]) -> Vec<(usize, PlacementError)> {
        let trees = &self.scene.trees;
        let new = |placement: &TreePlacement| Placed::of(&root(&trees[placement.tree as usize]), placement);
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
        self.close(placements);
        failed
    }

    /// Makes placements whole again.
    fn close(&mut self, placements: &[TreePlacement]) {
        if self.scene.parts.is_empty() {
            return;
        }
        let mut is_placed = vec![false; self.scene.placed.len()];
        placements.iter().for_each(|placement| is_placed[placement.base as usize] = true);
        let before = self.scene.parts.len();
        self.scene.parts.retain(|part| !is_placed[part.placed as usize]);
        if self.scene.parts.len() < before {
            self.change = Change::Items;
        }
    }

    /// Returns the scene with its changes.
    ///
    /// The tree over the placements is fitted to them where they have only moved: O(placements), some nanoseconds
    /// each. It is built again where placements came or went, or were opened and are whole again, and where its cost
    /// has grown to 1.2 of what it was when it was built, each in relation to the sum of the placements' own boxes.
    ///
    /// # Errors
    /// [`LevelsError`].
    pub fn finish(self) -> Result<LevelsTracer, LevelsError> {
        let Self { mut scene, change, has_other_trees } = self;
        if has_other_trees {
            scene.deepest = deepest(&scene.trees);
        }
        match change {
            Change::Nothing => {}
            Change::Boxes => {
                let LevelsTracer { placed, parts, top, built, .. } = &mut scene;
                let cost = top.refit(|item| box_of(item, placed, parts));
                // Not divided: all boxes may be flat.
                if cost.tree * built.items > DECAYED * built.tree * cost.items {
                    (*top, *built) = top_over(placed, parts)?;
                }
            }
            Change::Items => {
                scene.placed.iter_mut().zip(0..).for_each(|(placed, index)| placed.base = index);
                (scene.top, scene.built) = top_over(&scene.placed, &scene.parts)?;
            }
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

    /// Returns a placement; its transforms are rounded.
    ///
    /// # Panics
    /// If there is no such placement.
    pub fn placement(&self, index: usize) -> TreePlacement {
        let Placed { tree, base, moved, motion, .. } = &self.placed[index];
        let end = motion.as_ref().map(|motion| Affine64::from(&motion.end));
        let map = moved.as_ref().map_or(Affine64::IDENTITY, |moved| Affine64::from(&moved.to_world));
        TreePlacement { tree: *tree, transform: map, end, base: *base }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::build;
    use raywarp_geom::{FlatTriangles, HitKey, Ray};

    fn at(index: usize, frame: usize) -> TreePlacement {
        // Each on a circle of its own.
        let phase = (index * index % 97 + frame * (1 + index % 5)) as f64 / 60.0;
        let size = 1.0 + (index * 7 % 31) as f64;
        let place = [size * phase.cos(), size * phase.sin(), (index % 13) as f64];
        TreePlacement::still(0, Affine64::translation(place), index as u32)
    }

    #[test]
    fn the_tree_over_placements_is_fitted_until_it_has_decayed() {
        let triangles = FlatTriangles::from_vertices(vec![[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]]);
        let tree = Arc::new(CpuTracer::new(&build(&triangles, &BuildOptions::default()).unwrap(), &triangles).unwrap());
        let places = |frame: usize| (0..300).map(|index| at(index, frame)).collect::<Vec<_>>();
        let mut scene = LevelsTracer::new(vec![tree.clone()], &places(0)).unwrap();
        let mut rebuilt = 0;
        for frame in 1..60 {
            let before = scene.built;
            let mut edit = LevelsEdit::new(scene);
            assert!(edit.place(&places(frame)).is_empty());
            scene = edit.finish().unwrap();
            let anew = LevelsTracer::new(vec![tree.clone()], &places(frame)).unwrap();
            rebuilt += usize::from(before.tree.to_bits() != scene.built.tree.to_bits());
            let cost = scene.top.cost(|item| scene.placed[item as usize].bounds);
            let decay = cost.tree / scene.built.tree * scene.built.items / cost.items;
            assert!(decay < 1.0001 * DECAYED && cost.tree <= 1.3 * anew.built.tree, "{frame}: {decay}");
            for i in 0..50 {
                let [x, y] = [i % 7, i % 11].map(|k| 4.0 * k as f32 - 13.0);
                let ray = Ray::new([x, y, -1.0], [0.01 * x, 0.02 * y, 1.0]);
                assert_eq!(scene.closest_one(&ray, HitKey::START), anew.closest_one(&ray, HitKey::START));
            }
        }
        assert!((2..20).contains(&rebuilt), "{rebuilt}");
        let mut edit = LevelsEdit::new(scene);
        edit.retain(|index| index % 3 == 0);
        let scene = edit.finish().unwrap();
        assert_eq!((scene.placement_count(), scene.placement(7).base), (100, 7));
    }
}
