//! Nearest points against every triangle: which one bit for bit, and how far to a bound, of scenes of one level and of
//! two.

use crate::common::{Point, ball, grid, soup, sub, tree};
use crate::levels::{Scene, transform};
use raywarp_bvh::{BuildOptions, build, presets};
use raywarp_cpu::{CpuOptions, CpuTracer, Feature, Isa, LevelsTracer, NearestPoint};
use raywarp_geom::{Affine64, Control, FlatTriangles, PrimitiveId, TraceError};
use raywarp_testing::{Random, cases};

/// What finds nearest points.
trait Finds {
    fn one(&self, point: Point, within: f32) -> Option<NearestPoint>;
    fn each(&self, points: &[Point], within: f32) -> (Vec<Option<NearestPoint>>, u64);
}

macro_rules! finds {
    ($tracer:ty) => {
        impl Finds for $tracer {
            fn one(&self, point: Point, within: f32) -> Option<NearestPoint> {
                self.nearest_one(point, within)
            }

            fn each(&self, points: &[Point], within: f32) -> (Vec<Option<NearestPoint>>, u64) {
                let mut found = vec![None; points.len()];
                let invalid =
                    self.nearest_each((points, within), &mut found, |answer| answer, &Control::default()).unwrap();
                (found, invalid)
            }
        }
    };
}
finds!(CpuTracer);
finds!(LevelsTracer);

/// Tracers of every instruction set, over small and large leaves and over trees that cut triangles.
pub fn tracers(triangles: &FlatTriangles) -> Vec<(String, CpuTracer)> {
    let cut = BuildOptions { split_alpha: 0.0, ..presets::SINGLE_SPLIT };
    let trees = [tree(triangles, 1), tree(triangles, 8), build(triangles, &cut).unwrap()];
    let all = |isa: Isa| {
        let options = CpuOptions { isa, ..CpuOptions::default() };
        let of = |tree| CpuTracer::with_options(tree, triangles, &options).unwrap();
        [format!("leaves of 1, {isa}"), format!("leaves of 8, {isa}"), format!("cut, {isa}")]
            .into_iter()
            .zip([of(&trees[0]), of(&trees[1]), of(&trees[2])])
            .collect::<Vec<_>>()
    };
    Isa::all().into_iter().flat_map(all).collect()
}

/// Distance of zero to a segment, in f64.
fn to_segment(a: [f64; 3], b: [f64; 3]) -> f64 {
    let dot = |x: [f64; 3], y: [f64; 3]| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    let edge: [f64; 3] = std::array::from_fn(|i| b[i] - a[i]);
    let t = -dot(a, edge) / dot(edge, edge);
    let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
    let rest: [f64; 3] = std::array::from_fn(|i| a[i] + t * edge[i]);
    dot(rest, rest).sqrt()
}

/// Distance to a triangle: the least to a segment from a point of the edge `ab` to `c`, which is a convex function of
/// where that point is.
fn oracle(point: &Point, corners: &[Point; 3]) -> f64 {
    let [a, b, c] = corners.map(|p| -> [f64; 3] { std::array::from_fn(|i| f64::from(p[i]) - f64::from(point[i])) });
    let at = |s: f64| to_segment(std::array::from_fn(|i| a[i] + s * (b[i] - a[i])), c);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..130 {
        let (first, second) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(first) <= at(second) { high = second } else { low = first }
    }
    // Where the function is flat but for rounding, its ends are as good.
    at(0.5 * (low + high)).min(to_segment(a, c)).min(to_segment(b, c)).min(to_segment(a, b))
}

/// Largest coordinate difference between a point and corners, and half an ulp of f32 of a number.
fn reach(point: &Point, corners: &[Point; 3]) -> f64 {
    let away = |p: &Point| (0..3).map(|i| (f64::from(p[i]) - f64::from(point[i])).abs()).fold(0.0, f64::max);
    corners.iter().map(away).fold(0.0, f64::max)
}

fn half_ulp(x: f64) -> f64 {
    x * f64::from(f32::EPSILON) / 2.0 + f64::from(f32::from_bits(1))
}

/// What each triangle by itself answers, and the first of all by (distance, instance, primitive).
fn by_each(triangles: &FlatTriangles, singles: &[CpuTracer], point: Point) -> Option<(usize, NearestPoint)> {
    let of = |i: usize| -> Option<(usize, NearestPoint)> {
        let PrimitiveId { instance, primitive } = triangles.ids[i];
        Some((i, NearestPoint { instance, primitive, ..singles[i].nearest_one(point, f32::INFINITY)? }))
    };
    let key = |found: &(usize, NearestPoint)| (found.1.distance, found.1.instance, found.1.primitive);
    (0..triangles.len()).filter_map(of).min_by(|a, b| key(a).partial_cmp(&key(b)).unwrap())
}

/// Every engine, one point and many, against every triangle.
#[track_caller]
fn check(triangles: &FlatTriangles, points: &[Point], engines: &[(String, &dyn Finds)]) {
    let alone = |corners: &[Point; 3]| {
        let one = FlatTriangles::from_vertices(vec![*corners]);
        CpuTracer::new(&tree(&one, 1), &one).unwrap()
    };
    let singles: Vec<CpuTracer> = triangles.vertices.iter().map(alone).collect();
    let expected: Vec<_> = points.iter().map(|&point| by_each(triangles, &singles, point)).collect();
    for (point, found) in points.iter().zip(&expected) {
        let Some((index, found)) = found else { continue };
        let corners = &triangles.vertices[*index];
        let least = triangles.vertices.iter().map(|corners| oracle(point, corners)).fold(f64::INFINITY, f64::min);
        let (of_it, distance, reach) = (oracle(point, corners), f64::from(found.distance), reach(point, corners));
        let exact = reach / (1u64 << 46) as f64;
        let case = format!("{point:?} to {corners:?}: {found:?}, {of_it:e}, least {least:e}");
        assert!((of_it - distance).abs() <= half_ulp(distance) + exact, "{case}");
        assert!(of_it <= least + 2.0 * half_ulp(least) + exact, "{case}");
        check_place(point, corners, found, of_it + exact, &case);
    }
    for (name, engine) in engines {
        for (i, (&point, want)) in points.iter().zip(&expected).enumerate() {
            let want = want.map(|want| want.1);
            assert_eq!(engine.one(point, f32::INFINITY), want, "{name}, point {i}: {point:?}");
            let Some(found) = want else { continue };
            assert_eq!(engine.one(point, found.distance), want, "{name}, point {i}, within its distance");
            if found.distance > 0.0 {
                assert_eq!(engine.one(point, found.distance.next_down()), None, "{name}, point {i}, within less");
            }
        }
        let (found, invalid) = engine.each(points, f32::INFINITY);
        assert!(found.iter().copied().eq(expected.iter().map(|want| want.map(|want| want.1))), "{name}, batch");
        assert_eq!(invalid, points.iter().filter(|p| !p.iter().all(|x| x.is_finite())).count() as u64, "{name}");
    }
}

/// The place is on the triangle, where its weights and feature say, and no farther than `far`.
#[track_caller]
fn check_place(point: &Point, corners: &[Point; 3], found: &NearestPoint, far: f64, case: &str) {
    let largest = corners.iter().flatten().chain(point).fold(0.0, |most: f32, x| most.max(x.abs()));
    let off = 2.0 * half_ulp(f64::from(largest));
    assert!(oracle(&found.point, corners) <= off, "{case}: not on the triangle");
    let way: [f64; 3] = std::array::from_fn(|i| f64::from(found.point[i]) - f64::from(point[i]));
    assert!(way.iter().map(|x| x * x).sum::<f64>().sqrt() <= far * (1.0 + 1e-12) + off, "{case}: another distance");
    assert!(found.u.is_sign_positive() && found.v.is_sign_positive(), "{case}: no weight is negative, nor -0");
    let weights = [1.0 - f64::from(found.u) - f64::from(found.v), f64::from(found.u), f64::from(found.v)];
    assert!(weights.iter().all(|w| (-1e-6..=1.000_001).contains(w)), "{case}");
    let blend = |i: usize| (0..3).map(|k| weights[k] * f64::from(corners[k][i])).sum::<f64>();
    assert!((0..3).all(|i| (blend(i) - f64::from(found.point[i])).abs() <= 4.0 * off), "{case}: other weights");
    match found.feature {
        Feature::Vertex(k) => assert_eq!(found.point, corners[usize::from(k)], "{case}"),
        Feature::Edge(k) => assert!(weights[(usize::from(k) + 2) % 3].abs() <= 1e-6, "{case}"),
        Feature::Face => assert!(weights.iter().all(|&w| w >= -1e-6), "{case}"),
    }
}

#[track_caller]
fn check_flat(triangles: &FlatTriangles, points: &[Point]) {
    let tracers = tracers(triangles);
    let engines: Vec<_> = tracers.iter().map(|(name, tracer)| (name.clone(), tracer as &dyn Finds)).collect();
    check(triangles, points, &engines);
}

#[track_caller]
pub fn check_levels(scene: &Scene, points: &[Point]) {
    let tracers = scene.tracers();
    let engines: Vec<_> = tracers.iter().map(|(name, tracer)| (name.clone(), tracer as &dyn Finds)).collect();
    check(&scene.flat(), points, &engines);
}

/// Points near and far, on corners, on edges and on faces.
pub fn points(triangles: &FlatTriangles, random: &mut Random, count: usize, size: f32) -> Vec<Point> {
    let one = |i: usize| -> Point {
        let [a, b, c] = triangles.vertices[random.below(triangles.len())];
        let s = random.unit();
        let blend = |u: f32, v: f32| -> Point { std::array::from_fn(|k| a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k])) };
        match i % 6 {
            0 => random.point().map(|x| 2.0 * size * x),
            1 => {
                let (on, off) = (blend(0.3 * s, 0.6), random.point());
                std::array::from_fn(|k| on[k] + 0.01 * size * off[k])
            }
            2 => a,
            3 => blend(s, 0.0),
            4 => blend(0.5 * s, 0.4),
            _ => {
                // Beyond a corner of the shape, where several triangles are equally near.
                let middle = blend(0.0, 0.0);
                middle.map(|x| 1.25 * x)
            }
        }
    };
    (0..count).map(one).collect()
}

#[test]
fn soups_answer_as_every_triangle_does() {
    let mut random = Random::new(21);
    for (count, size) in [(1, 0.5), (60, 1.0), (400, 0.1)] {
        let triangles = soup(count, size, 8);
        check_flat(&triangles, &points(&triangles, &mut random, 120, 1.0));
    }
}

#[test]
fn where_triangles_share_corners_and_edges_the_lower_id_answers() {
    let mut random = Random::new(22);
    for vertices in [ball(2), grid(6, 0.0)] {
        let triangles = FlatTriangles::from_vertices(vertices);
        check_flat(&triangles, &points(&triangles, &mut random, 150, 2.0));
    }
    // Above lattice points of a grid six triangles meet, and their distance is exact.
    let triangles = FlatTriangles::from_vertices(grid(8, 0.0));
    for (_, tracer) in tracers(&triangles) {
        for (x, y) in [(1, 1), (3, 5), (7, 2)] {
            let found = tracer.one([x as f32, y as f32, 2.0], f32::INFINITY).unwrap();
            let touching = |corners: &[Point; 3]| corners.contains(&[x as f32, y as f32, 0.0]);
            let first = triangles.vertices.iter().position(touching).unwrap();
            assert_eq!((found.distance, found.primitive as usize), (2.0, first));
            assert!(matches!(found.feature, Feature::Vertex(_)));
        }
    }
}

#[test]
fn points_a_hair_off_a_surface_are_told_the_lower_id_too() {
    let mut random = Random::new(29);
    for hair in [1e-14, 1e-16, 1e-17, 1e-20] {
        for fans in [3, 9, 60] {
            let mut coarse = || (random.unit() * 16.0).floor() / 4.0;
            // All around one corner; some others are as near to the plane of the point.
            let corner = [coarse(), coarse(), -hair];
            let mut other = || [coarse(), coarse(), if coarse() < 1.0 { -hair } else { -0.25 - coarse() }];
            let mut fan = |i: usize| {
                let mut corners = [corner, other(), other()];
                corners.rotate_left(i % 3);
                corners
            };
            let triangles = FlatTriangles::from_vertices((0..fans).map(&mut fan).collect());
            let points: Vec<Point> = (0..30)
                .map(|i| [corner[0] + 0.25 * (i % 3) as f32, corner[1] + 0.25 * (i / 3 % 3) as f32, 0.0])
                .collect();
            check_flat(&triangles, &points);
        }
    }
}

#[test]
fn triangles_at_one_place_are_told_by_their_ids() {
    let mut triangles = soup(3, 0.5, 5);
    triangles.vertices = (0..90).map(|i| triangles.vertices[i % 3]).collect();
    triangles = FlatTriangles::from_vertices(triangles.vertices);
    let mut random = Random::new(23);
    check_flat(&triangles, &points(&triangles, &mut random, 60, 1.0));
}

#[test]
fn a_scene_that_is_all_at_the_point_is_found_there() {
    for at in [0.0, 1e-40, 0.25, 4.0, 4.078_369, 1e38, -f32::MAX] {
        let point = [at, -at, at];
        for count in [1, 4, 6] {
            let triangles = FlatTriangles::from_vertices(vec![[point; 3]; count]);
            check_flat(&triangles, &[point]);
            for (name, tracer) in tracers(&triangles) {
                let found = tracer.one(point, f32::INFINITY).map(|found| (found.distance, found.primitive));
                assert_eq!(found, Some((0.0, 0)), "{name}, {count} at {at}");
            }
        }
    }
}

#[test]
fn needles_and_triangles_without_area_are_as_near_as_they_are() {
    let mut random = Random::new(24);
    let mut vertices = Vec::new();
    for i in 0..120 {
        let (a, way, aside) = (random.point(), random.point(), random.point());
        let t = random.unit();
        let thin = [0.0, 1e-30, 1e-12, 1e-8, 3e-8, 1e-7, 1e-4][i % 7];
        let along = |t: f32, w: f32| -> Point { std::array::from_fn(|k| a[k] + t * way[k] + w * aside[k]) };
        vertices.push(match i % 5 {
            0 => [a; 3],
            1 => [a, a, along(1.0, 0.0)],
            2 => [a, along(1.0, 0.0), along(t, thin)],
            3 => [a, along(thin, thin), along(1.0, 0.0)],
            _ => [along(1.0, thin), a, along(2.0 * t, 0.0)],
        });
    }
    let triangles = FlatTriangles::from_vertices(vertices);
    check_flat(&triangles, &points(&triangles, &mut random, 300, 1.0));
}

#[test]
fn huge_and_tiny_scenes_neither_overflow_nor_vanish() {
    let mut random = Random::new(25);
    for scale in [1e-44f32, 1e-38, 1e-30, 1e-18, 1e18, 1e30, 1.5e38] {
        let mut triangles = soup(50, 0.5, 6);
        triangles.vertices.iter_mut().flatten().flatten().for_each(|x| *x *= scale);
        let mut points = points(&triangles, &mut random, 60, scale);
        points.iter_mut().flatten().for_each(|x| *x = x.clamp(f32::MIN, f32::MAX));
        points.push([f32::MAX, f32::MIN, 0.0]);
        check_flat(&triangles, &points);
    }
    // Small and huge triangles together.
    let mut triangles = soup(80, 0.5, 6);
    for (i, corners) in triangles.vertices.iter_mut().enumerate() {
        corners.iter_mut().flatten().for_each(|x| *x *= [1e-20f32, 1e-6, 1.0, 1e15][i % 4]);
    }
    let mut all = points(&triangles, &mut random, 120, 1.0);
    all.extend(points(&triangles, &mut random, 60, 1e-6));
    check_flat(&triangles, &all);
}

#[test]
fn small_triangles_far_from_zero_are_told_apart() {
    let mut random = Random::new(26);
    let mut triangles = soup(80, 0.2, 4);
    triangles.vertices.iter_mut().flatten().for_each(|p| *p = [p[0] + 3e4, p[1] - 7e3, p[2]]);
    let near: Vec<Point> = points(&triangles, &mut random, 120, 1.0);
    let shifted = near.iter().enumerate().map(|(i, p)| if i % 6 == 0 { [p[0] + 3e4, p[1] - 7e3, p[2]] } else { *p });
    check_flat(&triangles, &shifted.collect::<Vec<_>>());
}

#[test]
fn placements_answer_as_the_flattened_scene_does() {
    let mut random = Random::new(27);
    for shift in [0.0, 2.0, 1e3, 1e6] {
        let trees = vec![soup(40, 0.4, 3), soup(9, 1.5, 4), FlatTriangles::default()];
        let mut placed: Vec<_> = (0..12).map(|i| (i % 3, transform(&mut random, shift))).collect();
        placed.push((0, Affine64::IDENTITY));
        let scene = Scene::new(trees, placed);
        check_levels(&scene, &points(&scene.flat(), &mut random, cases(120), 1.0 + shift));
    }
}

#[test]
fn placements_at_the_very_same_place_are_told_by_their_numbers() {
    let mut random = Random::new(30);
    let turn = transform(&mut random, 1.0);
    for map in [Affine64::IDENTITY, turn] {
        let scene = Scene::new(vec![soup(30, 0.5, 7), soup(30, 0.5, 7)], [0, 1, 0, 1, 0].map(|tree| (tree, map)));
        check_levels(&scene, &points(&scene.flat(), &mut random, 60, 1.5));
    }
}

#[test]
fn sheared_and_squeezed_placements_far_from_their_own_origin_are_bounded() {
    let mut random = Random::new(28);
    for offset in [1e2f32, 1e5] {
        let mut far = soup(40, 0.3, 9);
        far.vertices.iter_mut().flatten().for_each(|p| p[0] += offset);
        let back = Affine64::translation([-f64::from(offset), 0.0, 0.0]);
        let squeeze = |i: usize| Affine64::scale([[30.0, 1.0, 0.1], [0.1, 20.0, -1.0], [1e-6, 1e-6, 1e-6]][i % 3]);
        let placed = (0..6).map(|i| (0, transform(&mut random, 2.0).after(&squeeze(i)).after(&back)));
        let scene = Scene::new(vec![far], placed.collect::<Vec<_>>());
        let flat = scene.flat();
        for size in [2.0, 1e4] {
            check_levels(&scene, &points(&flat, &mut random, cases(90), size));
        }
    }
}

#[test]
fn what_cannot_be_asked_is_none_and_counted() {
    let triangles = soup(30, 0.5, 3);
    let bad = [[f32::NAN, 0.0, 0.0], [0.0, f32::INFINITY, 0.0], [0.0, 0.0, f32::NEG_INFINITY]];
    let asked: Vec<Point> = bad.into_iter().chain([[0.0; 3]]).collect();
    check_flat(&triangles, &asked);
    let tracer = CpuTracer::new(&tree(&triangles, 4), &triangles).unwrap();
    for within in [f32::NAN, -1.0, -0.0f32.next_up()] {
        assert_eq!(tracer.one([0.0; 3], within), None);
    }
    assert!(tracer.one(triangles.vertices[3][1], 0.0).is_some_and(|found| found.distance == 0.0));
    let empty = FlatTriangles::default();
    check_flat(&empty, &asked);
    check(&empty, &asked, &[("no levels".to_string(), &LevelsTracer::new(Vec::new(), &[]).unwrap())]);
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let control = Control { cancel: Some(&cancel), ..Control::default() };
    let cancelled = tracer.nearest_each((&asked, 1.0), &mut [None; 4], |answer| answer, &control);
    assert_eq!(cancelled, Err(TraceError::Cancelled));
}

#[test]
fn large_batches_answer_as_single_points_do() {
    let triangles = soup(300, 0.2, 12);
    let tracer = CpuTracer::new(&tree(&triangles, 4), &triangles).unwrap();
    let mut random = Random::new(29);
    let asked: Vec<Point> = (0..40_000)
        .map(|i| if i % 1000 == 7 { [f32::NAN; 3] } else { sub(random.point(), [0.0; 3]).map(|x| 1.5 * x) })
        .collect();
    let (found, invalid) = tracer.each(&asked, 0.3);
    assert_eq!(invalid, 40);
    let (mut none, mut some) = (0, 0);
    for (point, found) in asked.iter().zip(found) {
        assert_eq!(found, tracer.one(*point, 0.3));
        if found.is_some() { some += 1 } else { none += 1 }
    }
    assert!(none > 1000 && some > 1000);
}
