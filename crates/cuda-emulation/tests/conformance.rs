//! Emulated kernels against brute force in f64. That they answer as the Rust schedules do, which are tried on every
//! case, is tests/schedules.rs's; here each kernel sees a share of the cases, and each case a share of the kernels.

mod common;

use common::{SEVERAL, scenes, skipped};
use rayon::prelude::*;
use raywarp_cuda_emulation::{EmulatedTracer, Order};
use raywarp_family::Variant;
use raywarp_workload::conformance::{Expectations, check};

/// A case is given to every kernel of so many.
const SHARE: usize = 6;

#[test]
fn every_kernel_conforms_to_brute_force() {
    if skipped() {
        return;
    }
    let check_all = |(number, scene): (usize, &common::Scene)| -> Vec<String> {
        let mut faults = Vec::new();
        let variants = raywarp_cuda::compiled();
        // More lanes a ray take more time.
        let has_turn = |(i, variant): &(usize, &Variant)| {
            (i + number) % (SHARE * variant.lanes_per_ray() as usize) == 0 && scene.suits_oracle(variant)
        };
        for (_, variant) in variants.iter().enumerate().filter(has_turn) {
            let tracer = EmulatedTracer::new(variant, scene.tree(variant), &scene.case.triangles).unwrap();
            let mut tracer = tracer.unwrap_or_else(|| panic!("{variant} is listed but not compiled"));
            tracer.order = Order::Seeded(3);
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
