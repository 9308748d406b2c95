//! Points, boxes and lines of sight that leave something out, beside every triangle by itself; and at any time beside
//! the scene that stands still there.

use super::moving::{Model, TIMES};
use super::*;
use raywarp_geom::{Aabb, PrimitiveId};
use raywarp_testing::{Random, cases};

/// Triangle where it stands, its id, and its placement's mask.
type Alone = ([[f32; 3]; 3], PrimitiveId, u32);

/// Two meshes of a few triangles, each placed by maps that turn and mirror, with a mask; all triangles one by one.
fn placed(random: &mut Random, levels: Levels) -> (Scene, Vec<Alone>) {
    let soup =
        |random: &mut Random, count: usize| -> Vec<[f32; 3]> { (0..3 * count).map(|_| random.point()).collect() };
    let (meshes, mut all) = ([soup(random, 7), soup(random, 4)], Vec::new());
    let mut builder = Scene::builder();
    let ids = [0, 1].map(|mesh: usize| builder.mesh(&meshes[mesh], Indices::IN_ORDER));
    for instance in 0..6u32 {
        let (mesh, mask) = (instance as usize % 2, 1 + instance % 3);
        let turn = Affine64::rotation(180.0 * f64::from(random.point()[0]), random.point().map(f64::from));
        let scale = Affine64::scale([1.0, 1.5, if instance > 3 { -0.5 } else { 1.0 }]);
        let shift = Affine64::translation(random.point().map(f64::from));
        // The same place twice: of equally near ones the lower number answers.
        let map = if instance == 5 { Affine64::IDENTITY } else { shift.after(&turn).after(&scale) };
        // What is said to move has a tree; the other mesh's placements are in one tree, in the world.
        match (levels, mesh) {
            (Levels::Auto, 1) => builder.moving(ids[mesh], [map; 2], mask, 10 * instance),
            _ => builder.instance(ids[mesh], map, mask, 10 * instance),
        };
        let rounded = map.rounded();
        for (primitive, corners) in (0..).zip(meshes[mesh].as_chunks::<3>().0) {
            all.push((corners.map(|p| rounded.point(p)), PrimitiveId { instance, primitive }, mask));
        }
    }
    (built(builder, levels), all)
}

/// The nearest of triangles that `counts` takes, each asked by itself in a scene of its own.
fn nearest_of_each(
    alone: &[(Scene, Alone)],
    point: [f32; 3],
    counts: impl Fn(&SurfaceHit, u32) -> bool,
) -> Option<Nearest> {
    let of_each = |(scene, (_, id, mask)): &(Scene, Alone)| {
        let PrimitiveId { instance, primitive } = *id;
        let found = Nearest { instance, primitive, user: 10 * instance, ..scene.nearest(point, f32::INFINITY)? };
        let Nearest { distance: t, u, v, user, .. } = found;
        counts(&SurfaceHit { t, u, v, instance, primitive, user }, *mask).then_some(found)
    };
    let key = |found: &Nearest| (found.distance, found.instance, found.primitive);
    alone.iter().filter_map(of_each).min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap())
}

#[test]
fn the_nearest_point_is_that_of_the_triangles_that_a_filter_lets_count() {
    let (mut answers, mut differ) = (0, 0);
    for (seed, levels) in
        (0..cases(6) as u64).flat_map(|seed| [Levels::One, Levels::Auto, Levels::Two].map(|levels| (seed, levels)))
    {
        let mut random = Random::new(seed);
        let (scene, all) = placed(&mut random, levels);
        let single = |alone: &Alone| (Scene::from_triangles(&alone.0, &[[0, 1, 2]]).unwrap(), *alone);
        let alone: Vec<_> = all.iter().map(single).collect();
        let corners: Vec<[f32; 3]> = all.iter().map(|(corners, ..)| corners[0]).collect();
        let mut points: Vec<[f32; 3]> = (0..150).map(|_| random.point().map(|x| 2.5 * x)).collect();
        points.extend(&corners[..20]);
        points[3] = [f32::NAN; 3];
        let inner = |hit: &SurfaceHit| hit.u > 0.1 && hit.v > 0.1 && hit.user != 20;
        for (mask, skip, is_inner) in [
            (u32::MAX, None, false),
            (2, None, false),
            (u32::MAX, Some((2, 3)), false),
            (1, Some((0, 0)), true),
            (8, None, true),
        ] {
            let mut filter = Filter::new().mask(mask).culling(Culling::Fronts).accept(&inner);
            let mut without = Filter::new().mask(mask).culling(Culling::Backs);
            if let Some((instance, primitive)) = skip {
                (filter, without) = (filter.skip(instance, primitive), without.skip(instance, primitive));
            }
            let counts = |hit: &SurfaceHit, of: u32| {
                (mask == u32::MAX || mask & of != 0)
                    && skip != Some((hit.instance, hit.primitive))
                    && (!is_inner || inner(hit))
            };
            let want: Vec<_> = points.iter().map(|&point| nearest_of_each(&alone, point, counts)).collect();
            let ask = |point, within| match is_inner {
                true => scene.with(filter).nearest(point, within),
                false => scene.with(without).nearest(point, within),
            };
            for (&point, want) in points.iter().zip(&want) {
                assert_eq!(ask(point, f32::INFINITY), *want, "{levels:?} {mask} {skip:?} {point:?}");
                if let Some(found) = want {
                    assert_eq!(ask(point, found.distance), *want);
                    differ += usize::from(scene.nearest(point, f32::INFINITY) != *want);
                    answers += 1;
                }
            }
            let (mut found, control) = (vec![None; points.len()], Control::default());
            let stats = match is_inner {
                true => scene.with(filter).nearest_batch(&points, f32::INFINITY, &mut found, &control),
                false => scene.with(without).nearest_batch(&points, f32::INFINITY, &mut found, &control),
            };
            assert_eq!(stats.map(|stats| (stats.rays, stats.invalid)), Ok((170, 1)));
            assert_eq!(found, want);
        }
        let length = BatchError::Length { asked: 170, found: 1 };
        let masked = scene.with(Filter::new().mask(1));
        assert_eq!(masked.nearest_batch(&points, 1.0, &mut [None], &Control::default()).map(drop), Err(length));
    }
    assert!(answers > cases(3000) && differ > cases(1000), "{answers} {differ}");
}

fn touching(scene: &Scene, around: &Aabb) -> Vec<PrimitiveId> {
    collected(|receive| scene.overlaps(around, receive))
}

fn collected(ask: impl FnOnce(&mut dyn FnMut(PrimitiveId) -> ControlFlow<()>) -> ControlFlow<()>) -> Vec<PrimitiveId> {
    let mut ids = Vec::new();
    let flow = ask(&mut |id| {
        ids.push(id);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    ids.sort_unstable();
    ids
}

#[test]
fn boxes_touch_what_a_filter_lets_count_and_no_closure_is_asked() {
    let mut told = 0;
    for levels in [Levels::One, Levels::Auto, Levels::Two] {
        let mut random = Random::new(5);
        let (scene, all) = placed(&mut random, levels);
        let asked = |_: &SurfaceHit| -> bool { panic!("asked of a box") };
        for _ in 0..100 {
            let point = random.point().map(|x| 2.0 * x);
            let around = Aabb { min: point.map(|x| x - 0.5), max: point.map(|x| x + 0.5) };
            let everything = touching(&scene, &around);
            for (mask, skip) in [(u32::MAX, (1, 2)), (2, (5, 0)), (1, (0, 1)), (0, (0, 0))] {
                let counts = |id: &PrimitiveId| {
                    let of = all.iter().find(|(_, of, _)| of == id).map_or(0, |(.., mask)| *mask);
                    (mask == u32::MAX || mask & of != 0) && skip != (id.instance, id.primitive)
                };
                let want: Vec<_> = everything.iter().copied().filter(counts).collect();
                let filter = Filter::new().mask(mask).skip(skip.0, skip.1).culling(Culling::Backs).accept(&asked);
                assert_eq!(collected(|receive| scene.with(filter).overlaps(&around, receive)), want, "{levels:?}");
                told += want.len();
                let first = scene.with(filter).overlaps(&around, |_| ControlFlow::Break(()));
                assert_eq!(first.is_break(), !want.is_empty());
            }
        }
    }
    assert!(told > 500, "{told}");
}

#[test]
fn at_any_time_points_and_boxes_are_answered_as_where_everything_stands_still_there() {
    let (mut near, mut told) = (0, 0);
    for seed in 0..cases(5) as u64 {
        let mut random = Random::new(seed);
        let model = Model::new(&mut random);
        let moving = [Levels::One, Levels::Auto, Levels::Two].map(|levels| model.built(levels));
        for time in TIMES {
            let still = [Levels::One, Levels::Two].map(|levels| model.still(time, levels));
            let points: Vec<[f32; 3]> = (0..60).map(|_| random.point().map(|x| 9.0 * x)).collect();
            let odd = |hit: &SurfaceHit| hit.primitive % 2 == 1;
            for mask in [u32::MAX, 0b10] {
                let filter = Filter::new().mask(mask);
                let (want, own) = (still[0].with(filter), still[1].with(filter.accept(&odd)));
                for scene in &moving {
                    let (got, accepted) = (scene.with(filter.time(time)), scene.with(filter.time(time).accept(&odd)));
                    let mut found = vec![None; points.len()];
                    got.nearest_batch(&points, 4.0, &mut found, &Control::default()).unwrap();
                    for (&point, found) in points.iter().zip(found) {
                        assert_eq!(got.nearest(point, 4.0), want.nearest(point, 4.0), "{time} {point:?}");
                        assert_eq!(found, got.nearest(point, 4.0));
                        assert_eq!(accepted.nearest(point, 4.0), own.nearest(point, 4.0), "{time} {point:?}");
                        near += usize::from(found.is_some());
                        let around = Aabb { min: point.map(|x| x - 2.0), max: point.map(|x| x + 2.0) };
                        let ids = collected(|receive| got.overlaps(&around, receive));
                        told += ids.len();
                        assert_eq!(ids, collected(|receive| want.overlaps(&around, receive)), "{time} {around:?}");
                    }
                }
            }
        }
    }
    assert!(near > cases(2000) && told > cases(10_000), "{near} {told}");
}

#[test]
fn points_and_boxes_do_not_see_what_is_flat_on_its_way_and_see_all_of_what_is_nearly() {
    // Half a turn, which is a line half way; and a scale through zero, whose inverse is not exact enough around it.
    let thin = |z: f64| Affine64::scale([1.0, 1.0, z]);
    for ends in [[Affine64::IDENTITY, Affine64::scale([-1.0, -1.0, 1.0])], [thin(1e-10), thin(-1e-10)]] {
        let mut builder = Scene::builder();
        let cube = builder.mesh(&CUBE, &CUBE_INDICES);
        builder.moving(cube, ends, u32::MAX, 0);
        let scene = built(builder, Levels::Auto);
        let around = Aabb { min: [-0.5; 3], max: [0.5; 3] };
        let seen = |time: f32| {
            let at = scene.with(Filter::new().time(time));
            let touched = at.overlaps(&around, |_| ControlFlow::Break(())).is_break();
            (at.nearest([-0.25, -0.25, 0.0], 9.0).is_some(), touched)
        };
        assert_eq!(seen(0.5), (false, false));
        assert_eq!([0.5f32.next_down(), 0.5f32.next_up()].map(seen), [(true, true); 2]);
    }
}

#[test]
fn lines_of_sight_go_by_filters() {
    let ends = |z: f32| End::Point([0.25, 0.25, z]);
    for levels in [Levels::One, Levels::Two] {
        let mut builder = Scene::builder();
        let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
        let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
        for (z, mask) in [(1.0, 0b01), (2.0, 0b10), (3.0, 0b11)] {
            builder.instance(sheet, up(z), mask, 0);
        }
        if levels == Levels::Two {
            builder.moving(sheet, [up(9.0), up(2.5)], 0b100, 0);
        }
        let scene = built(builder, levels);
        let sees = |filter, a, b| scene.with(filter).visible(a, b);
        assert!(
            sees(Filter::new().mask(0b10), ends(0.0), ends(1.5))
                && !sees(Filter::new().mask(0b01), ends(0.0), ends(1.5))
        );
        assert!(
            sees(Filter::new().skip(1, 0), ends(1.5), ends(2.25))
                && !sees(Filter::new().skip(1, 1), ends(1.5), ends(2.25))
        );
        // Seen from above the sheet turns its front, from below its back.
        let (backs, fronts) = (Filter::new().culling(Culling::Backs), Filter::new().culling(Culling::Fronts));
        assert!(sees(backs, ends(0.5), ends(1.5)) && !sees(backs, ends(1.5), ends(0.5)));
        assert!(!sees(fronts, ends(0.5), ends(1.5)) && sees(fronts, ends(1.5), ends(0.5)));
        // A surface at an end does not count, and what the filter says still does between.
        let on = |instance: u32| End::On { position: [0.25, 0.25, 1.0 + instance as f32], instance, primitive: 0 };
        let none = |_: &SurfaceHit| false;
        assert!(!sees(Filter::new(), on(0), on(2)) && sees(Filter::new().skip(1, 0), on(0), on(2)));
        assert!(sees(Filter::new().mask(0b01), on(0), on(2)) && !sees(Filter::new().mask(0b10), on(0), on(2)));
        assert!(scene.with(Filter::new().accept(&none)).visible(on(0), ends(9.0)));
        assert_eq!(sees(Filter::new().mask(0b100).time(1.0), ends(2.25), ends(2.75)), levels == Levels::One);
        assert_eq!(sees(Filter::new().mask(0b100).time(1.0), on(1), ends(2.75)), levels == Levels::One);
        assert!(
            sees(Filter::new().mask(0b100).time(0.5), ends(2.25), ends(2.75)) && scene.visible(ends(2.25), ends(2.75))
        );
        assert!(
            !sees(Filter::new().time(1.0), End::Point([f32::NAN; 3]), ends(0.0)) && sees(backs, ends(1.0), ends(1.0))
        );
        assert_eq!(sees(Filter::new().time(1.0), ends(2.25), ends(2.75)), levels == Levels::One);
    }
}
