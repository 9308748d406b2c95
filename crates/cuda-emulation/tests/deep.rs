//! Trees that are deeper than a kernel's stack: the kernel refuses them, another one answers with the CPU's bits, and where none
//! does the CPU still answers. No builder of ours makes such a tree: they end at 64 levels, which all kernels hold.

use raywarp_bvh::{BuildOptions, Builder, Bvh2, MAX_DEPTH, build, presets};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::{CudaError, EncodedScene};
use raywarp_cuda_emulation::EmulatedTracer;
use raywarp_family::Variant;
use raywarp_geom::{FlatTriangles, Hit, Tracer};

#[path = "../../cpu/tests/deep/chain.rs"]
mod chain;
use chain::{by_force, chain, hits, rays, triangles};

#[test]
fn a_tree_too_deep_for_blocks_goes_to_two_boxes_and_one_too_deep_for_these_to_the_cpu() {
    if !raywarp_cuda_emulation::emulates() {
        return;
    }
    let [blocks, boxes] = ["raywarp-h8", "watertight"].map(|row| row.parse::<Variant>().unwrap());
    let is_refused =
        |variant: &Variant, bvh: &Bvh2, triangles: &FlatTriangles| match EncodedScene::new(variant, bvh, triangles) {
            Err(error @ CudaError::StackTooShallow { .. }) => error.is_limit(),
            Err(error) => panic!("{error}"),
            Ok(_) => false,
        };
    for (levels, refused) in
        [(20, [false; 2]), (99, [false; 2]), (100, [true, false]), (120, [true, false]), (140, [true; 2])]
    {
        let triangles = triangles(levels);
        let bvh = chain(&triangles);
        assert_eq!([&blocks, &boxes].map(|variant| is_refused(variant, &bvh, &triangles)), refused, "{levels}");
        let rays = rays(&triangles);
        let right = by_force(&triangles, &rays);
        assert!(right.iter().filter(|hit| hit[3] != Hit::MISS).count() > 100, "{levels}");
        let same = |tracer: &dyn Tracer, what: &str| {
            for (i, (found, right)) in hits(tracer, &rays).iter().zip(&right).enumerate() {
                assert_eq!(found, right, "{levels} levels, {what}, {:?}", rays[i]);
            }
        };
        same(&CpuTracer::new(&bvh, &triangles).unwrap(), "the CPU");
        for (variant, refused) in [blocks, boxes].into_iter().zip(refused) {
            if !refused {
                let tracer = EmulatedTracer::new(&variant, &bvh, &triangles).unwrap().unwrap();
                same(&tracer, &variant.to_string());
            }
        }
    }
}

#[test]
fn no_builder_makes_a_tree_that_is_too_deep() {
    // Nested triangles at distances that grow by factors: of these trees become chains.
    let [blocks, boxes] = ["raywarp-h8", "watertight"].map(|row| row.parse::<Variant>().unwrap());
    let mut deepest = 0;
    for growth in [1.05f32, 1.3, 2.0, 8.0, 100.0] {
        let count = (80.0 / growth.log2()).min(4000.0) as i32;
        let nested = (-count / 2..count / 2).map(|i| {
            let size = growth.powi(i);
            [[0.0, 0.0, 0.0], [size, 0.1 * size, 0.0], [0.0, size, size]]
        });
        let triangles = FlatTriangles::from_vertices(nested.collect());
        let all = [presets::GPU, presets::BALANCED, presets::GOOD];
        let others = [Builder::SweepSah, Builder::Lbvh, Builder::Ploc];
        let others = others.map(|builder| BuildOptions { builder, ..presets::SINGLE });
        for options in all.into_iter().chain(others) {
            let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..options }).unwrap();
            let depth = bvh.stats().depth;
            deepest = deepest.max(depth);
            for variant in [&blocks, &boxes] {
                let encoded = EncodedScene::new(variant, &bvh, &triangles);
                assert!(depth <= MAX_DEPTH && encoded.is_ok(), "{growth} {options:?}: {:?}", encoded.err());
            }
        }
    }
    assert!(deepest > MAX_DEPTH / 2, "{deepest}");
}
