//! Emulated kernels against brute force in f64.

mod common;

use common::{SEVERAL, scenes, skipped};
use rayon::prelude::*;
use raywarp_cuda_emulation::{EmulatedTracer, Order};
use raywarp_family::TriangleTest;
use raywarp_workload::conformance::{Expectations, check};

#[test]
fn every_kernel_conforms_to_brute_force() {
    if skipped() {
        return;
    }
    let check_all = |scene: &common::Scene| -> Vec<String> {
        let mut faults = Vec::new();
        for variant in raywarp_cuda::compiled().iter().filter(|variant| scene.suits_oracle(variant)) {
            let tracer = EmulatedTracer::new(variant, scene.tree(variant), &scene.case.triangles).unwrap();
            let mut tracer = tracer.unwrap_or_else(|| panic!("{variant} is listed but not compiled"));
            tracer.order = Order::Seeded(3);
            let expectations = match variant.triangle() {
                TriangleTest::Watertight => Expectations::LIBRARY,
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
    let faults: Vec<String> = scenes().par_iter().with_max_len(1).flat_map_iter(check_all).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(SEVERAL)].join("\n"));
}
