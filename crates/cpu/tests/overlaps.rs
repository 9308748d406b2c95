//! Triangles that touch a box, against every triangle: clipped by the box in f64, and alone in a tree.

use crate::common::{Point, grid, soup, tree};
use crate::levels::{Scene, transform};
use crate::nearest::tracers;
use raywarp_cpu::{CpuTracer, LevelsTracer};
use raywarp_geom::{Aabb, Affine64, FlatTriangles, PrimitiveId};
use raywarp_testing::Random;
use std::ops::ControlFlow;

/// Tracer that is asked what touches a box.
pub trait Touching {
    fn touching(&self, bounds: &Aabb) -> Vec<PrimitiveId>;
}

macro_rules! touching {
    ($tracer:ty) => {
        impl Touching for $tracer {
            fn touching(&self, bounds: &Aabb) -> Vec<PrimitiveId> {
                let mut found = Vec::new();
                let flow = self.overlaps(bounds, |id| {
                    found.push(id);
                    ControlFlow::Continue(())
                });
                assert!(flow.is_continue());
                found.sort_unstable();
                // Each once.
                assert!(found.is_sorted_by(|a, b| a < b));
                found
            }
        }
    };
}
touching!(CpuTracer);
touching!(LevelsTracer);

/// Returns `true` if anything of a triangle is left within a box grown by `by`: clipped at its six planes.
fn clipped(bounds: &Aabb, corners: &[Point; 3], by: f64) -> bool {
    let mut polygon: Vec<[f64; 3]> = corners.iter().map(|p| p.map(f64::from)).collect();
    for axis in 0..3 {
        for (limit, sign) in [(f64::from(bounds.max[axis]) + by, 1.0), (f64::from(bounds.min[axis]) - by, -1.0)] {
            let beyond = |p: &[f64; 3]| sign * (p[axis] - limit);
            let mut kept = Vec::new();
            for (i, p) in polygon.iter().enumerate() {
                let next = &polygon[(i + 1) % polygon.len()];
                let (here, there) = (beyond(p), beyond(next));
                if here <= 0.0 {
                    kept.push(*p);
                }
                if (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0) {
                    let t = here / (here - there);
                    kept.push(std::array::from_fn(|k| p[k] + t * (next[k] - p[k])));
                }
            }
            polygon = kept;
        }
    }
    !polygon.is_empty()
}

/// Every engine against every triangle.
#[track_caller]
pub fn check(triangles: &FlatTriangles, boxes: &[Aabb], engines: &[(String, &dyn Touching)]) {
    let alone = |corners: &[Point; 3]| {
        let one = FlatTriangles::from_vertices(vec![*corners]);
        CpuTracer::new(&tree(&one, 1), &one).unwrap()
    };
    let singles: Vec<CpuTracer> = triangles.vertices.iter().map(alone).collect();
    let (mut touched, mut apart) = (0, 0);
    for bounds in boxes {
        let mut expected = Vec::new();
        for (i, corners) in triangles.vertices.iter().enumerate() {
            let touches = !singles[i].touching(bounds).is_empty();
            let finite = corners.iter().flatten().chain(&bounds.min).chain(&bounds.max).filter(|x| x.is_finite());
            let largest = f64::from(finite.fold(0.0, |most: f32, x| most.max(x.abs())));
            let case = format!("{bounds:?} {corners:?}");
            assert!(touches || !clipped(bounds, corners, -1e-12 * largest), "missed: {case}");
            assert!(!touches || clipped(bounds, corners, largest / (1u64 << 26) as f64), "not there: {case}");
            if touches {
                expected.push(triangles.ids[i]);
                touched += 1;
            } else {
                apart += 1;
            }
        }
        expected.sort_unstable();
        for (name, engine) in engines {
            assert_eq!(engine.touching(bounds), expected, "{name}: {bounds:?}");
        }
    }
    assert!(touched > boxes.len() && apart > boxes.len(), "{touched} and {apart} show too little");
}

/// Boxes of many sizes and shapes, some with a corner on a corner, some that are points.
pub fn boxes(triangles: &FlatTriangles, random: &mut Random, count: usize, size: f32) -> Vec<Aabb> {
    let one = |i: usize| {
        let at = if i.is_multiple_of(2) {
            triangles.vertices[random.below(triangles.len())][i % 3]
        } else {
            random.point().map(|x| size * x)
        };
        let (shape, share) = (random.point(), [0.0, 0.02, 0.2, 1.0][i % 4]);
        let end: Point = std::array::from_fn(|k| at[k] + size * share * shape[k]);
        Aabb::of_points(&[at, end])
    };
    (0..count).map(one).collect()
}

#[test]
fn soups_and_needles_touch_as_every_triangle_does() {
    let mut random = Random::new(41);
    let mut needles = soup(120, 0.8, 2);
    for (i, corners) in needles.vertices.iter_mut().enumerate() {
        let [a, b, _] = *corners;
        let thin = [0.0, 1e-12, 1e-8, 1e-4][i % 4];
        corners[2] = std::array::from_fn(|k| 0.3 * a[k] + 0.7 * b[k] + thin * random.signed());
    }
    for triangles in [soup(200, 0.4, 8), needles] {
        let boxes = boxes(&triangles, &mut random, 200, 1.0);
        let all = tracers(&triangles);
        let engines: Vec<_> = all.iter().map(|(name, tracer)| (name.clone(), tracer as &dyn Touching)).collect();
        check(&triangles, &boxes, &engines);
    }
}

#[test]
fn boxes_of_a_lattice_touch_what_they_share_a_border_with() {
    let triangles = FlatTriangles::from_vertices(grid(6, 0.0));
    for (name, tracer) in tracers(&triangles) {
        // A cell with its border: its two triangles, and all that share a corner with it.
        let cell = Aabb { min: [2.0, 2.0, 0.0], max: [3.0, 3.0, 1.0] };
        assert_eq!(tracer.touching(&cell).len(), 16, "{name}");
        let within = Aabb { min: [2.25, 2.25, -1.0], max: [2.3, 2.3, 1.0] };
        assert_eq!(tracer.touching(&within).len(), 1, "{name}");
        let above = Aabb { min: [0.0, 0.0, f32::from_bits(1)], max: [9.0; 3] };
        assert_eq!(tracer.touching(&above), [], "{name}");
        let everything = Aabb { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        assert_eq!(tracer.touching(&everything).len(), 72, "{name}");
        for nothing in [Aabb::EMPTY, Aabb { min: [f32::NAN; 3], max: [1.0; 3] }] {
            assert_eq!(tracer.touching(&nothing), [], "{name}");
        }
        let mut told = 0;
        let flow = tracer.overlaps(&everything, |_| {
            told += 1;
            if told == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((flow, told), (ControlFlow::Break(()), 5), "{name}");
    }
}

/// Makes each box endless on some of its sides, and every seventh one that is entirely at infinity.
fn endless(boxes: &[Aabb], random: &mut Random) -> Vec<Aabb> {
    let one = |(i, bounds): (usize, &Aabb)| {
        let (mut bounds, sides) = (*bounds, 1 + random.below(63));
        for axis in 0..3 {
            if sides >> axis & 1 == 1 {
                bounds.min[axis] = f32::NEG_INFINITY;
            }
            if sides >> (axis + 3) & 1 == 1 {
                bounds.max[axis] = f32::INFINITY;
            }
        }
        if i % 7 == 0 {
            let end = [f32::INFINITY, f32::NEG_INFINITY][i % 2];
            (bounds.min[i % 3], bounds.max[i % 3]) = (end, end);
        }
        bounds
    };
    boxes.iter().enumerate().map(one).collect()
}

#[test]
fn boxes_without_an_end_touch_what_lies_in_them_and_boxes_at_infinity_nothing() {
    let mut random = Random::new(43);
    let placed = (0..4).map(|i| (i % 2, transform(&mut random, 2.0))).collect::<Vec<_>>();
    let scene = Scene::new(vec![soup(40, 0.4, 3), soup(9, 1.5, 4)], placed);
    let flat = scene.flat();
    let boxes = endless(&boxes(&flat, &mut random, 140, 3.0), &mut random);
    let (one, two) = (tracers(&flat), scene.tracers());
    let one = one.iter().map(|(name, tracer)| (name.clone(), tracer as &dyn Touching));
    let two = two.iter().map(|(name, tracer)| (name.clone(), tracer as &dyn Touching));
    check(&flat, &boxes, &one.chain(two).collect::<Vec<_>>());
}

#[test]
fn what_reaches_to_the_end_of_f32_is_not_at_infinity() {
    const END: f32 = f32::MAX;
    let triangles = FlatTriangles::from_vertices(vec![
        [[END, 0.0, 0.0], [END, 1.0, 0.0], [END, 0.0, 1.0]],
        [[-END, 0.0, 0.0], [-END, 1.0, 0.0], [-END, 0.0, 1.0]],
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    ]);
    let along = |min: f32, max: f32| Aabb { min: [min, -2.0, f32::NEG_INFINITY], max: [max, f32::INFINITY, 2.0] };
    let (one, placed) = (tracers(&triangles), Scene::new(vec![triangles], [(0, Affine64::IDENTITY)]).tracers());
    let one = one.iter().map(|(name, tracer)| (name, tracer as &dyn Touching));
    for (name, tracer) in one.chain(placed.iter().map(|(name, tracer)| (name, tracer as &dyn Touching))) {
        for (min, max, expected) in [
            (f32::NEG_INFINITY, f32::INFINITY, &[0, 1, 2][..]),
            (0.5, f32::INFINITY, &[0, 2]),
            (f32::NEG_INFINITY, -0.5, &[1]),
            (END, f32::INFINITY, &[0]),
            (END, END, &[0]),
            (f32::NEG_INFINITY, -END, &[1]),
            (f32::INFINITY, f32::INFINITY, &[]),
            (f32::NEG_INFINITY, f32::NEG_INFINITY, &[]),
        ] {
            let touched: Vec<u32> = tracer.touching(&along(min, max)).iter().map(|id| id.primitive).collect();
            assert_eq!(touched, expected, "{name}: from {min} to {max}");
        }
    }
}

#[test]
fn placements_touch_as_the_flattened_scene_does() {
    let mut random = Random::new(42);
    for shift in [0.0, 2.0, 1e3, 1e6] {
        let trees = vec![soup(40, 0.4, 3), soup(9, 1.5, 4), FlatTriangles::default()];
        let mut placed: Vec<_> = (0..9).map(|i| (i % 3, transform(&mut random, shift))).collect();
        placed.push((0, Affine64::IDENTITY));
        let scene = Scene::new(trees, placed);
        let flat = scene.flat();
        let boxes = boxes(&flat, &mut random, 120, 1.0 + shift);
        let all = scene.tracers();
        let engines: Vec<_> = all.iter().map(|(name, tracer)| (name.clone(), tracer as &dyn Touching)).collect();
        check(&flat, &boxes, &engines);
    }
}
