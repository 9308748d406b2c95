//! Emulated kernels against brute force in f64. That they answer as the Rust schedules do, which are tried on every
//! case, is tests/schedules.rs's; here each kernel sees a share of the cases, and each case a share of the kernels.

use crate::common::{SEVERAL, scenes};
use rayon::prelude::*;
use raywarp_bvh::{build, presets};
use raywarp_cuda_emulation::{EmulatedTracer, LaneOrder};
use raywarp_family::{Tree, Variant};
use raywarp_geom::{Control, FlatTriangles, Hit, Ray, Tracer};
use raywarp_traverse::{Execution, FamilyTracer, Kernel};
use raywarp_workload::conformance::{Expectations, check};

/// A case is given to every kernel of so many.
const SHARE: usize = 6;

#[test]
fn every_kernel_conforms_to_brute_force() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let check_all = |(number, scene): (usize, &crate::common::Scene)| -> Vec<String> {
        let mut faults = Vec::new();
        let variants = raywarp_cuda::compiled();
        // More lanes a ray take more time.
        let is_chosen = |(i, variant): &(usize, &Variant)| {
            (i + number) % (SHARE * variant.lanes_per_ray() as usize) == 0 && scene.suits_oracle(variant)
        };
        for (_, variant) in variants.iter().enumerate().filter(is_chosen) {
            let tracer = EmulatedTracer::new(variant, scene.tree(variant), &scene.case.triangles).unwrap();
            let mut tracer = tracer.unwrap_or_else(|| panic!("{variant} is listed but not compiled"));
            tracer.order = LaneOrder::Seeded(3);
            let expectations = match variant.triangle() {
                test if test.is_watertight() => Expectations::LIBRARY,
                _ => Expectations { after: true, ..Expectations::FAST },
            };
            match check(&scene.case, scene.case.oracle(), &tracer, expectations) {
                Ok(report) if report.passed() => {}
                Ok(report) => faults.push(format!("{variant}: {report}")),
                Err(error) => faults.push(format!("{variant}: {}: {error}", scene.case.name)),
            }
        }
        faults
    };
    let faults: Vec<String> = scenes().par_iter().enumerate().with_max_len(1).flat_map_iter(check_all).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(SEVERAL)].join("\n"));
}

#[test]
fn what_is_hit_beyond_all_floats_is_missed_by_lanes_that_count_otherwise() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    // Lanes of h8 count t in lengths of 1 to 2. 2^40 of those is a float, but 2^140 of the given direction is not.
    let (near, far, length) = (2f32.powi(20), 2f32.powi(40), 2f32.powi(-100));
    let triangle = |x: f32, side: f32| [[x, side, -1.0], [x, side * 3.0, 0.0], [x, side, 1.0]];
    let triangles = FlatTriangles::from_vertices(vec![triangle(near, 1.0), triangle(far, -1.0)]);
    let bvh = build(&triangles, &presets::SINGLE).unwrap();
    let ray = |side: f32, t_max: f32| Ray { t_max, ..Ray::new([0.0, side * 2.0, 0.0], [length, 0.0, 0.0]) };
    let rays = [ray(1.0, f32::INFINITY), ray(-1.0, f32::INFINITY), ray(1.0, f32::MAX), ray(-1.0, f32::MAX)];
    let check = |what: &str, tracer: &dyn Tracer| {
        let (mut hits, mut blocked) = (vec![Hit::default(); rays.len()], [0]);
        tracer.closest(&rays, &[], &mut hits, &mut [], &Control::default()).unwrap();
        let found: Vec<_> = hits.iter().map(|hit| (hit.is_hit(), hit.t)).collect();
        let t = near / length;
        assert_eq!(found, [(true, t), (false, f32::INFINITY), (true, t), (false, f32::MAX)], "{what}");
        tracer.any(&rays, &[], &mut blocked, &mut vec![], &Control::default()).unwrap();
        assert_eq!(blocked, [0b0101], "{what}");
    };
    for variant in raywarp_cuda::compiled().iter().filter(|variant| variant.tree() == Tree::H8) {
        let kernel = Kernel::new(&variant.voted(), &bvh, &triangles).unwrap();
        check(&format!("{variant} in Rust"), &FamilyTracer::new(kernel, Execution::Scalar).unwrap());
        check(&variant.to_string(), &EmulatedTracer::new(variant, &bvh, &triangles).unwrap().unwrap());
    }
}
