//! What kernels do, event by event, where it must agree: one lane and a warp of width 1, every supply, and
//! what a packet and speculation add.

use crate::common::{kernel, machines, rays, record, scene, visits};
use raywarp_family::{Block, TraversalLoop, Variant, legal, rows};
use raywarp_layout::LayoutError;
use raywarp_traverse::{Batch, Execution, Kernel, KernelError, Query, Recorded};
use std::collections::{BTreeMap, BTreeSet};

const QUERIES: [Query; 2] = [Query::Closest, Query::Any];

fn batch(rays: &[raywarp_geom::Ray], query: Query) -> Batch<'_> {
    Batch { rays, after: &[], query, resident: 3 }
}

/// Every kernel that has a name and a sample of all that is legal.
fn variants() -> Vec<Variant> {
    let sample = (0..40).map(legal::sample).filter(|variant| !variant.needs().gpu);
    rows().map(|row| row.variant).chain(sample).collect()
}

#[test]
fn a_warp_of_width_one_does_what_the_scalar_reference_does() {
    let triangles = scene(400);
    let rays = rays(40);
    for variant in variants() {
        let kernel = kernel(&variant, &triangles);
        for query in QUERIES {
            let scalar = record(&kernel, Execution::Scalar, &batch(&rays, query));
            let width = variant.lanes_per_ray();
            let lockstep = record(&kernel, Execution::Lockstep { width }, &batch(&rays, query));
            assert_eq!(scalar.answers, lockstep.answers, "{variant}, {query:?}");
            assert_eq!(scalar.events.len(), lockstep.events.len(), "{variant}, {query:?}");
            for (i, (a, b)) in scalar.events.iter().zip(&lockstep.events).enumerate() {
                assert_eq!(a, b, "{variant}, {query:?}, event {i}");
            }
        }
    }
}

#[test]
fn every_ray_is_answered_once_on_every_machine_and_alike() {
    let triangles = scene(300);
    let rays = rays(150);
    for variant in variants() {
        let kernel = kernel(&variant, &triangles);
        for query in QUERIES {
            let mut expected: Option<Vec<_>> = None;
            for machine in machines(&variant) {
                let mut answers = record(&kernel, machine, &batch(&rays, query)).answers;
                answers.sort_by_key(|answer| answer.ray);
                let numbers: Vec<u32> = answers.iter().map(|answer| answer.ray).collect();
                assert_eq!(numbers, (0..rays.len() as u32).collect::<Vec<_>>(), "{variant} on {machine}");
                // Which opaque triangle blocks a ray first is nobody's business.
                let seen: Vec<_> = answers.iter().map(|a| (a.blocked, a.hit, a.instance)).collect();
                match &expected {
                    None => expected = Some(seen),
                    Some(expected) => assert_eq!(&seen, expected, "{variant} on {machine}, {query:?}"),
                }
            }
        }
    }
}

#[test]
fn no_supply_changes_what_a_ray_visits() {
    let triangles = scene(300);
    let rays = rays(150);
    for (traversal_loop, options) in [
        ("while-while/bvh2", ""),
        ("if-if/bvh2", ""),
        ("while-while/wide4", ""),
        ("while-while/qbvh4", ""),
        ("while-while/cwbvh8", ""),
        ("while-while/wideN", "branching=4"),
    ] {
        for query in QUERIES {
            let reference: Variant = format!("direct/{traversal_loop}?{options}").parse().unwrap();
            let reference = record(&kernel(&reference, &triangles), Execution::Scalar, &batch(&rays, query));
            let expected = visits(&reference);
            for supply in ["direct", "persistent", "replace", "queue"] {
                let Ok(variant) = format!("{supply}/{traversal_loop}?{options}").parse::<Variant>() else { continue };
                let kernel = kernel(&variant, &triangles);
                for machine in machines(&variant) {
                    let got = visits(&record(&kernel, machine, &batch(&rays, query)));
                    assert!(got == expected, "{variant} on {machine}, {query:?} visits something else");
                }
            }
        }
    }
}

#[test]
fn packets_and_speculation_visit_what_a_ray_needs_and_more() {
    let triangles = scene(300);
    let rays = rays(160);
    let mut extra = BTreeMap::new();
    for text in [
        "direct/packet/bvh2",
        "direct/speculative-while-while/bvh2",
        "direct/speculative-while-while/bvh2?postpone=4",
        "direct/speculative-if-if/bvh2",
        "replace/speculative-while-while/wide4",
        "replace/speculative-while-while/qbvh4",
    ] {
        let variant: Variant = text.parse().unwrap();
        let plain: Variant = format!("direct/while-while/{}", variant.tree()).parse().unwrap();
        let plain = record(&kernel(&plain, &triangles), Execution::Scalar, &batch(&rays, Query::Closest));
        let got =
            record(&kernel(&variant, &triangles), Execution::Lockstep { width: 32 }, &batch(&rays, Query::Closest));
        let (needed, got) = (visits(&plain), visits(&got));
        let mut more = 0;
        for (ray, needed) in &needed {
            let got = &got[ray];
            // A packet may come to a triangle sooner and then leave out a node that the ray alone visits.
            if variant.traversal_loop() != TraversalLoop::Packet {
                for touched in needed {
                    assert!(got.contains(touched), "{variant}: ray {ray} leaves out {touched:?}");
                }
            }
            more += got.len() as i64 - needed.len() as i64;
        }
        extra.insert(text, more);
    }
    assert!(extra.values().all(|&more| more > 0), "{extra:?}");
}

/// The set of what each ray visits and tests.
fn sets(run: &crate::common::Run) -> BTreeMap<u32, BTreeSet<(Block, u32)>> {
    visits(run).into_iter().map(|(ray, touched)| (ray, touched.into_iter().collect())).collect()
}

#[test]
fn where_nothing_is_hit_speculation_adds_nothing_and_a_packet_visits_the_union() {
    // Triangles without area have boxes, but are never hit: no ray is ever shortened, and what it visits does
    // not depend on when its leaves are tested. What a packet or speculation visits beyond it would be wrong.
    let mut triangles = scene(300);
    for vertices in &mut triangles.vertices {
        vertices[2] = vertices[1];
    }
    let rays = rays(160);
    for query in QUERIES {
        let run = |text: &str, machine: Execution| {
            sets(&record(&kernel(&text.parse().unwrap(), &triangles), machine, &batch(&rays, query)))
        };
        for (tree, options) in [("bvh2", ""), ("wide4", ""), ("qbvh4", ""), ("cwbvh8", "")] {
            let needed = run(&format!("direct/while-while/{tree}"), Execution::Scalar);
            assert!(needed.values().map(BTreeSet::len).sum::<usize>() > 1000);
            for traversal_loop in ["if-if", "speculative-while-while", "speculative-if-if", "if-while"] {
                let text = format!("replace/{traversal_loop}/{tree}{options}");
                if text.parse::<Variant>().is_ok() {
                    assert!(run(&text, Execution::Lockstep { width: 32 }) == needed, "{text}");
                }
            }
        }
        let needed = run("direct/while-while/bvh2", Execution::Scalar);
        for (ray, touched) in run("direct/packet/bvh2", Execution::Lockstep { width: 32 }) {
            let first = ray / 32 * 32;
            let union: BTreeSet<_> =
                (first..first + 32).filter_map(|ray| needed.get(&ray)).flatten().copied().collect();
            // A ray that can hit nothing takes part in its packet all the same.
            assert!(touched == union, "ray {ray} of a packet, {query:?}");
        }
        let unsorted = run("direct/while-while/wide4?occlusion=unsorted", Execution::Scalar);
        assert!(unsorted == run("direct/while-while/wide4", Execution::Scalar), "unsorted, {query:?}");
    }
}

#[test]
fn without_a_postpone_buffer_speculation_is_while_while() {
    let triangles = scene(300);
    let rays = rays(100);
    let run = |text: &str| {
        let variant: Variant = text.parse().unwrap();
        visits(&record(&kernel(&variant, &triangles), Execution::Lockstep { width: 32 }, &batch(&rays, Query::Closest)))
    };
    assert!(run("direct/speculative-while-while/bvh2?postpone=0") == run("direct/while-while/bvh2"));
}

#[test]
fn what_lies_behind_a_hit_is_not_visited() {
    // A stack of sheets: the ray meets the first one, and need not know of the other 255.
    let sheet = |i: usize| [[-1.0, -1.0, i as f32], [1.0, -1.0, i as f32], [0.0, 1.0, i as f32]];
    let triangles = raywarp_geom::FlatTriangles::from_vertices((0..256).map(sheet).collect());
    let rays = [raywarp_geom::Ray::new([0.1, -0.2, -3.0], [0.0, 0.0, 1.0])];
    for row in rows() {
        let variant = row.variant;
        let kernel = kernel(&variant, &triangles);
        let run = record(&kernel, Execution::Scalar, &batch(&rays, Query::Closest));
        assert_eq!(run.answers[0].hit.primitive, 0, "{variant}");
        // A few leaves of up to eight: speculation tests some in vain. Octants tell only in which half of a
        // row a child lies.
        let most = if variant.tree().groups_leaves() { 160 } else { 32 };
        let tested = visits(&run)[&0].iter().filter(|(block, _)| *block != Block::VisitNode).count();
        assert!(tested <= most, "{variant} tests {tested} triangles");
    }
}

#[test]
fn a_stack_that_might_overflow_is_refused_and_errors_name_what_does_not_fit() {
    let triangles = scene(300);
    for row in rows() {
        let kernel = kernel(&row.variant, &triangles);
        let need = kernel.stack_depth();
        assert_eq!(kernel.check_stack(need), Ok(()), "{}", row.name);
        assert!(matches!(kernel.check_stack(need - 1), Err(KernelError::Stack { .. })), "{}", row.name);
        let nothing = batch(&[], Query::Closest);
        for width in [0, 65] {
            let refused = kernel.warp_count(Execution::Lockstep { width }, &nothing);
            assert!(matches!(refused, Err(KernelError::Width { .. })), "{}", row.name);
        }
    }
    let implicit: Variant = "direct/while-while/bvh2?sync=implicit".parse().unwrap();
    let bvh = raywarp_bvh::build(&triangles, &raywarp_bvh::BuildOptions::default()).unwrap();
    assert!(matches!(Kernel::new(&implicit, &bvh, &triangles), Err(KernelError::NeedsGpu { .. })));
    let compressed: Variant = "direct/while-while/cwbvh8".parse().unwrap();
    let full = raywarp_bvh::BuildOptions { traversal_cost: 1e6, ..raywarp_bvh::BuildOptions::default() };
    let bvh = raywarp_bvh::build(&triangles, &full).unwrap();
    let refused = Kernel::new(&compressed, &bvh, &triangles).err();
    assert!(matches!(refused, Some(KernelError::Layout(LayoutError::LeafTooLarge { limit: 3, .. }))), "{refused:?}");
}

/// Splits a warp's events at the beginnings of its main loop's iterations, and counts visits and tests in each.
fn counts_by_iteration(text: &str) -> Vec<[usize; 2]> {
    let triangles = scene(400);
    let kernel = kernel(&text.parse().unwrap(), &triangles);
    let run = record(&kernel, Execution::Lockstep { width: 32 }, &batch(&rays(32), Query::Closest));
    let iterations = run.events.split(|event| event.block == Block::Iteration).skip(1);
    let count = |events: &[Recorded], block: Block| events.iter().filter(|event| event.block == block).count();
    iterations.map(|events| [Block::VisitNode, Block::TestTriangle].map(|block| count(events, block))).collect()
}

#[test]
fn while_if_visits_until_no_lane_can_and_then_tests_one_triangle() {
    let most = |counts: &[[usize; 2]], number: usize| counts.iter().map(|count| count[number]).max().unwrap();
    let own = counts_by_iteration("own-while-if");
    assert!(most(&own, 0) > 1 && most(&own, 1) == 1, "{own:?}");
    let [whiles, ifs] = ["al09-while-while", "al09-if-if"].map(counts_by_iteration);
    assert!(most(&whiles, 1) > 1 && most(&ifs, 0) == 1, "{whiles:?} {ifs:?}");
    // Where all have a leaf at first it is while-while's way there.
    assert_eq!(own[0][0], whiles[0][0]);
}
