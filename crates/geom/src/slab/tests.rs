//! Every box test against exact arithmetic.

use super::*;
use raywarp_testing::Random;

const UNIT: Aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };
/// Bounding box of the scene that all boxes of these tests lie in.
const SCENE: Aabb = Aabb { min: [-2.0; 3], max: [3.0; 3] };

type Enter = fn(&Ray, &Aabb) -> Option<f32>;

/// Box tests that must never miss a box, by name, each returning the entry as `t`.
const CONSERVATIVE: [(&str, Enter); 3] = [
    ("padded", |ray, aabb| PaddedRay::new(ray, &SCENE).enter(aabb, ray.t_min, ray.t_max)),
    ("padded, fused", |ray, aabb| PaddedSlab::new(ray, &SCENE).enter(aabb, ray.t_min, ray.t_max)),
    ("Ize", |ray, aabb| slab(&SlabRay::new(ray), aabb, ray.t_min, ray.t_max)),
];

/// Returns `true` if the ray touches the box grown by `grow` on every side, decided without rounding. Coordinates are
/// multiples of 2^-20 below 2^8, so every product has at most 53 bits, whatever its exponent.
fn touches(ray: &Ray, aabb: &Aabb, grow: f64) -> bool {
    // Bounds on t as fractions with positive denominators.
    let mut low = vec![(f64::from(ray.t_min.max(f32::MIN)), 1.0)];
    let mut high = vec![(f64::from(ray.t_max.min(f32::MAX)), 1.0)];
    for i in 0..3 {
        let [o, d] = [ray.origin[i], ray.direction[i]].map(f64::from);
        let (below, above) = (f64::from(aabb.min[i]) - grow - o, f64::from(aabb.max[i]) + grow - o);
        if d == 0.0 {
            if below > 0.0 || above < 0.0 {
                return false;
            }
            continue;
        }
        low.push((if d > 0.0 { below } else { -above }, d.abs()));
        high.push((if d > 0.0 { above } else { -below }, d.abs()));
    }
    low.iter().all(|&(n, d)| high.iter().all(|&(m, e)| n * e <= m * d))
}

/// Generator of random coordinates for boxes and rays.
struct Coordinates(Random);

impl Coordinates {
    fn bits(&mut self) -> u64 {
        self.0.integer()
    }
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.below(of.len())]
    }
    /// Returns a random multiple of 2^-10 from -2 to 3, in half of the cases one of the planes of simple boxes.
    fn coordinate(&mut self) -> f32 {
        if self.bits() & 1 == 0 { self.pick(&[0.0, 1.0, 0.5, -1.0, 2.0, -0.0]) } else { self.step() }
    }
    fn step(&mut self) -> f32 {
        (self.bits() % 5121) as f32 / 1024.0 - 2.0
    }
}

/// Calls `look` with pairs of a ray and a box: rays of every kind, and boxes of which some are flat or single points.
fn each_case(mut look: impl FnMut(Ray, Aabb)) {
    let mut random = Coordinates(Random::new(7));
    let small = [0.0, -0.0, 1e-45, -1e-45, -1e-40, 3e-38, -1e-30, 1e-24, 2e-20, -1e-12, 1e-7];
    for case in 0..200_000 {
        let mut box_points = [[0.0f32; 3]; 2].map(|p| p.map(|_| random.step()));
        for i in 0..3 {
            match random.bits() % 4 {
                0 => box_points[1][i] = box_points[0][i],
                1 => (box_points[0][i], box_points[1][i]) = (0.0, 1.0),
                _ => {}
            }
        }
        let aabb = Aabb::of_points(&box_points);
        let origin: [f32; 3] = std::array::from_fn(|_| random.coordinate());
        // Towards a point of the box's border, or in any direction; then some components near zero.
        let target: [f32; 3] = std::array::from_fn(|i| random.pick(&[aabb.min[i], aabb.max[i]]));
        let mut direction: [f32; 3] = std::array::from_fn(|i| target[i] - origin[i]);
        if case % 3 == 0 {
            direction = direction.map(|_| random.step());
        }
        for x in &mut direction {
            if random.bits().is_multiple_of(4) {
                *x = random.pick(&small);
            }
        }
        let ray = Ray::new(origin, direction);
        if direction.iter().all(|x| x.abs() < 1e-10) {
            continue;
        }
        look(ray, aabb);
        look(ray.with_interval(-4.0, 4.0), aabb);
        look(ray.with_interval(f32::NEG_INFINITY, 0.0), aabb);
    }
}

#[test]
fn no_conservative_test_misses_a_box_that_the_ray_touches() {
    let (mut touched, mut passed) = (0, [0; 3]);
    each_case(|ray, aabb| {
        let exact = touches(&ray, &aabb, 0.0);
        touched += usize::from(exact);
        for (i, (name, enter)) in CONSERVATIVE.into_iter().enumerate() {
            let entry = enter(&ray, &aabb);
            assert!(entry.is_some() || !exact, "{name}: {ray:?} {aabb:?}");
            passed[i] += usize::from(entry.is_none());
            // And not one that is well away, within what any triangle of the scene can reach.
            let limit = 10.0 / ray.direction.iter().fold(0.0f32, |m, x| m.max(x.abs()));
            let reachable = ray.with_interval(ray.t_min.max(-limit), ray.t_max.min(limit));
            assert!(entry.is_none() || touches(&reachable, &aabb, 1e-3), "{name} is too wide: {ray:?} {aabb:?}");
        }
    });
    assert!(touched > 50_000 && passed.iter().all(|&n| n > 50_000), "{touched} touched, {passed:?} passed");
}

#[test]
fn directions_of_any_length_see_the_same_boxes() {
    for exponent in [-127, -126, -100, -81, -80, -60, 0, 60, 100, 119, 120, 125] {
        let length = 2f64.powi(exponent) as f32;
        for (name, enter) in &CONSERVATIVE[..2] {
            for (target, hit) in [([1.0, 1.0, 1.0], true), ([0.0, 1.0, 0.5], true), ([1.5, 0.0, 0.0], false)] {
                let origin = [-1.0f32, -1.0, -0.5];
                let direction: [f32; 3] = std::array::from_fn(|i| (target[i] - origin[i]) * length);
                let ray = Ray::new(origin, direction);
                // A denormal keeps few bits of a direction; these targets need two.
                assert_eq!(enter(&ray, &UNIT).is_some(), hit, "{name}, 2^{exponent}, {target:?}");
                // An interval that ends before the box.
                let near = ray.with_interval(0.0, 0.25 / length.max(1e-37));
                assert!(length < 1e-37 || enter(&near, &UNIT).is_none(), "{name}, 2^{exponent}: not culled");
            }
        }
    }
}

#[test]
fn an_axis_parallel_ray_in_a_face_hits() {
    for (name, enter) in CONSERVATIVE {
        for x in [0.0, 1.0] {
            for d in [0.0, -0.0, 1e-45, -1e-45] {
                let entry = enter(&Ray::new([x, 0.5, -1.0], [d, 0.0, 1.0]), &UNIT);
                assert!(entry.is_some_and(|t| (t - 1.0).abs() < 1e-4), "{name}: x {x}, d {d}: {entry:?}");
            }
        }
    }
}

#[test]
fn far_from_the_origin_of_space_a_face_is_still_hit() {
    for shift in [1e3f32, 1.1e5, 3e6, 7e9] {
        let ulp = shift.next_up() - shift;
        let aabb = Aabb { min: [shift; 3], max: [shift + 4.0 * ulp; 3] };
        for (x, d) in [(shift, 0.0), (shift + 4.0 * ulp, -0.0), (shift, 1e-30), (shift + 4.0 * ulp, 1e-30)] {
            let ray = Ray::new([x, shift + ulp, shift - 64.0 * ulp], [d, 0.0, 1.0]);
            assert!(PaddedRay::new(&ray, &aabb).enter(&aabb, 0.0, f32::INFINITY).is_some());
            assert!(PaddedSlab::new(&ray, &aabb).enter(&aabb, 0.0, f32::INFINITY).is_some());
        }
    }
}

#[test]
fn no_ray_hits_the_empty_box() {
    let mut random = Coordinates(Random::new(3));
    for _ in 0..1000 {
        let ray = Ray::new([0; 3].map(|_| random.coordinate()), [0; 3].map(|_| random.coordinate() + 0.001));
        assert_eq!(slab(&SlabRay::new(&ray), &Aabb::EMPTY, 0.0, f32::INFINITY), None);
        assert_eq!(PaddedRay::new(&ray, &SCENE).enter(&Aabb::EMPTY, f32::NEG_INFINITY, f32::INFINITY), None);
        // Ordered by size, only a box at infinity is never hit.
        let nowhere = Aabb { min: [f32::INFINITY; 3], max: [f32::INFINITY; 3] };
        assert_eq!(PaddedSlab::new(&ray, &SCENE).enter(&nowhere, f32::NEG_INFINITY, f32::INFINITY), None);
    }
}

#[test]
fn preparing_any_bits_gives_finite_numbers() {
    let odd = [f32::MAX, f32::MIN, 1e-45, -1e-45, 0.0, -0.0, 1.0, 1e38, 1e-38, -1e20];
    let mut random = Coordinates(Random::new(11));
    for _ in 0..20_000 {
        let ray = Ray::new([0; 3].map(|_| random.pick(&odd)), [0; 3].map(|_| random.pick(&odd)));
        for scene in [SCENE, Aabb::EMPTY, Aabb { min: [f32::MIN; 3], max: [f32::MAX; 3] }] {
            if !ray.is_valid() {
                continue;
            }
            let PaddedRay { lo_origin, hi_origin, inverse, scale, .. } = PaddedRay::new(&ray, &scene);
            let fused = PaddedSlab::new(&ray, &scene);
            let all = [lo_origin, hi_origin, inverse, fused.inverse, fused.ood_lo, fused.ood_hi, [scale; 3]];
            assert!(all.iter().flatten().all(|x| x.is_finite()), "{ray:?}");
            assert!(inverse.iter().all(|&x| x != 0.0), "{ray:?}");
        }
    }
}

#[test]
fn the_papers_form_misses_rays_in_faces() {
    let enters = |x: f32, d: f32| {
        let ray = Ray::new([x, 0.5, -1.0], [d, 0.25, 1.0]);
        PlainSlab::new(&ray).enter(&UNIT, 0.0, f32::INFINITY).is_some()
    };
    assert!(enters(0.5, 0.0) && !enters(1.5, 0.0));
    let in_faces = [(0.0, -0.0), (1.0, 0.0), (0.0, 0.0), (1.0, -0.0)];
    assert!(in_faces.iter().any(|&(x, d)| !enters(x, d)), "now it misses none");
}
