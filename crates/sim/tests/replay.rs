//! Replayed counts beside run ones, whatever the number of threads, and what warps cost.

use raywarp_bvh::{BuildOptions, build};
use raywarp_family::{Operation, papers};
use raywarp_geom::{FlatTriangles, Ray};
use raywarp_sim::distribution::warp_costs;
use raywarp_sim::{
    Al09Costs, EventSource, ProfileOptions, WarpCounts, count_source, measure, measure_source, profile, resupplied,
    side_by_side, without_idle_options,
};
use raywarp_testing::Random;
use raywarp_traverse::{Kernel, Query, RayDump, Replay};

/// Triangles in a cube, and rays from everywhere to everywhere.
fn scene() -> (FlatTriangles, Vec<Ray>) {
    let mut random = Random::new(3);
    let mut point = move || random.point();
    let near = |p: [f32; 3], q: [f32; 3]| std::array::from_fn(|i| p[i] + 0.2 * q[i]);
    let triangles = (0..600).map(|_| {
        let place = point();
        [near(place, point()), near(place, point()), near(place, point())]
    });
    let triangles = FlatTriangles::from_vertices(triangles.collect());
    let mut random = Random::new(3);
    let mut point = move || random.point();
    (triangles, (0..1000).map(|_| Ray::new(point(), point())).collect())
}

#[test]
fn replays_count_what_runs_count_at_every_width_and_number_of_threads() {
    let (triangles, rays) = scene();
    let bvh = build(&triangles, &BuildOptions { max_leaf: 8, ..BuildOptions::default() }).unwrap();
    let threads = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let mut compared = 0;
    for row in papers() {
        let Ok(walk) = Replay::walk_of(&row.variant) else { continue };
        let kernel = Kernel::new(&row.variant, &bvh, &triangles).unwrap();
        for query in [Query::Closest, Query::Any] {
            let writer = Kernel::new(&walk, &bvh, &triangles).unwrap();
            let dump = RayDump::record(&writer, &rays, &[], query).unwrap();
            let replay = EventSource::Replay(Replay::new(&row.variant, &dump).unwrap());
            for width in [8, 32] {
                let run = measure(&kernel, width, &rays, &[], query).unwrap();
                for pool in &threads {
                    let counts: WarpCounts = pool.install(|| measure_source(&replay, width).unwrap());
                    assert_eq!(counts, run, "{} at {width}, {query:?}", row.name);
                }
                assert_eq!(run.rays, rays.len() as u64);
                compared += 1;
            }
        }
    }
    assert!(compared >= 12 * 2 * 2, "{compared}");
}

#[test]
fn what_follows_from_other_counts_is_what_runs_count() {
    let (triangles, rays) = scene();
    let mut compared = [0; 2];
    for (a, b) in papers().iter().flat_map(|a| papers().iter().map(move |b| (a, b))).filter(|(a, b)| a.name != b.name) {
        let side = side_by_side(&a.variant).filter(|side| side_by_side(&b.variant) == Some(*side));
        let same = without_idle_options(&a.variant, Query::Closest) == without_idle_options(&b.variant, Query::Closest);
        if side.is_none() && !same {
            continue;
        }
        let bvh = build(&triangles, &BuildOptions { max_leaf: 8, ..BuildOptions::default() }).unwrap();
        let kernels = [a, b].map(|row| Kernel::new(&row.variant, &bvh, &triangles).unwrap());
        for width in [1, 8, 32, 64] {
            // Whole warps and batches, one ray less and one more, and less than a warp.
            for rays in [&rays[..], &rays[..960], &rays[..961], &rays[..959], &rays[..5], &[]] {
                for query in [Query::Closest, Query::Any] {
                    let [one, other] =
                        kernels.each_ref().map(|kernel| measure(kernel, width, rays, &[], query).unwrap());
                    if side.is_some() {
                        let found = resupplied(&one, &a.variant, &b.variant, &[rays.len()], query).unwrap();
                        assert_eq!(found, other, "{} from {}, {} rays at {width}", b.name, a.name, rays.len());
                        compared[0] += 1;
                    }
                    if same && query == Query::Closest {
                        assert_eq!(one, other, "{} and {}", a.name, b.name);
                        compared[1] += 1;
                    }
                }
            }
        }
    }
    // Both ways: three persistent kernels, and unsorted occlusion.
    assert_eq!(compared, [2 * 3 * 48, 2 * 24]);
}

#[test]
fn warps_cost_together_what_their_events_cost() {
    let (triangles, rays) = scene();
    let bvh = build(&triangles, &BuildOptions::default()).unwrap();
    for name in ["al09-while-while", "al09-if-if", "al09-spec-while-while", "al09-persistent-while-while", "al09-queue"]
    {
        let variant = name.parse().unwrap();
        let kernel = Kernel::new(&variant, &bvh, &triangles).unwrap();
        let source = EventSource::Run { kernel: &kernel, rays: &rays, after: &[], query: Query::Closest };
        let block_costs = Al09Costs::default().of(&variant);
        let tallied = count_source(&source, 32).unwrap();
        let options = ProfileOptions { memory: false, ..ProfileOptions::default() };
        let profiled = profile(&kernel, &rays, rays.len() as u64, Query::Closest, options).unwrap();
        assert_eq!((&tallied.counts, &tallied.tally), (&profiled.counts, &profiled.tally), "{name}");
        let costs = warp_costs(&source, 32, &block_costs).unwrap();
        let counts = measure_source(&source, 32).unwrap();
        assert_eq!(costs.len() as u64, counts.warps, "{name}");
        let (sum, total) = (costs.iter().map(|cost| cost.issued).sum::<f64>(), block_costs.total(&counts));
        let loads = [Operation::VisitNode, Operation::TestTriangle].map(|op| counts.operation(op).issued);
        assert_eq!(costs.iter().map(|cost| cost.loads).sum::<u64>(), loads.iter().sum::<u64>(), "{name}");
        assert!((sum / total - 1.0).abs() < 1e-9, "{name}: {sum}, {total}");
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| warp_costs(&source, 32, &block_costs).unwrap()), costs, "{name}");
    }
}
