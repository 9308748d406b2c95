//! Memory counts of kernels against their recorded touches, byte by byte.

use raywarp_bvh::{BuildOptions, build};
use raywarp_costs::EventCounts;
use raywarp_family::{Space, Variant};
use raywarp_geom::{FlatTriangles, Ray};
use raywarp_sim::memory::Region;
use raywarp_sim::{EventSource, ProfileOptions, profile};
use raywarp_traverse::{Batch, Execution, Kernel, Probe, Query, Recorder, Touch, WarpEvent};
use std::collections::{BTreeMap, BTreeSet};

/// Triangles and rays without an order.
fn scattered() -> (FlatTriangles, Vec<Ray>) {
    let mut random = raywarp_testing::Random::new(3);
    let mut point = |scale: f32| random.point().map(|x| scale * x);
    let triangles = (0..500)
        .map(|_| {
            let corner = point(4.0);
            let near = |[x, y, z]: [f32; 3]| [corner[0] + x, corner[1] + y, corner[2] + z];
            [corner, near(point(0.7)), near(point(0.7))]
        })
        .collect();
    let rays = (0..700).map(|_| Ray::new(point(5.0), point(1.0))).collect();
    (FlatTriangles::from_vertices(triangles), rays)
}

/// Where the bytes of a touch lie: of two-box nodes and Woop records, by their sizes.
fn bytes(touch: &Touch) -> Option<(Region, std::ops::Range<u64>)> {
    let (region, stride) = match touch.space {
        Space::Node => (Region::Nodes, 64),
        Space::Triangle => (Region::Triangles, 48),
        Space::Slot => (Region::Slots, 4),
        Space::Ray => (Region::Rays, 32),
        Space::Hit => (Region::Hits, u64::from(touch.bytes)),
        _ => return None,
    };
    let from = u64::from(touch.index) * stride + u64::from(touch.offset);
    Some((region, from..from + u64::from(touch.bytes)))
}

#[test]
fn counts_are_those_of_recorded_touches() {
    let (triangles, rays) = scattered();
    let bvh = build(&triangles, &BuildOptions { max_leaf: 4, ..BuildOptions::default() }).unwrap();
    for text in ["al09-while-while", "alk12-fermi", "al09-spec-if-if", "alk12-kepler"] {
        let variant: Variant = text.parse().unwrap();
        let kernel = Kernel::new(&variant, &bvh, &triangles).unwrap();
        for (width, query) in [(32, Query::Closest), (8, Query::Any)] {
            let found =
                profile(&kernel, &rays, 700, query, ProfileOptions { width, ..ProfileOptions::default() }).unwrap();
            let memory = found.memory.unwrap();
            let machine = Execution::Lockstep { width };
            // As many warps share the pool as get 32 batches each.
            let resident = (700 / (width * 32)).max(1);
            let batch = Batch { rays: &rays, after: &[], query, resident };
            let mut sectors: BTreeMap<Region, BTreeSet<u64>> = BTreeMap::new();
            let (mut lanes, mut least): (BTreeMap<Region, u64>, BTreeMap<Region, u64>) = Default::default();
            for number in 0..kernel.warp_count(machine, &batch).unwrap() {
                let mut recorder = Recorder::default();
                kernel.run_warp(machine, &batch, number, &mut Vec::new(), Some(&mut recorder)).unwrap();
                for event in &recorder.events {
                    // Distinct bytes of each chunk of 16, over the lanes.
                    let mut chunks: BTreeMap<(Region, u64), BTreeSet<u64>> = BTreeMap::new();
                    for (region, bytes) in event.touches.iter().filter_map(bytes) {
                        let chunk = if (bytes.end - bytes.start) % 16 == 0 { 16 } else { 4 };
                        *lanes.entry(region).or_default() += (bytes.end - bytes.start) / chunk;
                        sectors.entry(region).or_default().extend(bytes.clone().map(|byte| byte / 32));
                        for byte in bytes.clone() {
                            chunks.entry((region, (byte - bytes.start) / chunk)).or_default().insert(byte);
                        }
                    }
                    for ((region, _), bytes) in chunks {
                        *least.entry(region).or_default() += (bytes.len() as u64).div_ceil(128);
                    }
                }
            }
            for region in [Region::Nodes, Region::Triangles, Region::Slots, Region::Rays, Region::Hits] {
                let counts = memory.region(region);
                let of = |map: &BTreeMap<Region, u64>| map.get(&region).copied().unwrap_or(0);
                assert_eq!((counts.lanes, counts.least), (of(&lanes), of(&least)), "{text}, {region:?}, {width}");
                let distinct = sectors.get(&region).map_or(0, BTreeSet::len) as u64;
                if region <= Region::Slots {
                    assert_eq!(counts.distinct, distinct, "{text}, {region:?}, {width}");
                }
                // More than the least, and no more than a pass for each lane and one for each chunk.
                assert!(counts.passes >= counts.least && counts.passes <= counts.lanes, "{text}, {region:?}");
            }
        }
    }
}

/// The tally of each warp of 32 lanes that traces `rays`, run one after the other.
fn warp_tallies(kernel: &Kernel, rays: &[Ray]) -> Vec<EventCounts> {
    struct Counted(EventCounts);
    impl Probe for Counted {
        fn touches(&self) -> bool {
            false
        }
        fn event(&mut self, event: &WarpEvent<'_>) {
            self.0.add(event.block, event.active, u64::from(u32::MAX));
        }
    }
    let source = EventSource::Run { kernel, rays, after: &[], query: Query::Closest };
    let resident = source.resident(32);
    let run = |number| {
        let mut counted = Counted(EventCounts::default());
        source.run_warp(32, resident, number, &mut counted).unwrap();
        counted.0
    };
    (0..source.warp_count(32, resident).unwrap()).map(run).collect()
}

#[test]
fn warps_by_themselves_add_up_to_the_whole() {
    let (triangles, rays) = scattered();
    let bvh = build(&triangles, &BuildOptions::default()).unwrap();
    for text in ["al09-if-if", "al09-persistent-while-while"] {
        let kernel = Kernel::new(&text.parse().unwrap(), &bvh, &triangles).unwrap();
        let options = ProfileOptions { memory: false, ..ProfileOptions::default() };
        let whole = profile(&kernel, &rays, 700, Query::Closest, options).unwrap();
        let mut sum = EventCounts::default();
        let warps = warp_tallies(&kernel, &rays);
        warps.iter().for_each(|warp| sum.merge(warp));
        assert_eq!((sum.counts(), warps.len() as u64), (whole.tally.counts(), whole.counts.warps), "{text}");
        assert!(whole.memory.is_none() && whole.is_whole());
    }
}

#[test]
fn what_is_cancelled_runs_no_further_warp() {
    let (triangles, rays) = scattered();
    let bvh = build(&triangles, &BuildOptions::default()).unwrap();
    let kernel = Kernel::new(&"al09-if-if".parse().unwrap(), &bvh, &triangles).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(true);
    let options = ProfileOptions { cancel: Some(&stop), ..ProfileOptions::default() };
    let stopped = profile(&kernel, &rays, 700, Query::Closest, options).unwrap();
    assert!(stopped.rays() == 0 && !stopped.is_whole());
}
