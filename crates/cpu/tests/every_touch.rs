//! Every triangle that a ray touches, in one walk: each once, whatever the tree and whatever the caller does.

use crate::common::{all_hits, grid, random_ray, touches};
use crate::deep;
use raywarp_bvh::{BuildOptions, build, presets};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{FlatTriangles, Hit, HitKey, Ray};
use raywarp_testing::Random;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns long triangles that cross one another.
fn needles(count: usize, seed: u64) -> FlatTriangles {
    let mut random = Random::new(seed);
    let needle = |_| {
        let [a, b, aside] = [random.point(), random.point(), random.point()];
        [a, b, std::array::from_fn(|i| b[i] + 0.3 * aside[i])]
    };
    FlatTriangles::from_vertices((0..count).map(needle).collect())
}

/// Returns a tracer over a tree in which many triangles stand in several leaves.
fn split(triangles: &FlatTriangles) -> CpuTracer {
    let bvh = build(triangles, &BuildOptions { split_alpha: 0.0, ..presets::SINGLE_SPLIT }).unwrap();
    assert!(bvh.references.len() > triangles.len() * 21 / 20, "the tree splits hardly any triangle");
    CpuTracer::new(&bvh, triangles).unwrap()
}

fn expected(triangles: &FlatTriangles, ray: &Ray) -> Vec<(u32, u32, u32)> {
    all_hits(triangles, ray).iter().map(|(hit, instance, _)| (hit.t.to_bits(), *instance, hit.primitive)).collect()
}

fn found(hits: Vec<(Hit, u32)>) -> Vec<(u32, u32, u32)> {
    hits.into_iter().map(|(hit, instance)| (hit.t.to_bits(), instance, hit.primitive)).collect()
}

#[test]
fn a_triangle_of_several_leaves_is_told_once() {
    let triangles = needles(600, 2);
    let tracer = split(&triangles);
    let mut random = Random::new(31);
    let (mut hits, mut most) = (0, 0);
    for _ in 0..400 {
        let ray = random_ray(&mut random);
        let want = expected(&triangles, &ray);
        assert_eq!(found(touches(&tracer, &ray)), want, "{ray:?}");
        (hits, most) = (hits + want.len(), most.max(want.len()));
    }
    assert!(hits > 2000 && most > 10, "{hits} hits, at most {most} of a ray");
}

#[test]
fn sheets_at_the_very_same_place_are_all_told() {
    let sheet = grid(1, 1.0);
    let triangles = FlatTriangles::from_vertices((0..5000).flat_map(|_| sheet.clone()).collect());
    let tracer = CpuTracer::new(&build(&triangles, &Default::default()).unwrap(), &triangles).unwrap();
    let told = found(touches(&tracer, &Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0])));
    assert_eq!(told.len(), 5000);
    assert!(told.iter().enumerate().all(|(i, hit)| *hit == (1.0f32.to_bits(), 0, 2 * i as u32)));
}

#[test]
fn whoever_breaks_is_told_no_more() {
    let triangles = FlatTriangles::from_vertices((0..40).flat_map(|i| grid(1, i as f32)).collect());
    let tracer = CpuTracer::new(&build(&triangles, &Default::default()).unwrap(), &triangles).unwrap();
    let ray = Ray::new([0.25, 0.25, -1.0], [0.0, 0.0, 1.0]);
    for most in 1..=41 {
        let mut told = 0;
        let flow = tracer.visit_one(&ray, |_, _| {
            told += 1;
            if told == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((told, flow.is_break()), (most.min(40), most <= 40));
    }
}

#[test]
#[cfg_attr(panic = "abort", ignore = "a panic ends this program")]
fn a_callback_may_ask_the_tree_and_may_panic() {
    let triangles = needles(400, 5);
    let tracer = split(&triangles);
    let mut random = Random::new(8);
    let rays: Vec<Ray> = (0..20).map(|_| random_ray(&mut random)).collect();
    for (ray, other) in rays.iter().zip(rays.iter().rev()) {
        let mut hits = Vec::new();
        let _ = tracer.visit_one(ray, |hit, instance| {
            // Of the same thread, while the outer ray is on its way.
            assert_eq!(found(touches(&tracer, other)), expected(&triangles, other));
            hits.push((*hit, instance));
            ControlFlow::Continue(())
        });
        hits.sort_by(|a, b| (a.0.t, a.1, a.0.primitive).partial_cmp(&(b.0.t, b.1, b.0.primitive)).unwrap());
        assert_eq!(found(hits), expected(&triangles, ray));
        let told = Cell::new(0);
        let panics = catch_unwind(AssertUnwindSafe(|| {
            tracer.visit_one(ray, |_, _| {
                told.set(told.get() + 1);
                std::panic::resume_unwind(Box::new("the caller's"))
            })
        }));
        assert_eq!(
            (panics.is_err(), told.get()),
            (!expected(&triangles, ray).is_empty(), usize::from(panics.is_err()))
        );
        assert_eq!(found(touches(&tracer, ray)), expected(&triangles, ray));
    }
}

#[test]
fn rays_through_a_tree_deeper_than_the_stack_of_a_call_are_those_of_a_batch() {
    let triangles = deep::chain::triangles(140);
    let tracer = CpuTracer::new(&deep::chain::chain(&triangles), &triangles).unwrap();
    let rays = deep::chain::rays(&triangles);
    let want = deep::chain::hits(&tracer, &rays);
    for (ray, want) in rays.iter().zip(want) {
        let got = tracer.closest_one(ray, HitKey::START);
        let got = got.map_or([ray.t_max.to_bits(), 0, 0, Hit::MISS], |(hit, _)| {
            [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive]
        });
        assert_eq!(got, want);
        assert_eq!(found(touches(&tracer, ray)), expected(&triangles, ray));
        let _ = tracer.visit_one(ray, |hit, _| {
            let inner = tracer.closest_one(ray, HitKey::START).unwrap().0;
            assert!(inner.t <= hit.t);
            ControlFlow::Continue(())
        });
    }
}
