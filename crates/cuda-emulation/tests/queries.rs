//! Rays that other kernels ask with (kernels/raywarp.h) hit what the Rust schedules hit, bit by bit, where only some
//! lanes of a warp ask at a time: every third ray asks apart from the others, and the last warp is not full.

use crate::common::{SEVERAL, Scene, scenes};
use crate::common::{
    expected::{difference, expected},
    sequence,
};
use rayon::prelude::*;
use raywarp_cuda::Query;
use raywarp_cuda_emulation::{EmulatedTracer, LaneOrder};
use raywarp_family::{TraversalLoop, Variant};
use raywarp_geom::HitKey;
use raywarp_traverse::{Execution, Kernel};

/// Kernels of queries/queries.cpp, and the variant that does the same.
const ASKING: &[(&str, &str)] = &[
    ("query_bvh2", "direct/while-while/bvh2"),
    ("query_wide4", "direct/while-while/wide4"),
    ("query_qbvh4", "direct/while-while/qbvh4"),
    ("query_cwbvh8", "direct/if-while/cwbvh8"),
    ("query_h8", "direct/phased/h8"),
    ("query_bvh2_sync_implicit", "direct/while-while/bvh2?sync=implicit"),
    ("query_cwbvh8_sync_implicit", "direct/if-while/cwbvh8?sync=implicit"),
];

/// Two blocks of two warps, the last one of which is not full.
const RAYS: usize = 3 * 32 + 7;

#[test]
fn what_other_kernels_ask_is_answered_as_the_rust_schedules_do() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let faults: Vec<String> = scenes().par_iter().with_max_len(1).flat_map_iter(faults_of).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(SEVERAL)].join("\n"));
}

fn faults_of(scene: &Scene) -> Vec<String> {
    let asked = ASKING.iter().flat_map(|&asking| Query::ALL.map(|query| (asking, query)));
    asked.flat_map(|((name, variant), query)| faults(scene, name, &variant.parse().unwrap(), query)).collect()
}

fn faults(scene: &Scene, name: &str, variant: &Variant, query: Query) -> Vec<String> {
    let (tree, triangles) = (scene.tree(variant), &scene.case.triangles);
    let tracer = EmulatedTracer::asking(name, variant, tree, triangles).unwrap();
    let tracer = tracer.unwrap_or_else(|| panic!("there is no {name} in queries/queries.cpp"));
    let kernel = Kernel::new(&variant.voted(), tree, triangles).unwrap();
    let rays = scene.some_rays(RAYS);
    let first = expected(&kernel, Execution::Scalar, &rays, query, &[]);
    // Then what comes after the first hits: a caller that lets a ray through asks so.
    let keys = first.keys();
    let second = expected(&kernel, Execution::Scalar, &rays, query, &keys);
    let none: &[HitKey] = &[];
    let mut faults = Vec::new();
    for (after, want, order) in [
        (none, &first, LaneOrder::Up),
        (none, &first, LaneOrder::Down),
        (none, &first, LaneOrder::Seeded(1)),
        (&keys, &second, LaneOrder::Seeded(2)),
    ] {
        let fault = match tracer.launch(query, &rays, after, order, true) {
            Err(fault) => Some(fault.0),
            // Lanes of groups do not do the same in company as alone.
            Ok(traced) if variant.traversal_loop() != TraversalLoop::WhileWhile => {
                difference(&traced, &want.answers, query)
            }
            Ok(traced) => {
                difference(&traced, &want.answers, query).or_else(|| sequence::rays_differ(&traced.logs, &want.logs, 1))
            }
        };
        let place = format!("{}: {name}, {query:?}, {order:?}", scene.case.name);
        faults.extend(fault.map(|fault| format!("{place}: {fault}")));
    }
    faults
}
