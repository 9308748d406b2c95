//! The rate that a kernel is expected to have, beside its bounds.

use raywarp::scene::View;
use raywarp::{BuildOptions, Control};
use raywarp_lab::sim::CostChange;
use raywarp_lab::sim::bounds::Limit;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::sim::pace::StallCause;
use raywarp_lab::study::bounds::{Bounded, BoundsRequest, bound_rates};
use raywarp_lab::study::simulate::EfficiencyRequest;
use raywarp_lab::workload::rays::{Order, RayKind, Workload};

const KERNELS: [&str; 5] =
    ["al09-while-while", "ykl17-direct", "raywarp-h8-direct", "alk12-kepler", "direct/while-while/bvh2?sync=implicit"];

/// Rows of the built-in scene on an H200 with numbers that are otherwise.
fn rows(kernels: &[&str], changes: &[(&str, &str)], costs: Vec<CostChange>) -> Vec<Bounded> {
    let scene = raywarp::scene::default_scene();
    let camera = scene.cameras.first().unwrap().clone();
    let mut machine = Machine::find("h200").unwrap();
    changes.iter().for_each(|(key, value)| machine.set(key, value).unwrap());
    let rays = EfficiencyRequest {
        workload: Workload::Raywarp,
        kinds: vec![RayKind::Primary, RayKind::Diffuse],
        own: Vec::new(),
        views: vec![View { camera, ao_radius: None }],
        size: [128, 96],
        sample: 1 << 13,
        order: Order::Workload,
        rays_per_pixel: Some(1),
        variants: kernels.iter().map(|name| name.parse().unwrap()).collect(),
        widths: vec![32],
        draw: 0,
        leaf_sizes: vec![4],
        build: BuildOptions::default(),
        scene: "embedded".into(),
    };
    let request = BoundsRequest { rays, machines: vec![machine], changes: costs, costs: None, what_if: false };
    bound_rates(&scene, &request, &Control::default()).unwrap().rows
}

/// What is expected; nobody knows how lanes drift that wait for nobody.
fn known(row: &Bounded) -> Option<f64> {
    assert_eq!(row.expected.is_none(), row.variant.to_string() == "direct/while-while/bvh2?sync=implicit");
    row.expected
}

fn bound(row: &Bounded, limit: Limit) -> f64 {
    row.bounds.iter().find(|bound| bound.limit == limit).unwrap().rays_per_s
}

fn is_pooled(row: &Bounded) -> bool {
    row.variant.supply() != raywarp_lab::family::Supply::Direct
}

#[test]
fn a_full_machine_comes_near_its_lowest_bound_and_no_further() {
    let rows = rows(&KERNELS, &[], vec![]);
    assert_eq!(rows.len(), 2 * KERNELS.len());
    for row in rows {
        let Some(expected) = known(&row) else { continue };
        let ratio = expected / row.lowest().unwrap().rays_per_s;
        // Blocks of a small picture have warps that see nothing beside others that do, so that places stay empty.
        assert!((0.65..1.01).contains(&ratio), "{} {}: {ratio}", row.variant, row.kind.name());
    }
}

#[test]
fn a_warp_per_scheduler_takes_what_it_takes_alone() {
    // Loads that miss take as long as those that do not: the bound knows of none.
    let hit = Machine::find("h200").unwrap().get(raywarp_lab::sim::machine::keys::LATENCY_L1).unwrap().to_string();
    // Nor of the passes that a load takes, nor of a queue behind them.
    let numbers = [
        ("resident.warps", "4"),
        ("latency.l2_hit", hit.as_str()),
        ("latency.dram", hit.as_str()),
        ("l1.wavefronts_per_clock", "16"),
        ("l2.requests_per_clock", "16"),
    ];
    for row in rows(&KERNELS, &numbers, vec![]) {
        let Some(expected) = known(&row) else { continue };
        // The bound has no clocks for jumps and for registers that are read late.
        let pace = row.pace.unwrap();
        let waiting = pace.waiting;
        let all = 1.0 + waiting.iter().sum::<f64>();
        let known = 1.0 - (waiting[StallCause::Branch as usize] + waiting[StallCause::Dispatch as usize]) / all;
        // It also has no place empty until the last warp of a block has ended: here one block is there at a time.
        let resident = pace.resident_warps() / 4.0;
        assert!(
            (0.5..1.001).contains(&resident) && (resident > 0.99) == is_pooled(&row),
            "{}: {resident}",
            row.variant
        );
        // It takes the least of several ways behind a block; here one is taken.
        let ratio = expected / known / resident / bound(&row, Limit::Latency);
        // Above 1 by what of a jump's clocks a load takes at the same time.
        assert!((0.98..1.04).contains(&ratio), "{} {}: {ratio}", row.variant, row.kind.name());
    }
}

#[test]
fn numbers_of_the_machine_and_cheaper_operations_change_it_and_other_costs_have_none() {
    let rates = |changes: &[(&str, &str)], costs: Vec<CostChange>| -> Vec<f64> {
        rows(&KERNELS[..1], changes, costs).iter().filter_map(|row| row.expected).collect()
    };
    let known = rates(&[], vec![]);
    assert_eq!((known.len(), &known), (2, &rates(&[], vec![])));
    for (key, value) in [("pipes.alu", "32"), ("latency.l1_hit", "200"), ("l1.wavefronts_per_clock", "0.3")] {
        let slower = rates(&[(key, value)], vec![]);
        assert!(known.iter().zip(&slower).all(|(known, slower)| slower < known), "{key}: {slower:?} {known:?}");
    }
    let cost = |value: &str| CostChange::parse("visit_node", value).unwrap();
    let faster = rates(&[], vec![cost("0.75x")]);
    assert!(
        known.len() == faster.len() && known.iter().zip(&faster).all(|(known, faster)| faster > known),
        "{faster:?}"
    );
    for untold in [vec![cost("1.25x")], vec![cost("40")], vec![cost("0.75x"), cost("0.9x")]] {
        assert!(rates(&[], untold.clone()).is_empty(), "{untold:?}");
    }
}
