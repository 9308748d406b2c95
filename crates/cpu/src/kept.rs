//! Tracers from trees that were kept, in a file say, with the answers of those that they were kept of.

use crate::ids::Ids;
use crate::levels::{KeptPlacement, LevelsTracer, Placed, boxes, deepest, kept_parts, root};
use crate::touches::{Seen, Split};
use crate::tracer::{CpuOptions, CpuTracer, Encoding, name};
use rayon::prelude::*;
use raywarp_geom::{Aabb, Affine};
use raywarp_layout::{BLOCK, BoxesCost, LayoutError, Line, RecordFault, Wide8, Wide8Boxes, Wide8Node};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the tree for lanes of a tracer, if it is one.
pub fn kept_tree(tracer: &CpuTracer) -> Option<&Wide8> {
    tracer.wide8()
}

/// Makes the tracer of a tree over `count` triangles that was kept, of the memory of one ([`Wide8::from_lines`]). `ids`
/// returns the ids of the triangles, while the memory is checked.
///
/// # Errors
/// [`LayoutError::BadRecord`] if it is none, or lacks a triangle.
pub fn tracer_of_kept(
    lines: Vec<Line>,
    counts: [usize; 2],
    bounds: Aabb,
    count: usize,
    ids: impl FnOnce() -> Ids + Send,
) -> Result<CpuTracer, LayoutError> {
    let mut marks: Vec<AtomicBool> = (0..count).map(|_| AtomicBool::new(false)).collect();
    let mark = |triangle: u32| {
        if let Some(mark) = marks.get(triangle as usize) {
            mark.store(true, Ordering::Relaxed);
        }
    };
    let (checked, ids) = rayon::join(|| Wide8::from_lines(lines, counts, bounds, count, mark), ids);
    let (tree, used) = checked?;
    // To the end, without branches.
    let all_there = marks.iter_mut().fold(true, |all, mark| all & *mark.get_mut());
    if ids.len() != count || !all_there {
        return Err(LayoutError::BadRecord { record: 0, fault: RecordFault::Unreached });
    }
    // Each once, unless more slots are used than there are triangles.
    let split = if used > count { repeats(&tree, count) } else { Split::default() };
    let options = CpuOptions::default();
    let (isa, name) = (options.isa, name(&options));
    Ok(CpuTracer { encoding: Encoding::Wide8(tree), ids, split, isa, name })
}

/// Returns the triangles that stand in several leaves of a tree of `count`.
fn repeats(tree: &Wide8, count: usize) -> Split {
    let mut seen = Seen::new(count);
    for block in tree.blocks() {
        (0..BLOCK).filter_map(|slot| block.index(slot)).for_each(|triangle| seen.add(triangle));
    }
    seen.split()
}

/// Tree over the placements of a scene of two levels, as it is kept.
#[derive(Debug, Clone)]
pub struct KeptTop {
    /// Nodes of the tree, the root first.
    pub nodes: Vec<Wide8Node>,
    /// Words of the items in its leaves ([`Wide8Boxes::words`]): placements, and behind the last of them parts.
    pub items: Vec<u32>,
    /// Parts of placements that are opened: placement, and child reference in its tree ([`LevelsTracer::opened`]).
    pub parts: Vec<[u32; 2]>,
    /// Box around all.
    pub bounds: Aabb,
    /// Cost of the tree when it was built.
    pub built: BoxesCost,
}

impl LevelsTracer {
    /// Returns the tree over the placements, and its cost when it was built.
    pub fn top(&self) -> (&Wide8Boxes, BoxesCost) {
        (&self.top, self.built)
    }

    /// Returns the parts of placements that are opened, by index of the placement and child reference in its tree.
    pub fn opened(&self) -> impl ExactSizeIterator<Item = [u32; 2]> {
        self.parts.iter().map(|part| [part.placed, part.reference])
    }

    /// Returns the placements as they are kept: those that move, as they stand at time 0, within boxes of all times.
    pub fn kept(&self) -> impl Iterator<Item = KeptPlacement> {
        self.placed.iter().map(KeptPlacement::of)
    }

    /// Returns the indices of the placements that move, in order, and the maps of time 1.
    pub fn kept_ends(&self) -> impl Iterator<Item = (u32, Affine)> {
        (0..).zip(&self.placed).filter_map(|(index, placed)| Some((index, placed.motion.as_ref()?.end)))
    }

    /// Puts a scene together that was kept; what it is of is checked, and not worked out again but for what moves:
    /// `ends` has the indices of those, which grow, and their maps of time 1. O(placements), in parallel. `None` if it
    /// is none of a scene.
    ///
    /// # Panics
    /// If a placement names a tree that is not there, or a tree is [`CpuTree::Bvh2`](crate::CpuTree::Bvh2).
    pub fn of_kept(
        trees: Vec<Arc<CpuTracer>>,
        (placements, ends): (&[KeptPlacement], &[(u32, Affine)]),
        top: KeptTop,
    ) -> Option<Self> {
        let is_sorted = ends.is_sorted_by(|a, b| a.0 < b.0);
        if !is_sorted || ends.last().is_some_and(|(index, _)| *index as usize >= placements.len()) {
            return None;
        }
        let place = |(index, kept): (usize, &KeptPlacement)| {
            let root = root(&trees[kept.tree as usize]);
            match ends.binary_search_by_key(&index, |(index, _)| *index as usize) {
                Ok(at) => kept.moving(&root, &ends[at].1),
                Err(_) => kept.placed(&root),
            }
        };
        let placed = placements.par_iter().enumerate().with_min_len(256).map(place);
        let placed: Vec<Placed> = placed.collect::<Option<_>>()?;
        let KeptTop { nodes, items, parts, bounds, built } = top;
        let parts = kept_parts(&parts, &placed, &trees)?;
        let boxes = boxes(&placed, &parts);
        let top = Wide8Boxes::from_parts(nodes, items, bounds, boxes.len(), |item| boxes[item as usize]).ok()?;
        let deepest = deepest(&trees);
        Some(Self { trees, placed, parts, top, built, deepest, isa: CpuOptions::default().isa })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreePlacement;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_geom::{Affine64, FlatTriangles};

    fn tracer(count: usize) -> CpuTracer {
        let at = |i: usize| [i as f32, (i * i % 7) as f32, 0.5];
        let triangles = FlatTriangles::from_vertices((0..count).map(|i| [at(i), at(i + 1), [0.0, 1.0, 2.0]]).collect());
        CpuTracer::new(&build(&triangles, &BuildOptions::default()).unwrap(), &triangles).unwrap()
    }

    #[test]
    fn a_tree_without_one_of_its_triangles_is_refused() {
        let whole = tracer(20);
        let tree = kept_tree(&whole).unwrap();
        let kept = |count: u32| {
            let counts = [tree.nodes().len(), tree.blocks().len()];
            let ids = Ids::InOrder { instance: 0, count: count as usize };
            tracer_of_kept(tree.lines().to_vec(), counts, *tree.bounds(), count as usize, || ids)
        };
        assert_eq!(kept(20).unwrap().corners(), whole.corners());
        for count in [19, 21, 64, 100] {
            assert!(kept(count).is_err(), "{count}");
        }
    }

    #[test]
    fn placements_with_other_numbers_are_refused() {
        let trees = vec![Arc::new(tracer(20)), Arc::new(tracer(0))];
        let turned = Affine64::rotation(20.0, [1.0, 2.0, 3.0]);
        let maps = [(0, Affine64::IDENTITY), (0, turned), (1, Affine64::IDENTITY), (1, turned)];
        let placements: Vec<TreePlacement> =
            (0..).zip(maps).map(|(base, (tree, transform))| TreePlacement::still(tree, transform, base)).collect();
        let scene = LevelsTracer::new(trees.clone(), &placements).unwrap();
        let kept: Vec<KeptPlacement> = scene.kept().collect();
        let (top, built) = scene.top();
        let again = |kept: &[KeptPlacement]| {
            let (nodes, items) = (top.nodes().to_vec(), top.words().to_vec());
            let parts = scene.opened().collect();
            let top = KeptTop { nodes, items, parts, bounds: *top.bounds(), built };
            LevelsTracer::of_kept(trees.clone(), (kept, &[]), top)
        };
        assert!(again(&kept).is_some_and(|again| again.kept().eq(kept.iter().copied())));
        for (index, placement) in kept.iter().enumerate() {
            let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(placement));
            // All but the tree and the base; those after the words in f64.
            for word in (0..words.len() - 2).filter(|word| *word >= 28 || word % 2 == 1) {
                let mut words = words.to_vec();
                // A NaN in f32, and with any lower half in f64.
                words[word] = 0x7fff_ffff;
                let mut kept = kept.clone();
                kept[index] = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&words));
                assert!(again(&kept).is_none(), "word {word} of placement {index}");
            }
            for other in kept.iter().filter(|other| placement.tree != other.tree) {
                let (mut kept, mut changed) = (kept.clone(), *other);
                changed.tree = placement.tree;
                kept[index] = changed;
                assert!(again(&kept).is_none(), "a tree at the place of another");
            }
        }
    }

    #[test]
    fn what_moves_is_worked_out_again_and_has_to_be_what_was_kept() {
        let trees = vec![Arc::new(tracer(20)), Arc::new(tracer(0))];
        let turned = |degrees: f64| Affine64::rotation(degrees, [1.0, 2.0, 3.0]);
        let moving = |tree, ends: [Affine64; 2], base| TreePlacement {
            end: Some(ends[1]),
            ..TreePlacement::still(tree, ends[0], base)
        };
        let placements = [
            moving(0, [turned(10.0), turned(20.0)], 0),
            TreePlacement::still(0, turned(30.0), 1),
            moving(0, [Affine64::IDENTITY, turned(40.0)], 2),
            moving(1, [turned(50.0), Affine64::IDENTITY], 3),
        ];
        let scene = LevelsTracer::new(trees.clone(), &placements).unwrap();
        let (kept, ends): (Vec<_>, Vec<_>) = (scene.kept().collect(), scene.kept_ends().collect());
        assert_eq!(ends.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 2, 3]);
        let (top, built) = scene.top();
        let again = |kept: &[KeptPlacement], ends: &[(u32, Affine)]| {
            let (nodes, items) = (top.nodes().to_vec(), top.words().to_vec());
            let parts = scene.opened().collect();
            let top = KeptTop { nodes, items, parts, bounds: *top.bounds(), built };
            LevelsTracer::of_kept(trees.clone(), (kept, ends), top)
        };
        let same = again(&kept, &ends).unwrap();
        assert!(same.kept().eq(kept.iter().copied()) && same.kept_ends().eq(ends.iter().copied()));
        // Any other bit of a placement that moves is not what comes out.
        for &(index, _) in &ends {
            let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&kept[index as usize]));
            // But for the sign of a zero in the map, of which the same numbers come out.
            let is_sign = |bit: usize| (28..40).contains(&(bit / 32)) && bit % 32 == 31 && words[bit / 32] == 0;
            for bit in (0..32 * (words.len() - 2)).filter(|bit| !is_sign(*bit)) {
                let (mut words, mut kept) = (words.to_vec(), kept.clone());
                words[bit / 32] ^= 1 << (bit % 32);
                kept[index as usize] = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&words));
                assert!(again(&kept, &ends).is_none(), "bit {bit} of placement {index}");
            }
        }
        type Ends = Vec<(u32, Affine)>;
        let other = |change: &dyn Fn(&mut Ends)| {
            let mut ends = ends.clone();
            change(&mut ends);
            again(&kept, &ends).is_none()
        };
        assert!(
            other(&|ends| ends.swap(0, 1))
                && other(&|ends| ends.swap(0, 2))
                && other(&|ends| ends[1].0 = 0)
                && other(&|ends| ends[2].0 = 4)
        );
        assert!(other(&|ends| ends[0].1 = Affine::scale([1.0, 0.0, 1.0])));
        assert!(other(&|ends| ends[0].1.rows[0][3] += 1.0));
        // Told twice.
        assert!(other(&|ends| ends.insert(1, ends[0])) && other(&|ends| ends.push(ends[2])));
        // To where it is already: nothing moves.
        assert!(other(&|ends| ends.insert(1, (1, kept[1].map()))));
    }
}
