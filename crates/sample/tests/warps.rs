//! Every warp against the integral of its density: chi-squared over a grid of its domain.

use raywarp_sample::hash::{pcg, to_unit};
use raywarp_sample::statistics::{chi_squared_test, sidak};
use raywarp_sample::warp;
use std::f64::consts::{FRAC_1_PI, TAU};

const GRID: [usize; 2] = [12, 16];
const SAMPLES: u32 = 100_000;
const WARPS: usize = 15;

/// Independent numbers: stratified ones would pass any test too easily.
fn random(i: u32) -> [f32; 2] {
    [to_unit(pcg(2 * i)), to_unit(pcg(2 * i + 1))]
}

/// Compares the counts of `place` (a point of the unit square, by an area-preserving or any other chart)
/// with `expected`, the exact probability of `[x0, x1] x [y0, y1]` in the chart.
#[track_caller]
fn check(name: &str, place: impl Fn([f32; 2]) -> [f64; 2], probability: impl Fn([f64; 2], [f64; 2]) -> f64) {
    let [w, h] = GRID;
    let mut observed = vec![0.0; w * h];
    for i in 0..SAMPLES {
        let [x, y] = place(random(i));
        assert!((0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y), "{name}: {x} {y}");
        observed[((x * w as f64) as usize).min(w - 1) * h + ((y * h as f64) as usize).min(h - 1)] += 1.0;
    }
    let mut expected = Vec::new();
    for i in 0..w {
        for j in 0..h {
            let x = [i, i + 1].map(|i| i as f64 / w as f64);
            let y = [j, j + 1].map(|j| j as f64 / h as f64);
            expected.push(probability(x, y) * f64::from(SAMPLES));
        }
    }
    let total: f64 = expected.iter().sum();
    assert!((total / f64::from(SAMPLES) - 1.0).abs() < 1e-6, "{name}: probabilities sum to {total}");
    let (p, _) = chi_squared_test(&observed, &expected);
    assert!(p > sidak(1e-4, WARPS), "{name}: p = {p}");
}

/// The probability by the midpoint rule from a density in the chart.
fn integrate(density: impl Fn(f64, f64) -> f64) -> impl Fn([f64; 2], [f64; 2]) -> f64 {
    move |x, y| {
        let n = 64;
        let at = |r: [f64; 2], i: usize| r[0] + (r[1] - r[0]) * (i as f64 + 0.5) / f64::from(n);
        let cell = (x[1] - x[0]) * (y[1] - y[0]) / f64::from(n * n);
        (0..n as usize)
            .flat_map(|i| (0..n as usize).map(move |j| (i, j)))
            .map(|(i, j)| density(at(x, i), at(y, j)) * cell)
            .sum()
    }
}

/// Chart of the sphere: (z + 1) / 2 and the turn; its area element is 4 pi.
fn sphere(d: [f32; 3]) -> [f64; 2] {
    let d = d.map(f64::from);
    assert!((d.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-5, "not unit: {d:?}");
    [(0.5 * (d[2] + 1.0)).clamp(0.0, 1.0), (d[1].atan2(d[0]) / TAU).rem_euclid(1.0).min(1.0)]
}

/// Checks a warp to directions against the density it documents.
#[track_caller]
fn check_directions(name: &str, warp: impl Fn([f32; 2]) -> [f32; 3], pdf: impl Fn(f32) -> f32) {
    check(name, |u| sphere(warp(u)), integrate(|x, _| f64::from(pdf((2.0 * x - 1.0) as f32)) * 2.0 * TAU));
}

#[test]
fn directions_have_their_density() {
    check_directions("cosine hemisphere", warp::cosine_hemisphere, warp::cosine_hemisphere_pdf);
    let upper = |z: f32| if z > 0.0 { warp::uniform_hemisphere_pdf() } else { 0.0 };
    check_directions("uniform hemisphere", warp::uniform_hemisphere, upper);
    check_directions("uniform sphere", warp::uniform_sphere, |_| warp::uniform_sphere_pdf());
    // The edge of this cone is a line of the grid.
    for h in [0.5, 1.5] {
        let inside = |z: f32| if z >= 1.0 - h { warp::uniform_cone_pdf(h) } else { 0.0 };
        check_directions("cone", |u| warp::uniform_cone(u, h), inside);
    }
}

#[test]
fn disk_points_are_uniform() {
    let chart = |u| {
        let [x, y] = warp::concentric_disk(u).map(f64::from);
        [(x * x + y * y).min(1.0), (y.atan2(x) / TAU).rem_euclid(1.0)]
    };
    check("disk", chart, |x, y| (x[1] - x[0]) * (y[1] - y[0]));
    assert!((f64::from(warp::concentric_disk_pdf()) - FRAC_1_PI).abs() < 1e-7);
    assert_eq!(warp::concentric_disk([0.5, 0.5]), [0.0, 0.0]);
}

#[test]
fn triangle_points_are_uniform() {
    // Unfolded to the square: (share of the area beyond b1, place along the line).
    let chart = |u| {
        let [a, b] = warp::uniform_triangle(u).map(f64::from);
        assert!(a >= 0.0 && b >= 0.0 && a + b <= 1.0 + 1e-7, "{a} {b}");
        [(1.0 - a).powi(2), (b / (1.0 - a)).min(1.0)]
    };
    check("triangle", chart, |x, y| (x[1] - x[0]) * (y[1] - y[0]));
}

type Corners = [[f64; 3]; 3];

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// Solid angle of the triangle with these corners, seen from the origin, in f64.
fn solid_angle(corners: &Corners) -> f64 {
    let [a, b, c] = corners.map(unit);
    2.0 * dot(a, cross(b, c)).abs().atan2(1.0 + dot(a, b) + dot(b, c) + dot(c, a))
}

/// Flat triangles as seen from the origin: an octant, one that the origin almost lies in, small ones and needles.
const TRIANGLES: [Corners; 5] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[-1.0, -1.0, 0.02], [1.0, -1.0, 0.02], [0.0, 1.0, 0.02]],
    [[0.3, 0.2, 10.0], [0.4, 0.2, 10.0], [0.3, 0.32, 10.0]],
    [[-1.0, 0.3, 0.5], [1.0, 0.3, 0.5], [1.0, 0.3002, 0.5]],
    [[1.0, -3.0, 0.01], [1.2, 4.0, 0.01], [1.0, 3.0, 0.01]],
];

#[test]
fn directions_of_spherical_triangles_are_uniform() {
    for corners in &TRIANGLES {
        let directions = corners.map(|corner| unit(corner).map(|x| x as f32));
        let [a, b, c] = corners.map(unit);
        let volume = dot(a, cross(b, c)).abs() as f32;
        let half = warp::half_solid_angle(&directions, volume);
        let whole = solid_angle(corners);
        assert!((2.0 * f64::from(half) / whole - 1.0).abs() < 1e-5, "{half} is half of {whole}");
        // The chart is of barycentrics: the share of the third corner, and where the line through it meets the others.
        let chart = |u: [f32; 2]| {
            let d = warp::spherical_triangle(&directions, volume, u[0] * half, u[1]).map(f64::from);
            assert!((dot(d, d) - 1.0).abs() < 1e-5, "not unit: {d:?}");
            let [p, q, r] = *corners;
            let weights =
                [dot(d, cross(q, r)), dot(d, cross(r, p)), dot(d, cross(p, q))].map(|w| w / dot(p, cross(q, r)));
            let sum: f64 = weights.iter().sum();
            // 1e-7 of direction is 1e-3 of a needle's width.
            let [wp, wq, wr] = weights.map(|w| w / sum);
            assert!(wp.min(wq).min(wr) > -2e-3, "outside: {wp} {wq} {wr}");
            [wr.clamp(0.0, 1.0), (wq.max(0.0) / (wp.max(0.0) + wq.max(0.0))).clamp(0.0, 1.0)]
        };
        let at = |x: f64, y: f64| {
            let [p, q, r] = *corners;
            std::array::from_fn(|i| x * r[i] + (1.0 - x) * (y * q[i] + (1.0 - y) * p[i]))
        };
        // A cell is a quadrilateral between two lines through the corner: two triangles.
        let probability = |x: [f64; 2], y: [f64; 2]| {
            let [a, b, c, d] = [at(x[0], y[0]), at(x[0], y[1]), at(x[1], y[1]), at(x[1], y[0])];
            let second = if x[1] < 1.0 { solid_angle(&[a, c, d]) } else { 0.0 };
            (solid_angle(&[a, b, c]) + second) / whole
        };
        check(&format!("{corners:?}"), chart, probability);
    }
}

#[test]
fn degenerate_spherical_triangles_give_finite_directions() {
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    for corners in [[x, x, x], [x, y, x], [x, [-1.0, 0.0, 0.0], y], [x, y, [-1.0, 0.0, 0.0]], [y, x, [-1.0, 0.0, 0.0]]]
    {
        let half = warp::half_solid_angle(&corners, 0.0);
        for i in 0..100 {
            let [u, v] = random(i);
            let d = warp::spherical_triangle(&corners, 0.0, u * half, v);
            assert!(d.iter().all(|x| x.abs() < 1.01), "{corners:?}: {d:?}");
        }
    }
}

#[test]
fn tables_have_their_density() {
    let f = |x: f64, y: f64| 0.2 + x * x + if y > 0.5 { 2.0 * y } else { 0.0 };
    let [w, h] = [48, 64];
    let weights: Vec<f32> =
        (0..w * h).map(|i| f(((i % w) as f64 + 0.5) / w as f64, ((i / w) as f64 + 0.5) / h as f64) as f32).collect();
    let table = warp::Distribution2d::new(&weights, w, h).unwrap();
    check(
        "table 2d",
        |u| table.sample(u).0.map(f64::from),
        integrate(|x, y| f64::from(table.pdf([x as f32, y as f32]))),
    );
    let line = warp::Distribution1d::new(&weights[..w]).unwrap();
    let chart = |u: [f32; 2]| [f64::from(line.sample(u[0]).0), f64::from(u[1])];
    check("table 1d", chart, integrate(|x, _| f64::from(line.pdf(x as f32))));
}

#[test]
fn the_corners_of_the_square_are_safe() {
    let edge = [0.0, 0.5, raywarp_sample::hash::ONE_MINUS_EPSILON];
    for u in edge.iter().flat_map(|&a| edge.map(|b| [a, b])) {
        assert!(warp::cosine_hemisphere(u)[2] > 0.0);
        for d in [
            warp::cosine_hemisphere(u),
            warp::uniform_hemisphere(u),
            warp::uniform_sphere(u),
            warp::uniform_cone(u, 0.1),
        ] {
            sphere(d);
            assert!(d.iter().all(|v| v.is_finite()));
        }
        assert!(warp::uniform_triangle(u).iter().sum::<f32>() < 1.0);
    }
}
