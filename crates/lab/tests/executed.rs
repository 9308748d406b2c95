//! Instructions of each block of a kernel beside what a GPU's profiler counted, instruction by instruction, of whole launches
//! (executed.csv of bench/runs).

use raywarp::Control;
use raywarp::scene::{Description, View};
use raywarp_lab::sim::CostChange;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::counters::{
    ComparedBlock, Counted, CountersError, CountersReport, CountersRequest, beside_counters, read_counters,
};
use raywarp_lab::workload::rays::RayKind;

const SIZE: [u32; 2] = [320, 240];
const KERNELS: [&str; 7] = [
    "al09-while-while",
    "al09-if-if",
    "al09-spec-while-while",
    "alk12-fermi",
    "ykl17-direct",
    "l9-mbvh-nearest",
    "al09-wide4",
];
/// Blocks whose events are not known exactly, only by likeness: what an accepted hit does, its store, and a vote's mask.
const LIKENED: [&str; 3] = ["test_triangle.accept", "store_hit", "ballot"];
/// And those of a pool, which warps ask again when it is empty.
const OF_POOLS: [&str; 3] = ["fetch_ray", "fetch_ray.batch", "setup_ray"];
/// Of a kernel's instructions, at least: others say nothing.
const SHARE: f64 = 0.005;
const WITHIN: f64 = 0.012;
/// Costs that are made 5 % wrong, and a kernel that tells.
const PLANTED: [(&str, &[&str]); 4] = [
    ("al09-while-while", &["fetch_ray", "setup_ray", "visit_node", "pop", "test_triangle", "vote", "loop"]),
    ("alk12-fermi", &["test_triangle.u", "test_triangle.v", "loop.leaf"]),
    ("ykl17-direct", &["postpone.defer"]),
    ("al09-wide4", &["visit_node.push", "shuffle", "prefix_sum"]),
];

fn compared(
    (scene, view): (&Description, &View),
    rows: &[&Counted],
    (machine, changes): (&str, Vec<CostChange>),
) -> Result<CountersReport, CountersError> {
    let rows: Vec<Counted> = rows.iter().map(|&row| row.clone()).collect();
    // All of the rays.
    let whole = crate::common::counters_request("sibenik", view.clone(), SIZE, (SIZE[0] * SIZE[1]) as usize, rows);
    let request = CountersRequest { machine: Machine::find(machine).unwrap(), changes, ..whole };
    beside_counters(scene, &request, &Control::default())
}

fn blocks(
    scene: (&Description, &View),
    rows: &[&Counted],
    changes: Vec<CostChange>,
) -> Vec<(String, Vec<ComparedBlock>)> {
    let report = compared(scene, rows, ("h100", changes)).unwrap();
    report.rows.into_iter().map(|row| (row.counted.variant.to_string(), row.blocks)).collect()
}

/// The blocks that are known exactly, and of which there are enough to say something.
fn known<'a>(variant: &str, blocks: &'a [ComparedBlock]) -> Vec<&'a ComparedBlock> {
    let is_pool = variant.starts_with("persistent");
    let is_known = |one: &&ComparedBlock| {
        let name = one.block.name();
        one.share >= SHARE && !LIKENED.contains(&name) && !(is_pool && OF_POOLS.contains(&name))
    };
    blocks.iter().filter(is_known).collect()
}

#[test]
fn every_block_is_issued_as_often_as_counted_and_costs_5_percent_off_are_found() {
    let Some((scene, view)) = crate::common::sibenik() else { return };
    let table = read_counters(&crate::common::recorded("2026-11-25-h100-2/executed.csv")).unwrap();
    let of = |name: &str| {
        let variant = name.parse().unwrap();
        let is = |row: &&Counted| row.scene == "sibenik" && row.variant == variant && row.kind == RayKind::Diffuse;
        table.iter().find(is).unwrap()
    };
    for (variant, blocks) in blocks((&scene, &view), &KERNELS.map(of), vec![]) {
        let known = known(&variant, &blocks);
        let share: f64 = known.iter().map(|one| one.share).sum();
        println!("{variant}: {:.0} % of instructions held", 100.0 * share);
        assert!(share > 0.88, "{variant}: {share}");
        for one in known {
            assert!(one.instructions.error().abs() <= WITHIN, "{variant}: {one:?}");
        }
    }
    // Counts of other machine code do not add up, or tear its blocks.
    let mut other = of(KERNELS[0]).clone();
    other.executed = of(KERNELS[1]).executed.clone();
    for (machine, row) in [("h100", &other), ("rtx4090", of(KERNELS[0]))] {
        let error = compared((&scene, &view), &[row], (machine, vec![])).unwrap_err();
        assert!(matches!(error, CountersError::Executed { .. }), "{machine}: {error}");
    }
    // All at once: a block's instructions are those of its own cost.
    for (kernel, operations) in PLANTED {
        for factor in ["1.05x", "0.95x"] {
            let changes = operations.iter().map(|operation| CostChange::parse(operation, factor).unwrap()).collect();
            let (variant, blocks) = blocks((&scene, &view), &[of(kernel)], changes).remove(0);
            for one in known(&variant, &blocks) {
                let name = one.block.name();
                let is_off = one.instructions.error().abs() > WITHIN;
                assert_eq!(is_off, operations.contains(&name), "{factor} of {operations:?} in {kernel}: {one:?}");
            }
            let found = known(&variant, &blocks).iter().filter(|one| operations.contains(&one.block.name())).count();
            assert_eq!(found, operations.len(), "{kernel}");
        }
    }
}
