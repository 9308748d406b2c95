//! Rates of an H100's pipelines beside what its kernels reached (bench/latencies/throughput.py).

use raywarp_sim::machine::{Machine, keys};

const TABLE: &str = include_str!("../../../bench/runs/2026-11-25-h100/throughput.csv");
/// Of a rate, what a loop of one instruction reaches: it has a jump and a comparison an iteration.
const REACHED: std::ops::Range<f64> = 0.97..1.005;

fn measured(name: &str) -> f64 {
    let row = TABLE.lines().find_map(|line| line.strip_prefix(&format!("{name},8,"))).unwrap();
    row.parse().unwrap()
}

#[test]
fn pipelines_have_the_rates_that_a_gpu_reaches_and_errors_of_5_percent_are_found() {
    // An H200 is the same chip.
    for machine in ["h100", "h200"] {
        let machine = Machine::find(machine).unwrap();
        // Half floats are left out: the compiler makes two instructions of their products, alternately, and nobody knows whose is what.
        for (name, key) in [
            ("alu", keys::PIPE_ALU),
            ("fma", keys::PIPE_FMA),
            ("fmaheavy", keys::PIPE_FMAHEAVY),
            ("xu", keys::PIPE_XU),
            ("lsu", keys::PIPE_LSU),
        ] {
            let rate = machine.get(key).unwrap() / machine.need(keys::SM_WARP_WIDTH);
            let reached = |rate: f64| REACHED.contains(&(measured(name) / rate));
            assert!(reached(rate), "{name}: {} of {rate}", measured(name));
            assert!(!reached(0.95 * rate) && !reached(1.05 * rate), "{name}");
        }
        // Issued side by side, two pipelines fill all schedulers.
        let issued = machine.need(keys::SM_SCHEDULERS) * machine.need(keys::ISSUE_PER_SCHEDULER);
        assert!(REACHED.contains(&(measured("alu_fma") / issued)));
    }
}
