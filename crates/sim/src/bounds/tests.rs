//! Bounds that can be known beforehand.

use super::*;
use crate::{LeastWork, ProfileOptions, profile};
use raywarp_bvh::{BuildOptions, build};
use raywarp_costs::{Alone, CountSource, PricedBlock, PricedKernel, Wait};
use raywarp_family::Block;
use raywarp_geom::{FlatTriangles, Ray};
use raywarp_traverse::Kernel;

/// Returns a profile over one triangle that every ray hits: a tree with a single leaf under its root.
fn one_triangle() -> FlatTriangles {
    FlatTriangles::from_vertices(vec![[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
}

/// Returns the bytes that a machine reads from memory in a second.
fn dram_per_s(machine: &Machine) -> f64 {
    machine.get(keys::DRAM_GB_PER_S).unwrap() * 1e9
}

fn towards(x: f32) -> Ray {
    Ray::new([x, 0.2, -5.0], [0.0, 0.0, 1.0])
}

fn profiled(variant: &Variant, rays: &[Ray], launch_rays: u64, width: u32) -> Profile {
    let triangles = one_triangle();
    let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
    let kernel = Kernel::new(variant, &bvh, &triangles).unwrap();
    profile(&kernel, rays, launch_rays, Query::Closest, ProfileOptions { width, ..ProfileOptions::default() }).unwrap()
}

fn least(variant: &Variant, rays: &[Ray]) -> LeastInstructions {
    let triangles = one_triangle();
    let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
    let kernel = Kernel::new(variant, &bvh, &triangles).unwrap();
    LeastWork::of(&kernel, rays, Query::Closest, None).unwrap().instructions(&costs(), 32)
}

/// Returns costs of ten `alu` and two `fmaheavy` instructions a visit, and a hundred `fma` instructions a test.
fn costs() -> PricedKernel {
    let cost = |block, by_pipe: &[(Pipe, u32)]| {
        let mut pipes = [0; Pipe::ALL.len()];
        by_pipe.iter().for_each(|&(pipe, n)| pipes[pipe as usize] = n);
        let issued = Block::name(block).parse().unwrap();
        PricedBlock {
            block,
            offset: 0,
            instructions: pipes.iter().sum(),
            pipes,
            alone: None,
            issued,
            source: CountSource::Measured,
        }
    };
    let blocks = vec![
        cost(Block::VisitNode, &[(Pipe::Alu, 10), (Pipe::FmaHeavy, 2)]),
        cost(Block::TestTriangle, &[(Pipe::Fma, 100)]),
    ];
    PricedKernel { blocks, verified: true }
}

fn find(bounds: &[Bound], limit: Limit) -> &Bound {
    bounds.iter().find(|bound| bound.limit == limit).unwrap_or_else(|| panic!("{limit:?} in {bounds:?}"))
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

/// Returns a closest-hit kernel to bound of which only the profile is known.
fn subject<'a>(variant: &'a Variant, profile: &'a Profile, issued: Option<&'a LaunchInstructions>) -> BoundSubject<'a> {
    BoundSubject {
        variant,
        query: Query::Closest,
        profile,
        instructions: issued,
        least: None,
        launch: None,
        traffic: None,
        doubt: None,
        basis: CostBasis::Code,
    }
}

const DIRECT: &str = "direct/while-while/bvh2";

fn bounded(text: &str, rays: usize, launch_rays: u64, machine: &Machine) -> (Vec<Bound>, Profile) {
    let variant: Variant = text.parse().unwrap();
    let profile = profiled(&variant, &vec![towards(0.2); rays], launch_rays, 32);
    let issued = LaunchInstructions::of(&costs(), &profile.tally);
    let least = least(&variant, &vec![towards(0.2); rays]);
    let launch = LaunchResources { registers_per_thread: 48, shared_bytes_per_block: 0, threads_per_block: 128 };
    let subject =
        BoundSubject { launch: Some(launch), least: Some(&least), ..subject(&variant, &profile, Some(&issued)) };
    (bounds(machine, subject), profile)
}

#[test]
fn instructions_over_slots_and_lanes_are_bounds() {
    let machine = Machine::find("h200").unwrap();
    let (bounds, profile) = bounded(DIRECT, 64, 64, &machine);
    // Two warps of full lanes: one visit and one test each.
    assert_eq!(
        (profile.counts.block(Block::VisitNode).issued, profile.counts.block(Block::TestTriangle).issued),
        (2, 2)
    );
    let slots = 132.0 * 4.0 * 1.98e9;
    let issue = find(&bounds, Limit::Issue);
    // 112 instructions for 32 rays, of which two in a hundred may be none.
    assert!(close(issue.rays_per_s, slots * 32.0 / 112.0 * 1.02), "{issue:?}");
    assert_eq!(issue.class, Class::Strict);
    assert!(close(find(&bounds, Limit::Lanes).rays_per_s, issue.rays_per_s));
    // Half a warp a clock on alu, and all lanes for fma, which products of integers take too.
    let sm_clocks = 132.0 * 1.98e9;
    assert!(close(find(&bounds, Limit::Pipe(Pipe::Alu)).rays_per_s, sm_clocks * 64.0 / 10.0 * 1.02));
    assert!(close(find(&bounds, Limit::Pipe(Pipe::Fma)).rays_per_s, sm_clocks * 128.0 / 102.0 * 1.02));
    assert!(close(find(&bounds, Limit::Pipe(Pipe::FmaHeavy)).rays_per_s, sm_clocks * 64.0 / 2.0 * 1.02));
    assert!(bounds.iter().all(|bound| bound.limit != Limit::Pipe(Pipe::Half)), "nothing runs there");
    // So it is on an A100.
    let machine = Machine::find("a100").unwrap();
    let (bounds, _) = bounded(DIRECT, 64, 64, &machine);
    let lanes_per_s = machine.need(keys::SM_COUNT) * machine.clock_hz() * machine.get(keys::PIPE_FMA).unwrap();
    assert!(close(find(&bounds, Limit::Pipe(Pipe::Fma)).rays_per_s, lanes_per_s / 102.0 * 1.02));
}

#[test]
fn integer_products_of_an_old_machine_have_a_pipeline_of_their_own() {
    let machine = Machine::find("gtxtitan").unwrap();
    let (bounds, _) = bounded(DIRECT, 64, 64, &machine);
    let lanes_per_s = machine.need(keys::SM_COUNT) * machine.clock_hz() * machine.get(keys::PIPE_IMUL).unwrap();
    // Two of them a visit, as `fmaheavy` has them on an H200.
    let bound = find(&bounds, Limit::IntegerProducts);
    assert!((bound.rays_per_s / (lanes_per_s / 2.0) - 1.0).abs() < 0.03, "{bound:?}");
    for bound in &bounds {
        assert_eq!(Limit::parse(&bound.limit.name()), Some(bound.limit));
        assert!(!matches!(bound.limit, Limit::Pipe(Pipe::FmaHeavy) | Limit::LeastPipe(Pipe::FmaHeavy)), "{bound:?}");
    }
}

#[test]
fn accesses_over_the_caches_passes_are_bounds() {
    let machine = Machine::find("h200").unwrap();
    let (bounds, profile) = bounded(DIRECT, 32, 32, &machine);
    let memory = profile.memory.unwrap();
    // All lanes read the same: four loads of a node, three of a record, a word; rays and hits are 16 bytes each, apart.
    let passes = |region| memory.region(region).passes;
    // By quarters of a warp.
    assert_eq!((passes(Region::Nodes), passes(Region::Triangles), passes(Region::Slots)), (4 * 4, 3 * 4, 1));
    // Two loads of 16 bytes in 32 lie in half of the banks; results lie side by side.
    let rays = memory.region(Region::Rays);
    assert_eq!((rays.least, rays.passes, rays.lanes), (2 * 4, 2 * 8, 64));
    assert_eq!(passes(Region::Hits), 4);
    let distinct = |region| memory.region(region).distinct;
    assert_eq!((distinct(Region::Nodes), distinct(Region::Triangles), distinct(Region::Slots)), (2, 2, 1));
    let all = memory.all();
    let passes_per_s = 132.0 * 1.98e9;
    assert!(close(find(&bounds, Limit::L1Passes).rays_per_s, 32.0 * passes_per_s / all.passes as f64));
    let least = find(&bounds, Limit::L1Least);
    assert!(close(least.rays_per_s, 32.0 * passes_per_s / all.least as f64));
    assert_eq!((least.class, find(&bounds, Limit::L1Passes).class), (Class::Strict, Class::Modelled));
}

#[test]
fn what_must_come_from_memory_is_counted_for_the_whole_launch() {
    let mut machine = Machine::find("h200").unwrap();
    let launch_rays = 10_000_000;
    let (bounds, _) = bounded(DIRECT, 32, launch_rays, &machine);
    let bytes = 5.0 * 32.0 + launch_rays as f64 * 48.0;
    assert!(close(find(&bounds, Limit::DramCold).rays_per_s, launch_rays as f64 * dram_per_s(&machine) / bytes));
    let warm = find(&bounds, Limit::Dram);
    assert!(
        close(
            warm.rays_per_s,
            launch_rays as f64 * dram_per_s(&machine) / (bytes - 2.0 * machine.get(keys::L2_BYTES).unwrap())
        ),
        "{warm:?}"
    );
    // A sample touches no more of the tree than all rays do.
    assert_eq!((warm.class, find(&bounds, Limit::DramCold).class), (Class::Strict, Class::Modelled));
    // A cache that may hold everything leaves nothing that must be read.
    machine.set("l2.bytes", "100x").unwrap();
    let (bounds, _) = bounded(DIRECT, 32, launch_rays, &machine);
    assert!(bounds.iter().all(|bound| bound.limit != Limit::Dram), "{bounds:?}");
}

#[test]
fn a_bound_is_strict_only_where_nothing_is_assumed() {
    let machine = Machine::find("h200").unwrap();
    let class = |text: &str, rays, launch_rays, machine: &Machine, limit| {
        let (bounds, _) = bounded(text, rays, launch_rays, machine);
        find(&bounds, limit).clone()
    };
    let strict = |text: &str, limit| class(text, 64, 64, &machine, limit).class == Class::Strict;
    assert!(strict(DIRECT, Limit::Issue) && strict(DIRECT, Limit::Lanes));
    // Which ray goes where is chance under a global pool, and with it in how many iterations and votes a lane takes part; what a ray
    // needs is not.
    let persistent = "persistent/while-while/bvh2";
    assert!([Limit::Issue, Limit::Lanes, Limit::L1Least].iter().all(|&limit| !strict(persistent, limit)));
    assert!(strict(persistent, Limit::LeastIssue) && strict(persistent, Limit::LeastPipe(Pipe::Alu)));
    assert!(!strict("persistent/speculative-while-while/bvh2", Limit::Lanes));
    assert!(strict("direct/speculative-while-while/bvh2", Limit::Issue));
    let sampled = class(DIRECT, 32, 64, &machine, Limit::Issue);
    assert!(sampled.class == Class::Modelled && sampled.why.contains("sample"), "{sampled:?}");
    // A clock that nobody measured, until the user says what it was.
    let mut ada = Machine::find("rtx4090").unwrap();
    assert!(class(DIRECT, 64, 64, &ada, Limit::Issue).why.contains("clock"));
    ada.set("clock.mhz", "2700").unwrap();
    assert_eq!(class(DIRECT, 64, 64, &ada, Limit::Issue).class, Class::Strict);
    // Loads per clock are an estimate in its file.
    let latency = class(DIRECT, 64, 64, &machine, Limit::Latency);
    assert_eq!(latency.class, Class::Modelled);
}

#[test]
fn what_rays_need_is_a_bound_in_full_warps_whoever_deals_them() {
    let machine = Machine::find("h200").unwrap();
    let (bounds, _) = bounded("persistent/while-while/bvh2", 64, 64, &machine);
    // 64 rays need two warps' worth of one visit. The flat box of what they hit begins where they end, so that it is not among
    // what comes before their hits.
    let slots = 132.0 * 4.0 * 1.98e9;
    let least = find(&bounds, Limit::LeastIssue);
    assert!(close(least.rays_per_s, slots * 32.0 / 12.0 * 1.02), "{least:?}");
    let alu = find(&bounds, Limit::LeastPipe(Pipe::Alu));
    assert!(close(alu.rays_per_s, 132.0 * 1.98e9 * 64.0 / 10.0 * 1.02), "{alu:?}");
    // Nothing that the kernel does makes it faster than that.
    assert!(find(&bounds, Limit::Issue).rays_per_s <= least.rays_per_s);
}

#[test]
fn the_lowest_bound_is_named_and_what_comes_after_it() {
    let bound = |limit, rays_per_s| Bound { limit, rays_per_s, class: Class::Strict, why: String::new() };
    let bounds = [bound(Limit::Issue, 3e9), bound(Limit::Pipe(Pipe::Alu), 2e9), bound(Limit::Latency, 9e9)];
    assert_eq!(lowest(&bounds).map(|bound| bound.limit), Some(Limit::Pipe(Pipe::Alu)));
    assert_eq!(headroom(&bounds).map(|(next, gain)| (next.limit, gain)), Some((Limit::Issue, 0.5)));
    assert_eq!((lowest(&[]), headroom(&bounds[..1])), (None, None));
}

#[test]
fn lanes_left_to_the_hardware_have_bounds_of_full_lanes_only() {
    let machine = Machine::find("h200").unwrap();
    let voted: Variant = DIRECT.parse().unwrap();
    let implicit: Variant = "direct/while-while/bvh2?sync=implicit".parse().unwrap();
    let profile = profiled(&voted, &[towards(0.2); 40], 40, 32);
    let issued = LaunchInstructions::of(&costs(), &profile.tally);
    let subject = |variant| subject(variant, &profile, Some(&issued));
    let [voted, implicit] = [bounds(&machine, subject(&voted)), bounds(&machine, subject(&implicit))];
    assert!(
        implicit.iter().all(|bound| !matches!(bound.limit, Limit::Issue | Limit::Pipe(_) | Limit::IntegerProducts))
    );
    // 8 of the second warp's 32 lanes have a ray: 40 lanes in two warps.
    let [lanes, issue] = [find(&implicit, Limit::Lanes), find(&voted, Limit::Issue)].map(|bound| bound.rays_per_s);
    assert!(close(lanes / issue, 64.0 / 40.0), "{lanes}, {issue}");
}

#[test]
fn a_lone_warp_waits_for_its_chain() {
    let machine = Machine::find("gtx480").unwrap();
    let variant: Variant = DIRECT.parse().unwrap();
    let profile = profiled(&variant, &[towards(0.2); 32], 32, 32);
    let count = |block| profile.counts.block(block).issued as f64;
    let free = LaunchInstructions::of(&PricedKernel { blocks: vec![], verified: false }, &profile.tally);
    // 22 clocks an instruction of the chain; a load takes no less where nobody knows what it takes.
    let expected: f64 = Block::ALL
        .into_iter()
        .map(|block| {
            let chain = chain(block, &variant);
            22.0 * count(block) * f64::from(chain.loads + chain.arithmetic)
        })
        .sum();
    assert_eq!(warp_clocks(&machine, &variant, &profile, Some(&free)), Some((expected, ChainOf::Algorithm)));
    assert!(expected >= 22.0 * 15.0, "{expected}");
    // A thousand instructions take longer to issue than a chain of four: 0.5 a clock.
    let mut dear = free.clone();
    let visit = crate::CostChange::parse("visit_node", "1000").unwrap();
    dear.change(&visit, &profile.counts);
    let more = warp_clocks(&machine, &variant, &profile, Some(&dear)).unwrap().0 - expected;
    assert_eq!(more, count(Block::VisitNode) * (2000.0 - 4.0 * 22.0));
    // Twice the warps hide twice as much.
    let bound = |registers| {
        let launch =
            LaunchResources { registers_per_thread: registers, shared_bytes_per_block: 0, threads_per_block: 192 };
        let subject = BoundSubject { launch: Some(launch), ..subject(&variant, &profile, Some(&free)) };
        find(&bounds(&machine, subject), Limit::Latency).rays_per_s
    };
    assert!(close(bound(20) / bound(40), 2.0), "{}", bound(20) / bound(40));
}

/// Returns an H200 whose latencies are whole numbers, so that sums are exact.
fn whole_clocks() -> Machine {
    let mut machine = Machine::find("h200").unwrap();
    let keys = [keys::LATENCY_L1, keys::LATENCY_SHARED, keys::LATENCY_XU, keys::LATENCY_LANES, keys::LATENCY_CONSTANT];
    for key in keys {
        let clocks = machine.get(key).unwrap().round();
        machine.set(key.path, &clocks.to_string()).unwrap();
    }
    machine
}

/// Returns the costs of `costs` with times of a lone warp: for a visit 30 clocks, a load and a reciprocal, for a test
/// 120 and two loads.
fn timed() -> PricedKernel {
    let mut costs = costs();
    costs.blocks[0].alone = Some(Alone { clocks: 30, waits: [1, 0, 1, 0, 0, 0] });
    costs.blocks[1].alone = Some(Alone { clocks: 120, waits: [2, 0, 0, 0, 0, 0] });
    costs
}

#[test]
fn a_lone_warps_time_is_that_of_its_machine_code() {
    let mut machine = whole_clocks();
    let variant: Variant = DIRECT.parse().unwrap();
    let profile = profiled(&variant, &[towards(0.2); 32], 32, 32);
    let issued = LaunchInstructions::of(&timed(), &profile.tally);
    let latency = |machine: &Machine, key| machine.get(key).unwrap();
    let clocks = |machine: &Machine| warp_clocks(machine, &variant, &profile, Some(&issued)).unwrap();
    let (load, xu) = (latency(&machine, keys::LATENCY_L1), latency(&machine, keys::LATENCY_XU));
    // One visit and one test.
    assert_eq!(clocks(&machine), (150.0 + 3.0 * load + xu, ChainOf::Code));
    // A latency pays for as often as it is waited for.
    machine.set("latency.l1_hit", "2x").unwrap();
    assert_eq!(clocks(&machine).0, 150.0 + 6.0 * load + xu);
    // Every other kind stands for itself.
    for (key, wait) in [
        (keys::LATENCY_SHARED, Wait::Shared),
        (keys::LATENCY_LANES, Wait::Lanes),
        (keys::LATENCY_CONSTANT, Wait::Constant),
        (keys::LATENCY_L2, Wait::Atomic),
    ] {
        let mut costs = timed();
        costs.blocks[0].alone.as_mut().unwrap().waits[wait as usize] = 10;
        let issued = LaunchInstructions::of(&costs, &profile.tally);
        let (more, _) = warp_clocks(&machine, &variant, &profile, Some(&issued)).unwrap();
        assert_eq!(more - clocks(&machine).0, 10.0 * latency(&machine, key), "{wait:?}");
    }
    // Code for a machine whose words say no such thing, and a table without times.
    let fermi = Machine::find("gtx480").unwrap();
    assert_eq!(clocks(&fermi).1, ChainOf::Algorithm);
    let timeless = LaunchInstructions::of(&costs(), &profile.tally);
    assert_eq!(warp_clocks(&machine, &variant, &profile, Some(&timeless)).unwrap().1, ChainOf::Algorithm);
}

#[test]
fn resident_warps_hide_a_lone_warps_time() {
    let machine = whole_clocks();
    let variant: Variant = DIRECT.parse().unwrap();
    let profile = profiled(&variant, &[towards(0.2); 32], 32, 32);
    let issued = LaunchInstructions::of(&timed(), &profile.tally);
    let (clocks, _) = warp_clocks(&machine, &variant, &profile, Some(&issued)).unwrap();
    // 48 registers: 40 warps of a multiprocessor's 64 (docs/reference/machines.md).
    for (registers, warps) in [(32, 64.0), (48, 40.0), (64, 32.0)] {
        let launch =
            LaunchResources { registers_per_thread: registers, shared_bytes_per_block: 0, threads_per_block: 128 };
        let subject = BoundSubject { launch: Some(launch), ..subject(&variant, &profile, Some(&issued)) };
        let bound = find(&bounds(&machine, subject), Limit::Latency).clone();
        assert!(close(bound.rays_per_s, 132.0 * warps * 32.0 * 1.98e9 / clocks), "{registers}: {bound:?}");
        assert!(bound.why.contains(CHAINS_OF_CODE) && bound.class == Class::Modelled, "{bound:?}");
    }
}

#[test]
fn a_block_is_never_faster_than_it_issues_and_cheaper_ones_wait_as_long() {
    let machine = whole_clocks();
    let variant: Variant = DIRECT.parse().unwrap();
    let profile = profiled(&variant, &[towards(0.2); 32], 32, 32);
    let mut costs = timed();
    let clocks = |costs: &PricedKernel, change: Option<(&str, &str)>| {
        let mut issued = LaunchInstructions::of(costs, &profile.tally);
        if let Some((name, value)) = change {
            issued.change(&crate::CostChange::parse(name, value).unwrap(), &profile.counts);
        }
        warp_clocks(&machine, &variant, &profile, Some(&issued)).unwrap().0
    };
    let whole = clocks(&costs, None);
    assert_eq!(whole - clocks(&costs, Some(("visit_node", "0.5x"))), 15.0);
    let load = machine.get(keys::LATENCY_L1).unwrap();
    assert_eq!(whole - clocks(&costs, Some(("test_triangle", "0"))), 120.0 + 2.0 * load);
    // A hundred instructions of a test.
    costs.blocks[1].alone = Some(Alone::default());
    assert_eq!(whole - clocks(&costs, None), 20.0 + 2.0 * load);
}

#[test]
fn warps_of_half_the_width_issue_twice_as_often() {
    let machine = Machine::find("h200").unwrap();
    let variant: Variant = DIRECT.parse().unwrap();
    let rate = |width| {
        let profile = profiled(&variant, &[towards(0.2); 64], 64, width);
        let issued = LaunchInstructions::of(&costs(), &profile.tally);
        let subject = subject(&variant, &profile, Some(&issued));
        find(&bounds(&machine, subject), Limit::Issue).clone()
    };
    assert!(close(rate(16).rays_per_s, rate(32).rays_per_s));
    assert_eq!(rate(16).class, Class::Modelled);
}

#[test]
fn counts_do_not_depend_on_threads() {
    let rays: Vec<Ray> = (0..4_000).map(|i| towards((i % 37) as f32 * 0.03)).collect();
    for text in [DIRECT, "replace/phased/h8?batch=exact&refill=80", "al09-queue", "al09-wide4"] {
        let variant: Variant = text.parse().unwrap();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| profiled(&variant, &rays, 4_000, 32))
        };
        assert_eq!(run(1), run(3), "{text}");
    }
}

#[test]
fn what_the_caches_drop_comes_again_for_every_ray() {
    let mut machine = Machine::find("a100").unwrap();
    let variant: Variant = DIRECT.parse().unwrap();
    let launch_rays = 1_000_000;
    let profile = profiled(&variant, &[towards(0.2); 32], launch_rays, 32);
    let traffic =
        Traffic { rays: 10, asked: 100, missed_l1: 50, stored: 10, missed_l2: 20, again: 5, ..Traffic::default() };
    let bounded = |machine: &Machine| {
        let subject = BoundSubject { traffic: Some(&traffic), ..subject(&variant, &profile, None) };
        bounds(machine, subject)
    };
    let made = bounded(&machine);
    // Sixty sectors for ten rays, 5120 bytes a clock.
    assert!(close(find(&made, Limit::L2).rays_per_s, 5120.0 * 1.41e9 / 192.0));
    let bytes = 5.0 * 32.0 + launch_rays as f64 * (48.0 + 16.0);
    assert!(close(find(&made, Limit::DramLru).rays_per_s, launch_rays as f64 * dram_per_s(&machine) / bytes));
    assert_eq!(find(&made, Limit::DramLru).class, Class::Modelled);
    machine.set("l2.bytes_per_clock", "2x").unwrap();
    assert!(close(find(&bounded(&machine), Limit::L2).rays_per_s, 2.0 * 5120.0 * 1.41e9 / 192.0));
}

#[test]
fn what_any_hit_rays_may_not_write_is_in_no_strict_bound() {
    let machine = Machine::find("h200").unwrap();
    let variant: Variant = DIRECT.parse().unwrap();
    let triangles = one_triangle();
    let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
    let kernel = Kernel::new(&variant, &bvh, &triangles).unwrap();
    let rays = [towards(0.2); 32];
    let profile = profile(&kernel, &rays, 32, Query::Any, ProfileOptions::default()).unwrap();
    let subject = BoundSubject { query: Query::Any, ..subject(&variant, &profile, None) };
    let memory = profile.memory.unwrap();
    assert_eq!(memory.region(Region::Hits).least, 1);
    let made = bounds(&machine, subject);
    let passes = (memory.all().least - 1) as f64;
    assert!(close(find(&made, Limit::L1Least).rays_per_s, 32.0 * 132.0 * 1.98e9 / passes));
    assert!(close(find(&made, Limit::DramCold).rays_per_s, 32.0 * dram_per_s(&machine) / (5.0 * 32.0 + 32.0 * 32.0)));
}
