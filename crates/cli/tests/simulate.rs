//! `raywarp simulate` as a user meets it.

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
    run(test, &format!("--efficiency --size 64x48 --sample 3072 --kind primary --json {options}"), 2)
}

/// `raywarp simulate` with so many threads.
fn run(test: &str, options: &str, threads: u32) -> Output {
    let folder = std::env::temp_dir().join(format!("raywarp-simulate-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("scattered.obj"), scattered()).unwrap();
    let line = format!("simulate scattered.obj -q {options}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raywarp"));
    command.current_dir(&folder).env_remove("RAYWARP_SCENES").env("RAYON_NUM_THREADS", threads.to_string());
    let output = command.args(line.split_whitespace()).output().unwrap();
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

/// Standard output of a run that succeeds.
#[track_caller]
fn printed(test: &str, options: &str, threads: u32) -> String {
    let output = run(test, options, threads);
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn all_rows_print_the_same_on_one_thread_and_on_two_and_together_as_alone() {
    let options = "--efficiency --size 32x24 --rays-per-pixel 2 --sample 100000 --json";
    let one = printed("one", options, 1);
    assert_eq!(one, printed("two", options, 2));
    // Together, rows that walk alike replay one dump; alone they run.
    let document: serde_json::Value = serde_json::from_str(&one).unwrap();
    for name in ["al09-queue", "al09-if-if", "alk12-kepler-postpone-0", "al09-spec-if-if", "g14-wide4"] {
        let alone = printed(name, &format!("{options} --variant {name}"), 2);
        let alone: serde_json::Value = serde_json::from_str(&alone).unwrap();
        let of = |document: &serde_json::Value| -> Vec<serde_json::Value> {
            let all = document["measurements"].as_array().unwrap().iter();
            all.filter(|measurement| measurement["name"] == name).cloned().collect()
        };
        assert_eq!(of(&document).len(), 3, "{name}");
        assert_eq!(of(&document), of(&alone), "{name}");
    }
}

#[test]
fn experiments_print_theirs_and_ours_in_text_and_json() {
    for name in ["rates", "distribution", "speculation", "replacement", "queue", "width"] {
        let options = format!("--experiment {name} --size 32x24 --sample 600 --rays-per-pixel 1");
        let text = printed(name, &options, 2);
        assert!(text.contains("theirs") && text.contains("ours"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        let json = printed(name, &format!("{options} --json"), 1);
        assert_eq!(json, printed(name, &format!("{options} --json"), 2));
        let document: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(document["experiment"], name);
        for table in document["tables"].as_array().unwrap() {
            for row in table["rows"].as_array().unwrap() {
                assert_eq!(row["cells"].as_object().unwrap().len(), 3, "{row}");
            }
        }
    }
}

#[test]
fn a_price_changes_what_it_is_the_price_of() {
    let gain = |price: &str| {
        let options = format!("--experiment queue --size 32x24 --sample 2000 --rays-per-pixel 1 --json {price}");
        let document: serde_json::Value = serde_json::from_str(&printed("price", &options, 2)).unwrap();
        document["tables"][0]["rows"][0]["cells"]["diffuse"]["ours"][0].as_f64().unwrap()
    };
    let (free, stated) = (gain("--price shuffle=0,fetch_ray=0"), gain(""));
    assert!(free > stated && stated > gain("--price shuffle=300"), "{free} {stated}");
}

#[test]
fn unknown_experiments_and_prices_are_wrong_usage() {
    for options in [
        "--experiment packets",
        "--experiment queue --price walk=3",
        "--experiment queue --price shuffle=-1",
        "--experiment queue --price shuffle=NaN",
        "--experiment queue --price shuffle",
        "--experiment queue --variant al09-if-if",
        "--experiment queue --efficiency",
        "--efficiency --price shuffle=3",
        "",
    ] {
        let output = run("usage", options, 1);
        assert_eq!(output.status.code(), Some(2), "{options}");
        assert!(output.stdout.is_empty(), "{options}");
    }
}
