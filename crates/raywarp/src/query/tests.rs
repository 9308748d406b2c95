//! Questions of scenes, of one level and of two.

mod batches;
mod closed;
mod custom;
mod filtered_points;
mod moving;

use super::*;
#[cfg(feature = "cuda")]
use crate::device::{Amount, DeviceChoice, PlanReason, PlannedDevice, rays_worth_a_gpu};
use raywarp_geom::{Affine, Affine64, Control, MeshError, Ray};
use std::ops::ControlFlow;

const SHEET: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
const SHEET_INDICES: [[u32; 3]; 2] = [[0, 1, 2], [1, 3, 2]];
const AHEAD: Ray = Ray { origin: [0.2, 0.2, 0.0], t_min: 0.0, direction: [0.0, 0.0, 1.0], t_max: f32::INFINITY };

fn options(levels: Levels) -> SceneOptions {
    SceneOptions { levels, ..SceneOptions::default() }
}

fn built(builder: SceneBuilder<'_>, levels: Levels) -> Scene {
    builder.build(&options(levels), &Control::default()).unwrap()
}

/// Sheets at these heights, each its own placement.
fn sheets(heights: &[f64], levels: Levels) -> Scene {
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    for (i, &z) in heights.iter().enumerate() {
        builder.instance(sheet, Affine64::translation([0.0, 0.0, z]), u32::MAX, 10 + i as u32);
    }
    built(builder, levels)
}

#[test]
fn closest_any_and_all_agree_on_a_stack_of_sheets() {
    for levels in [Levels::Auto, Levels::One, Levels::Two] {
        let scene = sheets(&[3.0, 1.0, 2.0, 1.0], levels);
        let first = scene.closest(&AHEAD).unwrap();
        assert_eq!((first.t, first.instance, first.primitive, first.user), (1.0, 1, 0, 11));
        assert_eq!(first.position(&AHEAD), [0.2, 0.2, 1.0]);
        let all: Vec<_> = scene.all(&AHEAD).map(|h| ((h.t * 1e3).round(), h.instance)).collect();
        assert_eq!(all, [(1e3, 1), (1e3, 3), (2e3, 2), (3e3, 0)]);
        assert!(scene.any(&AHEAD) && !scene.any(&AHEAD.with_interval(1.5, 1.75)));
        assert!(scene.closest(&Ray { direction: [0.0, 0.0, -1.0], ..AHEAD }).is_none());
        let bounds = scene.bounds();
        assert!(bounds.min[2] <= 1.0 && bounds.min[2] > 0.99 && bounds.max[2] >= 3.0 && bounds.max[2] < 3.01);
    }
}

#[test]
fn batches_answer_as_single_rays_do() {
    let heights: Vec<f64> = (0..40).map(f64::from).collect();
    let rays: Vec<Ray> = (0..3000)
        .map(|i| {
            let [x, y, z] = [i % 13, i % 7, i % 41].map(|k| k as f32);
            let start = if i % 31 == 7 { f32::NAN } else { z - 0.5 };
            Ray::new([x / 10.0 - 0.1, y / 6.0, start], [0.0, 0.01, 1.0]).with_interval(0.0, (i % 5) as f32)
        })
        .collect();
    for levels in [Levels::One, Levels::Two] {
        let (scene, control) = (sheets(&heights, levels), Control::default());
        let (mut hits, mut blocked) = (vec![None; rays.len()], vec![false; rays.len()]);
        let stats = scene.closest_batch(&rays, &mut hits, &control).unwrap();
        assert_eq!((stats.rays, stats.invalid), (3000, 97));
        scene.any_batch(&rays, &mut blocked, &control).unwrap();
        let (starts, all) = scene.all_batch(&rays, &control).unwrap();
        assert_eq!((starts.len(), starts[3000]), (3001, all.len()));
        for (i, ray) in rays.iter().enumerate() {
            assert_eq!((hits[i], blocked[i]), (scene.closest(ray), scene.any(ray)));
            assert!(scene.all(ray).eq(all[starts[i]..starts[i + 1]].iter().copied()), "{ray:?}");
        }
        assert!(all.len() > 2000 && blocked.iter().any(|blocked| !blocked));
        let short = BatchError::Length { asked: 3000, found: 2 };
        assert_eq!(scene.closest_batch(&rays, &mut [None; 2], &control), Err(short.clone()));
        assert_eq!(scene.any_batch(&rays, &mut [false; 2], &control), Err(short));
    }
}

#[test]
fn groups_stand_in_groups_and_are_numbered_in_order() {
    let (one, two) = (groups(Levels::One), groups(Levels::Two));
    for scene in [&one, &two] {
        assert_eq!(scene.instance_count(), 1 + 2 * 4);
        // The second pair of the second placement of the pairs.
        let ray = Ray { origin: [0.2, 10.2, 0.0], ..AHEAD };
        let hits: Vec<_> = scene.all(&ray).map(|hit| (hit.t, hit.instance, hit.user)).collect();
        assert_eq!(hits, [(100.0, 5, 7), (101.0, 6, 7), (105.0, 7, 7), (106.0, 8, 7)]);
        assert_eq!(scene.instance_id(8), scene.instance_id(5));
        assert_ne!(scene.instance_id(4), scene.instance_id(5));
        assert_eq!(scene.instance_id(9), None);
    }
    let ray = Ray::new([3.0, 2.0, -7.0], [-0.02, 0.05, 1.0]);
    assert!(one.all(&ray).eq(two.all(&ray)));
}

fn groups(levels: Levels) -> Scene {
    let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let pair = builder.group(&[Placement::new(sheet, up(0.0)), Placement::new(sheet, up(1.0))]);
    let pairs = builder.group(&[Placement::new(pair, up(0.0)), Placement::new(pair, up(5.0))]);
    builder.instance(sheet, up(50.0), u32::MAX, 3);
    builder.instance(pairs, Affine64::translation([5.0, 0.0, 0.0]), u32::MAX, 5);
    builder.instance(pairs, Affine64::translation([0.0, 10.0, 100.0]), u32::MAX, 7);
    built(builder, levels)
}

#[test]
fn a_bad_scene_is_an_error_that_names_what_is_wrong() {
    let error = |fill: &dyn Fn(&mut SceneBuilder<'_>)| {
        [Levels::One, Levels::Two].map(|levels| {
            let mut builder = Scene::builder();
            fill(&mut builder);
            builder.build(&options(levels), &Control::default()).unwrap_err()
        })
    };
    const BAD: [[u32; 3]; 2] = [[0, 1, 2], [0, 1, 9]];
    for error in error(&|builder| {
        builder.mesh(&SHEET, &SHEET_INDICES);
        let bad = builder.mesh(&SHEET, &BAD);
        builder.instance(bad, Affine64::IDENTITY, u32::MAX, 0);
    }) {
        let want = MeshError::IndexOutOfRange { triangle: 1, index: 9, vertices: 4 };
        assert!(matches!(error, SceneError::Mesh { mesh: 1, source } if source == want));
    }
    const NAN: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, f32::NAN, 0.0], [f32::NAN; 3]];
    for error in error(&|builder| {
        let bad = builder.mesh(&NAN, &[[0, 1, 2]]);
        builder.instance(bad, Affine64::IDENTITY, u32::MAX, 0);
    }) {
        assert!(matches!(error, SceneError::Mesh { mesh: 0, source: MeshError::NotFinite { vertex: 2, .. } }));
    }
    let placed = |transform: Affine64| {
        error(&move |builder| {
            let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
            builder.instance(sheet, Affine64::IDENTITY, u32::MAX, 0);
            builder.instance(sheet, transform, u32::MAX, 0);
        })
    };
    for error in placed(Affine64::scale([1.0, 0.0, 1.0])) {
        assert!(matches!(error, SceneError::Singular { instance: 1 }), "{error:?}");
    }
    for transform in [Affine64::scale([f64::NAN; 3]), Affine64::translation([1e39, 0.0, 0.0])] {
        assert!(placed(transform).iter().all(|error| matches!(error, SceneError::NotFinite { instance: 1 })));
    }
    for error in error(&|builder| {
        let group = builder.group(&[Placement::new(GeometryId(1), Affine64::IDENTITY)]);
        builder.instance(group, Affine64::IDENTITY, u32::MAX, 0);
    }) {
        assert!(matches!(error, SceneError::NoMesh { placement: 0, mesh: 1 }));
    }
    // 1000^5 placements are counted, and not listed.
    for error in error(&|builder| {
        let mut part = builder.mesh(&SHEET, &SHEET_INDICES);
        for _ in 0..4 {
            part = builder.group(&[Placement::new(part, Affine64::IDENTITY); 1000]);
        }
        builder.instance(part, Affine64::IDENTITY, u32::MAX, 0);
    }) {
        assert!(matches!(error, SceneError::TooManyPlacements { found: 1_000_000_000_000, .. }));
    }
    for error in error(&|builder| {
        let mut part = builder.mesh(&SHEET, &SHEET_INDICES);
        for _ in 0..5 {
            part = builder.group(&[Placement::new(part, Affine64::IDENTITY)]);
        }
        builder.instance(part, Affine64::IDENTITY, u32::MAX, 0);
    }) {
        assert!(matches!(error, SceneError::TooDeep { group: 5 }), "{error:?}");
    }
}

#[test]
fn what_is_not_used_may_be_anything_and_nothing_is_no_hit() {
    const SPARE: [[f32; 3]; 5] = [SHEET[0], SHEET[1], SHEET[2], SHEET[3], [f32::NAN; 3]];
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SPARE, &SHEET_INDICES);
    // Never placed, so never looked at.
    builder.mesh(&SHEET, &[[7, 8, 9]]);
    builder.instance(sheet, Affine64::translation([0.0, 0.0, 1.0]), u32::MAX, 0);
    assert!(built(builder, Levels::Auto).any(&AHEAD));
    for levels in [Levels::One, Levels::Two] {
        let empty = built(Scene::builder(), levels);
        assert!(empty.closest(&AHEAD).is_none() && !empty.any(&AHEAD) && empty.bounds().is_empty());
        let mut builder = Scene::builder();
        let none = builder.mesh(&[[0.0f32; 3]; 0], &[[0u32; 3]; 0]);
        builder.instance(none, Affine64::IDENTITY, u32::MAX, 0);
        assert!(built(builder, levels).closest(&AHEAD).is_none());
    }
}

#[test]
fn a_transform_whose_boxes_cannot_be_walked_is_flattened() {
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let thin = Affine64::translation([0.0, 0.0, 2.0]).after(&Affine64::scale([1.0, 1.0, 1e-18]));
    builder.instance(sheet, thin, u32::MAX, 0);
    builder.instance(sheet, Affine64::translation([0.0, 0.0, 3.0]), u32::MAX, 0);
    let scene = built(builder, Levels::Two);
    assert_eq!(scene.all(&AHEAD).map(|hit| (hit.t, hit.instance)).collect::<Vec<_>>(), [(2.0, 0), (3.0, 1)]);
}

#[test]
fn a_mesh_placed_often_keeps_one_tree() {
    let size = 60;
    let at = |i: usize| [(i % size) as f32, (i / size) as f32, 0.01 * (i % 7) as f32];
    let positions: Vec<[f32; 3]> = (0..size * size).map(at).collect();
    let indices: Vec<[u32; 3]> = (0..(size - 1) * size)
        .filter(|i| i % size < size - 1)
        .flat_map(|i| {
            let [a, b, c, d] = [i, i + 1, i + size, i + size + 1].map(|i| i as u32);
            [[a, b, c], [b, d, c]]
        })
        .collect();
    let scenes = [Levels::One, Levels::Two, Levels::Auto].map(|levels| {
        let mut builder = Scene::builder();
        let mesh = builder.mesh(&positions, &indices);
        for i in 0..20 {
            let turned = Affine64::rotation(f64::from(i) * 31.0, [1.0, f64::from(i), 2.0]);
            builder.instance(mesh, turned, u32::MAX, 0);
        }
        built(builder, levels)
    });
    let [one, two, auto] = &scenes;
    assert!(two.bytes() * 10 < one.bytes() && auto.bytes() == two.bytes(), "{one:?} {two:?} {auto:?}");
    let mut hits = 0;
    for i in 0..500 {
        let [x, y, z] = [i * 7 % 31, i * 11 % 37, i * 3 % 41].map(|k| k as f32 - 17.0);
        let ray = Ray::new([x, y, z], [y - x, z + 0.5, x - z]);
        assert!(one.all(&ray).eq(two.all(&ray)));
        assert_eq!(one.closest(&ray), two.closest(&ray));
        hits += usize::from(one.any(&ray));
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn meshes_in_f64_far_from_zero_are_hit_where_they_are() {
    let [x, y] = [512_345.25, 5_412_345.75];
    let positions = [[x, y, 0.0], [x + 0.01, y, 0.0], [x, y + 0.01, 0.0], [x + 0.01, y + 0.01, 0.0]];
    let near = positions.map(|[a, b, c]| [(a - x) as f32, (b - y) as f32, c as f32]);
    for levels in [Levels::One, Levels::Two] {
        for placed in [false, true] {
            let mut builder = Scene::builder();
            let (mesh, transform) = if placed {
                (builder.mesh(&near, &SHEET_INDICES), Affine64::translation([x, y, 0.0]))
            } else {
                (builder.mesh(&positions, &SHEET_INDICES), Affine64::IDENTITY)
            };
            builder.instance(mesh, transform, u32::MAX, 0);
            let scene = built(builder, levels);
            assert_ne!(scene.origin(), [0.0; 3], "{levels:?} {placed}");
            for (triangle, d) in [(0, 0.002), (1, 0.008)] {
                let ray = scene.ray([x + d, y + d, 2.0], [0.0, 0.0, -1.0]);
                let hit = scene.closest(&ray).unwrap();
                let point = scene.point(&ray, hit.t);
                assert_eq!(hit.primitive, triangle);
                assert!((point[0] - x - d).abs() < 1e-6 && (point[1] - y - d).abs() < 1e-6, "{point:?}");
            }
        }
    }
    // What f32 holds stays where it is, in f64 or not.
    let mut builder = Scene::builder();
    let wide = SHEET.map(|p| p.map(f64::from));
    let sheet = builder.mesh(&wide, &SHEET_INDICES);
    builder.instance(sheet, Affine64::translation([1.0, 2.0, 3.0]), u32::MAX, 0);
    assert_eq!(built(builder, Levels::Two).origin(), [0.0; 3]);
}

#[test]
fn placed_corners_are_those_that_the_rule_of_flattening_makes() {
    let map = Affine64::rotation(33.0, [1.0, 2.0, 3.0]).after(&Affine64::scale([1.0, -0.7, 1.3]));
    let placed: Vec<[f32; 3]> = SHEET.iter().map(|p| Affine::point(&map.rounded(), *p)).collect();
    let flat = Scene::from_triangles(&placed, &SHEET_INDICES).unwrap();
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    builder.instance(sheet, map, u32::MAX, 0);
    let scene = built(builder, Levels::Two);
    for i in 0..200 {
        let [x, y] = [i % 20, i / 20].map(|k| k as f32 / 7.0 - 1.0);
        let ray = Ray::new([x, y, -3.0], [0.03, 0.02, 1.0]);
        assert_eq!(scene.closest(&ray), flat.closest(&ray));
    }
}

#[cfg(feature = "cuda")]
#[test]
fn auto_is_the_cpu_for_few_rays_and_gpus_have_to_be_named_to_be_missed() {
    let of = |device: DeviceChoice| {
        let mut builder = Scene::builder();
        let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
        builder.instance(sheet, Affine64::translation([0.0, 0.0, 1.0]), u32::MAX, 0);
        builder.build(&SceneOptions { device, ..SceneOptions::default() }, &Control::default())
    };
    let scene = of(DeviceChoice::Auto).unwrap();
    let (mut hits, mut blocked) = ([None; 3], [false; 3]);
    scene.closest_batch(&[AHEAD; 3], &mut hits, &Control::default()).unwrap();
    scene.any_batch(&[AHEAD; 3], &mut blocked, &Control::default()).unwrap();
    assert_eq!((hits[2].map(|hit| hit.t), blocked), (Some(1.0), [true; 3]));
    let work = Amount::Rays(6);
    let plan = scene.plan();
    assert!(matches!(plan.device, PlannedDevice::Cpu));
    match (rays_worth_a_gpu(2, rayon::current_num_threads()), plan.reason) {
        (Some(from), PlanReason::TooLittle { work: of, least }) => assert_eq!((of, least), (work, from)),
        (None, PlanReason::NoGpuGains { work: of, .. }) => assert_eq!(of, work),
        (_, reason) => panic!("{reason:?}"),
    }
    let plan = of(DeviceChoice::Cpu).unwrap().plan();
    assert!(matches!((plan.device, plan.reason), (PlannedDevice::Cpu, PlanReason::Asked)));
    assert!(matches!(of(DeviceChoice::Cuda(Vec::new())), Err(SceneError::NoGpuNamed)));
}

#[test]
fn weights_on_edges_are_not_minus_zero() {
    for levels in [Levels::One, Levels::Two] {
        let scene = sheets(&[1.0], levels);
        let at = |x: f32, y: f32, d: f32| Ray::new([x, y, 1.0 - d], [0.0, 0.0, d]);
        let places = [[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [0.5, 0.5], [1.0, 0.0], [1.0, 0.5], [0.5, 1.0], [1.0, 1.0]];
        let rays: Vec<Ray> = places.iter().flat_map(|p| [at(p[0], p[1], 1.0), at(p[0], p[1], -1.0)]).collect();
        let mut hits = vec![None; rays.len()];
        scene.closest_batch(&rays, &mut hits, &Control::default()).unwrap();
        for (ray, hit) in rays.iter().zip(&hits) {
            let (hit, one) = (hit.unwrap(), scene.closest(ray).unwrap());
            let weights = [hit.u, hit.v, one.u, one.v];
            assert!(weights.iter().all(|w| w.is_sign_positive()), "{ray:?}: {weights:?}");
            // A corner and an edge count for each triangle that has them.
            assert!(scene.all(ray).count() >= 1);
        }
        assert_eq!(scene.all(&rays[6]).count(), 2);
    }
}

/// A cube from 0 to 1, fronts outwards.
pub(super) const CUBE: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [1.0, 1.0, 1.0],
];
pub(super) const CUBE_INDICES: [[u32; 3]; 12] = [
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
];

#[test]
fn filters_leave_out_by_mask_facing_triangle_and_closure() {
    // Not through an edge of the mirrored sheet.
    let ahead = Ray { origin: [0.2, 0.3, 0.0], ..AHEAD };
    for levels in [Levels::One, Levels::Two] {
        let mut builder = Scene::builder();
        let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
        // The last is mirrored, so that in the world its corners turn the other way.
        let mirror = Affine64::translation([1.0, 0.0, 0.0]).after(&Affine64::scale([-1.0, 1.0, 1.0]));
        for (i, z) in [1.0, 2.0, 3.0, 4.0].into_iter().enumerate() {
            let place = Affine64::translation([0.0, 0.0, z]);
            let place = if i == 3 { place.after(&mirror) } else { place };
            builder.instance(sheet, place, 1 << i, i as u32);
        }
        let scene = built(builder, levels);
        let seen = |filter: Filter<'_>, ray: &Ray| {
            let (filtered, mut hits) = (scene.with(filter), Vec::new());
            filtered.all_into(ray, &mut hits);
            assert_eq!(filtered.closest(ray).as_ref(), hits.first());
            assert_eq!(filtered.any(ray), !hits.is_empty());
            hits.iter().map(|hit| hit.instance).collect::<Vec<_>>()
        };
        assert_eq!(seen(Filter::new(), &ahead), [0, 1, 2, 3]);
        assert_eq!(seen(Filter::new().mask(0b1010), &ahead), [1, 3]);
        assert_eq!(seen(Filter::new().mask(0b10000), &ahead), [0u32; 0]);
        // The ray comes from below, where corners turn clockwise: a back, mirrored or not.
        let back = Ray::new([0.2, 0.3, 9.0], [0.0, 0.0, -1.0]);
        assert_eq!(seen(Filter::new().culling(Culling::Backs), &ahead), [0u32; 0]);
        assert_eq!(seen(Filter::new().culling(Culling::Fronts), &ahead), [0, 1, 2, 3]);
        assert_eq!(seen(Filter::new().culling(Culling::Backs), &back), [3, 2, 1, 0]);
        assert_eq!(seen(Filter::new().skip(1, 0).skip(0, 0), &ahead), [1, 2, 3]);
        assert_eq!(seen(Filter::new().skip(0, 1), &ahead), [0, 1, 2, 3]);
        let odd: fn(&SurfaceHit) -> bool = |hit| hit.user % 2 == 1;
        assert_eq!(seen(Filter::new().accept(&odd), &ahead), [1, 3]);
        assert_eq!(seen(Filter::new().accept(&odd).mask(0b111), &ahead), [1]);
        let none = |_: &SurfaceHit| ControlFlow::Break(());
        assert!(scene.with(Filter::new().mask(4)).visit(&ahead, none).is_break());
    }
}

#[test]
fn points_are_inside_of_overlapping_solids_and_not_in_cavities() {
    for levels in [Levels::One, Levels::Two] {
        let mut builder = Scene::builder();
        let cube = builder.mesh(&CUBE, &CUBE_INDICES);
        let inside_out = CUBE_INDICES.map(|[a, b, c]| [a, c, b]);
        let cavity = builder.mesh(&CUBE, &inside_out);
        let place = |shift: [f64; 3], scale: [f64; 3]| Affine64::translation(shift).after(&Affine64::scale(scale));
        builder.instance(cube, place([0.0; 3], [10.0; 3]), u32::MAX, 0);
        // Mirrored, and over a corner of the first.
        builder.instance(cube, place([15.0, 5.0, 5.0], [-10.0, 10.0, 10.0]), u32::MAX, 0);
        builder.instance(cavity, place([1.0; 3], [3.0; 3]), u32::MAX, 0);
        let scene = built(builder, levels);
        let points = [
            ([0.5, 0.5, 0.5], true),
            ([2.0, 3.0, 2.5], false),
            ([7.0, 7.0, 7.0], true),
            ([12.0, 12.0, 12.0], true),
            ([12.0, 3.0, 12.0], false),
            ([-1.0, 5.0, 5.0], false),
            ([f32::NAN, 5.0, 5.0], false),
        ];
        for (point, is_in) in points {
            assert_eq!(scene.contains(point), Ok(is_in), "{levels:?} {point:?}");
        }
        let mut inside = [true; 7];
        let stats = scene.contains_batch(&points.map(|point| point.0), &mut inside, &Control::default()).unwrap();
        assert_eq!((inside, stats.rays, stats.invalid), (points.map(|point| point.1), 7, 1));
        // In the first, in both, out of the first, out of the second.
        let through = Ray::new([-1.0, 7.0, 7.0], [1.0, 0.0, 0.0]);
        assert_eq!(scene.crossings(&through), Crossings { front: 2, back: 2 });
        assert_eq!(scene.crossings(&through.with_interval(0.0, 6.0)), Crossings { front: 1, back: 0 });
        assert_eq!(scene.crossings(&through.with_interval(6.0, 11.0)), Crossings { front: 1, back: 0 });
        assert_eq!(scene.crossings(&through.with_interval(11.0, 16.5)), Crossings { front: 0, back: 2 });
    }
    for levels in [Levels::One, Levels::Two] {
        let mut builder = Scene::builder();
        let cube = builder.mesh(&CUBE, &CUBE_INDICES);
        let lid = builder.mesh(&CUBE, &CUBE_INDICES[1..]);
        builder.instance(cube, Affine64::IDENTITY, u32::MAX, 0);
        builder.instance(lid, Affine64::translation([3.0, 0.0, 0.0]), u32::MAX, 0);
        let scene = built(builder, levels);
        assert_eq!(scene.contains([0.5; 3]), Err(NotClosed { instance: 1, open_edges: 3 }));
        assert!(!scene.is_closed());
    }
}

#[test]
fn lines_of_sight_leave_out_the_surfaces_that_they_end_on() {
    for levels in [Levels::One, Levels::Two] {
        let scene = sheets(&[1.0, 2.0], levels);
        let point = |z: f32| End::Point([0.2, 0.2, z]);
        let on = |z: f32, instance: u32| End::On { position: [0.2, 0.2, z], instance, primitive: 0 };
        assert!(scene.visible(point(0.0), point(0.9)) && !scene.visible(point(0.0), point(1.0)));
        assert!(!scene.visible(point(0.5), point(1.5)) && scene.visible(point(1.25), point(1.75)));
        assert!(scene.visible(on(1.0, 0), on(2.0, 1)) && scene.visible(on(2.0, 1), on(1.0, 0)));
        assert!(!scene.visible(on(1.0, 0), point(2.5)) && scene.visible(point(0.0), on(1.0, 0)));
        assert!(!scene.visible(on(1.0, 1), point(0.0)) && scene.visible(point(0.3), point(0.3)));
        let hit = scene.closest(&AHEAD).unwrap();
        assert_eq!(End::on(&AHEAD, &hit), on(1.0, 0));
    }
}

#[test]
fn groups_that_stand_for_nothing_or_for_too_much_take_no_time_and_no_memory() {
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let mut none = builder.group(&[]);
    let mut many = sheet;
    for _ in 0..3 {
        none = builder.group(&vec![Placement::new(none, Affine64::IDENTITY); 5000]);
        many = builder.group(&vec![Placement::new(many, Affine64::IDENTITY); 5000]);
    }
    builder.instance(none, Affine64::IDENTITY, u32::MAX, 0);
    let scene = built(builder, Levels::Two);
    assert_eq!(scene.instance_count(), 0);
    // 125 thousand million placements, by a builder and by edits, alone and beside others.
    let mut builder = Scene::builder();
    let sheet = builder.mesh(&SHEET, &SHEET_INDICES);
    let mut all = sheet;
    for _ in 0..4 {
        all = builder.group(&vec![Placement::new(all, Affine64::IDENTITY); 65_536]);
    }
    builder.instance(sheet, Affine64::IDENTITY, u32::MAX, 0);
    let scene = built(builder, Levels::Two);
    let mut edit = scene.edit();
    edit.instance(all, Affine64::IDENTITY, u32::MAX, 0);
    edit.instance(sheet, Affine64::IDENTITY, u32::MAX, 0);
    let error = edit.commit(&Control::default()).unwrap_err();
    assert!(matches!(error, EditError::Scene(SceneError::TooManyPlacements { .. })), "{error}");
    let mut builder = Scene::builder();
    let empty = builder.mesh(&[[0.0f32; 3]; 0], &[]);
    let mut all = empty;
    for _ in 0..2 {
        all = builder.group(&vec![Placement::new(all, Affine64::IDENTITY); 65_535]);
    }
    builder.instance(all, Affine64::IDENTITY, u32::MAX, 0);
    let error = builder.build(&options(Levels::Two), &Control::default()).unwrap_err();
    assert!(matches!(error, SceneError::TooManyPlacements { found: 4_294_836_225, .. }), "{error}");
    assert!(Positions::strided(&[1.0; 9], usize::MAX).len() == 1);
}

#[test]
fn lines_of_sight_between_places_that_are_none_are_blocked() {
    let scene = sheets(&[1.0], Levels::Auto);
    let (near, nan, far) = (End::Point([0.0; 3]), End::Point([f32::NAN; 3]), End::Point([0.0, 0.0, f32::MAX]));
    assert!(!scene.visible(near, nan) && !scene.visible(far, End::Point([0.0, 0.0, -f32::MAX])));
    assert!(scene.visible(near, near));
    // At infinity nothing is at one place, nor beside it, whether a surface is named or not.
    let on = |position: [f32; 3]| End::On { position, instance: 0, primitive: 0 };
    for scene in [sheets(&[1.0], Levels::One), sheets(&[1.0], Levels::Two)] {
        for infinite in [f32::INFINITY, f32::NEG_INFINITY] {
            let places = [[infinite; 3], [0.0, 0.0, infinite], [infinite, 0.5, 0.5], [0.5, -infinite, infinite]];
            for (i, place) in places.into_iter().enumerate() {
                for end in [End::Point(place), on(place)] {
                    assert!(!scene.visible(end, end) && !scene.visible(end, End::Point(place)), "{end:?}");
                    for other in [near, far, nan, on([0.2, 0.2, 1.0]), End::Point(places[(i + 1) % 4])] {
                        assert!(!scene.visible(end, other) && !scene.visible(other, end), "{end:?} {other:?}");
                    }
                }
            }
        }
        assert!(scene.visible(far, far) && scene.visible(on([0.2; 3]), on([0.2; 3])) && !scene.visible(nan, nan));
        assert!(scene.visible(near, End::Point([0.0, 0.0, 0.5])));
    }
}
