//! Every engine and instruction set of this machine against every triangle, bit for bit.

use crate::common::{all_hits, ball, check, grid, random_ray, soup, sub, tracers};
use raywarp_cpu::{CpuOptions, CpuTracer, CpuTree, CpuTriangleTest};
use raywarp_geom::{FlatTriangles, HitKey, PrimitiveId, Ray};
use raywarp_testing::{Random, cases};

#[test]
fn random_rays_through_random_triangles_agree_with_every_triangle() {
    for (count, size) in [(1, 1.0), (2, 0.5), (7, 0.5), (60, 0.3), (700, 0.1), (300, 2.0)] {
        let mut random = Random::new(count as u64);
        check(&soup(count, size, 1), &(0..cases(300)).map(|_| random_ray(&mut random)).collect::<Vec<_>>());
    }
}

#[test]
fn a_scene_without_triangles_is_missed() {
    let rays = [Ray::new([0.0; 3], [0.0, 0.0, 1.0]), Ray::new([f32::NAN; 3], [1.0; 3])];
    check(&FlatTriangles::default(), &rays);
}

#[test]
fn no_ray_leaves_a_closed_ball_through_edges_or_corners() {
    let vertices = ball(4);
    let triangles = FlatTriangles::from_vertices(vertices.clone());
    let mut random = Random::new(3);
    let mut rays = Vec::new();
    for [a, b, c] in &vertices {
        for weights in [[1.0, 0.0], [0.5, 0.5], [random.unit(), 0.0], [0.3, 0.7]] {
            for (from, to) in [(a, b), (b, c)] {
                let target = std::array::from_fn(|i| weights[0] * from[i] + weights[1] * to[i]);
                let origin = random.point().map(|x| 0.3 * x);
                rays.push(Ray::new(origin, sub(target, origin)));
            }
        }
    }
    for (name, tracer) in tracers(&triangles) {
        let (hits, _, _) = crate::common::closest(&tracer, &rays, &[]);
        let missed = hits.iter().filter(|hit| !hit.is_hit()).count();
        assert_eq!(missed, 0, "{name}: of {} rays", rays.len());
    }
    check(&triangles, &rays.into_iter().step_by(97).collect::<Vec<_>>());
}

#[test]
fn rays_through_the_edges_and_corners_of_a_grid_agree() {
    // Far from the origin of space, an ulp is more than what boxes near it are padded by.
    for shift in [0.0, 131_072.0] {
        let place = |p: [f32; 3]| p.map(|x| x + shift);
        let triangles = FlatTriangles::from_vertices(grid(12, 1.0).iter().map(|t| t.map(place)).collect());
        let mut rays = Vec::new();
        for x in 0..=24 {
            for y in 0..=24 {
                let target = [0.5 * x as f32, 0.5 * y as f32, 1.0];
                // Straight down: the direction has zeros, and the ray lies in box faces.
                rays.push(Ray::new(place([target[0], target[1], 3.0]), [0.0, -0.0, -1.0]));
                rays.push(Ray::new(place([5.25, 4.75, -2.0]), sub(target, [5.25, 4.75, -2.0])));
            }
        }
        check(&triangles, &rays);
    }
}

#[test]
fn of_coincident_triangles_the_lowest_id_wins_and_all_are_found_one_by_one() {
    let triangle = [[-1.0, -1.0, 2.0], [1.0, -1.0, 2.0], [0.0, 1.0, 2.0]];
    let mut vertices = vec![triangle; 40];
    vertices.extend(soup(60, 0.4, 5).vertices);
    let mut triangles = FlatTriangles::from_vertices(vertices);
    for (i, id) in triangles.ids.iter_mut().enumerate() {
        *id = PrimitiveId { instance: i as u32 / 25, primitive: i as u32 % 25 };
    }
    let mut random = Random::new(11);
    let rays: Vec<Ray> = (0..40)
        .map(|_| {
            let [x, y, _] = random.point();
            Ray::new([x, y, -3.0], [-0.2 * x, -0.2 * y, 1.0])
        })
        .collect();
    check(&triangles, &rays);
    for (name, tracer) in tracers(&triangles) {
        for (r, ray) in rays.iter().enumerate() {
            let mut after = HitKey::START;
            for (n, want) in all_hits(&triangles, ray).iter().enumerate() {
                let (hits, instances, _) = crate::common::closest(&tracer, &[*ray], &[after]);
                let got = HitKey { t: hits[0].t, instance: instances[0], primitive: hits[0].primitive };
                assert_eq!(got, crate::common::key(want), "{name}, ray {r}, hit {n}");
                after = got;
            }
            let (hits, _, _) = crate::common::closest(&tracer, &[*ray], &[after]);
            assert!(!hits[0].is_hit(), "{name}, ray {r}: something after the last hit");
        }
    }
}

#[test]
fn woops_test_agrees_away_from_edges() {
    let triangles = soup(500, 0.2, 9);
    let engine = CpuTree::Bvh2(CpuTriangleTest::Woop);
    let options = CpuOptions { engine, ..CpuOptions::default() };
    let tracer = CpuTracer::with_options(&crate::common::tree(&triangles, 4), &triangles, &options).unwrap();
    let mut random = Random::new(2);
    let rays: Vec<Ray> = (0..2000).map(|_| random_ray(&mut random)).collect();
    let (hits, instances, _) = crate::common::closest(&tracer, &rays, &[]);
    let mut differ = 0;
    for (i, ray) in rays.iter().enumerate() {
        let want = all_hits(&triangles, ray);
        let agrees = match want.first() {
            Some((want, instance, _)) => {
                hits[i].primitive == want.primitive
                    && instances[i] == *instance
                    && (hits[i].t - want.t).abs() < 1e-4 * want.t
            }
            None => !hits[i].is_hit(),
        };
        differ += usize::from(!agrees);
    }
    assert!(differ <= 2, "{differ} of 2000 rays differ");
}

/// The same answers as f64 Moeller-Trumbore over every triangle, up to rounding.
#[test]
fn distances_agree_with_an_f64_oracle() {
    let triangles = soup(400, 0.3, 21);
    let mut random = Random::new(8);
    let rays: Vec<Ray> = (0..500).map(|_| random_ray(&mut random)).collect();
    let tracer = CpuTracer::new(&crate::common::tree(&triangles, 8), &triangles).unwrap();
    let (hits, _, _) = crate::common::closest(&tracer, &rays, &[]);
    for (i, ray) in rays.iter().enumerate() {
        let nearest = |slack: f64| {
            let ts = triangles.vertices.iter().filter_map(|v| oracle_t(ray, v, slack));
            ts.fold(f64::INFINITY, f64::min)
        };
        // Triangles a little larger and a little smaller bracket what rounding at an edge may do.
        let (low, high) = (nearest(1e-5) * (1.0 - 1e-4), nearest(-1e-5) * (1.0 + 1e-4));
        let t = f64::from(hits[i].t);
        assert!(low <= t && t <= high, "ray {i}: {t} is not in {low} ..= {high}");
    }
}

fn oracle_t(ray: &Ray, vertices: &[[f32; 3]; 3], slack: f64) -> Option<f64> {
    let [a, b, c] = vertices.map(|v| v.map(f64::from));
    let (o, d) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let (e1, e2, s) = (sub(b, a), sub(c, a), sub(o, a));
    let (p, q) = (cross(d, e2), cross(s, e1));
    let det = dot(e1, p);
    let (t, u, v) = (dot(e2, q) / det, dot(s, p) / det, dot(d, q) / det);
    (det != 0.0 && u >= -slack && v >= -slack && u + v <= 1.0 + slack && t >= 0.0).then_some(t)
}
