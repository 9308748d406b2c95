//! Both tests where they must agree, and what only the watertight one promises.

use super::*;
use crate::{Aabb, PaddedRay, PaddedSlab, Ray};
use raywarp_testing::Random;

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]];

#[test]
fn both_tests_give_t_and_barycentrics() {
    for direction in [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]] {
        let ray = Ray::new([0.25, 0.5, 0.0], direction);
        let expected = [2.0 / direction[2], 0.25, 0.5];
        assert_eq!(Watertight::new(&ray).test(&TRIANGLE), Some(expected));
        assert_eq!(moeller_trumbore(&ray, &TRIANGLE), Some(expected));
    }
    let beside = Ray::new([0.75, 0.5, 0.0], [0.0, 0.0, 1.0]);
    assert_eq!(Watertight::new(&beside).test(&TRIANGLE), None);
    assert_eq!(moeller_trumbore(&beside, &TRIANGLE), None);
}

#[test]
fn a_hit_behind_has_negative_t() {
    let ray = Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, 1.0]);
    assert_eq!(Watertight::new(&ray).test(&TRIANGLE).unwrap()[0], -1.0);
}

#[test]
fn rays_through_shared_edges_and_vertices_hit_a_neighbour() {
    // A fan of eight triangles around an irrational point, seen from many places.
    let center = [0.1f32, 0.2, 0.3];
    let rim: Vec<[f32; 3]> = (0..8)
        .map(|i| {
            let a = i as f32 * std::f32::consts::TAU / 8.0 + 0.05;
            [center[0] + a.cos(), center[1] + a.sin(), 0.3 + 0.11 * (i % 3) as f32]
        })
        .collect();
    for step in 0..2000 {
        let s = step as f32;
        let origin = [0.3 * (0.37 * s).sin(), 0.3 * (0.73 * s).cos(), -2.0 - 0.001 * s];
        let corner = rim[step % 8];
        let along = (step % 101) as f32 / 125.0;
        let target: [f32; 3] = std::array::from_fn(|i| center[i] + along * (corner[i] - center[i]));
        let ray = Ray::new(origin, std::array::from_fn(|i| target[i] - origin[i]));
        let test = Watertight::new(&ray);
        let hits = (0..8).filter(|&i| test.test(&[center, rim[i], rim[(i + 1) % 8]]).is_some()).count();
        assert!(hits >= 1, "ray {step} slipped through");
    }
}

#[test]
fn degenerate_triangles_are_missed() {
    let ray = Ray::new([0.25, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let flat = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.5, 0.0, 2.0]];
    assert_eq!(Watertight::new(&ray).test(&flat), None);
    assert_eq!(Watertight::new(&ray).test(&[[0.25, 0.0, 2.0]; 3]), None);
}

#[test]
fn the_t_of_a_sliver_lies_within_its_box() {
    let mut random = Random::new(5);
    let (mut hits, mut far_off) = (0, 0);
    for case in 0..300_000 {
        let (a, mut b) = (random.point(), random.point());
        // Most boxes thin, so that they tell where along the sliver a hit is.
        if case % 4 != 0 {
            b[case as usize % 3] = a[case as usize % 3] + 1e-4 * random.unit();
        }
        let s = random.unit();
        // A third corner almost on the edge between the others.
        let width = 1e-3 * 10f32.powi(-(case % 6));
        let c: [f32; 3] = std::array::from_fn(|i| a[i] + s * (b[i] - a[i]) + width * (random.unit() - 0.5));
        let origin = random.point().map(|x| 3.0 * x);
        let weights = [random.unit(), random.unit()];
        let target: [f32; 3] = std::array::from_fn(|i| {
            let along = a[i] + weights[0] * (b[i] - a[i]);
            along + 0.5 * weights[1] * (c[i] - along)
        });
        let ray = Ray::new(origin, std::array::from_fn(|i| target[i] - origin[i]));
        let bounds = Aabb::of_points(&[a, b, c]);
        let Some([t, u, v]) = Watertight::new(&ray).test(&[a, b, c]) else { continue };
        hits += 1;
        let at = |t: f32| PaddedRay::new(&ray, &bounds).enter(&bounds, t, t).is_some();
        assert!(at(t), "{ray:?} hits {a:?} {b:?} {c:?} at {t}, outside its box");
        assert!(u >= 0.0 && v >= 0.0 && u + v < 1.0 + 1e-6);
        let fused = PaddedSlab::new(&ray, &bounds);
        assert!(fused.enter(&bounds, t, t).is_some());
        // The box test would notice a t that is off by a thousandth of the sliver.
        far_off += usize::from(!at(t + 0.001) || !at(t - 0.001));
    }
    assert!(hits > 20_000 && far_off > hits / 10, "{hits} hits, of {far_off} the box is short");
}

#[test]
fn triangles_and_directions_of_any_size_are_hit_where_they_are() {
    let mut random = Random::new(9);
    for exponent in [-140i32, -126, -110, -75, -60, -20, 0, 20, 60, 64, 90, 120, 126] {
        for length in [-145i32, -127, -60, 0, 60, 126] {
            // t = 2^(exponent - length) or less must be a float.
            if exponent - length > 124 || exponent - length < -140 {
                continue;
            }
            let [size, length] = [exponent, length].map(|e| 2f64.powi(e) as f32);
            for _ in 0..50 {
                // Corners and directions in eighths, exact at any size, also as denormals.
                let eighth = |x: f32| (8.0 * x).round() / 8.0;
                let triangle = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
                let origin = [0.25 + 0.25 * eighth(random.unit()), 0.25, 0.0];
                let side = if random.unit() < 0.5 { 1.0 } else { -1.0 };
                let placed = triangle.map(|p| [p[0] * size, p[1] * size, side * p[2] * size]);
                let ray = Ray::new(origin.map(|x| x * size), [0.0, -0.0, side * length]);
                let hit = Watertight::new(&ray).test(&placed);
                let want = f64::from(size) / f64::from(length);
                let Some([t, u, v]) = hit else { panic!("{ray:?} misses {placed:?}") };
                assert!((f64::from(t) - want).abs() <= 1e-6 * want + 1e-44, "{t} is not {want}");
                assert!((u - origin[0]).abs() < 1e-5 && (v - 0.25).abs() < 1e-5, "{u} {v}");
                let beside = Ray::new([1.5 * size, 0.25 * size, 0.0], ray.direction);
                assert_eq!(Watertight::new(&beside).test(&placed), None);
            }
        }
    }
}

#[test]
fn the_largest_floats_are_hit_and_nan_is_not() {
    let m = f32::MAX;
    let wall = [[-m, -m, m], [m, -m, m], [0.0, m, m]];
    let hit = Watertight::new(&Ray::new([0.0, 0.0, -m], [0.0, 0.0, m])).test(&wall);
    assert!(hit.is_some_and(|[t, ..]| (t - 2.0).abs() < 1e-6), "{hit:?}");
    // Overflows on the way to one corner, and the neighbour agrees about the edge between them.
    let floor = [[[-m, -m, 0.0], [m, m, 0.0], [m, -m, 0.0]], [[-m, -m, 0.0], [-m, m, 0.0], [m, m, 0.0]]];
    for x in [0.0, 1.0, -1e30, 2e38] {
        let ray = Ray::new([x, x, 1.0], [0.0, 0.0, -1.0]);
        assert!(floor.iter().any(|half| Watertight::new(&ray).test(half).is_some()), "{x}");
    }
    let ray = Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0]);
    for corner in 0..3 {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut triangle = TRIANGLE;
            triangle[corner][2] = bad;
            assert_eq!(Watertight::new(&ray).test(&triangle), None);
            triangle[corner] = [bad; 3];
            assert_eq!(Watertight::new(&ray).test(&triangle), None);
        }
    }
}
