//! Rays that the kernels aim at closed meshes (kernels/check/aimed.h), on a pretended driver: they are what they shall be, none
//! is lost, and what is lost through a hole is told.

#[path = "../../cpu/tests/closed/mod.rs"]
mod closed;

use crate::common::pretended::Driver;
use closed::exact::{Meeting, is_inside, meeting};
use raywarp_bvh::{build, presets};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::{AimedRays, AimedTarget, Device, LostRay, LostRays};
use raywarp_geom::{Control, FlatTriangles, Hit, Ray, Tracer};
use raywarp_workload::closed::{OFFSETS, Placed, all};
use std::collections::BTreeSet;
use std::ops::Range;

const SEED: u64 = 7;

/// What is lost of rays aimed at `target` in a scene of some triangles.
fn lost(target: &Placed, scene: &[[[f32; 3]; 3]], numbers: Range<u64>, kept: usize) -> LostRays {
    let triangles = FlatTriangles::from_vertices(scene.to_vec());
    let bvh = build(&triangles, &presets::SINGLE).unwrap();
    let Placed { triangles: corners, starts, along, middle, .. } = target;
    let aimed = AimedTarget { corners, starts, along, middle: *middle };
    let rays = AimedRays::new(&Device::open(0).unwrap()).unwrap();
    rays.lost(&bvh, &triangles, &aimed, SEED, numbers, kept).unwrap()
}

/// Which of some rays the CPU's tracer loses.
fn lost_by_cpu(scene: &[[[f32; 3]; 3]], rays: &[Ray]) -> Vec<bool> {
    let triangles = FlatTriangles::from_vertices(scene.to_vec());
    let tracer = CpuTracer::new(&build(&triangles, &presets::SINGLE).unwrap(), &triangles).unwrap();
    let mut hits = vec![Hit::default(); rays.len()];
    tracer.closest(rays, &[], &mut hits, &mut [], &Control::default()).unwrap();
    hits.iter().map(|hit| !hit.is_hit()).collect()
}

/// All rays of some numbers: an empty scene loses them.
fn all_rays(target: &Placed, numbers: Range<u64>) -> Vec<LostRay> {
    let count = (numbers.end - numbers.start) as usize;
    let lost = lost(target, &[], numbers.clone(), count);
    assert_eq!([lost.closest, lost.any, lost.rays], [count as u64; 3]);
    assert!(lost.kept.iter().all(|lost| lost.queries == 3));
    assert!(lost.kept.iter().map(|lost| lost.number).eq(numbers));
    lost.kept
}

#[test]
fn no_aimed_ray_is_lost_in_any_order_of_lanes() {
    let Some(driver) = Driver::get() else { return };
    let (mut rays, mut order) = (0, 0);
    for mesh in all() {
        for size in [1e-6, 1.0, 1e6] {
            for offset in OFFSETS {
                driver.order(order % 4);
                let target = Placed::new(&mesh, size, offset, 256);
                // Not whole warps.
                let lost = lost(&target, &target.triangles, rays..rays + 203, 1);
                assert_eq!(lost, LostRays::default(), "{}, size {size:e}, offset {offset:e}", mesh.name);
                (rays, order) = (rays + 203, order + 1);
            }
        }
    }
    assert_eq!(rays, 5 * 3 * 4 * 203);
}

#[test]
fn rays_start_inside_and_meet_vertices_edges_and_faces() {
    let Some(_driver) = Driver::get() else { return };
    let places = [(1.0, 0.0), (1e-6, 1.0), (1e6, 1e2), (1.0, 1e4), (1.0, 0.0)];
    for (mesh, (size, offset)) in all().iter().zip(places) {
        let what = (mesh.name, size, offset);
        let target = Placed::new(mesh, size, offset, 100);
        let told = all_rays(&target, 1 << 40..(1 << 40) + 600);
        let rays: Vec<Ray> = told.iter().map(|lost| lost.ray).collect();
        assert!(rays.iter().all(|ray| ray.t_min == 0.0 && ray.t_max == f32::INFINITY));
        let starts: BTreeSet<[u32; 3]> = rays.iter().map(|ray| ray.origin.map(f32::to_bits)).collect();
        for start in &starts {
            let start = start.map(|x| f64::from(f32::from_bits(x)));
            assert_eq!(is_inside(&target.triangles, start), Some(true), "{what:?}: {start:?}");
        }
        // Each start is as good as another; an eighth of the rays, 75 of 600, have starts of their own.
        let is_along = |ray: &&Ray| ray.direction.iter().filter(|x| **x != 0.0).count() == 1;
        let along = rays.iter().filter(is_along).count();
        assert!(along == 0 || (45..110).contains(&along), "{what:?}: {along} along an axis");
        assert_eq!(along > 0, !target.along.is_empty(), "{what:?}");
        assert!(starts.len() > 95 + along / 2, "{what:?}: {} starts", starts.len());
        // Most aim at vertices and edges: many lines meet a border exactly, and the others pass it on either side.
        let borders = rays.iter().filter(|ray| target.triangles.iter().any(|t| meeting(ray, t) == Meeting::Border));
        let borders = borders.count();
        println!("{what:?}: {along} along an axis, {borders} exactly at a border");
        assert!(borders > 10, "{what:?}: {borders} exactly at a border");
        assert_eq!(lost_by_cpu(&target.triangles, &rays), vec![false; rays.len()], "{what:?}");
    }
}

#[test]
fn what_leaves_through_a_hole_is_counted_and_told() {
    let Some(_driver) = Driver::get() else { return };
    let target = Placed::new(&all()[0], 1.0, 1.0, 50);
    let scene: Vec<_> = target.triangles.iter().copied().step_by(2).collect();
    let rays = all_rays(&target, 0..1000);
    let by_cpu = lost_by_cpu(&scene, &rays.iter().map(|lost| lost.ray).collect::<Vec<_>>());
    let expected: Vec<LostRay> = rays.into_iter().zip(by_cpu).filter(|(_, lost)| *lost).map(|(ray, _)| ray).collect();
    assert!((100..900).contains(&expected.len()), "{}", expected.len());
    let all = lost(&target, &scene, 0..1000, 1000);
    assert!(all.kept == expected, "{} rays, not {}", all.kept.len(), expected.len());
    // With room for three, three of them.
    let some = lost(&target, &scene, 0..1000, 3);
    assert_eq!((some.closest, some.any, some.rays), (all.closest, all.any, all.rays));
    assert_eq!([all.closest, all.any, all.rays], [expected.len() as u64; 3]);
    assert!(some.kept.len() == 3 && some.kept.iter().all(|lost| expected.contains(lost)));
    // Other numbers are other rays, but for some at vertices along an axis; the same numbers are the same ones.
    let other = all_rays(&target, 1000..2000);
    let again = other.iter().filter(|lost| expected.iter().any(|known| known.ray == lost.ray)).count();
    assert!(again < 50, "{again}");
    assert_eq!(all_rays(&target, 1000..2000), other);
}
