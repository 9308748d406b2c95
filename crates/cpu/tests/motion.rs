//! Scenes that move answer at any time as the scene that stands still where it is then, bit for bit.

use crate::common::{Engine, all_hits, check_single, soup, tree};
use crate::levels::{Scene, aimed, transform};
use raywarp_cpu::{Blocked, CpuTracer, LevelsAt, LevelsTracer, PlacementError, TreePlacement};
use raywarp_geom::{Aabb, Affine, Affine64, FlatTriangles, Hit, HitKey, PrimitiveId, Ray, Tracer};
use raywarp_testing::{Random, cases};
use std::ops::ControlFlow;
use std::sync::Arc;

impl Engine for LevelsAt<'_> {
    fn batches(&self) -> &dyn Tracer {
        unreachable!("rays at a time are asked one by one")
    }

    fn closest_one(&self, ray: &Ray, _: HitKey) -> Option<(Hit, u32)> {
        self.closest(ray, None)
    }

    fn any_one(&self, ray: &Ray, _: HitKey) -> Blocked {
        self.any(ray, None)
    }

    fn visit_one(&self, ray: &Ray, receive: &mut dyn FnMut(&Hit, u32) -> ControlFlow<()>) -> ControlFlow<()> {
        self.visit(ray, None, &mut |touch| receive(&touch.hit, touch.instance))
    }
}

/// Every instruction set at each time against every triangle where it is then; returns the number of hits.
#[track_caller]
pub fn check(scene: &Scene, times: &[f32], random: &mut Random, [count, size]: [usize; 2]) -> usize {
    let tracers = scene.tracers();
    let mut hits = 0;
    for &time in times {
        let flat = scene.flat_at(time);
        let mut rays = Vec::new();
        // Also to where things are not at this time.
        for (flat, count) in [(&flat, count), (&scene.flat(), count / 4)] {
            if !flat.is_empty() {
                rays.extend(aimed(flat, random, count, size as f32));
            }
        }
        let expected: Vec<_> = rays.iter().map(|ray| all_hits(&flat, ray)).collect();
        hits += expected.iter().map(Vec::len).sum::<usize>();
        for (name, tracer) in &tracers {
            check_single(&format!("{name} at {time}"), &tracer.at(time), &rays, &[], &expected);
        }
        check_points(&tracers, time, &flat, &rays);
    }
    hits
}

/// Nearest points and boxes of every instruction set at a time against the flattened scene.
#[track_caller]
fn check_points(tracers: &[(String, LevelsTracer)], time: f32, flat: &FlatTriangles, rays: &[Ray]) {
    let flat = CpuTracer::new(&tree(flat, 4), flat).unwrap();
    for point in rays.iter().map(|ray| ray.at(0.75)) {
        let around = Aabb { min: point.map(|x| x - 0.25), max: point.map(|x| x + 0.25) };
        let nearest = flat.nearest_one(point, f32::INFINITY);
        let mut ids = Vec::new();
        let _ = flat.overlaps(&around, |id| push(&mut ids, id));
        ids.sort_unstable();
        for (name, tracer) in tracers {
            let (at, mut found) = (tracer.at(time), Vec::new());
            assert_eq!(at.nearest_where(point, f32::INFINITY, None), nearest, "{name} at {time}: {point:?}");
            let _ = at.overlaps(&around, |id| push(&mut found, id));
            found.sort_unstable();
            assert_eq!(found, ids, "{name} at {time}: {point:?}");
        }
    }
}

fn push(ids: &mut Vec<PrimitiveId>, id: PrimitiveId) -> ControlFlow<()> {
    ids.push(id);
    ControlFlow::Continue(())
}

/// Placements of which two thirds move between random transforms, and some from or to the identity.
fn moving(random: &mut Random, count: u32, shift: f32) -> Scene {
    let trees = vec![soup(60, 0.4, 3), soup(9, 1.5, 4), FlatTriangles::default()];
    let mut scene = Scene::new(trees, (0..count).map(|i| (i % 3, transform(random, shift))));
    for (i, placement) in scene.placements.iter_mut().enumerate() {
        let to = transform(random, shift);
        match i % 8 {
            0 | 1 | 3 | 4 => placement.end = Some(to),
            // A small move, as within a shutter's time.
            2 => placement.end = Some(Affine64::translation([0.01, 0.02, -0.01]).after(&placement.transform)),
            5 => (placement.transform, placement.end) = (Affine64::IDENTITY, Some(to)),
            6 => placement.end = Some(Affine64::IDENTITY),
            _ => {}
        }
    }
    scene
}

const TIMES: [f32; 9] = [0.0, 1e-30, 1e-3, 0.25, 0.333_333_34, 0.5, 0.77, 0.999_999_94, 1.0];

#[test]
fn placements_that_turn_shear_scale_mirror_and_shift_are_where_their_map_has_them() {
    let mut random = Random::new(21);
    let mut hits = 0;
    for shift in [0.0, 2.0, 1e3, 1e6] {
        let scene = moving(&mut random, 24, shift);
        hits += check(&scene, &TIMES, &mut random, [40, 3]);
    }
    assert!(hits > 2000, "{hits}");
}

#[test]
fn rays_from_far_off_see_what_moves() {
    let mut random = Random::new(22);
    for size in [100, 100_000, 100_000_000] {
        let scene = moving(&mut random, 9, 2.0);
        check(&scene, &[0.1, 0.6, random.point()[0].abs()], &mut random, [cases(40), size]);
    }
}

#[test]
fn a_shift_across_many_times_its_size_is_seen_all_along_its_way() {
    let mut random = Random::new(23);
    for way in [1.0, 1e4, 3e7] {
        let to = Affine64::translation([way, -0.3 * way, 0.1 * way]);
        let mut scene = Scene::new(vec![soup(40, 0.3, 5)], [(0, Affine64::IDENTITY)]);
        scene.placements[0].end = Some(to);
        let times: Vec<f32> = (0..25).map(|_| random.point()[0].abs()).collect();
        assert!(check(&scene, &times, &mut random, [12, 2]) > 100, "{way}");
    }
}

#[test]
fn what_turns_by_half_a_turn_is_not_seen_while_it_is_flat_and_by_every_triangle_around_that() {
    let mut random = Random::new(24);
    let mut scene =
        Scene::new(vec![soup(60, 0.5, 3), soup(30, 0.5, 4)], [(0, Affine64::IDENTITY), (1, Affine64::IDENTITY)]);
    // In binary fractions, so that it is flat exactly at 0.5.
    let turned = Affine64 { rows: [[-1.0, 0.0, 0.0, 0.25], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
    scene.placements[0].end = Some(turned);
    // Turned inside out, through scales below what boxes are walked at.
    scene.placements[1].transform = Affine64::scale([1.0, 1.0, 1e-10]);
    scene.placements[1].end = Some(Affine64::scale([1.0, 1.0, -1e-10]));
    let mut times: Vec<f32> = vec![0.5, 0.25, 0.75];
    for step in [1, 2, 1 << 8, 1 << 16, 1 << 20] {
        times.extend([f32::from_bits(0.5f32.to_bits() + step), f32::from_bits(0.5f32.to_bits() - step)]);
    }
    assert!(check(&scene, &times, &mut random, [60, 2]) > 300);
    assert_eq!(scene.flat_at(0.5).len(), 0);
}

#[test]
fn times_beyond_both_ends_are_the_ends_and_no_time_is_the_first() {
    let mut random = Random::new(25);
    let scene = moving(&mut random, 12, 2.0);
    let rays = aimed(&scene.flat(), &mut random, 200, 3.0);
    let (_, tracer) = scene.tracers().swap_remove(0);
    for ray in &rays {
        let at = |time| tracer.at(time).closest(ray, None);
        let first = tracer.closest_one(ray, HitKey::START);
        for time in [0.0, -0.0, -1.0, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(at(time), first, "{time}");
        }
        assert_eq!((at(1.5), at(f32::INFINITY)), (at(1.0), at(1.0)));
    }
}

#[test]
fn ends_that_cannot_be_placed_are_refused() {
    let (_, tracer) = Scene::new(vec![soup(5, 0.5, 1)], []).tracers().swap_remove(0);
    let tree = &tracer.trees()[0];
    let between = |start: Affine64, end: Affine64| {
        LevelsTracer::check(tree, &TreePlacement { end: Some(end), ..TreePlacement::still(0, start, 0) })
    };
    let flat = Affine64::scale([1.0, 0.0, 1.0]);
    let far = |x: f64| Affine64::translation([x, 0.0, 0.0]);
    assert_eq!(between(far(0.0), flat), Err(PlacementError::Singular));
    assert_eq!(between(flat, far(0.0)), Err(PlacementError::Singular));
    assert_eq!(between(far(0.0), Affine64::scale([1.0, 1.0, 1e-16])), Err(PlacementError::IllConditioned));
    assert_eq!(between(far(0.0), far(1e39)), Err(PlacementError::NotFinite));
    assert_eq!(between(far(-3e38), far(3e38)), Err(PlacementError::NotFinite));
    assert_eq!(between(far(-1e38), far(1e38)), Ok(()));
    // By maps that are the same in f32 nothing moves.
    let still = TreePlacement { end: Some(far(1e-9)), ..TreePlacement::still(0, far(1.0), 0) };
    let scene = LevelsTracer::new(vec![tree.clone()], &[TreePlacement { end: Some(far(1.0 + 1e-9)), ..still }]);
    assert!(!scene.unwrap().moves());
    let scene = LevelsTracer::new(vec![Arc::clone(tree)], &[still]).unwrap();
    assert!(
        scene.moves() && scene.placement(0).end.map(|end| end.rounded()) == Some(Affine::translation([1e-9, 0.0, 0.0]))
    );
}
