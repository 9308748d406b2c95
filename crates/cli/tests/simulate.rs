//! `raywarp simulate --efficiency` as a user meets it.

use std::fmt::Write;
use std::process::{Command, Output};

/// 600 triangles scattered about the origin, few of them large, which a Morton curve does not see.
fn scattered() -> String {
    let mut seed = 1u32;
    let mut unit = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1u32 << 24)
    };
    let mut text = String::new();
    for i in 0..600 {
        let [x, y, z] = [unit(), unit(), unit()].map(|u| 4.0 * u - 2.0);
        let size = 0.1 + 4.0 * unit().powi(8);
        for _ in 0..3 {
            writeln!(text, "v {:.4} {:.4} {:.4}", x + size * unit(), y + size * unit(), z + size * unit()).unwrap();
        }
        writeln!(text, "f {} {} {}", 3 * i + 1, 3 * i + 2, 3 * i + 3).unwrap();
    }
    text
}

fn simulate(test: &str, options: &str) -> Output {
    let folder = std::env::temp_dir().join(format!("raywarp-simulate-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("scattered.obj"), scattered()).unwrap();
    let line =
        format!("simulate --efficiency scattered.obj --size 64x48 --sample 3072 --kind primary --json -q {options}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
    let output =
        command.current_dir(&folder).env_remove("RAYWARP_SCENES").args(line.split_whitespace()).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    output
}

/// Nodes and triangles a ray under while-while.
#[track_caller]
fn work(test: &str, options: &str) -> [f64; 2] {
    let output = simulate(test, &format!("--variant al09-while-while {options}"));
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let measurement = &document["measurements"][0];
    ["nodes_per_ray", "triangles_per_ray"].map(|key| measurement[key].as_f64().unwrap())
}

#[test]
fn the_tree_is_the_one_that_was_asked_for() {
    let sweep = work("sweep", "");
    assert_eq!(work("same", "--builder sweep --reinsertion 0"), sweep);
    let mut trees = vec![sweep];
    for (test, options) in [
        ("binned", "--builder binned"),
        ("sbvh", "--builder sbvh"),
        ("lbvh", "--builder lbvh"),
        ("improved", "--builder lbvh --reinsertion 8"),
    ] {
        let tree = work(test, options);
        assert!(!trees.contains(&tree), "{options}: {tree:?} of {trees:?}");
        trees.push(tree);
    }
    let [.., lbvh, improved] = trees[..] else { unreachable!() };
    assert!(improved.iter().sum::<f64>() < lbvh.iter().sum(), "{improved:?} {lbvh:?}");
    // Nodes that cost much end in full leaves.
    let full = work("full", "--traversal-cost 1000000");
    assert!(full[1] > 1.5 * sweep[1] && full[0] < sweep[0], "{full:?} {sweep:?}");
}

#[test]
fn unknown_builders_and_too_many_passes_are_wrong_usage() {
    for (test, options) in [("unknown", "--builder best"), ("passes", "--reinsertion 65")] {
        let output = simulate(test, options);
        assert_eq!(output.status.code(), Some(2), "{options}");
        assert!(output.stdout.is_empty(), "{options}");
    }
}
