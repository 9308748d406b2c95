//! Opened placements: instead of one box around a whole tree, the tree over the placements has boxes around parts of
//! it, where placements overlap.
//!
//! Source: Benthin, Woop, Wald and Afra 2017, "Improved Two-Level BVHs using Partial Re-Braiding", section 3. They open
//! while the tree over the placements is built; here it is done before, largest boxes first, as Embree's builder of two
//! levels did before that paper. What is opened differs from both: a part costs a ray as much to enter as the whole, so
//! that only boxes are opened which overlap others of about their size, and which stay as tight in the world as they
//! are in their tree. (A wall that is turned has parts whose boxes are mostly empty: rays met three times as many
//! triangles.)
//!
//! # Why no box is missed
//! The parts of a placement are a cut through its tree: each of its leaves is below exactly one of them. A box is
//! around the images of all points of the part's box in the tree, and grows by twice what the rule of flattening may
//! round a corner *anywhere in the tree*: of a triangle that a tree has cut, corners lie outside of the part's box, and
//! their rounding moves what lies inside. It ends at the box around the whole placement, which holds every flattened
//! corner.

use super::placed::{Placed, image_box, rounding};
use crate::tracer::CpuTracer;
use raywarp_geom::{Aabb, Affine, Affine64};
use raywarp_layout::{LEAF, NO_CHILD, REFERENCE_BYTES, Wide8, Wide8Node};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

/// Child reference that names a whole tree: that of its root.
pub(crate) const ROOT: u32 = 0;

/// Share of the half area of the box around the scene from which on a placement is large: only what is large is opened,
/// and only what overlaps it counts. In a forest no tree is.
const LARGE: f64 = 1.0 / 512.0;

/// Largest number of placements that are large; beyond it the largest are.
const MOST_LARGE: usize = 256;

/// Share of a box that boxes of other large placements have to take up for it to be opened.
const OVERLAPPED: f64 = 1.0 / 256.0;

/// Share of a box's largest side by which it is thicker where its overlap is measured, since walls are flat.
const THICKNESS: f64 = 1.0 / 64.0;

/// Share of the half area of the box around the scene below which a part is not opened again.
const SMALL: f64 = 1.0 / 1024.0;

/// Largest number of parts, and how many boxes there may be of all placements: twice as many as placements, or few.
const MOST_PARTS: usize = 4096;
const FEW: usize = 128;

/// Part of a placement's tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part {
    /// Index of the placement.
    pub placed: u32,
    /// Child reference of the part's upper end: a node, or a leaf.
    pub reference: u32,
    /// Box in the world around all of it.
    pub bounds: Aabb,
}

/// Opens placements that overlap each other, and returns their parts, those of a placement together. Empty where
/// nothing is gained. O(placements), and what is bounded besides.
pub(crate) fn open(placed: &[Placed], trees: &[Arc<CpuTracer>]) -> Vec<Part> {
    let seen = || placed.iter().filter(|placed| !placed.bounds.is_empty());
    let all = seen().fold(Aabb::EMPTY, |all, placed| all.union(&placed.bounds));
    let large = large(placed, LARGE * half_area(&all));
    if large.len() < 2 {
        return Vec::new();
    }
    let is_overlapped = |part: &Part| {
        let others = large.iter().filter(|&&other| other != part.placed).map(|&other| &placed[other as usize].bounds);
        let shared: f64 = others.map(|other| common(&part.bounds, other)).sum();
        shared >= OVERLAPPED * common(&part.bounds, &part.bounds) && shared > 0.0
    };
    let whole = |&index: &u32| Part { placed: index, reference: ROOT, bounds: placed[index as usize].bounds };
    let mut parts: Vec<Part> = large.iter().map(whole).collect();
    let count = seen().count();
    let most = parts.len() + MOST_PARTS.min(count.max(FEW.saturating_sub(count)));
    // Of equal sizes the first: the same trees have the same parts.
    let sized = |(index, part): (usize, &Part)| (half_area(&part.bounds).to_bits(), Reverse(index));
    let mut left: BinaryHeap<_> = parts.iter().enumerate().map(sized).collect();
    while let Some((_, Reverse(index))) = left.pop() {
        let part = parts[index];
        let whole = &placed[part.placed as usize];
        let Some(node) = openable(whole, trees).and_then(|tree| node(tree, part.reference)) else { continue };
        let children = || (0..8).filter(|&slot| node.children[slot] != NO_CHILD);
        if parts.len() + children().count() > most + 1 || !is_overlapped(&part) {
            continue;
        }
        let bounds = trees[whole.tree as usize].bounds();
        // The first takes the place of what is opened.
        let mut place = index;
        for slot in children() {
            let child =
                Part { reference: node.children[slot], bounds: placed_box(whole, &bounds, &node.bounds(slot)), ..part };
            if place == parts.len() {
                parts.push(child);
            } else {
                parts[place] = child;
            }
            if half_area(&child.bounds) >= SMALL * half_area(&all) {
                left.push(sized((place, &child)));
            }
            place = parts.len();
        }
    }
    parts.retain(|part| part.reference != ROOT);
    parts.sort_unstable_by_key(|part| (part.placed, part.reference));
    parts
}

/// Returns the parts that were kept by placement and reference; `None` if they are no cuts through the trees of
/// placements, in the order of [`open`].
pub(crate) fn of_kept(kept: &[[u32; 2]], placed: &[Placed], trees: &[Arc<CpuTracer>]) -> Option<Vec<Part>> {
    if !kept.is_sorted_by(|a, b| a < b) {
        return None;
    }
    let mut parts = Vec::with_capacity(kept.len());
    for of_one in kept.chunk_by(|a, b| a[0] == b[0]) {
        let index = of_one[0][0];
        let whole = placed.get(index as usize).filter(|placed| placed.motion.is_none())?;
        let tree = trees[whole.tree as usize].wide8().filter(|tree| !tree.nodes().is_empty())?;
        let mut wanted: HashMap<u32, Option<Aabb>> = of_one.iter().map(|&[_, reference]| (reference, None)).collect();
        // Each of the tree's leaves has to be below one of them; the root is none.
        let mut left = vec![&tree.nodes()[0]];
        while let Some(node) = left.pop() {
            for slot in (0..8).filter(|&slot| node.children[slot] != NO_CHILD) {
                let child = node.children[slot];
                match wanted.get_mut(&child) {
                    Some(bounds) => *bounds = Some(node.bounds(slot)),
                    None => left.push(self::node(tree, child)?),
                }
            }
        }
        for &[placed, reference] in of_one {
            let bounds = placed_box(whole, tree.bounds(), &wanted[&reference]?);
            parts.push(Part { placed, reference, bounds });
        }
    }
    Some(parts)
}

/// Returns the placements whose box has at least this half area, but no more than [`MOST_LARGE`], largest first.
fn large(placed: &[Placed], least: f64) -> Vec<u32> {
    let sized = placed.iter().zip(0..).map(|(placed, index)| (half_area(&placed.bounds), index));
    let mut large: Vec<(f64, u32)> = sized.filter(|(size, _)| *size >= least && *size > 0.0).collect();
    large.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    large.truncate(MOST_LARGE);
    large.into_iter().map(|(_, index)| index).collect()
}

/// Returns the tree of a placement that may be opened: of triangles, that stands still, by a map that takes boxes to
/// boxes.
fn openable<'a>(placed: &Placed, trees: &'a [Arc<CpuTracer>]) -> Option<&'a Wide8> {
    let keeps_boxes = |map: &Affine| map.rows.iter().all(|row| row[..3].iter().filter(|x| **x != 0.0).count() == 1);
    let is_tight = placed.moved.as_ref().is_none_or(|moved| keeps_boxes(&moved.to_world));
    let tree = trees[placed.tree as usize].wide8()?;
    (is_tight && placed.motion.is_none()).then_some(tree)
}

/// Returns the node that a child reference of a tree names; `None` for a leaf.
fn node(tree: &Wide8, reference: u32) -> Option<&Wide8Node> {
    let is_node = reference & LEAF == 0;
    is_node.then(|| tree.nodes().get(reference as usize * REFERENCE_BYTES / size_of::<Wide8Node>())).flatten()
}

/// Returns the box in the world around a part of a placement, from that in its tree; `whole` is around all of the tree.
fn placed_box(placed: &Placed, whole: &Aabb, part: &Aabb) -> Aabb {
    let Some(moved) = &placed.moved else { return *part };
    let map = Affine64::from(&moved.to_world);
    let image = image_box(&map, part, rounding(&map, whole).map(|x| 2.0 * x));
    let all = &placed.bounds;
    Aabb {
        min: std::array::from_fn(|axis| image.min[axis].clamp(all.min[axis], all.max[axis])),
        max: std::array::from_fn(|axis| image.max[axis].clamp(all.min[axis], all.max[axis])),
    }
}

/// Returns the volume that a box has in common with another, with [`THICKNESS`].
fn common(a: &Aabb, b: &Aabb) -> f64 {
    let sides = (0..3).map(|axis| f64::from(a.max[axis]) - f64::from(a.min[axis]));
    let thickness = THICKNESS * sides.fold(0.0, f64::max);
    let along = |axis: usize| {
        let (low, high) = (a.min[axis].max(b.min[axis]), a.max[axis].min(b.max[axis]));
        (f64::from(high) - f64::from(low) + thickness).max(0.0)
    };
    along(0) * along(1) * along(2)
}

/// Returns half of the surface area of a box; 0 if it is empty.
fn half_area(aabb: &Aabb) -> f64 {
    if aabb.is_empty() {
        return 0.0;
    }
    let [x, y, z] = std::array::from_fn(|axis| f64::from(aabb.max[axis]) - f64::from(aabb.min[axis]));
    x * y + y * z + z * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LevelsTracer, TreePlacement};
    use raywarp_bvh::{build, presets};
    use raywarp_geom::FlatTriangles;
    use raywarp_testing::Random;

    /// A shell of small triangles around a cube of side 2, so that its box is mostly empty.
    fn shell(seed: u64) -> FlatTriangles {
        let mut random = Random::new(seed);
        let triangle = |i: usize| {
            let mut at = random.point();
            at[i % 3] = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            let mut corner = || {
                let aside = random.point();
                [0, 1, 2].map(|axis| (at[axis] + 0.05 * aside[axis]).clamp(-1.0, 1.0))
            };
            [corner(), corner(), corner()]
        };
        FlatTriangles::from_vertices((0..600).map(triangle).collect())
    }

    fn scene(triangles: &FlatTriangles, maps: &[Affine64]) -> LevelsTracer {
        let tree = Arc::new(CpuTracer::new(&build(triangles, &presets::BLOCKS).unwrap(), triangles).unwrap());
        let places: Vec<_> = maps.iter().zip(0..).map(|(map, base)| TreePlacement::still(0, *map, base)).collect();
        LevelsTracer::new(vec![tree], &places).unwrap()
    }

    fn shifted(x: f64) -> Affine64 {
        Affine64::translation([x, 0.1, -0.2])
    }

    /// Returns the triangles in the leaves below a reference.
    fn below(tree: &Wide8, reference: u32, all: &mut Vec<u32>) {
        match node(tree, reference) {
            Some(node) => node.children.iter().filter(|child| **child != NO_CHILD).for_each(|&c| below(tree, c, all)),
            None => {
                let blocks = tree.leaf_blocks(reference);
                all.extend(blocks.flat_map(|block| (0..4).filter_map(|slot| block.index(slot))));
            }
        }
    }

    #[test]
    fn parts_hold_each_triangle_once_and_their_boxes_hold_its_corners() {
        let triangles = shell(3);
        let scale = Affine64::scale([3.0, -0.7, 1.1]);
        let near = [Affine64::IDENTITY, shifted(0.5), scale, shifted(-0.2).after(&scale)];
        let far = [shifted(1e5), shifted(1e5 + 0.3).after(&scale), shifted(1e5 + 1.0), shifted(1e5 - 1.0)];
        for (maps, placed) in [near, far].into_iter().flat_map(|maps| (0..4).map(move |placed| (maps, placed))) {
            let scene = scene(&triangles, &maps);
            let tree = scene.trees[0].wide8().unwrap();
            let map = maps[placed as usize].rounded();
            let mut all = Vec::new();
            for part in scene.parts.iter().filter(|part| part.placed == placed) {
                let mut of_part = Vec::new();
                below(tree, part.reference, &mut of_part);
                for &triangle in &of_part {
                    let corners = triangles.vertices[triangle as usize].map(|corner| map.point(corner));
                    assert!(part.bounds.contains(&Aabb::of_points(&corners)), "{placed} {part:?}");
                }
                all.extend(of_part);
            }
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..600), "{placed}: {all:?}");
        }
    }

    #[test]
    fn parts_that_were_kept_are_all_of_a_tree_or_none() {
        let scene = scene(&shell(4), &[shifted(0.0), shifted(0.5), shifted(1.0)]);
        let (placed, trees) = (&scene.placed, &scene.trees);
        let kept: Vec<[u32; 2]> = scene.opened().collect();
        assert!(kept.len() > 20 && of_kept(&kept, placed, trees) == Some(scene.parts.clone()));
        for gone in 0..kept.len() {
            let mut kept = kept.clone();
            kept.remove(gone);
            assert_eq!(of_kept(&kept, placed, trees), None, "{gone}");
        }
        // Whole placements are no parts.
        let of_last: Vec<_> = kept.iter().copied().filter(|part| part[0] == 2).collect();
        assert!(of_kept(&of_last, placed, trees).is_some() && of_kept(&[], placed, trees).is_some());
    }

    #[test]
    fn a_forest_is_not_opened_nor_what_stands_alone_or_apart_or_is_turned() {
        let triangles = shell(5);
        let parts = |maps: &[Affine64]| scene(&triangles, maps).parts.len();
        let in_row = |count: u32, step: f64| (0..count).map(|i| shifted(step * f64::from(i))).collect::<Vec<_>>();
        assert!(parts(&in_row(2, 1.0)) > 8 && parts(&in_row(20, 1.0)) > 20);
        assert_eq!([parts(&[]), parts(&in_row(1, 1.0)), parts(&in_row(20, 2.5)), parts(&in_row(2000, 1.0))], [0; 4]);
        let turned = Affine64::rotation(1.0, [1.0, 2.0, 3.0]);
        assert_eq!(parts(&[turned, shifted(0.5).after(&turned)]), 0);
        // What is turned is whole, and opens what it overlaps.
        let one = scene(&triangles, &[turned, shifted(0.5)]);
        assert!(one.parts.len() > 4 && one.parts.iter().all(|part| part.placed == 1));
    }

    #[test]
    fn parts_are_few_and_the_same_each_time() {
        let triangles = shell(7);
        for count in [2, 10, 100, 300] {
            // All overlap all others.
            let maps: Vec<_> = (0..count).map(|i| shifted(f64::from(i) / f64::from(count))).collect();
            let scene = scene(&triangles, &maps);
            let mut opened: Vec<u32> = scene.parts.iter().map(|part| part.placed).collect();
            opened.dedup();
            let boxes = scene.parts.len() + count as usize - opened.len();
            assert!(opened.len() > 1 && boxes <= FEW.max(2 * count as usize), "{count}: {boxes} boxes");
            assert_eq!(scene.parts, open(&scene.placed, &scene.trees));
        }
        let many =
            open(&vec![scene(&triangles, &[shifted(0.0)]).placed[0].clone(); 6000], &scene(&triangles, &[]).trees);
        assert!((MOST_PARTS / 2..=MOST_PARTS + MOST_LARGE).contains(&many.len()), "{}", many.len());
    }
}
