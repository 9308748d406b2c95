//! Triangles and trees that the tests of several encodings share.

use raywarp_bvh::{BuildOptions, Builder, Bvh2, build};
use raywarp_geom::FlatTriangles;
use raywarp_testing::Random;

/// Small random triangles in a cube of side `scale` at `offset`, a seventh of them not opaque.
pub fn soup(count: usize, scale: f32, offset: [f32; 3]) -> FlatTriangles {
    let mut random = Random::new(7);
    let mut place = || [random.unit(), random.unit(), random.unit()];
    let vertices = (0..count)
        .map(|_| {
            let corner = place();
            [place(), place(), place()].map(|p| std::array::from_fn(|i| offset[i] + scale * (corner[i] + 0.1 * p[i])))
        })
        .collect();
    let mut triangles = FlatTriangles::from_vertices(vertices);
    triangles.opaque.iter_mut().step_by(7).for_each(|opaque| *opaque = false);
    triangles
}

/// Checks trees of every kind over so many small triangles: of leaves of each size, split and not, of two builders.
#[track_caller]
pub fn check_trees(counts: &[usize], leaves: &[u32], check: fn(&Bvh2, &FlatTriangles)) {
    for &count in counts {
        let triangles = soup(count, 10.0, [0.0; 3]);
        for &max_leaf in leaves {
            for split_clipping in [None, Some(0.5)] {
                for builder in [Builder::SweepSah, Builder::BinnedSah] {
                    let options = BuildOptions { max_leaf, split_clipping, builder, ..BuildOptions::default() };
                    check(&build(&triangles, &options).unwrap(), &triangles);
                }
            }
        }
    }
}
