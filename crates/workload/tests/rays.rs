//! The papers' rays from a small scene, against their definition, written out anew.

use crate::common::{BruteForce, Bug};
use raywarp_geom::{Control, FlatTriangles, Ray};
use raywarp_sample::statistics::chi_squared_test;
use raywarp_scene::Camera;
use raywarp_scene::views::View;
use raywarp_workload::rays::{BATCH, Order, RayKind, RaysError, ViewRays, Workload, morton_key};

/// A floor of two triangles at y = 0, 16 wide, and nothing else.
fn floor() -> FlatTriangles {
    let at = |x: f32, z: f32| [x, 0.0, z];
    let (a, b, c, d) = (at(-8.0, -8.0), at(8.0, -8.0), at(-8.0, 8.0), at(8.0, 8.0));
    // One wound up, one down: normals must turn to the viewer.
    FlatTriangles::from_vertices(vec![[a, b, c], [b, c, d]])
}

fn above(vfov: f32) -> View {
    let camera = Camera::look_at([0.5, 4.0, 0.25], [0.5, 0.0, 0.25], [0.0, 0.0, -1.0], vfov).unwrap();
    View { camera, ao_radius: Some(3.0) }
}

fn rays_of(workload: Workload, size: [u32; 2], vfov: f32) -> ViewRays {
    let triangles = floor();
    let tracer = BruteForce { triangles: &triangles, bug: Bug::None };
    ViewRays::new(workload, &above(vfov), size, &triangles, &tracer, &Control::default()).unwrap()
}

fn all(view: &ViewRays, kind: RayKind, samples: u32, order: Order) -> Vec<Ray> {
    let batches = view.batches(kind, samples, order);
    let rays: Vec<Ray> = (0..batches.count()).flat_map(|i| batches.batch(i)).collect();
    assert_eq!(rays.len() as u64, batches.ray_count());
    assert!(batches.batch(batches.count()).is_empty());
    rays
}

fn length(d: [f32; 3]) -> f32 {
    d.iter().map(|x| x * x).sum::<f32>().sqrt()
}

#[test]
fn points_lie_on_what_the_pixels_see_with_normals_to_the_viewer() {
    let view = rays_of(Workload::Raywarp, [16, 8], 60.0);
    assert_eq!((view.primary().len(), view.points().len()), (128, 128));
    for (point, ray) in view.points().iter().zip(view.primary()) {
        assert_eq!(point.normal, [0.0, 1.0, 0.0]);
        assert_eq!(point.direction, ray.direction);
        let place = ray.at(-4.0 / ray.direction[1]);
        assert!((0..3).all(|i| (place[i] - point.position[i]).abs() < 1e-5), "{point:?}");
    }
    assert_eq!(view.points()[..10].iter().map(|p| p.pixel).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 16, 17]);
}

#[test]
fn pixels_that_see_nothing_have_no_rays() {
    let view = rays_of(Workload::G14, [64, 48], 150.0);
    let hits = view.points().len();
    assert!(hits > 100 && hits < 64 * 48 / 2, "{hits}");
    assert_eq!(all(&view, RayKind::Ao, 3, Order::Workload).len(), 3 * hits);
    assert_eq!(all(&view, RayKind::Primary, 3, Order::Workload), view.primary());
}

/// The definition of a secondary ray's direction about +y, spelled out in f64.
fn expected_direction(pixel: u32, number: u32) -> [f64; 3] {
    let mirrored = |base: u32| {
        let (mut rest, mut digit, mut value) = (number, 1.0 / f64::from(base), 0.0);
        while rest > 0 {
            value += f64::from(rest % base) * digit;
            (rest, digit) = (rest / base, digit / f64::from(base));
        }
        value
    };
    let rotation = |d: u32| f64::from(raywarp_sample::hash::pcg(2 * pixel + d) >> 8) / f64::from(1 << 24);
    let u = [(mirrored(2) + rotation(0)).fract(), (mirrored(3) + rotation(1)).fract()];
    // Shirley and Chiu's concentric map, lifted; the frame's tangent at +y.
    let (x, y) = (2.0 * u[0] - 1.0, 2.0 * u[1] - 1.0);
    let quarter = std::f64::consts::FRAC_PI_4;
    let (r, angle) = if x.abs() > y.abs() { (x, quarter * y / x) } else { (y, 2.0 * quarter - quarter * x / y) };
    let (a, b) = (r * angle.cos(), r * angle.sin());
    let ([t0, t1, t2], [b0, b1, b2]) = raywarp_sample::warp::onb([0.0, 1.0, 0.0]);
    let z = (1.0 - a * a - b * b).max(0.0).sqrt();
    let at = |t: f32, bt: f32, n: f64| a * f64::from(t) + b * f64::from(bt) + z * n;
    [at(t0, b0, 0.0), at(t1, b1, 1.0), at(t2, b2, 0.0)]
}

#[track_caller]
fn assert_direction(ray: &Ray, pixel: u32, number: u32) {
    let want = expected_direction(pixel, number);
    // The rim of the hemisphere is steep: an error of 1e-7 in the disk is 3e-4 in height there.
    let close = (0..3).all(|i| (f64::from(ray.direction[i]) - want[i]).abs() < 1e-3)
        && (f64::from(ray.direction[0]) - want[0]).abs() < 1e-6;
    assert!(close, "pixel {pixel}, point {number}: {:?}, not {want:?}", ray.direction);
}

#[test]
fn our_rays_are_sample_major_and_start_off_the_surface() {
    let view = rays_of(Workload::Raywarp, [16, 8], 60.0);
    let (points, diagonal) = (view.points(), 512.0f32.sqrt());
    for (kind, first, t_max) in [(RayKind::Ao, 1, 0.25 * diagonal), (RayKind::Diffuse, 9, f32::INFINITY)] {
        let rays = all(&view, kind, 8, Order::Workload);
        assert_eq!(rays.len(), 8 * 128);
        for (i, ray) in rays.iter().enumerate() {
            let point = &points[i % 128];
            assert_direction(ray, point.pixel, first + (i / 128) as u32);
            assert!((ray.origin[1] - 1e-4 * diagonal).abs() < 1e-6 && ray.origin[0] == point.position[0]);
            assert_eq!((ray.t_min, ray.t_max), (0.0, t_max));
        }
    }
}

#[test]
fn the_papers_rays_are_adjacent_per_pixel_and_start_along_themselves() {
    let view = rays_of(Workload::G14, [16, 8], 60.0);
    for (kind, first, t_max) in [(RayKind::Ao, 1, 3.0), (RayKind::Diffuse, 33, f32::INFINITY)] {
        let rays = all(&view, kind, 32, Order::Workload);
        for (i, ray) in rays.iter().enumerate() {
            let point = &view.points()[i / 32];
            assert_direction(ray, point.pixel, first + (i % 32) as u32);
            for axis in 0..3 {
                let want = point.position[axis] - 1e-4 * point.direction[axis] + 0.01 * ray.direction[axis];
                assert!((ray.origin[axis] - want).abs() < 1e-6, "{ray:?} from {point:?}");
            }
            assert_eq!((ray.t_min, ray.t_max), (0.0, t_max));
        }
    }
}

#[test]
fn published_rays_turn_one_pattern_about_the_normal_and_start_before_the_surface() {
    let view = rays_of(Workload::Alk12, [16, 8], 60.0);
    let plain = |kind| all(&view, kind, 32, Order::Shuffled(0));
    for (kind, t_max) in [(RayKind::Ao, 3.0), (RayKind::Diffuse, 60.0)] {
        let rays = plain(kind);
        // A pixel's heights over the floor are those of the 32 points, whatever its turn: z^2 = 1 - u.
        let mut heights: Vec<f32> = rays.iter().map(|ray| ray.direction[1]).collect();
        heights.sort_by(f32::total_cmp);
        let mut expected: Vec<f32> = (1..=32u32)
            .map(|i| (1.0 - f64::from(i.reverse_bits()) / 4_294_967_296.0).sqrt() as f32)
            .flat_map(|height| std::iter::repeat_n(height, 128))
            .collect();
        expected.sort_by(f32::total_cmp);
        assert!(heights.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5));
        for ray in &rays {
            // 1e-4 for AO rays of 5.
            let close = |axis: usize, point: &raywarp_workload::rays::VisiblePoint| {
                (ray.origin[axis] - (point.position[axis] - 6e-5 * point.direction[axis])).abs() < 1e-6
            };
            assert!(view.points().iter().any(|point| (0..3).all(|axis| close(axis, point))), "{ray:?}");
            assert_eq!((ray.t_min, ray.t_max), (0.0, t_max));
        }
    }
    // AO and diffuse rays have the same directions.
    let directions = |rays: Vec<Ray>| rays.into_iter().map(|ray| ray.direction.map(f32::to_bits)).collect::<Vec<_>>();
    assert_eq!(directions(plain(RayKind::Ao)), directions(plain(RayKind::Diffuse)));
}

fn sorted_bits(rays: &[Ray]) -> Vec<[u32; 8]> {
    let bits = |ray: &Ray| {
        let (o, d) = (ray.origin, ray.direction);
        [o[0], o[1], o[2], ray.t_min, d[0], d[1], d[2], ray.t_max].map(f32::to_bits)
    };
    let mut bits: Vec<_> = rays.iter().map(bits).collect();
    bits.sort_unstable();
    bits
}

#[test]
fn al09_is_g14_with_each_batch_sorted() {
    // 1.5 batches.
    let size = [256, 192];
    let (al09, g14) = (rays_of(Workload::Al09, size, 60.0), rays_of(Workload::G14, size, 60.0));
    let (sorted, plain) =
        (al09.batches(RayKind::Diffuse, 32, Order::Workload), g14.batches(RayKind::Diffuse, 32, Order::Workload));
    assert_eq!((sorted.count(), plain.count()), (2, 2));
    for i in 0..2 {
        let (sorted, plain) = (sorted.batch(i), plain.batch(i));
        assert_eq!(sorted.len(), [BATCH, BATCH / 2][i]);
        assert!(sorted_bits(&sorted) == sorted_bits(&plain), "batch {i}");
        let bounds = raywarp_geom::Aabb::of_points(sorted.iter().map(|ray| &ray.origin));
        assert!(sorted.is_sorted_by_key(|ray| morton_key(ray, &bounds)), "batch {i}");
        assert!(!plain.is_sorted_by_key(|ray| morton_key(ray, &bounds)), "batch {i}");
    }
}

#[test]
fn shuffled_rays_are_the_same_rays() {
    let view = rays_of(Workload::Al09, [32, 24], 60.0);
    let plain = all(&view, RayKind::Diffuse, 8, Order::Workload);
    let shuffled = all(&view, RayKind::Diffuse, 8, Order::Shuffled(1));
    assert!(sorted_bits(&plain) == sorted_bits(&shuffled));
    assert!(shuffled != plain && shuffled != all(&view, RayKind::Diffuse, 8, Order::Shuffled(2)));
}

#[test]
fn a_sample_is_whole_chunks_of_the_whole_in_order() {
    let size = [256, 192];
    for (workload, order) in [
        (Workload::Raywarp, Order::Workload),
        (Workload::Al09, Order::Workload),
        (Workload::Raywarp, Order::Shuffled(3)),
    ] {
        let view = rays_of(workload, size, 60.0);
        let batches = view.batches(RayKind::Diffuse, 32, order);
        let whole = all(&view, RayKind::Diffuse, 32, order);
        let sample = batches.sample(32, 64);
        assert_eq!(sample.len(), whole.len() / 64, "{workload:?}");
        let mut rest = whole.chunks(32);
        for chunk in sample.chunks(32) {
            assert!(rest.any(|candidate| candidate == chunk), "{workload:?}: not a chunk, or out of order");
        }
        assert!(batches.sample(32, 1) == whole, "{workload:?}");
        // Other draws are other samples, as large and as whole.
        let drawn = batches.draw(32, 64, 1);
        assert!(batches.draw(32, 64, 0) == sample && drawn != sample && drawn.len() == sample.len(), "{workload:?}");
        assert!(drawn.chunks(32).all(|chunk| whole.chunks(32).any(|candidate| candidate == chunk)), "{workload:?}");
    }
}

#[test]
fn odd_samples_are_cut_at_the_ends() {
    let view = rays_of(Workload::Raywarp, [10, 10], 60.0);
    let batches = view.batches(RayKind::Ao, 1, Order::Workload);
    assert_eq!(batches.sample(1000, 5).len(), 100);
    assert_eq!(batches.sample(32, 5).len(), 32);
    assert_eq!(batches.sample(32, 1).len(), 100);
    assert_eq!(batches.sample(32, 2).len(), 64);
    assert_eq!(batches.sample(0, 0).len(), 100);
    assert_eq!(batches.sample(usize::MAX, usize::MAX).len(), 100);
    assert!(view.batches(RayKind::Ao, 0, Order::Workload).sample(32, 2).is_empty());
}

#[test]
fn directions_follow_the_cosine() {
    // In cells of equal probability: a cosine-weighted direction has uniform cos^2 and angle.
    let view = rays_of(Workload::Raywarp, [64, 48], 60.0);
    for kind in [RayKind::Ao, RayKind::Diffuse] {
        // Samples of a pixel are stratified together, pixels are independent: one sample a pixel.
        for sample in 0..4 {
            let points = view.points().len();
            let rays = &all(&view, kind, 4, Order::Workload)[sample * points..(sample + 1) * points];
            let mut counts = vec![0.0; 48];
            for ray in rays {
                let d = ray.direction;
                assert!((length(d) - 1.0).abs() < 1e-5 && d[1] > 0.0);
                let height = ((d[1] * d[1] * 6.0) as usize).min(5);
                let angle = d[2].atan2(d[0]) / std::f32::consts::TAU + 0.5;
                counts[height * 8 + ((angle * 8.0) as usize).min(7)] += 1.0;
            }
            let (p, _) = chi_squared_test(&counts, &vec![points as f64 / 48.0; 48]);
            assert!(p > 1e-4, "{kind:?}, sample {sample}: p {p}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let make = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let view = rays_of(Workload::Al09, [128, 96], 60.0);
            RayKind::ALL.map(|kind| all(&view, kind, 32, Order::Workload))
        })
    };
    assert!(make(1) == make(3));
}

#[test]
fn impossible_pictures_and_foreign_tracers_are_refused() {
    let triangles = floor();
    let fewer = FlatTriangles::default();
    let tracer = BruteForce { triangles: &triangles, bug: Bug::None };
    let new = |size, triangles| {
        ViewRays::new(Workload::Raywarp, &above(60.0), size, triangles, &tracer, &Control::default()).map(|_| ())
    };
    assert!(matches!(new([0, 5], &triangles), Err(RaysError::Size { width: 0, height: 5, .. })));
    assert!(matches!(new([u32::MAX, u32::MAX], &triangles), Err(RaysError::Size { .. })));
    assert_eq!(new([8, 4], &fewer), Err(RaysError::UnknownTriangle { instance: 0, primitive: 0 }));
    assert_eq!(new([1, 1], &triangles), Ok(()));
}
