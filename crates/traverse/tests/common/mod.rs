//! Scenes, rays, and kernels that tell what they do.

use raywarp_bvh::{BuildOptions, build};
use raywarp_family::{Block, Space, Variant};
use raywarp_geom::{FlatTriangles, Ray};
use raywarp_testing::Random;
use raywarp_traverse::{Answer, Batch, Execution, Kernel, Recorded, Recorder};
use std::collections::BTreeMap;

/// Random triangles in the cube from -1 to 1, a tenth of them not opaque.
pub fn scene(count: usize) -> FlatTriangles {
    let mut random = Random::new(7);
    let mut triangle = || {
        let place = random.point();
        [(); 3].map(|()| {
            let offset = random.point();
            std::array::from_fn(|i| place[i] + 0.2 * offset[i])
        })
    };
    let mut triangles = FlatTriangles::from_vertices((0..count).map(|_| triangle()).collect());
    for (i, opaque) in triangles.opaque.iter_mut().enumerate() {
        *opaque = i % 10 != 3;
    }
    triangles
}

/// Random rays through it, and some that can hit nothing, alone and in a row.
pub fn rays(count: usize) -> Vec<Ray> {
    let mut random = Random::new(99);
    let mut rays: Vec<Ray> = (0..count)
        .map(|_| {
            let (from, to) = (random.point().map(|x| 2.0 * x), random.point());
            Ray::new(from, std::array::from_fn(|i| to[i] - from[i]))
        })
        .collect();
    for i in [1, count / 2, count / 2 + 1, count / 2 + 2, count - 1] {
        rays[i].direction = [f32::NAN; 3];
    }
    rays
}

/// `variant` over `triangles`.
pub fn kernel(variant: &Variant, triangles: &FlatTriangles) -> Kernel {
    let max_leaf = variant.tree().max_leaf().min(8);
    let bvh = build(triangles, &BuildOptions { max_leaf, ..BuildOptions::default() }).unwrap();
    Kernel::new(variant, &bvh, triangles).unwrap()
}

/// The machines that `variant` runs on.
pub fn machines(variant: &Variant) -> Vec<Execution> {
    let lanes = variant.lanes_per_ray();
    let widths = [1, 5, 8, 16, 32, 64].into_iter().filter(|width| width % lanes == 0);
    std::iter::once(Execution::Scalar).chain(widths.map(|width| Execution::Lockstep { width })).collect()
}

/// What a launch did.
pub struct Run {
    pub answers: Vec<Answer>,
    pub events: Vec<Recorded>,
}

/// Runs all warps of a launch, one after the other.
pub fn record(kernel: &Kernel, machine: Execution, batch: &Batch<'_>) -> Run {
    let (mut answers, mut recorder) = (Vec::new(), Recorder::default());
    for warp in 0..kernel.warp_count(machine, batch).unwrap() {
        kernel.run_warp(machine, batch, warp, &mut answers, Some(&mut recorder)).unwrap();
    }
    Run { answers, events: recorder.events }
}

/// For each ray the nodes that it visits and the triangles that it tests, in order.
pub fn visits(run: &Run) -> BTreeMap<u32, Vec<(Block, u32)>> {
    let mut visits: BTreeMap<u32, Vec<(Block, u32)>> = BTreeMap::new();
    for event in &run.events {
        let looked_at = matches!(event.block, Block::VisitNode | Block::TestTriangle | Block::TestTriangleT);
        for touch in event.touches.iter().filter(|t| looked_at && matches!(t.space, Space::Node | Space::Triangle)) {
            visits.entry(event.rays[touch.lane as usize]).or_default().push((event.block, touch.index));
        }
    }
    visits
}
