//! Emulated kernels answer as the Rust schedules do, bit by bit, in whatever order their lanes and warps run.

mod common;

use common::{CASES, SEVERAL, Scene, reference_variant, scenes, skipped};
use rayon::prelude::*;
use raywarp_cuda::Query;
use raywarp_cuda_emulation::{EmulatedTracer, Order, Traced};
use raywarp_family::TriangleTest;
use raywarp_geom::{Hit, HitKey};
use raywarp_traverse::{Answer, Batch, Kernel, Machine};
use raywarp_workload::conformance::{Expectations, check};

#[test]
fn every_kernel_gives_the_bits_of_the_scalar_schedule_under_four_orders() {
    if skipped() {
        return;
    }
    let faults: Vec<String> = scenes().par_iter().flat_map_iter(faults_of).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(SEVERAL)].join("\n"));
}

fn faults_of(scene: &Scene) -> Vec<String> {
    let mut faults = Vec::new();
    for variant in raywarp_cuda::compiled().iter().filter(|variant| scene.suits(variant)) {
        let emulated = EmulatedTracer::new(variant, scene.tree(variant), &scene.case.triangles);
        let tracer = emulated.unwrap().unwrap_or_else(|| panic!("{variant} is listed but not compiled"));
        let kernel = Kernel::new(&reference_variant(variant), scene.tree(variant), &scene.case.triangles).unwrap();
        for query in Query::ALL {
            let mut after = Vec::new();
            let mut answers = expected(&kernel, scene, query, &after);
            for round in 0..2 {
                for order in Order::FOUR {
                    // Keys matter to no order more than to another.
                    if round == 1 && order != Order::FOUR[2] {
                        continue;
                    }
                    let name = || format!("{}: {variant}, {query:?}, {order:?}, round {round}", scene.case.name);
                    match tracer.launch(query, &scene.case.rays, &after, order, false) {
                        Err(fault) => faults.push(format!("{}: {fault}", name())),
                        Ok(traced) => {
                            faults.extend(difference(&traced, &answers, query).map(|d| format!("{}: {d}", name())));
                        }
                    }
                }
                if query == Query::Any {
                    break;
                }
                // Hits after those of the first round.
                after = answers.iter().map(key).collect();
                answers = expected(&kernel, scene, query, &after);
            }
        }
    }
    faults
}

fn key(answer: &Answer) -> HitKey {
    match answer.hit.is_hit() {
        true => HitKey { t: answer.hit.t, instance: answer.instance, primitive: answer.hit.primitive },
        false => HitKey::START,
    }
}

/// What one lane without masks answers, ray by ray.
fn expected(kernel: &Kernel, scene: &Scene, query: Query, after: &[HitKey]) -> Vec<Answer> {
    let query = if query == Query::Any { raywarp_traverse::Query::Any } else { raywarp_traverse::Query::Closest };
    let batch = Batch { rays: &scene.case.rays, after, query, resident: 1 };
    let mut answers = Vec::new();
    for warp in 0..kernel.warp_count(Machine::Scalar, &batch).unwrap() {
        kernel.run_warp(Machine::Scalar, &batch, warp, &mut answers, None).unwrap();
    }
    answers.sort_by_key(|answer| answer.ray);
    answers
}

fn difference(traced: &Traced, answers: &[Answer], query: Query) -> Option<String> {
    let bits = |hit: &Hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive];
    let bit = |words: &[u32], ray: usize| words[ray / 32] >> (ray % 32) & 1 == 1;
    if traced.invalid != answers.iter().filter(|answer| answer.invalid).count() as u32 {
        return Some(format!("{} rays counted as invalid", traced.invalid));
    }
    answers.iter().enumerate().find_map(|(ray, answer)| {
        let open = query == Query::Any && !answer.blocked && answer.hit.is_hit();
        let written = query == Query::Closest || open;
        let (hit, instance) = match written {
            true => (bits(&answer.hit), answer.instance),
            false => (Traced::UNWRITTEN, Traced::UNWRITTEN[0]),
        };
        let got = (bit(&traced.blocked, ray), bit(&traced.undecided, ray), traced.hits[ray], traced.instances[ray]);
        let want = (answer.blocked, open, hit, instance);
        (got != want).then(|| format!("ray {ray}: {got:x?}, Rust says {want:x?}"))
    })
}

#[test]
fn every_kernel_conforms_to_brute_force() {
    if skipped() {
        return;
    }
    let faults: Vec<String> = scenes()
        .par_iter()
        .flat_map_iter(|scene| {
            raywarp_cuda::compiled().into_iter().filter(|variant| scene.suits_oracle(variant)).filter_map(|variant| {
                let tracer = EmulatedTracer::new(&variant, scene.tree(&variant), &scene.case.triangles).unwrap()?;
                let expectations = match variant.triangle() {
                    TriangleTest::Watertight => Expectations::LIBRARY,
                    _ => Expectations { after: true, ..Expectations::FAST },
                };
                let report = check(&scene.case, scene.case.oracle(), &tracer, expectations);
                match report {
                    Ok(report) if report.passed() => None,
                    Ok(report) => Some(format!("{variant}: {report}")),
                    Err(error) => Some(format!("{variant}: {}: {error}", scene.case.name)),
                }
            })
        })
        .collect();
    assert!(CASES > 20 && faults.is_empty(), "{}", faults[..faults.len().min(SEVERAL)].join("\n"));
}
