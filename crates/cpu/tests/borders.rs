//! Rays at the borders of definition, through every way to test triangles and boxes, against f64.

use crate::common::{check, grid, random_ray, soup, sub};
use raywarp_cpu::{CpuBoxTest, CpuOptions, CpuTracer, CpuTree, CpuTriangleTest};
use raywarp_geom::{FlatTriangles, Hit, Ray, offset_from_triangle};
use raywarp_testing::{Random, cases};

/// Every engine and instruction set, and the papers' tests; with whether its tests are watertight.
fn ways(triangles: &FlatTriangles) -> Vec<(String, CpuTracer, bool)> {
    let mut all: Vec<_> =
        crate::common::tracers(triangles).into_iter().map(|(name, tracer)| (name, tracer, true)).collect();
    let tree = crate::common::tree(triangles, 4);
    for test in [CpuTriangleTest::Watertight, CpuTriangleTest::Woop, CpuTriangleTest::MoellerTrumbore] {
        for boxes in [CpuBoxTest::Padded, CpuBoxTest::Plain] {
            let options = CpuOptions { engine: CpuTree::Bvh2(test), boxes, ..CpuOptions::default() };
            let tracer = CpuTracer::with_options(&tree, triangles, &options).unwrap();
            let watertight = (test, boxes) == (CpuTriangleTest::Watertight, CpuBoxTest::Padded);
            all.push((format!("{test:?}, {boxes:?}"), tracer, watertight));
        }
    }
    all
}

/// `t` of the nearest hit of triangles that are larger by `slack` of themselves, in f64.
fn nearest(triangles: &FlatTriangles, ray: &Ray, slack: f64) -> f64 {
    if !ray.is_valid() {
        return f64::INFINITY;
    }
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let (o, d) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
    let reach = |t: f64| 1e-5 * slack.signum() * (1e-3 + t.abs());
    let hits = triangles.vertices.iter().filter_map(|vertices| {
        let [a, b, c] = vertices.map(|v| v.map(f64::from));
        let (e1, e2, s) = (sub(b, a), sub(c, a), sub(o, a));
        let (p, q) = (cross(d, e2), cross(s, e1));
        let det = dot(e1, p);
        let (t, u, v) = (dot(e2, q) / det, dot(s, p) / det, dot(d, q) / det);
        let inside = det != 0.0 && u >= -slack && v >= -slack && u + v <= 1.0 + slack;
        (inside && t >= f64::from(ray.t_min) - reach(t) && t <= f64::from(ray.t_max) + reach(t)).then_some(t)
    });
    hits.fold(f64::INFINITY, f64::min)
}

/// Every way against f64: the nearest hit lies between that of slightly larger and that of slightly
/// smaller triangles and intervals. Returns how many rays of watertight ways had a hit.
#[track_caller]
fn check_f64(triangles: &FlatTriangles, rays: &[Ray]) -> usize {
    let brackets: Vec<[f64; 2]> =
        rays.iter().map(|r| [1e-4, -1e-4].map(|slack| nearest(triangles, r, slack))).collect();
    let invalid = rays.iter().filter(|ray| !ray.is_valid()).count() as u64;
    let mut found = 0;
    for (name, tracer, _) in ways(triangles) {
        let (hits, _, stats) = crate::common::closest(&tracer, rays, &[]);
        assert_eq!((stats.rays, stats.invalid), (rays.len() as u64, invalid), "{name}");
        for ((ray, hit), [low, high]) in rays.iter().zip(&hits).zip(&brackets) {
            let t = if hit.is_hit() { f64::from(hit.t) } else { f64::INFINITY };
            let slack = |t: f64| if t.is_finite() { 1e-4 * t.abs() + 1e-6 } else { 0.0 };
            let between = low - slack(*low) <= t && t <= high + slack(*high);
            assert!(between, "{name}: {ray:?} got {hit:?}, f64 says {low} to {high}");
            found += usize::from(hit.is_hit());
        }
    }
    found
}

#[test]
fn ordinary_rays_agree_with_f64_in_every_way() {
    let mut random = Random::new(4);
    let rays: Vec<Ray> = (0..400).map(|_| random_ray(&mut random)).collect();
    assert!(check_f64(&soup(300, 0.3, 3), &rays) > 1000);
}

#[test]
fn zero_and_denormal_components_agree_with_f64_in_every_way() {
    let mut random = Random::new(8);
    let mut rays = Vec::new();
    for tiny in [0.0f32, -0.0, 1e-45, -1e-45, 1e-40, -1e-38, 1e-30, 1e-20] {
        for axis in 0..3 {
            for _ in 0..10 {
                let mut direction = [tiny; 3];
                direction[axis] = if random.unit() < 0.5 { 1.0 } else { -1.0 };
                rays.push(Ray::new(random.point(), direction));
                direction[(axis + 1) % 3] = 0.4 - random.unit();
                rays.push(Ray::new(random.point(), direction));
            }
        }
    }
    assert!(check_f64(&soup(300, 0.3, 5), &rays) > 1000);
}

#[test]
fn directions_of_denormal_length_agree() {
    let mut random = Random::new(19);
    // So short that only what is near has a finite t.
    let triangles = {
        let mut triangles = soup(100, 0.4, 4);
        triangles.vertices.iter_mut().for_each(|v| *v = v.map(|p| p.map(|x| x * 0.05)));
        triangles
    };
    let rays: Vec<Ray> = (0..200)
        .map(|_| {
            let ray = random_ray(&mut random);
            Ray::new(ray.origin.map(|x| 0.05 * x), ray.direction.map(|x| 1e-39 * x))
        })
        .collect();
    check(&triangles, &rays);
    let hits = rays.iter().filter(|ray| !crate::common::all_hits(&triangles, ray).is_empty()).count();
    assert!(hits > 50, "only {hits} hit");
}

#[test]
fn nan_and_infinite_rays_miss_in_every_way_and_are_counted() {
    let good = Ray::new([0.0, 0.0, -3.0], [0.0, 0.1, 1.0]);
    let mut rays = vec![Ray::new([0.1; 3], [0.0, -0.0, 0.0]), good.with_interval(2.0, 1.0)];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let (mut a, mut b) = (good, good);
            a.origin[axis] = bad;
            b.direction[axis] = bad;
            rays.extend([a, b]);
        }
    }
    rays.extend([good.with_interval(f32::NAN, 1.0), good.with_interval(0.0, f32::NAN)]);
    let triangles = soup(80, 0.5, 2);
    assert_eq!(check_f64(&triangles, &rays), 0);
    check(&triangles, &rays);
    for (name, tracer, _) in ways(&triangles) {
        let (blocked, undecided) = crate::common::any(&tracer, &rays, &[]);
        assert!(!blocked.contains(&true) && undecided.is_empty(), "{name}");
    }
}

#[test]
fn a_hit_exactly_at_an_end_of_the_interval_counts_and_one_ulp_beyond_does_not() {
    // Walls at distances that every test finds without rounding.
    let vertices = [1.0f32, 2.0, 4.0].map(|z| [[-8.0, -8.0, z], [8.0, -8.0, z], [0.0, 8.0, z]]);
    let triangles = FlatTriangles::from_vertices(vertices.to_vec());
    let ray = Ray::new([0.5, 0.25, 0.0], [0.0, 0.0, 1.0]);
    let cases = [
        (0.0, 1.0, Some(1.0)),
        (0.0, 1f32.next_down(), None),
        (1.0, 8.0, Some(1.0)),
        (1f32.next_up(), 8.0, Some(2.0)),
        (2.0, 2.0, Some(2.0)),
        (2f32.next_up(), 4f32.next_down(), None),
        (4.0, f32::INFINITY, Some(4.0)),
        (4f32.next_up(), f32::INFINITY, None),
        (-1.0, 0.0, None),
        (f32::NEG_INFINITY, 2.0, Some(1.0)),
    ];
    for (name, tracer, _) in ways(&triangles) {
        for length in [1.0f32, 0.25, 1024.0] {
            for (t_min, t_max, want) in cases {
                let ray = Ray { direction: ray.direction.map(|x| x / length), ..ray };
                let ray = ray.with_interval(t_min * length, t_max * length);
                let (hits, _, _) = crate::common::closest(&tracer, &[ray], &[]);
                let got = hits[0].is_hit().then_some(hits[0].t);
                assert_eq!(got, want.map(|t| t * length), "{name}: {t_min} to {t_max}");
                assert_eq!(
                    crate::common::any(&tracer, &[ray], &[]).0[0],
                    want.is_some(),
                    "{name}: any, {t_min} to {t_max}"
                );
            }
        }
    }
}

#[test]
fn a_ray_that_starts_on_a_surface_hits_it_at_zero_unless_t_min_forbids() {
    let triangles = FlatTriangles::from_vertices(grid(8, 1.0));
    let mut random = Random::new(6);
    for (name, tracer, watertight) in ways(&triangles) {
        for _ in 0..50 {
            let inner = |random: &mut Random| 8.0 * (0.05 + 0.9 * random.unit());
            let origin = [inner(&mut random), inner(&mut random), 1.0];
            let sign = if random.unit() < 0.5 { 1.0 } else { -1.0 };
            let ray = Ray::new(origin, [random.unit() - 0.5, random.unit() - 0.5, sign]);
            let (hits, _, _) = crate::common::closest(&tracer, &[ray, ray.with_interval(f32::from_bits(1), 9.0)], &[]);
            if watertight {
                assert!(hits[0].is_hit() && hits[0].t == 0.0, "{name}: {ray:?} {:?}", hits[0]);
                assert!(!hits[1].is_hit(), "{name}: {ray:?} {:?}", hits[1]);
            }
        }
        // In the plane: a line to the test, which is missed, whatever the engine.
        let along = Ray::new([0.3, 0.4, 1.0], [1.0, 0.3, 0.0]);
        assert!(!crate::common::closest(&tracer, &[along], &[]).0[0].is_hit(), "{name}");
    }
}

#[test]
fn rays_from_offset_origins_do_not_hit_where_they_start() {
    let mut random = Random::new(12);
    for (scale, shift) in [(1.0, 0.0), (1e3, 0.0), (1.0, 300.0), (0.01, 1.0)] {
        let place = |p: [f32; 3]| p.map(|x| x * scale + shift);
        let mut triangles = soup(200, 0.4, 7);
        triangles.vertices.iter_mut().for_each(|v| *v = v.map(place));
        let rays: Vec<Ray> = (0..4000)
            .map(|_| {
                let ray = random_ray(&mut random);
                Ray::new(place(ray.origin), ray.direction.map(|x| x * scale))
            })
            .collect();
        assert_eq!(self_hits(&triangles, &rays, &mut random), 0, "scale {scale}, shift {shift}");
    }
    // Large triangles, hit where coordinates are near zero and tell nothing of the rounding.
    for _ in 0..20 {
        let (a, b) = (random.point().map(|x| 2000.0 * x), random.point().map(|x| 2000.0 * x));
        let triangles = FlatTriangles::from_vertices(vec![[a, b, std::array::from_fn(|i| -a[i] - b[i])]]);
        let rays: Vec<Ray> = (0..200)
            .map(|_| {
                let (origin, target) = (random.point().map(|x| 10.0 * x), random.point().map(|x| 0.01 * x));
                Ray::new(origin, sub(target, origin))
            })
            .collect();
        assert_eq!(self_hits(&triangles, &rays, &mut random), 0, "{:?}", triangles.vertices);
    }
}

/// How many rays from where `rays` hit, moved off the surface, hit the same triangle again.
fn self_hits(triangles: &FlatTriangles, rays: &[Ray], random: &mut Random) -> usize {
    let tracer = CpuTracer::new(&crate::common::tree(triangles, 4), triangles).unwrap();
    let (hits, instances, _) = crate::common::closest(&tracer, rays, &[]);
    let (mut next, mut from) = (Vec::new(), Vec::new());
    for (hit, &instance) in hits.iter().zip(&instances).filter(|(hit, _)| hit.is_hit()) {
        let index = triangles.ids.iter().position(|id| (id.instance, id.primitive) == (instance, hit.primitive));
        let [a, b, c] = triangles.vertices[index.unwrap()];
        let (e1, e2) = (sub(b, a), sub(c, a));
        let n = [e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]];
        let length = n.iter().map(|x| x * x).sum::<f32>().sqrt();
        let side = if random.unit() < 0.5 { 1.0 } else { -1.0 };
        let n = n.map(|x| side * x / length);
        let w = [1.0 - hit.u - hit.v, hit.u, hit.v];
        let p: [f32; 3] = std::array::from_fn(|i| w[0] * a[i] + w[1] * b[i] + w[2] * c[i]);
        let extent = [a, b, c].iter().flat_map(|v| (0..3).map(|i| (v[i] - p[i]).abs())).fold(0.0, f32::max);
        // Any direction of the half-space, and some nearly along the surface.
        let flat = if random.unit() < 0.5 { 1.0 } else { 1e-3 };
        let d = random.point();
        let along: f32 = (0..3).map(|i| d[i] * n[i]).sum();
        let d = std::array::from_fn(|i| d[i] - along * n[i] + flat * along.abs() * n[i]);
        next.push(Ray::new(offset_from_triangle(p, n, extent), d));
        from.push((hit.primitive, instance));
    }
    assert!(next.len() > rays.len() / 2, "only {} hits", next.len());
    let (hits, instances, _) = crate::common::closest(&tracer, &next, &[]);
    (0..next.len()).filter(|&i| (hits[i].primitive, instances[i]) == from[i]).count()
}

#[test]
fn degenerate_triangles_are_never_reported_and_hide_nothing() {
    let mut triangles = grid(4, 1.0);
    let solid = triangles.len() as u32;
    for i in 0..64 {
        let p = [(i % 8) as f32 * 0.5, (i / 8) as f32 * 0.5, 0.5];
        // Points, lines, and a line of three different corners.
        triangles.push([p; 3]);
        triangles.push([p, p, [p[0] + 1.0, p[1], p[2]]]);
        triangles.push([p, [p[0] + 1.0, p[1] + 0.5, p[2]], [p[0] + 0.5, p[1] + 0.25, p[2]]]);
    }
    let triangles = FlatTriangles::from_vertices(triangles);
    let mut rays = Vec::new();
    for i in 0..81 {
        let target = [(i % 9) as f32 * 0.5, (i / 9) as f32 * 0.5, 0.5];
        rays.push(Ray::new([target[0], target[1], -1.0], [0.0, 0.0, 1.0]));
        rays.push(Ray::new([1.3, 2.1, -1.0], sub(target, [1.3, 2.1, -1.0])));
    }
    check(&triangles, &rays);
    for (name, tracer, watertight) in ways(&triangles) {
        let (hits, _, _) = crate::common::closest(&tracer, &rays, &[]);
        assert!(hits.iter().all(|hit| !hit.is_hit() || hit.primitive < solid), "{name}");
        let straight = hits.iter().step_by(2).filter(|hit| hit.is_hit()).count();
        assert!(!watertight || straight == 81, "{name}: {straight} of 81 reach the grid behind");
    }
}

#[test]
fn huge_triangles_are_hit_by_every_engine() {
    for size in [1e10f32, 1e18, 1e20, 1e30, 1e38, f32::MAX] {
        let walls = [1.0f32, -1.0].map(|side| {
            let z = side * 0.5 * size;
            [
                [[-size, -size, z], [size, -size, z], [size, size, z]],
                [[-size, -size, z], [size, size, z], [-size, size, z]],
            ]
        });
        let triangles = FlatTriangles::from_vertices(walls.concat());
        let mut rays = Vec::new();
        for side in [1.0f32, -1.0] {
            for x in [0.0f32, 0.25, -0.125] {
                rays.push(Ray::new([x * size, x * size, 0.0], [0.0, 0.0, side * size]));
                rays.push(Ray::new([x * size, 0.3 * size, 0.1 * size], [-0.125 * size, 0.0, side * 0.25 * size]));
            }
        }
        check(&triangles, &rays);
        for (name, tracer) in crate::common::tracers(&triangles) {
            let (hits, _, _) = crate::common::closest(&tracer, &rays, &[]);
            for (ray, hit) in rays.iter().zip(&hits) {
                let want = nearest_wall(ray, size);
                assert!(hit.is_hit() && (hit.t - want).abs() < 1e-5, "{name}, size {size:e}: {ray:?} {hit:?} {want}");
            }
        }
    }
}

fn nearest_wall(ray: &Ray, size: f32) -> f32 {
    let z = 0.5 * size.copysign(ray.direction[2]);
    ((f64::from(z) - f64::from(ray.origin[2])) / f64::from(ray.direction[2])) as f32
}

#[test]
fn slivers_have_the_same_t_in_every_tree() {
    let mut random = Random::new(33);
    let mut vertices = Vec::new();
    for i in 0..300 {
        let (a, mut b) = (random.point(), random.point());
        b[i % 3] = a[i % 3] + 1e-4 * random.unit();
        let (s, width) = (random.unit(), 10f32.powi(-3 - (i % 5) as i32));
        let c = std::array::from_fn(|k| a[k] + s * (b[k] - a[k]) + width * (random.unit() - 0.5));
        vertices.push([a, b, c]);
    }
    let rays: Vec<Ray> = (0..cases(3000))
        .map(|i| {
            let [a, b, c] = vertices[i % 300];
            let (s, r) = (random.unit(), 0.5 * random.unit());
            let target = std::array::from_fn(|k| {
                let p = a[k] + s * (b[k] - a[k]);
                p + r * (c[k] - p)
            });
            let origin = random.point().map(|x| 3.0 * x);
            Ray::new(origin, sub(target, origin))
        })
        .collect();
    let triangles = FlatTriangles::from_vertices(vertices);
    check(&triangles, &rays);
    let hits = rays.iter().filter(|ray| !crate::common::all_hits(&triangles, ray).is_empty()).count();
    assert!(hits > rays.len() / 6, "{hits} hit");
    // And when the interval ends exactly there.
    let ended: Vec<Ray> = rays
        .iter()
        .filter_map(|ray| {
            crate::common::all_hits(&triangles, ray)
                .last()
                .map(|hit: &(Hit, u32, bool)| ray.with_interval(hit.0.t, hit.0.t))
        })
        .collect();
    check(&triangles, &ended);
}
