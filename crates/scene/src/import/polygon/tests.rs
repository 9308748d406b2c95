//! Polygons made here against areas and points in f64, by ears and by the Delaunay triangulation alike.

use super::*;
use raywarp_testing::Random;

/// Returns a random integer from 0 to `limit` - 1.
fn below(random: &mut Random, limit: usize) -> usize {
    (random.unit_f64() * limit as f64) as usize
}

fn area(points: &[[f32; 2]]) -> f64 {
    let at = |i: usize| points[i % points.len()].map(f64::from);
    let cross = |i: usize| at(i)[0] * at(i + 1)[1] - at(i)[1] * at(i + 1)[0];
    (0..points.len()).map(cross).sum::<f64>() / 2.0
}

/// Returns the winding number of a polygon around a point, by the crossings of a ray to the right.
fn times_around(points: &[[f32; 2]], [x, y]: [f64; 2]) -> i32 {
    let mut times = 0;
    for i in 0..points.len() {
        let [a, b] = [points[i], points[(i + 1) % points.len()]].map(|p| p.map(f64::from));
        let is_left = (b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1]);
        if a[1] <= y && b[1] > y && is_left > 0.0 {
            times += 1;
        } else if b[1] <= y && a[1] > y && is_left < 0.0 {
            times -= 1;
        }
    }
    times
}

/// Checks that the triangles of a counter-clockwise polygon have its area and cover its points once.
#[track_caller]
fn check_triangles(points: &[[f32; 2]], triangles: &[[usize; 3]], random: &mut Random, name: &str) {
    let want = area(points);
    let corners = |t: &[usize; 3]| t.map(|i| points[i]);
    let areas: Vec<f64> = triangles.iter().map(|t| area(&corners(t))).collect();
    let least = areas.iter().copied().fold(0.0, f64::min);
    assert!(least > -1e-9 * want, "{name}: a triangle of area {least}");
    let sum: f64 = areas.iter().sum();
    assert!((sum - want).abs() <= 1e-9 * want, "{name}: {sum}, not {want}");
    let low = [0, 1].map(|i| points.iter().map(|p| f64::from(p[i])).fold(f64::MAX, f64::min));
    let high = [0, 1].map(|i| points.iter().map(|p| f64::from(p[i])).fold(f64::MIN, f64::max));
    for _ in 0..if points.len() > 200 { 20 } else { 100 } {
        let point = [0, 1].map(|i| low[i] + random.unit_f64() * (high[i] - low[i]));
        let covered: i32 = triangles.iter().map(|t| times_around(&corners(t), point)).sum();
        assert_eq!(covered, times_around(points, point), "{name}: {point:?}");
    }
}

/// Checks both ways of triangulation on a simple polygon, reversed, from any first corner, and in any plane of space.
#[track_caller]
fn check(points: &[[f32; 2]], random: &mut Random, name: &str) {
    assert!(area(points) > 0.0, "{name}");
    let coords: Vec<Coord<f64>> = points.iter().map(|p| Coord { x: p[0].into(), y: p[1].into() }).collect();
    let (triangles, crosses) = ears::cut(&coords);
    assert!(!crosses, "{name}: ears");
    check_triangles(points, &triangles, random, name);
    let (triangles, crosses) = delaunay::triangulate(&coords).unwrap_or_else(|| panic!("{name}: delaunay"));
    assert!(!crosses, "{name}: delaunay");
    check_triangles(points, &triangles, random, name);

    let n = points.len();
    let start = below(random, n);
    let turned = random.unit_f64() < 0.5;
    let place = |i: usize| if turned { (start + n - i) % n } else { (start + i) % n };
    let corners: Vec<u32> = (0..n).map(|i| place(i) as u32).collect();
    // Planes that f32 holds: z, and others through sums of the two coordinates, which are doubled to stay exact.
    let lift = below(random, 4);
    let position = |i: u32| {
        let [x, y] = points[i as usize];
        match lift {
            0 => [x, y, 1.0],
            1 => [y, 3.0, x],
            2 => [-2.0, x, y],
            _ => [x, y, x + y],
        }
    };
    let mut later = Polygons::default();
    let mut now = Polygons::default();
    let (mut waited, mut out) = (vec![[7; 3]], Vec::new());
    later.push(&corners, |_| None, 5, &mut waited);
    later.finish(position, &mut waited);
    now.push(&corners, |i| Some(position(i)), 5, &mut out);
    assert_eq!(waited[1..], out, "{name}");
    assert_eq!((out.len(), now.warning(), later.warning()), (n - 2, None, None), "{name}");
    let triangles: Vec<[usize; 3]> = out
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|i| i as usize);
            if turned { [a, c, b] } else { [a, b, c] }
        })
        .collect();
    check_triangles(points, &triangles, random, name);
}

/// Returns a polygon of points around a centre, in the order of their angles.
fn star(n: usize, random: &mut Random) -> Vec<[f32; 2]> {
    let point = |i: usize| {
        let angle = (i as f64 + 0.8 * random.unit_f64()) / n as f64 * std::f64::consts::TAU;
        let radius = 0.2 + 0.8 * random.unit_f64();
        [(radius * angle.cos()) as f32, (radius * angle.sin()) as f32]
    };
    (0..n).map(point).collect()
}

/// Returns a simple polygon through random points. Pairs of edges that cross are exchanged until there are none.
fn untangled(n: usize, random: &mut Random) -> Vec<[f32; 2]> {
    let mut points: Vec<[f32; 2]> = (0..n).map(|_| [random.unit_f64() as f32, random.unit_f64() as f32]).collect();
    let coord = |p: [f32; 2]| Coord { x: p[0].into(), y: p[1].into() };
    let differ = |a: f64, b: f64| (a > 0.0) != (b > 0.0);
    while let Some((i, j)) = (0..n).flat_map(|i| (i + 2..n).map(move |j| (i, j))).find(|&(i, j)| {
        let [a, b, c, d] = [i, i + 1, j, (j + 1) % n].map(|k| coord(points[k]));
        (j + 1) % n != i
            && differ(orientation(a, b, c), orientation(a, b, d))
            && differ(orientation(c, d, a), orientation(c, d, b))
    }) {
        points[i + 1..=j].reverse();
    }
    if area(&points) < 0.0 {
        points.reverse();
    }
    points
}

/// Returns a polygon of columns of random heights, with a corner at every whole number: most corners are straight.
fn skyline(columns: usize, random: &mut Random) -> Vec<[f32; 2]> {
    let heights: Vec<i32> = (0..columns).map(|_| 1 + below(random, 4) as i32).collect();
    let mut points: Vec<[f32; 2]> = (0..=columns).map(|x| [x as f32, 0.0]).collect();
    let mut height = 0;
    for (x, &top) in heights.iter().enumerate().rev() {
        while height != top {
            height += (top - height).signum();
            points.push([x as f32 + 1.0, height as f32]);
        }
        points.push([x as f32, height as f32]);
    }
    points.extend((1..height).rev().map(|y| [0.0, y as f32]));
    points
}

/// Returns a square with square holes in a row, each joined to the bottom by a pair of edges.
fn keyholes(holes: usize) -> Vec<[f32; 2]> {
    let width = 3.0 * holes as f32;
    let mut points = Vec::new();
    for i in 0..holes {
        let x = 3.0 * i as f32;
        points.extend([[x, 0.0], [x + 1.0, 0.0]]);
        points.extend([[x + 1.0, 1.0], [x + 1.0, 2.0], [x + 2.0, 2.0], [x + 2.0, 1.0], [x + 1.0, 1.0], [x + 1.0, 0.0]]);
    }
    points.extend([[width, 0.0], [width, 3.0], [0.0, 3.0]]);
    points
}

/// Returns a polygon in the form of a spiral band.
fn spiral(n: usize) -> Vec<[f32; 2]> {
    let at = |i: usize, inner: f64| {
        let angle = i as f64 * 0.2;
        let radius = 1.0 + angle + inner;
        [(radius * angle.cos()) as f32, (radius * angle.sin()) as f32]
    };
    (0..n / 2).map(|i| at(i, 2.0)).chain((0..n / 2).rev().map(|i| at(i, 0.0))).collect()
}

#[test]
fn simple_polygons_are_covered_once() {
    let random = &mut Random::new(1);
    for n in [4, 5, 6, 8, 12, 20, 50] {
        for round in 0..40 {
            check(&star(n, random), random, &format!("star of {n}, {round}"));
            if n <= 20 {
                check(&untangled(n, random), random, &format!("untangled {n}, {round}"));
            }
            check(&skyline(n / 2, random), random, &format!("skyline of {}, {round}", n / 2));
        }
    }
    for holes in 1..6 {
        check(&keyholes(holes), random, &format!("{holes} holes"));
    }
    // A hole, joined at (0.5, 1), that touches the far corner: the ear there holds no other corner, but edges of the hole.
    let touching =
        [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 0.0], [0.5, 1.0], [4.0, 4.0], [1.0, 0.5], [0.5, 1.0]];
    for start in 0..touching.len() {
        let mut points = touching;
        points.rotate_left(start);
        check(&points, random, "a hole that touches");
    }
    check(&spiral(400), random, "spiral of 400");
    check(&star(MAX_EARS, random), random, "star at the limit");
    check(&star(MAX_EARS + 1, random), random, "star past the limit");
    check(&skyline(2000, random), random, "large skyline");
    check(&keyholes(300), random, "300 holes");
}

#[test]
fn a_polygon_of_a_hundred_thousand_corners_takes_seconds_at_most() {
    let start = std::time::Instant::now();
    let points = star(100_000, &mut Random::new(3));
    let corners: Vec<u32> = (0..100_000).collect();
    let (mut polygons, mut out) = (Polygons::default(), Vec::new());
    let position = |i: u32| Some([points[i as usize][0], points[i as usize][1], 0.0]);
    polygons.push(&corners, position, 1, &mut out);
    assert_eq!((out.len(), polygons.warning()), (99_998, None));
    let sum: f64 = out.iter().map(|t| area(&t.map(|i| points[i as usize]))).sum();
    assert!((sum / area(&points) - 1.0).abs() < 1e-9);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// Triangulates a polygon in the plane z = 1; returns the triangles and the warning.
fn cut(points: &[[f32; 2]]) -> (Vec<[u32; 3]>, Option<(u64, WarningKind)>) {
    let corners: Vec<u32> = (0..points.len() as u32).collect();
    let (mut polygons, mut out) = (Polygons::default(), Vec::new());
    polygons.push(&corners, |i| Some([points[i as usize][0], points[i as usize][1], 1.0]), 9, &mut out);
    (out, polygons.warning())
}

#[test]
fn convex_polygons_become_fans_and_the_first_ear_goes_first() {
    assert_eq!(cut(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]).0, [[0, 1, 2], [0, 2, 3]]);
    // An arrow, whose fan from the first corner would leave it.
    assert_eq!(cut(&[[0.0, 2.0], [1.0, 1.0], [0.0, 0.0], [2.0, 1.0]]).0, [[3, 0, 1], [1, 2, 3]]);
    let straight = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
    assert_eq!(cut(&straight).0, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
}

#[test]
fn what_crosses_itself_is_counted_and_keeps_to_its_corners() {
    let star: Vec<[f32; 2]> =
        (0..5).map(|i| (i as f32 * 4.0 * std::f32::consts::PI / 5.0).sin_cos()).map(|(y, x)| [x, y]).collect();
    let hourglass = vec![[0.0, 0.0], [3.0, 0.0], [1.0, 2.0], [2.0, 2.0]];
    let large = |n: usize| {
        let zigzag = (0..n).map(|i| [i as f32, if i % 2 == 0 { 0.0 } else { 1.0 }]);
        zigzag.chain([[n as f32, -1.0], [0.0, 0.5]]).collect::<Vec<_>>()
    };
    for points in [star, hourglass, large(40), large(3000)] {
        let (triangles, warning) = cut(&points);
        assert_eq!(triangles.len(), points.len() - 2);
        assert_eq!(warning, Some((9, WarningKind::CrossingPolygons { count: 1 })));
    }
}

#[test]
fn what_has_no_area_or_no_positions_stays_a_fan() {
    let (mut polygons, mut out) = (Polygons::default(), Vec::new());
    polygons.push(&[4, 5, 6, 7], |_| Some([1.0; 3]), 1, &mut out);
    polygons.push(&[4, 5, 6, 7], |_| Some([f32::NAN; 3]), 1, &mut out);
    polygons.push(&[4, 5, 6, 7], |_| None, 1, &mut out);
    assert_eq!(out, [[4, 5, 6], [4, 6, 7], [4, 5, 6], [4, 6, 7], [4, 5, 6], [4, 6, 7]]);
    out.clear();
    for corners in [&[1, 2][..], &[1], &[]] {
        polygons.push(corners, |_| None, 1, &mut out);
    }
    assert!(out.is_empty() && polygons.warning().is_none());
}

#[test]
fn needles_and_corners_at_one_place_leave_the_rest_right() {
    let random = &mut Random::new(5);
    let u = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [2.0, 3.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    check(&u, random, "u");
    for at in 0..u.len() {
        let mut twice = u.to_vec();
        twice.insert(at, u[at]);
        check(&twice, random, "a corner twice");
        let mut needle = u.to_vec();
        let [x, y] = u[at];
        needle.splice(at..at, [u[at], [x + (1.5 - x) * 0.25, y - 0.125 * y]]);
        if times_around(&u, needle[at + 1].map(f64::from)) == 1 {
            check(&needle, random, "a needle");
        }
    }
}

#[test]
fn a_polygon_that_is_not_flat_is_seen_along_its_mean_normal() {
    // An arrow, bent: its notch is one along the normal too.
    let points = [[0.0, 2.0, 0.3], [1.0, 1.0, 0.0], [0.0, 0.0, 0.3], [2.0, 1.0, -0.2f32]];
    let (mut polygons, mut out) = (Polygons::default(), Vec::new());
    polygons.push(&[0, 1, 2, 3], |i| Some(points[i as usize]), 1, &mut out);
    assert_eq!(out, [[3, 0, 1], [1, 2, 3]]);
}

#[test]
fn a_bow_whose_halves_turn_against_each_other_crosses_itself() {
    let (triangles, warning) = cut(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    assert_eq!((triangles.len(), warning.map(|(line, _)| line)), (2, Some(9)));
    let (_, warning) = cut(&[[0.1, 0.3], [0.2, 0.6], [0.4, 1.2], [0.3, 0.9]]);
    assert_eq!(warning, None, "all on a line");
}
