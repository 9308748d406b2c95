//! Batches of questions that are answered one by one.

use super::{CUBE, CUBE_INDICES, built};
use crate::{
    Affine64, BatchError, BatchStats, Control, Crossings, Filter, Levels, NotClosed, Ray, Ray64, Scene, TraceError,
};
use raywarp_testing::Random;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Two cubes that overlap, one of them turned; without its lid if it is open.
fn cubes(levels: Levels, is_open: bool) -> Scene {
    let mut builder = Scene::builder();
    let whole = builder.mesh(&CUBE, &CUBE_INDICES);
    let other = builder.mesh(&CUBE, if is_open { &CUBE_INDICES[2..] } else { &CUBE_INDICES });
    builder.instance(whole, Affine64::IDENTITY, u32::MAX, 0);
    builder.instance(other, Affine64::rotation(30.0, [1.0, 2.0, 3.0]), u32::MAX, 0);
    built(builder, levels)
}

/// Points in and around [`cubes`], of which two have no place.
fn points() -> Vec<[f32; 3]> {
    let mut random = Random::new(50);
    let mut points: Vec<[f32; 3]> = (0..1500).map(|_| random.point().map(|x| 0.5 + x)).collect();
    (points[3], points[1200]) = ([0.5, f32::NAN, 0.5], [f32::NEG_INFINITY, 0.5, 0.5]);
    points
}

#[test]
fn batches_of_points_and_of_crossings_are_what_each_question_answers() {
    let (points, control) = (points(), Control::default());
    let numbers = |stats: BatchStats| (stats.rays, stats.invalid);
    for levels in [Levels::One, Levels::Two] {
        let (closed, open) = (cubes(levels, false), cubes(levels, true));
        let mut inside = vec![true; points.len()];
        let stats = closed.contains_batch(&points, &mut inside, &control).unwrap();
        assert_eq!(numbers(stats), (1500, 2));
        assert_eq!(inside, points.iter().map(|&point| closed.contains(point).unwrap()).collect::<Vec<_>>());
        assert!((100..1400).contains(&inside.iter().filter(|is_inside| **is_inside).count()));

        let (mut signed, mut by_winding, mut winding) = (vec![0.0; 1500], vec![0.0; 1500], vec![0.0; 1500]);
        let stats = closed.signed_distance_batch(&points, &mut signed, &control).unwrap();
        assert_eq!(numbers(stats), (1500, 2));
        let stats = open.signed_distance_by_winding_batch(&points, &mut by_winding, &control).unwrap();
        assert_eq!(numbers(stats), (1500, 2));
        let stats = open.winding_number_batch(&points, &mut winding, &control).unwrap();
        assert_eq!(numbers(stats), (1500, 2));
        for (i, &point) in points.iter().enumerate() {
            assert_eq!(signed[i].to_bits(), closed.signed_distance(point).unwrap().to_bits(), "{levels:?} {point:?}");
            assert_eq!(by_winding[i].to_bits(), open.signed_distance_by_winding(point).to_bits(), "{point:?}");
            assert_eq!(winding[i].to_bits(), open.winding_number(point).to_bits(), "{point:?}");
        }
        assert!(signed[3].is_nan() && signed[1200].is_nan() && winding[3].is_nan());

        let rays: Vec<Ray> = points.iter().map(|&point| Ray::new(point, [0.5, -0.25, 1.0])).collect();
        let mut passed = vec![Crossings { front: 9, back: 9 }; rays.len()];
        assert_eq!(numbers(open.crossings_batch(&rays, &mut passed, &control).unwrap()), (1500, 2));
        assert_eq!(passed, rays.iter().map(|ray| open.crossings(ray)).collect::<Vec<_>>());
        assert!(passed.iter().filter(|passed| passed.back > passed.front).count() > 100);
        let wide = |x: [f32; 3]| x.map(f64::from);
        let doubles: Vec<Ray64> = rays.iter().map(|ray| Ray64::new(wide(ray.origin), wide(ray.direction))).collect();
        assert_eq!(numbers(open.crossings_batch(&doubles, &mut passed, &control).unwrap()), (1500, 2));
        assert_eq!(passed, doubles.iter().map(|ray| open.crossings(ray)).collect::<Vec<_>>());
    }
}

#[test]
fn batches_of_points_say_what_is_wrong_tell_how_far_they_are_and_can_be_cancelled() {
    let (closed, open, points) = (cubes(Levels::Two, false), cubes(Levels::Two, true), points());
    let rays: Vec<Ray> = points.iter().map(|&point| Ray::new(point, [0.5, -0.25, 1.0])).collect();
    type Ask<'a> = &'a (dyn Fn(usize, &Control<'_>) -> Result<BatchStats, BatchError> + Sync);
    let contains: Ask<'_> = &|count, control| closed.contains_batch(&points, &mut vec![false; count], control);
    let signed: Ask<'_> = &|count, control| closed.signed_distance_batch(&points, &mut vec![0.0; count], control);
    let by_winding: Ask<'_> =
        &|count, control| open.signed_distance_by_winding_batch(&points, &mut vec![0.0; count], control);
    let winding: Ask<'_> = &|count, control| open.winding_number_batch(&points, &mut vec![0.0; count], control);
    let crossings: Ask<'_> =
        &|count, control| open.crossings_batch(&rays, &mut vec![Crossings::default(); count], control);
    for (name, ask) in [
        ("contains", contains),
        ("signed", signed),
        ("by winding", by_winding),
        ("winding", winding),
        ("crossings", crossings),
    ] {
        for found in [0, 1499, 1501] {
            let length = Err(BatchError::Length { asked: 1500, found });
            assert_eq!(ask(found, &Control::default()), length, "{name}");
        }
        let told = AtomicUsize::new(0);
        let progress = |count: usize| {
            told.fetch_add(count, Ordering::Relaxed);
        };
        ask(1500, &Control { progress: Some(&progress), cancel: None }).unwrap();
        assert_eq!(told.into_inner(), 1500, "{name}");

        let cancelled = Err(BatchError::Trace(TraceError::Cancelled));
        let cancel = AtomicBool::new(true);
        assert_eq!(ask(1500, &Control { cancel: Some(&cancel), progress: None }), cancelled, "{name}");
        // From the first part on, so that others are not begun.
        let cancel = AtomicBool::new(false);
        let progress = |_: usize| cancel.store(true, Ordering::Relaxed);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let control = Control { cancel: Some(&cancel), progress: Some(&progress) };
        assert_eq!(pool.install(|| ask(1500, &control)), cancelled, "{name}");
    }
    let not_closed = Err(BatchError::NotClosed(NotClosed { instance: 1, open_edges: 4 }));
    assert_eq!(open.contains_batch(&points, &mut vec![false; 1500], &Control::default()), not_closed);
    assert_eq!(open.signed_distance_batch(&points, &mut vec![0.0; 1500], &Control::default()), not_closed);
    // Of nothing nothing is cancelled.
    let cancel = AtomicBool::new(true);
    let control = Control { cancel: Some(&cancel), progress: None };
    let filtered = open.with(Filter::new().mask(1));
    for (name, none) in [
        ("closest", open.closest_batch::<Ray>(&[], &mut [], &control)),
        ("any", open.any_batch::<Ray64>(&[], &mut [], &control)),
        ("bits", filtered.any_bits::<Ray>(&[], &[], &mut [], &control)),
        ("crossings", open.crossings_batch::<Ray>(&[], &mut [], &control)),
        ("contains", closed.contains_batch(&[], &mut [], &control)),
        ("winding", open.winding_number_batch(&[], &mut [], &control)),
        ("nearest", open.nearest_batch(&[], 1.0, &mut [], &control)),
        ("filtered", filtered.nearest_batch(&[], 1.0, &mut [], &control)),
        ("signed", closed.signed_distance_batch(&[], &mut [], &control)),
        ("by winding", open.signed_distance_by_winding_batch(&[], &mut [], &control)),
    ] {
        assert_eq!(none.map(|stats| stats.rays), Ok(0), "{name}");
    }
}
