//! Trees so deep that hundreds of entries wait on a ray's stack, with every engine and instruction set.

pub mod chain;

use chain::{by_force, chain, hits, rays, triangles};
use raywarp_bvh::{build, presets};
use raywarp_cpu::{CpuOptions, CpuTracer, CpuTree, CpuTriangleTest, Isa};

#[test]
fn rays_through_deep_trees_hit_what_they_hit_without_one() {
    // 40 levels, as builders make them, have stacks of more than 128 entries on their way; 140 by hand of more than 256.
    for levels in [3, 40, 64, 140] {
        let triangles = triangles(levels);
        let rays = rays(&triangles);
        let right = by_force(&triangles, &rays);
        for (tree, bvh) in [("by hand", chain(&triangles)), ("built", build(&triangles, &presets::SINGLE).unwrap())] {
            let bvh2 = CpuOptions { engine: CpuTree::Bvh2(CpuTriangleTest::Watertight), ..CpuOptions::default() };
            let wide8 = Isa::all().into_iter().map(|isa| CpuOptions { isa, ..CpuOptions::default() });
            for options in std::iter::once(bvh2).chain(wide8) {
                let tracer = CpuTracer::with_options(&bvh, &triangles, &options).unwrap();
                for (i, (found, right)) in hits(&tracer, &rays).iter().zip(&right).enumerate() {
                    assert_eq!(found, right, "{levels} levels, {tree}, {options:?}, {:?}", rays[i]);
                }
            }
        }
    }
}
