//! Occupancy of the compiled kernels, by the registers and shared memory that the assembler reported for them.

use raywarp_sim::machine::{LaunchResources, Machine};
use std::path::Path;

/// Kernels are compiled for blocks of this many threads, and for several of them on a multiprocessor.
const THREADS: u32 = 128;

#[test]
fn compiled_kernels_have_as_many_blocks_resident_as_they_were_compiled_for() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuda/prebuilt/resources.csv");
    let table = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let machines = ["a100", "rtx4090", "h200", "rtx5090"].map(|name| Machine::find(name).unwrap());
    let mut checked = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [kernel, architecture, registers, .., shared] = fields[..] else { panic!("{line}") };
        let Some(machine) = machines.iter().find(|machine| {
            let (major, minor) = machine.capability();
            architecture == format!("{major}{minor}")
        }) else {
            continue;
        };
        let launch = LaunchResources {
            registers_per_thread: registers.parse().unwrap(),
            shared_bytes_per_block: shared.parse().unwrap(),
            threads_per_block: THREADS,
        };
        // The least of `blocks` in crates/cuda/src/names.rs for its kind: the assembler keeps registers to what that allows.
        let least = if kernel.contains("cwbvh8") {
            9
        } else if kernel.contains("_wide") {
            4
        } else if kernel.starts_with("direct_phased_h8") {
            7
        } else {
            8
        };
        let got = machine.occupancy(launch).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(got.blocks >= least, "{line}: {got:?}, compiled for {least}");
        assert_eq!(got.warps, got.blocks * 4);
        checked += 1;
    }
    assert!(checked > 100, "{checked}");
}
