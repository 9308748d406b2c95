//! Scenes of two levels: what is entered and left is counted, full warps are full, placements are memory, and all of it
//! has a price.

use raywarp_bvh::{BuildOptions, build};
use raywarp_costs::{Alone, CountSource, EventCounts, Pipe, PricedBlock, PricedKernel};
use raywarp_family::{Block, Operation, Variant};
use raywarp_geom::{Affine64, FlatTriangles, Ray};
use raywarp_sim::memory::Region;
use raywarp_sim::{EventSource, LaunchInstructions, LeastWork, ProfileOptions, count_source, measure, profile};
use raywarp_traverse::{Kernel, KernelLevels, KernelPlacement, Query};

const WALK: &str = "direct/while-while/bvh2?triangle=watertight";

/// Copies of a small mesh in a row along x, turned and shrunk, so that each has to be placed.
fn row(count: u32) -> KernelLevels {
    let triangle = |i: usize| [[i as f32, 0.0, 0.0], [i as f32 + 0.9, 0.0, 0.0], [i as f32, 0.9, 0.0]];
    let mesh = FlatTriangles::from_vertices((0..4).map(triangle).collect());
    let bvh = build(&mesh, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
    let place = |i: u32| {
        let turn = Affine64::scale([0.25, 0.5, 1.0]).after(&Affine64::rotation(10.0, [0.0, 0.0, 1.0]));
        KernelPlacement { tree: 0, transform: Affine64::translation([f64::from(i), 0.0, 0.0]).after(&turn) }
    };
    KernelLevels::new(&[(&bvh, &mesh)], &(0..count).map(place).collect::<Vec<_>>()).unwrap()
}

fn kernel(text: &str, count: u32) -> Kernel {
    Kernel::over_levels(&text.parse::<Variant>().unwrap(), row(count)).unwrap()
}

fn towards(x: f32) -> Ray {
    Ray::new([x, 0.2, -5.0], [0.0, 0.0, 1.0])
}

#[test]
fn equal_rays_enter_and_leave_with_every_lane() {
    for text in [WALK, "direct/if-if/bvh2?triangle=watertight", "persistent/while-while/bvh2?triangle=watertight"] {
        for width in [1, 8, 32, 64] {
            let counts = measure(&kernel(text, 20), width, &vec![towards(7.3); 192], &[], Query::Closest).unwrap();
            for operation in [Operation::EnterInstance, Operation::LeaveInstance] {
                assert_eq!(counts.simd_efficiency(operation), 1.0, "{text} at {width}");
                assert_eq!(counts.operation(operation).active, 192, "{text} at {width}");
            }
            assert!(counts.block(Block::TestTrianglePlace).active >= 192);
        }
    }
}

#[test]
fn rays_to_different_instances_enter_together_and_one_that_misses_all_stays_out() {
    let rays: Vec<Ray> = (0..32).map(|i| if i % 4 == 3 { towards(-50.0) } else { towards(i as f32 + 0.3) }).collect();
    let counts = measure(&kernel(WALK, 32), 32, &rays, &[], Query::Closest).unwrap();
    assert_eq!(counts.operation(Operation::EnterInstance), counts.operation(Operation::LeaveInstance));
    let enters = counts.operation(Operation::EnterInstance);
    // Lanes wait at their instances for others: one entry for all of the warp.
    assert_eq!((enters.issued, enters.active), (1, 24));
    assert_eq!(counts.simd_efficiency(Operation::EnterInstance), 0.75);
}

#[test]
fn least_work_counts_what_each_ray_enters_and_memory_what_is_read_for_it() {
    // Beside the first triangle's longest side: in its box, and a miss.
    let (kernel, rays) = (kernel(WALK, 20), vec![Ray::new([7.172, 0.492, -5.0], [0.0, 0.0, 1.0]); 64]);
    let least = LeastWork::of(&kernel, &rays, Query::Closest, None).unwrap();
    let found = profile(&kernel, &rays, 64, Query::Closest, ProfileOptions::default()).unwrap();
    assert_eq!(found.counts.block(Block::TestTriangleAccept).active, 0);
    for block in [Block::EnterInstance, Block::LeaveInstance, Block::TestTrianglePlace] {
        assert_eq!(least.lanes(block), 64);
    }
    let visits = found.counts.operation(Operation::VisitNode).active;
    let placed = found.counts.block(Block::TestTrianglePlace).active;
    // A node is four loads of 16 bytes, a placement seven to be entered, and three for its corners.
    let lanes = found.memory.unwrap().region(Region::Nodes).lanes;
    assert_eq!(lanes, 4 * visits + 7 * 64 + 3 * placed);
}

#[test]
fn a_launch_over_two_levels_is_priced_with_what_entering_adds() {
    let (kernel, rays) = (kernel(WALK, 20), vec![towards(7.3); 96]);
    let source = EventSource::Run { kernel: &kernel, rays: &rays, after: &[], query: Query::Closest };
    let launch = count_source(&source, 32).unwrap();
    let priced = |block, instructions, issued: &str| PricedBlock {
        block,
        offset: 0,
        instructions,
        pipes: [0, instructions, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        alone: Some(Alone::default()),
        issued: issued.parse().unwrap(),
        source: CountSource::Likened,
    };
    let blocks = vec![priced(Block::SetupRay, 100, "setup_ray"), priced(Block::VisitNode, 60, "visit_node")];
    let flat = PricedKernel { blocks, verified: true };
    let of = |costs: &PricedKernel, tally: &EventCounts| LaunchInstructions::of(costs, tally);
    let [one, two] = [of(&flat, &launch.tally), of(&flat.with_instances(), &launch.tally)];
    let times = |block: Block| launch.counts.block(block).issued as f64;
    let enters = times(Block::EnterInstance);
    assert_eq!(enters, 3.0);
    let added = enters * (56.0 + 100.0)
        + times(Block::LeaveInstance) * (3.0 + 100.0)
        + times(Block::TestTrianglePlace) * 60.0
        + times(Block::Iteration) * 4.0;
    assert_eq!(two.warp_instructions(), one.warp_instructions() + added);
    assert_eq!(two.block(Block::EnterInstance), 3.0 * 156.0);
    assert!(!two.verified && two.assumed > 0.0 && two.pipe(Pipe::Fma) > one.pipe(Pipe::Fma));
}
