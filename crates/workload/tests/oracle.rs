//! The oracle against answers known otherwise: by hand, and by whole numbers.

use raywarp_geom::{FlatTriangles, Hit, Ray};
use raywarp_sample::hash::{combine, pcg};
use raywarp_workload::oracle::{
    AnswerFault, Excuse, Oracle, OracleHit, Tolerance, all_hits, any, closest, judge, judge_any,
};

/// At z = 2, legs 1.
const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]];

fn down(x: f32, y: f32) -> Ray {
    Ray::new([x, y, 0.0], [0.0, 0.0, 1.0])
}

fn one() -> FlatTriangles {
    FlatTriangles::from_vertices(vec![TRIANGLE])
}

#[track_caller]
fn expect(triangles: &FlatTriangles, ray: Ray, want: Option<(f64, u32)>) {
    assert_eq!(closest(triangles, &ray), want.map(|(t, index)| OracleHit { t, index }), "{ray:?}");
    assert_eq!(any(triangles, &ray), want.is_some(), "{ray:?}");
}

#[test]
fn hits_by_hand() {
    let triangles = one();
    expect(&triangles, down(0.25, 0.25), Some((2.0, 0)));
    expect(&triangles, down(0.75, 0.5), None);
    // Direction lengths, sides, limits, and hits behind.
    expect(&triangles, Ray::new([0.25, 0.25, 0.0], [0.0, -0.0, 4.0]), Some((0.5, 0)));
    expect(&triangles, Ray::new([0.25, 0.25, 4.0], [0.0, 0.0, -1e-30]), Some((2.0 / f64::from(1e-30f32), 0)));
    expect(&triangles, down(0.25, 0.25).with_interval(2.0, 2.0), Some((2.0, 0)));
    expect(&triangles, down(0.25, 0.25).with_interval(0.0, 2.0f32.next_down()), None);
    expect(&triangles, down(0.25, 0.25).with_interval(2.0f32.next_up(), 9.0), None);
    expect(&triangles, Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, 1.0]), None);
    let behind = Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, 1.0]).with_interval(-5.0, 5.0);
    expect(&triangles, behind, Some((-1.0, 0)));
    // Edges and corners count; the plane of the triangle does not, nor does a t that f32 cannot hold.
    for (x, y) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 1.0)] {
        expect(&triangles, down(x, y), Some((2.0, 0)));
    }
    expect(&triangles, Ray::new([-1.0, 0.25, 2.0], [1.0, 0.0, 0.0]), None);
    expect(&triangles, Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1e-45]), None);
    for bad in [f32::NAN, f32::INFINITY] {
        expect(&triangles, down(bad, 0.25), None);
        expect(&triangles, Ray::new([0.25, 0.25, 0.0], [bad, 0.0, 1.0]), None);
    }
    expect(&triangles, Ray::new([0.25, 0.25, 0.0], [0.0; 3]), None);
    expect(&triangles, down(0.25, 0.25).with_interval(f32::NAN, 9.0), None);
    expect(&FlatTriangles::default(), down(0.25, 0.25), None);
}

#[test]
fn triangles_without_area_are_never_hit() {
    let [a, b, _] = TRIANGLE;
    let triangles = FlatTriangles::from_vertices(vec![[a; 3], [a, b, a], [a, b, [0.5, 0.0, 2.0]]]);
    expect(&triangles, down(0.0, 0.0), None);
    expect(&triangles, down(0.5, 0.0), None);
}

#[test]
fn all_hits_come_by_t_then_index() {
    let moved = |z: f32| TRIANGLE.map(|[x, y, _]| [x, y, z]);
    let mut triangles = FlatTriangles::from_vertices([5.0, 3.0, 5.0, 3.0].map(moved).to_vec());
    let hits: Vec<(f64, u32)> = all_hits(&triangles, &down(0.25, 0.25)).iter().map(|h| (h.t, h.index)).collect();
    assert_eq!(hits, [(3.0, 1), (3.0, 3), (5.0, 0), (5.0, 2)]);
    triangles.opaque = vec![true, false, false, false];
    assert!(any(&triangles, &down(0.25, 0.25)) && !any(&triangles, &down(0.25, 0.25).with_interval(0.0, 4.0)));
}

/// Six times the volume of the tetrahedron from the origin.
fn volume(a: [i128; 3], b: [i128; 3], c: [i128; 3]) -> i128 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

#[test]
fn it_agrees_with_whole_numbers() {
    let mut drawn = 0;
    let mut whole = |limit: i128| {
        drawn += 1;
        i128::from(combine(77, drawn)) % (2 * limit + 1) - limit
    };
    let (mut hits, mut misses) = (0, 0);
    for round in 0..20_000u32 {
        let limit = [3, 30, 100_000][round as usize % 3];
        let [a, b, c, o, d] = [0; 5].map(|_| [0; 3].map(|_| whole(limit)));
        let from = |p: [i128; 3]| -> [i128; 3] { std::array::from_fn(|i| p[i] - o[i]) };
        let [p, q, r] = [a, b, c].map(from);
        let sides = [volume(d, p, q), volume(d, q, r), volume(d, r, p)];
        let det: i128 = sides.iter().sum();
        // Exactly through an edge, or at t = 0, f64 may decide either way.
        if d == [0; 3] || det == 0 || sides.contains(&0) || volume(p, q, r) == 0 {
            continue;
        }
        let t = volume(p, q, r) as f64 / det as f64;
        let inside = sides.iter().all(|s| s.signum() == det.signum());
        let want = inside && t >= 0.0;
        let single = |p: [i128; 3]| p.map(|x| x as f32);
        let triangles = FlatTriangles::from_vertices(vec![[single(a), single(b), single(c)]]);
        let got = closest(&triangles, &Ray::new(single(o), single(d)));
        assert_eq!(got.is_some(), want, "{a:?} {b:?} {c:?} from {o:?} along {d:?}");
        if let Some(got) = got {
            assert!((got.t - t).abs() <= 1e-9 * t.abs(), "{} is not {t}", got.t);
        }
        (hits, misses) = (hits + usize::from(want), misses + usize::from(!want));
    }
    assert!(hits > 200 && misses > 5000, "{hits} {misses}");
}

fn hit(t: f32, u: f32, v: f32) -> Hit {
    Hit { t, u, v, primitive: 0 }
}

#[track_caller]
fn fault(ray: Ray, answer: Hit, tolerance: Tolerance) -> Option<AnswerFault> {
    let instance = if answer.is_hit() { 0 } else { Hit::MISS };
    let verdict = judge(&one(), &[ray], &[answer], &[instance], tolerance);
    assert_eq!(verdict.rays, verdict.agreed + (verdict.excused.len() + verdict.faults.len()) as u64);
    verdict.faults.first().map(|fault| fault.kind)
}

#[test]
fn only_what_passes_within_rounding_of_an_edge_is_excused() {
    // 8 roundoffs of the corner at z = 2 are 9.5e-7; 16 the double.
    for (tolerance, margin) in [(Tolerance::Watertight, 9.5e-7f32), (Tolerance::Fast, 1.9e-6)] {
        for (offset, excused) in [(-0.9, true), (0.9, true), (-1.2, false), (1.2, false)] {
            let ray = down(offset * margin, 0.5);
            let answer = if offset < 0.0 { hit(2.0, 0.0, 0.5) } else { Hit::miss(ray.t_max) };
            let wrong = if offset < 0.0 { AnswerFault::OffTriangle } else { AnswerFault::Missed };
            assert_eq!(fault(ray, answer, tolerance), (!excused).then_some(wrong), "{tolerance:?} {offset}");
            assert!(fault(ray, answer, Tolerance::Exact).is_some());
            if excused {
                let verdict = judge(&one(), &[ray], &[answer], &[], tolerance);
                let found = verdict.excused[0];
                let distance = f64::from((offset * margin).abs());
                assert_eq!((found.ray, found.excuse), (0, Excuse::Edge));
                assert!((found.distance - distance).abs() < 1e-12 && found.allowed > distance, "{found:?}");
                assert!(verdict.passes(1.0) && !verdict.passes(0.5));
            }
        }
    }
}

#[test]
fn only_what_hits_within_rounding_of_a_limit_is_excused() {
    let ray = |t_max: f32| down(0.25, 0.25).with_interval(0.0, t_max);
    let beyond = 2.0f32.next_up();
    assert_eq!(fault(ray(beyond), Hit::miss(beyond), Tolerance::Watertight), None);
    assert_eq!(fault(ray(2.0001), Hit::miss(2.0001), Tolerance::Watertight), Some(AnswerFault::Missed));
    assert_eq!(fault(ray(2.0), Hit::miss(2.0), Tolerance::Exact), Some(AnswerFault::Missed));
    let before = 2.0f32.next_down();
    assert_eq!(fault(ray(before), hit(before, 0.25, 0.25), Tolerance::Watertight), None);
    assert_eq!(fault(ray(1.9999), hit(1.9999, 0.25, 0.25), Tolerance::Watertight), Some(AnswerFault::WrongT));
    assert_eq!(fault(ray(before), hit(2.0, 0.25, 0.25), Tolerance::Watertight), Some(AnswerFault::OutsideInterval));
}

#[test]
fn t_may_differ_by_one_in_a_hundred_thousand_and_no_more() {
    let at = |t: f32| fault(down(0.25, 0.25), hit(t, 0.25, 0.25), Tolerance::Watertight);
    assert_eq!((at(2.000_018), at(1.999_982)), (None, None));
    assert_eq!((at(2.000_022), at(1.999_978)), (Some(AnswerFault::WrongT), Some(AnswerFault::WrongT)));
    assert_eq!(at(f32::NAN), Some(AnswerFault::OutsideInterval));
}

#[test]
fn a_ray_through_a_shared_edge_may_not_slip_through() {
    // Two halves of a square, and a wall behind; the ray passes exactly between the halves.
    let half = |x: f32| [[x, 0.0, 2.0], [0.0, -1.0, 2.0], [0.0, 1.0, 2.0]];
    let wall = [[-9.0, -9.0, 5.0], [9.0, -9.0, 5.0], [0.0, 9.0, 5.0]];
    let triangles = FlatTriangles::from_vertices(vec![half(-1.0), half(1.0), wall]);
    let through = Hit { t: 5.0, u: 0.25, v: 0.5, primitive: 2 };
    let verdict = judge(&triangles, &[down(0.0, 0.0)], &[through], &[], Tolerance::Watertight);
    assert_eq!(verdict.faults.first().map(|fault| fault.kind), Some(AnswerFault::Leaked));
    // A fast test may, and at the square's border any may.
    assert!(judge(&triangles, &[down(0.0, 0.0)], &[through], &[], Tolerance::Fast).passes(1.0));
    let beside = Hit { u: 0.222_222, v: 0.555_556, ..through };
    assert!(judge(&triangles, &[down(0.0, 1.0)], &[beside], &[], Tolerance::Watertight).passes(1.0));
    let blocked = |bits| judge_any(&triangles, &[down(0.0, 0.0)], &[bits], &[], Tolerance::Watertight);
    assert!(blocked(1).passes(0.0) && !blocked(0).passes(1.0));
}

#[test]
fn candidates_must_be_in_order_and_of_rays_that_exist() {
    let mut triangles = one();
    triangles.opaque = vec![false];
    let candidate = |ray| raywarp_geom::Candidate { ray, instance: 0, hit: hit(2.0, 0.25, 0.25) };
    let rays = [down(0.25, 0.25), down(0.25, 0.25)];
    let judged = |list: &[_]| judge_any(&triangles, &rays, &[0], list, Tolerance::Watertight);
    assert!(judged(&[candidate(0), candidate(1)]).passes(0.0));
    for wrong in [vec![1, 0], vec![0], vec![0, 0, 1], vec![0, 1, 2], vec![]] {
        let list: Vec<_> = wrong.iter().map(|&ray| candidate(ray)).collect();
        assert!(!judged(&list).faults.is_empty(), "{wrong:?}");
    }
    let blocked = judge_any(&triangles, &rays, &[3], &[candidate(0)], Tolerance::Watertight);
    assert_eq!(blocked.faults.len(), 2);
}

#[test]
fn answers_do_not_depend_on_scale() {
    // Powers of two change no bit of any mantissa: only the exponents of what is known.
    for scale in [2.0f32.powi(-60), 2.0f32.powi(40)] {
        let place = |seed: u32| -> [f32; 3] { std::array::from_fn(|i| pcg(4 * seed + i as u32) as f32 / 2e9 - 1.0) };
        let soup: Vec<_> = (0..100).map(|i| [place(3 * i), place(3 * i + 1), place(3 * i + 2)]).collect();
        let scaled: Vec<_> = soup.iter().map(|t| t.map(|p| p.map(|x| x * scale))).collect();
        let rays: Vec<Ray> = (0..50).map(|i| Ray::new(place(900 + i), place(1000 + i))).collect();
        let grow = |ray: &Ray| Ray { origin: ray.origin.map(|x| x * scale), ..*ray };
        let (small, large) = (FlatTriangles::from_vertices(soup), FlatTriangles::from_vertices(scaled));
        let oracle = Oracle::new(&small, &rays);
        for (i, ray) in rays.iter().enumerate() {
            let (a, b) = (oracle.closest(i), closest(&large, &grow(ray)));
            let scaled = a.map(|a| OracleHit { t: a.t * f64::from(scale), ..a });
            assert_eq!(scaled, b, "ray {i} at {scale}");
        }
    }
}
