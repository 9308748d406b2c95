//! Scenes whose placements overlap, so that some are opened, answer as the flattened scene does, bit for bit.

use crate::common::{all_hits, check_engines, check_single, soup};
use crate::levels::{Scene, aimed, transform};
use crate::{crossings, motion, nearest, overlaps};
use raywarp_bvh::{BuildOptions, build};
use raywarp_cpu::{CpuTracer, KeptPlacement, KeptTop, LevelsEdit, LevelsTracer, TreePlacement};
use raywarp_geom::{Affine64, FlatTriangles, PrimitiveId};
use raywarp_testing::{Random, cases};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A transform that takes boxes to boxes: it mirrors, turns by quarters, scales by axis, and shifts by up to `shift`.
fn straight(random: &mut Random, shift: f32) -> Affine64 {
    let (turn, at) = (random.below(3), random.point());
    let mut map = Affine64::IDENTITY;
    for axis in 0..3 {
        map.rows[axis] = [0.0; 4];
        let scale = f64::from(random.point()[0].exp2());
        map.rows[axis][(axis + turn) % 3] = if random.unit() < 0.3 { -scale } else { scale };
        map.rows[axis][3] = f64::from(shift * at[axis]);
    }
    map
}

/// Placements that overlap: most by straight maps, some by the identity, some turned, some of nothing.
fn overlapping(random: &mut Random, count: u32, shift: f32) -> Scene {
    let trees = vec![soup(150, 0.4, 3), soup(60, 1.5, 4), FlatTriangles::default()];
    let map = |i: u32, random: &mut Random| match i % 7 {
        0 => Affine64::IDENTITY,
        3 => transform(random, shift),
        _ => straight(random, shift),
    };
    Scene::new(trees, (0..count).map(|i| (i * i % 3 + i / 9 % 2, map(i, random))))
}

/// Returns the placements of which parts are in the tree over them.
fn opened(tracer: &LevelsTracer) -> BTreeSet<u32> {
    tracer.opened().map(|[placed, _]| placed).collect()
}

#[test]
fn rays_hit_what_is_opened_as_they_hit_the_flattened_scene() {
    let mut random = Random::new(41);
    for shift in [0.0, 1.0, 3.0, 1e3] {
        let scene = overlapping(&mut random, 16, shift);
        let (flat, tracers) = (scene.flat(), scene.tracers());
        // Far apart nothing overlaps.
        assert!(shift > 100.0 || tracers.iter().all(|(_, tracer)| opened(tracer).len() > 3), "{shift}");
        assert!(shift < 100.0 || tracers.iter().all(|(_, tracer)| opened(tracer).is_empty()), "{shift}");
        check_engines(&flat, &aimed(&flat, &mut random, cases(150), 3.0), &tracers);
    }
}

#[test]
fn meshes_far_from_their_own_origin_are_opened_and_lose_no_hit() {
    let mut random = Random::new(42);
    for offset in [1e2f32, 1e5] {
        let mut far = soup(150, 0.3, 9);
        far.vertices.iter_mut().flatten().for_each(|p| p[0] += offset);
        let back = Affine64::translation([-f64::from(offset), 0.0, 0.0]);
        let scene = Scene::new(vec![far], (0..8).map(|_| (0, straight(&mut random, 1.0).after(&back))));
        let (flat, tracers) = (scene.flat(), scene.tracers());
        assert!(tracers.iter().all(|(_, tracer)| opened(tracer).len() > 3));
        for size in [2.0, 1e4, 1e8] {
            check_engines(&flat, &aimed(&flat, &mut random, cases(60), size), &tracers);
        }
    }
}

#[test]
fn points_boxes_and_crossings_find_what_is_opened() {
    let mut random = Random::new(43);
    for shift in [0.5, 2.0] {
        let scene = overlapping(&mut random, 10, shift);
        let (flat, tracers) = (scene.flat(), scene.tracers());
        assert!(tracers.iter().all(|(_, tracer)| opened(tracer).len() > 2));
        nearest::check_levels(&scene, &nearest::points(&flat, &mut random, cases(90), 2.0));
        let engines: Vec<_> =
            tracers.iter().map(|(name, tracer)| (name.clone(), tracer as &dyn overlaps::Touching)).collect();
        overlaps::check(&flat, &overlaps::boxes(&flat, &mut random, cases(60), 1.5), &engines);
        for ray in aimed(&flat, &mut random, cases(150), 3.0) {
            let want = crossings::expected(&flat, &ray);
            for (name, tracer) in &tracers {
                assert_eq!(crossings::of_levels(tracer, &ray), want, "{name}: {ray:?}");
            }
        }
    }
}

#[test]
fn what_moves_is_whole_among_what_is_opened() {
    let mut random = Random::new(44);
    let mut scene = overlapping(&mut random, 16, 1.0);
    for placement in scene.placements.iter_mut().step_by(3) {
        placement.end = Some(Affine64::translation([0.5, -0.25, 1.0]).after(&placement.transform));
    }
    for (_, tracer) in scene.tracers() {
        assert!(opened(&tracer).len() > 3 && opened(&tracer).iter().all(|placed| placed % 3 != 0));
    }
    assert!(motion::check(&scene, &[0.0, 0.3, 1.0], &mut random, [cases(60), 3]) > 100);
}

/// Trees of one instance each.
fn trees() -> (Vec<FlatTriangles>, Vec<Arc<CpuTracer>>) {
    let of_one = |mut triangles: FlatTriangles| {
        let ids = 0..triangles.len() as u32;
        triangles.ids = ids.map(|primitive| PrimitiveId { instance: 0, primitive }).collect();
        triangles
    };
    let meshes: Vec<_> = [soup(150, 0.4, 3), soup(80, 1.0, 5)].into_iter().map(of_one).collect();
    let tree = |triangles: &FlatTriangles| {
        Arc::new(CpuTracer::new(&build(triangles, &BuildOptions::default()).unwrap(), triangles).unwrap())
    };
    let made = meshes.iter().map(tree).collect();
    (meshes, made)
}

#[test]
fn edits_close_what_they_place_and_follow_what_they_remove() {
    let mut random = Random::new(45);
    let (meshes, trees) = trees();
    let at = |i: u32, random: &mut Random| TreePlacement::still(i % 2, straight(random, 1.0), i);
    let mut scene = Scene::new(meshes, []);
    scene.placements = (0..60).map(|i| at(i, &mut random)).collect();
    let mut tracer = LevelsTracer::new(trees, &scene.placements).unwrap();
    let (mut before, mut closed, mut followed) = (opened(&tracer), 0, 0);
    assert!(before.len() > 7, "{before:?}");
    for round in 0..40 {
        let kept = tracer.clone();
        let flat_before = scene.flat();
        let mut edit = LevelsEdit::new(tracer);
        match round % 4 {
            // Some move, opened or not.
            0 | 1 => {
                let mut some = || {
                    let index = random.below(scene.placements.len()) as u32;
                    at(index, &mut random)
                };
                let places: Vec<_> = (0..1 + round % 2).map(|_| some()).collect();
                assert!(edit.place(&places).is_empty());
                for place in places {
                    closed += usize::from(before.remove(&place.base));
                    scene.placements[place.base as usize] = place;
                }
            }
            2 => {
                let gone = random.below(scene.placements.len()) as u32;
                edit.retain(|index| index != gone as usize);
                scene.placements.remove(gone as usize);
                scene.placements.iter_mut().zip(0..).for_each(|(placement, base)| placement.base = base);
                followed += before.iter().filter(|&&placed| placed > gone).count();
                before = before.iter().filter(|&&i| i != gone).map(|&i| i - u32::from(i > gone)).collect();
            }
            _ => {
                let count = scene.placements.len();
                let place = at(count as u32, &mut random);
                edit.resize(count + 1);
                assert!(edit.place(&[place]).is_empty());
                scene.placements.push(place);
            }
        }
        tracer = edit.finish().unwrap();
        assert_eq!(opened(&tracer), before, "round {round}");
        let flat = scene.flat();
        for (flat, tracer) in [(&flat, &tracer), (&flat_before, &kept)] {
            let rays = aimed(flat, &mut random, cases(40), 3.0);
            let expected: Vec<_> = rays.iter().map(|ray| all_hits(flat, ray)).collect();
            check_single(&format!("round {round}"), tracer, &rays, &[], &expected);
        }
    }
    assert!(closed > 2 && followed > 3 && !before.is_empty(), "{closed} {followed} {before:?}");
}

#[test]
fn what_is_opened_is_kept_and_parts_that_are_no_cut_through_a_tree_are_refused() {
    let mut random = Random::new(46);
    let (_, trees) = trees();
    let places: Vec<_> = (0..12).map(|i| TreePlacement::still(i % 2, straight(&mut random, 1.0), i)).collect();
    let tracer = LevelsTracer::new(trees.clone(), &places).unwrap();
    let parts: Vec<[u32; 2]> = tracer.opened().collect();
    let placed: Vec<KeptPlacement> = tracer.kept().collect();
    let again = |parts: &[[u32; 2]]| {
        let (top, built) = tracer.top();
        let (nodes, items) = (top.nodes().to_vec(), top.words().to_vec());
        let top = KeptTop { nodes, items, parts: parts.to_vec(), bounds: *top.bounds(), built };
        LevelsTracer::of_kept(trees.clone(), (&placed, &[]), top)
    };
    let same = again(&parts).unwrap();
    assert!(same.opened().eq(parts.iter().copied()) && same.bytes() == tracer.bytes() && parts.len() > 50);
    type Damage<'a> = (&'a str, &'a dyn Fn(&mut Vec<[u32; 2]>));
    let damages: [Damage<'_>; 9] = [
        ("a part less", &|parts| _ = parts.pop()),
        ("a part twice", &|parts| parts.push(parts[parts.len() - 1])),
        ("another order", &|parts| parts.swap(3, 4)),
        ("a part that is none", &|parts| parts[9][1] += 1),
        ("a leaf for a node", &|parts| parts[9][1] ^= 1 << 31),
        ("the root", &|parts| parts[0][1] = 0),
        ("one beyond the tree", &|parts| parts[9][1] = u32::MAX),
        ("one of a placement that is not there", &|parts| parts.push([12, parts[0][1]])),
        ("those of another placement", &|parts| parts.iter_mut().for_each(|part| part[0] ^= 1)),
    ];
    for (what, damage) in damages {
        let mut parts = parts.clone();
        damage(&mut parts);
        assert!(again(&parts).is_none(), "{what} went unnoticed");
    }
    assert!(again(&[]).is_none(), "items without parts");
}
