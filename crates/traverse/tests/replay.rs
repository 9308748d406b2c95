//! Dumps of what rays do, and their replay: the very events of running a kernel, where the two can be the same.

use crate::common::{kernel, machines, rays, record, scene};
use raywarp_family::{Block, Variant, legal, rows};
use raywarp_geom::{HitKey, Ray};
use raywarp_traverse::{
    Batch, Code, DependentReason, Execution, KernelError, NoDumpReason, Query, RayDump, Recorded, Recorder, Replay,
    ReplayError,
};
use std::collections::BTreeMap;

const QUERIES: [Query; 2] = [Query::Closest, Query::Any];

/// Every kernel that has a name, all that is legal in a sample, and a few more.
fn variants() -> Vec<Variant> {
    let more = [
        "direct/if-if/bvh2?fetch=needed",
        "queue/if-if/wide4?fetch=needed&occlusion=unsorted",
        "direct/speculative-while-while/bvh2?postpone=0",
        "replace/speculative-if-if/wide4?postpone=0",
    ];
    let more = more.iter().map(|text| text.parse().unwrap());
    rows().map(|row| row.variant).chain(more).chain((0..300).map(legal::sample)).collect()
}

fn replay(replay: &Replay<'_>, machine: Execution, resident: u32) -> (Vec<Recorded>, u64) {
    let (mut recorder, mut rays) = (Recorder::default(), 0);
    for warp in 0..replay.warp_count(machine, resident).unwrap() {
        rays += replay.run_warp(machine, resident, warp, &mut recorder).unwrap();
    }
    (recorder.events, rays)
}

/// Replays everything that can be, and compares each event; how many variants were replayed.
fn check(rays: &[Ray], after: &[HitKey]) -> usize {
    let triangles = scene(400);
    let mut dumps: BTreeMap<(Variant, bool), RayDump> = BTreeMap::new();
    let mut replayed = 0;
    for variant in variants() {
        let Ok(walk) = Replay::walk_of(&variant) else { continue };
        replayed += 1;
        let kernel = kernel(&variant, &triangles);
        for query in QUERIES {
            // Written down once by another kernel of the same walk.
            let key = (walk, query == Query::Any);
            let dump = dumps.entry(key).or_insert_with(|| {
                let writer = crate::common::kernel(&walk, &triangles);
                RayDump::record(&writer, rays, after, query).unwrap()
            });
            let from_dump = Replay::new(&variant, dump).unwrap();
            for machine in machines(&variant) {
                let batch = Batch { rays, after, query, resident: 3 };
                let run = record(&kernel, machine, &batch);
                let (events, ended) = replay(&from_dump, machine, 3);
                assert_eq!(ended, rays.len() as u64, "{variant} on {machine}, {query:?}");
                assert_eq!(events.len(), run.events.len(), "{variant} on {machine}, {query:?}");
                for (i, (got, mut want)) in events.iter().zip(run.events).enumerate() {
                    want.touches.clear();
                    assert_eq!(*got, want, "{variant} on {machine}, {query:?}, event {i}");
                }
            }
        }
    }
    replayed
}

#[test]
fn a_replay_issues_the_very_events_of_a_run() {
    let rays = rays(150);
    let replayed = check(&rays, &[]);
    let rows = rows().filter(|row| Replay::walk_of(&row.variant).is_ok());
    // Table 1's rows that neither speculate nor share a path, 5.1, 5.2, and those of wide4 that do not speculate.
    let names: Vec<&str> = rows.map(|row| row.name).collect();
    assert_eq!(
        names,
        [
            "al09-while-while",
            "al09-if-if",
            "al09-persistent-while-while",
            "al09-replace",
            "al09-replace-every-4",
            "al09-queue",
            "al09-queue-2",
            "al09-queue-1",
            "alk12-kepler-postpone-0",
            "l9-mbvh",
            "l9-mbvh-nearest",
            "watertight",
            "own-while-if",
        ],
        "another row can be replayed now, or one no longer: if what a ray does under it is the same whoever its \
         neighbours are, it belongs in this list; else `Replay::walk_of` is to refuse it, with a `DependentReason`"
    );
    assert!(replayed > names.len() + 20, "{replayed}");
}

#[test]
fn rays_that_go_on_after_a_hit_replay_likewise_but_for_the_key_they_read() {
    let rays = rays(80);
    let after: Vec<HitKey> = (0..rays.len()).map(|i| HitKey { t: 0.3 * (i % 4) as f32, ..HitKey::START }).collect();
    assert!(check(&rays, &after) > 20);
}

#[test]
fn no_rays_one_ray_and_more_than_a_chunk_replay() {
    let triangles = scene(50);
    let variant: Variant = "replace/if-if/bvh2".parse().unwrap();
    let kernel = kernel(&variant, &triangles);
    for count in [5, 4096, 4097] {
        let rays = rays(count);
        for used in [0, 1, count] {
            let dump = RayDump::record(&kernel, &rays[..used], &[], Query::Closest).unwrap();
            let (events, ended) = replay(&Replay::new(&variant, &dump).unwrap(), Execution::Lockstep { width: 32 }, 2);
            assert_eq!((ended, dump.ray_count()), (used as u64, used));
            let batch = Batch { rays: &rays[..used], after: &[], query: Query::Closest, resident: 2 };
            assert_eq!(events.len(), record(&kernel, Execution::Lockstep { width: 32 }, &batch).events.len());
        }
    }
    let nothing = scene(0);
    let dump = RayDump::record(&crate::common::kernel(&variant, &nothing), &rays(9), &[], Query::Any).unwrap();
    assert_eq!(dump.count(Code::Visit) + dump.count(Code::Pop), 0);
    assert_eq!(replay(&Replay::new(&variant, &dump).unwrap(), Execution::Scalar, 1).1, 9);
}

#[test]
fn a_dump_holds_what_one_lane_does_in_two_bits_an_operation() {
    let (triangles, rays) = (scene(400), rays(200));
    let variant: Variant = "direct/while-while/bvh2".parse().unwrap();
    let kernel = kernel(&variant, &triangles);
    for query in QUERIES {
        let dump = RayDump::record(&kernel, &rays, &[], query).unwrap();
        let run = record(&kernel, Execution::Scalar, &Batch { rays: &rays, after: &[], query, resident: 1 });
        let counted = |block: Block| run.events.iter().filter(|event| event.block == block).count() as u64;
        assert_eq!(dump.count(Code::Visit), counted(Block::VisitNode));
        assert_eq!(dump.count(Code::Test), counted(Block::TestTriangle));
        assert_eq!(dump.count(Code::Pop), counted(Block::Pop));
        assert_eq!(dump.count(Code::Mark), counted(Block::VisitNodePush) + counted(Block::TestTriangleAccept));
        let all: u64 = [Code::Visit, Code::Test, Code::Mark, Code::Pop].map(|code| dump.count(code)).iter().sum();
        assert_eq!(all, (0..=rays.len()).map(|ray| dump.codes(ray).count() as u64).sum::<u64>());
        // Words of 64 bits, and where a ray ends.
        assert_eq!(dump.bytes() as u64, all.div_ceil(32) * 8 + 4 * rays.len() as u64);
        // A ray that nothing opaque blocks ends with an empty stack: as many pops as pushes and one.
        for answer in run.answers.iter().filter(|answer| !answer.invalid) {
            let codes: Vec<Code> = dump.codes(answer.ray as usize).collect();
            assert_eq!(codes.first(), Some(&Code::Visit));
            assert_eq!(codes.last() == Some(&Code::Pop), !answer.blocked, "ray {}", answer.ray);
        }
    }
}

#[test]
fn what_depends_on_other_lanes_is_refused_in_one_plain_line() {
    let refused = |text: &str| {
        let error = Replay::walk_of(&text.parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
        error
    };
    for (text, reason) in [("al09-packet", DependentReason::Packet), ("al09-spec-if-if", DependentReason::Postponed)] {
        let error = refused(text);
        assert!(matches!(error, ReplayError::Dependent { why, .. } if why == reason), "{error}");
    }
    for (text, reason) in [("al09-wide8", NoDumpReason::SharedRays), ("ykl17", NoDumpReason::GroupedLeaves)] {
        let error = refused(text);
        assert!(matches!(error, ReplayError::Kernel(KernelError::NoDump { why, .. }) if why == reason), "{error}");
    }
    let implicit = refused("direct/while-while/bvh2?sync=implicit");
    assert!(matches!(implicit, ReplayError::Kernel(KernelError::NeedsGpu { .. })), "{implicit}");
    // Without a postpone buffer speculation is while-while.
    assert!(Replay::walk_of(&"direct/speculative-while-while/bvh2?postpone=0".parse().unwrap()).is_ok());

    let (triangles, rays) = (scene(20), rays(5));
    let variant: Variant = "direct/if-if/bvh2".parse().unwrap();
    let dump = RayDump::record(&kernel(&variant, &triangles), &rays, &[], Query::Closest).unwrap();
    let other: Variant = "direct/if-if/bvh2?triangle=watertight".parse().unwrap();
    let error = Replay::new(&other, &dump).unwrap_err();
    assert!(matches!(error, ReplayError::OtherWalk { .. }), "{error}");
    let wide = Replay::new(&variant, &dump).unwrap().warp_count(Execution::Lockstep { width: 65 }, 1);
    assert!(matches!(wide, Err(KernelError::Width { width: 65, .. })));
}

#[test]
fn dumps_do_not_depend_on_who_wrote_them() {
    let (triangles, rays) = (scene(300), rays(100));
    let walk: Variant = "direct/while-while/bvh2".parse().unwrap();
    let expected = RayDump::record(&kernel(&walk, &triangles), &rays, &[], Query::Closest).unwrap();
    for text in ["al09-packet", "al09-spec-while-while", "al09-queue-1", "direct/while-while/bvh2?unroll=4"] {
        let dump = RayDump::record(&kernel(&text.parse().unwrap(), &triangles), &rays, &[], Query::Closest).unwrap();
        assert_eq!(dump.walk(), Some(&walk));
        for ray in 0..rays.len() {
            assert!(dump.codes(ray).eq(expected.codes(ray)), "{text}, ray {ray}");
        }
    }
}
