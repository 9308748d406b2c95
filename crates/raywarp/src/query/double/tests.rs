//! Rays in f64 beside every triangle in f64.

use crate::{
    Affine64, Control, Crossings, Filter, Hit64, Indices, Levels, Positions, Ray64, Scene, SceneOptions, SurfaceHit,
};
use raywarp_testing::{Random, cases};
use std::ops::ControlFlow;

fn built(builder: crate::SceneBuilder<'_>, levels: Levels) -> Scene {
    builder.build(&SceneOptions { levels, ..SceneOptions::default() }, &Control::default()).unwrap()
}

type Corners = [[f64; 3]; 3];

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The oracle: `t` of a ray on a triangle in f64.
fn meets(ray: &Ray64, [a, b, c]: &Corners) -> Option<f64> {
    let (e, f, s) = (minus(*b, *a), minus(*c, *a), minus(ray.origin, *a));
    let p = cross(ray.direction, f);
    let det = dot(e, p);
    let (u, q) = (dot(s, p) / det, cross(s, e));
    let (v, t) = (dot(ray.direction, q) / det, dot(f, q) / det);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= ray.t_min && t <= ray.t_max).then_some(t)
}

/// Where maps have a town: east, north, height.
const TOWN: [f64; 3] = [412_345.0, 5_312_345.0, 520.0];

/// Ground with a height at every 10 cm, in coordinates of a map.
fn ground(side: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let height = |x: usize, y: usize| ((x * 7 + y * 13) % 11) as f64 * 0.01;
    let point = |i: usize| {
        let (x, y) = (i % side, i / side);
        [TOWN[0] + 0.1 * x as f64, TOWN[1] + 0.1 * y as f64, TOWN[2] + height(x, y)]
    };
    let corner = |x: usize, y: usize| (y * side + x) as u32;
    let cells = (0..(side - 1) * (side - 1)).map(|i| (i % (side - 1), i / (side - 1)));
    let indices = cells.flat_map(|(x, y)| {
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
        [[a, b, c], [a, c, d]]
    });
    ((0..side * side).map(point).collect(), indices.collect())
}

#[test]
fn rays_to_cells_of_ten_centimetres_on_a_map_hit_where_f64_says() {
    let (positions, indices) = ground(41);
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&positions, &indices);
    builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    let scene = built(builder, Levels::Auto);
    assert_eq!(scene.rounding(), None);
    let mut random = Random::new(1);
    let triangles: Vec<Corners> = indices.iter().map(|t| t.map(|vertex| positions[vertex as usize])).collect();
    for _ in 0..cases(15_000) {
        // From a plane, at a point of the ground.
        let mut near = || 4.0 * f64::from(random.unit());
        let at = [TOWN[0] + near(), TOWN[1] + near(), TOWN[2]];
        let mut away = || 3000.0 * f64::from(random.unit()) - 1500.0;
        let from = [at[0] + away(), at[1] + away(), TOWN[2] + 1000.0 + away().abs()];
        let ray = Ray64::new(from, minus(at, from));
        let right = triangles.iter().filter_map(|triangle| meets(&ray, triangle)).reduce(f64::min);
        let hit = scene.closest(&ray);
        assert_eq!((hit.is_some(), scene.any(&ray)), (right.is_some(), right.is_some()), "{ray:?}");
        if let (Some(hit), Some(right)) = (hit, right) {
            // A tenth of a millimetre of two kilometres.
            assert!((hit.t - right).abs() < 5e-8, "{ray:?}: {hit:?}, {right}");
            let off = minus(hit.position, std::array::from_fn(|i| ray.origin[i] + hit.t * ray.direction[i]));
            assert!(off.iter().all(|x| x.abs() < 2e-6), "{ray:?}: {hit:?} off by {off:?}");
        }
    }
}

/// The box from 0 to `size`, fronts outwards.
fn cube(size: f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let corner = |i: u32| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { size } else { 0.0 });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let indices = quads.iter().flat_map(|&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]]);
    ((0..8).map(corner).collect(), indices.collect())
}

#[test]
fn boxes_of_a_millimetre_ten_kilometres_off_are_hit_twice() {
    let (positions, indices) = cube(0.001);
    for levels in [Levels::One, Levels::Two] {
        let mut builder = Scene::builder();
        let mesh = builder.mesh(&positions, &indices);
        for i in 0..10 {
            builder.instance(mesh, Affine64::translation([10_000.0, 0.01 * f64::from(i), 10_000.0]), u32::MAX, i);
        }
        let scene = built(builder, levels);
        for i in 0..10 {
            let y = 0.01 * f64::from(i) + 0.000_3;
            for away in [0.5, 10_000.0, 1e9] {
                let ray = Ray64::new([10_000.0 - away, y, 10_000.000_6], [1.0, 0.0, 0.0]);
                let hits: Vec<Hit64> = scene.all(&ray).collect();
                assert_eq!(hits.len(), 2, "{ray:?}: {hits:?}");
                assert!(hits.iter().all(|hit| hit.user == i) && (hits[0].t - away).abs() <= 1e-7);
                // What f64 holds at 1e9 is 1e-7.
                assert!((hits[1].t - hits[0].t - 0.001).abs() < 3e-7, "{hits:?}");
                assert_eq!(
                    (scene.closest(&ray), scene.crossings(&ray)),
                    (Some(hits[0]), Crossings { front: 1, back: 1 })
                );
                // From the surface itself: inwards the other side, outwards nothing.
                let inwards = Ray64::new(hits[0].position, [1.0, 0.0, 0.0]);
                let found: Vec<f64> = scene.all(&inwards).map(|hit| hit.t).collect();
                assert_eq!(found.len(), 2, "{found:?}");
                assert!(found[0] == 0.0 && (found[1] - 0.001).abs() < 1e-9, "{found:?}");
                let past = Ray64 { t_min: 1e-6, ..inwards };
                assert_eq!(scene.all(&past).count(), 1);
                assert!(!scene.any(&Ray64 { direction: [-1.0, 0.0, 0.0], ..past }));
            }
        }
    }
}

/// A heap of triangles, many of them nearly at one place, placed far off.
fn heap(levels: Levels) -> Scene {
    let mut random = Random::new(7);
    let mut near = |size: f32| -> [f32; 3] { std::array::from_fn(|_| size * (2.0 * random.unit() - 1.0)) };
    let mut positions = Vec::new();
    for _ in 0..150 {
        let [a, b, c] = [near(1.0), near(1.0), near(1.0)];
        for _ in 0..4 {
            // Off by less than rounding the ray moves it, and the same bits at times.
            positions.extend([a, b, c].map(|p| {
                let by = near(2e-7);
                [0, 1, 2].map(|i| p[i] + by[i])
            }));
        }
    }
    let mut builder = Scene::builder();
    let mesh = builder.mesh(&positions, Indices::IN_ORDER);
    for i in 0..3u32 {
        let turned = Affine64::translation([1e6, -2e6, 3e6 + f64::from(i)])
            .after(&Affine64::rotation(10.0 * f64::from(i), [1.0, 2.0, 3.0]));
        builder.instance(mesh, turned, 1 << i, i);
    }
    built(builder, levels)
}

fn through(random: &mut Random) -> Ray64 {
    let mut near = |size: f64| size * (2.0 * f64::from(random.unit()) - 1.0);
    let at = [1e6 + near(1.0), -2e6 + near(1.0), 3e6 + 1.0 + near(2.0)];
    let from = [at[0] + near(5.0), at[1] + near(5.0), at[2] + near(500.0)];
    let length = 10.0f64.powf(near(3.0));
    Ray64::new(from, minus(at, from).map(|x| x * length))
}

#[test]
fn the_closest_is_the_first_of_all_and_levels_cannot_be_seen() {
    let (one, two, mut random) = (heap(Levels::One), heap(Levels::Two), Random::new(3));
    let (mut count, mut ties) = (0, 0);
    for _ in 0..3000 {
        let ray = through(&mut random);
        let all: Vec<Hit64> = one.all(&ray).collect();
        assert!(all.is_sorted_by(|a, b| (a.t, a.instance, a.primitive) < (b.t, b.instance, b.primitive)));
        assert_eq!((one.closest(&ray), two.closest(&ray)), (all.first().copied(), all.first().copied()));
        assert!(two.all(&ray).eq(all.iter().copied()));
        assert_eq!(one.any(&ray), !all.is_empty());
        // In f32 many of them are at one `t`.
        ties += all.windows(2).filter(|pair| pair[0].t as f32 == pair[1].t as f32).count();
        count += all.len();
        // What comes after the middle of them, and up to it.
        let Some(middle) = all.get(all.len() / 2).map(|hit| hit.t) else { continue };
        let [before, after] = [ray.with_interval(0.0, middle), ray.with_interval(middle, f64::INFINITY)];
        assert!(one.all(&before).eq(all.iter().copied().filter(|hit| hit.t <= middle)));
        assert!(one.all(&after).eq(all.iter().copied().filter(|hit| hit.t >= middle)));
        let [whole, first, second] = [ray, before, after].map(|ray| one.crossings(&ray));
        assert_eq!((first.front + second.front, first.back + second.back), (whole.front, whole.back));
    }
    assert!(count > 3000 && ties > 1000, "{count} hits, {ties} ties");
}

#[test]
fn filters_see_hits_of_rays_in_f64() {
    let (scene, mut random) = (heap(Levels::Two), Random::new(4));
    let mut left_out = 0;
    for _ in 0..500 {
        let ray = through(&mut random);
        let all: Vec<Hit64> = scene.all(&ray).collect();
        let Some(first) = all.first() else { continue };
        let upper = |hit: &SurfaceHit| hit.v > 0.25;
        let filter = Filter::new().mask(0b110).skip(first.instance, first.primitive).accept(&upper);
        let is_seen = |hit: &&Hit64| {
            hit.instance > 0 && hit.v > 0.25 && (hit.instance, hit.primitive) != (first.instance, first.primitive)
        };
        // At the border of the closure f32 decides.
        if all.iter().any(|hit| (hit.v - 0.25).abs() < 1e-3) {
            continue;
        }
        let expected: Vec<Hit64> = all.iter().filter(is_seen).copied().collect();
        let (with, mut found) = (scene.with(filter), Vec::new());
        with.all_into(&ray, &mut found);
        assert_eq!(found, expected);
        assert_eq!((with.closest(&ray), with.any(&ray)), (expected.first().copied(), !expected.is_empty()));
        left_out += all.len() - expected.len();
    }
    assert!(left_out > 500, "{left_out}");
}

#[test]
fn rays_of_any_length_and_from_anywhere_hit_and_others_miss() {
    let (positions, indices) = cube(1.0);
    let scene = Scene::from_triangles(&positions.iter().map(|p| p.map(|x| x as f32)).collect::<Vec<_>>(), &indices);
    let scene = scene.unwrap();
    for length in [1e-300, 1e-40, 1e-3, 1.0, 1e12, 1e300] {
        let ray = Ray64::new([-2.0, 0.25, 0.5], [length, 0.0, 0.0]);
        let t: Vec<f64> = scene.all(&ray).map(|hit| hit.t * length).collect();
        assert!(t.len() == 2 && (t[0] - 2.0).abs() < 1e-12 && (t[1] - 3.0).abs() < 1e-12, "{length}: {t:?}");
        // Behind, where the interval reaches there.
        let from = Ray64::new([3.0, 0.25, 0.5], [length, 0.0, 0.0]);
        assert!(!scene.any(&from));
        let t = scene.closest(&from.with_interval(f64::NEG_INFINITY, 0.0)).unwrap().t * length;
        assert!((t + 3.0).abs() < 1e-12, "{length}: {t}");
    }
    for far in [1e3, 1e9, 1e15] {
        let hit = scene.closest(&Ray64::new([0.25, 0.5, far], [0.0, 0.0, -1.0])).unwrap();
        assert_eq!((hit.t, hit.position), (far - 1.0, [0.25, 0.5, 1.0]));
    }
    let good = Ray64::new([0.5, 0.25, 0.5], [1.0, 0.0, 0.0]);
    assert_eq!(scene.all(&good).count(), 1);
    assert_eq!(scene.all(&good.with_interval(0.75, 0.25)).count(), 0);
    let bad = [
        Ray64 { origin: [f64::NAN, 0.0, 0.0], ..good },
        Ray64 { origin: [f64::MAX, 0.5, 0.5], direction: [-1e-300, 0.0, 0.0], ..good },
        Ray64 { direction: [0.0; 3], ..good },
        Ray64 { direction: [f64::INFINITY, 0.0, 0.0], ..good },
        Ray64 { t_min: f64::NAN, ..good },
        Ray64 { t_max: f64::NAN, ..good },
    ];
    for ray in bad {
        assert!(scene.closest(&ray).is_none() && !scene.any(&ray) && scene.all(&ray).count() == 0, "{ray:?}");
        assert_eq!(scene.crossings(&ray), Crossings::default());
    }
    let empty = Scene::from_triangles(&[], &[]).unwrap();
    assert!(empty.closest(&good).is_none() && !empty.any(&good));
}

#[test]
fn rays_that_graze_triangles_hit_them_within_and_in_order() {
    let mut random = Random::new(11);
    let mut near = |size: f64| -> [f64; 3] { std::array::from_fn(|_| size * (2.0 * f64::from(random.unit()) - 1.0)) };
    let triangles: Vec<Corners> = (0..60).map(|_| [near(1.0), near(1.0), near(1.0)]).collect();
    let mut builder = Scene::builder();
    let mesh = builder.mesh(triangles.as_flattened(), Indices::IN_ORDER);
    builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    let scene = built(builder, Levels::Auto);
    let mut grazed = 0;
    for i in 0..6000 {
        // Along the plane of a triangle, from a point of it or from far off, and out of it by a hair or less.
        let (graze, [a, b, c]) = (i % 60, triangles[i % 60]);
        let (e, f, [x, y, z]) = (minus(b, a), minus(c, a), near(1.0));
        let direction: [f64; 3] = std::array::from_fn(|i| y * e[i] + z * f[i]);
        let by = near([0.0, 1e-12, 1e-9, 1e-7][i % 4]);
        let from = std::array::from_fn(|k| a[k] + 0.5 * e[k] * x.abs() + 0.3 * f[k] - 3.0 * direction[k] + by[k]);
        let ray = Ray64::new(from, direction);
        let all: Vec<Hit64> = scene.all(&ray).collect();
        assert_eq!(scene.closest(&ray), all.first().copied());
        for hit in &all {
            assert!(hit.u >= 0.0 && hit.v >= 0.0 && hit.u + hit.v <= 1.0 + 1e-12, "{ray:?}: {hit:?}");
        }
        grazed += all.iter().filter(|hit| hit.primitive == graze as u32).count();
    }
    assert!(grazed > 500, "{grazed}");
}

#[test]
fn batches_of_rays_in_f64_answer_as_single_ones_do() {
    let (scene, mut random, control) = (heap(Levels::Two), Random::new(5), Control::default());
    let mut rays: Vec<Ray64> = (0..1500).map(|_| through(&mut random)).collect();
    rays[70].t_min = f64::NAN;
    let (mut hits, mut blocked) = (vec![None; rays.len()], vec![false; rays.len()]);
    let stats = scene.closest_batch(&rays, &mut hits, &control).unwrap();
    assert_eq!((stats.rays, stats.invalid), (1500, 1));
    scene.any_batch(&rays, &mut blocked, &control).unwrap();
    let (starts, all) = scene.all_batch(&rays, &control).unwrap();
    for (i, ray) in rays.iter().enumerate() {
        assert_eq!((hits[i], blocked[i]), (scene.closest(ray), scene.any(ray)));
        assert!(scene.all(ray).eq(all[starts[i]..starts[i + 1]].iter().copied()));
    }
    let mut count = 0;
    let flow = scene.visit(&rays[hits.iter().position(Option::is_some).unwrap()], |_| {
        count += 1;
        ControlFlow::Break(())
    });
    assert_eq!((count, flow), (1, ControlFlow::Break(())));
}

#[test]
fn a_scene_both_huge_and_fine_says_so() {
    let (positions, indices) = cube(0.001);
    let field = [[-1e6f64, -1e6, 0.0], [1e6, -1e6, 0.0], [0.0, 1e6, 0.0]];
    let mut builder = Scene::builder();
    let (small, large) = (builder.mesh(&positions, &indices), builder.mesh(&field, &[[0, 1, 2]]));
    for i in 1..50 {
        builder.instance(small, Affine64::translation([10_000.0 * f64::from(i), 3.0, 5.0]), u32::MAX, 0);
    }
    builder.instance(large, Affine64::IDENTITY, u32::MAX, 0);
    let said = built(builder, Levels::Auto).rounding().expect("a millimetre at a hundred kilometres").to_string();
    assert!(said.starts_with("rounding to float32 moves corners of 490 of 589 triangles"), "{said}");
    let records = [0.0f32; 9];
    let mut builder = Scene::builder();
    builder.mesh(Positions::strided(&records, 3), Indices::IN_ORDER);
    assert_eq!(built(builder, Levels::Auto).rounding(), None);
}

#[test]
fn vertices_that_no_triangle_uses_do_not_keep_a_far_mesh_from_its_origin() {
    let (inf, far) = (f32::INFINITY, Affine64::translation(TOWN));
    for unused in [[inf, inf, 0.0], [-inf, inf, -inf], [f32::NAN; 3]] {
        let positions = [[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], unused, [0.0, 0.01, 0.0]];
        let mut builder = Scene::builder();
        let mesh = builder.mesh(&positions, &[[0, 1, 3]]);
        builder.instance(mesh, far, u32::MAX, 0);
        let scene = built(builder, Levels::Auto);
        let from = [TOWN[0] + 0.002, TOWN[1] + 0.003, TOWN[2] + 5.0];
        assert_eq!(scene.closest(&Ray64::new(from, [0.0, 0.0, -1.0])).map(|hit| hit.t), Some(5.0), "{unused:?}");
    }
}

#[test]
fn a_mesh_that_was_not_placed_is_placed_far_off_later_as_exactly_as_others() {
    let (positions, indices) = cube(0.7);
    let mut builder = Scene::builder();
    let (anchor, later) = (builder.mesh(&positions, &indices), builder.mesh(&positions, &indices));
    builder.instance(anchor, Affine64::translation(TOWN), u32::MAX, 0);
    let scene = built(builder, Levels::Two);
    let mut edit = scene.edit();
    let beside = [TOWN[0] + 10.0, TOWN[1], TOWN[2]];
    edit.instance(later, Affine64::translation(beside), u32::MAX, 1);
    let scene = edit.commit(&Control::default()).unwrap();
    for at in [TOWN, beside] {
        let from = [at[0] + 0.35, at[1] + 0.2, at[2] + 9.0];
        let hit = scene.closest(&Ray64::new(from, [0.0, 0.0, -1.0])).expect("the top of the cube");
        assert!((hit.t - 8.3).abs() < 1e-6, "{hit:?}");
    }
}
