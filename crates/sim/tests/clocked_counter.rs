//! Warps that take rays from one counter, by their clocks.

use raywarp_bvh::{BuildOptions, build};
use raywarp_family::Block;
use raywarp_geom::{FlatTriangles, Ray};
use raywarp_sim::{Profile, ProfileOptions, profile};
use raywarp_traverse::{Kernel, Query};

/// Kernels with a global pool: batches, exactly what is idle, a queue, several lanes a ray.
const POOLED: [&str; 6] =
    ["al09-persistent-while-while", "al09-replace", "alk12-kepler", "raywarp-h8", "al09-queue", "al09-wide8"];

/// Triangles in a row and rays at them that take more the further they are.
fn check(text: &str, query: Query, look: impl Fn(&dyn Fn(Option<u32>) -> Profile)) {
    let triangle = |i: usize| {
        let x = 0.37 * i as f32;
        [[x, 0.0, 0.0], [x + 0.9, 0.1, 0.3], [x, 1.0, (i % 7) as f32 * 0.2]]
    };
    let triangles = FlatTriangles::from_vertices((0..400).map(triangle).collect());
    let ray = |i: usize| {
        let (x, y) = (0.2 * i as f32, 0.01 * (i % 37) as f32);
        Ray::new([x, y, -1.0], if i.is_multiple_of(3) { [0.0, 0.05, 1.0] } else { [-1.0, 0.02, 0.04] })
    };
    let rays: Vec<Ray> = (0..900).map(ray).collect();
    let variant = text.parse().unwrap_or_else(|error| panic!("{error}"));
    let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
    let kernel = Kernel::new(&variant, &bvh, &triangles).unwrap();
    look(&|resident| profile(&kernel, &rays, 900, query, ProfileOptions { resident, ..Default::default() }).unwrap());
}

#[test]
fn a_warp_alone_is_dealt_what_it_asks_for() {
    // 900 rays are too few to be dealt to two.
    for text in POOLED.into_iter().filter(|text| *text != "al09-wide8") {
        for query in [Query::Closest, Query::Any] {
            check(text, query, |run| assert_eq!(run(Some(1)), run(None), "{text}"));
        }
    }
}

#[test]
fn whoever_gets_a_ray_does_the_same_work_for_it() {
    // Those that put leaves aside visit more, as others in the warp have it.
    for text in POOLED.into_iter().filter(|text| !["alk12-kepler", "raywarp-h8"].contains(text)) {
        check(text, Query::Closest, |run| {
            let (one, many) = (run(Some(1)), run(Some(7)));
            assert_eq!((many.rays(), many.counts.warps), (900, 7), "{text}");
            assert_eq!(many.counts.nodes, one.counts.nodes, "{text}");
            let ends = |profile: &Profile| profile.counts.block(Block::StoreHit).active;
            assert_eq!(ends(&many), ends(&one), "{text}");
        });
    }
}

#[test]
fn who_gets_which_ray_is_the_same_each_time() {
    for text in POOLED {
        check(text, Query::Closest, |run| assert_eq!(run(Some(9)), run(Some(9)), "{text}"));
    }
}

#[test]
fn more_warps_than_rays_leave_some_without() {
    check("alk12-kepler", Query::Any, |run| assert_eq!(run(Some(1000)).rays(), 900));
}
